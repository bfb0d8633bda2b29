"""The gate: did the scores of a run drop below those of its baseline?"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchmaker.analysis.comparison.pairs import ComparisonSettings, compare_sides
from benchmaker.analysis.comparison.results import ComparedPair
from benchmaker.analysis.gates.changed_cases import changed_cases
from benchmaker.analysis.gates.further import (
    DECIDED,
    MISSING,
    NOT_IN_RUN,
    UNKNOWN_SPREAD,
    further,
)
from benchmaker.analysis.gates.gate_notes import notes_on
from benchmaker.analysis.gates.gate_results import (
    BaselineGate,
    Further,
    GatedModel,
    GatedRuns,
    UnscoredModel,
)
from benchmaker.analysis.gates.sides import (
    RUN,
    CaseVersions,
    PairedSetup,
    case_versions,
    pair_setup,
)
from benchmaker.analysis.metric import FigureName
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.errors import NotComparable, NotEnoughData, SpecError
from benchmaker.record.baselines.run_baseline import RunBaseline, mean_of_answers
from benchmaker.record.counts import count
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.stats.differences import Differences, kish, paired_differences
from benchmaker.stats.pairs.mcnemar import tango

MAX_DROP = 0.02
"""The largest drop that a gate accepts by default."""

MANY_CHANGED = 10
"""From this many changed cases or groups on, the interval is that of a comparison alone."""

ABSENT = "not in the run"
"""The reason of a model of the baseline that the run does not have."""

_DRAWS = 9_999
Ends = tuple[float | None, float | None]


def decide_gate(
    run: RunBaseline,
    baseline: RunBaseline,
    *,
    max_drop: float = MAX_DROP,
    metric: str | None = None,
    models: Sequence[str] = (),
    level: float = 0.95,
    seed: int = 0,
) -> BaselineGate:
    """Decide if the scores of a run dropped by more than ``max_drop`` against a baseline.

    Each model is compared with its baseline case by case, by the test and the interval of
    :func:`~benchmaker.analysis.comparison.comparison.compare`. Where all scores are equal although
    answers changed, the interval is Tango's, by the effective number of cases; where fewer than 10
    graded scores changed, it also covers Tango's. Where no answer changed, the difference is 0 for
    certain.

    Where the run has no score of a case that the baseline scored, a model passes only if it also
    would with the lowest score there. A model of the baseline without any score in the run leaves
    the gate undecided, unless ``models`` excludes it.

    A gate passes only if all models pass, which needs no adjustment (Berger 1982, Technometrics
    24). It fails if one model fails at the level of Holm's first step, 1 - 0.05/m for m models.

    Args:
        run: the scores of the run.
        baseline: the scores to compare with.
        max_drop: the largest allowed drop, from 0 to 1.
        metric: mean, strict, or a metric of checks; None for that of the run.
        models: the models or setups of the run to gate; all by default.
        level: of the intervals.
        seed: seed of sign flips.

    Raises:
        NotComparable: the suites or the scoring profiles differ.
        NotEnoughData: no case or no model in common, or no scores of them in the baseline.
        SpecError: an unknown model or metric, or ``max_drop`` out of range.
    """
    _check(run, baseline, max_drop)
    chosen = metric or run.metric
    _refuse_unknown_metric(run, baseline, chosen)
    versions = case_versions(run, baseline)
    names = _pair_names(run, baseline, models)
    paired = _pair_setups(run, baseline, names.paired, versions, chosen)
    setups = [one for one in paired if len(one)]
    how = ComparisonSettings(None, None, level, _DRAWS, seed)
    pairs = compare_sides([one.table for one in setups], how)
    gated = tuple(
        _gate_model(setup, pair, max_drop, tests=len(setups), how=how)
        for setup, pair in zip(setups, pairs, strict=True)
    )
    unscored = (
        *(
            UnscoredModel(it.name, len(it.missing), it.missing_reason)
            for it in paired
            if not len(it)
        ),
        *_absent_models(baseline, names.absent, versions, chosen),
    )
    compared = {case.id for setup in setups for case in setup.cases}
    what = _what_decides(gated, unscored)
    return BaselineGate(
        models=gated,
        changed=changed_cases(setups),
        more_cases=what.more_cases,
        more_cases_reason=what.more_cases_reason,
        more_runs=what.more_runs,
        more_runs_reason=what.more_runs_reason,
        n_common=len(compared),
        n_run=sum(case.weight > 0 for case in run.cases),
        n_baseline=sum(case.weight > 0 for case in baseline.cases),
        max_drop=max_drop,
        metric=chosen,
        figure=_figure(setups, chosen),
        level=level,
        suite=run.suite,
        run=_side(run),
        baseline=_side(baseline),
        notes=tuple(
            notes_on(
                run,
                baseline,
                versions,
                setups=paired,
                gated=gated,
                unpaired=_new_models(names, paired),
            )
        ),
        unscored_models=unscored,
        noun=run.noun,
    )


def _check(run: RunBaseline, baseline: RunBaseline, max_drop: float) -> None:
    if not 0.0 <= max_drop <= 1.0:
        raise SpecError(
            f"max_drop = {max_drop:g} is out of range.",
            hint="Give a share from 0 to 1: 2 points are 0.02.",
        )
    if run.suite != baseline.suite:
        raise NotComparable(
            f"The run has the suite {run.suite!r}, the baseline {baseline.suite!r}.",
            hint="Choose a baseline of the same suite.",
        )
    if run.profile != baseline.profile:
        raise NotComparable(
            f"The run is scored by {run.profile}, the baseline by {baseline.profile}.",
            hint="Score the run of the baseline again, and export it: "
            f"benchmaker rescore {baseline.run_ids[0]}",
        )


def _refuse_unknown_metric(run: RunBaseline, baseline: RunBaseline, metric: str) -> None:
    known = [name for name in run.metrics if name in baseline.metrics]
    if metric not in known:
        hint = f"{did_you_mean(metric, known)} Metrics of both sides: {', '.join(known)}."
        raise SpecError(f"unknown metric {metric!r}.", hint=hint.strip())


class _PairedNames(NamedTuple):
    """Setups of the run with those of the baseline, and those that only one side has."""

    paired: list[tuple[str, str]]
    new: tuple[str, ...]
    absent: tuple[str, ...]


def _pair_names(run: RunBaseline, baseline: RunBaseline, models: Sequence[str]) -> _PairedNames:
    """Pair the setups; those chosen by ``models`` leave out the others of the baseline."""
    chosen = _chosen_setups(run, models)
    if len(chosen) == len(baseline.setups) == 1 and chosen[0] not in baseline.setup_names:
        return _PairedNames([(chosen[0], baseline.setup_names[0])], (), ())
    paired = [(name, name) for name in chosen if name in baseline.setup_names]
    if not paired:
        raise NotEnoughData(
            f"The baseline has no {run.noun} of the run: it has {', '.join(baseline.setup_names)}, "
            f"the run {', '.join(chosen)}.",
            needed=1,
            got=0,
            hint="Run a model of the baseline, or export a new baseline.",
        )
    return _PairedNames(
        paired,
        tuple(name for name in chosen if name not in baseline.setup_names),
        () if models else tuple(name for name in baseline.setup_names if name not in chosen),
    )


def _new_models(names: _PairedNames, paired: Sequence[PairedSetup]) -> tuple[str, ...]:
    """The setups of the run that the baseline has no score of."""
    kept = {one.name for one in paired}
    return (*(name for name, _ in names.paired if name not in kept), *names.new)


def _absent_models(
    baseline: RunBaseline, names: Sequence[str], versions: CaseVersions, metric: str
) -> Iterator[UnscoredModel]:
    """The setups of the baseline that the run does not have, with their numbers of scored cases."""
    compared = set(versions.compared_cases)
    for name in names:
        scored = [
            case.id
            for case in baseline.cases
            if case.id in compared
            and name in case.setups
            and mean_of_answers(case.setups[name].answers, metric) is not None
        ]
        if scored:
            yield UnscoredModel(name, len(scored), ABSENT)


def _chosen_setups(run: RunBaseline, models: Sequence[str]) -> tuple[str, ...]:
    """The setups chosen by their own names or by their models'."""
    if not models:
        return run.setup_names
    known = {one.name: one.model_label for one in run.setups}
    for model in models:
        if model not in known and model not in known.values():
            names = list(dict.fromkeys((*known, *known.values())))
            hint = f"{did_you_mean(model, names)} There are: {', '.join(names)}.".strip()
            raise SpecError(f"No model {model!r} in the run.", hint=hint)
    return tuple(name for name, label in known.items() if {name, label} & set(models))


