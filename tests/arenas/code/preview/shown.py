"""A preview host of a few lines, and answers as models write them."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from benchmaker.arenas.code.preview import SANDBOX, VENDOR, Bundle, preview_headers, vendored_file

AROUND = f"""<!doctype html>
<script>heard = []; onmessage = (event) => heard.push(event.data)</script>
<iframe sandbox="{SANDBOX}" src="/p/"></iframe>
"""
"""The page of an app with a preview in it."""


def found(bundle: Bundle, path: str) -> tuple[str, bytes] | None:
    """What a preview host answers under an address below its own."""
    if path == "/":
        return "text/html; charset=utf-8", AROUND.encode()
    if path == "/p/":
        return "text/html; charset=utf-8", bundle.document.encode()
    if path.startswith(VENDOR):
        try:
            return vendored_file(path.removeprefix(VENDOR))
        except KeyError:
            return None
    return bundle.files.get(path.removeprefix("/p/"))


@contextmanager
def hosting(bundle: Bundle) -> Iterator[str]:
    """A host for one bundle; gives the address of its document."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answer = found(bundle, self.path.partition("?")[0])
            origin = f"http://127.0.0.1:{self.server.server_address[1]}"
            self.send_response(200 if answer else 404)
            headers = {} if self.path == "/" else preview_headers(origin, origin)
            for name, value in headers.items():
                self.send_header(name, value)
            kind, body = answer or ("text/plain", b"")
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/p/"
    finally:
        server.shutdown()
        server.server_close()
