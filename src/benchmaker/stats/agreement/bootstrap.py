"""The cluster bootstrap, for any statistic of rows."""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import AnalysisError, NotEnoughData, SpecError
from benchmaker.stats.agreement.ratings import RatingTable
from benchmaker.stats.columns import Codes, Floats, check_level, cluster_codes

Rows = TypeVar("Rows", NDArray[np.float64], RatingTable)

FEW_CLUSTERS = 20
_MOST_DEGENERATE = 0.1
_TWO = 2


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A statistic and its bootstrap distribution over clusters of rows.

    ``degenerate`` counts the draws that left the statistic undefined; they are in neither ``se``
    nor the interval. Figures that the data cannot support are None, with a ``reason``.
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    draws: int
    degenerate: int
    seed: int
    n: int
    n_eff: float
    clusters: int | None
    level: float
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def bootstrap(
    statistic: Callable[[Rows], float | None],
    rows: Rows,
    *,
    seed: int,
    clusters: Iterable[Hashable] | None = None,
    draws: int = 2000,
    kind: Literal["bca", "percentile"] = "bca",
    level: float = 0.95,
) -> Bootstrap:
    """An interval for any statistic, drawing clusters of rows with replacement.

    Efron 1987, Journal of the American Statistical Association 82, 171-185 (BCa, its acceleration
    by leaving out one cluster at a time); Davison & Hinkley 1997, Bootstrap Methods and their
    Application, section 3.8, for clusters. Draws come from numpy's PCG64 over clusters sorted by
    content, so that the result does not depend on the order of the rows.

    Args:
        statistic: rows to a number; None, NaN or an AnalysisError marks a draw as degenerate.
        rows: an array of numbers, its first axis the rows, or a table of ratings, which keeps
            categories absent from a draw.
        seed: of the draws.
        clusters: one per row; by default every row is independent.
        draws: number of bootstrap samples.
        kind: bca, or the plain percentiles.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: a single row or cluster.
        AnalysisError: the statistic is undefined on the rows themselves.
        SpecError: fewer than 100 draws, or clusters that do not match the rows.

    >>> scores = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    >>> bootstrap(lambda x: float(x.mean()), scores, seed=1, kind="percentile").interval
    (0.25, 0.875)
    """
    check_level(level)
    if draws < 100:  # noqa: PLR2004  fewer carry no tail
        raise SpecError(f"{draws} draws carry no interval; take 100 or more.")
    groups = _groups(rows, clusters)
    if len(groups) < _TWO:
        raise NotEnoughData("The bootstrap needs two clusters.", needed=_TWO, got=len(groups))
    value = _value(statistic, rows)
    if value is None:
        raise AnalysisError("The statistic is undefined on these rows.")
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn, degenerate = _draw_statistics(statistic, rows, groups, draws, generator)
    ends, reason = _percentiles(drawn, degenerate, kind=kind, level=level)
    if ends is not None and kind == "bca":
        ends, reason = _bca_interval(value, drawn, _jackknife(statistic, rows, groups), level)
    return Bootstrap(
        value=value,
        se=float(np.std(drawn, ddof=1)) if not reason else None,
        low=None if ends is None else ends[0],
        high=None if ends is None else ends[1],
        draws=draws,
        degenerate=degenerate,
        seed=seed,
        n=len(rows),
        n_eff=float(len(groups)),
        clusters=None if clusters is None else len(groups),
        level=level,
        method=_method(kind, clusters is not None),
        reason=reason,
        warnings=_warnings(
            len(groups), degenerate, draws, "rows" if clusters is None else "clusters"
        ),
    )


def _groups(rows: Rows, clusters: Iterable[Hashable] | None) -> list[Codes]:
    """Return the rows of every cluster, with rows and clusters sorted by content."""
    cells = rows.codes if isinstance(rows, RatingTable) else np.asarray(rows)
    flat = cells.reshape(len(cells), -1)
    order = np.lexsort(flat.T[::-1]) if flat.size else np.arange(len(cells))
    codes = cluster_codes(clusters, len(cells))[order]
    ranks = np.unique(flat, axis=0, return_inverse=True)[1].reshape(-1)[order]
    by_code = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[by_code])) + 1
    members = [group for group in np.split(by_code, ends) if len(group)]
    members.sort(key=lambda group: tuple(ranks[group].tolist()))
    return [order[group] for group in members]