def _pair_setups(
    run: RunBaseline,
    baseline: RunBaseline,
    names: Iterable[tuple[str, str]],
    versions: CaseVersions,
    metric: str,
) -> list[PairedSetup]:
    """The setups that the baseline has a score of, also those without one in the run."""
    if not versions.compared_cases:
        changed = len(versions.other_scoring)
        what = f" {count(changed, 'case')} changed in scoring." if changed else ""
        raise NotEnoughData(
            f"The run and the baseline have no case in common.{what}",
            needed=1,
            got=0,
            hint="Export a baseline of the current suite: benchmaker export RUN --baseline",
        )
    made = [
        pair_setup(run, baseline, pair, cases=versions.compared_cases, metric=metric)
        for pair in names
    ]
    scored = [one for one in made if len(one) or one.missing]
    if not scored:
        raise NotEnoughData(
            f"The baseline has no score of {count(len(versions.compared_cases), 'common case')}.",
            needed=1,
            got=0,
            hint="Export a baseline with scores: benchmaker export RUN --baseline",
        )
    return scored


def _gate_model(
    setup: PairedSetup,
    pair: ComparedPair,
    max_drop: float,
    *,
    tests: int,
    how: ComparisonSettings,
) -> GatedModel:
    sign = 1.0 if pair.model_a == RUN else -1.0
    rows = _differences(setup)
    low, high = _interval(setup, pair, rows, pair.level)
    verdict = _verdict(setup, (low, high), rows, max_drop)
    is_held = verdict is GateVerdict.PASSED and not _passes_at_worst(setup, max_drop, how)
    if is_held:
        verdict = GateVerdict.UNDECIDED
    adjusted = _interval(setup, pair, rows, 1 - (1 - pair.level) / tests)
    is_sure_drop = verdict is GateVerdict.FAILED and _is_below(adjusted, max_drop)
    what = Further(None, DECIDED, None, DECIDED)
    if is_held:
        what = Further(None, MISSING, None, MISSING)
    elif verdict is GateVerdict.UNDECIDED:
        what = further(setup, pair, rows, max_drop=max_drop, tests=1)
    elif verdict is GateVerdict.FAILED and not is_sure_drop:
        what = further(setup, pair, rows, max_drop=max_drop, tests=tests)
    means = (pair.mean_a, pair.mean_b)
    mean, baseline_mean = means if sign > 0 else means[::-1]
    return GatedModel(
        model=setup.name,
        verdict=verdict,
        diff=sign * pair.diff + 0.0,
        low=low,
        high=high,
        mean=mean,
        baseline_mean=baseline_mean,
        n=pair.n,
        clusters=rows.clusters,
        changed_answers=setup.changed_answers,
        changed_scores=int((rows.d != 0).sum()),
        baseline_model=setup.baseline_name,
        runs=setup.runs,
        baseline_runs=setup.baseline_runs,
        test=pair.test,
        method=pair.method,
        reason=pair.reason,
        is_sure_drop=is_sure_drop,
        more_cases=what.more_cases,
        more_cases_reason=what.more_cases_reason,
        more_runs=what.more_runs,
        more_runs_reason=what.more_runs_reason,
        missing=len(setup.missing),
        missing_reason=setup.missing_reason,
        passes_without_missing=is_held,
    )


