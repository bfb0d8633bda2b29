"""Connections to hosts, kept for reuse, and the requests over them.

Connections, the response parser, proxies and encryption are aiohttp's; its session is not used. Its
work for each request (redirects, cookies, field names, a task for the body) is not needed here, and
takes more time than all the rest.
"""

import asyncio
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import NamedTuple

from benchmaker.providers.network import certificates
from benchmaker.providers.network.egress import EgressPolicy

with certificates.skip_default_certificates():
    import aiohttp
    from aiohttp.abc import ResolveResult
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.connector import Connection
    from aiohttp.http import RawResponseMessage
    from aiohttp.tracing import Trace
    from yarl import URL

Answer = tuple[RawResponseMessage, aiohttp.StreamReader]
"""The head of a reply, and its body as a stream."""

_UNFIT = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_REMEMBERED = 64
_SWITCHING = 101


class Target(NamedTuple):
    """The target of a request: address, host, proxy, and trusted certificates."""

    url: str
    host: str
    proxy: str | None
    trust: ssl.SSLContext | bool


class Pool:
    """The connections of one event loop: kept ones, and new ones for when a kept one was dead.

    None is made to an address beyond ``reach``.
    """

    def __init__(self, *, connect_s: float, reach: EgressPolicy = EgressPolicy.ANYTHING) -> None:
        self._reach = reach
        self._timeout = aiohttp.ClientTimeout(total=None, connect=connect_s)
        self._connectors: dict[bool, aiohttp.TCPConnector] = {}
        self._lines: dict[object, Line] = {}

    def line(
        self, target: Target, headers: Mapping[str, str], *, method: str, keep: bool = True
    ) -> "Line":
        """The way to a target; without ``keep``, over a connection for one request alone."""
        key = (target, method, keep, *headers.items())
        line = self._lines.get(key)
        if line is None:
            if len(self._lines) >= _REMEMBERED:
                self._lines.clear()
            connector = self._connector(keep=keep)
            line = Line(connector, target, headers, method=method, timeout=self._timeout)
            self._lines[key] = line
        return line

    async def close(self) -> None:
        """Close every connection."""
        for connector in self._connectors.values():
            await connector.close()

    def _connector(self, *, keep: bool) -> aiohttp.TCPConnector:
        connector = self._connectors.get(keep)
        if connector is None:
            connector = _Connector(limit=0, force_close=not keep, ttl_dns_cache=60)
            connector.reach = self._reach
            self._connectors[keep] = connector
        return connector


class NotSent(aiohttp.ClientConnectionResetError):
    """A kept connection was closed before anything of the request was sent."""


class Line:
    """The way to one target, with the head that every request over it begins with."""

    __slots__ = ("_connector", "_head", "_method", "_request", "_timeout")

    def __init__(
        self,
        connector: aiohttp.TCPConnector,
        target: Target,
        headers: Mapping[str, str],
        *,
        method: str,
        timeout: aiohttp.ClientTimeout,
    ) -> None:
        self._connector, self._timeout, self._method = connector, timeout, method
        self._request = aiohttp.ClientRequest(
            "GET",  # it is never sent; it tells aiohttp where to connect, and names the fields
            URL(target.url),
            headers=headers,
            proxy=URL(target.proxy) if target.proxy else None,
            ssl=target.trust,
            loop=asyncio.get_running_loop(),
        )
        self._head: bytes | None = None

    async def connect(self) -> Connection:
        """A connection, to be released or closed; see :func:`is_new`."""
        _is_new.set(False)
        try:
            return await self._connector.connect(self._request, [], self._timeout)
        except TimeoutError as exc:
            raise aiohttp.ConnectionTimeoutError from exc

    async def ask(
        self,
        connection: Connection,
        body: bytes | None,
        on_send: Callable[[], None] | None = None,
    ) -> Answer:
        """Send a request over a connection; the answer, once its head is there.

        ``on_send`` is called once the request is written.
        """
        protocol, transport = connection.protocol, connection.transport
        if protocol is None or transport is None or transport.is_closing():
            raise NotSent("closed before anything was sent")
        protocol.set_response_params(read_until_eof=True)
        transport.write(self._message(body))
        if on_send is not None:
            on_send()
        return await _answer(protocol)

    def _message(self, body: bytes | None) -> bytes:
        if self._head is None:  # what the proxy wants to know is there once it was connected to
            self._head = self._build_head()
        if body is None:
            return self._head + b"\r\n"
        return b"%bContent-Length: %d\r\n\r\n%b" % (self._head, len(body), body)

    def _build_head(self) -> bytes:
        request = self._request
        is_proxied = request.proxy is not None and not request.is_ssl()
        path = str(request.url) if is_proxied else request.url.raw_path_qs
        lines = [f"{self._method} {path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        if self._connector.force_close:
            lines.append("Connection: close")
        if any(map(_UNFIT.search, lines)):
            raise ValueError("the head of a request holds a control character")
        return "".join(f"{line}\r\n" for line in lines).encode()


def is_new() -> bool:
    """True if this task's latest connection is new."""
    return _is_new.get()


_is_new: ContextVar[bool] = ContextVar("is_new", default=False)


_is_to_proxy: ContextVar[bool] = ContextVar("is_to_proxy", default=False)


class _Connector(aiohttp.TCPConnector):
    """Notes when a connection is made, and makes none to an address that is out of reach.

    The addresses that are looked at are the very ones that are connected to, so that a name which
    gets another address meanwhile gains nothing.
    """

    reach = EgressPolicy.ANYTHING

    async def _create_connection(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109  aiohttp's own signature
    ) -> ResponseHandler:
        _is_new.set(True)
        _is_to_proxy.set(False)
        if self.reach.is_narrow and req.proxy is not None:
            await self._check_behind_proxy(req.url.raw_host or "", req.port or 0)
            _is_to_proxy.set(True)
        return await super()._create_connection(req, traces, timeout)

    async def _check_behind_proxy(self, host: str, port: int) -> None:
        """The proxy looks a name up itself; what can be known of it here is looked at before."""
        with suppress(OSError):
            await self._resolve_host(host, port)

    async def _resolve_host(
        self, host: str, port: int, traces: Sequence[Trace] | None = None
    ) -> list[ResolveResult]:
        found = await super()._resolve_host(host, port, traces)
        if not _is_to_proxy.get():
            self.reach.check(host, [one["host"] for one in found])
        return found


async def _answer(protocol: ResponseHandler) -> Answer:
    """Return the answer; informational responses before it are skipped."""
    while True:
        message, content = await protocol.read()
        if message.code >= 200 or message.code == _SWITCHING:  # noqa: PLR2004  the first that is final
            return message, content