def _value(statistic: Callable[[Rows], float | None], rows: Rows) -> float | None:
    try:
        value = statistic(rows)
    except AnalysisError:
        return None
    return None if value is None or not math.isfinite(value) else float(value)


def _draw_statistics(
    statistic: Callable[[Rows], float | None],
    rows: Rows,
    groups: list[Codes],
    draws: int,
    generator: np.random.Generator,
) -> tuple[Floats, int]:
    values: list[float] = []
    for _ in range(draws):
        picked = generator.integers(len(groups), size=len(groups))
        value = _value(statistic, rows[np.concatenate([groups[g] for g in picked])])
        if value is not None:
            values.append(value)
    return np.sort(np.array(values)), draws - len(values)


def _jackknife(
    statistic: Callable[[Rows], float | None], rows: Rows, groups: list[Codes]
) -> Floats | None:
    """The statistic without each cluster in turn; None when one of them is undefined."""
    values = [
        _value(statistic, rows[np.concatenate(groups[:g] + groups[g + 1 :])])
        for g in range(len(groups))
    ]
    found = [value for value in values if value is not None]
    return np.array(found) if len(found) == len(values) else None


def _percentiles(
    drawn: Floats, degenerate: int, *, kind: str, level: float
) -> tuple[tuple[float, float] | None, str]:
    draws = len(drawn) + degenerate
    if kind not in {"bca", "percentile"}:
        raise SpecError(f"Unknown kind {kind!r}; take bca or percentile.")
    if degenerate > _MOST_DEGENERATE * draws:
        return None, f"{degenerate} of {draws} draws leave the statistic undefined"
    if drawn[0] == drawn[-1]:
        return None, f"all draws give {drawn[0]:g}"
    return _quantiles(drawn, 0.5 - level / 2, 0.5 + level / 2), ""


def _bca_interval(
    value: float, drawn: Floats, left_out: Floats | None, level: float
) -> tuple[tuple[float, float] | None, str]:
    """Efron's bias correction z0 and acceleration a, on the percentiles."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  loads for a third of a second

    if left_out is None:
        return None, "without some cluster the statistic is undefined; take kind='percentile'"
    below = (np.mean(drawn < value) + np.mean(drawn <= value)) / 2
    if below in (0.0, 1.0):
        return None, "all draws lie on one side of the value"
    z0 = float(ndtri(below))
    away = left_out.mean() - left_out
    squares = math.fsum(away**2)
    a = math.fsum(away**3) / (6 * squares**1.5) if squares > 0 else 0.0
    shares = []
    for p in (0.5 - level / 2, 0.5 + level / 2):
        z = z0 + float(ndtri(p))
        if 1 - a * z <= 0:
            return None, "the acceleration is too strong for so few clusters"
        shares.append(float(ndtr(z0 + z / (1 - a * z))))
    return _quantiles(drawn, *shares), ""


def _quantiles(drawn: Floats, low: float, high: float) -> tuple[float, float]:
    ends = np.quantile(drawn, [low, high])
    return float(ends[0]), float(ends[1])


def _method(kind: str, is_clustered: bool) -> str:  # noqa: FBT001  names what was drawn
    name = "BCa" if kind == "bca" else "percentile"
    return f"{'cluster ' if is_clustered else ''}bootstrap, {name}"


def _warnings(groups: int, degenerate: int, draws: int, noun: str) -> tuple[str, ...]:
    few = f"only {groups} {noun}"
    gone = f"{degenerate} of {draws} draws left the statistic undefined and were left out"
    return tuple(
        text for text, is_so in ((few, groups < FEW_CLUSTERS), (gone, degenerate)) if is_so
    )
