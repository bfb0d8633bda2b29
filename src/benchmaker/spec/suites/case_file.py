"""The cases of a data file, read again at each pass where they are many."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from typing import Any, NamedTuple

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.files import Signature
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.messages import FieldFault, intended_field
from benchmaker.spec.documents.row_source import RowSource
from benchmaker.spec.documents.rows import DataRow
from benchmaker.spec.documents.source_map import Path as ValuePath
from benchmaker.spec.documents.source_map import SourceLocation, SourceMark, as_text
from benchmaker.spec.documents.strict_json import decode_source, decode_value, read_json
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.check_spec import ScorerSpec
from benchmaker.spec.suites.column_names import intended_column
from benchmaker.spec.suites.draft import examine_case, refused_fields_of
from benchmaker.spec.suites.mapping import CaseMapper, Gap

_TAG_SIGNS = str.maketrans(";|", ",,")

_JSON_CELLS = (
    ("scorer", "{"), ("messages", "["), ("metadata", "{"), ("page", "{"), ("vars", "{"),
    ("checks", "["),
)  # fmt: skip

_KEPT_CASES = 2_000
_KEPT_CHARACTERS = 1_000_000
"""The most cases and text of a file that is kept in memory until the suite is stored: 4 MB."""

Kept = list[tuple[Case, DataRow]]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A re-iterable over the cases of a file; memory does not grow with their number.

    ``lines`` are the first lines of its cases, repeated where variables make several of one; cases
    with faults are drafts. A pass raises
    SpecError if the file has changed since the first read. ``kept`` are the cases of a small file
    with their rows, which saves reading it again; empty for a large file. ``fallback_scorer`` is
    the scorer of cases without a scorer and checks.
    """

    source: RowSource
    mapper: CaseMapper
    limits: Limits
    seen: Signature | None
    lines: "array[int]" = field(repr=False)
    kept: Kept = field(default_factory=list, repr=False, compare=False)
    fallback_scorer: ScorerSpec | None = None

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Case]:
        for case, _row in self._read():
            yield case

    def locate_cases(self) -> "Iterator[tuple[Case, RowSourceMap]]":
        """Each case with the places of its values."""
        file = self.source.place
        for case, row in self._read():
            yield case, RowSourceMap(row, self.mapper, file, self.limits)

    def release(self) -> None:
        """Drop the cases kept in memory; the next pass reads the file."""
        self.kept.clear()

    def _read(self) -> Iterator[tuple[Case, DataRow]]:
        if self.source.signature() != self.seen:
            raise self._changed_error()
        for case, row in tuple(self.kept) or self._read_from_file():
            yield case.with_fallback_scorer(self.fallback_scorer), row

    def _read_from_file(self) -> Iterator[tuple[Case, DataRow]]:
        wanted = iter(line for line, _ in groupby(self.lines))
        for row in self.source.rows(limits=self.limits, report=_ignore):
            if row.number != next(wanted, None):
                raise self._changed_error()
            for case in row_cases(row, self.mapper).cases:
                yield case, row
        if next(wanted, None) is not None:
            raise self._changed_error()

    def _changed_error(self) -> SpecError:
        message = "the file has changed since it was read."
        return refusal(SourceLocation(self.source.place), message, "Load the suite again.")


def _ignore(_findings: Sequence[Finding]) -> None:
    """Rows that can't be read were reported when the file was opened."""


_MAP_COLUMNS = "With fields: {prompt: COLUMN, …} in the suite, other columns are ignored."


class RowCases(NamedTuple):
    """The cases in a row, usually one, and all its faults."""

    cases: tuple[Case, ...]
    faults: Iterable[FieldFault]


def row_cases(row: DataRow, mapper: CaseMapper, *, in_suite: bool = True) -> RowCases:
    """Return the cases in a row, or their valid part, and all faults.

    ``in_suite`` is true if a suite names the file, so that hints may advise a mapping in it.
    """
    values, gaps = _values(row, mapper)
    case, found = examine_case(
        values,
        _text_at(row, mapper, values),
        mapper.unknown_fields(values, gaps),
        has_prompts=mapper.expander.has_prompts,
    )
    gone = (FieldFault((), False, gap.message, gap.hint) for gap in gaps)
    made = mapper.expander.expand(case)
    unfilled = (FieldFault(path, False, it.message, it.hint) for path, it in made.faults)
    hinted = (
        found
        if not in_suite
        else (
            _with_column_hint(fault, has_id="id" in values, in_table=row.has_columns)
            for fault in found
        )
    )
    return RowCases(made.cases or (case,), chain(gone, hinted, unfilled))


