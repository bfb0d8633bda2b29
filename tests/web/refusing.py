"""A real server of this machine that answers, or refuses with HTTP 401 or 404, by its path."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

ANSWER = "Lima"
_REFUSALS = {"/locked": (401, "Incorrect API key provided."), "/wrong": (404, "No such model.")}


class Addresses(NamedTuple):
    """Four models: one answers, the others fail in different ways."""

    good: str
    locked: str
    wrong: str
    dead: str


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """One request for an answer."""
        self.rfile.read(int(self.headers["content-length"]))
        refused = next((it for path, it in _REFUSALS.items() if self.path.startswith(path)), None)
        if refused:
            self._send(refused[0], {"error": {"message": refused[1]}})
            return
        message = {"role": "assistant", "content": ANSWER}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 14}
        self._send(200, {"model": "m", "choices": [choice], "usage": usage})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def refusing() -> Iterator[Addresses]:
    """The names of the four models, until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}"
    try:
        yield Addresses(
            f"{base}/v1#good", f"{base}/locked/v1#gpt", f"{base}/wrong/v1#nope",
            f"http://127.0.0.1:{_free_port()}/v1#nobody",
        )  # fmt: skip
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port
