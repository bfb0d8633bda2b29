"""Results of tests from any framework."""

from dataclasses import dataclass
from typing import Literal

from benchmaker.arenas.agentic.verify.finding import Finding, fail_with, join_some, pass_with, tail
from benchmaker.spec.tasks.criterion import TestsPass

TestState = Literal["passed", "failed", "error", "skipped"]
_GOOD = "passed"
_SHOWN = 4
_DETAIL = 350


class BadReport(Exception):
    """An unreadable report, with the reason."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test: its id, its aliases, its state, and its message.

    An expected failure, or an unexpected pass, counts as skipped.
    """

    __test__ = False

    id: str
    state: TestState
    detail: str = ""
    alias: str = ""

    def is_called(self, name: str) -> bool:
        """True if a name refers to this test, or to one of its parameters."""
        return name in (self.id, self.alias) or self.id.startswith(f"{name}[")


def finding_of_tests(
    tests: list[TestCase], criterion: TestsPass, *, expected: tuple[str, ...] = ()
) -> Finding:
    """Return the finding for the results of tests.

    ``expected`` are the tests in the task's own files. Without ``tests`` in the criterion,
    each of them must have been run and every test must have passed; a skipped one did not. With
    ``tests``, those must have passed, and no other may have failed.
    """
    bad = [one for one in tests if one.state in ("failed", "error")]
    if bad:
        detail = "\n".join(f"{one.id}: {tail(one.detail, _DETAIL)}" for one in bad[:_SHOWN])
        return fail_with(
            f"{_state_counts(tests)}. Not passed: {join_some([one.id for one in bad])}\n{detail}"
        )
    wanted = criterion.tests or expected
    absent = [name for name in wanted if not any(one.is_called(name) for one in tests)]
    if absent:
        return fail_with(f"{_state_counts(tests)}. Not run: {join_some(list(absent))}")
    skipped = [one for one in tests if one.state == "skipped" and _counts_for(one, criterion)]
    if skipped:
        names = join_some([f"{one.id} ({one.detail})" for one in skipped])
        return fail_with(f"{_state_counts(tests)}. Skipped tests do not count as passed: {names}")
    count = len({one.id for one in tests if one.state == _GOOD})
    if count < criterion.at_least:
        return fail_with(f"{_state_counts(tests)}; at least {criterion.at_least} must pass")
    return pass_with(_state_counts(tests))


def _counts_for(one: TestCase, criterion: TestsPass) -> bool:
    return not criterion.tests or any(one.is_called(name) for name in criterion.tests)


def _state_counts(tests: list[TestCase]) -> str:
    count = {state: sum(one.state == state for one in tests) for state in _STATES}
    counts = [f"{number} {state}" for state, number in count.items() if number]
    return ", ".join(counts) or "no tests were run"


_STATES = ("passed", "failed", "error", "skipped")
