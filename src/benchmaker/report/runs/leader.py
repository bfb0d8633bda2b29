"""The setups of a run or a series in short, and how sure the lead of the best is, for lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.analysis.early_ends import left_out_of
from benchmaker.arenas.standard.result import summary_of
from benchmaker.engine.runs.suite_versions import JoinedRuns, labels_of, read_together
from benchmaker.errors import AnalysisError
from benchmaker.record import Run
from benchmaker.record.counts import count
from benchmaker.record.label import Label
from benchmaker.record.points import points
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.report.runs.verdict import compare_models, result_sentences
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.failures import failure_sentences
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import model_cost
from benchmaker.report.sentences.unknown_costs import missing_cost_reason
from benchmaker.report.tables import numbers
from benchmaker.store import Store

if TYPE_CHECKING:  # loaded where models are compared
    from benchmaker.analysis.comparison.results import ComparedPair, Comparison


class SetupFigure(NamedTuple):
    """A setup: its cost, its figure from 0 to 1 and the interval, these two also as text.

    ``n`` is the number of cases behind the figure. ``ended_early`` says that it was dropped or
    stopped, and after how many cases, and ``left_out`` the same if the others are compared without
    it; else empty. ``cost_usd`` is None if no cost is known, and the known part if
    ``cost_reason`` is the reason for the rest.
    """

    model: str
    value: float | None
    ends: tuple[float, float] | None
    figure: str
    interval: str
    cost: str
    n: int = 0
    left_out: str = ""
    ended_early: str = ""
    cost_usd: float | None = None
    cost_reason: str = ""


class Leader(NamedTuple):
    """The best model, its figure with the name and the interval, and how sure its lead is.

    A model that was dropped or stopped is the best only if fewer than two others have scores.
    ``model`` is empty without scores, ``interval`` without one, ``verdict`` for a single
    model. ``tied`` is the number of others with the same figure. ``failure`` is the reason for
    the failed requests of the first model that has some. ``setups`` are all models, best first.
    """

    model: str = ""
    noun: str = ""
    figure: str = ""
    interval: str = ""
    verdict: str = ""
    tied: int = 0
    failure: str = ""
    setups: tuple[SetupFigure, ...] = ()


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
    setups = _setups(summary)
    best = setups[0] if setups else None
    if best is None or best.value is None:
        return Leader(failure=failure, setups=setups)
    leader = Leader(
        best.model,
        WORDS[summary.figure_name].noun,
        best.figure,
        best.interval,
        tied=sum(one.value == best.value and not one.left_out for one in setups) - 1,
        failure=failure,
        setups=setups,
    )
    if len(setups) == 1 or not is_compared:
        return leader
    comparison = compare_models(_StoredRuns(store, found, summary))
    return leader._replace(verdict=_verdict(best.model, comparison, summary))


def _setups(summary: Summary) -> tuple[SetupFigure, ...]:
    """The setups in the order of the summary, with the reasons of those left out."""
    setups = [_setup(one, summary) for one in summary.models]
    with_score = [one.model for one in setups if one.value is not None]
    left_out = left_out_of(with_score, summary.ended_early)
    return tuple(one._replace(left_out=left_out.get(one.model, "")) for one in setups)


def _setup(model: ModelSummary, summary: Summary) -> SetupFigure:
    ends, value = summary.interval(model), summary.figure(model)
    text = figure_text(value, summary.figure_name)
    interval = numbers.interval(ends) if ends else ""
    return SetupFigure(
        model.model,
        value,
        ends,
        text,
        interval,
        model_cost(model),
        n=model.n_cases,
        ended_early=summary.ended_early.get(model.model, ""),
        cost_usd=model.cost_usd if model.cost_usd is not None else model.cost_usd_at_least or None,
        cost_reason=missing_cost_reason(model, summary),
    )


def _verdict(best: str, comparison: "Comparison | None", summary: Summary) -> str:
    """The verdict beside the best model, without its name; in full if it is about others."""
    if comparison is None:
        scored = sum(summary.figure(one) is not None for one in summary.models)
        return f"the only {summary.noun} with scores" if scored == 1 else missing_figures.NOT_TESTED
    pair = comparison.headline
    basis = f"{_cases_words(pair, comparison)}{_without_words(comparison)}"
    if pair.model_a == best:
        return f"{lead_words(pair)}{basis}"
    whole = result_sentences(summary, comparison)[0]
    return f"{whole.removesuffix('.')}{basis}." if basis else whole


def _cases_words(pair: "ComparedPair", comparison: "Comparison") -> str:
    """The number of cases behind a verdict that is not over all of them; else empty."""
    if pair.n >= comparison.n_cases or not comparison.is_paired:
        return ""
    return f", over {pair.n:,} of {count(comparison.n_cases, 'case')}"


def _without_words(comparison: "Comparison") -> str:
    """The models that were left out of a verdict; else empty."""
    left_out = comparison.left_out
    if len(left_out) > 1:
        return f", without {count(len(left_out), comparison.noun)} dropped or stopped"
    return "".join(f", without {name} ({reason})" for name, reason in left_out.items())


def lead_words(pair: "ComparedPair") -> str:
    """The lead of the better model of a pair over the other one, with its uncertainty, in short.

    A lead that is not significant has its difference and interval, too. The interval has the name
    of its adjustment.
    """
    ends = None if pair.low is None or pair.high is None else (pair.low, pair.high)
    by = f", {pair.adjustment}" if pair.adjustment else ""
    sure = f" {numbers.interval(ends)}{by}" if ends else ""
    other = pair.model_b
    match pair.verdict:
        case "ahead":
            return f"ahead of {other} by {points(pair.diff)} points{sure}"
        case "equivalent":
            return f"equivalent to {other} within {points(pair.margin or 0.0)} points"
        case _ if pair.is_equal_throughout:
            return f"no difference from {other}: same score in every case"
        case _ if pair.p_value is None:
            return f"not tested: {pair.reason}" if pair.reason else missing_figures.NOT_TESTED
        case _:
            lead = numbers.difference(pair.diff)
            return f"no significant difference from {other}: {lead}{sure}"
