"""How slow, how big and how patient the server is."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Pace:
    """Every duration and size of the server, so that a hang in a test takes tenths of a second.

    ``latency_s`` passes before any reply; ``slow_s`` between the pieces of a slow one, of which
    there are ``slow_pieces``. A 429 promises ``retry_after_s`` (whole seconds, as the header has
    it) or ``retry_after_ms``. A hang ends after ``hang_s`` at the latest. Bombs and huge bodies
    have ``bomb_bytes`` when decoded. ``elsewhere`` is the URL to which ``http_redirect_other``
    points. ``rate`` tokens a second, ``burst`` at once, is what each key may send; None is no
    limit; ``rate_header`` says in which unit a refusal tells how long to wait.
    """

    latency_s: float = 0.0
    slow_s: float = 0.02
    slow_pieces: int = 10
    retry_after_s: int = 1
    retry_after_ms: int = 200
    hang_s: float = 30.0
    bomb_bytes: int = 64 * MIB
    elsewhere: str = "http://127.0.0.1:9/"
    rate: float | None = None
    burst: float = 20.0
    rate_header: str = "retry-after-ms"
