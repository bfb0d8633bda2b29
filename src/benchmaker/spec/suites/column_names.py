"""Columns of data files under the names of other tools, understood where only one can be meant."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from benchmaker.spec.documents.foreign_files import MEANT
from benchmaker.spec.suites.case import Case

_QUESTION = frozenset({"prompt", "messages"})


def understood_columns(first: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields that columns of other names stand for, by column.

    A column is understood if it is the only one that can stand for its field and the line has no
    such field of its own. The number of an answer beside choices may count from 0, so that it is
    not understood.

    >>> understood_columns({"id": 1, "question": "40 + 2?", "answer": "42"})
    {'question': 'prompt', 'answer': 'expected'}
    >>> understood_columns({"instruction": "Add.", "input": "40 + 2"})
    {}
    """
    columns = defaultdict(list)
    for column in first:
        if field := intended_column(column):
            columns[field].append(column)
    return {
        found[0]: field
        for field, found in columns.items()
        if len(found) == 1 and not _is_taken(field, first) and not _is_position(found[0], first)
    }


def intended_column(column: str) -> str | None:
    """Return the field that a column of another name probably stands for.

    >>> intended_column("Question"), intended_column("prompt"), intended_column("Prompt")
    ('prompt', None, 'prompt')
    """
    if column in Case.model_fields:
        return None
    word = column.strip().casefold()
    meant = MEANT.get(word, word)
    return meant if meant in Case.model_fields else None


def _is_taken(field: str, first: Mapping[str, Any]) -> bool:
    return bool((_QUESTION if field in _QUESTION else {field}) & first.keys())


def _is_position(column: str, first: Mapping[str, Any]) -> bool:
    """True if the value may be the position of an answer among the choices."""
    value = first[column]
    is_number = isinstance(value, int) or (isinstance(value, str) and value.isdecimal())
    return is_number and any(name.casefold() in {"choices", "options"} for name in first)
