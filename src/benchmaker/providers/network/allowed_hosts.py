"""A proxy that connects to listed hosts only, for programs in a sandbox.

It understands ``CONNECT`` and plain HTTP requests with an absolute address, RFC 9110 section 9.3.6
and RFC 9112 section 3.2.2. A host is resolved once for a connection; the checked address is the one
that is connected to, so a name can't lead elsewhere afterwards. Redirects are the client's to
follow: each leads to another request, which is checked again.
"""

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from benchmaker.providers.network.egress import EgressPolicy, Resolve, resolve_host

_PORTS: Final = (443, 80)
"""The ports of a listed host without a port."""

_HEAD_BYTES: Final = 1 << 16
_HEAD_S: Final = 30.0
_CONNECT_S: Final = 20.0
_IDLE_S: Final = 300.0
_MOST_CONNECTIONS: Final = 128
_CHUNK: Final = 1 << 16
_DROPPED: Final = frozenset(
    {"host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "upgrade"}
)


class Denied(Exception):
    """A request that is not carried out: the status of the reply, and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """Listed hosts, such as ``own.example``, ``*.example.org`` and ``example.org:8443``.

    Addresses of private networks, of this machine and of metadata services are out of reach, even
    if a listed name resolves to them.
    """

    hosts: tuple[str, ...]
    policy: EgressPolicy = EgressPolicy.INTERNET
    resolve: Resolve = field(default=resolve_host, repr=False)

    def admits(self, host: str, port: int) -> bool:
        """True if the host is listed with this port.

        >>> AllowedHosts(("*.example.org",)).admits("a.example.org", 443)
        True
        >>> AllowedHosts(("example.org",)).admits("example.org.evil.net", 443)
        False
        """
        return any(_matches(entry, host, port) for entry in self.hosts)

    def addresses(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a host that may be connected to.

        Raises:
            Denied: the host is not listed, unknown, or has an address out of reach.
        """
        if not self.admits(host, port):
            raise Denied(403, f"{host}:{port} is not among the allowed hosts of the task.")
        try:
            found = list(self.resolve(host))
        except (OSError, UnicodeError) as exc:
            raise Denied(502, f"{host} can't be resolved.") from exc
        if not found or not all(map(self.policy.covers, found)):
            raise Denied(403, f"{host} has an address that can't be reached from a task.")
        return found


@contextmanager
def serve_allowed_hosts(allowed: AllowedHosts) -> Iterator[Path]:
    """Serve the proxy in a thread; yield its Unix socket, which every user may connect to."""
    folder = Path(tempfile.mkdtemp(prefix="bm-proxy-", dir="/tmp"))  # a short path
    folder.chmod(0o711)
    path = folder / "proxy"
    server = _Server(allowed, path)
    thread = threading.Thread(target=server.run, name="allowed-hosts", daemon=True)
    thread.start()
    try:
        server.ready.wait()
        if server.fault is not None:
            raise server.fault
        yield path
    finally:
        server.stop()
        thread.join()
        shutil.rmtree(folder, ignore_errors=True)


class _Server:
    """The loop of a proxy, in a thread of its own."""

    def __init__(self, allowed: AllowedHosts, path: Path) -> None:
        self._allowed, self._path = allowed, path
        self.ready = threading.Event()
        self.fault: OSError | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None

    def run(self) -> None:
        asyncio.run(self._serve())

    def stop(self) -> None:
        if self._loop is not None and self._ending is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._ending.set)

    async def _serve(self) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        self._slots = asyncio.Semaphore(_MOST_CONNECTIONS)
        self._tasks: set[asyncio.Task[None]] = set()
        try:
            server = await asyncio.start_unix_server(self._accept, self._path, limit=_HEAD_BYTES)
            self._path.chmod(0o666)
        except OSError as exc:
            self.fault = exc
            return
        finally:
            self.ready.set()
        await self._ending.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        async with self._slots:
            try:
                # a cancelled task ends here, since the streams of asyncio would log it as a fault
                with suppress(OSError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError):
                    await _Exchange(self._allowed, reader, writer).run()
            finally:
                writer.close()


