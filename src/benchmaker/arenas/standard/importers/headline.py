"""The figures that a tool prints, computed again from stored rows."""

import math
import statistics
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import le
from typing import Any

import msgspec
import numpy as np

from benchmaker.analysis.opinion.evidence import SAME
from benchmaker.arenas.standard.importers.evaluation import PrintedFigure
from benchmaker.record import Outcome, Run
from benchmaker.store import Store
from benchmaker.store.imports.imported_rows import ImportedScores, scores_of_text

_WITH_REST = frozenset({"promptfoo", "pydantic_evals", "lighteval"})
_ORDERS: Mapping[str, str] = {"promptfoo": "testIdx", "lighteval": "row"}
"""The field of a row, by tool, in whose order the tool adds scores up; else that of the cases."""


class HeadlineFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a tool, from stored rows: a metric of a scorer for one model and prompt."""

    scorer: str
    metric: str
    value: float | None
    model: str
    prompt: str | None
    task: str


_BY_CASE = frozenset({"inspect", "pydantic_evals"})
"""Tools whose figures need the case of each score."""

_BY_ROW = _WITH_REST | _BY_CASE | {"helm"}
"""Tools whose figures need more of a row than its scores."""

_TEXTS = 1_000
"""Texts of scores whose values are remembered: most rows have one of a few."""


@dataclass(slots=True)
class _Values:
    """The scores of a scorer that are not missing, in columns: eight megabytes for 1 M values.

    ``numbers`` are those of the runs, ``places`` are in the tool's own order. Columns other than
    ``values`` are empty if no figure of the tool needs them.
    """

    values: "array[float]" = field(default_factory=lambda: array("d"))
    weights: "array[float]" = field(default_factory=lambda: array("d"))
    places: "array[float]" = field(default_factory=lambda: array("d"))
    numbers: "array[int]" = field(default_factory=lambda: array("q"))
    case_ids: list[str] = field(default_factory=list)

    def add(self, row: ImportedScores, value: float, weight: float, place: float) -> None:
        """Add a score of a row."""
        self.values.append(value)
        self.weights.append(weight)
        self.places.append(place)
        self.numbers.append(row.number)

    def order(self) -> Sequence[int]:
        """The indices of the scores in the tool's order."""
        places = self.places
        if all(map(le, places, islice(places, 1, None))):
            return range(len(self.values))
        return sorted(range(len(places)), key=places.__getitem__)


@dataclass(slots=True)
class _Setup:
    """The scores of one setup by scorer, and its number of infrastructure errors."""

    model: str
    prompt: str | None
    values: dict[str, _Values] = field(default_factory=dict)
    errors: int = 0
    assertions: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def scores(self, scorer: str) -> Sequence[float]:
        """The scores of a scorer that are not missing, in the tool's order."""
        own = self.values.get(scorer) or _Values()
        order = own.order()
        return own.values if isinstance(order, range) else [own.values[at] for at in order]

    def weighted_scores(self, scorer: str) -> list[float]:
        """The scores of a scorer times their weights, in the tool's order."""
        own = self.values.get(scorer) or _Values()
        return [own.values[at] * own.weights[at] for at in own.order()]

    def by_case(self, scorer: str) -> list[list[float]]:
        """The scores of a scorer by case, those of repeats together."""
        own = self.values.get(scorer) or _Values()
        cases: dict[str, list[float]] = {}
        for case_id, value in zip(own.case_ids, own.values, strict=True):
            cases.setdefault(case_id, []).append(value)
        return list(cases.values())

    def by_run(self, scorer: str) -> list[list[float]]:
        """The scores of a scorer by the number of the run."""
        own = self.values.get(scorer) or _Values()
        found: dict[int, list[float]] = {}
        for number, value in zip(own.numbers, own.values, strict=True):
            found.setdefault(number, []).append(value)
        return [found[number] for number in sorted(found)]


_Metric = tuple[str, str, float | None]
"""A scorer, the name of a metric, and its value."""


