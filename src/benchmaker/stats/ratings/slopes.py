"""The slopes of the log-likelihood, battle by battle and summed over clusters."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.codes import Codes
from benchmaker.stats.ratings.likelihood import Fit
from benchmaker.stats.ratings.rating import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSlopes:
    """Battles in a fixed order, cluster by cluster, with the slopes of their log-likelihood.

    ``gap`` is the slope by the strength of ``low`` (minus that by ``high``); a column of ``more``
    is the slope by one further parameter. All contain the battle's weight. ``gap_square`` and
    ``more_squares`` are the squares that the model expects of them.
    """

    cluster: Codes
    low: Ints
    high: Ints
    gap: Floats
    more: Floats
    gap_square: Floats
    more_squares: Floats
    models: int

    @property
    def size(self) -> int:
        """The number of parameters."""
        return self.models + int(self.more.shape[1])

    @property
    def number(self) -> int:
        """The number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1

    def scores(self, first: int, last: int, *, squared: bool = False) -> Floats:
        """A row for each cluster from ``first`` to before ``last``: the sum of its slopes.

        If ``squared``, the sum of the squares that the model expects of single slopes.
        """
        gap, more = (self.gap_square, self.more_squares) if squared else (self.gap, self.more)
        begin, end = np.searchsorted(self.cluster, [first, last])
        part = slice(int(begin), int(end))
        row = (self.cluster[part].astype(np.int64) - first) * self.size
        cells = (last - first) * self.size
        total = np.bincount(row + self.low[part], gap[part], cells)
        opposite = np.bincount(row + self.high[part], gap[part], cells)
        total += opposite if squared else -opposite
        for k in range(more.shape[1]):
            total += np.bincount(row + self.models + k, more[part, k], cells)
        return np.asarray(total.reshape(last - first, self.size))

    def slope_along(self, direction: Floats) -> Floats:
        """For each cluster its slope in one direction of the parameters."""
        strengths, rest = direction[: self.models], direction[self.models :]
        slope = self.gap * (strengths[self.low] - strengths[self.high]) + self.more @ rest
        return np.bincount(self.cluster, slope, self.number).astype(np.float64)

    def meat(self) -> Floats:
        """Σ s·sᵀ over clusters."""
        total = np.zeros((self.size, self.size))
        for scores in self.parts():
            total += scores.T @ scores
        return total

    def parts(self, *, squared: bool = False, floats_at_once: int = 1 << 22) -> Iterator[Floats]:
        """The scores of all clusters, some clusters at a time to save memory."""
        stride = max(1, floats_at_once // self.size)
        for first in range(0, self.number, stride):
            yield self.scores(first, min(first + stride, self.number), squared=squared)


def cluster_slopes(fit: Fit, battles: Battles, cluster: Codes) -> ClusterSlopes:
    """The slopes of each battle at the fitted strengths, ordered by cluster and content."""
    m = len(battles.names)
    cells = battles.cells()
    keys = (cells, cluster) if battles.weight is None else (battles.weight, cells, cluster)
    order = np.lexsort(keys)
    order = order[np.searchsorted(cluster[order], 0) :]
    cell = cells[order]
    weight = 1.0 if battles.weight is None else battles.weight[order]
    one, two = fit.outlook.win, fit.outlook.tie
    gap = np.concatenate([-one.gap.T.ravel(), two.gap.ravel(), one.gap.ravel()])
    tie = np.concatenate([one.tie.T.ravel(), two.tie.ravel(), one.tie.ravel()])
    bend = np.concatenate([one.gap_gap.T.ravel(), two.gap_gap.ravel(), one.gap_gap.ravel()])
    tie_bend = np.concatenate([one.tie_tie.T.ravel(), two.tie_tie.ravel(), one.tie_tie.ravel()])
    pair, further = cell % (m * m), fit.likelihood.size - m
    return ClusterSlopes(
        cluster=cluster[order],
        low=pair // m,
        high=pair % m,
        gap=weight * gap[cell],
        more=(weight * tie[cell])[:, None][:, :further],
        gap_square=weight**2 * bend[cell],
        more_squares=(weight**2 * tie_bend[cell])[:, None][:, :further],
        models=m,
    )
