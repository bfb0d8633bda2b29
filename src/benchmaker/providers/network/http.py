"""The only interface to the network: HTTP requests, bounded in time and size.

With its connections, the only module that imports aiohttp. It is imported when a live provider is
opened, never before.
"""

import asyncio
import os
import ssl
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from benchmaker.errors import BadResponse, BenchmakerError, ProviderError, Timeout
from benchmaker.providers.network import certificates
from benchmaker.providers.network.connections import Line, NotSent, Pool, Target, is_new
from benchmaker.providers.network.egress import EgressPolicy
from benchmaker.providers.network.proxies import proxy_for
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.spec.documents.sizes import readable_limit

with certificates.skip_default_certificates():
    import aiohttp
    from aiohttp.connector import Connection
    from aiohttp.http import HttpProcessingError, RawResponseMessage
    from aiohttp.http_exceptions import ContentEncodingError

_LOOK_S = 0.25
"""How often it is seen to that a connection still stands while a body comes in."""

_DROPPED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionResetError)
_NETWORK = (aiohttp.ClientError, OSError, HttpProcessingError)


class Http:
    """Connections to hosts, kept for reuse; one pool per event loop.

    Close it before an event loop ends; it can be used again in the next one.

    Redirects are not followed and cookies not stored. Proxies and certificates are set by
    ``environ`` (``https_proxy``, ``no_proxy``, ``SSL_CERT_FILE``, ``SSL_CERT_DIR``), and so is the
    egress policy (:data:`benchmaker.providers.network.egress.VARIABLE`).

    A request on a kept connection that the host closed without a reply is sent once more, unless
    ``resends`` is false.
    """

    def __init__(
        self,
        limits: HttpLimits | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        resends: bool = True,
    ) -> None:
        self.limits = limits or HttpLimits()
        self._resends = resends
        self._environ = dict(environ or {})
        self._reach = EgressPolicy.of(self._environ)
        self._targets: dict[str, Target] = {}
        self._trust: ssl.SSLContext | None = None
        self._pools: dict[asyncio.AbstractEventLoop, Pool] = {}

    def __repr__(self) -> str:
        return f"Http(limits={self.limits!r})"

    def request(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        first_byte_s: float | None = None,
        on_send: Callable[[], None] | None = None,
    ) -> "Exchange":
        """Return a POST of ``body``, or a GET without one, for use with ``async with``.

        ``first_byte_s`` overrides the limit of that name. ``on_send`` is called each time the
        request is written to a connection.
        """
        target = self._targets.get(url)
        if target is None:
            target = self._targets[url] = self._target(url)
        first_s = self.limits.first_byte_s if first_byte_s is None else first_byte_s
        return Exchange(
            self._pool(),
            target,
            headers,
            body,
            self.limits,
            first_byte_s=first_s,
            resends=self._resends,
            on_send=on_send,
        )

    async def close(self) -> None:
        """Close every connection of this event loop; another request opens new ones."""
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()

    def _pool(self) -> "Pool":
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            for ended in [other for other in self._pools if other.is_closed()]:
                del self._pools[ended]
            pool = self._pools[loop] = Pool(connect_s=self.limits.connect_s, reach=self._reach)
        return pool

    def _target(self, url: str) -> "Target":
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        proxy = proxy_for(url, self._environ)
        return Target(url, host, proxy, self._trust_for(url, proxy or ""))

    def _trust_for(self, *urls: str) -> ssl.SSLContext | bool:
        """Whom to trust on the way over these addresses; True where none of them is encrypted."""
        if not any(url.lower().startswith("https:") for url in urls):
            return True
        if self._trust is None:
            self._trust = certificates.trust_context(self._environ)
        return self._trust


