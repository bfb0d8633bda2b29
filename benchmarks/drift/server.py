"""A model that answers by a script, in all four forms of wire; it keeps what it sent.

Which answer comes next is seen from the request alone: the one after as many calls as have
results in it. So retries, streams that are asked for again and requests beside the conversation
change nothing. A request that offers none of the tools that the script calls is such a one.
"""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from drift.chat import Chat
from drift.generate import Generate
from drift.messages import Messages
from drift.responses import Responses
from drift.script import ASIDE, TURNS, Call, Reply, Tokens, Turn
from drift.wire import Body, Wire

WIRES: tuple[Wire, ...] = (Chat(), Responses(), Messages(), Generate())
COMMAND = "{command}"
"""What stands for the command in the arguments of a call."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One answer that was sent; ``turn`` is its place in the script, None where beside it."""

    turn: int | None
    model: str
    tokens: Tokens
    call: str = ""


@dataclass(slots=True)
class Scripted:
    """The model: a script, and how to call the tools that a request may offer.

    ``calls`` are the arguments by the name of the tool, the command in them as ``{command}``; the
    first that is offered is called. Without any, the first answer of the script is the only one.
    """

    turns: Sequence[Turn] = TURNS
    calls: Mapping[str, Any] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    offers: list[list[str]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, wire: Wire, body: Body, model: str) -> Reply:
        """The next answer, noted as sent."""
        offered, results = wire.offered(body), wire.results(body)
        name = next((it for it in self.calls if it in offered), "")
        with self._lock:
            is_aside = bool(self.calls) and not name
            at = None if is_aside else min(len(results), len(self.turns) - 1)
            number = len(self.sent) + 1
            turn = ASIDE if at is None else self.turns[at]
            call = Call(f"call_drift_{number:06}", name, self._filled(name, turn))
            is_call = bool(name and turn.command)
            self.sent.append(Sent(at, model, wire.counted(turn.tokens), name if is_call else ""))
            self.offers.append(offered)
            if len(results) > len(self.returned):
                self.returned = results
        return Reply(number, model, turn, call if is_call else None)

    def _filled(self, name: str, turn: Turn) -> dict[str, Any]:
        def filled(value: object) -> Any:
            if isinstance(value, str):
                return value.replace(COMMAND, turn.command)
            return [filled(it) for it in value] if isinstance(value, list) else value

        return {key: filled(value) for key, value in self.calls.get(name, {}).items()}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ClassVar[Scripted]

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer what models there are, whatever else is asked."""
        path = self.path.partition("?")[0]
        if not path.rstrip("/").endswith("/models"):
            self.model.unknown.append(f"GET {path}")
        one = {"id": "scripted", "object": "model", "created": 0, "owned_by": "drift"}
        self._whole({"object": "list", "data": [one], "models": []})

    def do_POST(self) -> None:
        """Answer by the script."""
        body = json.loads(self._content() or b"{}")
        path = self.path.partition("?")[0]
        wire = next((it for it in WIRES if it.takes(path)), None)
        if wire is None:
            self._other(path)
            return
        model = body.get("model") or path.rpartition("/")[2].partition(":")[0]
        reply = self.model.reply(wire, body, model)
        if wire.is_streamed(path, body):
            self._stream(wire.pieces(reply), has_end=isinstance(wire, Chat))
        else:
            self._whole(wire.whole(reply))

    def _content(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _other(self, path: str) -> None:
        """Count tokens where that is asked; note what is not known here."""
        if path.endswith(("count_tokens", ":countTokens")):
            self._whole({"input_tokens": 1000, "totalTokens": 1000})
            return
        self.model.unknown.append(f"POST {path}")
        self._whole({"error": {"message": "not scripted", "type": "not_found"}}, status=404)

    def _whole(self, body: Body, status: int = 200) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, pieces: Iterable[Body], *, has_end: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in pieces:
            name = f"event: {piece['type']}\n" if "type" in piece else ""
            self.wfile.write(f"{name}data: {json.dumps(piece)}\n\n".encode())
            self.wfile.flush()
        if has_end:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


@contextmanager
def served(model: Scripted, port: int = 0) -> Iterator[str]:
    """Serve the model on this machine alone, and give its address."""
    handler = type("Handler", (_Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
