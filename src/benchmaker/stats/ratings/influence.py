"""Sensitivity of ratings: the most influential clusters, and the fewest that change the leader."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.stats.ratings.battles import Battles
from benchmaker.stats.ratings.bradley_terry import select_comparable
from benchmaker.stats.ratings.codes import cluster_codes, cluster_labels
from benchmaker.stats.ratings.likelihood import Fit, Likelihood, fit
from benchmaker.stats.ratings.rating import SAME, SCALE, Floats, Ints, Ties, level_ties
from benchmaker.stats.ratings.slopes import ClusterSlopes, cluster_slopes
from benchmaker.stats.ratings.ties import tie_model


@dataclass(frozen=True, slots=True)
class Sway:
    """The effect of leaving out one cluster: ``shift`` of ``model``, ``lead_change``, in points."""

    label: Hashable
    n_battles: int
    shift: float
    model: str
    lead_change: float
    is_flipping: bool


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """For each cluster, the first-order change of ratings without it.

    Arrays in the order of ``labels``. ``shift`` is the largest change of any model's score, and
    ``model`` the place of that model in ``names``; ``lead_change`` is the change of the
    ``leader``'s lead over the ``runner_up`` (points; negative: the cluster favours the leader);
    ``flips`` marks clusters without which another model comes first.
    """

    names: tuple[str, ...]
    leader: str
    runner_up: str
    lead: float
    labels: tuple[Hashable, ...]
    n_battles: Ints
    shift: Floats
    model: Ints
    lead_change: Floats
    flips: tuple[bool, ...]
    n: int
    n_eff: float
    method: str
    warnings: tuple[str, ...] = ()

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self.labels)

    def rows(self, most: int | None = None) -> tuple[Sway, ...]:
        """A line for each cluster, the largest shift first."""
        order = np.argsort(-level_ties(self.shift, self.shift.max()), kind="stable")[:most]
        return tuple(
            Sway(
                label=self.labels[g],
                n_battles=int(self.n_battles[g]),
                shift=float(self.shift[g]),
                model=self.names[self.model[g]],
                lead_change=float(self.lead_change[g]),
                is_flipping=self.flips[g],
            )
            for g in order
        )


def influence(
    battles: Battles,
    clusters: Sequence[Hashable],
    *,
    ties: Ties = "half",
    prior: float = 0.0,
    scale: float = SCALE,
) -> Influence:
    """Compute each cluster's (a voter's, a prompt's) influence: Δθ ≈ -H⁻¹·s_g when left out.

    One Newton step from the full fit, without its change of curvature: good for clusters that are
    small against the whole, a signal for large ones.

    Raises:
        DisconnectedBattles, NotEnoughData, NotConverged: as ``bradley_terry``.

    Source: Cook and Weisberg 1982, Residuals and Influence in Regression; Pregibon 1981 for
    logistic regression.
    """
    found = fit_strengths(battles, ties, prior)
    codes = cluster_codes(clusters, len(battles), battles.counted_mask)
    grouped = cluster_slopes(found, battles, codes)
    theta = found.theta
    first, second = (int(i) for i in np.argsort(-theta, kind="stable")[:2])
    shift, model, lead, flips = _leave_out_shifts(found, grouped, first, second)
    return Influence(
        names=battles.names,
        leader=battles.names[first],
        runner_up=battles.names[second],
        lead=scale * float(theta[first] - theta[second]),
        labels=cluster_labels(clusters, codes),
        n_battles=np.bincount(grouped.cluster, minlength=grouped.number),
        shift=scale * shift,
        model=model,
        lead_change=scale * lead,
        flips=tuple(flips.tolist()),
        n=found.likelihood.counts.n,
        n_eff=found.likelihood.counts.n_eff,
        method="one Newton step without the cluster",
    )


def fit_strengths(battles: Battles, ties: Ties, prior: float) -> Fit:
    """Strengths of all models on one scale."""
    table, group, _ = select_comparable(battles.counts(), "error", prior)
    return fit(Likelihood(table, tie_model(ties), prior, group))


def _leave_out_shifts(
    found: Fit, grouped: ClusterSlopes, first: int, second: int
) -> tuple[Floats, Ints, Floats, NDArray[np.bool_]]:
    """By cluster: the largest shift, whose it is, the change of the lead, and who else leads then.

    Of shifts that are the same but for rounding, the first model's.
    """
    theta = found.theta
    m = len(theta)
    parts: list[tuple[Floats, Ints, Floats, NDArray[np.bool_]]] = []
    for scores in grouped.parts():
        change = -(scores @ found.inverse)[:, :m]
        size = np.abs(change)
        largest = size.max(axis=1)
        model = (size >= largest[:, None] * (1 - SAME)).argmax(axis=1)
        moved = theta + change
        flips = moved.max(axis=1) - moved[:, first] > SAME
        parts.append((largest, model, change[:, first] - change[:, second], flips))
    shift, model, lead, flips = (np.concatenate(column) for column in zip(*parts, strict=True))
    return shift, model, lead, flips