class Exchange:
    """One request and its reply; the limits apply from entry to exit.

    Network errors are raised as ProviderError. The connection is closed unless the reply was read
    to its end.
    """

    __slots__ = (
        "_body", "_connection", "_content", "_deadline", "_due", "_end", "_first_byte_s", "_handle",
        "_head", "_headers", "_limits", "_loop", "_on_send", "_pool", "_resends", "_seen_due",
        "_size", "_target", "_waits_for", "is_reconnected", "sent_at",
    )  # fmt: skip

    def __init__(
        self,
        pool: Pool,
        target: Target,
        headers: Mapping[str, str],
        body: bytes | None,
        limits: HttpLimits,
        *,
        first_byte_s: float,
        resends: bool = True,
        on_send: Callable[[], None] | None = None,
    ) -> None:
        self._pool, self._target, self._resends = pool, target, resends
        self._on_send = on_send
        self._first_byte_s = first_byte_s
        self._headers, self._body, self._limits = headers, body, limits
        self._loop = asyncio.get_running_loop()
        self._deadline = asyncio.timeout(None)
        self._handle: asyncio.TimerHandle | None = None
        self._connection: Connection | None = None
        self._head: RawResponseMessage | None = None
        self._content = aiohttp.EMPTY_PAYLOAD
        self._due = self._end = self._seen_due = self.sent_at = 0.0
        self._waits_for = "a connection"
        self._size = 0
        self.is_reconnected = False

    async def __aenter__(self) -> Self:
        await self._deadline.__aenter__()
        try:
            await self._open()
        except BaseException as exc:
            await self._leave(exc)
            raise
        self._waits_for = "the next part of the reply"
        self._due = self._loop.time() + self._limits.idle_s
        if self._handle is not None and not self._content.is_eof():
            self._handle.cancel()
            soon = self._loop.time() + _LOOK_S
            self._handle = self._loop.call_at(min(self._due, self._end, soon), self._look)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._leave(error)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._reply_head.code

    @property
    def headers(self) -> Mapping[str, str]:
        """The head's fields; names are found in any case."""
        return self._reply_head.headers

    def elapsed_s(self) -> float:
        """Seconds since the send."""
        return self._loop.time() - self.sent_at

    async def chunk(self) -> bytes:
        """The next piece of the decoded body; empty at its end.

        Raises:
            BadResponse: the body is larger than the limit.
        """
        data = await self._content.readany()
        self._due = self._loop.time() + self._limits.idle_s
        self._size += len(data)
        if self._size > self._limits.body_bytes:
            size = readable_limit(self._limits.body_bytes)
            raise BadResponse(
                f"the reply of {self._target.host} is larger than {size}.", is_retryable=False
            )
        return data

    async def read(self) -> bytes:
        """The whole decoded body, within the limit of its size."""
        data = await self.chunk()
        if not data or self._content.at_eof():
            return data
        pieces = [data]
        while data := await self.chunk():
            pieces.append(data)
        return b"".join(pieces)

    async def read_start(self) -> bytes:
        """Return the available start of an error body; an interrupted body suffices."""
        start = b""
        try:
            while len(start) < self._limits.error_bytes and (data := await self.chunk()):
                start += data
        except (aiohttp.ClientError, OSError):
            pass  # the status says enough
        return start[: self._limits.error_bytes]

    async def drain(self) -> bytes:
        """Return the rest of the body, as far as it comes within ``linger_s``."""
        content = self._content
        rest: list[bytes] = []
        if content.at_eof():
            return b""
        try:
            async with asyncio.timeout(self._limits.linger_s):
                while data := await content.readany():
                    rest.append(data)
        except (TimeoutError, aiohttp.ClientError, OSError):
            self._hang_up()
        return b"".join(rest)

    def _begin(self) -> None:
        """The connection is there: from now on time counts."""
        now = self._loop.time()
        if self._handle is None:
            self.sent_at = now
            self._end = now + self._limits.total_s
        else:
            self._handle.cancel()
        self._waits_for = "the reply"
        self._due = now + self._first_byte_s
        self._handle = self._loop.call_at(min(self._due, self._end), self._look)

    @property
    def _reply_head(self) -> RawResponseMessage:
        """The reply's head."""
        if self._head is None:
            raise RuntimeError("the exchange was not entered")
        return self._head

    def _look(self) -> None:
        """Give up when a limit has passed, or the connection is gone; else look again later."""
        due = min(self._due, self._end)
        now = self._loop.time()
        if now >= due:
            self._deadline.reschedule(now)
            return
        if self._seen_due == self._due and self._is_lost():
            self._content.set_exception(aiohttp.ClientPayloadError("connection lost"))
        self._seen_due = self._due
        self._handle = self._loop.call_at(min(due, now + _LOOK_S), self._look)

    def _is_lost(self) -> bool:
        """True if the stream is over although it was never closed.

        aiohttp closes a connection with a malformed chunk without notifying the reader of the body.
        """
        if self._connection is None or self._head is None or self._content.is_eof():
            return False
        return self._connection.closed and self._content.exception() is None

    async def _open(self) -> None:
        """Wait for the reply's head; a kept connection that was closed may be replaced, once."""
        try:
            await self._send(self._line(keep=True))
        except _DROPPED as exc:
            may_send = self._resends or isinstance(exc, NotSent)
            if is_new() or not may_send or isinstance(exc, aiohttp.ClientConnectorError):
                raise
            self._hang_up()
        else:
            return
        self.is_reconnected = True
        await self._send(self._line(keep=False))

    def _line(self, *, keep: bool) -> Line:
        method = "GET" if self._body is None else "POST"
        return self._pool.line(self._target, self._headers, method=method, keep=keep)

    async def _send(self, line: Line) -> None:
        self._connection = await line.connect()
        self._begin()
        answer = line.ask(self._connection, self._body, self._on_send)
        self._head, self._content = await answer

    def _hang_up(self) -> None:
        """Close the connection, where there is one; nothing more comes over it."""
        if self._connection is not None:
            self._connection.close()

    async def _leave(self, error: BaseException | None) -> None:
        if self._handle is not None:
            self._handle.cancel()
        if error is not None:
            self._hang_up()
        elif self._connection is not None:
            self._connection.release()
        try:
            await self._deadline.__aexit__(type(error) if error else None, error, None)
        except TimeoutError as exc:
            raise self._timeout_error() from exc
        if error is not None and (failure := self._translate(error)) is not None:
            raise failure from _safe_cause(error)

    def _timeout_error(self) -> Timeout:
        limits, host = self._limits, self._target.host
        if self._loop.time() >= self._end:
            return Timeout(f"{host} did not finish within {limits.total_s:g} s (total limit).")
        if self._head is None:
            limit = f"{self._first_byte_s:g} s (first-byte limit)"
        else:
            limit = f"{limits.idle_s:g} s (idle limit)"
        return Timeout(f"{host}: {self._waits_for} did not arrive within {limit}.")

    def _translate(self, error: BaseException) -> ProviderError | None:
        """Return our error for a network error; None for our own, or for other errors."""
        if isinstance(error, BenchmakerError) or not isinstance(error, Exception):
            return None
        failure = _connection_error(error, self._target.host, self._limits)
        if failure is not None:
            failure.is_sent = self.is_reconnected
        elif isinstance(error, _NETWORK):
            failure = self._exchange_error(error)
        if failure is not None and self.is_reconnected:
            failure.flags = (*failure.flags, "reconnected")
        return failure

    def _exchange_error(self, error: Exception) -> ProviderError:
        host = self._target.host
        cause = error.__cause__
        if isinstance(error, HttpProcessingError) or isinstance(cause, ContentEncodingError):
            return BadResponse(f"{host} sent an invalid HTTP reply: {_reason(error)}.")
        if self._head is not None:
            return BadResponse(f"the reply of {host} was cut off: {_reason(error)}.")
        return ProviderError(
            f"{host} closed the connection without a reply: {_reason(error)}.", is_retryable=True
        )


