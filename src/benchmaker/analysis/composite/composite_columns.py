"""The agentic composites of many submissions at once, equal to the single ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.baseline_columns import (
    ClassicBaselines,
    RobustBaselines,
    SpreadColumns,
)
from benchmaker.analysis.composite.baselines import ROBUST_STEP
from benchmaker.analysis.composite.classic_terms import (
    DIFFICULTY_FACTORS,
    EFFICIENCY_SHARES,
    FULL,
    NO_FIGURE,
    SPEED_EXPONENT,
    speed_score,
)
from benchmaker.analysis.composite.counting_figures import CountingColumns, is_ranked
from benchmaker.analysis.composite.far_below import ln_least
from benchmaker.analysis.composite.result import REASONS, Reason
from benchmaker.analysis.composite.rounding import is_near_half, round_as_python
from benchmaker.analysis.composite.weights import (
    CATEGORY_WEIGHTS,
    PUBLISHED_WEIGHTS,
    Weights,
    weights_for,
)
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import STATUSES
from benchmaker.record.submissions.scored_figures import FIGURES, Figure
from benchmaker.record.submissions.submission import Status

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class CompositeColumns:
    """Like ``Composite``, with a row per submission: scores from 0 to 100, NaN for none.

    ``reason`` codes into ``REASONS``. ``n_stood_in`` counts the stand-ins for missing figures in
    classic rows. In robust rows, scores are the lower ends; ``upper`` holds the upper ends by name
    if any row has a range, and ``lacking`` masks, by figure, the rows with a range because of it;
    ``counting`` holds, by task, the figures that count for ranked rows, and ``unranked`` those that
    count for the others. ``borrowed`` marks the tasks whose baseline is the published default, or
    in robust uses a prior.
    """

    family: Literal["classic", "robust"]
    overall: Floats
    efficiency: Floats
    speed: Floats
    cost: Floats
    correctness: Floats
    adjusted: Floats
    reason: NDArray[np.int8]
    n_stood_in: NDArray[np.int8]
    upper: Mapping[str, Floats] = field(default_factory=dict)
    lacking: Mapping[Figure, Mask] = field(default_factory=dict)
    counting: CountingColumns | None = None
    unranked: CountingColumns | None = None
    borrowed: Mask | None = None

    def __len__(self) -> int:
        return len(self.overall)

    @property
    def is_evaluated(self) -> Mask:
        """Rows with a composite."""
        return ~np.isnan(self.overall)

    def part(self, name: str) -> Floats:
        """``overall``, ``adjusted`` or one of the four parts."""
        column: Floats = getattr(self, name)
        return column

    def upper_part(self, name: str) -> Floats:
        """Return the upper ends of :meth:`part`; equal to it if nothing is missing."""
        return self.upper.get(name, self.part(name))


def task_weights(
    columns: MetricColumns,
    own: Mapping[str, Weights] | None = None,
    *,
    by_category: Mapping[str, Weights] = CATEGORY_WEIGHTS,
    otherwise: Weights = PUBLISHED_WEIGHTS,
) -> Floats:
    """Return weights as tasks × categories × parts: the task's own, else the category's.

    The last category means "none" and has the general weights. The rows of a task may name
    different categories; each is weighted by its own, as its evaluation is.
    """
    general = [
        weights_for(name, by_category=by_category, otherwise=otherwise).as_tuple()
        for name in (*columns.categories, None)
    ]
    found = np.tile(np.array(general, np.float64), (len(columns.tasks), 1, 1))
    given = own or {}
    for code, task in enumerate(columns.tasks):
        if task in given:
            found[code] = given[task].as_tuple()
    return found


def _own_weights(columns: MetricColumns, weights: Floats) -> Floats:
    """Rows × parts; a category of -1 is the last."""
    found: Floats = weights[columns.task, columns.category]
    return found


def evaluate_classic_columns(
    columns: MetricColumns, baselines: ClassicBaselines, weights: Floats
) -> CompositeColumns:
    """The published composite of every row.

    Args:
        columns: the submissions.
        baselines: of their tasks.
        weights: tasks × categories × parts, see :func:`task_weights`.
    """
    reason = _classic_reasons(columns)
    is_out = reason != _NONE
    parts, overall = _classic_sums(columns, baselines, _own_weights(columns, weights))
    rounded = [np.where(is_out, np.nan, round_as_python(part, 2)) for part in (overall, *parts)]
    rounded[4] = np.where(is_out, _correctness_alone(columns, reason), rounded[4])
    factors = [*(DIFFICULTY_FACTORS.get(name, 1.0) for name in columns.difficulties), 1.0]
    return CompositeColumns(
        family="classic",
        overall=rounded[0],
        efficiency=rounded[1],
        speed=rounded[2],
        cost=rounded[3],
        correctness=rounded[4],
        adjusted=np.minimum(FULL, rounded[0] * np.array(factors)[columns.difficulty]),
        reason=reason,
        n_stood_in=np.where(is_out, 0, _count_stand_ins(columns)).astype(np.int8),
        borrowed=baselines.is_default,
    )


def evaluate_robust_columns(
    columns: MetricColumns,
    baselines: RobustBaselines,
    weights: Floats,
    *,
    at_best: Collection[Figure] = (),
) -> CompositeColumns:
    """The robust composite of every row; arguments as in :func:`evaluate_classic_columns`.

    Figures ``at_best`` score 100 in every row for which they count.
    """
    own = _own_weights(columns, weights)
    reason = _robust_reasons(columns)
    is_out = _IS_OUT_OF_ROBUST[reason]
    has_failed = reason == REASONS.index(Reason.FAILED)
    ranges = {
        name: _robust_score(columns, baselines, name, is_best=name in at_best) for name in FIGURES
    }
    low = _robust_sums(columns, {name: one.low for name, one in ranges.items()}, own, has_failed)
    has_terms = ~has_failed & ~is_out
    lacking = {
        name: lacks for name, one in ranges.items() if (lacks := one.is_open & has_terms).any()
    }
    upper, is_open = {}, np.zeros(len(columns), np.bool_)
    for lacks in lacking.values():
        is_open |= lacks
    if lacking:
        highs = {name: one.high for name, one in ranges.items()}
        upper = _robust_sums(columns, highs, own, has_failed)
    reason[~is_out & ~has_failed & np.isnan(low["overall"])] = REASONS.index(Reason.WEIGHTLESS)
    out = {"overall": is_out} | dict.fromkeys(("efficiency", "speed", "cost"), is_out | has_failed)
    parts = {name: np.where(is_left, np.nan, low[name]) for name, is_left in out.items()}
    return CompositeColumns(
        **parts,
        family="robust",
        correctness=_correctness_alone(columns, reason),
        adjusted=np.full(len(columns), np.nan),
        reason=reason,
        n_stood_in=np.zeros(len(columns), np.int8),
        upper={name: np.where(is_open, high, parts[name]) for name, high in upper.items()},
        lacking=lacking,
        counting=baselines.counting,
        unranked=baselines.unranked,
        borrowed=_uses_prior(baselines),
    )


def _classic_sums(
    columns: MetricColumns, baselines: ClassicBaselines, own: Floats
) -> tuple[list[Floats], Floats]:
    """The four parts and their weighted sum, unrounded."""
    efficiency, cost = _classic_efficiency(columns, baselines), _classic_cost(columns, baselines)
    speed = _classic_speed(columns, baselines)
    graded = columns.correctness * 100.0
    correctness = np.where(np.isnan(graded), FULL, graded)
    overall = _weighted_sum(efficiency, speed, cost, correctness, own)
    near = np.flatnonzero(is_near_half(speed * 100.0) | is_near_half(overall * 100.0))
    speed[near] = _python_speed(columns, baselines, near)
    overall[near] = _weighted_sum(
        efficiency[near], speed[near], cost[near], correctness[near], own[near]
    )
    return [efficiency, speed, cost, correctness], overall


def _weighted_sum(
    efficiency: Floats, speed: Floats, cost: Floats, correctness: Floats, own: Floats
) -> Floats:
    """Summed in the order of the published formula."""
    total: Floats = (
        efficiency * own[:, 0] + speed * own[:, 1] + cost * own[:, 2] + correctness * own[:, 3]
    )
    return total


def _classic_efficiency(columns: MetricColumns, baselines: ClassicBaselines) -> Floats:
    median = baselines.figures["iterations"].median[columns.task]
    iterations = np.where(np.isnan(columns.iterations), 1.0, columns.iterations)
    up_to_median = np.maximum(50.0, 100.0 - (iterations - 1) * 15.0)
    beyond = np.maximum(0.0, 50.0 - (iterations - median) * 10.0)
    of_iterations = np.where(iterations <= median, up_to_median, beyond)
    of_iterations[iterations == 1] = FULL
    tokens = _falling_score(columns.total_tokens, baselines.figures["tokens"], columns.task)
    calls = _falling_score(columns.tool_calls, baselines.figures["tool_calls"], columns.task)
    total: Floats = tokens * 0.5 + calls * 0.3 + of_iterations * 0.2
    return total


def _classic_cost(columns: MetricColumns, baselines: ClassicBaselines) -> Floats:
    found = _falling_score(columns.cost, baselines.figures["cost"], columns.task)
    found[~(columns.cost > 0)] = NO_FIGURE
    return found


def _classic_speed(columns: MetricColumns, baselines: ClassicBaselines) -> Floats:
    spread = baselines.figures["seconds"]
    ratio = _falling_score(columns.seconds, spread, columns.task, scale=1.0)
    found = np.minimum(FULL, ratio**SPEED_EXPONENT * 100.0)
    found[~(columns.seconds > 0)] = NO_FIGURE
    return found


def _falling_score(
    values: Floats, spread: SpreadColumns, task: NDArray[np.int32], *, scale: float = 100.0
) -> Floats:
    """1 at the task's smallest and below, 0 at its largest and above; times the scale."""
    low, high = spread.minimum[task], spread.maximum[task]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (high - values) / (high - low) * scale
    found[values >= high] = 0.0
    found[values <= low] = scale
    return found


