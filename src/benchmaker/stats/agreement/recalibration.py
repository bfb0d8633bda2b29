"""Maps from one scale to another, learnt from pairs: a line, or any rising steps."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Floats, check_level, finite_column
from benchmaker.stats.paired_columns import align
from benchmaker.stats.quantiles import t_quantile

ENOUGH_FOR_A_LINE = 50
ENOUGH_FOR_STEPS = 200

_TWO = 2


@dataclass(frozen=True, slots=True)
class MappedValues:
    """Values on the other scale, with those outside the map's range.

    ``beyond`` lists the rows (from 1) outside the range the map was fitted on, and ``off_scale``
    those whose result exceeds the given ``bounds``; neither is ever clipped.
    """

    values: tuple[float, ...]
    beyond: tuple[int, ...]
    off_scale: tuple[int, ...]
    warnings: tuple[str, ...] = ()


class Map(Protocol):
    """A map from one scale to another."""

    def predict(
        self, values: ArrayLike, *, bounds: tuple[float, float] | None = None
    ) -> MappedValues:
        """The values on the other scale."""
        ...


@dataclass(frozen=True, slots=True)
class LinearMap:
    """A straight line fitted by least squares; ``start`` and ``end`` bound its training range.

    ``slope_interval`` and ``residual_sd`` are None, with a reason, if two rows or an exact fit
    leave no residual error.
    """

    slope: float
    intercept: float
    slope_interval: tuple[float, float] | None
    residual_sd: float | None
    start: float
    end: float
    n: int
    n_eff: float
    clusters: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def predict(
        self, values: ArrayLike, *, bounds: tuple[float, float] | None = None
    ) -> MappedValues:
        """Return the line's values; those beyond ``start`` and ``end`` are reported."""
        x = finite_column(values, "value")
        return _map_result(x, self.intercept + self.slope * x, (self.start, self.end), bounds)


@dataclass(frozen=True, slots=True)
class IsotonicMap:
    """Rising steps joined by straight lines, through ``(knots[i], levels[i])``."""

    knots: tuple[float, ...]
    levels: tuple[float, ...]
    n: int
    n_eff: float
    clusters: int | None
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def predict(
        self, values: ArrayLike, *, bounds: tuple[float, float] | None = None
    ) -> MappedValues:
        """Interpolate between knots; report values beyond the first and last, which get theirs."""
        x = finite_column(values, "value")
        return _map_result(
            x, np.interp(x, self.knots, self.levels), (self.knots[0], self.knots[-1]), bounds
        )


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """Leave-one-out errors of a map, and the errors without it.

    ``raw`` and ``mapped`` are mean absolute errors in the unit of the targets.
    """

    raw: float
    mapped: float
    n: int
    beyond: int
    method: str


def fit_linear(
    x: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, level: float = 0.95
) -> LinearMap:
    """The least-squares line from x to y (Draper & Smith 1998, Applied Regression Analysis).

    Args:
        x: values on the scale to leave.
        y: values of the same rows on the scale to reach.
        weights: one per row, above 0; None for equal ones. As variances they are reciprocal.
        level: of the slope's interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than two different values of x.
        SpecError: a value that is not finite, named by its row; columns of different lengths.

    >>> line = fit_linear([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    >>> mapped = line.predict([2.5, 4.0])
    >>> mapped.values, mapped.warnings
    ((5.0, 8.0), ('1 of 2 values lie outside what the map was learnt from',))
    """
    check_level(level)
    one, two, w = _rows(x, y, weights)
    if one.min() == one.max():
        raise NotEnoughData("A line needs two different values of x.", needed=_TWO, got=1)
    total = math.fsum(w)
    mean_x, mean_y = math.fsum(w * one) / total, math.fsum(w * two) / total
    squares = math.fsum(w * (one - mean_x) ** 2)
    slope = math.fsum(w * (one - mean_x) * (two - mean_y)) / squares
    rest = math.fsum(w * ((two - mean_y) - slope * (one - mean_x)) ** 2)
    n = len(one)
    sd = math.sqrt(rest / (n - 2)) if n > _TWO and rest > 0.0 else None
    half = None if sd is None else t_quantile(n - 2, level) * sd / math.sqrt(squares)
    return LinearMap(
        slope=slope,
        intercept=mean_y - slope * mean_x,
        slope_interval=None if half is None else (slope - half, slope + half),
        residual_sd=sd,
        start=float(one.min()),
        end=float(one.max()),
        n=n,
        n_eff=total * total / math.fsum(w * w),
        clusters=None,
        level=level,
        method="least squares line",
        reason="" if sd is not None else "no error is left to weigh",
        warnings=_few_rows_warning(n, ENOUGH_FOR_A_LINE, "a line"),
    )


