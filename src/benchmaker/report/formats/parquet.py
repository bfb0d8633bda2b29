"""Parquet as a report format: the rows of the JSON Lines export with typed columns."""

from itertools import islice
from typing import ClassVar, TextIO

from benchmaker.plugins import report_format
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.tables.column_kinds import polars_schema
from benchmaker.report.tables.typed_trials import plain_rows, trial_kinds
from benchmaker.spec.documents.typed_values import DATA_EXTRA, load_library

_BATCH = 1_000
"""Rows converted together."""


@report_format
class Parquet:
    """Parquet, one row per trial, with typed columns.

    ``vars``, ``extraction``, ``checks``, ``transcript`` and ``scores`` are JSON text. The file is
    binary, so that the stream needs a ``buffer``, as files opened as text have.
    """

    suffixes: ClassVar = (".parquet",)
    media_type: ClassVar = "application/vnd.apache.parquet"
    takes_threshold: ClassVar = False
    is_binary: ClassVar = True

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write a row for each trial; PrerequisiteError if polars is not installed."""
        polars = load_library("polars", "polars", DATA_EXTRA)
        schema = polars_schema(polars, trial_kinds(has_tool_scores=subject.has_tool_scores))
        rows = plain_rows(subject.rows(), subject.redactor)
        frames = [polars.DataFrame(schema=schema)]
        while batch := list(islice(rows, _BATCH)):
            frames.append(polars.DataFrame(batch, schema=schema))
        stream.flush()
        polars.concat(frames).write_parquet(stream.buffer)