def _with_column_hint(fault: FieldFault, *, has_id: bool, in_table: bool) -> FieldFault:
    """The fault with the mapping of a column of another name, or of the row's number to the id."""
    if not has_id and not fault.path and fault.message.startswith("id "):
        return fault._replace(hint=f"{fault.hint} Or number the cases: fields: {{id: $line, …}}")
    name = str(fault.path[0]) if fault.is_key and len(fault.path) == 1 else ""
    meant = intended_column(name)
    if meant is None:
        is_column = in_table and name and intended_field(name, Case) is None
        return fault._replace(hint=f"{fault.hint} {_MAP_COLUMNS}") if is_column else fault
    named = f"Rename it, or map it in the suite: fields: {{{meant}: {name}}}"
    return fault._replace(hint=f"{fault.hint} {named}")


def _values(row: DataRow, mapper: CaseMapper) -> tuple[dict[str, Any], Sequence[Gap]]:
    """The values of the case in a row, and the fields that were not to be found."""
    if row.text is not None:
        values, missing = mapper.values(row.values, row.number)
        return (_with_json_cells(values) if row.is_numbered else values), missing
    cells = {name: cell or None for name, cell in row.values.items()}
    values, missing = mapper.values(cells, row.number)
    return _from_cells(values), missing


def _from_cells(values: dict[str, Any]) -> dict[str, Any]:
    """Values of a table: tags are separated by commas, semicolons or bars; {…} and […] are JSON."""
    if isinstance(tags := values.get("tags"), str):
        values["tags"] = [
            tag.strip() for tag in tags.translate(_TAG_SIGNS).split(",") if tag.strip()
        ]
    return _with_json_cells(values)


def _with_json_cells(values: dict[str, Any]) -> dict[str, Any]:
    for name, sign in _JSON_CELLS:
        if isinstance(cell := values.get(name), str) and cell.startswith(sign):
            values[name] = _json_cell(cell)
    return values


def _json_cell(cell: str) -> Any:  # noqa: ANN401  any JSON, or the cell itself
    try:
        return decode_value(cell)
    except (ValueError, RecursionError):
        return cell


def _text_at(
    row: DataRow, mapper: CaseMapper, values: Mapping[str, Any]
) -> Callable[[ValuePath], str]:
    """Return a function that gives the source text of a number in a row with these values."""
    if row.has_columns:
        of_values = mapper.text_at(lambda: row.values, row.number)
        if row.text is None:
            return of_values
    else:
        of_values = partial(_text_of_value, values)

    def text(path: ValuePath) -> str:
        text_of_value = of_values(path)
        if _is_plain(text_of_value):
            return text_of_value
        return mapper.text_at(lambda: decode_source(row.text or ""), row.number)(path)

    return text


def _text_of_value(values: Mapping[str, Any], path: ValuePath) -> str:
    value: Any = values
    for step in path:
        value = value[step]
    return as_text(value)


def _is_plain(number: str) -> bool:
    """True if JSON has only one way to write the number; 0 may have been -0."""
    return number.isdecimal() and number != "0"


