"""Models over the runs of one suite, and changes not explained by noise."""

import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmaker.analysis.comparison.pair_interval import Ends, EndsAt, interval_at, level_of
from benchmaker.analysis.comparison.pairing import check_models
from benchmaker.analysis.comparison.pairs import mean_of
from benchmaker.analysis.comparison.results import TESTS
from benchmaker.analysis.metric import FigureName, metric_of
from benchmaker.analysis.summary.aggregate import interval_reason
from benchmaker.analysis.trends.points import (
    HasRuns,
    TimePoint,
    change_of_scoring,
    common_cases,
    markers,
    points_of,
)
from benchmaker.analysis.trends.trend_results import (
    Change,
    ModelTrend,
    Trend,
    TrendPoint,
    TrendStep,
)
from benchmaker.errors import NotComparable, NotEnoughData, SpecError
from benchmaker.record.run import Selection, began_at
from benchmaker.spec import Metric
from benchmaker.stats.differences import Differences, paired_differences
from benchmaker.stats.pairs.multiple_comparisons import holm
from benchmaker.stats.pairs.pair import Pair, head_to_head_rows
from benchmaker.stats.student import alpha

_DRAWS = 9_999
_ALL = Selection()


def trend(
    results: Iterable[HasRuns],
    *,
    models: Sequence[str] = (),
    baseline: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    metric: str | None = None,
) -> Trend:
    """Return each model's mean in every run of one suite, and the changes not explained by noise.

    Points are in the order of their answers; answers rescored with a corrected suite follow their
    first scores, in the order of the rescorings. A series is one point: a case counts with its mean
    over its runs. Each point is compared with the previous finished one of the same version of the
    suite, case by case, by the test that suits the scores (as
    :func:`~benchmaker.analysis.comparison.comparison.compare` chooses it); p-values are adjusted by
    Holm's method over all steps of all models. A finished point stands before unfinished ones and
    other selections of cases. The first point of a version is compared with the version before over
    the cases that are equal in both. A change of the scoring profile is not tested.

    Args:
        results: of runs of one suite, in any order.
        models: the models to follow; all by default.
        baseline: the id of a run or a series that all others are compared with, instead of each
            with the previous one.
        level: level of the intervals; a change counts if its adjusted p is below 1 - level.
        seed: seed of the sign flips.
        metric: ``mean``, ``strict`` for the share of answers that are exactly right, or the name
            of a metric of checks; None for the metric of the latest run's suite.

    Raises:
        NotComparable: the runs are of suites of different names.
        NotEnoughData: fewer than two points.
        SpecError: an unknown model, a baseline that is not among the results, or no results of
            runs.
    """
    read = _results_in(results)
    counted = metric or _latest_metric(read)
    moments = points_of(read, counted)
    _check(moments, models)
    names = models or tuple(dict.fromkeys(name for one in moments for name in one.table.models))
    base = None if baseline is None else _find_baseline(moments, baseline)
    settings = _Settings(base, level, seed)
    drafts = [_Draft.of(name, moments, settings) for name in names]
    tested = [step for draft in drafts for step in draft.pairs if step.p_value is not None]
    adjusted = dict(
        zip(map(id, tested), holm([step.p_value or 0.0 for step in tested]), strict=True)
    )
    figure = _figure(moments)
    return Trend(
        suite=moments[-1].runs[0].suite_name,
        models=tuple(draft.to_trend(adjusted, level, figure) for draft in drafts),
        baseline=base.run_ids if base else (),
        n_steps=len(tested),
        level=level,
        method=_method(drafts, len(tested)),
        warnings=_warnings(drafts, moments),
        figure=figure,
    )


def _figure(moments: Sequence[TimePoint]) -> FigureName:
    """Return the figure shown by all points; if some have grades, that of the graded ones."""
    names = [one.figure for one in moments]
    return next((name for name in names if name != "accuracy"), "accuracy")


