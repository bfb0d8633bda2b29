"""TAP, the Test Anything Protocol: a plan, and a line for each test."""

import re

from benchmaker.arenas.agentic.verify.frameworks.tests import BadReport, TestCase, TestState

_LINE = re.compile(r"(?P<failed>not )?ok\b(?: +(?P<number>\d+))?(?: *-)? *(?P<rest>.*)")
_PLAN = re.compile(r"1\.\.(?P<count>\d+)(?P<rest>.*)")
_DIRECTIVE = re.compile(r"(?<!\\)#\s*(?P<word>skip|todo)\S*\s*(?P<reason>.*)", re.IGNORECASE)


def read_tap(output: bytes) -> list[TestCase]:
    """The tests at the outermost level, by their descriptions.

    A test that is skipped or still to be done counts as skipped.

    Raises:
        BadReport: there is no plan, it is not kept, or the run bailed out.
    """
    tests: list[TestCase] = []
    planned: int | None = None
    for line in output.decode("utf-8", "replace").splitlines():
        if line.startswith("Bail out!"):
            raise BadReport(f"the run bailed out: {line[9:].strip()[:200]}")
        if plan := _PLAN.fullmatch(line.rstrip()):
            if planned is not None:
                raise BadReport("the plan is given twice")
            planned = int(plan["count"][:9])
        elif test := _LINE.fullmatch(line.rstrip()):
            tests.append(_test(test, len(tests) + 1))
    if planned is None:
        raise BadReport("there is no plan (1..N)")
    if planned != len(tests):
        raise BadReport(f"{planned} tests are planned and {len(tests)} reported")
    return tests


def _test(line: "re.Match[str]", number: int) -> TestCase:
    if line["number"] and int(line["number"][:9]) != number:
        raise BadReport(f"test {line['number'][:9]} stands where {number} is due")
    directive = _DIRECTIVE.search(line["rest"])
    words = line["rest"][: directive.start()] if directive else line["rest"]
    state: TestState = "failed" if line["failed"] else "passed"
    if directive:
        state = "skipped"
    return TestCase(words.strip() or str(number), state, directive["reason"] if directive else "")