def _connection_error(  # noqa: PLR0911  a table of cases
    error: Exception, host: str, limits: HttpLimits
) -> ProviderError | None:
    """Return the error that prevented a connection; None if it was made."""
    match error:
        case aiohttp.ConnectionTimeoutError():
            limit = f"{limits.connect_s:g} s (connect limit)"
            return Timeout(f"no connection to {host} within {limit}.")
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            hint = "Set SSL_CERT_FILE to the right certificates."
            return ProviderError(f"no secure connection to {host}: {_reason(error)}.", hint=hint)
        case aiohttp.ClientHttpProxyError():
            message = f"the proxy for {host} refused the connection (HTTP {error.status})."
            return ProviderError(message, status=error.status)
        case aiohttp.ClientProxyConnectionError():
            return ProviderError(f"no connection to the proxy for {host}.", is_retryable=True)
        case aiohttp.ClientConnectorDNSError():
            return ProviderError(f"host {host} not found.", is_retryable=True)
        case aiohttp.ClientConnectorError():
            message = f"no connection to {host} ({_os_reason(error.os_error)})."
            return ProviderError(message, hint="Check that it is running.", is_retryable=True)
        case _:
            return None


def _os_reason(error: OSError) -> str:
    """Return the system's word for the error number; asyncio puts an address in its place."""
    return os.strerror(error.errno).lower() if error.errno else _reason(error)


def _reason(error: BaseException) -> str:
    """Return one line, without addresses of objects and without the sent data."""
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "disconnected"
    if isinstance(error, (aiohttp.ClientResponseError, HttpProcessingError)):
        text = error.message
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error)
    line = " ".join(text.split())[:200]
    return line.rstrip(".") or type(error).__name__


def _safe_cause(error: BaseException) -> BaseException | None:
    """The cause to show: an error that carries the request's headers is left out."""
    has_headers: Any = getattr(error, "request_info", None)
    return error.__cause__ if has_headers is not None else error
