"""The requests of agents at the gateway in lists and files."""

from benchmaker.record.agent_trial import GatewayRequest, has_counts, total_tokens
from benchmaker.web.listing import Column

_USAGE = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
    "reasoning_tokens",
)
_FIGURES = ("cost_usd", "latency_s", "first_byte_s")


def request_mark(request: GatewayRequest) -> tuple[str, str]:
    """The mark of a request, and its end in words."""
    if request.refused:
        return "infra", "refused"
    if not request.status:
        return "none", "interrupted" if request.was_cut else "no reply yet"
    if request.was_cut:
        return "bad", f"{request.status}, cut off"
    return ("ok" if request.status < 400 else "bad"), str(request.status)  # noqa: PLR2004  of HTTP


def request_tokens(request: GatewayRequest) -> int | None:
    """The tokens of the known kinds; None if none is known, or only that there were none of some.

    A report with impossible counts leaves all kinds unknown.
    """
    tokens = total_tokens(request.usage)
    return tokens if tokens or has_counts(request.usage) else None


def _plain(name: str, *, is_number: bool = False) -> Column[GatewayRequest]:
    return Column(name, name, lambda it: getattr(it, name), is_number)


def _of_usage(name: str) -> Column[GatewayRequest]:
    return Column(name, name, lambda it: it.usage and getattr(it.usage, name), is_number=True)


REQUEST_COLUMNS: tuple[Column[GatewayRequest], ...] = (
    Column("attempt_try", "attempt_try", lambda it: it.key.attempt_try, is_number=True),
    _plain("number", is_number=True),
    *map(_plain, ("started_at", "endpoint", "model", "requested_model", "wire", "status")),
    *map(_plain, ("stream", "sends")),
    *map(_of_usage, _USAGE),
    *map(_plain, _FIGURES),
    *map(_plain, ("was_cut", "refused", "request_sha256", "response_sha256")),
)
"""The columns of files."""
