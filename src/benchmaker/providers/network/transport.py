"""The transport protocol: one request out, one reply in, within limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """The limits of time and size for one request.

    All times are seconds. ``connect_s`` bounds finding the host and connecting, ``first_byte_s``
    the time from the send to the head of a stream (an unstreamed reply starts only when it is
    complete, so only the total limits it), ``idle_s`` the silence between two pieces, ``total_s``
    everything from the send on. ``linger_s`` is the maximum time from a stream's last event to its
    end, so that the connection can be reused. ``body_bytes`` bounds a decoded reply, ``line_bytes``
    a line of a stream, ``error_bytes`` the part read of an error body.
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
        """True if a kept connection was closed and the request was sent again."""
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
        """Return the available start of an error body."""
        ...

    async def drain(self) -> bytes:
        """Return the rest of the body, as far as it is available immediately."""
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
        on_send: Callable[[], None] | None = None,
    ) -> RequestContext:
        """Return a POST of ``body``, or a GET without one; ``first_byte_s`` overrides the limit.

        ``on_send`` is called each time the request is written to a connection.
        """
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
