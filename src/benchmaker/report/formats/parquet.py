"""Parquet as a report format: the rows of the JSON Lines export with typed columns."""

from collections.abc import Iterable, Iterator
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, TextIO

import msgspec

from benchmaker.plugins import report_format
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.tables.trial_rows import CHECK_NAMES, ROW_NAMES, as_line
from benchmaker.spec.documents.typed_values import DATA_EXTRA, load_library

_TYPES = MappingProxyType(
    {
        "run": "Int64",
        "weight": "Float64",
        "score": "Float64",
        "confidence": "Float64",
        "score_version": "Int64",
        "latency_s": "Float64",
        "cost_usd": "Float64",
        "input_tokens": "Int64",
        "output_tokens": "Int64",
        "reasoning_tokens": "Int64",
        "passed": "Boolean",
    }
)
"""The types of columns that hold no text."""

_LISTS = frozenset({"tags", "flags", "also_expected"})
_AS_JSON = frozenset({"vars", "extraction", "checks"})
"""Columns whose values differ in form from row to row; they are JSON text."""

_BATCH = 1_000
"""Rows converted together."""


@report_format
class Parquet:
    """Parquet, one row per trial, with typed columns.

    ``vars``, ``extraction`` and ``checks`` are JSON text. The file is binary, so that the stream
    needs a ``buffer``, as files opened as text have.
    """

    suffixes: ClassVar = (".parquet",)
    media_type: ClassVar = "application/vnd.apache.parquet"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write a row for each trial; PrerequisiteError if polars is not installed."""
        polars = load_library("polars", "polars", DATA_EXTRA)
        schema = {name: _column_type(polars, name) for name in (*ROW_NAMES, *CHECK_NAMES)}
        rows = _plain_rows(subject.rows(), subject.redactor)
        frames = [polars.DataFrame(schema=schema)]
        while batch := list(islice(rows, _BATCH)):
            frames.append(polars.DataFrame(batch, schema=schema))
        stream.flush()
        polars.concat(frames).write_parquet(stream.buffer)


def _column_type(polars: Any, name: str) -> Any:  # noqa: ANN401  a foreign module and its types
    if name in _LISTS:
        return polars.List(polars.String)
    return getattr(polars, _TYPES.get(name, "String"))


def _plain_rows(rows: Iterable[dict[str, Any]], hide: Redactor) -> Iterator[dict[str, Any]]:
    """The rows without secrets and lone surrogates."""
    for row in rows:
        plain = msgspec.json.decode(as_line(hide.tree(row)))
        for name in _AS_JSON:
            if plain.get(name) is not None:
                plain[name] = as_line(plain[name])
        yield plain