def _python_speed(columns: MetricColumns, baselines: ClassicBaselines, rows: Ints) -> list[float]:
    """The speed of some rows by the power of Python, whose last digit may be another."""
    spread = baselines.figures["seconds"]
    task = columns.task[rows]
    figures = zip(
        columns.seconds[rows].tolist(),
        spread.minimum[task].tolist(),
        spread.maximum[task].tolist(),
        strict=True,
    )
    return [speed_score(s, low, high) if s > 0 else NO_FIGURE for s, low, high in figures]


class _Ranges(NamedTuple):
    """The score of one figure from its lower to its upper end; NaN where it is left out."""

    low: Floats
    high: Floats
    is_open: Mask


def _robust_score(
    columns: MetricColumns, baselines: RobustBaselines, name: Figure, *, is_best: bool
) -> _Ranges:
    counts, must = _counts(columns, baselines, name)
    if is_best:
        full = np.where(counts, FULL, np.nan)
        return _Ranges(full, full, np.zeros(len(columns), np.bool_))
    ends = baselines.figures[name]
    spread = (ends.ln_q90 - ends.ln_q10)[columns.task]
    read = columns.figure if baselines.counting is None else columns.valid_figure
    values = np.ascontiguousarray(read(name, tokens=baselines.tokens))
    least = ln_least(name, ends.ln_q10, ends.ln_q90, ends.n)[columns.task]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(values)
        away = ends.ln_q90[columns.task] - logs
        score = 100.0 * np.minimum(np.maximum(away / spread, 0.0), 1.0)
    is_open = must & (np.isnan(values) | ((values > 0) & (logs < least)))
    score = np.where((spread > 0) & counts, score, np.nan)
    return _Ranges(np.where(is_open, 0.0, score), np.where(is_open, FULL, score), is_open)


