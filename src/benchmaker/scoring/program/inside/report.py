"""The results of tests, and the verdict that is made of them."""

import json
import os
import signal
import time
from types import ModuleType
from typing import NoReturn, Protocol

from benchmaker.scoring.program.inside.places import place_in_program

VERDICT = 3
STARTED = b"started\n"
"""Written before the verdict, when both processes have started."""

_MOST = 200
_MESSAGE = 1200
_SPARE_S = 1.0
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL)


class ProgramSide(Protocol):
    """The program as the report sees it, in this process or another."""

    problem: str
    unsendable: str
    own_words: int
    uses: int
    is_exact: bool

    def prepare(self, tests: ModuleType) -> None:
        """Make the program's names available to a module of tests."""

    def watch(self) -> None:
        """Count the next use of the program."""


class Report:
    """The results so far, and the verdict made of them."""

    def __init__(self) -> None:
        self.planned = 0
        self.passed = 0
        self.skipped = 0
        self.failures: list[list[str]] = []
        self.running = ""
        self.problem = ""
        self.client: ProgramSide | None = None
        self.hidden: list[str] = []
        self.is_checked = False
        self.is_doubtful = False
        self.seconds = self.wall_s = 0.0
        self._began = time.monotonic()
        self._write, self._leave = os.write, os._exit

    def start_clock(self) -> None:
        """Start the time limit of the tests, which does not include the start of a framework."""
        self._began = time.monotonic()
        set_alarm(self, self.seconds, self.wall_s)

    def add(self, name: str, failure: str | None) -> None:
        """Add the result of a test: the message of its failure, or None."""
        self.running = ""
        if failure is None:
            self.passed += 1
        elif len(self.failures) < _MOST:
            self.failures.append([name[:200], failure[:_MESSAGE]])

    def end_at(self, fault: str) -> None:
        """End the tests at a fault of their own.

        A program in this process may have caused it, so that it is only doubtful there.
        """
        if self.client is not None and self.client.is_exact:
            self.end(fault)
        self.is_doubtful = True

    def end(self, reason: str = "") -> NoReturn:
        """Write the verdict and end the process; ``reason`` says why tests were not finished."""
        for timer in _TIMERS:
            signal.setitimer(timer, 0)
        client = self.client
        verdict = {
            "planned": self.planned,
            "passed": self.passed,
            "skipped": self.skipped,
            "failures": self.failures,
            "running": self.running,
            "reason": reason,
            "problem": self.problem or (client.problem if client else ""),
            "unsendable": client.unsendable if client else "",
            "own_words": client.own_words if client else 0,
            "hidden": self.hidden,
            "is_checked": self.is_checked or bool(client and client.uses),
            "is_doubtful": self.is_doubtful,
            "seconds": round(time.monotonic() - self._began, 3),
        }
        text = memoryview(json.dumps(verdict).encode())
        while text:
            text = text[self._write(VERDICT, text) :]
        self._leave(0)


def set_alarm(report: Report, seconds: float, wall_s: float) -> None:
    """Report the tests so far when the time is over, wherever they are; 0 for never.

    ``seconds`` are of processor time, so that a busy machine makes no program late. ``wall_s`` ends
    one that waits; waiting for a processor does not count. A step of Python that takes for ever,
    such as one with a huge number, can't be interrupted: then the kernel ends the process.
    """
    began, queued = time.monotonic(), _queued_s()

    def stop(number: int, _: object) -> None:
        if number == signal.SIGPROF:
            report.end("timeout")
        left = wall_s + _queued_s() - queued - (time.monotonic() - began)
        if left <= _SPARE_S:
            report.end("wall")
        signal.setitimer(signal.ITIMER_REAL, left)

    signal.signal(signal.SIGPROF, stop)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_s)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds and seconds + _SPARE_S)


def _queued_s() -> float:
    """The seconds in which this thread waited for a processor; 0 where the system counts none."""
    try:
        with open("/proc/self/schedstat", "rb") as file:  # noqa: PTH123  pathlib may be replaced
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def describe(exc: BaseException) -> str:
    """An exception in a line, with the place in the program if it has one."""
    try:
        text = str(exc)
    except Exception:  # noqa: BLE001  an exception of the program
        text = ""
    notes = [str(note) for note in getattr(exc, "__notes__", ())]
    found = [*notes, place_in_program(exc)]
    place = f" ({found[0]})" if found[0] and f"({found[0]})" not in text else ""
    return f"{type(exc).__name__}: {text}".rstrip(": ")[:_MESSAGE] + place