def headline(store: Store, run_ids: Sequence[str]) -> tuple[HeadlineFigure, ...]:
    """Return the figures of the tool whose runs these are, computed from their stored rows.

    The runs are one evaluation: its repeats. Figures with an unknown formula are left out.
    """
    if not run_ids:
        return ()
    run = store.run(run_ids[0])
    tool = str(run.provider.get("tool"))
    if tool in _BY_ROW:
        rows = store.imported_rows.each_score(run_ids, with_rest=tool in _WITH_REST)
        setups = _setups(run, rows)
    else:
        setups = _bare_setups(run, store.imported_rows.score_texts(run_ids))
    printed = msgspec.convert(store.imported_rows.header(run.id).figures, list[PrintedFigure])
    compute = _TOOLS.get(tool, _means)
    return tuple(
        HeadlineFigure(
            scorer=scorer,
            metric=metric,
            value=value,
            model=setup.model,
            prompt=setup.prompt,
            task=str(run.provider.get("task", "")),
        )
        for setup in setups
        for scorer, metric, value in compute(setup, printed)
    )


def rounding_of(stated: float) -> float:
    """Return the most by which a figure with these decimals, at least two, may be rounded.

    >>> rounding_of(0.795), rounding_of(0.8)
    (0.0005, 0.005)
    """
    decimals = max(2, len(repr(stated).partition("e")[0].partition(".")[2]))
    return 0.5 * 10.0**-decimals


def is_rounded(stated: float, value: float) -> bool:
    """True if a stated figure is this value, but for the rounding of its digits."""
    return abs(stated - value) <= rounding_of(stated) + SAME


