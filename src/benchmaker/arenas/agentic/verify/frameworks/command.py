"""Frameworks that are called by a command and write a report or print it."""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

import msgspec

from benchmaker.arenas.agentic.verify.criterion_context import (
    READ_BYTES,
    GradingContext,
    describe_exit,
    not_clean,
)
from benchmaker.arenas.agentic.verify.finding import Finding, error_with, fail_with
from benchmaker.arenas.agentic.verify.frameworks.tests import (
    BadReport,
    TestCase,
    TestState,
    finding_of_tests,
)
from benchmaker.sandbox import CommandResult, Outputs
from benchmaker.spec.tasks.criterion import TestsPass
from benchmaker.structs import resolve_type

_STATES: dict[str, TestState] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_DETAIL = 800


class _Event(msgspec.Struct):
    action: str = msgspec.field(name="Action")
    package: str = msgspec.field(name="Package", default="")
    test: str = msgspec.field(name="Test", default="")
    output: str = msgspec.field(name="Output", default="")


def read_go(output: bytes) -> list[TestCase]:
    """The tests, named ``package:TestName``; a package that does not build is an error.

    Raises:
        BadReport: a line is no event.
    """
    said: dict[tuple[str, str], str] = {}
    ended: dict[tuple[str, str], TestState] = {}
    for line in filter(None, output.splitlines()):
        try:
            event = msgspec.json.decode(line, type=resolve_type(_Event))
        except (msgspec.DecodeError, UnicodeDecodeError) as exc:
            raise BadReport(f"a line is not an event of go test -json: {exc}") from exc
        key = (event.package, event.test)
        if event.action == "run" and key in said:
            raise BadReport(f"{event.test[:100]} was run twice")
        if event.action in ("run", "output"):
            said[key] = (said.get(key, "") + event.output)[-_DETAIL:]
        elif event.action in _STATES:
            if key in ended:
                raise BadReport(f"{event.test[:100] or event.package[:100]} ended twice")
            ended[key] = _STATES[event.action]
    open_ones = [key for key in said if key[1] and key not in ended]
    return [*_tests(ended, said), *(TestCase(_id(key), "error", said[key]) for key in open_ones)]


def _tests(
    ended: dict[tuple[str, str], TestState], said: dict[tuple[str, str], str]
) -> list[TestCase]:
    found = []
    for (package, test), state in ended.items():
        if test:
            detail = said.get((package, test), "")
            found.append(TestCase(f"{package}:{test}", state, detail, alias=test))
        elif state == "failed" and not _has_failed_test(package, ended):
            found.append(TestCase(package, "error", said.get((package, ""), "")))
    return found


def _has_failed_test(package: str, ended: dict[tuple[str, str], TestState]) -> bool:
    return any(it[0] == package and it[1] and ended[it] == "failed" for it in ended)


def _id(key: tuple[str, str]) -> str:
    return f"{key[0]}:{key[1]}"


_JEST_STATES: dict[str, TestState] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "todo": "skipped",
    "disabled": "skipped",
}


def read_jest(report: bytes) -> list[TestCase]:
    """Return the tests of a report, by their full names.

    Raises:
        BadReport: it is not a Jest report.
    """
    try:
        given = msgspec.json.decode(report)
        return [test for file in given["testResults"] for test in _of_file(file)]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise BadReport(f"not a Jest report: {exc}") from exc


def _of_file(file: dict[str, Any]) -> list[TestCase]:
    results = file["assertionResults"]
    if file.get("status") == "failed" and not any(it["status"] == "failed" for it in results):
        return [TestCase(str(file["name"]), "error", str(file.get("message", "")))]
    return [
        TestCase(
            str(it["fullName"]),
            _JEST_STATES.get(it["status"], "error"),
            "\n".join(map(str, it.get("failureMessages") or ())),
            alias=str(it.get("title", "")),
        )
        for it in results
    ]


_JUNIT_STATES: dict[str, TestState] = {"failure": "failed", "error": "error", "skipped": "skipped"}


