"""A posted sheet of cases: its rows, their faults, and the suite that they make."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchmaker.errors import SpecError
from benchmaker.spec import Case, Suite
from benchmaker.store import Store
from benchmaker.store.suites.suite_pages import PlacedCase
from benchmaker.web.form_body import FieldLists, Fields, as_sent
from benchmaker.web.suites.case_form import FIELDS, case_texts, read_case
from benchmaker.web.suites.conflicts import EditConflict
from benchmaker.web.suites.form_errors import Remark
from benchmaker.web.suites.sheet import (
    COLUMNS,
    SheetColumn,
    SheetRow,
    cell_texts,
    row_variables,
    text_variables,
)
from benchmaker.web.suites.versions import amend_cases, case_count, twin_of

MOST_ROWS = 1_000
"""Maximum number of rows of a posted sheet."""

_MALFORMED = "Reload the page and edit the sheet again."


@dataclass(frozen=True, slots=True)
class PostedSheet:
    """The columns and rows as they were sent."""

    columns: tuple[SheetColumn, ...]
    rows: tuple[SheetRow, ...]

    @property
    def remarks(self) -> tuple[tuple[SheetRow, Remark], ...]:
        """Every fault with its row."""
        return tuple((row, one) for row in self.rows for one in row.remarks)

    @property
    def has_changes(self) -> bool:
        """True if a case differs, is added or is deleted."""
        return any(_is_changed(row) for row in self.rows)


def _is_changed(row: SheetRow) -> bool:
    if row.before is None:
        return not (row.is_dropped or row.is_blank)
    return row.is_dropped or bool(row.changed_fields)


def read_sheet(store: Store, suite: Suite, posted: FieldLists) -> PostedSheet:
    """Return the sheet in a form.

    Raises:
        SpecError: the form does not come from the page of a sheet.
    """
    columns = tuple(_column(name) for name in dict.fromkeys(posted["column"]))
    keys = posted["key"]
    cells = [posted[f"c{at}"] for at in range(len(columns))]
    if not columns or len(keys) > MOST_ROWS or any(len(one) != len(keys) for one in cells):
        raise SpecError("the sheet is incomplete or too long.", hint=_MALFORMED)
    if len(set(keys)) != len(keys):
        raise SpecError("two rows of the sheet are the same case.", hint=_MALFORMED)
    dropped, count = frozenset(posted["drop"]), case_count(suite)
    rows = [
        SheetRow(
            key,
            {column.field: cell[at] for column, cell in zip(columns, cells, strict=True)},
            _find_case(store, suite, key, count),
            key in dropped,
        )
        for at, key in enumerate(keys)
    ]
    return PostedSheet(columns, tuple(rows))


def _column(name: str) -> SheetColumn:
    column = SheetColumn(name)
    if not column.variable and name not in COLUMNS:
        raise SpecError(f"unknown column {name[:80]!r}.", hint=_MALFORMED)
    return column


def _find_case(store: Store, suite: Suite, key: str, count: int) -> PlacedCase | None:
    if not (key.isascii() and key.isdecimal()):
        return None
    number = int(key[:10])
    if not 0 < number <= count:
        raise SpecError(f"there is no case {number:,}.", hint=_MALFORMED)
    return PlacedCase(number - 1, store.case(suite.content_hash, number - 1))


def add_rows(sheet: PostedSheet, number: int) -> PostedSheet:
    """The sheet with empty rows at its end."""
    blank = (SheetRow("", cell_texts(None, sheet.columns)) for _ in range(number))
    return renumber_rows(sheet, (*sheet.rows, *blank))


def duplicate_row(sheet: PostedSheet, suite: Suite, key: str) -> PostedSheet:
    """The sheet with a copy of a row below it, under an id that is free."""
    rows: list[SheetRow] = []
    for row in sheet.rows:
        rows.append(row)
        if row.key == key:
            taken = (*(case.id for case in suite.cases), *(it.texts["id"] for it in sheet.rows))
            stand_in = Case(id=row.texts["id"] or "case", prompt="?")
            texts = {**row.texts, "id": twin_of(stand_in, taken).id}
            rows.append(SheetRow("", texts))
    return renumber_rows(sheet, rows)


def renumber_rows(sheet: PostedSheet, rows: Iterable[SheetRow]) -> PostedSheet:
    """The sheet with other rows; the new ones have keys of their own."""
    listed = tuple(rows)
    return replace(
        sheet,
        rows=tuple(
            row if row.before else replace(row, key=f"n{at}") for at, row in enumerate(listed, 1)
        ),
    )


def apply_sheet(store: Store, suite: Suite, sheet: PostedSheet) -> tuple[PostedSheet, Suite | None]:
    """Return the suite that the sheet makes, or the sheet with its faults.

    A new row stands below the row above it. Texts of unchanged cells keep values that a form
    cannot show.

    Raises:
        SpecError: a template of a case can't be rendered.
    """
    texts = text_variables(suite)
    rows, cases = [], []
    for row in sheet.rows:
        made, case = _read_row(row, suite, texts)
        rows.append(made)
        cases.append(case)
    checked = replace(sheet, rows=tuple(_with_taken_ids(store, suite, rows)))
    if checked.remarks:
        return checked, None
    return checked, _amend_suite(suite, rows, cases)


def _read_row(row: SheetRow, suite: Suite, texts: frozenset[str]) -> tuple[SheetRow, Case | None]:
    """Return the row with its faults, and its case; None for a row that leaves none."""
    before = row.before.case if row.before else None
    if not _is_changed(row):
        return row, before
    if row.is_dropped:
        return row, None
    shown = {name: as_sent(text) for name, text in case_texts(before).items()}
    typed = {name: text for name, text in row.texts.items() if name in FIELDS}
    fields = Fields({**shown, **typed})
    form = read_case(fields, suite, before, variables=row_variables(row, texts.__contains__))
    remarks = tuple(_at_cell(one, row) for one in form.remarks)
    return replace(row, remarks=remarks), form.case


def _at_cell(remark: Remark, row: SheetRow) -> Remark:
    """The fault at a cell of the row, else at none, with the name of its field."""
    if remark.field in row.texts or not remark.field:
        return remark
    return Remark("", f"{remark.field.replace('_', ' ')}: {remark.message}", remark.hint)


def _with_taken_ids(store: Store, suite: Suite, rows: Sequence[SheetRow]) -> Iterator[SheetRow]:
    """The rows, each repeated id objected to."""
    kept = [row for row in rows if not (row.is_dropped or row.is_blank)]
    uses = Counter(row.texts["id"].strip() for row in kept)
    here = {row.before.position for row in rows if row.before}
    for row in rows:
        name = row.texts["id"].strip()
        if row not in kept or not name or "id" not in row.changed_fields:
            yield row
            continue
        stored = store.suites.position_of(suite.content_hash, name)
        taken = f"another row has the id {name!r}." if uses[name] > 1 else ""
        if stored is not None and stored not in here:
            taken = f"case {stored + 1:,} has the id {name!r}."
        remark = (Remark("id", taken, "Choose another id."),) if taken else ()
        yield replace(row, remarks=(*remark, *row.remarks))


def _amend_suite(suite: Suite, rows: Sequence[SheetRow], cases: Sequence[Case | None]) -> Suite:
    instead: dict[int, list[Case]] = {}
    leading: list[Case] = []
    below = leading
    for row, case in zip(rows, cases, strict=True):
        if row.before is not None:
            below = instead.setdefault(row.before.position, [])
        if case is not None:
            below.append(case)
    if not instead:
        return amend_cases(suite, {}, leading)
    top = min(instead)
    return amend_cases(suite, {**instead, top: [*leading, *instead[top]]})


def moved_to(store: Store, sheet: PostedSheet, newer: EditConflict) -> PostedSheet:
    """The sheet over the newest version of its suite: changed cells as entered, others as there.

    A changed row whose case is gone becomes a new row. A cell that both editors changed has a
    remark with the other text.
    """
    rows = [made for row in sheet.rows if (made := _moved_row(store, row, newer)) is not None]
    return renumber_rows(sheet, rows)


def _moved_row(store: Store, row: SheetRow, newer: EditConflict) -> SheetRow | None:
    if row.before is None:
        return row
    position = store.suites.position_of(newer.newest.content_hash, row.before.case.id)
    changed = row.changed_fields
    if position is None:
        return replace(row, before=None) if changed and not row.is_dropped else None
    case = store.case(newer.newest.content_hash, position)
    columns = [SheetColumn(name) for name in row.texts]
    theirs, ours = cell_texts(case, columns), cell_texts(row.before.case, columns)
    texts = {name: row.texts[name] if name in changed else theirs[name] for name in theirs}
    both = tuple(
        Remark(name, f"changed in the meantime to “{theirs[name][:200]}”.", "Check your text.")
        for name in theirs
        if name in changed and theirs[name] not in (ours[name], row.texts[name])
    )
    placed = PlacedCase(position, case)
    return SheetRow(str(position + 1), texts, placed, row.is_dropped, both)
