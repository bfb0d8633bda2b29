"""The cases of a data file, read anew at each pass."""

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.case import Case
from benchmaker.spec.case_form import as_case, unfit_texts
from benchmaker.spec.files import Signature, signature
from benchmaker.spec.findings import Findings, refusal
from benchmaker.spec.limits import Limits
from benchmaker.spec.mapping import CaseMapper, Gap
from benchmaker.spec.places import Mark, Place
from benchmaker.spec.places import Path as ValuePath
from benchmaker.spec.rows import Row, read_rows
from benchmaker.spec.strict_json import decode_source, read_json
from benchmaker.spec.suite_form import CASE_PARTS
from benchmaker.spec.wording import Fault, faults

_TAG_SIGNS = str.maketrans(";|", ",,")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A re-iterable over the cases of a file; memory does not grow with their number.

    ``lines`` are where its sound cases begin. A pass raises SpecError when the file is no longer
    the one that was first read.
    """

    path: Path
    mapper: CaseMapper
    limits: Limits
    seen: Signature
    lines: "array[int]" = field(repr=False)

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Case]:
        if signature(self.path) != self.seen:
            raise self._changed()
        wanted = iter(self.lines)
        line = next(wanted, None)
        for row in read_rows(self.path, limits=self.limits, report=_ignore):
            if row.number == line:
                yield self._case(row)
                line = next(wanted, None)
        if line is not None:
            raise self._changed()

    def _case(self, row: Row) -> Case:
        values, missing = row_values(row, self.mapper)
        if missing:
            raise self._changed()
        return as_case(values, text_at(row, self.mapper))

    def _changed(self) -> SpecError:
        message = "the file is not the one that was read before; it changed meanwhile."
        return refusal(Place(str(self.path)), message, "Load the suite again.")


def _ignore(_finding: Finding) -> None:
    """Rows that can't be read were reported when the file was opened."""


def row_values(row: Row, mapper: CaseMapper) -> tuple[dict[str, Any], Sequence[Gap]]:
    """The values of the case in a row, and the fields that were not to be found."""
    if row.text is not None:
        return mapper.values(row.values, row.number)
    cells = {name: cell or None for name, cell in row.values.items()}
    values, missing = mapper.values(cells, row.number)
    return _from_cells(values), missing


def _from_cells(values: dict[str, Any]) -> dict[str, Any]:
    """Values of a table: tags are separated by commas, semicolons or bars; {…} and […] are JSON."""
    if isinstance(tags := values.get("tags"), str):
        values["tags"] = [
            tag.strip() for tag in tags.translate(_TAG_SIGNS).split(",") if tag.strip()
        ]
    for name, sign in (("scorer", "{"), ("messages", "["), ("metadata", "{")):
        if isinstance(cell := values.get(name), str) and cell.startswith(sign):
            values[name] = _json_cell(cell)
    return values


def _json_cell(cell: str) -> Any:  # noqa: ANN401  any JSON, or the cell itself
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def text_at(row: Row, mapper: CaseMapper) -> Callable[[ValuePath], str]:
    """How to get at the text of a number in a row."""
    return mapper.text_at(
        lambda: row.values if row.text is None else decode_source(row.text), row.number
    )


@dataclass(slots=True)
class CaseScan:
    """The first pass over a data file: every fault, the lines of sound cases, their ids."""

    path: Path
    mapper: CaseMapper
    limits: Limits
    findings: Findings
    lines: "array[int]" = field(default_factory=lambda: array("Q"))
    ids: "array[int]" = field(default_factory=lambda: array("q"))
    weight: float = 0.0
    rows: int = 0
    columns: set[ValuePath] = field(default_factory=set)

    def read(self) -> CaseFile | None:
        """The cases, or None where the file can't be read to its end."""
        try:
            seen = signature(self.path)
            for row in read_rows(self.path, limits=self.limits, report=self._unreadable):
                self.rows += 1
                self._take(row)
        except SpecError as exc:
            self.findings.take(exc.findings)
            return None
        return CaseFile(self.path, self.mapper, self.limits, seen, self.lines)

    def _unreadable(self, finding: Finding) -> None:
        self.rows += 1
        self.findings.put(finding)
        self.findings.stop_after(self.limits.faults, Place(finding.file, finding.line, 1))

    def _take(self, row: Row) -> None:
        values, missing = row_values(row, self.mapper)
        for message, hint in missing:
            self._add(row, (), message, hint)
        if missing:
            return
        try:
            case = as_case(values, text_at(row, self.mapper))
        except ValidationError as exc:
            for fault in faults(exc, Case, CASE_PARTS):
                if not (fault.is_key and row.text is None and self._knows(fault)):
                    self._add(row, fault.path, fault.message, fault.hint, is_key=fault.is_key)
            return
        for path, message in unfit_texts(case):
            self._add(row, path, message, "Remove it.")
        self.lines.append(row.number)
        self.ids.append(hash(case.id))
        self.weight += case.weight

    def _knows(self, fault: Fault) -> bool:
        """Whether a column of a table was objected to before; once is enough."""
        is_known = fault.path in self.columns
        self.columns.add(fault.path)
        return is_known

    def _add(
        self, row: Row, path: ValuePath, message: str, hint: str, *, is_key: bool = False
    ) -> None:
        self.findings.stop_after(self.limits.faults, Place(str(self.path), row.number, 1))
        if self.findings.is_full:
            self.findings.more += 1
            return
        self.findings.add(self._place(row, path, is_key=is_key), message, hint)

    def _place(self, row: Row, path: ValuePath, *, is_key: bool) -> Place:
        """The place of a case's value in its row, as near as the format tells."""
        file = str(self.path)
        if row.text is None:
            return Place(file, 1 if is_key else row.number, 1)
        inside = self.mapper.location(path, row.values)
        mark = _marks(row, file, self.limits)
        if is_key and inside and (spot := mark.at(inside[:-1]).keys.get(str(inside[-1]))):
            return Place(file, *spot)
        found = mark.at(inside)
        return Place(file, found.line, found.column)


def _marks(row: Row, file: str, limits: Limits) -> Mark:
    text = row.text or "{}"
    start = (row.number, row.column)
    return read_json(text, file, limits=limits, findings=Findings(), start=start).root