def read_junit(report: bytes) -> list[TestCase]:
    """The tests of a report, named ``classname.name``.

    Raises:
        BadReport: it is invalid XML, or declares a document type.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(report, True)
    except (expat.ExpatError, ValueError) as exc:
        raise BadReport(f"invalid XML in the report: {exc}") from exc
    return reader.tests


def _refuse(*_: object) -> None:
    raise BadReport("the report declares a document type")


@dataclass(slots=True)
class _Reader:
    tests: list[TestCase] = field(default_factory=list)
    _name: tuple[str, str] | None = None
    _state: TestState = "passed"
    _detail: str = ""
    _is_inside: bool = False

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "testcase":
            self._name = (attributes.get("classname", ""), attributes.get("name", ""))
            self._state, self._detail = "passed", ""
            if attributes.get("status", "").lower() in ("notrun", "skipped", "disabled"):
                self._state = "skipped"
        elif self._name is not None and tag in _JUNIT_STATES:
            if self._state in ("passed", "skipped"):
                self._state = _JUNIT_STATES[tag]
            self._detail = attributes.get("message", "")
            self._is_inside = True

    def text(self, data: str) -> None:
        if self._is_inside and len(self._detail) < _DETAIL:
            self._detail += data[:_DETAIL]

    def end(self, tag: str) -> None:
        if tag in _JUNIT_STATES:
            self._is_inside = False
        if tag == "testcase" and self._name is not None:
            group, name = self._name
            full = f"{group}.{name}" if group else name
            self.tests.append(TestCase(full, self._state, self._detail, alias=name))
            self._name = None


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
                raise BadReport("duplicate plan")
            planned = int(plan["count"][:9])
        elif test := _LINE.fullmatch(line.rstrip()):
            tests.append(_test(test, len(tests) + 1))
    if planned is None:
        raise BadReport("missing plan (1..N)")
    if planned != len(tests):
        raise BadReport(f"{planned} tests planned, {len(tests)} reported")
    return tests


def _test(line: "re.Match[str]", number: int) -> TestCase:
    if line["number"] and int(line["number"][:9]) != number:
        raise BadReport(f"test {line['number'][:9]} found in place of {number}")
    directive = _DIRECTIVE.search(line["rest"])
    words = line["rest"][: directive.start()] if directive else line["rest"]
    state: TestState = "failed" if line["failed"] else "passed"
    if directive:
        state = "skipped"
    return TestCase(words.strip() or str(number), state, directive["reason"] if directive else "")


_READERS: Final = {
    "pytest": read_junit,
    "unittest": read_junit,
    "junit": read_junit,
    "tap": read_tap,
    "jest": read_jest,
    "go": read_go,
}
_JEST_REPORT: Final = "benchmaker-jest.json"
_OWN: Final = {
    "jest": ("npx", "--no-install", "jest", "--ci", "--json", f"--outputFile={_JEST_REPORT}"),
    "go": ("go", "test", "-json", "-count=1"),
}


async def run_command_tests(criterion: TestsPass, place: GradingContext) -> Finding:
    """Run the command, and check its report against its status and the criterion.

    The code under test could have written the report: ids, counts and status must agree, but
    nothing more is guaranteed.
    """
    argv = criterion.run or _default_command(criterion)
    if argv is None:
        return error_with(f"for {criterion.framework} the criterion needs run, the command to call")
    report = criterion.report or (_JEST_REPORT if criterion.framework == "jest" else None)
    with tempfile.TemporaryDirectory(prefix="benchmaker-report-") as folder:
        outputs = Outputs(Path(folder), (report,)) if report else None
        ended = await place.run(argv, seconds=criterion.timeout_s, outputs=outputs)
        if (finding := not_clean(ended, argv)) is not None:
            return finding
        text = _report(ended, Path(folder, report) if report else None)
    if text is None:
        return fail_with(f"missing report {report}\n{describe_exit(ended)}")
    try:
        tests = _READERS[criterion.framework](text)
    except BadReport as exc:
        return fail_with(f"{exc}\n{describe_exit(ended)}")
    found = finding_of_tests(tests, criterion)
    if found.state == "pass" and ended.exit_status:
        return fail_with(
            f"the report says {found.evidence}, but the command failed\n{describe_exit(ended)}"
        )
    return found


def _default_command(criterion: TestsPass) -> tuple[str, ...] | None:
    own = _OWN.get(criterion.framework)
    if own is None:
        return None
    return (*own, *(criterion.paths or (("./...",) if criterion.framework == "go" else ())))


def _report(ended: CommandResult, path: Path | None) -> bytes | None:
    if path is None:
        return None if ended.truncated else ended.stdout
    if path.is_symlink() or not path.is_file() or path.stat().st_size > READ_BYTES:
        return None
    return path.read_bytes()
