"""The events of ``go test -json``: a line of JSON for each."""

import msgspec

from benchmaker.arenas.agentic.verify.frameworks.tests import BadReport, TestCase, TestState
from benchmaker.structs import resolved

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
            event = msgspec.json.decode(line, type=resolved(_Event))
        except (msgspec.DecodeError, UnicodeDecodeError) as exc:
            raise BadReport(f"a line is no event of go test -json: {exc}") from exc
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
