"""Starts the stand-in for a provider in a process of its own, and asks what it saw."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Saw:
    """What the server saw; times are seconds of the system's monotonic clock."""

    requests: int
    most_in_flight: int
    first_at: float
    last_at: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    url: str

    @property
    def base_url(self) -> str:
        """What goes before ``/chat/completions``."""
        return f"{self.url}/v1"

    def forget(self) -> None:
        """Count anew."""
        _open(f"{self.url}/forget", data=b"").close()

    def saw(self) -> Saw:
        """What came in since it last forgot."""
        with _open(f"{self.url}/seen") as reply:
            return Saw(**json.load(reply))


@contextmanager
def served() -> Iterator[Server]:
    """A server while the block runs."""
    script = Path(__file__).with_name("stand_in.py")
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None  # noqa: S101  a pipe was asked for
        url = process.stdout.readline().decode().strip()
        yield Server(url)


def _open(url: str, data: bytes | None = None):
    """A GET, or a POST of the data, past any proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, data)
