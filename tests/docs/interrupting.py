"""``timeout`` as pages use it: the signal comes at a set trial, however slow the machine.

``timeout --foreground --preserve-status --signal NAME SECONDS COMMAND…``: the seconds are what a
reader's machine takes, and are not waited for here. The command reaches the provider of
``OPENAI_BASE_URL`` through a gate that holds back every request after the first :data:`TRIALS`.
The signal is sent when those are stored and ``--concurrency`` requests are held; then the gate
opens. So the command ends with :data:`TRIALS` plus ``--concurrency`` trials.
"""

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

TRIALS = 24
"""Four runs of six cases; the fifth has room for a ``--concurrency`` of up to six."""
_LOOK_S = 0.05
_SNAPSHOT_S = 2.0
"""Longer than the interval of the progress, which knows the requests in flight from then on."""
_VARIABLE = "OPENAI_BASE_URL"


class Gate(ThreadingHTTPServer):
    """Passes requests on to ``provider``, a host with its port, as long as it is open."""

    daemon_threads = True

    def __init__(self, provider: str) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.provider = provider
        self.opened = threading.Event()
        self.arrived = 0
        self._counting = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def held(self) -> int:
        """How many requests have come after those that pass."""
        return self.arrived - TRIALS

    def admit(self) -> None:
        """Count a request, and wait until it may pass."""
        with self._counting:
            self.arrived += 1
            is_early = self.arrived <= TRIALS
        if not is_early:
            self.opened.wait()


class _Request(BaseHTTPRequestHandler):
    server: Gate

    def do_POST(self) -> None:
        """Pass it on, and the whole reply back."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.admit()
        with closing(HTTPConnection(self.server.provider)) as line:
            line.request("POST", self.path, body, dict(self.headers.items()))
            reply = line.getresponse()
            text = reply.read()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.headers["Content-Type"])
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def main() -> int:
    """Run the command, send it the signal while the gate is closed, return its status."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--foreground", action="store_true")
    reader.add_argument("--preserve-status", action="store_true")
    reader.add_argument("--signal", required=True)
    reader.add_argument("seconds", type=float)
    reader.add_argument("command", nargs=argparse.REMAINDER)
    given = reader.parse_args()
    concurrency = int(given.command[given.command.index("--concurrency") + 1])
    provider = urlsplit(_provider())
    gate = Gate(provider.netloc)
    url = f"http://127.0.0.1:{gate.server_port}{provider.path}"
    wanted = _stored() + TRIALS
    program = subprocess.Popen(given.command, env={**os.environ, _VARIABLE: url})
    while program.poll() is None and (gate.held < concurrency or _stored() < wanted):
        time.sleep(_LOOK_S)
    if program.poll() is None:
        time.sleep(_SNAPSHOT_S)
        program.send_signal(getattr(signal, f"SIG{given.signal}"))
        time.sleep(_LOOK_S)
    gate.opened.set()
    return program.wait()


def _provider() -> str:
    """The address in the environment, or else in the file ``.env``."""
    found = os.environ.get(_VARIABLE)
    with suppress(FileNotFoundError):
        lines = Path(".env").read_text(encoding="utf-8").splitlines()
        found = found or dict(line.split("=", 1) for line in lines).get(_VARIABLE)
    if found is None:
        raise SystemExit(f"{_VARIABLE} is not set")
    return found


def _stored() -> int:
    """How many trials the data folder holds; 0 where there is none yet."""
    path = Path(os.environ["BENCHMAKER_HOME"]) / "benchmaker.db"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
            return int(store.execute("select count(*) from trials").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
