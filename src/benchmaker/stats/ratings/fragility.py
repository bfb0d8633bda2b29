"""The smallest set of battles, or voters, whose removal changes the leader."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmaker.errors import AnalysisError, SpecError
from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.codes import Codes, cluster_codes, cluster_labels
from benchmaker.stats.ratings.influence import fit_strengths
from benchmaker.stats.ratings.likelihood import Fit
from benchmaker.stats.ratings.rating import SAME, SCALE, Ints, Ties, level_ties
from benchmaker.stats.ratings.slopes import ClusterSlopes, cluster_slopes

_FRAGILE = 0.01


@dataclass(frozen=True, slots=True)
class Flip:
    """A small set of battles without which another model comes first.

    ``follower`` is the new leader, None with a ``reason`` if no set was found. ``rows`` are the
    positions of the removed battles, from 0; ``labels`` their clusters, if requested. ``share`` is
    rows over ``n``. ``lead`` is the leader's lead with all battles, in points. The flip was
    confirmed by refitting; a smaller set may exist.
    """

    leader: str
    lead: float
    follower: str | None
    rows: tuple[int, ...]
    labels: tuple[Hashable, ...]
    n_removed: int
    share: float | None
    n: int
    method: str
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def is_fragile(self) -> bool:
        """True if less than 1% of the battles decide the first place."""
        return self.share is not None and self.share < _FRAGILE


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The battles, their units (each battle, or each cluster), and the fit to all of them."""

    battles: Battles
    unit: Codes
    found: Fit
    grouped: ClusterSlopes
    ties: Ties
    leader: int

    def order_units(self, rival: int) -> tuple[Ints, int]:
        """Return the units by their influence on the lead over this rival, and a number of them."""
        chosen = np.zeros(self.grouped.size)
        chosen[self.leader], chosen[rival] = 1.0, -1.0
        given = self.grouped.slope_along(self.found.inverse @ chosen)
        size = float(np.abs(given).max())
        order = np.argsort(-level_ties(given, size), kind="stable")
        helpful = order[: int((given > SAME * size).sum())]
        lead = self.found.theta[self.leader] - self.found.theta[rival]
        enough = int(np.searchsorted(np.cumsum(given[helpful]), lead, side="right")) + 1
        return helpful, min(enough, len(helpful))

    def follower(self, units: Ints) -> str | None:
        """Return the new leader without these units; None if unchanged or undefined."""
        out = np.zeros(int(self.unit.max()) + 2, np.bool_)
        out[units] = True
        rest = self.battles.take(~out[self.unit])
        try:
            theta = fit_strengths(rest, self.ties, 0.0).theta
        except AnalysisError:
            return None
        first = int(theta.argmax())
        return None if theta[self.leader] >= theta[first] else self.battles.names[first]

    def smallest_flip(self, rival: int, most: int) -> Ints | None:
        """The shortest beginning of the order that flips, at most ``most`` units; by halving."""
        order, high = self.order_units(rival)
        most = min(most, len(order))
        high, low = min(high, most), 0
        while high and self.follower(order[:high]) is None:
            if high == most:
                return None
            low, high = high, min(2 * high, most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.follower(order[:middle]) is None else (low, middle)
        return order[:high] if high else None


def fewest_to_flip(
    battles: Battles,
    *,
    clusters: Sequence[Hashable] | None = None,
    ties: Ties = "half",
    rivals: int = 3,
    limit: float = 0.5,
    scale: float = SCALE,
) -> Flip:
    """Find the smallest set of battles whose removal changes the leader.

    For each of the nearest rivals, battles are ordered by their one-step influence on the lead;
    the shortest prefix of that order that flips the leader is found by refitting.

    Args:
        battles: all on one scale.
        clusters: a label for each battle, to remove whole voters or prompts instead.
        ties: as for ``bradley_terry``.
        rivals: number of next-ranked models tried.
        limit: the largest share of battles (or clusters) tried.
        scale: points for one unit of log odds.

    Raises:
        DisconnectedBattles, NotEnoughData, NotConverged: as ``bradley_terry``.

    Source: Broderick, Giordano and Meager 2020 ("An automatic finite-sample robustness metric");
    Huang et al. 2025 for rankings of language models.
    """
    if rivals < 1 or not 0 < limit <= 1:
        raise SpecError(f"rivals={rivals!r} and limit={limit!r} leave nothing to try.")
    search = _search(battles, clusters, ties)
    theta = search.found.theta
    order = np.argsort(-theta, kind="stable")
    most = max(1, int(limit * search.grouped.number))
    sets = [search.smallest_flip(int(rival), most) for rival in order[1 : rivals + 1]]
    found = [units for units in sets if units is not None]
    best = min(found, key=lambda units: _size(search, units), default=None)
    return _flip(search, best, clusters, scale * float(theta[order[0]] - theta[order[1]]), limit)


def _search(battles: Battles, clusters: Sequence[Hashable] | None, ties: Ties) -> _Search:
    found = fit_strengths(battles, ties, 0.0)
    if clusters is None:
        unit = np.arange(len(battles), dtype=np.int32)
        if battles.counted_mask is not None:
            unit[~battles.counted_mask] = -1
    else:
        unit = cluster_codes(clusters, len(battles), battles.counted_mask)
    grouped = cluster_slopes(found, battles, unit)
    return _Search(battles, unit, found, grouped, ties, int(found.theta.argmax()))


def _size(search: _Search, units: Ints) -> tuple[int, int]:
    return len(units), len(_rows(search, units))


def _rows(search: _Search, units: Ints) -> Ints:
    return np.flatnonzero(np.isin(search.unit, units))


def _flip(
    search: _Search,
    units: Ints | None,
    clusters: Sequence[Hashable] | None,
    lead: float,
    limit: float,
) -> Flip:
    n = search.found.likelihood.counts.n
    rows = np.zeros(0, np.int64) if units is None else _rows(search, units)
    labels = () if clusters is None or units is None else cluster_labels(clusters, search.unit)
    what = "battles" if clusters is None else "clusters"
    return Flip(
        leader=search.battles.names[search.leader],
        lead=lead,
        follower=None if units is None else search.follower(units),
        rows=tuple(rows.tolist()),
        labels=tuple(labels[unit] for unit in (units if labels and units is not None else ())),
        n_removed=len(rows),
        share=None if units is None else len(rows) / n,
        n=n,
        method=f"{what} in the order of their one-step influence, each step fitted again",
        reason="" if units is not None else f"none among the first {limit:.0%} of {what} in order",
    )
