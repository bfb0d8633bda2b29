"""Ranks that the data can carry: intervals from differences, and chances to be at the top."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import SpecError
from benchmaker.stats.ratings.bradley_terry import quantile, t_widening
from benchmaker.stats.ratings.rating import SAME, Floats, Ints, Ratings

_FLOATS_AT_ONCE = 1 << 22
_FLOATS_KEPT = 1 << 17
NO_ERROR = "rank probabilities are omitted: a difference has no standard error"
"""The warning of a group without ``p_top``."""
_TIED = 1e-6  # of the largest standard error; equal models differ by rounding alone


@dataclass(frozen=True, slots=True)
class RankRow:
    """One model's rank interval; ``p_top`` is None for a model without a rating."""

    name: str
    best: int
    worst: int
    p_top: float | None
    group: int


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The range of ranks of each model; arrays in the order of ``names``.

    ``best`` is 1 + the models certainly above it, ``worst`` the size of its group minus the models
    certainly below it. ``p_top`` is the chance to be among the first ``top``, NaN for a model
    without a rating, for a group with differences without a standard error, and if ``top`` is None.
    ``critical`` is the number of standard errors required of a difference.
    """

    names: tuple[str, ...]
    best: Ints
    worst: Ints
    p_top: Floats
    top: int | None
    group: Ints
    method: str
    kind: Literal["simultaneous", "marginal"]
    critical: float
    level: float
    draws: int
    seed: int
    n: int
    n_eff: float
    clusters: int | None
    warnings: tuple[str, ...] = ()

    def rows(self) -> tuple[RankRow, ...]:
        """A line for each model, the best interval first."""
        order = sorted(
            range(len(self.names)),
            key=lambda i: (self.group[i], self.best[i], self.worst[i], self.names[i]),
        )
        return tuple(self._row(i) for i in order)

    def _row(self, i: int) -> RankRow:
        chance = float(self.p_top[i])
        return RankRow(
            name=self.names[i],
            best=int(self.best[i]),
            worst=int(self.worst[i]),
            p_top=chance if np.isfinite(chance) else None,
            group=int(self.group[i]),
        )


def rank_intervals(
    ratings: Ratings,
    *,
    upper: Floats | None = None,
    simultaneous: bool = True,
    level: float | None = None,
    top: int | None = 1,
    draws: int = 20_000,
    seed: int = 0,
) -> Ranks:
    """Compute rank intervals from the standard errors of differences.

    i is certainly above j when θ_i - θ_j exceeds c standard errors of that difference.
    Simultaneous: c is the level's quantile of the largest |difference| / SE over all pairs, by
    draws from the covariance, so that all intervals hold together with that probability (Mogstad,
    Romano, Shaikh and Wilhelm 2024). Marginal: c belongs to a single difference, so that among
    many models some intervals are wrong. With clusters both are Student's t. A difference with
    fewer effective clusters has a wider t: c, and the draws for ``p_top``, are then multiplied by
    the ratio of the quantiles of a single figure.

    Args:
        ratings: with their covariance.
        upper: if θ is only known to lie in a range, its upper ends, and ``ratings.theta`` holds the
            lower ones: i is certainly above j when i's lower end exceeds j's upper end by that
            much (Horowitz and Manski 2000, bounds in the worst case). None if θ is a number.
        simultaneous: all intervals jointly, or each separately.
        level: None for that of the ratings.
        top: the number of first ranks for ``p_top``; None to omit it.
        draws: number of draws for ``p_top`` and for c.
        seed: seed of the draws.

    Models of different groups do not compare: ranks count within the group. A difference without a
    standard error is not significant, however large it is, and its group has no ``p_top``. Models
    whose ratings are equal, with no standard error of the difference, share their chances.

    Raises:
        SpecError: ``top`` or ``draws`` below 1, a level outside 0 to 1.
    """
    level = ratings.level if level is None else level
    if not 0.0 < level < 1.0:
        raise SpecError(f"The confidence level {level!r} is not between 0 and 1.")
    if (top is not None and not 1 <= top <= len(ratings.names)) or draws < 1:
        raise SpecError(f"top={top} of {len(ratings.names)} models by {draws} draws says nothing.")
    error, usable = _errors(ratings)
    blind = _blind_groups(ratings, usable)
    largest, p_top = _draw_ranks(ratings, error, usable, top=top, draws=draws, seed=seed)
    single = quantile(0.5 + level / 2, ratings.df)
    critical = _upper_quantile(largest, level) if simultaneous else single
    theta = np.nan_to_num(ratings.theta)
    ends = theta if upper is None else upper
    needed = critical * t_widening(ratings.effective_clusters, ratings.df, level) * error
    above = usable & (theta[None, :] - ends[:, None] > needed)
    size = np.bincount(ratings.group)[ratings.group]
    kind: Literal["simultaneous", "marginal"] = "simultaneous" if simultaneous else "marginal"
    return Ranks(
        names=ratings.names,
        best=1 + above.sum(axis=1),
        worst=size - above.sum(axis=0),
        p_top=np.where(blind, np.nan, p_top),
        top=top,
        group=ratings.group,
        method=_method(kind, ratings, draws),
        kind=kind,
        critical=critical,
        level=level,
        draws=draws,
        seed=seed,
        n=ratings.n,
        n_eff=ratings.n_eff,
        clusters=ratings.clusters,
        warnings=(
            *ratings.warnings,
            *_missing_error_warnings(ratings, usable),
            *([NO_ERROR] if top is not None and blind.any() else []),
        ),
    )


def rank_ub(ratings: Ratings) -> Ints:
    """Return 1 + the number of models whose interval lies wholly above, as on FastChat's board.

    Two intervals that do not overlap are stronger evidence than the level says, and the
    comparisons are not adjusted: kept for comparison with other boards.
    """
    above = ratings.low[None, :] > ratings.high[:, None]
    same = ratings.group[None, :] == ratings.group[:, None]
    return np.asarray(1 + (above & same).sum(axis=1), np.int64)


def _errors(ratings: Ratings) -> tuple[Floats, NDArray[np.bool_]]:
    """Standard errors of all differences, and which pairs compare."""
    error = ratings.difference_errors()
    usable = _pairs(ratings) & np.isfinite(error)
    return np.where(usable, error, 0.0), usable


def _pairs(ratings: Ratings) -> NDArray[np.bool_]:
    """The pairs of one group."""
    same: NDArray[np.bool_] = ratings.group[:, None] == ratings.group[None, :]
    np.fill_diagonal(same, val=False)
    return same


def _blind_groups(ratings: Ratings, usable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each model, True if its group has unequal ratings without a standard error between them.

    Also if no two of the group have one, even if all ratings are equal.
    """
    theta = np.nan_to_num(ratings.theta)
    is_apart = np.abs(theta[:, None] - theta[None, :]) > SAME
    pairs = _pairs(ratings)
    lacks = _has_pair(ratings.group, pairs & ~usable & is_apart)
    return lacks | (_has_pair(ratings.group, pairs) & ~_has_pair(ratings.group, usable))