def scorer_means(store: Store, run_ids: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the mean of each scorer of a tool by setup, and the number of its scores.

    They are in the tool's unit, over all rows of the runs.
    """
    sums: dict[str, dict[str, list[float]]] = {}
    for row in store.imported_rows.each_score(run_ids):
        for scorer, value in row.scores.items():
            held = sums.setdefault(row.model, {}).setdefault(scorer, [0.0, 0])
            if value is not None:
                held[0] += value
                held[1] += 1
    return {
        setup: {
            scorer: {"mean": total / number if number else None, "n": int(number)}
            for scorer, (total, number) in scorers.items()
        }
        for setup, scorers in sums.items()
    }


def _setups(run: Run, rows: Iterable[ImportedScores]) -> list[_Setup]:
    found: dict[str, _Setup] = {}
    has_cases = run.provider.get("tool") in _BY_CASE
    order = _ORDERS.get(str(run.provider.get("tool")), "")
    for at, row in enumerate(rows):
        setup = found.get(row.model)
        if setup is None:
            known = run.setup(row.model)
            setup = found[row.model] = _Setup(known.model, known.prompt_id)
        if not row.scores and row.outcome != Outcome.UNSCORED:
            setup.errors += 1
        place = float(row.rest.get(order, at))
        weights = _metric_weights(row.rest)
        for scorer, value in row.scores.items():
            own = setup.values.get(scorer) or setup.values.setdefault(scorer, _Values())
            if value is not None:
                own.add(row, value, weights.get(scorer, 1.0), place)
                if has_cases:
                    own.case_ids.append(row.case_id)
        if checks := row.rest.get("assertions"):
            counted = (_count_passed(checks), len(checks))
            setup.assertions.setdefault(row.case_id, []).append(counted)
    return list(found.values())


def _bare_setups(run: Run, texts: Iterable[tuple[str, str]]) -> list[_Setup]:
    """The setups with their scores alone, from pairs of a setup's name and a stored text."""
    found: dict[str, _Setup] = {}
    known: dict[tuple[str, str], list[tuple[array[float], float]]] = {}
    for pair in texts:
        targets = known.get(pair)
        if targets is None:
            if len(known) == _TEXTS:
                known.clear()
            targets = known[pair] = _targets(run, found, *pair)
        for values, value in targets:
            values.append(value)
    return list(found.values())


def _targets(
    run: Run, found: dict[str, _Setup], model: str, text: str
) -> "list[tuple[array[float], float]]":
    """The columns to which the scores of a text belong, with the values."""
    setup = found.get(model)
    if setup is None:
        known = run.setup(model)
        setup = found[model] = _Setup(known.model, known.prompt_id)
    scores = scores_of_text(text)
    columns = [(setup.values.setdefault(name, _Values()), scores[name]) for name in scores]
    return [(column.values, value) for column, value in columns if value is not None]


def _metric_weights(rest: Mapping[str, Any]) -> dict[str, float]:
    """The weights of promptfoo's named metrics in a row."""
    result = rest.get("gradingResult")
    weights = result.get("namedScoreWeights") if isinstance(result, dict) else None
    return {f"promptfoo/{name}": float(weight) for name, weight in (weights or {}).items()}


def _count_passed(checks: Mapping[str, Any]) -> int:
    return sum(bool(one.get("value")) for one in checks.values() if isinstance(one, dict))


def _means(setup: _Setup, _: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    """The mean of each scorer over all rows with a score."""
    for scorer in setup.values:
        yield scorer, "mean", plain_mean(setup.scores(scorer))


def _promptfoo(setup: _Setup, _: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    verdicts = setup.scores("promptfoo/pass")
    passed = int(sum(verdicts))
    total = len(verdicts) + setup.errors
    for name, number in (
        ("passed", passed),
        ("failed", len(verdicts) - passed),
        ("errors", setup.errors),
    ):
        yield "promptfoo/pass", name, float(number)
        rate = "pass_rate" if name == "passed" else f"{name}_rate"
        yield "promptfoo/pass", rate, 100 * number / total if total else None
    for scorer in setup.values:
        if scorer != "promptfoo/pass":
            yield scorer, "sum", _running_sum(setup.weighted_scores(scorer))


def _inspect(setup: _Setup, printed: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    declared = [
        msgspec.structs.replace(one, scorer=known)
        for one in printed
        if (known := _inspect_scorer(one.scorer, setup.values))
    ]
    if not declared:
        declared = [
            PrintedFigure(scorer=scorer, metric=metric)
            for scorer in setup.values
            for metric in ("accuracy", "stderr")
        ]
    for one in declared:
        name, _, reducer = one.metric.partition("/")
        formula = _INSPECT_METRICS.get(str(one.method.get("metric", name)))
        reduce = reducer_of(str(one.method.get("reducer") or reducer or "mean"))
        if formula is None or reduce is None or one.method.get("options"):
            continue
        reduced = [reduce(values) for values in setup.by_case(one.scorer)]
        yield one.scorer, one.metric, formula([it for it in reduced if it is not None])


def _inspect_scorer(name: str, known: Mapping[str, Any]) -> str:
    """The name in the rows of a scorer in the results; empty if no row has it.

    Of two scorers of one name, Inspect numbers the second in both places.
    """
    alone = f"inspect/{name.rpartition('/')[2]}"
    return next((one for one in (name, alone) if one in known), "")


def _openai_evals(setup: _Setup, _: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    for scorer in setup.values:
        metric = "accuracy" if scorer == "openai_evals/match" else "mean"
        yield scorer, metric, plain_mean(setup.scores(scorer))


def _lm_eval(setup: _Setup, printed: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    odd = {one.scorer for one in printed if one.method.get("aggregation", "mean") != "mean"}
    for scorer in setup.values:
        values = setup.scores(scorer)
        if not values or scorer in odd:
            continue
        yield scorer, "value", plain_mean(values)
        yield scorer, "stderr", sample_stderr(values)


def _lighteval(setup: _Setup, printed: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    with_stderr = {one.scorer for one in printed if one.metric == "stderr"}
    for scorer in setup.values:
        values = setup.scores(scorer)
        yield scorer, "mean", _numpy_mean(values)
        if scorer in with_stderr:
            yield scorer, "stderr", _stderr(values, _numpy_mean(values))


def _helm(setup: _Setup, _: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    """The mean over train trials of the means over instances."""
    for scorer in setup.values:
        means = [plain_mean(one) for one in setup.by_run(scorer)]
        yield scorer, "mean", plain_mean([one for one in means if one is not None])


def _deepeval(setup: _Setup, _: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    for scorer in setup.values:
        values = setup.scores(scorer)
        if scorer == "deepeval/success":
            yield scorer, "passed", float(sum(values))
            yield scorer, "failed", float(len(values) - sum(values))
        yield scorer, "mean", plain_mean(values)


def _pydantic_evals(setup: _Setup, _: Sequence[PrintedFigure]) -> Iterator[_Metric]:
    """The averages of the report: over the repeats of a case first, then over cases."""
    for scorer in setup.values:
        if scorer != "pydantic_evals/assertions":
            yield scorer, "mean", _mean_of_means(setup.by_case(scorer))
    counted = list(setup.assertions.values())
    if not counted:
        return
    if any(len(one) > 1 for one in counted):
        shares = [_share(one) for one in counted]
        yield "pydantic_evals/assertions", "mean", plain_mean(shares)
    else:
        yield "pydantic_evals/assertions", "mean", _share([it for one in counted for it in one])


def _share(counted: Sequence[tuple[int, int]]) -> float:
    return sum(passed for passed, _ in counted) / sum(number for _, number in counted)


def _mean_of_means(groups: Sequence[Sequence[float]]) -> float | None:
    means = [plain_mean(one) for one in groups]
    return plain_mean([one for one in means if one is not None])


def plain_mean(values: Sequence[float]) -> float | None:
    """Return the sum, added from left to right, divided by the number; None without values.

    Tools that add with Python's ``sum`` print this value to the last digit.

    >>> plain_mean([1.0, 0.0]), plain_mean([])
    (0.5, None)
    """
    return _running_sum(values) / len(values) if values else None


def _running_sum(values: Iterable[float]) -> float:
    total = 0.0
    for value in values:  # ``sum`` of later Pythons compensates, and differs in the last digit
        total += value
    return total


def sample_stderr(values: Sequence[float]) -> float | None:
    """Return the standard error of the mean as lm-eval computes it; None for a single value.

    The sample standard deviation (n − 1) divided by the root of n.
    """
    return _stderr(values, plain_mean(values))


def _stderr(values: Sequence[float], mean: float | None) -> float | None:
    """The standard error around a mean, added up from left to right; None for a single value."""
    if mean is None or len(values) < 2:  # noqa: PLR2004  one value has no spread
        return None
    spread = _running_sum((value - mean) ** 2 for value in values)
    return math.sqrt(spread / (len(values) - 1)) / math.sqrt(len(values))


def _numpy_mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _numpy_spread(values: Sequence[float]) -> float | None:
    if not values:
        return None
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def _numpy_variance(values: Sequence[float]) -> float | None:
    if not values:
        return None
    return float(np.var(values, ddof=1)) if len(values) > 1 else 0.0


def _numpy_stderr(values: Sequence[float]) -> float | None:
    if not values:
        return None
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


_INSPECT_METRICS: dict[str, Callable[[Sequence[float]], float | None]] = {
    "accuracy": plain_mean,
    "mean": _numpy_mean,
    "std": _numpy_spread,
    "var": _numpy_variance,
    "stderr": _numpy_stderr,
}


def reducer_of(name: str) -> Callable[[Sequence[float]], float | None] | None:
    """Return the function that makes one value of the epochs of a sample; None if unknown."""
    if name in _REDUCERS:
        return _REDUCERS[name]
    kind, _, digits = name.rpartition("_")
    if not digits.isdigit() or kind not in {"at_least", "pass_at", "pass"}:
        return None
    return lambda values: _of_k(kind, int(digits), values)


def _of_k(kind: str, k: int, values: Sequence[float]) -> float | None:
    """At least k right; or a sample of k with one right, or with all right.

    Sources: Chen et al. 2021 for pass@k; Yao et al. 2024 for pass^k.
    """
    total, right = len(values), sum(value >= 1 for value in values)
    if kind == "at_least":
        return float(right >= k)
    if total < k:
        return None
    if kind == "pass":
        return math.comb(right, k) / math.comb(total, k)
    if total - right < k:
        return 1.0
    return 1.0 - float(np.prod(1.0 - k / np.arange(total - right + 1, total + 1)))


_REDUCERS: dict[str, Callable[[Sequence[float]], float | None]] = {
    "mean": statistics.mean,
    "median": statistics.median,
    "mode": statistics.mode,
    "max": max,
}

_TOOLS: dict[str, Callable[[_Setup, Sequence[PrintedFigure]], Iterator[_Metric]]] = {
    "promptfoo": _promptfoo,
    "inspect": _inspect,
    "lm_eval": _lm_eval,
    "helm": _helm,
    "deepeval": _deepeval,
    "pydantic_evals": _pydantic_evals,
    "openai_evals": _openai_evals,
    "lighteval": _lighteval,
}
