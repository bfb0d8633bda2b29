"""A proxy that keeps every byte between a browser and a server: what a person could see of it."""

import re
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_HOP = re.compile(rb"^(?:proxy-connection|connection|accept-encoding|keep-alive):", re.IGNORECASE)
_LENGTH = re.compile(rb"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)
_BLOCK = 65_536


class Wiretap:
    """The requests and answers since the last call of :meth:`clear`, without bodies of requests.

    Who sends a form knows what is in it.
    """

    def __init__(self) -> None:
        self.address = ""
        self._kept: list[bytes] = []
        self._lock = threading.Lock()

    def keep(self, data: bytes) -> None:
        """Add what went over the wire."""
        with self._lock:
            self._kept.append(data)

    def clear(self) -> None:
        """Forget everything so far."""
        with self._lock:
            self._kept.clear()

    @property
    def text(self) -> str:
        """Everything, each exchange after the other; bytes that are no text are replaced."""
        with self._lock:
            return b"".join(self._kept).decode("utf-8", "replace")


class _Exchange(socketserver.StreamRequestHandler):
    """One request and its answer; the connection ends with them."""

    def handle(self) -> None:
        with suppress(OSError):
            self._pass_on(self.server.tap)  # type: ignore[attr-defined]

    def _pass_on(self, tap: Wiretap) -> None:
        lines = list(iter(self.rfile.readline, b"\r\n"))
        if not lines or b"" in lines:
            return
        method, target, version = lines[0].split(b" ", 2)
        parts = urlsplit(target.decode("ascii"))
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}".encode()
        fields = [line for line in lines[1:] if not _HOP.match(line)]
        head = b" ".join((method, path, version)) + b"".join(fields)
        length = _LENGTH.search(head)
        body = self.rfile.read(int(length[1])) if length else b""
        tap.keep(head)
        with socket.create_connection(("127.0.0.1", parts.port or 80)) as server:
            server.sendall(head + b"Connection: close\r\n\r\n" + body)
            while block := server.recv(_BLOCK):
                tap.keep(block)
                self.wfile.write(block)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 100


@contextmanager
def wiretap() -> Iterator[Wiretap]:
    """A proxy for plain requests to this machine, until the end of the block."""
    tap = Wiretap()
    with _Server(("127.0.0.1", 0), _Exchange) as server:
        server.tap = tap  # type: ignore[attr-defined]
        tap.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield tap
        finally:
            server.shutdown()
            thread.join()
