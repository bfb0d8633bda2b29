"""Aider's own benchmark: the YAML of its leaderboards, one row a run over many exercises."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from benchmaker.arenas.agentic.importers.base import (
    FileHead,
    Options,
    RowIdentity,
    SessionRef,
    Skipped,
)
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    Session,
    SessionEnd,
    SessionPart,
    Totals,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.opening import reason
from benchmaker.arenas.agentic.logs.options import is_impossible, why_not_true
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.errors import SpecError
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Provenance, Status
from benchmaker.spec.documents.document import QUOTE_IT
from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.yaml import read_yaml

_KEYS = (b"dirname:", b"test_cases:", b"pass_rate_1:", b"edit_format:")
_FIGURES = (
    "test_cases",
    "pass_num_1",
    "pass_num_2",
    "prompt_tokens",
    "completion_tokens",
    "thinking_tokens",
    "seconds_per_case",
    "total_cost",
)
_KEPT = (
    "edit_format",
    "test_cases",
    "pass_num_1",
    "pass_num_2",
    "pass_rate_1",
    "pass_rate_2",
    "percent_cases_well_formed",
    "error_outputs",
    "test_timeouts",
    "exhausted_context_windows",
    "command",
)


@importer(id="aider_benchmark", version="2")
class AiderBenchmark:
    """Rows of Aider's leaderboards, as reported by the people who ran it.

    A row summarises a whole run of the benchmark. Its reward is the share of exercises solved
    within two tries; its seconds are the sum over all exercises.
    """

    id: ClassVar[str] = "aider_benchmark"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Aider benchmark results"

    def sniff(self, head: FileHead) -> float:
        """By the keys of a row in a YAML list."""
        is_list = head.start.lstrip().startswith(b"- ")
        return 0.9 if is_list and all(key in head.start for key in _KEYS) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The whole table; each row becomes a session when it is read."""
        yield SessionRef(importer=self.id, id=root.name, files=(root,))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Row by row."""
        path = ref.files[0]
        for number, row in enumerate(_rows(path, options), 1):
            if row.why_refused:
                options.refuse_row(row.why_refused, path=path, line=row.line)
            elif not isinstance(row.fields, dict) or not row.fields.get("dirname"):
                options.skip(Skipped(path, row.line, f"row {number} has no run"))
            else:
                yield from _Figures(row.fields, path, options, row.line).events()


class _Row(NamedTuple):
    """A row and its first line; ``why_refused`` says which of its numbers can't be read."""

    fields: Any  # whatever YAML holds
    line: int
    why_refused: str = ""


def _rows(path: Path, options: Options) -> list[_Row]:
    limits = Limits()
    findings = Findings(limit=limits.values)
    try:
        text = read_text(path, limits=limits, cap=limits.document_bytes)
        document = read_yaml(text, str(path), limits=limits, findings=findings)
    except SpecError as exc:
        options.skip(Skipped(path, 0, reason(exc)))
        return []
    data, marks = document.data, document.root.inside
    if not isinstance(data, list):
        options.skip(Skipped(path, 0, "no list of runs"))
        data = []
    lines = [marks[number].line for number in range(len(data))]
    rows = [_Row(fields, line) for fields, line in zip(data, lines, strict=True)]
    for finding in findings.items:
        at = bisect_right(lines, finding.line) - 1
        # The reader puts a stand-in where a number is not finite or too large.
        if finding.hint == QUOTE_IT and at >= 0:
            rows[at] = rows[at]._replace(why_refused=f"line {finding.line}: {finding.message}")
        else:
            options.skip(Skipped(path, finding.line, finding.message))
    return rows


@dataclass(frozen=True, slots=True)
class _Figures:
    """Reads one row."""

    row: dict[str, Any]
    path: Path
    options: Options
    line: int

    def events(self) -> Iterator[Event]:
        """Facts, totals, the share that was solved; nothing where a figure is impossible."""
        name = str(self.row["dirname"])
        wrong = next((key for key in _FIGURES if is_impossible(self.row.get(key))), None)
        if wrong is not None:
            why = why_not_true(wrong, self.row[wrong])
            self.options.refuse_row(f"{name}: {why}", path=self.path, line=self.line)
            return
        tests = self._count("test_cases")
        task = f"aider benchmark, {tests} exercises" if tests else None
        yield SessionPart(id=name, task_id=task, row=RowIdentity(id=name))
        yield Session(
            session_id=name,
            harness="aider",
            harness_version=self._text("versions"),
            model=self._text("model") or self.options.model,
            effort=self._text("reasoning_effort"),
            mode="headless",
            provenance=Provenance.SELF_REPORTED,
            extra={key: self.row[key] for key in _KEPT if self.row.get(key) is not None},
        )
        if (at := seconds(self._text("date"))) is not None:
            yield Activity(at=at)
        yield self._totals(tests)
        yield self._end(tests)

    def _totals(self, tests: int | None) -> Totals:
        each = self._amount("seconds_per_case")
        usage = disjoint_usage(
            self._count("prompt_tokens"),
            self._count("completion_tokens"),
            reasoning=self._count("thinking_tokens"),
        )
        return Totals(
            usage=usage if usage.total else None,
            cost_usd=self._amount("total_cost") or None,
            active_s=each * tests if each and tests else None,
        )

    def _end(self, tests: int | None) -> SessionEnd:
        solved = self._count("pass_num_2")
        if solved is None:
            solved = self._count("pass_num_1")
        share = solved / tests if solved is not None and tests else None
        is_sound = share is not None and share <= 1
        return SessionEnd(status=Status.COMPLETED, reward=share if is_sound else None)

    def _text(self, key: str) -> str | None:
        value = self.row.get(key)
        return str(value) if isinstance(value, str | int | float) and value != "" else None

    def _count(self, key: str) -> int | None:
        return self.options.count(self.row.get(key), key, path=self.path)

    def _amount(self, key: str) -> float | None:
        return self.options.amount(self.row.get(key), key, path=self.path)
