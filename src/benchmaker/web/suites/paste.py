"""Pasted cases: their format, their columns, their rows, and the rows that are refused."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmaker.errors import Finding, SpecError
from benchmaker.scoring.check import check_suite
from benchmaker.spec import Case, CaseFields, Limits, SourceMap, Suite
from benchmaker.spec.documents.copied_cells import read_copied_cells
from benchmaker.spec.documents.csv_rows import (
    given_delimiter,
    header_lines,
    likely_delimiter,
)
from benchmaker.spec.documents.markdown_rows import is_markdown_table, read_markdown_table
from benchmaker.spec.documents.messages import FieldFault, intended_field
from benchmaker.spec.documents.rows import DataRow, read_rows
from benchmaker.spec.documents.source_map import CaseLines
from benchmaker.spec.suites.case_file import RowSourceMap, row_cases
from benchmaker.spec.suites.column_names import intended_column, understood_columns
from benchmaker.spec.suites.mapping import CaseMapper
from benchmaker.spec.suites.rendering import template_faults_of
from benchmaker.web.form_body import UPLOAD_BYTES
from benchmaker.web.suites.sheet import VARIABLE

FILE = "pasted text"
"""The name of the text in messages."""

LISTED = 100
"""Maximum number of refused rows that a page lists."""

_NOT_OFFERED = frozenset({"choices", "checks_only", "page", "tools", "max_steps"})
CHOICES = tuple(name for name in CaseFields.model_fields if name not in _NOT_OFFERED)
"""The fields that a column can be read as, beside variables."""

_FORMATS = {
    "jsonl": "JSON lines",
    "json": "a JSON list",
    "markdown": "a Markdown table",
    "tsv": "a table separated by tabs, as spreadsheets copy it",
    "csv": "CSV",
}
_LIMITS = Limits(data_bytes=UPLOAD_BYTES, array_bytes=UPLOAD_BYTES, takes_datasets=False)
_LIMIT_OF_CHECK = 200
_NO_FIELD = "no field of a case has this name"
_NEW_ID = "#new-"
_OR_NEW_IDS = "Or choose Ids: From the text, else new."


class PastedColumn(NamedTuple):
    """A column of the text, and the field that it is read as; empty if it is left out.

    A variable is ``vars.NAME``. ``reason`` says why, where the name alone does not.
    """

    name: str
    field: str
    reason: str = ""


class RefusedRow(NamedTuple):
    """A fault: its line in the text, from 1, and its column as a word; 0 for the whole text.

    ``row`` is the number of the row, from 1, since rows of JSON may share a line.
    """

    line: int
    column: str
    message: str
    hint: str
    row: int = 0


@dataclass(slots=True)
class PastedCases:
    """The cases of a pasted text, and its faults.

    ``lines`` and ``row_numbers`` are those of each case, from 1. ``rows`` counts all rows that
    were read. ``is_whole`` is false if reading ended before the end of the text.
    ``rows_without_id`` are the numbers of the rows whose id is made here.
    """

    form: str
    columns: tuple[PastedColumn, ...] = ()
    cases: list[Case] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    row_numbers: list[int] = field(default_factory=list)
    refused: list[RefusedRow] = field(default_factory=list)
    rows: int = 0
    is_whole: bool = True
    rows_without_id: set[int] = field(default_factory=set)

    @property
    def is_table(self) -> bool:
        """True if its columns can be read as other fields."""
        return self.form in ("markdown", "tsv", "csv")

    @property
    def form_words(self) -> str:
        """The format in words."""
        return _FORMATS[self.form]

    @property
    def refused_rows(self) -> int:
        """The number of rows with faults."""
        return len({one.row for one in self.refused if one.row})

    @property
    def new_ids(self) -> int:
        """The number of ids that were made here for the cases."""
        return len(self.rows_without_id.intersection(self.row_numbers))

    @property
    def can_be_added(self) -> bool:
        """True if the valid rows can be taken without the refused ones."""
        return bool(self.cases) and self.is_whole and all(one.row for one in self.refused)

    def refuse(self, one: Finding, row: int, column: str = "") -> None:
        """Add a fault of a row, by its number; 0 for the whole text."""
        named = column or (f"row {row}" if row and self.form == "json" else "")
        self.refused.append(RefusedRow(one.line, named, one.message, one.hint, row))


def format_of_text(text: str) -> str:
    r"""Return the format of a text: ``jsonl``, ``json``, ``markdown``, ``tsv`` or ``csv``.

    >>> format_of_text('{"id": 1}'), format_of_text("id\tprompt\n"), format_of_text("id,prompt")
    ('jsonl', 'tsv', 'csv')
    """
    start = text.lstrip("\ufeff \n\t")
    if start.startswith(("{", "[")):
        return "jsonl" if start[0] == "{" else "json"
    if is_markdown_table(start):
        return "markdown"
    header = "".join(header_lines(StringIO(start)))
    return "tsv" if likely_delimiter(header) == "\t" else "csv"


def read_pasted(
    text: str,
    suite: Suite,
    *,
    chosen: Mapping[str, str] | None = None,
    makes_ids: bool | None = None,
    replaces: bool = False,
) -> PastedCases:
    """Return the cases in a text, checked as cases of the suite.

    Args:
        text: a table copied from a spreadsheet, CSV, a Markdown table, JSON lines or a JSON list.
        suite: the suite, for its scorer, prompts and variables, and for the ids it has.
        chosen: the fields of columns of a table by name; others are understood by their name.
        makes_ids: whether new ids are made for all rows; None for the rows without an id.
        replaces: whether the cases take the place of all cases of the suite.
    """
    made = PastedCases(format_of_text(text))
    with TemporaryDirectory(prefix="benchmaker-") as folder:
        path = Path(folder, f"pasted.{'csv' if made.is_table else made.form}")
        path.write_text(text.lstrip("\ufeff"), encoding="utf-8", errors="replace", newline="")
        try:
            _read(made, path, suite, chosen or {}, makes_ids)
        except SpecError as exc:
            made.is_whole = False
            for one in exc.findings:
                made.refuse(one, 0)
    if not (made.rows or made.refused):
        hint = "Paste the row with the names of the columns, and at least one row below."
        made.refused.append(RefusedRow(0, "", "the text has no rows.", hint))
    _make_ids(made, () if replaces else tuple(case.id for case in suite.cases))
    _refuse_repeated_ids(made, suite, replaces=replaces)
    _refuse_unfilled_templates(made, suite)
    _check(made, suite)
    made.refused.sort(key=lambda one: (one.line, one.row))
    return made


def _read(
    made: PastedCases,
    path: Path,
    suite: Suite,
    chosen: Mapping[str, str],
    makes_ids: bool | None,  # noqa: FBT001  as given
) -> None:
    mapper = CaseMapper(None, {}, expander=suite.expander)
    for row in _rows(made, path):
        made.rows += not row.is_faulty  # a faulty row was counted with its faults
        if made.is_table:
            made.columns = made.columns or _columns(row.values, suite, chosen)
            named = _with_fields(row, made.columns)
        else:
            made.columns += tuple(_new_keys(made, row.values))
            named = _with_known_keys(row, made.columns)
        of_row = mapper.with_renamed_columns(named.values)
        if makes_ids or (makes_ids is None and not _has_id(named, of_row)):
            named = _with_new_id(named, of_row, made.rows)
            made.rows_without_id.add(made.rows)
        _take(made, named, of_row)


def _rows(made: PastedCases, path: Path) -> Iterator[DataRow]:
    """Yield the rows; faults of a row are refused under its number."""

    def report(found: Sequence[Finding]) -> None:
        made.rows += 1
        for one in found:
            made.refuse(one, made.rows)

    text = path.read_text(encoding="utf-8") if made.form in ("markdown", "tsv") else ""
    if not text or given_delimiter(text.split("\n", 1)[0]):
        yield from read_rows(path, limits=_LIMITS, report=report)
        return
    for number, cells in _table(made, text, report=lambda one: report((one,))):
        yield DataRow(number, dict(cells), None)


def _table(
    made: PastedCases, text: str, *, report: Callable[[Finding], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    if made.form == "markdown":
        return read_markdown_table(text.split("\n"), FILE, report=report)
    return read_copied_cells(text, FILE, limits=_LIMITS, report=report)


def _new_keys(made: PastedCases, values: Mapping[str, Any]) -> Iterator[PastedColumn]:
    """Yield the keys of a row of JSON that no row before it has, as long as a page lists them."""
    known = {one.name for one in made.columns}
    added = [name for name in values if name not in known][: LISTED - len(known)]
    renamed = understood_columns(values) if added else {}
    for name in added:
        if name in Case.model_fields or name in renamed:
            yield PastedColumn(name, renamed.get(name, name))
        elif intended_column(name) is None and intended_field(name, Case) is None:
            yield PastedColumn(name, "", _NO_FIELD)


def _with_known_keys(row: DataRow, columns: Sequence[PastedColumn]) -> DataRow:
    """The row of JSON without the keys that stand for no field, as the columns say."""
    gone = {one.name for one in columns if not one.field}
    return row._replace(values={k: v for k, v in row.values.items() if k not in gone})


def _has_id(row: DataRow, mapper: CaseMapper) -> bool:
    value = next((row.values[name] for name in _id_columns(row, mapper)), None)
    return value is not None and not (isinstance(value, str) and not value.strip())


def _id_columns(row: DataRow, mapper: CaseMapper) -> list[str]:
    return [name for name in row.values if mapper.renamed.get(name, name) == "id"]


def _with_new_id(row: DataRow, mapper: CaseMapper, number: int) -> DataRow:
    """The row with an id in place of its own, which stands in for the new one."""
    gone = _id_columns(row, mapper)
    others = {name: value for name, value in row.values.items() if name not in gone}
    return row._replace(values={"id": f"{_NEW_ID}{number}", **others})


def _columns(
    first: Mapping[str, Any], suite: Suite, chosen: Mapping[str, str]
) -> tuple[PastedColumn, ...]:
    """Return the columns of a table with the fields that they are read as."""
    renamed = understood_columns(first)
    variables = _variables_of(suite)
    found: list[PastedColumn] = []
    for name in first:
        known = _column(name, renamed, variables)
        if name in chosen:
            known = PastedColumn(name, chosen[name], "chosen here")
        taken = {one.field for one in found}
        if known.field and known.field in taken:
            known = PastedColumn(name, "", "another column is read as this field")
        found.append(known)
    return tuple(found)


def _column(name: str, renamed: Mapping[str, str], variables: frozenset[str]) -> PastedColumn:
    if name in Case.model_fields:
        return PastedColumn(name, name)
    if name in renamed:
        return PastedColumn(name, renamed[name], "another name of this field")
    plain = name.removeprefix(VARIABLE)
    if plain in variables or name.startswith(VARIABLE):
        return PastedColumn(name, f"{VARIABLE}{plain}", "a variable of the suite")
    meant = intended_field(name, Case)
    if meant is not None and meant in CHOICES:
        return PastedColumn(name, meant, "the nearest field")
    return PastedColumn(name, "", _NO_FIELD)


def _variables_of(suite: Suite) -> frozenset[str]:
    first = next(iter(suite.cases), None)
    return frozenset((*suite.vars, *(first.vars if first else ())))


def _take(made: PastedCases, row: DataRow, mapper: CaseMapper) -> None:
    """Add the cases of a row, or its faults."""
    cases, found = row_cases(row, mapper, in_suite=False)
    faults = list(found)
    places = RowSourceMap(row, mapper, FILE, _LIMITS)
    for one in faults:
        place = places.locate_key(one.path) if one.is_key else places.locate(one.path)
        column = one.path[:1] if made.is_table else (f"column {place.column}",)
        finding = Finding(FILE, row.number, 1, one.message, _page_hint(one))
        made.refuse(finding, made.rows, str(column[0]) if column else "")
    if not (faults or row.is_faulty):
        made.cases += cases
        made.lines += [row.number] * len(cases)
        made.row_numbers += [made.rows] * len(cases)


def _page_hint(fault: FieldFault) -> str:
    """The hint of a fault with the choice of the page that avoids it."""
    if not fault.path and fault.message.startswith("id "):
        return f"{fault.hint} {_OR_NEW_IDS}"
    return fault.hint


def _with_fields(row: DataRow, columns: Sequence[PastedColumn]) -> DataRow:
    """The row of a table under the names of fields; its variables in one value."""
    values: dict[str, Any] = {}
    variables: dict[str, str] = {}
    for one in columns:
        cell = row.values[one.name]
        if one.field.startswith(VARIABLE):
            variables |= {one.field.removeprefix(VARIABLE): cell} if cell else {}
        elif one.field:
            values[one.field] = cell
    if variables:
        values["vars"] = variables
    return row._replace(values=values)


def _make_ids(made: PastedCases, ids: Sequence[str]) -> None:
    """Give the case of each row without an id the next free one; its expansions follow."""
    if not made.rows_without_id:
        return
    pairs = zip(made.cases, made.row_numbers, strict=True)
    given = (case.id for case, row in pairs if row not in made.rows_without_id)
    taken = {part for one in (*ids, *given) for part in (one, one.partition("/")[0])}
    free = (name for number in count(1) if (name := f"case-{number}") not in taken)
    names: dict[int, str] = {}
    for at, (case, row) in enumerate(zip(made.cases, made.row_numbers, strict=True)):
        if row not in made.rows_without_id:
            continue
        written = case.written_id
        name = names.get(row) or names.setdefault(row, next(free))
        parts = {"expansion_of": name} if case.expansion_of else {}
        if case.expansion_of and case.group == written:
            parts["group"] = name
        renamed = f"{name}{case.id[len(written) :]}"
        made.cases[at] = case.model_copy(update={"id": renamed, **parts})


def _refuse_repeated_ids(made: PastedCases, suite: Suite, *, replaces: bool) -> None:
    known = {} if replaces else dict.fromkeys((case.id for case in suite.cases), 0)
    places = dict(zip(made.row_numbers, made.lines, strict=True))
    gone: set[int] = set()
    for case, row in zip(made.cases, made.row_numbers, strict=True):
        first = known.setdefault(case.id, row)
        if first == row:
            continue
        of_text = f"row {first}" if made.form == "json" else f"line {places.get(first)}"
        message = f"{of_text if first else 'the suite'} has the id {case.id!r} already."
        hint = "Make new ids, replace the cases, or change the id."
        made.refuse(Finding(FILE, places[row], 1, message, hint), row, "id")
        gone.add(row)
    _leave_out(made, gone)


def _refuse_unfilled_templates(made: PastedCases, suite: Suite) -> None:
    """Refuse the rows that lack a variable of the suite's prompts or other templates."""
    gone: set[int] = set()
    for case, line, row in zip(made.cases, made.lines, made.row_numbers, strict=True):
        for path, fault in template_faults_of(suite, case):
            message = f"{fault.message.rstrip('.')} in {_template_words(suite, path)}."
            made.refuse(Finding(FILE, line, 1, message, fault.hint), row)
            gone.add(row)
    _leave_out(made, gone)


def _template_words(suite: Suite, path: Sequence[str | int]) -> str:
    match path:
        case ("prompts", int(index), *_):
            return f"the prompt {suite.prompts[index].id!r}"
        case (name, *_):
            return f"{name} of the suite"
        case _:
            return "the suite"


def _check(made: PastedCases, suite: Suite) -> None:
    """Refuse the rows that the scorers of the suite object to; they are located by row."""
    if not made.cases:
        return
    places = SourceMap(FILE, cases=CaseLines(FILE, tuple(made.row_numbers)))
    alone = replace(suite, cases=tuple(made.cases), source=None, places=places)
    found = check_suite(alone)
    lines = dict(zip(made.row_numbers, made.lines, strict=True))
    for one in found:
        made.refuse(replace(one, line=lines.get(one.line, 0)), one.line)
    made.is_whole = made.is_whole and len(found) < _LIMIT_OF_CHECK
    _leave_out(made, {one.line for one in found})


def _leave_out(made: PastedCases, rows: set[int]) -> None:
    kept = [at for at, row in enumerate(made.row_numbers) if row not in rows]
    made.cases = [made.cases[at] for at in kept]
    made.lines = [made.lines[at] for at in kept]
    made.row_numbers = [made.row_numbers[at] for at in kept]
