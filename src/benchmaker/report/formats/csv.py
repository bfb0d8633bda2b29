"""CSV as a report format."""

from typing import ClassVar, TextIO

from benchmaker.plugins import report_format
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.tables.csv import write_rows


@report_format
class Csv:
    """CSV, one row per trial."""

    suffixes: ClassVar = (".csv",)
    media_type: ClassVar = "text/csv"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write the header and a row for each trial."""
        write_rows(
            subject.rows(),
            stream,
            redactor=subject.redactor,
            has_tool_scores=subject.has_tool_scores,
        )
