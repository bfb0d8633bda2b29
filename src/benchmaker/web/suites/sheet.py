"""The cases of a suite as a sheet: its columns, its rows, and the values of variables in cells."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.strict_json import decode_value
from benchmaker.store.suites.suite_pages import PlacedCase
from benchmaker.web.form_body import as_sent
from benchmaker.web.suites.case_form import case_texts
from benchmaker.web.suites.form_errors import Remark

VARIABLE = "vars."
"""The beginning of the name of a column that holds a variable."""

MOST_VARIABLES = 30
"""Maximum number of columns of variables; further variables stay as they are."""

_LOOKED_AT = 1_000
"""So many cases decide on the columns, beside those of the page."""

_TITLES = {
    "id": "Id",
    "prompt": "Question",
    "expected": "Expected",
    "also_expected": "Alternative answers",
    "choices": "Choices",
    "category": "Category",
    "tags": "Tags",
    "difficulty": "Difficulty",
    "group": "Group",
    "weight": "Weight",
    "scorer": "Scorer",
}
COLUMNS = tuple(_TITLES)
"""The fields of a case that have a column, in the order of the sheet; variables stand second."""

_ALWAYS = ("id", "expected", "category", "tags")
_LONG = ("prompt", "expected", "also_expected", "choices")
_OUTSIDE = ("messages", "metadata", "page", "checks", "threshold", "checks_only", "tools")
"""Fields that only the page of the case shows."""


class SheetColumn(NamedTuple):
    """A column: the field of the case form, or the name of a variable after ``vars.``."""

    field: str

    @property
    def variable(self) -> str:
        """The name of the variable; empty for a field."""
        return self.field.removeprefix(VARIABLE) if self.field.startswith(VARIABLE) else ""

    @property
    def title(self) -> str:
        """The head of the column."""
        return self.variable or _TITLES[self.field]

    @property
    def is_long(self) -> bool:
        """True if cells may have several lines."""
        return bool(self.variable) or self.field in _LONG


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row: the entered texts by field, beside the case that it shows.

    ``key`` is the number of a stored case, from 1, or any other word for a new row.
    """

    key: str
    texts: Mapping[str, str]
    before: PlacedCase | None = None
    is_dropped: bool = False
    remarks: tuple[Remark, ...] = ()

    @property
    def number(self) -> int:
        """The number of the case in the suite, from 1; 0 for a new row."""
        return self.before.position + 1 if self.before else 0

    @property
    def is_blank(self) -> bool:
        """True for a new row without any text."""
        return self.before is None and not any(map(str.strip, self.texts.values()))

    @property
    def changed_fields(self) -> frozenset[str]:
        """The fields whose text differs from that of the case."""
        shown = cell_texts(self.before.case, map(SheetColumn, self.texts)) if self.before else {}
        return frozenset(
            name for name, text in self.texts.items() if text != as_sent(shown.get(name, ""))
        )

    @property
    def fields_outside(self) -> tuple[str, ...]:
        """The fields of the case that have no column."""
        if self.before is None:
            return ()
        case = self.before.case
        own = (name for name in _OUTSIDE if getattr(case, name) not in (None, "", (), {}, False))
        parameters = ("scorer parameters",) if case.scorer and case.scorer.parameters else ()
        return (*(name.replace("_", " ") for name in own), *parameters)

    def remarks_for(self, field: str) -> tuple[Remark, ...]:
        """Return the faults of a cell; "" for those of no cell."""
        return tuple(one for one in self.remarks if one.field == field)


def sheet_columns(suite: Suite, rows: Iterable[PlacedCase]) -> tuple[SheetColumn, ...]:
    """Return the columns for a suite and some of its cases: the fields and variables in use."""
    used: set[str] = set(_ALWAYS)
    variables: dict[str, None] = {}
    seen = chain((row.case for row in rows), islice(suite.cases, _LOOKED_AT))
    for case in seen:
        used.update(_used_fields(case))
        variables.update(dict.fromkeys(case.vars))
    if not variables or not suite.prompts:
        used.add("prompt")
    first, *others = (SheetColumn(name) for name in COLUMNS if name in used)
    named = (SheetColumn(f"{VARIABLE}{name}") for name in islice(variables, MOST_VARIABLES))
    return (first, *named, *others)


def _used_fields(case: Case) -> Iterator[str]:
    if case.weight != 1:
        yield "weight"
    if case.scorer is not None:
        yield "scorer"
    for name in ("prompt", "also_expected", "choices", "difficulty", "group"):
        if getattr(case, name):
            yield name


def cell_texts(case: Case | None, columns: Iterable[SheetColumn]) -> dict[str, str]:
    """Return the texts of the cells of a case; those of a new one are empty."""
    if case is None:
        return {column.field: "" for column in columns}
    texts = case_texts(case)
    return {
        column.field: _variable_text(case.vars, column.variable)
        if column.variable
        else texts[column.field]
        for column in columns
    }


def _variable_text(variables: Mapping[str, Any], name: str) -> str:
    if name not in variables:
        return ""
    value = variables[name]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def text_variables(suite: Suite) -> frozenset[str]:
    """Return the variables that hold a text in one of the first cases."""
    return frozenset(
        name
        for case in islice(suite.cases, _LOOKED_AT)
        for name, value in case.vars.items()
        if isinstance(value, str)
    )


def row_variables(row: SheetRow, is_text: Callable[[str], bool]) -> dict[str, Any]:
    """Return the variables of a row; an unchanged cell keeps its value.

    A changed cell is a text if ``is_text`` says so of its variable, else JSON where it is any. A
    list is taken from new rows only, where it makes several cases.
    """
    before = row.before.case.vars if row.before else {}
    made = dict(before)
    for field in row.changed_fields:
        name = SheetColumn(field).variable
        if not name:
            continue
        made.pop(name, None)
        if text := row.texts[field]:
            value = text if is_text(name) else _json_or_text(text)
            made[name] = text if isinstance(value, list) and row.before else value
    return {name: made[name] for name in dict.fromkeys((*before, *made)) if name in made}


def _json_or_text(text: str) -> Any:  # noqa: ANN401  any JSON
    try:
        value = decode_value(text)
    except (ValueError, RecursionError):
        return text
    return text if value is None else value


def sheet_rows(placed: Sequence[PlacedCase], columns: Sequence[SheetColumn]) -> list[SheetRow]:
    """Return the rows of some cases."""
    return [SheetRow(str(one.position + 1), cell_texts(one.case, columns), one) for one in placed]
