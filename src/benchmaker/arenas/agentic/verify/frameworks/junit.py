"""JUnit XML: one ``testcase`` for each test."""

from dataclasses import dataclass, field
from xml.parsers import expat

from benchmaker.arenas.agentic.verify.frameworks.tests import BadReport, TestCase, TestState

_STATES: dict[str, TestState] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_DETAIL = 800


def read_junit(report: bytes) -> list[TestCase]:
    """The tests of a report, named ``classname.name``.

    Raises:
        BadReport: it is not sound XML, or declares a document type.
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
        raise BadReport(f"the report is no sound XML: {exc}") from exc
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
        elif self._name is not None and tag in _STATES:
            if self._state in ("passed", "skipped"):
                self._state = _STATES[tag]
            self._detail = attributes.get("message", "")
            self._is_inside = True

    def text(self, data: str) -> None:
        if self._is_inside and len(self._detail) < _DETAIL:
            self._detail += data[:_DETAIL]

    def end(self, tag: str) -> None:
        if tag in _STATES:
            self._is_inside = False
        if tag == "testcase" and self._name is not None:
            group, name = self._name
            full = f"{group}.{name}" if group else name
            self.tests.append(TestCase(full, self._state, self._detail, alias=name))
            self._name = None
