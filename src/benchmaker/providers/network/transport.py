"""What a provider needs of a network: one request out, one reply in, within limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """How long and how large one request may be.

    All times are seconds. ``connect_s`` bounds finding the host and connecting, ``first_byte_s``
    the time from the send to the head of a stream (a reply in one piece begins when all of it is
    written, so that only the total bounds it), ``idle_s`` the silence between two pieces,
    ``total_s`` everything from the send on. ``linger_s`` is how long the end of a stream may
    follow its last event, so that the connection can be used again. ``body_bytes`` bounds a
    decoded reply, ``line_bytes`` a line of a stream, ``error_bytes`` what is read of a failure.
    """

    connect_s: float = 10.0
    first_byte_s: float = 60.0
    idle_s: float = 60.0
    total_s: float = 120.0
    linger_s: float = 0.1
    body_bytes: int = 32 * 2**20
    line_bytes: int = 8 * 2**20
    error_bytes: int = 64 * 2**10


class Reply(Protocol):
    """A reply that is coming in; everything it raises is a ProviderError."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The head's fields; names are found in any case."""
        ...

    @property
    def is_reconnected(self) -> bool:
        """True if a kept connection turned out to be closed and the request was sent again."""
        ...

    def elapsed_s(self) -> float:
        """Seconds since the send."""
        ...

    async def chunk(self) -> bytes:
        """The next piece of the decoded body; empty at its end."""
        ...

    async def read(self) -> bytes:
        """The whole decoded body."""
        ...

    async def read_start(self) -> bytes:
        """What can be had of the start of the body of a failure."""
        ...

    async def drain(self) -> None:
        """Let the rest of the body go by, if it comes at once."""
        ...


class RequestContext(Protocol):
    """A request about to be sent: entering sends it, leaving lets go of the connection."""

    async def __aenter__(self) -> Reply:
        """The reply, once its head is there."""
        ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The connection is kept when the reply was read to its end, else closed."""
        ...


class Transport(Protocol):
    """Sends requests; :class:`~benchmaker.providers.network.http.Http` is the real one."""

    def request(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        first_byte_s: float | None = None,
    ) -> RequestContext:
        """A POST of ``body``, or a GET where there is none; ``first_byte_s`` replaces the limit."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
