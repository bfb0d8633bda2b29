"""Comparisons and rankings of models over runs of one suite; sample sizes; trends."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Query

from benchmaker.analysis.comparison import planning
from benchmaker.analysis.comparison.comparison import compare
from benchmaker.analysis.comparison.contradictions import (
    corrected_pairs,
    warned_by_labels,
)
from benchmaker.analysis.comparison.groups import compare_by
from benchmaker.analysis.comparison.reference import compare_with_reference
from benchmaker.analysis.comparison.repeats_needed import JudgeNoise, judge_noise
from benchmaker.analysis.comparison.results import Comparison, with_warnings
from benchmaker.analysis.effects.dimensions import Dimension
from benchmaker.analysis.effects.levels import compare_levels
from benchmaker.analysis.gates.baseline_gate import decide_gate
from benchmaker.analysis.gates.gate_results import BaselineGate
from benchmaker.analysis.ratings.label_contradictions import ranked_with_labels
from benchmaker.analysis.ratings.ranking import Method
from benchmaker.analysis.ratings.rate import rank
from benchmaker.analysis.trends.trends import trend
from benchmaker.arenas.standard.gating import refuse_itself
from benchmaker.engine.runs.run_baselines import baseline_of_runs
from benchmaker.engine.runs.suite_versions import (
    JoinedRuns,
    labels_of,
    read_points,
    read_together,
)
from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.record import Run
from benchmaker.record.run import setups_named
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.redact import Redactor
from benchmaker.report.runs.comparison import comparison_json
from benchmaker.store import Store
from benchmaker.web.api.name_lookup import RunName, resolve_runs
from benchmaker.web.api.paging import QueryModel
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import comparison as shapes
from benchmaker.web.faults import Missing
from benchmaker.web.workbench import Bench

api = Api("comparison")
router = api.router

_TOGETHER = 20

MetricName = Annotated[str, Query(min_length=1, max_length=200)]
Level = Annotated[float, Query(gt=0.5, lt=1)]
Points = Annotated[float | None, Query(gt=0, le=100)]


class ComparedRunsQuery(QueryModel):
    """The runs, several of one suite joined; `latest` by default."""

    run: Annotated[tuple[str, ...], Query(max_length=_TOGETHER)] = ()
    model: Annotated[tuple[str, ...], Query(max_length=100)] = ()
    level: Level = 0.95
    metric: MetricName | None = None


class GateQuery(QueryModel):
    """The baseline, a run or a series; `max_drop` is in points (0–100)."""

    baseline: Annotated[str, Query(min_length=1, max_length=200)]
    max_drop: Annotated[float, Query(ge=0, le=100)] = 2.0
    model: Annotated[tuple[str, ...], Query(max_length=100)] = ()
    metric: MetricName | None = None


class ComparisonQuery(ComparedRunsQuery):
    """The options of the comparison; `margin` is in points (0–100)."""

    reference: Annotated[str, Query(max_length=2_000)] = ""
    correction: Literal["holm", "bh", "by", "max_t", "none"] = "holm"
    margin: Points = None


class ComparisonGroupsQuery(ComparisonQuery):
    """Within which groups of cases."""

    by: Literal["category", "difficulty", "tag"] = "category"


class LevelsQuery(ComparisonQuery):
    """The dimension whose levels are compared."""

    by: Dimension = "model"


class RankingQuery(ComparedRunsQuery):
    """The options of the ranking."""

    method: Method = "bradley_terry"
    cluster: Literal["auto", "voter", "prompt", "both", "none"] = "auto"
    prior: Annotated[float, Query(ge=0, le=1e6)] = 0.0
    top: Annotated[int, Query(ge=1, le=1_000)] = 1
    marginal: bool = False


class SuiteTrendQuery(ComparedRunsQuery):
    """The runs to follow: the named ones, or all of a suite, by name or hash."""

    suite: Annotated[str, Query(max_length=300)] = ""
    baseline: Annotated[str, Query(max_length=300)] = ""


class PowerQuery(QueryModel):
    """Two of `n`, `delta` and `power`; differences are in points (0–100)."""

    n: Annotated[int | None, Query(ge=2, le=10**9)] = None
    delta: Points = None
    power: Annotated[float | None, Query(gt=0, lt=1)] = None
    sd: Annotated[float | None, Query(gt=0, le=1_000)] = None
    run: Annotated[str, Query(max_length=300)] = ""
    model: Annotated[tuple[str, ...], Query(max_length=2)] = ()
    runs: Annotated[int, Query(ge=1, le=10_000)] = 1
    tests: Annotated[int, Query(ge=1, le=10**6)] = 1
    judged: bool = False
    level: Level = 0.95
    metric: MetricName | None = None


@api.get("/compare", shapes.Comparison)
def comparison(bench: Bench, query: Annotated[ComparisonQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Models case by case, as `compare --json` prints it."""
    found = _read_runs(bench.store, query.run)
    runs, columns = found.runs, found.columns
    made = _against_reference(
        with_warnings(compare(columns, runs, **_settings(query)), found.warnings), query
    )
    corrected = corrected_pairs(made, columns, labels_of(bench.store, found))
    corrected_data = corrected.to_dict() if corrected else None
    made = warned_by_labels(made, corrected)
    return comparison_json(made) | {
        "corrected": corrected_data,
        "complete": _is_complete(runs),
    }


