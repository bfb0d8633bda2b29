"""A model server that answers by the last marker in a prompt, such as ``[plain-3]``."""

import json
import math
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MARKER = re.compile(r"\[([\w]+-\d+)\]")


@dataclass(slots=True)
class Served:
    """The base URL of a server, and the bodies of the requests to it."""

    url: str
    bodies: list[dict] = field(default_factory=list)


@contextmanager
def serving(answers: Mapping[str, str]) -> Iterator[Served]:
    """Serve the chat completions API with these answers."""
    served = Served("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name that the base class calls
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.bodies.append(body)
            data = json.dumps(_reply(body, answers)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield served
    finally:
        server.shutdown()


def _reply(body: dict, answers: Mapping[str, str]) -> dict:
    prompt = "\n".join(str(one["content"]) for one in body["messages"])
    markers = MARKER.findall(prompt)
    text = cut(answers.get(markers[-1], "") if markers else "", body.get("stop"))
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    if body.get("logprobs") and text:
        choice["logprobs"] = {"content": [_token(text)]}
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [choice], "usage": usage}  # fmt: skip


def _token(text: str) -> dict:
    """The first token, of which the text's own letter is the likeliest of all letters."""
    shares = {letter: 0.9 if letter == text else 0.02 for letter in "ABCD"}
    top = [{"token": it, "logprob": math.log(share), "bytes": None} for it, share in shares.items()]
    return {"token": text, "logprob": math.log(0.9), "bytes": None, "top_logprobs": top}


def cut(text: str, stop: object) -> str:
    """The text before the first of the stops."""
    stops = [stop] if isinstance(stop, str) else stop or []
    places = [text.find(it) for it in stops if it and it in text]
    return text[: min(places)] if places else text
