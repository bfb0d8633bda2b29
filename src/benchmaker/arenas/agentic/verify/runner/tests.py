"""Starts the tests in another process, listens to it, and reports the verdict.

This process is sealed and never loads submitted code: nobody else can write to the verdict pipe. It
accepts a report only with the key given to the tests' process before any code under test was loaded
there, in order, each test once, and if a control test fails as required.
"""

import hashlib
import hmac
import importlib.util
import json
import math
import os
import resource
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_MOST = 8 << 20
_VERDICT = 700_000
_CHUNK = 1 << 16


class TestListener:
    """The credible messages of the tests' process."""

    def __init__(self, key: bytes, control: str) -> None:
        self._key = key
        self._control = control
        self._next = 0
        self._rest = b""
        self._total = 0
        self._fell: list[str] = []
        self.tests: list[dict[str, str]] = []
        self.begun = ""
        self.problem = ""
        self.missing = ""
        self.status: int | None = None

    def hear(self, chunk: bytes) -> None:
        """Read data from the pipe."""
        self._total += len(chunk)
        if self._total > _MOST:
            self.blame("more was reported than tests can tell")
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._line(line)

    def blame(self, problem: str) -> None:
        """Remember the first thing that was wrong."""
        self.problem = self.problem or problem

    def _line(self, line: bytes) -> None:
        given, _, body = line.partition(b" ")
        known = hmac.new(self._key, body, hashlib.sha256).hexdigest().encode()
        if not hmac.compare_digest(given, known):
            self.blame("a report was forged")
            return
        number, kind, fields = json.loads(body)
        if number != self._next:
            self.blame("reports are doubled or missing")
        self._next += 1
        self._take(kind, fields)

    def _take(self, kind: str, fields: dict[str, Any]) -> None:
        if kind == "begin":
            self.begun = fields["id"]
        elif kind == "test":
            self._test(fields)
        elif kind == "meddled":
            self.blame(fields["detail"])
        elif kind == "missing":
            self.missing = fields["detail"]
        elif kind == "end":
            self.status = fields["status"]

    def _test(self, fields: dict[str, str]) -> None:
        if fields["id"] == self.begun:
            self.begun = ""
        if self._control in fields["id"]:
            self._fell.append(fields["state"])
        else:
            self.tests.append(fields)

    def close(self, how: str) -> None:
        """Finish the stream."""
        if self.missing:
            return
        if self.status is None:
            self.blame(f"the process that ran the tests {how}")
        elif self.tests and self._fell != ["failed"] and not self._only_uncollected():
            self.blame("a test that must fail did not fail")

    def _only_uncollected(self) -> bool:
        """Return True if nothing was collected, so that there is no test for the control."""
        return not self._fell and all(one["state"] != "passed" for one in self.tests)

    def verdict(self) -> bytes:
        """Return all results as JSON, with details truncated if there are too many."""
        text = b""
        for room in (800, 200, 0):
            tests = [{**one, "detail": one["detail"][-room:] if room else ""} for one in self.tests]
            words = {"tests": tests, "problem": self.problem, "missing": self.missing}
            text = json.dumps({**words, "begun": self.begun}).encode()
            if len(text) < _VERDICT:
                break
        return text


def main() -> None:
    """Execute the plan on stdin."""
    spec = importlib.util.spec_from_file_location("sealing", sys.argv[1])
    if spec is None or spec.loader is None:
        raise ImportError(sys.argv[1])
    sealing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sealing)
    fd = sealing.seal()
    plan = json.load(sys.stdin.buffer)
    verdict = memoryview(_run_worker(plan).verdict())
    while verdict:
        verdict = verdict[os.write(fd, verdict) :]


def _run_worker(plan: dict[str, Any]) -> TestListener:
    key, control = os.urandom(32), f"test_{os.urandom(8).hex()}"
    read, write = os.pipe()
    worker = Path(__file__).with_name(f"{plan['framework']}_worker.py")
    process = subprocess.Popen(  # noqa: S603  our own interpreter and our own file
        [sys.executable, "-I", "-B", str(worker)],
        stdin=subprocess.PIPE,
        pass_fds=(write,),
        env=_environment(),
        start_new_session=True,
    )
    os.close(write)
    words = {**plan, "fd": write, "key": key.hex(), "control": control}
    if process.stdin is not None:
        with suppress(OSError), process.stdin as stdin:
            stdin.write(json.dumps(words).encode() + b"\n")
    hard_s = resource.getrlimit(resource.RLIMIT_CPU)[1]  # that of the sandbox
    cpu_s = min(math.ceil(plan["cpu_s"]), hard_s)
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (cpu_s, hard_s))
    hearing = TestListener(key, control)
    how = _listen(process, read, hearing, time.monotonic() + plan["wall_s"])
    hearing.close(how)
    return hearing


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG")}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def _listen(
    process: "subprocess.Popen[bytes]", read: int, hearing: TestListener, deadline: float
) -> str:
    """Hear the process to its end; how it ended, in words."""
    ended = os.pidfd_open(process.pid)
    os.set_blocking(read, False)  # a function of os
    while True:
        left = deadline - time.monotonic()
        ready = select.select([read, ended], [], [], max(0.0, left))[0]
        if read in ready and not _drain(read, hearing) and ended not in ready:
            select.select([ended], [], [], max(0.0, left))
        if ended in ready or process.poll() is not None:
            _drain(read, hearing)
            status = process.wait()
            return f"ended with status {status}" if status >= 0 else _signal_text(-status)
        if left <= 0:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            return "was not finished in time"


def _drain(read: int, hearing: TestListener) -> bool:
    """True if more data may follow."""
    while True:
        try:
            chunk = os.read(read, _CHUNK)
        except BlockingIOError:
            return True
        if not chunk:
            return False
        hearing.hear(chunk)


def _signal_text(number: int) -> str:
    if number == signal.SIGXCPU:
        return "used up its processor time"
    return f"was ended by signal {number}"


if __name__ == "__main__":
    main()