def fit_isotonic(
    x: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, increasing: bool = True
) -> IsotonicMap:
    """The rising map of least squares, by pooling adjacent violators.

    Ayer, Brunk, Ewing, Reid & Silverman 1955; Barlow, Bartholomew, Bremner & Brunk 1972,
    Statistical Inference under Order Restrictions. Rows of equal x are averaged first. A pooled
    stretch keeps its two ends as knots.

    Args:
        x: values on the scale to leave.
        y: values of the same rows on the scale to reach.
        weights: one per row, above 0; None for equal ones.
        increasing: False for a falling map.

    Raises:
        NotEnoughData: fewer than two different values of x.
        SpecError: a value that is not finite, named by its row; columns of different lengths.

    >>> fit_isotonic([1, 2, 3, 4], [1.0, 3.0, 2.0, 4.0]).levels
    (1.0, 2.5, 2.5, 4.0)
    """
    one, two, w = _rows(x, y, weights)
    if one.min() == one.max():
        raise NotEnoughData("A rising map needs two different values of x.", needed=_TWO, got=1)
    places, means, sums = _by_place(one, two, w)
    sign = 1.0 if increasing else -1.0
    levels = sign * _pool_violators(sign * means, sums)
    knots = _corners(levels)
    return IsotonicMap(
        knots=tuple(places[knots].tolist()),
        levels=tuple(levels[knots].tolist()),
        n=len(one),
        n_eff=math.fsum(w) ** 2 / math.fsum(w * w),
        clusters=None,
        method=f"isotonic regression, {'rising' if increasing else 'falling'}",
        warnings=_few_rows_warning(len(one), ENOUGH_FOR_STEPS, "isotonic regression"),
    )


def leave_one_out(fit: Callable[[Floats, Floats], Map], x: ArrayLike, y: ArrayLike) -> LeaveOneOut:
    """Return the errors of a map on each row when fitted on all others.

    Stone 1974, Journal of the Royal Statistical Society B 36, 111-147.

    Args:
        fit: the fitting function, such as ``fit_linear`` or ``fit_isotonic``.
        x: values on the source scale, comparable with y as they are.
        y: values of the same rows on the target scale.

    Raises:
        NotEnoughData: fewer than three rows, or too few different values without one row.

    >>> leave_one_out(fit_linear, [1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]).mapped
    0.0
    """
    one, two = align(x, y)
    n = len(one)
    if n <= _TWO:
        raise NotEnoughData("Leave-one-out needs three rows.", needed=_TWO + 1, got=n)
    misses, beyond = [], 0
    for row in range(n):
        keep = np.arange(n) != row
        got = fit(one[keep], two[keep]).predict(one[row : row + 1])
        misses.append(abs(got.values[0] - float(two[row])))
        beyond += len(got.beyond)
    raw = math.fsum(np.abs(one - two)) / n
    return LeaveOneOut(raw, math.fsum(misses) / n, n, beyond, "mean absolute error, leave one out")


def _rows(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    one, two = align(x, y)
    if not len(one):
        raise NotEnoughData("There is no row.", needed=_TWO, got=0)
    if weights is None:
        return one, two, np.ones_like(one)
    _, w = align(x, weights, noun="weight")
    if w.min() <= 0.0:
        row = int(np.argmax(w <= 0.0))
        raise SpecError(f"The weight in row {row + 1} is {w[row]:g}; weights are above 0.")
    return one, two, w


def _by_place(x: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """Different values of x ascending, the weighted mean of y there, and the weight."""
    places, inverse = np.unique(x, return_inverse=True)
    order = np.lexsort((w, y, inverse))
    starts = np.flatnonzero(np.diff(inverse[order])) + 1
    parts = np.split(order, starts)
    sums = np.array([math.fsum(w[part]) for part in parts])
    means = np.array([math.fsum(w[part] * y[part]) for part in parts]) / sums
    return places, means, sums


def _pool_violators(means: Floats, weights: Floats) -> Floats:
    """Each block joins its left neighbour while that is not lower."""
    blocks: list[tuple[float, float, int]] = []
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        block = (mean, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            level, before, size = blocks.pop()
            both = before + block[1]
            block = ((level * before + block[0] * block[1]) / both, both, size + block[2])
        blocks.append(block)
    return np.repeat([level for level, _, _ in blocks], [size for _, _, size in blocks])


def _corners(levels: Floats) -> list[int]:
    """Both ends of every stretch of one level."""
    last = len(levels) - 1
    is_inner = [
        0 < i < last and levels[i - 1] == levels[i] == levels[i + 1] for i in range(last + 1)
    ]
    return [i for i in range(last + 1) if not is_inner[i]]


def _map_result(
    x: Floats, values: Floats, learnt: tuple[float, float], bounds: tuple[float, float] | None
) -> MappedValues:
    beyond = _rows_outside(x, learnt)
    off_scale = () if bounds is None else _rows_outside(values, bounds)
    said = []
    if beyond:
        said.append(f"{len(beyond)} of {len(x)} values lie outside what the map was learnt from")
    if off_scale:
        said.append(f"{len(off_scale)} of {len(x)} results lie outside the scale")
    return MappedValues(tuple(values.tolist()), beyond, off_scale, tuple(said))


def _rows_outside(values: Floats, ends: tuple[float, float]) -> tuple[int, ...]:
    rows = np.flatnonzero((values < ends[0]) | (values > ends[1])) + 1
    return tuple(rows.tolist())


def _few_rows_warning(n: int, enough: int, name: str) -> tuple[str, ...]:
    return (f"only {n} rows; below {enough} {name} may do harm",) if n < enough else ()
