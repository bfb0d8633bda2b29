"""A real local server of embeddings: a vector for each text by a rule, every request counted."""

import hashlib
import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "openai/embed"
DIMENSIONS = 12
KEY = "sk-proj-embeddings-0123456789"
PRICES = "prices:\n  openai/embed: {input: 2.0, output: 0.0}\n"


def vector(text, dimensions=DIMENSIONS):
    """The sum of a vector for each word, so that texts with common words are similar."""
    total = [0.0] * dimensions
    for word in text.split() or [""]:
        digest = hashlib.sha512(word.encode("utf-8", "surrogatepass")).digest()
        for at in range(dimensions):
            total[at] += digest[at] / 255 - 0.3
    return total


def tokens(texts):
    """The tokens of texts: their words."""
    return sum(len(text.split()) for text in texts)


def reply_to(body):
    """The usual reply, its embeddings in reverse order."""
    texts = body["input"]
    number = body.get("dimensions") or DIMENSIONS
    data = [
        {"object": "embedding", "index": at, "embedding": vector(text, number)}
        for at, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": tokens(texts), "total_tokens": tokens(texts)}
    return {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage}


class EmbeddingServer:
    """Serves on a free port; ``bodies`` are the requests, ``reply`` makes (status, JSON) of one."""

    def __init__(self, reply=None, *, latency_s=0.0):
        self.reply = reply or (lambda body: (200, reply_to(body)))
        self.latency_s = latency_s
        self.bodies = []
        self.answered = []
        self.paths = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def environ(self):
        return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": self.url}

    @property
    def texts(self):
        """How often each text was answered."""
        return Counter(text for body in self.answered for text in body["input"])

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(outer):  # noqa: N805  the handler's own self is another
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._lock:
                    outer.bodies.append(body)
                    outer.paths.append(self.path)
                time.sleep(outer.latency_s)
                status, made = outer.reply(body)
                data = made if isinstance(made, bytes) else json.dumps(made).encode()
                with outer._lock:
                    outer.answered += [body] if status == 200 else []
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        return Handler