def _has_pair(group: Ints, pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each model, True if some model of its group is in one of the pairs."""
    has_pair = np.zeros(int(group.max(initial=-1)) + 1, np.bool_)
    has_pair[group[pairs.any(axis=1)]] = True
    return has_pair[group]


def _draw_ranks(
    ratings: Ratings,
    error: Floats,
    usable: NDArray[np.bool_],
    *,
    top: int | None,
    draws: int,
    seed: int,
) -> tuple[Floats, Floats]:
    """The largest |difference| / SE of each draw, and how often each model is among the top."""
    m = len(ratings.names)
    theta = np.where(np.isfinite(ratings.theta), ratings.theta, 0.0)
    tied = _TIED * float(np.sqrt(np.diag(ratings.cov).max(initial=0.0)))
    largest: list[Floats] = []
    hits = np.zeros(m)
    counts = ratings.effective_clusters
    own = None if counts is None else np.diag(counts)
    wider = t_widening(own, ratings.df, ratings.level)
    for noise in _noises(ratings, draws, seed):
        largest.append(_largest_differences(noise, error, usable))
        if top is not None:
            hits += _top_counts(theta + wider * noise, ratings.group, top, tied=tied)
    is_known = np.isfinite(ratings.theta) & (top is not None)
    share = np.where(is_known, hits / draws, np.nan)
    return np.concatenate(largest), share


def _upper_quantile(values: Floats, level: float) -> float:
    """The quantile or the next higher value; `numpy.quantile` takes long for few values."""
    at = int(np.ceil((len(values) - 1) * level))
    return float(np.partition(values, at)[at])


def _largest_differences(noise: Floats, error: Floats, usable: NDArray[np.bool_]) -> Floats:
    """The largest |difference| / SE of each draw: of all pairs at once, or of one model's."""
    models = np.ascontiguousarray(noise.T)
    first, second = np.nonzero(np.triu(usable, 1))
    if 0 < len(first) * len(noise) <= _FLOATS_KEPT:
        return _largest_ratio(models[second], models[first], error[first, second])
    found = np.zeros(len(noise))
    for one in range(len(models)):
        others = one + 1 + np.flatnonzero(usable[one, one + 1 :])
        if len(others):
            largest = _largest_ratio(models[others], models[one], error[one, others])
            np.maximum(found, largest, out=found)
    return found


def _largest_ratio(ratio: Floats, others: Floats, error: Floats) -> Floats:
    """The largest |difference| / SE over some pairs; ``ratio`` is a copy, worked on in place."""
    ratio -= others
    np.abs(ratio, out=ratio)
    ratio /= error[:, None]
    largest: Floats = ratio.max(axis=0)
    return largest


def _noises(ratings: Ratings, draws: int, seed: int) -> Iterator[Floats]:
    """Draws from N(0, cov), or multivariate t, some rows at a time.

    The root is the symmetric one, which is unique: eigenvectors are so but for their signs, and
    signs differ between linear algebra libraries.
    """
    values, vectors = np.linalg.eigh(ratings.cov)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    for drawn in _standard_draws(len(ratings.names), ratings.df, draws, seed):
        noise = drawn.normal @ root
        if drawn.spread is not None:
            noise /= drawn.spread
        yield noise


class _Standard(NamedTuple):
    """Standard normal draws, and by what each is divided to be Student's t; None for normal."""

    normal: Floats
    spread: Floats | None


def _standard_draws(m: int, df: float | None, draws: int, seed: int) -> Iterable[_Standard]:
    """The draws of that seed; those for few models are kept, since many boards need the same."""
    is_small = draws * m <= _FLOATS_KEPT
    return _kept_draws(m, df, draws, seed) if is_small else _new_draws(m, df, draws, seed)


@lru_cache(maxsize=16)
def _kept_draws(m: int, df: float | None, draws: int, seed: int) -> tuple[_Standard, ...]:
    return tuple(_new_draws(m, df, draws, seed))


def _new_draws(m: int, df: float | None, draws: int, seed: int) -> Iterator[_Standard]:
    generator = np.random.Generator(np.random.PCG64(seed))
    stride = max(1, _FLOATS_AT_ONCE // (m * m))
    for start in range(0, draws, stride):
        rows = min(stride, draws - start)
        normal = generator.standard_normal((rows, m))
        if df is None:
            yield _Standard(normal, None)
        else:
            yield _Standard(normal, np.sqrt(generator.chisquare(df, rows) / df)[:, None])


def _top_counts(drawn: Floats, group: Ints, top: int, *, tied: float) -> Floats:
    """In how many rows each model is among the first ``top`` of its group.

    Models within ``tied`` of each other share the places that are left for them.
    """
    hits = np.zeros(drawn.shape[1])
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        own, places = drawn[:, members], min(top, len(members))
        last = -np.partition(-own, places - 1, axis=1)[:, places - 1 : places]
        above, level = own > last + tied, np.abs(own - last) <= tied
        left = (places - above.sum(axis=1)) / level.sum(axis=1)
        hits[members] += (above + level * left[:, None]).sum(axis=0)
    return hits


def _method(kind: str, ratings: Ratings, draws: int) -> str:
    by = f" by {draws:,} draws" if kind == "simultaneous" else ""
    shape = "normal" if ratings.df is None else f"t({_describe_degrees(ratings.df)})"
    return f"{kind} rank intervals from differences, {shape}{by}; {ratings.method}"


def _describe_degrees(df: float) -> str:
    return f"{df:,.0f}" if df == int(df) else f"{df:,.1f}"


def _missing_error_warnings(ratings: Ratings, usable: NDArray[np.bool_]) -> tuple[str, ...]:
    blind = int((_pairs(ratings) & ~usable).sum()) // 2
    if not blind:
        return ()
    differences = "1 difference has" if blind == 1 else f"{blind:,} differences have"
    return (f"{differences} no standard error and can't be significant",)