def _results_in(given: object) -> list[HasRuns]:
    """The results that were given, each with its runs.

    Raises:
        SpecError: something else was given: a name, one result alone.
    """
    if isinstance(given, Iterable) and not isinstance(given, str):
        read = list(given)
        if all(isinstance(one, HasRuns) for one in read):
            return read
    raise SpecError(
        f"trend needs the results of several runs, not {reprlib.repr(given)}.",
        hint="Pass a list: trend([results(run_id) for run_id in run_ids])",
    )


def _latest_metric(results: Sequence[HasRuns]) -> Metric:
    """The metric of the suite that was run last."""
    runs = [run for result in results for run in result.runs]
    return metric_of(sorted(runs, key=lambda run: run.order)[-1:])


@dataclass(frozen=True, slots=True)
class _Settings:
    baseline: TimePoint | None
    level: float
    seed: int


@dataclass(frozen=True, slots=True)
class _PointPair:
    """A pair of points before its p-value is adjusted."""

    before: int
    after: int
    pair: Pair | None
    reason: str
    ends_at: EndsAt | None = None

    @property
    def p_value(self) -> float | None:
        return self.pair.p_value if self.pair else None

    def to_step(self, p_adjusted: float | None, level: float) -> TrendStep:
        """The step with its verdict, and the interval that goes with it."""
        if self.pair is None or self.ends_at is None:
            return _untested_step(self)
        figures = self.pair.paired
        ci_level = level_of(self.pair.p_value, p_adjusted, level)
        low, high = interval_at((self.pair.low, self.pair.high), self.ends_at, ci_level)
        return TrendStep(
            before=self.before,
            after=self.after,
            diff=figures.diff,
            low=low,
            high=high,
            p_value=self.pair.p_value,
            p_adjusted=p_adjusted,
            n=figures.n,
            test=self.pair.test,
            change=_change(figures.diff, p_adjusted, level),
            reason=self.pair.reason,
            warnings=self.pair.warnings,
            ci_level=ci_level,
        )


@dataclass(frozen=True, slots=True)
class _Draft:
    """One model's points, and its pairs of points."""

    model: str
    points: tuple[TrendPoint, ...]
    pairs: tuple[_PointPair, ...]

    @classmethod
    def of(cls, model: str, moments: Sequence[TimePoint], settings: _Settings) -> "_Draft":
        own = [moment for moment in moments if moment.has(model)]
        befores = [_previous_comparable(own, at) for at in range(len(own))]
        made = tuple(
            _point(moment, model, None if before is None else own[before], settings.level)
            for moment, before in zip(own, befores, strict=True)
        )
        pairs = tuple(
            _compare_points(own, model, first, second, settings)
            for first, second in _places(own, befores, settings)
        )
        return cls(model, made, pairs)

    def to_trend(self, adjusted: dict[int, float], level: float, figure: FigureName) -> ModelTrend:
        steps = tuple(pair.to_step(adjusted.get(id(pair)), level) for pair in self.pairs)
        return ModelTrend(self.model, self.points, steps, figure)


def _previous_comparable(own: Sequence[TimePoint], at: int) -> int | None:
    """The point before this one to compare it with; the last of all if none is comparable.

    Finished points with its cases, or all, stand first; then those of its version; then the latest.
    """
    after = own[at]

    def rank(place: int) -> tuple[bool, bool, bool, int]:
        before = own[place]
        is_whole = before.is_finished and before.facts["cases"] in (after.facts["cases"], _ALL)
        is_same_version = before.suite_hash == after.suite_hash
        return not change_of_scoring(before, after), is_whole, is_same_version, place

    return max(range(at), key=rank, default=None)


def _places(
    own: Sequence[TimePoint], befores: Sequence[int | None], settings: _Settings
) -> list[tuple[int, int]]:
    """Return the pairs of points to compare: each with the previous, or all with the baseline."""
    if settings.baseline is None:
        return [(before, at) for at, before in enumerate(befores) if before is not None]
    if settings.baseline not in own:
        return []
    base = own.index(settings.baseline)
    return [(base, at) for at in range(len(own)) if at != base]


