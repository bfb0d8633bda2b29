"""The best model of a run or a series, for lists of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmaker.analysis import Summary
from benchmaker.arenas.standard.result import summary_of
from benchmaker.engine.runs.suite_versions import JoinedRuns, labels_of, read_together
from benchmaker.errors import AnalysisError
from benchmaker.record import Run
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.report.runs.verdict import compare_models, result_sentences
from benchmaker.report.sentences.failures import failure_sentences
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.tables import numbers
from benchmaker.store import Store


class Leader(NamedTuple):
    """The best model, its figure with the name and the interval, and how sure its lead is.

    ``model`` is empty without scores, ``interval`` without one, ``verdict`` for a single
    model. ``tied`` is the number of others with the same figure. ``failure`` is the reason for
    the failed requests of the first model that has some.
    """

    model: str = ""
    noun: str = ""
    figure: str = ""
    interval: str = ""
    verdict: str = ""
    tied: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _StoredRuns:
    """Stored runs, as their models are compared."""

    store: Store
    found: JoinedRuns
    summary: Summary

    @property
    def runs(self) -> tuple[Run, ...]:
        return self.found.runs

    def columns(self) -> ScoreColumns:
        return self.found.columns

    def labels(self) -> tuple[Label, ...]:
        return labels_of(self.store, self.found)


def leader_of(store: Store, run_ids: Sequence[str], *, is_compared: bool = True) -> Leader:
    """Return the best model of these runs together; ``is_compared`` adds how sure its lead is."""
    try:
        found = read_together(store, run_ids)
    except AnalysisError:
        return Leader()
    summary = summary_of(store, found.runs, found.columns)
    failure = next(iter(failure_sentences(summary)), "")
    best = summary.models[0] if summary.models else None
    if best is None or summary.figure(best) is None:
        return Leader(failure=failure)
    ends, figure = summary.interval(best), summary.figure(best)
    leader = Leader(
        best.model,
        WORDS[summary.figure_name].noun,
        figure_text(figure, summary.figure_name),
        numbers.interval(ends) if ends else "",
        tied=sum(summary.figure(one) == figure for one in summary.models) - 1,
        failure=failure,
    )
    if len(summary.models) == 1 or not is_compared:
        return leader
    comparison = compare_models(_StoredRuns(store, found, summary))
    return leader._replace(verdict=result_sentences(summary, comparison)[0])