@dataclass(slots=True)
class _Exchange:
    """One connection of a client."""

    allowed: AllowedHosts
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def run(self) -> None:
        try:
            async with asyncio.timeout(_HEAD_S):
                head = await self.reader.readuntil(b"\r\n\r\n")
            target = _Target.of(head)
            upstream = await self._connect(target)
        except Denied as exc:
            await self._deny(exc)
            return
        inward, outward = upstream
        try:
            first = b"HTTP/1.1 200 Connection established\r\n\r\n"
            if target.is_tunnel:
                self.writer.write(first)
            else:
                outward.write(target.request())
            await _carry_both((self.reader, outward), (inward, self.writer))
        finally:
            outward.close()

    async def _connect(
        self, target: "_Target"
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        found = await asyncio.to_thread(self.allowed.addresses, target.host, target.port)
        for address in found:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(_CONNECT_S):
                    return await asyncio.open_connection(address, target.port)
        raise Denied(502, f"{target.host}:{target.port} does not answer.")

    async def _deny(self, denied: Denied) -> None:
        body = f"{denied.reason}\n".encode()
        head = (
            f"HTTP/1.1 {denied.status} {'Forbidden' if denied.status == 403 else 'Refused'}\r\n"  # noqa: PLR2004  a status
            f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        async with asyncio.timeout(_HEAD_S):
            await self.writer.drain()


@dataclass(frozen=True, slots=True)
class _Target:
    """The target of a request, and the request as its host gets it."""

    host: str
    port: int
    is_tunnel: bool
    line: str = ""
    headers: tuple[str, ...] = ()

    @classmethod
    def of(cls, head: bytes) -> "_Target":
        """Read the head of a request.

        Raises:
            Denied: it is no request for a proxy.
        """
        first, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
        method, _, rest = first.partition(" ")
        url, _, version = rest.partition(" ")
        if version not in ("HTTP/1.1", "HTTP/1.0"):
            raise Denied(400, "this is no HTTP request.")
        if method == "CONNECT":
            host, port = _split(f"//{url}", None)
            return cls(host, port, is_tunnel=True)
        if not url.lower().startswith("http://"):
            raise Denied(400, "this proxy takes CONNECT, and http:// addresses.")
        host, port = _split(url, 80)
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        kept = tuple(it for it in lines if it.partition(":")[0].strip().lower() not in _DROPPED)
        return cls(host, port, is_tunnel=False, line=f"{method} {path} {version}", headers=kept)

    def request(self) -> bytes:
        """The head for the host itself; the connection serves one request."""
        name = self.host if self.port == 80 else f"{self.host}:{self.port}"  # noqa: PLR2004  of HTTP
        lines = (self.line, f"Host: {name}", *self.headers, "Connection: close", "", "")
        return "\r\n".join(lines).encode("latin-1")


def _split(url: str, default: int | None) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        port = default if parts.port is None else parts.port
    except ValueError as exc:
        raise Denied(400, "the address can't be read.") from exc
    if not host or port is None or parts.username is not None:
        raise Denied(400, "the address can't be read.")
    return host.lower(), port


def _matches(entry: str, host: str, port: int) -> bool:
    name, _, own_port = entry.partition(":")
    if port not in ((int(own_port),) if own_port else _PORTS):
        return False
    if not name.startswith("*."):
        return host == name
    return host.endswith(name[1:]) and not host.startswith(".")


_Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _carry_both(*pairs: _Pair) -> None:
    """Carry bytes in both directions until both have ended; a broken one ends the other."""
    try:
        async with asyncio.TaskGroup() as group:
            for reader, writer in pairs:
                group.create_task(_carry(reader, writer))
    except* OSError:
        pass


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        async with asyncio.timeout(_IDLE_S):
            data = await reader.read(_CHUNK)
        if not data:
            break
        writer.write(data)
        async with asyncio.timeout(_IDLE_S):
            await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
