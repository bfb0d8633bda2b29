"""The one object behind every table of a run or a series."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.analysis.comparable import check_comparable, reproducibility
from benchmaker.analysis.early_ends import early_ends, left_out_of
from benchmaker.analysis.judges.judging import JudgingSummary
from benchmaker.analysis.metric import (
    FigureName,
    figure_names,
    is_right_or_wrong,
    metric_of,
)
from benchmaker.analysis.selected_cases import selected_cases
from benchmaker.analysis.summary.decisions import GateResult
from benchmaker.analysis.summary.model_summary import Interval, ModelFigures, ModelSummary
from benchmaker.analysis.summary.run_progress import partial_runs, planned_trials
from benchmaker.analysis.summary.setup_summaries import SetupSummary, setup_summaries
from benchmaker.analysis.summary.spending import Spending, embeddings_to_dict, spending_of
from benchmaker.documents import FIRST, OMITTED, Document, Key, listed
from benchmaker.record import (
    WITHOUT_JUDGE,
    EmbeddingTotals,
    Run,
    RunState,
)
from benchmaker.record.counts import count
from benchmaker.record.failure import FailedTool, FailureCause
from benchmaker.record.run import setup_noun
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.spec import Metric
from benchmaker.stats.columns import count_distinct

if TYPE_CHECKING:  # few runs have labels
    from benchmaker.analysis.judges.correction import CorrectedMeans

Rows = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Summary(Document, scale="0-1"):
    """A run, or the runs of a series, model by model, best first by its metric, ties by name.

    Models that were dropped or stopped before their last case are left out of the comparison if
    two others have scores; they follow the compared ones. Models without a score come last.
    ``runs`` are the records of the runs, empty if only scores were given. ``mean_of`` is the unit
    of averaging: cases, or each case's mean over runs. ``judging`` summarises the judges, None
    without judges; ``corrected`` are the means corrected by human labels, None without labels.
    ``embedding_totals`` are the requests for embeddings, by model.
    ``gate`` is the result of the runs' gate, None without one. ``not_run`` names the cases of a
    finished run that some setup has no trial of, ``not_run_by_setup`` the same by the names of
    these setups. ``selected_cases`` counts the cases of positive weight that the runs selected,
    ``scored_cases`` those with a score of at least one model. ``ended_early`` maps the setups that
    were dropped or stopped before their last case to the reason with their number of cases, and
    ``stopped`` the models stopped by a failure to the reasons; ``failed`` and ``unscored`` are the
    most frequent reasons for failed requests and missing scores, and ``failed_tools`` the tools of
    which every call failed. ``metric``
    orders the models; if ``is_right_or_wrong``, every score is 0 or 1 and the
    mean is the strict accuracy. ``noun`` is the word for a row of ``models``: model, or setup for
    runs with prompts or efforts. ``repeat_runs`` repeat only the cases whose first two scores
    differ; means and intervals do not count them.
    """

    run_ids: Annotated[tuple[str, ...], Key(after="series_id")]
    runs: Annotated[tuple[Run, ...], OMITTED]
    models: tuple[ModelSummary, ...]
    level: Annotated[float, Key(after="weighted")]
    weighted: Annotated[bool, Key(after="figure")]
    selected_cases: Annotated[int, Key(after="mean_of")]
    scored_cases: Annotated[int, Key(after="selected_cases")]
    zero_weight_cases: Annotated[int, OMITTED]
    judging: JudgingSummary | None = None
    corrected: "CorrectedMeans | None" = None
    gate: GateResult | None = None
    not_run: Annotated[tuple[str, ...], Key(after="rescored_from")] = ()
    not_run_by_setup: Annotated[Mapping[str, tuple[str, ...]], Key(after="not_run")] = field(
        default_factory=dict
    )
    ended_early: Annotated[Mapping[str, str], Key(after="not_run_by_setup")] = field(
        default_factory=dict
    )
    stopped: Annotated[Mapping[str, str], OMITTED] = field(default_factory=dict)
    failed: Annotated[tuple[FailureCause, ...], OMITTED] = ()
    unscored: Annotated[tuple[FailureCause, ...], OMITTED] = ()
    failed_tools: Annotated[
        tuple[FailedTool, ...], Key(after="not_run_by_setup", omit_if_empty=True)
    ] = ()
    metric: Annotated[Metric, Key(after="mean_of")] = "mean"
    is_right_or_wrong: Annotated[bool, OMITTED] = False
    noun: Annotated[str, OMITTED] = "model"
    embedding_totals: Annotated[tuple[EmbeddingTotals, ...], OMITTED] = ()
    repeat_runs: Annotated[tuple[str, ...], Key(after="run_ids", omit_if_empty=True)] = ()

    @property
    @listed(after=FIRST)
    def run_id(self) -> str | None:
        """The id of the run; None for a series."""
        return None if self.is_series else next(iter(self.run_ids), None)

    @property
    @listed(after="run_id")
    def series_id(self) -> str | None:
        """The id of the series."""
        return self.run.series_id if self.run else None

    @property
    @listed(after="run_ids")
    def rescored_from(self) -> tuple[str, ...]:
        """The runs whose answers were scored again."""
        return tuple(it.rescored_from for it in self.runs if it.rescored_from)

    @property
    @listed(after="not_run_by_setup")
    def suite(self) -> str | None:
        """The name of the suite."""
        return self.run.suite_name if self.run else None

    @property
    @listed(after="suite")
    def suite_hash(self) -> str | None:
        """The content hash of the suite."""
        return self.run.suite_hash if self.run else None

    @property
    @listed(after="suite_hash")
    def profile(self) -> str | None:
        """The scoring profile."""
        return self.run.profile if self.run else None

    @property
    @listed(after="profile")
    def profile_version(self) -> str | None:
        """The version of the scoring profile."""
        return self.run.profile_version if self.run else None

    @property
    @listed("complete", after="profile_version")
    def is_judged_whole(self) -> bool:
        """True if every run has finished, every trial was run, and no judgment is missing."""
        is_judged = not (self.judging and self.judging.is_incomplete)
        return self.is_complete and not self.not_run and is_judged

    @property
    @listed(after="models")
    def setups(self) -> tuple[SetupSummary, ...]:
        """Model, prompt and effort of each row, in the order of ``models``."""
        return setup_summaries(self.runs, self.models)

    @property
    @listed(after="setups")
    def notes(self) -> tuple[str, ...]:
        """The remarks recorded with the runs, each once."""
        return tuple(dict.fromkeys(note for run in self.runs for note in run.notes))

    @property
    def is_series(self) -> bool:
        """True for several runs."""
        return len(self.run_ids) > 1

    @property
    def n_full_runs(self) -> int:
        """The number of runs in which every case runs: all but ``repeat_runs``."""
        return len(self.run_ids) - len(self.repeat_runs)

    @property
    def run(self) -> Run | None:
        """The first run's record, which represents the shared settings."""
        return self.runs[0] if self.runs else None

    @property
    @listed("figure", after="metric")
    def figure_name(self) -> FigureName:
        """The name of the metric's figure."""
        return self.figure_names[0]

    @property
    def figure_names(self) -> tuple[FigureName, ...]:
        """The figures shown for each model: the metric's figure, then the other one."""
        right, checks = self.is_right_or_wrong, self.measure == "checks"
        return figure_names(self.metric, is_right_or_wrong=right, is_of_checks=checks)

    def interval(self, model: ModelSummary) -> Interval | None:
        """Return the interval over cases of a model's metric."""
        return model.ci95 if self.metric == "mean" else model.strict_ci95

    def figure(self, model: ModelSummary) -> float | None:
        """Return the metric's figure of a model: its mean, or its strict accuracy."""
        return _figure(model, self.metric)

    @property
    @listed(after="measure")
    def mean_of(self) -> str:
        """The unit of averaging."""
        if self.is_series:
            return f"case means over {count(self.n_full_runs, 'run')}"
        return "cases"

    @property
    @listed(after="complete")
    def measure(self) -> Literal["score", "checks"]:
        """The averaged quantity: scores, or the share of page checks passed without a judge."""
        scored = sum(model.n_scored + model.zero_weight.n_scored for model in self.models)
        unjudged = sum(model.flags.get(WITHOUT_JUDGE, 0) for model in self.models)
        return "checks" if scored and unjudged >= scored else "score"

    @property
    @listed(after="judging")
    def embeddings(self) -> list[dict[str, Any]]:
        """The requests for embeddings of each model, with their cost."""
        return [embeddings_to_dict(one) for one in self.embedding_totals]

    @property
    def spending(self) -> Spending:
        """The cost of all requests, judges and embeddings included."""
        return spending_of(self.models, self.judging, self.embedding_totals)

    @property
    @listed(after="level")
    def method(self) -> str | None:
        """The methods of the means and intervals; None without any."""
        return "; ".join(self.methods) or None

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of means and intervals over cases, without repeats."""
        used = {model.ci95_method for model in self.models}
        used |= {model.strict_ci95_method for model in self.models}
        return tuple(sorted(used - {""}))

    @property
    def n_planned(self) -> int | None:
        """The number of planned trials, if known for every model."""
        counts = [model.n_planned for model in self.models]
        return sum(count for count in counts if count is not None) if all(counts) else None

    @property
    def is_complete(self) -> bool:
        """True if every run has finished."""
        return all(run.state is RunState.FINISHED for run in self.runs)

    @property
    @listed(after="gate")
    def reproducibility(self) -> dict[str, Any] | None:
        """The settings needed to get the same numbers again."""
        return reproducibility(self.run) if self.run else None


def summarise(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    runs: Sequence[Run] = (),
    *,
    cases: CaseWeights | None = None,
    level: float = 0.95,
    metric: Metric | None = None,
) -> Summary:
    """Summarise one run or a series, model by model.

    Args:
        columns: the scores: columns, results of runs, or trials.
        runs: the records of the same runs; without them the summary names no suite.
        cases: the cases to count, with their weights; None for all, as in the runs.
        level: of the intervals.
        metric: the sort key of models; None for the suite's metric.

    Raises:
        NotComparable: the runs do not share suite and profile.
        SpecError: none of the given cases occurs in the runs.
    """
    check_comparable(runs)
    whole = columns_of(columns)
    table = columns_of(whole, cases)
    partial = partial_runs(whole, runs)
    run_ids = tuple(dict.fromkeys([*(run.id for run in runs), *table.run_ids]))
    names = dict.fromkeys([*table.models, *(name for run in runs for name in run.models)])
    codes = {name: code for code, name in enumerate(table.models)}
    planned = None if cases is not None else planned_trials(runs)
    counted_as = metric_of(runs, metric)
    models = [
        ModelFigures(table, name, codes.get(name, -1), level, counted_as).summary(
            partial=partial.get(name, ()) if len(run_ids) > 1 else None,
            planned=planned.get(name) if planned else None,
            n_runs=sum(name in run.models for run in runs if run.id not in table.repeat_runs),
            n_repeats_planned=sum(
                run.planned_of(name) for run in runs if run.id in table.repeat_runs
            ),
        )
        for name in names
    ]
    with_score = [one.model for one in models if _figure(one, counted_as) is not None]
    ended_early = early_ends(whole, runs)
    left_out = left_out_of(with_score, ended_early)
    models.sort(key=lambda one: _place(one, counted_as, left_out))
    counted = table.weight[table.weight > 0]
    return Summary(
        run_ids=run_ids,
        runs=tuple(runs),
        models=tuple(models),
        level=level,
        weighted=bool(len(counted) and counted.min() != counted.max()),
        selected_cases=selected_cases(table, () if cases is not None else runs),
        scored_cases=count_distinct(table.position[_is_in_mean(table)]),
        zero_weight_cases=count_distinct(table.position[(table.weight == 0) & ~table.is_repeat]),
        repeat_runs=tuple(it for it in run_ids if it in table.repeat_runs),
        ended_early=ended_early,
        metric=counted_as,
        is_right_or_wrong=is_right_or_wrong(table, runs),
        noun=setup_noun(runs),
    )


def _is_in_mean(table: ScoreColumns) -> Rows:
    is_counted: Rows = (table.weight > 0) & ~table.is_repeat & ~np.isnan(table.score)
    return is_counted


def _figure(model: ModelSummary, metric: Metric) -> float | None:
    return model.mean if metric == "mean" else model.strict_accuracy


def _place(
    model: ModelSummary, metric: Metric, left_out: Container[str]
) -> tuple[bool, bool, float, str]:
    """Return the sort key of models: best first, ties by name.

    Those left out of the comparison follow, and then those without a figure.
    """
    figure = _figure(model, metric)
    return figure is None, model.model in left_out, -(figure or 0.0), model.model
