"""Rows of trials with the types of their columns."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from benchmaker.redact import Redactor
from benchmaker.report.tables.column_kinds import ColumnKind
from benchmaker.report.tables.trial_rows import (
    CHECK_NAMES,
    ROW_NAMES,
    TOOL_SCORE_NAMES,
    TRANSCRIPT_NAMES,
    as_line,
)

_KINDS = MappingProxyType(
    {
        "run": ColumnKind.INTEGER,
        "weight": ColumnKind.NUMBER,
        "score": ColumnKind.NUMBER,
        "confidence": ColumnKind.NUMBER,
        "score_version": ColumnKind.INTEGER,
        "latency_s": ColumnKind.NUMBER,
        "cost_usd": ColumnKind.NUMBER,
        "input_tokens": ColumnKind.INTEGER,
        "output_tokens": ColumnKind.INTEGER,
        "reasoning_tokens": ColumnKind.INTEGER,
        "passed": ColumnKind.BOOLEAN,
        "steps": ColumnKind.INTEGER,
        "tags": ColumnKind.TEXTS,
        "flags": ColumnKind.TEXTS,
        "also_expected": ColumnKind.TEXTS,
    }
)
"""The kinds of columns that hold no text."""

_AS_JSON = frozenset({"vars", "extraction", "checks", "transcript", "scores"})
"""Columns whose values differ in form from row to row; they are JSON text."""

TRIAL_KINDS: Mapping[str, ColumnKind] = MappingProxyType(
    {
        name: _KINDS.get(name, ColumnKind.TEXT)
        for name in (*ROW_NAMES, *CHECK_NAMES, *TRANSCRIPT_NAMES)
    }
)
"""The columns of typed tables of trials, in their order."""


def trial_kinds(*, has_tool_scores: bool) -> Mapping[str, ColumnKind]:
    """Return the columns of a typed table of trials, with those of imported runs if it has any."""
    if not has_tool_scores:
        return TRIAL_KINDS
    return {**TRIAL_KINDS, **dict.fromkeys(TOOL_SCORE_NAMES, ColumnKind.TEXT)}


def plain_rows(rows: Iterable[dict[str, Any]], hide: Redactor) -> Iterator[dict[str, Any]]:
    """The rows of trials as plain data, without secrets and lone surrogates."""
    for row in rows:
        plain = msgspec.json.decode(as_line(hide.tree(row)))
        for name in _AS_JSON:
            if plain.get(name) is not None:
                plain[name] = as_line(plain[name])
        yield plain