@dataclass(frozen=True, slots=True)
class RowSourceMap:
    """The locations of a case's values in its row, as precise as the format allows."""

    row: DataRow
    mapper: CaseMapper
    file: str
    limits: Limits

    def locate(self, path: ValuePath) -> SourceLocation:
        """Return the location of the value at this path, or of its nearest known ancestor."""
        if self.row.is_numbered:
            return SourceLocation(self.file, self.row.number, self._column(path))
        mark = self._mark()
        if mark is None:
            return SourceLocation(self.file, self.row.number, 1)
        found = mark.find(self.mapper.location(path, self.row.values))
        return SourceLocation(self.file, found.line, found.column)

    def locate_key(self, path: ValuePath) -> SourceLocation:
        """Return the location of the value's key; in a table, in its first line."""
        if self.row.is_numbered:
            return self.locate(path)
        mark = self._mark()
        if mark is None:
            return SourceLocation(self.file, 1 if len(path) == 1 else self.row.number, 1)
        inside = self.mapper.location(path, self.row.values)
        spot = mark.find(inside[:-1]).keys.get(str(inside[-1])) if inside else None
        return SourceLocation(self.file, *spot) if spot else self.locate(path)

    def _column(self, path: ValuePath) -> int:
        """The number of the column of a value; 0 where it comes from none."""
        name = next(iter(self.mapper.location(path, self.row.values)), None)
        columns = enumerate(self.row.values, 1)
        return next((number for number, column in columns if column == name), 0)

    def _mark(self) -> SourceMark | None:
        """The marks of the row's values; None in a table."""
        if self.row.text is None:
            return None
        text, start = self.row.text, (self.row.number, self.row.column)
        try:
            read = read_json(text, self.file, limits=self.limits, findings=Findings(), start=start)
        except SpecError:  # more values than are kept places of
            return SourceMark(*start)
        return read.root


@dataclass(slots=True)
class CaseScan:
    """The first pass over a data file: every fault, the lines of cases, their ids' hashes.

    ``weight`` is the sum of the cases' weights, None if one of them is unknown.
    """

    source: RowSource
    mapper: CaseMapper
    limits: Limits
    findings: Findings
    lines: "array[int]" = field(default_factory=lambda: array("Q"))
    ids: "array[int]" = field(default_factory=lambda: array("q"))
    weight: float | None = 0.0
    rows: int = 0
    column: int = 1
    columns: set[ValuePath] = field(default_factory=set)
    kept: Kept = field(default_factory=list)
    left: int = _KEPT_CHARACTERS

    def read(self) -> CaseFile | None:
        """The cases, or None where the file can't be read to its end."""
        try:
            seen = self.source.signature()
            rows = self.source.rows(limits=self.limits, report=self._note_unreadable)
            for at, row in enumerate(rows):
                if at == 0:
                    self.mapper = self.mapper.with_renamed_columns(row.values)
                    self.column = row.column
                self.rows += not row.is_faulty  # a faulty row was counted with its faults
                self._take(row)
        except SpecError as exc:
            self.findings.take(exc.findings)
            return None
        return CaseFile(self.source, self.mapper, self.limits, seen, self.lines, self.kept)

    def _note_unreadable(self, found: Sequence[Finding]) -> None:
        self.rows += 1
        self.weight = None
        for finding in found:
            self.findings.put(finding)
            place = SourceLocation(finding.file, finding.line, 1)
            self.findings.stop_after(self.limits.faults, place)

    def _take(self, row: DataRow) -> None:
        cases, found = row_cases(row, self.mapper)
        for fault in found:
            if not (fault.is_key and row.has_columns and self._knows(fault)):
                self._add(row, fault)
        for case in cases:
            self._take_case(case, row)

    def _take_case(self, case: Case, row: DataRow) -> None:
        self._keep(case, row)
        self.lines.append(row.number)
        self.ids.append(hash(case.id))
        if self.weight is not None:
            self.weight = None if "weight" in refused_fields_of(case) else self.weight + case.weight

    def _keep(self, case: Case, row: DataRow) -> None:
        """Keep the case while the file is small; none of them once it is not."""
        if self.left < 0:
            return
        self.left -= len(row.text) if row.text is not None else sum(map(len, row.values.values()))
        if self.left < 0 or len(self.kept) == _KEPT_CASES:
            self.left = -1
            self.kept.clear()
        else:
            self.kept.append((case, row))

    def _knows(self, fault: FieldFault) -> bool:
        """True if this column of a table was reported before; once is enough."""
        if len(fault.path) != 1:
            return False
        is_known = fault.path in self.columns
        self.columns.add(fault.path)
        return is_known

    def _add(self, row: DataRow, fault: FieldFault) -> None:
        self.findings.stop_after(
            self.limits.faults, SourceLocation(self.source.place, row.number, row.column)
        )
        if self.findings.is_full:
            self.findings.more += 1
            return
        places = RowSourceMap(row, self.mapper, self.source.place, self.limits)
        place = places.locate_key(fault.path) if fault.is_key else places.locate(fault.path)
        self.findings.add(place, fault.message, fault.hint)
