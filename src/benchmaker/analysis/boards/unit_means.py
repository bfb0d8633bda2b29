"""Means of units over tasks, how they vary together, and the ranks that this can carry."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.system_task_means import Cells
from benchmaker.stats.group_sums import group_sums
from benchmaker.stats.ratings.ranks import rank_intervals
from benchmaker.stats.ratings.rating import Ratings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

NO_INTERVALS = "no rank intervals: fewer than two systems with a standard error"
"""The text shown on a board in place of its method for rank intervals."""

DRAWS = 2_000
_PAIRS_DRAWN = 50_000_000
_FEWEST_DRAWS = 500
_ALIKE = 1e-12
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """The mean of every unit over its tasks, in the order of the units' codes; NaN without any.

    ``cov`` is the covariance of the means. A unit at two tasks or more varies over them, and units
    at one task vary together. If the board has a single task, the attempts vary instead (see
    ``over``). ``size`` is the number of tasks or attempts of a unit.
    """

    mean: Floats
    cov: Floats
    size: Ints
    tasks: Ints
    over: str

    @property
    def se(self) -> Floats:
        """The standard errors; NaN below two tasks or attempts."""
        return np.where(self.size > 1, np.sqrt(np.diag(self.cov)), np.nan)


def means_of(table: Cells, units: int, *, span: float | None = None) -> Means:
    """Return the means of all units.

    Args:
        table: the cells of the board.
        units: number of units.
        span: the width of the scale, if any: a unit with equal values then has the variance of
            Jeffreys' posterior of a share of 0 or 1 instead of none.
    """
    known, mean, tasks = _over_known(table, units)
    if len(np.unique(known.task)) > 1:
        size, cov, over = tasks, _over_tasks(known, mean, tasks), "tasks"
    else:
        size, cov, over = _over_attempts(known, units)
    if span is not None:
        _widen(cov, size, span)
    return Means(mean=mean, cov=cov, size=size, tasks=tasks, over=over)


def upper_means(means: Means, highs: Cells, *, span: float | None = None) -> tuple[Floats, Floats]:
    """The means of the upper ends of ranges, never below ``means.mean``, and their errors.

    A unit without a range has exactly its own mean and standard error: sums of other columns are
    rounded on another grid, and that difference is no range.
    """
    high = means_of(highs, len(means.mean), span=span)
    is_range = high.mean - means.mean > _ROUNDING
    return np.where(is_range, high.mean, means.mean), np.where(is_range, high.se, means.se)


def _over_known(table: Cells, units: int) -> tuple[Cells, Floats, Ints]:
    """The cells with a value, and for each unit their mean and number."""
    known = table.take(~np.isnan(table.value))
    tasks = np.bincount(known.unit, minlength=units)
    total = group_sums(known.value, known.unit, units)
    return known, np.where(tasks > 0, total / np.maximum(tasks, 1), np.nan), tasks


def intervals(
    means: Means,
    ranked: Ints,
    *,
    highs: Floats,
    lower_is_better: bool,
    level: float,
    seed: int,
) -> tuple[dict[int, tuple[int, int]], str]:
    """Return simultaneous best and worst ranks of the ranked units, and the method.

    A unit without a standard error may have any rank. A unit whose mean is a range from
    ``means.mean`` to ``highs`` is above another only if its lower end is above the other's upper
    one; the errors are those of the lower ends.
    """
    if not len(ranked):
        return {}, ""
    sure = [int(unit) for unit in ranked if means.size[unit] > 1]
    loose = len(ranked) - len(sure)
    found = {int(unit): (1, len(ranked)) for unit in ranked}
    if len(sure) < 2:  # noqa: PLR2004  no pair to compare
        return found, NO_INTERVALS
    place = np.array(sure)
    sign = -1.0 if lower_is_better else 1.0
    made = rank_intervals(
        _as_ratings(means, place, sign, level),
        upper=sign * highs[place],
        level=level,
        top=None,
        draws=_draws(len(sure)),
        seed=seed,
    )
    for unit, best, worst in zip(sure, made.best.tolist(), made.worst.tolist(), strict=True):
        found[unit] = (best, worst + loose)
    return found, made.method


def _over_tasks(known: Cells, mean: Floats, tasks: Ints) -> Floats:
    """Clustered by task: Σ_t e_t e_tᵀ with e = (value - mean)/tasks, times n/(n - 1) each way."""
    names, column = np.unique(known.task, return_inverse=True)
    count = tasks[known.unit]
    share = np.sqrt(count / np.maximum(count - 1, 1)) / count
    away = np.zeros((len(mean), len(names)))
    away[known.unit, column] = (known.value - mean[known.unit]) * share
    cov: Floats = np.einsum("it,jt->ij", away, away)
    return cov


def _over_attempts(known: Cells, units: int) -> tuple[Ints, Floats, str]:
    size = np.zeros(units, np.int64)
    variance = np.zeros(units)
    size[known.unit] = known.n
    has_spread = known.n > 1
    variance[known.unit[has_spread]] = known.variance[has_spread] / known.n[has_spread]
    return size, np.diag(variance), "attempts"


def _widen(cov: Floats, size: Ints, span: float) -> None:
    """The variance of Beta(n + ½, ½) on the diagonal where there is none."""
    least = span**2 * (size + 0.5) * 0.5 / ((size + 1.0) ** 2 * (size + 2.0))
    diagonal = np.diag(cov)
    alike = diagonal <= _ALIKE * span**2
    np.fill_diagonal(cov, np.where(alike, least, diagonal))


def _draws(units: int) -> int:
    return int(np.clip(_PAIRS_DRAWN // (units * units), _FEWEST_DRAWS, DRAWS))


def _as_ratings(means: Means, place: Ints, sign: float, level: float) -> Ratings:
    many = len(place)
    nothing = np.full(many, np.nan)
    theta = sign * means.mean[place]
    size = means.size[place]
    return Ratings(
        names=tuple(map(str, place.tolist())),
        theta=theta,
        cov=means.cov[np.ix_(place, place)],
        independent=np.diag(np.diag(means.cov)[place]),
        se=means.se[place],
        score=theta,
        low=nothing,
        high=nothing,
        n_battles=size,
        effective=size.astype(np.float64),
        group=np.zeros(many, np.int64),
        n=int(size.sum()),
        n_eff=float(size.sum()),
        method=f"means over {means.over}",
        covariance="clustered",
        ties="half",
        tie_parameter=None,
        tie_se=None,
        clusters=int(size.min()),
        df=int(size.min()) - 1,
        level=level,
        scale=1.0,
        offset=0.0,
        prior=0.0,
        log_likelihood=float("nan"),
        iterations=0,
    )
