"""Rows of trials with the types of their columns."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from benchmaker.redact import Redactor
from benchmaker.report.tables.column_kinds import Kind
from benchmaker.report.tables.trial_rows import CHECK_NAMES, ROW_NAMES, as_line

_KINDS = MappingProxyType(
    {
        "run": Kind.INTEGER,
        "weight": Kind.NUMBER,
        "score": Kind.NUMBER,
        "confidence": Kind.NUMBER,
        "score_version": Kind.INTEGER,
        "latency_s": Kind.NUMBER,
        "cost_usd": Kind.NUMBER,
        "input_tokens": Kind.INTEGER,
        "output_tokens": Kind.INTEGER,
        "reasoning_tokens": Kind.INTEGER,
        "passed": Kind.BOOLEAN,
        "tags": Kind.TEXTS,
        "flags": Kind.TEXTS,
        "also_expected": Kind.TEXTS,
    }
)
"""The kinds of columns that hold no text."""

_AS_JSON = frozenset({"vars", "extraction", "checks"})
"""Columns whose values differ in form from row to row; they are JSON text."""

TRIAL_KINDS: Mapping[str, Kind] = MappingProxyType(
    {name: _KINDS.get(name, Kind.TEXT) for name in (*ROW_NAMES, *CHECK_NAMES)}
)
"""The columns of typed tables of trials, in their order."""


def plain_rows(rows: Iterable[dict[str, Any]], hide: Redactor) -> Iterator[dict[str, Any]]:
    """The rows of trials as plain data, without secrets and lone surrogates."""
    for row in rows:
        plain = msgspec.json.decode(as_line(hide.tree(row)))
        for name in _AS_JSON:
            if plain.get(name) is not None:
                plain[name] = as_line(plain[name])
        yield plain
