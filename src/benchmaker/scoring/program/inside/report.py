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
        self.seconds = 0.0
        self._began = time.monotonic()
        self._write, self._leave = os.write, os._exit

    def start_clock(self) -> None:
        """Start the time limit of the tests, which does not include the start of a framework."""
        self._began = time.monotonic()
        set_alarm(self, self.seconds)

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
        signal.setitimer(signal.ITIMER_REAL, 0)
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


def set_alarm(report: Report, seconds: float) -> None:
    """Report the tests so far when the time is over, wherever they are; 0 for never.

    A step of Python that takes for ever, such as one with a huge number, can't be interrupted: then
    the kernel ends the process, by processor time.
    """

    def stop(*_: object) -> NoReturn:
        report.end("timeout")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds and seconds + _SPARE_S)


def describe(exc: BaseException) -> str:
    """An exception in a line, with the place in the program if it has one."""
    try:
        text = str(exc)
    except Exception:  # noqa: BLE001  an exception of the program
        text = ""
    notes = [str(note) for note in getattr(exc, "__notes__", ())]
    found = [*notes, place_in_program(exc)]
    place = f" ({found[0]})" if found[0] else ""
    return f"{type(exc).__name__}: {text}".rstrip(": ")[:_MESSAGE] + place