def _counts(columns: MetricColumns, baselines: RobustBaselines, name: Figure) -> tuple[Mask, Mask]:
    """The rows for which the figure counts if present, and those for which it always counts."""
    counting, unranked = baselines.counting, baselines.unranked
    if counting is None or unranked is None:
        return np.ones(len(columns), np.bool_), np.zeros(len(columns), np.bool_)
    has_rank = is_ranked(columns, baselines.ranked)
    decided = [(one.counts(name), ~one.is_decided) for one in (counting, unranked)]
    must, is_free = (
        np.where(has_rank, own[columns.task], other[columns.task])
        for own, other in zip(*decided, strict=True)
    )
    return must | is_free, must


def _uses_prior(baselines: RobustBaselines) -> Mask:
    """The tasks of which a figure that counts leans on a prior."""
    counting = baselines.counting
    found = np.zeros(len(baselines.figures["tokens"].n), np.bool_)
    for name, ends in baselines.figures.items():
        is_meant = True if counting is None else counting.counts(name) | ~counting.is_decided
        found |= (ends.n < ROBUST_STEP) & is_meant
    return found


def _robust_sums(
    columns: MetricColumns, scores: Mapping[Figure, Floats], own: Floats, has_failed: Mask
) -> dict[str, Floats]:
    """The composite and its parts, at one end of the ranges."""
    efficiency = _mean_of_present(
        [scores[name] for name in FIGURES if name in EFFICIENCY_SHARES],
        [EFFICIENCY_SHARES[name] for name in FIGURES if name in EFFICIENCY_SHARES],
    )
    correctness = 100.0 * columns.correctness
    parts = [efficiency, scores["seconds"], scores["cost"], correctness]
    overall = _mean_of_present(parts, [own[:, place] for place in range(4)])
    overall = np.where(has_failed, own[:, 3] * correctness, overall)
    return {"overall": overall, "efficiency": efficiency, "speed": parts[1], "cost": parts[2]}