def _passes_at_worst(setup: PairedSetup, max_drop: float, how: ComparisonSettings) -> bool:
    """True if a model that passes also would with the lowest score in its missing cases."""
    if not setup.missing:
        return True
    worst = setup.at_worst()
    (pair,) = compare_sides([worst.table], how)
    rows = _differences(worst)
    ends = _interval(worst, pair, rows, pair.level)
    return _verdict(worst, ends, rows, max_drop) is GateVerdict.PASSED


def _differences(setup: PairedSetup) -> Differences:
    """Run − baseline of each case."""
    table = setup.table
    after, before = table.scores.T
    return paired_differences(after, before, weights=table.weights, clusters=table.cluster)


def _interval(setup: PairedSetup, pair: ComparedPair, rows: Differences, level: float) -> Ends:
    """The interval of run − baseline at a level; of no width where no answer changed."""
    if not rows.d.any():
        if setup.changed_answers == 0:
            return 0.0, 0.0
        return tango(0.0, 0.0, _independent_cases(rows), level=level)
    ends = (pair.low, pair.high)
    if level != pair.level and pair.ends_at is not None:
        ends = pair.ends_at(level)
    low, high = ends
    if low is None or high is None:
        return None, None
    low, high = max(low, -1.0), min(high, 1.0)
    return _widen((low, high) if pair.model_a == RUN else (-high, -low), rows, level)


