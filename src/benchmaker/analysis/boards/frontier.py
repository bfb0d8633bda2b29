"""The cost of correctness: the Pareto front, cost per success, and success within a budget."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import Rules, Unit, words_for
from benchmaker.analysis.boards.board_lines import board_figure, board_lacking
from benchmaker.analysis.composite.row_groups import RowGroups, by_time
from benchmaker.documents import Document, listed
from benchmaker.errors import SpecError
from benchmaker.record.counts import count
from benchmaker.record.submissions.metric_columns import MetricColumns, TextView
from benchmaker.record.submissions.metrics import STATUSES
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES
from benchmaker.record.submissions.submission import Status
from benchmaker.stats.group_sums import group_sums
from benchmaker.stats.means.pass_at_k import PassRate, pass_at_k, pass_hat_k

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

DRAWS = 1_000
MANY = 1_000
"""Number of attempts from which means are drawn from the normal limit of their bootstrap."""
SOLID = 0.8
"""The share of the bootstrap's draws on the front from which a unit is drawn solid."""
_PAIRS_AT_ONCE = 1 << 18
_FLOATS_AT_ONCE = 1 << 14
"""Weights of several draws at once, few enough for the processor's cache."""


@dataclass(frozen=True, slots=True)
class FrontPoint(Document):
    """One unit: mean ``figure`` per attempt against its ``success`` rate (0–1), over tasks.

    ``membership`` is the share of bootstrap draws in which no other unit is as good at less.
    ``lacking`` counts the attempts without the figure.
    """

    system: str
    figure: float
    success: float
    n: int
    tasks: int
    on_front: bool
    membership: float
    lacking: int = 0

    @property
    @listed()
    def is_solid(self) -> bool:
        """True if it is on the front in most draws."""
        return self.membership >= SOLID


@dataclass(frozen=True, slots=True)
class Front(Document):
    """The units by rising figure; ``left_out`` have no attempt with both figures."""

    points: tuple[FrontPoint, ...]
    figure: str
    left_out: tuple[str, ...]
    method: str
    draws: int
    seed: int


@dataclass(frozen=True, slots=True)
class PerSuccess(Document):
    """The cost of one success: the sum over all attempts, failed ones included, over the successes.

    ``value`` is None without a success (``reason``: infinite) or with an unknown figure;
    ``at_least`` is then the result of the known figures, None without a success.
    """

    system: str
    figure: str
    value: float | None
    at_least: float | None
    total: float
    successes: int
    attempts: int
    unknown: int
    reason: str


@dataclass(frozen=True, slots=True)
class WithinBudget(Document):
    """The share of attempts that succeed within each of ``budgets``, in ascending order.

    ``area`` is the mean share over the logarithm of the budget between ``low`` and ``high``.
    Attempts that succeeded at an unknown figure are ``left_out``: they are not ``attempts``, or, if
    all figures are needed, attempts within no budget.
    """

    system: str
    figure: str
    budgets: tuple[float, ...]
    shares: tuple[float, ...]
    attempts: int
    left_out: int
    low: float
    high: float
    area: float | None

    def share_within(self, budget: float) -> float:
        """The share within one budget."""
        place = int(np.searchsorted(np.array(self.budgets), budget, side="right"))
        return self.shares[place - 1] if place else 0.0