@api.get("/compare/groups", shapes.GroupedComparison, name="grouped")
def compare_groups(bench: Bench, query: Annotated[ComparisonGroupsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The same within each group of cases, as `compare --by --json` prints it."""
    found = _read_runs(bench.store, query.run)
    runs, columns = found.runs, found.columns
    cases = tuple(bench.store.suite(runs[0].suite_hash))
    labels = labels_of(bench.store, found)
    made = compare_by(columns, cases, query.by, runs=runs, labels=labels, **_settings(query))
    if why := made.why_none:
        raise NotEnoughData(why, needed=2, got=int(bool(made.left_out)))
    return {
        "scale": "0-1",
        "by": query.by,
        "groups": {
            name: comparison_json(_against_reference(with_warnings(one, found.warnings), query))
            for name, one in made.comparisons.items()
        },
        "left_out": dict(made.left_out),
        "complete": _is_complete(runs),
    }


@api.get("/compare/levels", shapes.ComparedLevels, name="levels")
def compare_by_levels(bench: Bench, query: Annotated[LevelsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Models, prompts or efforts, as `compare --by prompt --json` prints them."""
    found = _read_runs(bench.store, query.run)
    options = _settings(query)
    setups = setups_named(found.runs, found.columns.models, options.pop("models"))
    made = compare_levels(
        found.columns,
        query.by,
        found.runs,
        setups=setups,
        reference=query.reference,
        **options,
    )
    made = replace(made, warnings=(*found.warnings, *made.warnings))
    return made.to_dict() | {"complete": _is_complete(found.runs)}


@api.get("/runs/{run}/gate", BaselineGate, name="gate")
def gate_of_run(bench: Bench, run: RunName, query: Annotated[GateQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """The decision on a run against a baseline, as `gate --json` prints it."""
    clean = Redactor().text
    sides = [
        baseline_of_runs(bench.store, resolve_runs(bench.store, name).run_ids, clean=clean)
        for name in (run, query.baseline)
    ]
    refuse_itself(*sides)
    made = decide_gate(
        *sides, max_drop=query.max_drop / 100, metric=query.metric, models=query.model
    )
    return made.to_dict()


@api.get("/rank", shapes.Ranking)
def ranking(bench: Bench, query: Annotated[RankingQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Models by strength, each case a round, as `rank --json` prints it."""
    found = _read_runs(bench.store, query.run)
    made = rank(
        found.columns,
        found.runs,
        models=tuple(query.model),
        method=query.method,
        cluster=query.cluster,
        prior=query.prior,
        top=query.top,
        simultaneous=not query.marginal,
        level=query.level,
        metric=query.metric,
    )
    made = ranked_with_labels(made, found.columns, labels_of(bench.store, found))
    ranking_with_warnings = replace(made, warnings=(*found.warnings, *made.warnings))
    return ranking_with_warnings.to_dict() | {"complete": _is_complete(found.runs)}


@api.get("/trend", shapes.SuiteTrend, name="followed")
def suite_trend(bench: Bench, query: Annotated[SuiteTrendQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Means of a suite over time, as `trend --json` prints them."""
    sets = list(_points(bench.store, query))
    base = resolve_runs(bench.store, query.baseline).run_ids[0] if query.baseline else None
    made = trend(
        read_points(bench.store, sets),
        models=query.model,
        baseline=base,
        level=query.level,
        metric=query.metric,
    )
    return made.to_dict()


@api.get("/power", shapes.Plan, name="power")
def plan_cases(bench: Bench, query: Annotated[PowerQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """Return the number of cases a comparison needs, as printed by `power --json`."""
    if query.model and not query.run:
        raise SpecError("a model is of a run.", where="query.model", hint="Name the run.")
    if query.n is None and query.delta is None and not query.run:
        raise SpecError("neither n nor delta is given.", where="query", hint="Give one of them.")
    pilot = _read_runs(bench.store, [query.run]) if query.run else None
    return planning.power(
        _Pilot(pilot) if pilot else None,
        n=query.n,
        delta=None if query.delta is None else query.delta / 100,
        power=query.power,
        sd=None if query.sd is None else query.sd / 100,
        models=tuple(query.model),
        runs=query.runs,
        tests=query.tests,
        level=query.level,
        judged=query.judged or None,
        metric=query.metric,
        noise=_noise(bench.store, pilot.runs) if pilot else None,
    ).to_dict()


class _Pilot:
    """Scores that were taken before, with their runs."""

    def __init__(self, found: JoinedRuns) -> None:
        self.runs = found.runs
        self._columns = found.columns

    def columns(self) -> ScoreColumns:
        """The scores."""
        return self._columns


def _read_runs(store: Store, names: Sequence[str]) -> JoinedRuns:
    """All runs behind these names, and their scores as one table.

    Raises:
        NotComparable: runs of different suites, or of versions that share no case.
    """
    ids = list(
        dict.fromkeys(
            one for name in names or ("latest",) for one in resolve_runs(store, name).run_ids
        )
    )
    return read_together(store, ids)


def _points(store: Store, query: SuiteTrendQuery) -> Iterator[tuple[str, ...]]:
    """The runs of each point, a series being one.

    Raises:
        Missing: no run is of that suite.
    """
    if not query.suite:
        yield from dict.fromkeys(
            resolve_runs(store, name).run_ids for name in query.run or ("latest",)
        )
        return
    points: dict[str, list[Run]] = {}
    for run in store.runs():
        if query.suite in {run.suite_name, run.suite_hash}:
            points.setdefault(run.series_id or run.id, []).append(run)
    if not points:
        raise Missing("no run is of that suite.", hint="See /api/v1/suites.")
    for runs in points.values():
        yield tuple(run.id for run in sorted(runs, key=lambda run: run.number))


def _settings(query: ComparisonQuery) -> dict[str, Any]:
    return {
        "models": tuple(query.model),
        "correction": None if query.correction == "none" else query.correction,
        "margin": None if query.margin is None else query.margin / 100,
        "level": query.level,
        "metric": query.metric,
    }


def _against_reference(made: Comparison, query: ComparisonQuery) -> Comparison:
    return compare_with_reference(made, query.reference) if query.reference else made


def _noise(store: Store, runs: tuple[Run, ...]) -> JudgeNoise | None:
    if not any(run.judge for run in runs):
        return None
    trials = (trial for run in runs for trial in store.trials(run.id))
    return judge_noise(trial.score for trial in trials if trial.score is not None)


def _is_complete(runs: tuple[Run, ...]) -> bool:
    return all(run.state == "finished" for run in runs)
