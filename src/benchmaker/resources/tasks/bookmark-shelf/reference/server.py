"""Keeps bookmarks: ``python3 server.py --port PORT --data FILE``."""

import argparse
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

MOST_BYTES = 65_536
TAG = re.compile(r"[a-z0-9-]{1,30}")
ONE = re.compile(r"/bookmarks/([1-9][0-9]{0,17})")


class Answer(Exception):
    """An answer that ends a request early: status, body, headers."""

    def __init__(self, status, body=None, **headers):
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers


class Shelf:
    """The bookmarks, in memory and in a file that is always whole."""

    def __init__(self, path):
        self.path = Path(path)
        self.lock = threading.Lock()
        self.next_id, self.items = 1, {}
        if self.path.exists():
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            self.next_id = kept["next_id"]
            self.items = {one["id"]: one for one in kept["items"]}

    def save(self):
        kept = {"next_id": self.next_id, "items": list(self.items.values())}
        beside = self.path.with_name(self.path.name + ".new")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(beside, self.path)

    def find(self, number):
        if number not in self.items:
            raise Answer(404, {"error": f"there is no bookmark {number}"})
        return self.items[number]

    def refuse_twice(self, url, but=None):
        for one in self.items.values():
            if one["url"] == url and one["id"] != but:
                raise Answer(409, {"error": "this url is kept already", "id": one["id"]})

    def add(self, fields):
        with self.lock:
            self.refuse_twice(fields["url"])
            made = {"id": self.next_id, **fields}
            self.items[self.next_id] = made
            self.next_id += 1
            self.save()
            return made

    def change(self, number, fields):
        with self.lock:
            old = self.find(number)
            if "url" in fields:
                self.refuse_twice(fields["url"], but=number)
            self.items[number] = {**old, **fields}
            self.save()
            return self.items[number]

    def remove(self, number):
        with self.lock:
            self.find(number)
            del self.items[number]
            self.save()

    def page(self, tag, text, page, per_page):
        with self.lock:
            newest = sorted(self.items.values(), key=lambda one: -one["id"])
        found = [one for one in newest if tag is None or tag in one["tags"]]
        if text:
            found = [one for one in found if text in f"{one['title']}\n{one['url']}".casefold()]
        start = (page - 1) * per_page
        return {
            "items": found[start : start + per_page],
            "page": page,
            "per_page": per_page,
            "total": len(found),
            "pages": -(-len(found) // per_page),
        }


def url_of(value):
    if not isinstance(value, str) or len(value) > 2000 or re.search(r"\s", value):
        return None
    try:
        parts = urlsplit(value)
    except ValueError:
        return None
    return value if parts.scheme in ("http", "https") and parts.hostname else None


def title_of(value):
    if not isinstance(value, str) or not 1 <= len(value.strip()) <= 200:
        return None
    return value.strip()


def tags_of(value):
    if not isinstance(value, list) or len(value) > 10:
        return None
    if not all(isinstance(one, str) and TAG.fullmatch(one) for one in value):
        return None
    return sorted(set(value))


FIELDS = {
    "url": (url_of, "an address that begins with http:// or https://, of at most 2000 characters"),
    "title": (title_of, "a text of 1 to 200 characters"),
    "tags": (tags_of, "a list of at most 10 words of a-z, 0-9 and -, of at most 30 characters"),
}


def checked(given, needed):
    """The fields of a request, put in order; 422 with a message for each that is wrong."""
    errors = {name: "there is no such field" for name in given if name not in FIELDS}
    errors |= {name: "this is needed" for name in needed if name not in given}
    fields = {}
    for name, (read, words) in FIELDS.items():
        if name in given:
            fields[name] = read(given[name])
            if fields[name] is None:
                errors[name] = f"this must be {words}"
    if errors:
        raise Answer(422, {"errors": errors})
    return fields


def whole(query, name, otherwise, most):
    text = query.get(name, [str(otherwise)])[-1]
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        return None
    return int(text)


def page_of(shelf, query):
    wanted = {"page": whole(query, "page", 1, 10**9), "per_page": whole(query, "per_page", 20, 100)}
    errors = {name: "this is out of bounds" for name, value in wanted.items() if value is None}
    known = ("page", "per_page", "tag", "q")
    errors |= {name: "there is no such parameter" for name in query if name not in known}
    if errors:
        raise Answer(422, {"errors": errors})
    text = query.get("q", [""])[-1].casefold()
    return shelf.page(query.get("tag", [None])[-1], text, **wanted)


class Handler(BaseHTTPRequestHandler):
    """Finds who answers, and speaks JSON."""

    protocol_version = "HTTP/1.1"
    timeout = 30

    def handle_any(self):
        try:
            status, body, headers = self.routed()
        except Answer as answer:
            status, body, headers = answer.status, answer.body, answer.headers
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        if self.command != "GET" and status >= 400:  # a body may be left unread
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_any

    def routed(self):
        parts = urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True)
        if parts.path == "/health":
            return self.choose({"GET": self.health})
        if parts.path == "/bookmarks":
            return self.choose({"GET": lambda: self.list(query), "POST": self.post})
        if found := ONE.fullmatch(parts.path):
            number = int(found[1])
            return self.choose(
                {
                    "DELETE": lambda: self.delete(number),
                    "GET": lambda: (200, self.server.shelf.find(number), {}),
                    "PATCH": lambda: self.patch(number),
                }
            )
        raise Answer(404, {"error": "there is nothing here"})

    def choose(self, by_method):
        if self.command not in by_method:
            allowed = ", ".join(sorted(by_method))
            raise Answer(405, {"error": f"only {allowed}"}, Allow=allowed)
        return by_method[self.command]()

    def health(self):
        return 200, {"status": "ok", "bookmarks": len(self.server.shelf.items)}, {}

    def list(self, query):
        return 200, page_of(self.server.shelf, query), {}

    def post(self):
        fields = {"tags": [], **checked(self.body(), ("url", "title"))}
        made = self.server.shelf.add({name: fields[name] for name in FIELDS})
        return 201, made, {"Location": f"/bookmarks/{made['id']}"}

    def patch(self, number):
        given = self.body()
        self.server.shelf.find(number)
        return 200, self.server.shelf.change(number, checked(given, ())), {}

    def delete(self, number):
        self.server.shelf.remove(number)
        return 204, None, {}

    def body(self):
        length = self.headers.get("Content-Length")
        if length is None:
            raise Answer(411, {"error": "say how long the body is"})
        if not re.fullmatch(r"[0-9]{1,18}", length):
            raise Answer(400, {"error": "the length is no number"})
        if int(length) > MOST_BYTES:
            raise Answer(413, {"error": f"at most {MOST_BYTES} bytes"})
        try:
            given = json.loads(self.rfile.read(int(length)).decode("utf-8"))
        except (ValueError, RecursionError):
            raise Answer(400, {"error": "this is no JSON"}) from None
        if not isinstance(given, dict):
            raise Answer(400, {"error": "an object is wanted"})
        return given

    def log_message(self, *_words):
        """Stay silent."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", required=True)
    given = parser.parse_args()
    server = Server(("127.0.0.1", given.port), Handler)
    server.shelf = Shelf(given.data)
    server.serve_forever()


if __name__ == "__main__":
    main()