def _widen(ends: tuple[float, float], rows: Differences, level: float) -> Ends:
    """The interval where few graded scores changed: it also covers Tango's, in their unit.

    Equal scores lie on one side of the limit, which makes differences from it lopsided: sign flips
    and t would then pass too often. The shares of gains and drops, times the largest change, show
    what a few changes can't rule out.
    """
    changed = len(np.unique(rows.cluster[rows.d != 0]))
    if rows.is_binary or changed >= MANY_CHANGED:
        return ends
    largest = float(np.abs(rows.d).max())
    size = _independent_cases(rows)
    gains, drops = (
        size * float(np.average(rows.d * sign > 0, weights=rows.weight)) for sign in (1, -1)
    )
    low, high = tango(gains, drops, size, level=level)
    return min(ends[0], largest * low), max(ends[1], largest * high)


def _independent_cases(rows: Differences) -> float:
    """The number of equal, independent cases that weights and groups leave at least."""
    return min(kish(rows.weight), kish(rows.by_cluster()[1]))


def _verdict(setup: PairedSetup, ends: Ends, rows: Differences, max_drop: float) -> GateVerdict:
    if setup.changed_answers == 0 and not rows.d.any():
        return GateVerdict.PASSED
    if _is_below(ends, max_drop):
        return GateVerdict.FAILED
    low = ends[0]
    is_above = low is not None and low > -max_drop
    return GateVerdict.PASSED if is_above else GateVerdict.UNDECIDED


def _is_below(ends: Ends, max_drop: float) -> bool:
    return ends[1] is not None and ends[1] < -max_drop


def _what_decides(models: Sequence[GatedModel], unscored: Sequence[UnscoredModel]) -> Further:
    """The cases and runs that decide every open model: the most that one of them needs."""
    open_models = [one for one in models if one.is_open]
    is_decided = not open_models and not unscored
    if is_decided or any(one.is_sure_drop for one in models):
        return Further(None, DECIDED, None, DECIDED)
    missing = [(None, NOT_IN_RUN if it.reason == ABSENT else MISSING) for it in unscored]
    cases = _most([*missing, *((one.more_cases, one.more_cases_reason) for one in open_models)])
    runs = _most([*missing, *((one.more_runs, one.more_runs_reason) for one in open_models)])
    return Further(*cases, *runs)


def _most(needed: Sequence[tuple[int | None, str]]) -> tuple[int | None, str]:
    missing = [reason for number, reason in needed if number is None]
    if missing:
        return None, missing[0] or UNKNOWN_SPREAD
    return max(number for number, _ in needed if number is not None), ""


def _figure(setups: Sequence[PairedSetup], metric: str) -> FigureName:
    """The kind of the figure: an accuracy where every answer's score is 0 or 1."""
    values = set(_values(setups))
    if values <= {0.0, 1.0}:
        return "accuracy"
    return "strict" if metric == "strict" else "mean"


def _values(setups: Sequence[PairedSetup]) -> Iterator[float]:
    for setup in setups:
        for scores in (*setup.after, *setup.before):
            for one in scores.answers:
                value = one.value("mean" if setup.metric == "strict" else setup.metric)
                if value is not None:
                    yield value


def _side(side: RunBaseline) -> GatedRuns:
    return GatedRuns(side.run_ids, side.suite_sha256, side.package_version, side.judges)