def pareto(
    columns: MetricColumns,
    *,
    figure: str = "dollars",
    unit: Unit = "system",
    rules: Rules | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Front:
    """Return the units that no other unit beats at both figure and success.

    A unit's figure and success are means over its tasks of means over attempts; attempts whose
    figure or verdict is unknown are excluded from both. Membership is a bootstrap over tasks, or
    over attempts of a single task; for a unit with 1,000 attempts or more there, both means are
    drawn from the normal limit of its bootstrap (Efron and Tibshirani 1993, An Introduction to the
    Bootstrap, §5): their covariance over the attempts, divided by their number.

    Args:
        columns: the submissions; quarantined ones and infrastructure failures do not count.
        figure: ``dollars``, ``tokens``, ``seconds``, ``tool_calls`` or ``iterations``.
        unit: the unit of comparison.
        rules: the token count, and whether units that lack figures stay off the front.
        draws: number of bootstrap draws.
        seed: seed of the draws.
    """
    rules = rules or Rules()
    values, success, rows = _known_values(columns, figure, rules)
    names, code = columns.names(unit), getattr(columns, unit)
    lacks = board_lacking(columns, np.where(columns.is_faulty, np.nan, values), figure)
    lacks &= ~columns.quarantined & (code >= 0)
    lacking = np.bincount(code[lacks], minlength=len(names))
    rows &= ~np.isnan(values) & ~np.isnan(success)
    table = _Table.of(columns, np.flatnonzero(rows & (code >= 0)), code, values, success)
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = table.draw(generator, draws)
    middle, share = table.means(np.ones_like(table.has))
    is_off = (lacking[table.units] > 0) & rules.needs_all_figures
    drawn[:, 0, is_off] = np.nan
    hits, front = _hits(drawn), _on_front(np.where(is_off, np.nan, middle), share)
    points = [
        FrontPoint(
            system=names[number],
            figure=float(middle[place]),
            success=float(share[place]),
            n=int(table.n[place]),
            tasks=int(table.tasks[place]),
            on_front=bool(front[place]),
            membership=float(hits[place] / draws),
            lacking=int(lacking[number]),
        )
        for place, number in enumerate(table.units.tolist())
    ]
    seen = {names[number] for number in np.unique(code[code >= 0]).tolist()}
    return Front(
        points=tuple(
            sorted(points, key=lambda point: (point.figure, -point.success, point.system))
        ),
        figure=figure,
        left_out=tuple(sorted(seen - {point.system for point in points})),
        method=table.method,
        draws=draws,
        seed=seed,
    )


def per_success(
    columns: MetricColumns,
    *,
    figure: str = "dollars",
    unit: Unit = "system",
    rules: Rules | None = None,
) -> tuple[PerSuccess, ...]:
    """Dollars, seconds or tokens per success of every unit, by name; arguments as in ``pareto``."""
    rules = rules or Rules()
    values, success, rows = _known_values(columns, figure, rules)
    names, code = columns.names(unit), getattr(columns, unit)
    found = []
    for number, name in enumerate(names):
        own = rows & (code == number)
        if own.any():
            found.append(per_success_of(name, figure, values[own], int((success[own] == 1).sum())))
    return tuple(found)


def within_budget(
    columns: MetricColumns,
    *,
    figure: str = "dollars",
    unit: Unit = "system",
    rules: Rules | None = None,
    low: float | None = None,
    high: float | None = None,
) -> tuple[WithinBudget, ...]:
    """Return every unit's success within a budget, by name.

    Args:
        columns: as in ``pareto``; an attempt without a verdict counts as failed.
        figure: as in ``pareto``.
        unit: as in ``pareto``.
        rules: as in ``pareto``.
        low: lower end of the area; None for the smallest figure of any success.
        high: upper end; None for the largest.
    """
    rules = rules or Rules()
    values, success, rows = _known_values(columns, figure, rules)
    names, code = columns.names(unit), getattr(columns, unit)
    won = values[rows & (success == 1) & (values > 0)]
    low = float(won.min(initial=np.inf)) if low is None else low
    high = float(won.max(initial=0.0)) if high is None else high
    return tuple(
        _curve(name, figure, values[own], success[own] == 1, (low, high), rules)
        for number, name in enumerate(names)
        if (own := rows & (code == number)).any()
    )


def passes(
    attempts: Mapping[str, tuple[Ints, Ints]], k: int, *, level: float = 0.95
) -> dict[str, tuple[PassRate, PassRate]]:
    """Return pass@k and pass^k from the counts of :func:`attempts_by_task`."""
    return {
        name: (pass_at_k(won, made, k, level=level), pass_hat_k(won, made, k, level=level))
        for name, (won, made) in attempts.items()
    }


def attempts_by_task(columns: MetricColumns, unit: Unit) -> dict[str, tuple[Ints, Ints]]:
    """Successes and attempts at each of its tasks, of every unit by name that has any."""
    _, success, rows = _known_values(columns, "dollars", Rules())
    names, code = columns.names(unit), getattr(columns, unit)
    units = RowGroups.of(code, len(names), rows=np.flatnonzero(rows & (code >= 0)))
    found = {}
    for name, start, size in zip(names, units.start, units.count, strict=True):
        own = units.order[start : start + size]
        made = np.bincount(columns.task[own], minlength=len(columns.tasks))
        won = np.bincount(columns.task[own[success[own] == 1]], minlength=len(columns.tasks))
        if size:
            found[name] = won[made > 0], made[made > 0]
    return found


def _known_values(columns: MetricColumns, figure: str, rules: Rules) -> tuple[Floats, Floats, Mask]:
    """The figure, the verdict (1, 0, NaN), and the rows that count."""
    if figure not in BOARD_FIGURES:
        raise SpecError(
            f"Unknown figure {figure!r}.", hint=f"Use one of {', '.join(BOARD_FIGURES)}."
        )
    values = board_figure(columns, figure, rules)
    success = np.where(columns.success < 0, np.nan, columns.success)
    infra = columns.outcome == STATUSES.index(Status.INFRA_ERROR)
    return values, success, ~columns.quarantined & ~infra & ~columns.is_faulty


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Units × clusters: means of figure and success in a cell, and whether there is one."""

    units: Ints
    figure: Floats
    success: Floats
    has: Floats
    n: Ints
    tasks: Ints
    over: str

    @classmethod
    def of(
        cls,
        columns: MetricColumns,
        rows: Ints,
        code: NDArray[np.int32],
        values: Floats,
        success: Floats,
    ) -> "_Table":
        units, unit = np.unique(code[rows], return_inverse=True)
        tasks, cluster = np.unique(columns.task[rows], return_inverse=True)
        over = "tasks"
        many = np.array([len(np.unique(cluster[unit == u])) for u in range(len(units))], np.int64)
        if len(tasks) < 2:  # noqa: PLR2004  attempts take the place of tasks
            ids = TextView.of(columns.ids, rows)
            ordered = by_time(unit, len(units), columns.finished_us[rows], ids)
            cluster, over = np.empty(len(rows), np.int64), "attempts"
            cluster[ordered.order] = np.arange(len(rows)) - ordered.start[unit[ordered.order]]
        shape = (len(units), int(cluster.max(initial=-1)) + 1)
        place = unit * max(shape[1], 1) + cluster
        count = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
        sums = [
            group_sums(side[rows], place, shape[0] * shape[1]).reshape(shape)
            for side in (values, success)
        ]
        at_least_one = np.maximum(count, 1)
        return cls(
            units=units.astype(np.int64),
            figure=sums[0] / at_least_one,
            success=sums[1] / at_least_one,
            has=(count > 0).astype(np.float64),
            n=count.sum(axis=1),
            tasks=many,
            over=over,
        )

    @property
    def is_large(self) -> Mask:
        """Units whose attempts are too many to be drawn one by one."""
        large: Mask = (self.n >= MANY) & (self.over == "attempts")
        return large

    @property
    def method(self) -> str:
        """The method of deciding membership, in words."""
        limit = f", by its normal limit from {MANY:,} of a unit" if self.is_large.any() else ""
        return f"bootstrap over {self.over}{limit}"

    def draw(self, generator: np.random.Generator, draws: int) -> Floats:
        """Both means of every unit: draws × 2 × units."""
        if self.over == "tasks":
            clusters = self.has.shape[1]
            even = np.full(clusters, 1 / clusters)
            step = max(1, _FLOATS_AT_ONCE // self.has.size)
            sizes = (min(step, draws - at) for at in range(0, draws, step))
            times = (generator.multinomial(clusters, even, size=size) for size in sizes)
            weights = (one[:, None, :].astype(np.float64) for one in times)
            return np.concatenate([np.stack(self.means(one), axis=1) for one in weights])
        made = [self._draw_unit(generator, unit, draws) for unit in range(len(self.units))]
        return np.stack(made).transpose(2, 1, 0) if made else np.zeros((draws, 2, 0))

    def _draw_unit(self, generator: np.random.Generator, unit: int, draws: int) -> Floats:
        """Both means of one unit over its attempts: 2 × draws."""
        size = int(self.n[unit])
        rows = np.stack([self.figure[unit, :size], self.success[unit, :size]])
        if size < MANY:
            drawn = generator.integers(size, size=(draws, size))
            few: Floats = rows[:, drawn].mean(axis=2)
            return few
        middle = rows.mean(axis=1, keepdims=True)
        values, vectors = np.linalg.eigh((rows - middle) @ (rows - middle).T / size**2)
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        many: Floats = middle + root @ generator.standard_normal((2, draws))
        return many

    def means(self, weights: Floats) -> tuple[Floats, Floats]:
        """Both means of every unit; NaN where none of its cells is drawn.

        The last two axes of the weights are units × clusters.
        """
        own = weights * self.has
        total = own.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            figure = (own * self.figure).sum(axis=-1) / total
            return figure, (own * self.success).sum(axis=-1) / total


def _hits(drawn: Floats) -> Ints:
    """In how many draws every unit is on the front; many draws at a time."""
    draws, _, units = drawn.shape
    hits, step = np.zeros(units, np.int64), max(1, _PAIRS_AT_ONCE // max(units**2, 1))
    for at in range(0, draws, step):
        some = drawn[at : at + step]
        hits += _on_front(some[:, 0], some[:, 1]).sum(axis=0)
    return hits


def _on_front(figure: Floats, success: Floats) -> Mask:
    """Units that no other beats or equals at both while beating it at one; the last axis."""
    one, other = figure[..., :, None], figure[..., None, :]
    is_better, is_as_good = one < other, one <= other
    one, other = success[..., :, None], success[..., None, :]
    is_beaten = (is_as_good & (one > other)) | (is_better & (one >= other))
    front: Mask = ~is_beaten.any(axis=-2) & ~np.isnan(figure)
    return front


def per_success_of(name: str, figure: str, values: Floats, successes: int) -> PerSuccess:
    """Return the cost of a success from the figures of all attempts, NaN where unknown."""
    unknown = int(np.isnan(values).sum())
    total = math.fsum(values[~np.isnan(values)])
    at_least = total / successes if successes else None
    reason = "" if successes else f"no success in {count(len(values), 'attempt')}"
    if successes and unknown:
        reason = f"{words_for(figure)} unknown for {unknown} of {len(values)} attempts"
    return PerSuccess(
        system=name,
        figure=figure,
        value=at_least if not unknown else None,
        at_least=at_least,
        total=total,
        successes=successes,
        attempts=len(values),
        unknown=unknown,
        reason=reason,
    )


def _curve(  # noqa: PLR0917  private, called once
    name: str, figure: str, values: Floats, won: Mask, span: tuple[float, float], rules: Rules
) -> WithinBudget:
    left_out, (low, high) = won & np.isnan(values), span
    attempts = len(values) if rules.needs_all_figures else int((~left_out).sum())
    budgets, times = np.unique(values[won & ~left_out], return_counts=True)
    shares = np.cumsum(times) / max(attempts, 1)
    return WithinBudget(
        system=name,
        figure=figure,
        budgets=tuple(budgets.tolist()),
        shares=tuple(shares.tolist()),
        attempts=attempts,
        left_out=int(left_out.sum()),
        low=low,
        high=high,
        area=_area(budgets, shares, low, high) if attempts else None,
    )


def _area(budgets: Floats, shares: Floats, low: float, high: float) -> float | None:
    """The mean of the steps over ln budget from low to high."""
    if not 0 < low < high < math.inf:
        return None
    edges = [*map(math.log, np.clip(budgets, low, high).tolist()), math.log(high)]
    area: float = sum((shares * np.diff(edges)).tolist())
    return area / (edges[-1] - math.log(low))
