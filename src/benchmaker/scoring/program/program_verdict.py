"""The result of running the tests of a program."""

from dataclasses import dataclass, field
from typing import Any, Literal

from benchmaker.sandbox import CommandResult

State = Literal["passed", "failed", "undecided"]

_NAMES = 3
_FIRST_LINES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramVerdict:
    """The verdict on a program, with what it is based on.

    ``failures`` are names of tests with the first lines of their messages. ``exit_status`` is that
    of the program, None if it did not end before its tests. ``is_separated`` is true if the tests
    ran in a sandbox apart from the program, which then cannot forge the verdict. ``own_words``
    counts decisions of the program's own code, such as the equality of two objects of its classes.
    ``is_doubtful`` is true for a failure that may be the tests' own. ``is_waiting`` is true if a
    promise of the tests was not settled at their end. ``runs`` has the state and the
    reason of the run in one process, and of that in two.
    """

    state: State
    reason: str
    planned: int = 0
    passed: int = 0
    failures: tuple[tuple[str, str], ...] = field(default=())
    seconds: float | None = None
    exit_status: int | None = None
    is_separated: bool = False
    own_words: int = 0
    is_doubtful: bool = False
    is_waiting: bool = False
    runs: dict[str, dict[str, str]] = field(default_factory=dict)

    def to_detail(self) -> dict[str, Any]:
        """Return the fields of a score's ``detail``."""
        return {
            "tests": {
                "planned": self.planned,
                "passed": self.passed,
                "failed": max(self.planned - self.passed, len(self.failures)),
            },
            "failures": [{"test": name, "message": text} for name, text in self.failures],
            "seconds": self.seconds,
            "exit_status": self.exit_status,
            "isolation": "separate namespaces" if self.is_separated else "one namespace",
            "is_forgeable": not self.is_separated,
            "decided_by_program": self.own_words,
            **({"runs": self.runs} if self.runs else {}),
        }


def undecided_verdict(reason: str) -> ProgramVerdict:
    """Return that nothing can be said of the program, and why."""
    return ProgramVerdict(state="undecided", reason=reason)


def passed_reason(planned: int) -> str:
    """Say that all tests passed."""
    return "the test passed" if planned == 1 else f"all {planned} tests passed"


def failed_reason(planned: int, passed: int, failures: tuple[tuple[str, str], ...]) -> str:
    """Name the failed tests, with the first line of each message."""
    texts = [f"{name}: {message.splitlines()[0]}" for name, message in failures if message]
    named = "; ".join(texts[:_NAMES])[:_FIRST_LINES]
    more = f"; and {len(failures) - _NAMES} more" if len(failures) > _NAMES else ""
    tests = "test" if planned == 1 else "tests"
    counted = f"{max(planned - passed, len(failures))} of {planned} {tests} failed"
    return f"{counted}: {named}{more}" if named else counted


def describe_end(ended: CommandResult) -> str:
    """Say how a program ended: ``it exceeded the memory limit, with 641 MB in use``."""
    if ended.reason == "exited":
        return f"it ended with status {ended.exit_status}"
    limits = {
        "memory": "it exceeded the memory limit",
        "disk": "it exceeded the disk limit",
        "output": "it printed too much",
        "processes": "it started too many processes",
        "timeout": "it exceeded the time limit",
    }
    said = limits.get(ended.reason, "it was killed")
    if ended.reason == "memory" and ended.detail.endswith(" MB"):
        return f"{said}, with {ended.detail} in use"
    return f"{said} ({ended.detail})" if ended.detail and ended.reason != "output" else said


def is_machine_fault(ended: CommandResult) -> bool:
    """True if the machine, not the program, ended a command."""
    is_low = ended.reason == "memory" and "machine" in ended.detail
    return is_low or ended.reason == "not_started"