def _mean_of_present(scores: Sequence[Floats], weights: Sequence[Floats | float]) -> Floats:
    """Return Σ w·s / Σ w over the present values; NaN if their weights sum to 0."""
    total, weight = np.zeros(len(scores[0])), np.zeros(len(scores[0]))
    for score, own in zip(scores, weights, strict=True):
        is_there = ~np.isnan(score)
        total += np.where(is_there, own * score, 0.0)
        weight += np.where(is_there, own, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(weight > 0, total / weight, np.nan)


StandIn: TypeAlias = Literal["iterations", "speed", "cost", "correctness"]

_STANDS_IN: Final[Mapping[StandIn, str]] = {
    "iterations": "efficiency",
    "speed": "speed",
    "cost": "cost",
    "correctness": "correctness",
}
"""The part that each stand-in goes into."""

_NONE = REASONS.index(Reason.NONE)
_IS_OUT_OF_ROBUST = np.array(
    [reason in {Reason.REFUSED, Reason.INFRASTRUCTURE, Reason.UNVERIFIED} for reason in REASONS]
)
"""By the code of a reason."""


def _classic_reasons(columns: MetricColumns) -> NDArray[np.int8]:
    return _first_reasons(
        columns,
        {
            Reason.NO_TOKENS: np.isnan(columns.total_tokens),
            Reason.NO_TOOL_CALLS: np.isnan(columns.tool_calls),
        },
    )


def _robust_reasons(columns: MetricColumns) -> NDArray[np.int8]:
    unknown = np.isnan(columns.correctness)
    return _first_reasons(columns, {Reason.UNVERIFIED: unknown, Reason.FAILED: ~columns.gate})


def _first_reasons(columns: MetricColumns, more: Mapping[Reason, Mask]) -> NDArray[np.int8]:
    """The first reason that holds."""
    is_infra = columns.outcome == STATUSES.index(Status.INFRA_ERROR)
    holds = {Reason.REFUSED: columns.is_faulty, Reason.INFRASTRUCTURE: is_infra} | dict(more)
    codes = [REASONS.index(reason) for reason in holds]
    return np.select(list(holds.values()), codes, _NONE).astype(np.int8)


def _correctness_alone(columns: MetricColumns, reason: NDArray[np.int8]) -> Floats:
    refused = reason == REASONS.index(Reason.REFUSED)
    return np.where(refused, np.nan, 100.0 * columns.correctness)


def _count_stand_ins(columns: MetricColumns) -> NDArray[np.int64]:
    total: Ints = np.sum(list(stand_ins(columns).values()), axis=0, dtype=np.int64)
    return total


def stand_ins(
    columns: MetricColumns, value: str = "overall", rows: Ints | slice = slice(None)
) -> dict[StandIn, Mask]:
    """Return the rows that lack a figure with a published stand-in, by figure.

    Args:
        columns: the submissions.
        value: ``overall`` or ``adjusted`` for all such figures, or the part they belong to.
        rows: the indexes of the submissions to use.
    """
    missing: dict[StandIn, Mask] = {
        "iterations": np.isnan(columns.iterations[rows]),
        "speed": ~(columns.seconds[rows] > 0),
        "cost": ~(columns.cost[rows] > 0),
        "correctness": np.isnan(columns.correctness[rows]),
    }
    if value in {"overall", "adjusted"}:
        return missing
    return {name: mask for name, mask in missing.items() if _STANDS_IN[name] == value}
