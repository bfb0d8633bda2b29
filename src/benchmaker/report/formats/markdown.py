"""Markdown as a report format."""

from typing import ClassVar, TextIO

from benchmaker.analysis.effects.run_effects import run_effects
from benchmaker.plugins import report_format
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.runs.markdown import write_markdown


@report_format
class Markdown:
    """Markdown report."""

    suffixes: ClassVar = (".md",)
    media_type: ClassVar = "text/markdown"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write the tables and the answers with the lowest scores."""
        summary, trials = subject.result.summary, subject.trials()
        effects = run_effects(subject.store.columns(summary.run_ids), subject.result.runs)
        write_markdown(summary, stream, trials=trials, effects=effects, redactor=subject.redactor)
