"""Conversion of any source of scores to columns."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.unjudged import without_lone_zeros
from benchmaker.errors import NotComparable, SpecError
from benchmaker.record import Trial
from benchmaker.record.score_columns import OUTCOMES, ScoreColumns, metric_columns
from benchmaker.spec import Case

T = TypeVar("T")


@runtime_checkable
class HasColumns(Protocol):
    """The result of a run that can return its scores as columns."""

    def columns(self) -> ScoreColumns:
        """The scores, one row a trial."""
        ...


Scored: TypeAlias = ScoreColumns | HasColumns | Iterable[Trial]
"""The input of an analysis: one or several runs."""

CaseWeights: TypeAlias = Iterable[Case] | Mapping[str, float]
"""Cases to count, with their weights: cases, or weights by case id."""


def columns_of(
    source: Scored | Iterable[ScoreColumns | HasColumns], cases: CaseWeights | None = None
) -> ScoreColumns:
    """Return the scores of one or several runs as columns, of the given cases with their weights.

    Zeros of a setup whose judge decided on no answer are missing
    (:func:`~benchmaker.analysis.unjudged.without_lone_zeros`).

    Raises:
        SpecError: the source holds no scores, none of the given cases occurs in the runs, or a
            weight is invalid.
        NotComparable: the runs do not share one suite.
    """
    columns = without_lone_zeros(_read(source))
    return columns if cases is None else _apply_weights(columns, _weights(cases))


def _read(source: Scored | Iterable[ScoreColumns | HasColumns]) -> ScoreColumns:
    if isinstance(source, ScoreColumns):
        return source
    if isinstance(source, HasColumns):
        return source.columns()
    if isinstance(source, (str, bytes, Mapping)) or not isinstance(source, Iterable):
        raise _no_scores(source)
    items = iter(source)
    first = next(items, None)
    if first is None or isinstance(first, Trial):
        trials = chain([] if first is None else [first], items)
        return _columns_of_trials(trial for trial in trials if isinstance(trial, Trial))
    return _join_runs(
        [_read(part) for part in chain([first], items) if not isinstance(part, Trial)]
    )


def _no_scores(source: object) -> SpecError:
    if isinstance(source, str):
        return SpecError(
            f"{source!r:.80} is a string, not a result.",
            hint=f"Read a stored run with: benchmaker.results({source!r:.80})",
        )
    hint = "Pass results of runs, their columns, or trials."
    return SpecError(f"{source!r:.80} has no scores.", hint=hint)


def _weights(cases: CaseWeights) -> dict[str, float]:
    by_id = dict(cases) if isinstance(cases, Mapping) else {case.id: case.weight for case in cases}
    for case_id, weight in by_id.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise SpecError(f"The weight of case {case_id!r} is {weight}; weights are at least 0.")
    return by_id


def _apply_weights(columns: ScoreColumns, weights: Mapping[str, float]) -> ScoreColumns:
    kept = {at: weights[name] for at, name in columns.case_ids.items() if name in weights}
    if len(columns) and not kept:
        raise SpecError(
            "None of these cases occurs in these runs.",
            hint="Pass cases of the suite of these runs.",
        )
    rows = np.isin(columns.position, list(kept))
    chosen = select_rows(columns, rows)
    weight = np.array([kept[at] for at in chosen.position.tolist()], dtype=np.float64)
    weight[chosen.is_repeat] = 0.0
    case_ids = {at: columns.case_ids[at] for at in kept}
    return replace(chosen, weight=weight, case_ids=case_ids)


def select_rows(columns: ScoreColumns, rows: NDArray[np.bool_]) -> ScoreColumns:
    """Return the rows that a mask selects."""
    return replace(
        columns,
        run=columns.run[rows],
        model=columns.model[rows],
        position=columns.position[rows],
        outcome=columns.outcome[rows],
        score=columns.score[rows],
        weight=columns.weight[rows],
        cost_usd=columns.cost_usd[rows],
        known_cost_usd=columns.known_cost_usd[rows],
        latency_s=columns.latency_s[rows],
        input_tokens=columns.input_tokens[rows],
        output_tokens=columns.output_tokens[rows],
        reasoning_tokens=columns.reasoning_tokens[rows],
        group=columns.group[rows],
        flag_set=columns.flag_set[rows],
        metrics={name: values[rows] for name, values in columns.metrics.items()},
    )


class _Codes(dict[T, int]):
    """Numbers names in order of first appearance."""

    def __missing__(self, name: T) -> int:
        self[name] = len(self)
        return self[name]


def _columns_of_trials(trials: Iterable[Trial]) -> ScoreColumns:
    runs, models, groups = _Codes[str](), _Codes[str](), _Codes[str]()
    case_ids: dict[int, str] = {}
    flag_sets = _Codes({frozenset[str](): 0})
    rows = []
    metrics: list[Mapping[str, float | None]] = []
    for trial in trials:
        metrics.append(trial.score.metrics if trial.score and trial.score.detail else {})
        case_ids[trial.position] = trial.case_id
        codes = (
            runs[trial.run_id],
            models[trial.model],
            trial.position,
            -1 if trial.group is None else groups[trial.group],
            flag_sets[_flags(trial)],
        )
        rows.append((*codes, OUTCOMES.index(trial.outcome), trial.weight, *_figures(trial)))
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 14).T
    run, model, position, group, flag_set, outcome, *figures = table
    weight, score, cost, known_cost, latency, tokens_in, out, reasoning = figures
    return ScoreColumns(
        run_ids=tuple(runs),
        models=tuple(models),
        case_ids=case_ids,
        run=run.astype(np.int32),
        model=model.astype(np.int32),
        position=position.astype(np.int32),
        outcome=outcome.astype(np.int8),
        score=score,
        weight=weight,
        cost_usd=cost,
        known_cost_usd=known_cost,
        latency_s=latency,
        input_tokens=tokens_in,
        output_tokens=out,
        reasoning_tokens=reasoning,
        group=group.astype(np.int32),
        flag_set=flag_set.astype(np.int32),
        flag_sets=tuple(flag_sets),
        metrics=metric_columns(metrics),
    )


def _flags(trial: Trial) -> frozenset[str]:
    """The flags on the trial, its answer, its usage or its score, each once."""
    done = trial.completion
    usage = done.usage if done else None
    carriers = (trial, trial.score, done, usage)
    return frozenset(flag for carrier in carriers if carrier for flag in carrier.flags)


def _figures(trial: Trial) -> tuple[float, ...]:
    """Score, cost of all requests, its known part, latency, tokens, reasoning; or NaN."""
    done = trial.completion
    figures = (
        trial.score.score if trial.score else None,
        trial.cost_usd,
        trial.known_cost_usd,
        done.latency_s if done else None,
        *trial.tokens,
        trial.reasoning_tokens,
    )
    return tuple(math.nan if figure is None else float(figure) for figure in figures)


def _join_runs(parts: Sequence[ScoreColumns]) -> ScoreColumns:
    """Several runs as one table; the same place must mean the same case in all of them."""
    runs, models = _Codes[str](), _Codes[str]()
    case_ids: dict[int, str] = {}
    flag_sets = _Codes({frozenset[str](): 0})
    for part in parts:
        for at, name in part.case_ids.items():
            if case_ids.setdefault(at, name) != name:
                raise NotComparable(
                    f"Place {at + 1} is case {case_ids[at]!r} in one run and {name!r} in another.",
                    hint="Runs analysed together must share one suite.",
                )
    run = [_recode(part.run, [runs[name] for name in part.run_ids]) for part in parts]
    model = [_recode(part.model, [models[name] for name in part.models]) for part in parts]
    flags = [_recode(part.flag_set, [flag_sets[one] for one in part.flag_sets]) for part in parts]

    def stack(field: str) -> NDArray[np.float64]:
        column: NDArray[np.float64] = np.concatenate([getattr(part, field) for part in parts])
        return column

    return ScoreColumns(
        run_ids=tuple(runs),
        models=tuple(models),
        case_ids=case_ids,
        run=np.concatenate(run),
        model=np.concatenate(model),
        position=np.concatenate([part.position for part in parts]),
        outcome=np.concatenate([part.outcome for part in parts]),
        score=stack("score"),
        weight=stack("weight"),
        cost_usd=stack("cost_usd"),
        known_cost_usd=stack("known_cost_usd"),
        latency_s=stack("latency_s"),
        input_tokens=stack("input_tokens"),
        output_tokens=stack("output_tokens"),
        reasoning_tokens=stack("reasoning_tokens"),
        group=_groups(parts),
        flag_set=np.concatenate(flags),
        flag_sets=tuple(flag_sets),
        metrics=_join_metrics(parts),
        repeat_runs=frozenset().union(*(part.repeat_runs for part in parts)),
    )


def _join_metrics(parts: Sequence[ScoreColumns]) -> dict[str, NDArray[np.float64]]:
    names = dict.fromkeys(name for part in parts for name in part.metrics)
    return {
        name: np.concatenate([part.metrics.get(name, np.full(len(part), np.nan)) for part in parts])
        for name in names
    }


def _recode(codes: NDArray[np.int32], new: Sequence[int]) -> NDArray[np.int32]:
    return np.asarray(new, dtype=np.int32)[codes] if len(codes) else codes


def _groups(parts: Sequence[ScoreColumns]) -> NDArray[np.int32]:
    """One coding of the groups: two codes are one group when they share a case."""
    of_case: dict[int, int] = {}
    fresh = 0
    columns = []
    for part in parts:
        new: dict[int, int] = {-1: -1}
        pairs = list(zip(part.position.tolist(), part.group.tolist(), strict=True))
        for at, code in pairs:
            if at in of_case:
                new.setdefault(code, of_case[at])
        for at, code in pairs:
            if code not in new:
                new[code], fresh = fresh, fresh + 1
            of_case[at] = new[code]
        columns.append(np.array([new[code] for _, code in pairs], dtype=np.int32))
    return np.concatenate(columns)
