"""Starts the server in a process of its own and asks it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path.cwd()


class Served:
    """A server on a port of its own, with a file of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name, "shelf.json")
        self.process = None

    def start(self):
        self.port = free_port()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-B",
                str(ROOT / "server.py"),
                "--port",
                str(self.port),
                "--data",
                str(self.file),
            ],
            cwd=self.folder.name,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.02)
        self.stop()
        raise AssertionError("the server does not listen")

    def stop(self):
        """Kill it, without a chance to tidy up."""
        if self.process is not None:
            if self.process.poll() is None:
                os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def close(self):
        self.stop()
        self.folder.cleanup()

    def ask(self, method, path, body=None, *, raw=None):
        """Status, body read as JSON (None when there is none) and headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None, answer.headers
        except (OSError, ValueError, http.client.HTTPException) as wrong:
            raise AssertionError(f"{method} {path}: {wrong!r}") from wrong
        finally:
            connection.close()

    def add(self, number, **fields):
        """Keep a bookmark; its id comes back."""
        given = {"url": f"https://example.org/{number}", "title": f"Page {number}", **fields}
        status, made, _ = self.ask("POST", "/bookmarks", given)
        if status != 201:
            raise AssertionError(f"status {status}: {made}")
        return made["id"]


class WithServer(unittest.TestCase):
    def setUp(self):
        self.server = Served()
        self.addCleanup(self.server.close)
        self.server.start()
        self.ask, self.add = self.server.ask, self.server.add


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
