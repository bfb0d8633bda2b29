"""Answers that were recorded before: the provider that reads a file."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmaker.errors import Finding, ProviderError, SpecError
from benchmaker.plugins import provider
from benchmaker.providers.base import Request
from benchmaker.providers.recordings.answer_index import RecordedAnswerIndex
from benchmaker.providers.recordings.answer_lines import AnswerLines
from benchmaker.providers.recordings.own_rows import answer_row, is_own, lost_columns
from benchmaker.providers.recordings.unmatched import MOST_IDS
from benchmaker.providers.run_labels import renumbering_note, sort_labels
from benchmaker.record import Completion, Setup
from benchmaker.spec import AnswerFields
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import DataRow, read_rows
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.suggestions import did_you_mean

MOST_NAMES = 10_000
"""Number of models or run labels above which the mapping is probably wrong."""

_LOST = "the row looks like one of an export of a run, but lacks columns"
_LOST_HINT = "Export the run again, or map the columns with --fields."


@provider
class Recorded:
    """Answers from a file of JSON lines, a JSON array, or CSV, plain or gzipped.

    Exports of runs are read without a mapping, in any format with a row for each trial.

    ``models`` are those of the file in order of first appearance, or the selected ones; where lines
    have a prompt or an effort, they are the names of the ``setups``. ``runs`` is
    the number of run labels in the file, 1 without labels. Runs count from 1: labels that are
    numbers by their value, then others in order of first appearance. The file is read once,
    checked, and copied to a temporary file; memory grows by 32 bytes per answer.
    """

    def __init__(
        self, scan: "_Scan", path: Path, sha256: str, *, labels: Sequence[str] = ()
    ) -> None:
        self.models: tuple[str, ...] = scan.chosen_names()
        self.setups: tuple[Setup, ...] = scan.setups_of(self.models)
        self.runs = max(1, len(scan.labels))
        self._labels: tuple[str | None, ...] = tuple(labels) or scan.ordered_labels() or (None,)
        self._index = scan.index
        self._path, self._sha256, self._fields = path, sha256, scan.fields

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        fields: AnswerFields | None = None,
        models: Sequence[str] = (),
        labels: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> Self:
        """Read a file of answers.

        Args:
            path: the file.
            fields: the paths of values in a line.
            models: the selected models; all by default.
            labels: the run labels of the file, in the order of the original run.
            limits: size limits of the file.

        Raises:
            SpecError: all faults together: unreadable lines or missing fields, two answers with one
                key (naming both lines), an unknown model.
        """
        limits = limits or Limits()
        index = RecordedAnswerIndex()
        try:
            scan = _Scan(Path(path), fields or AnswerFields(), tuple(models), limits, index)
            scan.read()
            return cls(scan, Path(path), _sha256(Path(path)), labels=labels)
        except BaseException:
            index.close()
            raise

    def __len__(self) -> int:
        return len(self._index)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def complete(self, request: Request) -> Completion:
        """Return the recorded answer; an empty one if the file says null.

        Raises:
            ProviderError: the file has none for this model, case and run, or records a failed
                request.
        """
        answer = None
        if 1 <= request.run <= self.runs:
            label = self._labels[request.run - 1]
            answer = self._index.find(request.model, request.case_id, label)
        if answer is None:
            raise ProviderError(
                f"no recorded answer of {request.model!r} to case {request.case_id!r}"
                f" in run {request.run}."
            )
        return answer

    def differs(self, model: str, case_id: str, runs: int) -> bool:
        """True if a model's answers to a case differ among the first ``runs`` runs."""
        found = (self._index.get(model, case_id, label) for label in self._labels[:runs])
        given = (it.completion.text.strip() for it in found if it and it.failure is None)
        return len(set(given)) > 1

    def has_any(self, case_ids: Iterable[str]) -> bool:
        """True if there is an answer to one of these cases; reads ids up to the first such case."""
        return self._index.has_any(case_ids)

    def count_unmatched(self, case_ids: Iterable[str]) -> int:
        """Return the number of answers to none of these cases."""
        return self._index.count_outside(case_ids)

    def unmatched_ids(self, case_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the ids of answers to none of these cases, at most three."""
        return self._index.ids_outside(case_ids, most=MOST_IDS)

    def description(self) -> dict[str, Any]:
        """Return the provider's description for a run's record: file, hash, and fields."""
        return {
            "kind": "recorded",
            "path": str(self._path.absolute()),
            "sha256": self._sha256,
            "fields": self._fields.model_dump(exclude_defaults=True),
            "answers": len(self._index),
            "run_labels": self._labels_in_file,
        }

    @property
    def renumbering_note(self) -> str:
        """The runs' numbers in the file if they do not count 1, 2, 3; otherwise empty."""
        return renumbering_note(self._labels_in_file)

    @property
    def _labels_in_file(self) -> list[str]:
        return [label for label in self._labels if label is not None]

    def close(self) -> None:
        """Let go of the temporary file."""
        self._index.close()


def _sha256(path: Path) -> str:
    """Of the file as it lies there, compressed or not."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(slots=True)
class _Scan:
    """The one pass over the file."""

    path: Path
    fields: AnswerFields
    chosen: tuple[str, ...]
    limits: Limits
    index: RecordedAnswerIndex
    findings: Findings = field(default_factory=Findings)
    models: dict[str, int] = field(default_factory=dict)
    labels: dict[str | None, int] = field(default_factory=dict)
    own_labels: dict[str, str] = field(default_factory=dict)
    hints: set[str] = field(default_factory=set)
    lines: AnswerLines = field(init=False)
    is_unmapped: bool = field(init=False)

    def names_of(self, name: str) -> tuple[str, ...]:
        """The names that choose a setup, such as its own and its model's."""
        return self.lines.names_of(name)

    def chosen_names(self) -> tuple[str, ...]:
        """The setups of the file that were chosen, in the order of the choice."""
        if not self.chosen:
            return tuple(self.models)
        found = (name for one in self.chosen for name in self.models if one in self.names_of(name))
        return tuple(dict.fromkeys(found))

    def setups_of(self, names: Sequence[str]) -> tuple[Setup, ...]:
        """The setups of these names; none where each is only a model."""
        known = self.lines.setups
        if not known:
            return ()
        return tuple(known.get(name) or Setup(name=name, model=name) for name in names)

    def ordered_labels(self) -> tuple[str, ...]:
        return sort_labels(label for label in self.labels if label is not None)

    def read(self) -> None:
        self.findings = Findings(self.limits.findings)
        self.lines = AnswerLines(self.fields)
        self.is_unmapped = self.fields == AnswerFields()
        wanted = frozenset(self.chosen)
        try:
            for row in read_rows(self.path, limits=self.limits, report=self.report_all):
                self.take(row, wanted)
        except SpecError as exc:
            self.findings.take(exc.findings)
        self.findings.raise_if_any()
        self.check()
        self.findings.raise_if_any()

    def take(self, row: DataRow, wanted: frozenset[str]) -> None:
        if self.is_unmapped:
            if lost := lost_columns(row):
                place = self.place_of(row)
                self.report(Finding(*place, f"{_LOST}: {', '.join(lost)}.", _LOST_HINT))
                return
            if is_own(row):
                row = answer_row(row, self.own_labels)
                self.lines.has_own_rows = True
        if not self.lines.is_selected(row):
            return
        try:
            answers = list(self.lines.answers(row, wanted))
        except SpecError as exc:
            hint = "" if exc.hint in self.hints else exc.hint
            self.hints.add(exc.hint)
            self.report(Finding(*self.place_of(row), exc.message, hint))
            return
        for answer in answers:
            self.note(self.models, answer.model, row.number, "models")
            if not wanted or not wanted.isdisjoint(self.names_of(answer.model)):
                self.note(self.labels, answer.run, row.number, "run labels")
                self.index.add(answer, row.number)

    def place_of(self, row: DataRow) -> SourceLocation:
        return SourceLocation(str(self.path), row.number, 1)

    def report_all(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            self.report(finding)

    def report(self, finding: Finding) -> None:
        self.findings.put(finding)
        self.findings.stop_after(self.limits.faults, SourceLocation(finding.file, finding.line, 1))

    def note(self, names: dict[Any, int], name: str | None, line: int, what: str) -> None:
        names.setdefault(name, line)
        if len(names) > MOST_NAMES:
            place = SourceLocation(str(self.path), line, 1)
            message = f"the file has more than {MOST_NAMES:,} different {what}."
            raise refusal(place, message, "Check the field mapping.")

    def check(self) -> None:
        """Check the conditions that depend on the whole file."""
        file = SourceLocation(str(self.path))
        self.check_chosen(file)
        if not self.models:
            self.findings.add(file, "the file has no answers.")
            return
        for message, hint in self.lines.unmatched_fields():
            self.findings.add(file, message, hint)
        self.check_labels()
        self.index.sort()
        self.check_duplicates()

    def check_chosen(self, file: SourceLocation) -> None:
        for model in self.chosen:
            if not any(model in self.names_of(name) for name in self.models):
                listed = ", ".join(list(self.models)[:20])
                hint = did_you_mean(model, self.models) or f"Models in the file: {listed}."
                self.findings.add(file, f"the file has no answers of model {model!r}.", hint)

    def check_labels(self) -> None:
        without = self.labels.get(None)
        if without is not None and len(self.labels) > 1:
            message = f"the line has no run in {self.fields.run!r}, but other lines do."
            place = SourceLocation(str(self.path), without, 1)
            self.findings.add(place, message, "Set the run on all lines or on none.")
        if without is not None and len(self.labels) == 1:
            self.labels.clear()

    def check_duplicates(self) -> None:
        """Object to the first answer that is there twice, and count the others."""
        duplicates = self.index.duplicates()
        found = next(iter(duplicates), None)
        if found is None:
            return
        answer, first, again = found
        run = f" in run {answer.run!r}" if answer.run is not None else ""
        others = sum(1 for _ in duplicates)
        more = f"; {others:,} more like this" if others else ""
        message = (
            f"duplicate answer of {answer.model!r} to case {answer.case_id!r}{run};"
            f" first at {self.path}:{first}{more}."
        )
        hint = (
            "Map the field that differs with --fields: model=NAME if it names what was compared "
            "(another filter, prompt or setting), run=NAME if it numbers repeats of the same "
            "thing. Or remove one answer."
        )
        self.findings.add(SourceLocation(str(self.path), again, 1), message, hint)