def _point(moment: TimePoint, model: str, earlier: TimePoint | None, level: float) -> TrendPoint:
    mean = mean_of(moment.table.cases_of(model), level)
    return TrendPoint(
        run_ids=moment.run_ids,
        series_id=moment.series_id,
        at=began_at(moment.runs),
        mean=mean.mean,
        low=mean.low,
        high=mean.high,
        n_cases=mean.n,
        markers=markers(earlier, moment),
        reason=interval_reason(mean),
    )


def _compare_points(
    own: Sequence[TimePoint], model: str, first: int, second: int, settings: _Settings
) -> _PointPair:
    before, after = own[first], own[second]
    if changed := change_of_scoring(before, after):
        return _PointPair(first, second, None, f"the {changed} changed")
    left, right = common_cases(before, after)
    old, new = (
        before.table.select_models([model]).rows(left),
        after.table.select_models([model]).rows(right),
    )
    both = old.is_scored[:, 0] & new.is_scored[:, 0]
    if not both.any():
        return _PointPair(first, second, None, "no case has scores in both")
    rows = paired_differences(
        new.scores[both, 0],
        old.scores[both, 0],
        weights=new.weights[both],
        clusters=new.cluster[both],
    )
    made = _test_pair(rows, settings.level, settings.seed)

    def ends_at(level: float) -> Ends:
        """By the test that decides the step."""
        again = made if level == settings.level else _test_pair(rows, level, settings.seed)
        return again.low, again.high

    return _PointPair(first, second, made, "", ends_at)


def _test_pair(rows: Differences, level: float, seed: int) -> Pair:
    return head_to_head_rows(rows, test="auto", level=level, draws=_DRAWS, seed=seed)


def _change(diff: float, p_adjusted: float | None, level: float) -> Change:
    if p_adjusted is None:
        return "not_tested"
    if p_adjusted >= alpha(level):
        return "not_significant"
    return "higher" if diff > 0 else "lower"


def _untested_step(step: _PointPair) -> TrendStep:
    return TrendStep(
        before=step.before,
        after=step.after,
        diff=None,
        low=None,
        high=None,
        p_value=None,
        p_adjusted=None,
        n=0,
        test="",
        change="not_tested",
        reason=step.reason,
    )


def _check(moments: Sequence[TimePoint], models: Sequence[str]) -> None:
    if len(moments) < 2:  # noqa: PLR2004  a step takes two
        raise NotEnoughData(
            f"A trend needs 2 runs of a suite, found {len(moments)}.",
            needed=2,
            got=len(moments),
            hint="Run the suite again, or add more of its runs.",
        )
    names = sorted({moment.runs[0].suite_name for moment in moments})
    if len(names) > 1:
        raise NotComparable(
            f"These runs belong to {len(names)} suites: {', '.join(names)}.",
            hint="Choose runs of one suite.",
        )
    check_models(models, sorted({name for moment in moments for name in moment.table.models}))


def _find_baseline(moments: Sequence[TimePoint], baseline: str) -> TimePoint:
    for moment in moments:
        if baseline in (*moment.run_ids, moment.runs[0].series_id):
            return moment
    raise SpecError(
        f"The baseline {baseline!r} is not among these runs.", hint="Add it to the runs."
    )


def _method(drafts: Sequence[_Draft], steps: int) -> str:
    tests = dict.fromkeys(
        TESTS[pair.pair.test] for draft in drafts for pair in draft.pairs if pair.pair
    )
    if not tests:
        return "no tested change"
    over = f"; Holm over {steps} steps" if steps > 1 else ""
    return f"paired by case: {', '.join(tests)}{over}"


def _warnings(drafts: Sequence[_Draft], moments: Sequence[TimePoint]) -> tuple[str, ...]:
    single = [draft.model for draft in drafts if len(draft.points) == 1]
    never = [draft.model for draft in drafts if not draft.points]
    cut = [moment.series_id or moment.run_ids[0] for moment in moments if not moment.is_finished]
    return (
        *([f"only one point: {', '.join(single)}"] if single else []),
        *([f"no scores in any run: {', '.join(never)}"] if never else []),
        *([f"unfinished: {', '.join(cut)}"] if cut else []),
    )
