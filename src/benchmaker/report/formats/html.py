"""HTML as a report format: the page with the comparison, the ranking and the categories."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, TextIO

from benchmaker.analysis import Comparison, Ranking, Summary, compare, rank, summarise_by
from benchmaker.analysis.comparison.contradictions import compared_with_labels
from benchmaker.analysis.effects.run_effects import run_effects
from benchmaker.analysis.ratings.label_contradictions import ranked_with_labels
from benchmaker.errors import AnalysisError
from benchmaker.plugins import report_format
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.runs.html import write_html


@report_format
class Html:
    """HTML report."""

    suffixes: ClassVar = (".html", ".htm")
    media_type: ClassVar = "text/html"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write one page without external resources."""
        compared = _compare_and_rank(subject)
        write_html(
            subject.result.summary,
            stream,
            trials=subject.trials(),
            suite=subject.suite,
            comparison=compared.comparison,
            ranking=compared.ranking,
            effects=run_effects(subject.store.columns(subject.result.run_ids), subject.result.runs),
            categories=_categories(subject),
            redactor=subject.redactor,
        )


@dataclass(frozen=True, slots=True)
class _ComparedModels:
    """The comparison of the models, as far as the data support it."""

    comparison: Comparison | None = None
    ranking: Ranking | None = None


def _compare_and_rank(subject: ReportSubject) -> _ComparedModels:
    """The comparison and the ranking of the models; without them where there is one alone."""
    runs = subject.result.runs
    columns = subject.store.columns(subject.result.run_ids)
    labels = subject.store.labels(subject.result.run_ids)
    made = _ComparedModels()
    with suppress(AnalysisError):
        compared = compare(columns, runs)
        made = _ComparedModels(compared_with_labels(compared, columns, labels))
        ranked = ranked_with_labels(rank(columns, runs), columns, labels)
        made = _ComparedModels(made.comparison, ranked)
    return made


def _categories(subject: ReportSubject) -> Mapping[str, Summary]:
    """The summary of each category; nothing where no case has one."""
    cases = subject.suite
    if all(case.category is None for case in cases):
        return {}
    return summarise_by(subject.result, cases, "category")
