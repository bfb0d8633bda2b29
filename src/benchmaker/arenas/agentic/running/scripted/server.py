"""An HTTP server for the scripted model, on loopback or on a Unix socket."""

import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple, Protocol

from benchmaker.arenas.agentic.running.scripted.chat import Chat
from benchmaker.arenas.agentic.running.scripted.model import WIRES, Scripted
from benchmaker.arenas.agentic.running.scripted.script import ScriptedReply
from benchmaker.arenas.agentic.running.scripted.wire import Body, Wire


class Refusal(NamedTuple):
    """The status and the message for a request that gets no answer."""

    status: int
    message: str


class Gate(Protocol):
    """Decides on requests, and meters answers."""

    def admit(self, handler: "ScriptedHandler", wire: Wire) -> Refusal | None:
        """Return a refusal for a request that gets no answer."""
        ...

    def note(self, handler: "ScriptedHandler", wire: Wire, reply: ScriptedReply) -> None:
        """Meter an answer before its last byte is sent."""
        ...


class ScriptedHandler(BaseHTTPRequestHandler):
    """Answers requests of every wire by the script."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the second would wait for the peer's delayed ACK
    model: ClassVar[Scripted]
    gate: ClassVar[Gate | None] = None

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Answer any request with a list of models."""
        path = self.path.partition("?")[0]
        if not path.rstrip("/").endswith("/models"):
            self.model.unknown.append(f"GET {path}")
        one = {"id": "scripted", "object": "model", "created": 0, "owned_by": "script"}
        self._send_whole({"object": "list", "data": [one], "models": []})

    def do_POST(self) -> None:
        """Answer by the script."""
        body = json.loads(self._content() or b"{}")
        path = self.path.partition("?")[0]
        wire = next((it for it in WIRES if it.takes(path)), None)
        if wire is None:
            self._answer_other(path)
            return
        if self.gate is not None and (refusal := self.gate.admit(self, wire)):
            error = {"message": refusal.message, "type": "forbidden", "code": refusal.status}
            self._send_whole({"type": "error", "error": error}, status=refusal.status)
            return
        model = body.get("model") or path.rpartition("/")[2].partition(":")[0]
        reply = self.model.reply(wire, body, model)
        if wire.is_streamed(path, body):
            self._send_stream(wire, reply)
        else:
            self._note(wire, reply)
            self._send_whole(wire.whole(reply))

    def _note(self, wire: Wire, reply: ScriptedReply) -> None:
        if self.gate is not None:
            self.gate.note(self, wire, reply)

    def _content(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _answer_other(self, path: str) -> None:
        """Count tokens if requested; refuse and record any other request."""
        if path.endswith(("count_tokens", ":countTokens")):
            self._send_whole({"input_tokens": 1000, "totalTokens": 1000})
            return
        self.model.unknown.append(f"POST {path}")
        self._send_whole({"error": {"message": "not scripted", "type": "not_found"}}, status=404)

    def _send_whole(self, body: Body, status: int = 200) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _send_stream(self, wire: Wire, reply: ScriptedReply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        *before, last = _events(wire.pieces(reply), has_end=isinstance(wire, Chat))
        for event in before:
            self.wfile.write(event)
            self.wfile.flush()
        self._note(wire, reply)
        self.wfile.write(last)
        self.close_connection = True


def _events(pieces: Iterable[Body], *, has_end: bool) -> Iterator[bytes]:
    for piece in pieces:
        name = f"event: {piece['type']}\n" if "type" in piece else ""
        yield f"{name}data: {json.dumps(piece)}\n\n".encode()
    if has_end:
        yield b"data: [DONE]\n\n"


@contextmanager
def serve_model(model: Scripted, port: int = 0) -> Iterator[str]:
    """Serve the model on loopback, and yield its address."""
    handler = type("Handler", (ScriptedHandler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def running(server: Any) -> Iterator[None]:  # noqa: ANN401  a threading server of either kind
    """Run a server in a thread until the end of the block."""
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
