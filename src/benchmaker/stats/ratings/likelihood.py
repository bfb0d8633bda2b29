"""The log-likelihood of a table of counts, and its strengths by damped Newton steps."""

from dataclasses import dataclass

import numpy as np

from benchmaker.errors import NotConverged, NotEnoughData
from benchmaker.stats.ratings.battles import BattleCounts
from benchmaker.stats.ratings.rating import Floats, Ints, level_ties
from benchmaker.stats.ratings.ties import HalfWin, Outlook, TieModel

_TOLERANCE = 1e-10
_MOST_STEPS = 200
_MOST_HALVINGS = 40
_ROUNDING = 1e-13
_AVERAGE_OPPONENT = HalfWin()
_UNSETTLED = f"The ratings did not settle within {_MOST_STEPS} steps."
_PRIOR_HINT = "Some models may have won or lost almost everything; state a prior (prior=1)."


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """The likelihood of strengths given the counts; ``prior`` ties each with an opponent at 0.

    Parameters are the m strengths, then η where the model of ties has one. ``group`` says which
    models share a scale; strengths sum to zero within each group.
    """

    counts: BattleCounts
    ties: TieModel
    prior: float
    group: Ints

    @property
    def size(self) -> int:
        """The number of parameters."""
        return self.counts.m + int(self.ties.has_parameter)

    def outlook(self, at: Floats) -> Outlook:
        """Probabilities and slopes of all pairs at these parameters."""
        theta = at[: self.counts.m]
        eta = float(at[-1]) if self.ties.has_parameter else 0.0
        return self.ties.outlook(theta[:, None] - theta[None, :], eta)

    def value(self, at: Floats, outlook: Outlook) -> float:
        """The log-likelihood."""
        counts = self.counts
        data = _weighted_sum(counts.win, outlook.win.log_p)
        data += _weighted_sum(counts.tie, outlook.tie.log_p) / 2
        return data + self.prior * float(self._opponent(at).tie.log_p.sum())

    def gradient(self, at: Floats, outlook: Outlook) -> Floats:
        """Its slope by each parameter."""
        win, tie = self.counts.win, self.counts.tie
        slope = _net(win * outlook.win.gap) + (tie * outlook.tie.gap).sum(axis=1)
        slope += self.prior_slope(at)[: self.counts.m]
        own = (win * outlook.win.tie).sum() + (tie * outlook.tie.tie).sum() / 2
        return np.append(slope, own)[: self.size]

    def prior_slope(self, at: Floats) -> Floats:
        """The part of the gradient that comes from the prior."""
        gap = self._opponent(at).tie.gap
        return np.append(self.prior * gap, 0.0)[: self.size]

    def information(self, at: Floats, outlook: Outlook) -> Floats:
        """Minus its second derivatives."""
        win, tie = self.counts.win, self.counts.tie
        one, two = outlook.win, outlook.tie
        pair = _symmetrise(win * one.gap_gap) + tie * two.gap_gap
        mixed = _net(win * one.gap_tie) + (tie * two.gap_tie).sum(axis=1)
        own = float((win * one.tie_tie).sum() + (tie * two.tie_tie).sum() / 2)
        result = _border(pair, mixed, own)
        spot = np.arange(self.counts.m)
        result[spot, spot] += self.prior * self._opponent(at).tie.gap_gap
        return result[: self.size, : self.size]

    def meat(self, outlook: Outlook) -> Floats:
        """Σ w²·s·sᵀ over battles of the slopes s of each one: independent battles."""
        win, tie = self.counts.win_squares, self.counts.tie_squares
        one, two = outlook.win, outlook.tie
        pair = _symmetrise(win * one.gap**2) + tie * two.gap**2
        mixed = _net(win * one.gap * one.tie) + (tie * two.gap * two.tie).sum(axis=1)
        own = float((win * one.tie**2).sum() + (tie * two.tie**2).sum() / 2)
        return _border(pair, mixed, own)[: self.size, : self.size]

    def inverse(self, information: Floats) -> Floats:
        """The inverse in the gauge where each group's strengths sum to zero.

        H has one null vector a group. With P the projection on those, (H + c·P)⁻¹ - P/c is the
        inverse on everything else, for any c > 0; c is H's mean diagonal, which keeps the matrix
        as well conditioned as H is. A pseudo-inverse would have to guess which eigenvalues are 0.
        A prior leaves no null vector; the average is then taken out afterwards.
        """
        shared = self._group_projection()
        if self.prior > 0:
            centre = np.eye(self.size) - shared
            return np.asarray(centre @ np.linalg.inv(information) @ centre.T)
        c = _size_of(information)
        return np.asarray(np.linalg.inv(information + c * shared) - shared / c)

    def step(self, at: Floats, outlook: Outlook) -> Floats:
        """Newton's: H⁻¹ times the gradient, in the same gauge."""
        information = self.information(at, outlook)
        if self.prior == 0:
            information = information + _size_of(information) * self._group_projection()
        return np.asarray(np.linalg.solve(information, self.gradient(at, outlook)))

    def _group_projection(self) -> Floats:
        """Return the projection on the groups' means: blocks of 1 / size."""
        same = (self.group[:, None] == self.group[None, :]).astype(np.float64)
        result = np.zeros((self.size, self.size))
        result[: self.counts.m, : self.counts.m] = same / same.sum(axis=1)
        return result

    def _opponent(self, at: Floats) -> Outlook:
        return _AVERAGE_OPPONENT.outlook(at[: self.counts.m], 0.0)

    def centre(self, at: Floats) -> Floats:
        """The same strengths with each group's average at zero."""
        return at - self._group_projection() @ at


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The maximum of the likelihood; ``inverse`` is the inverse information there."""

    likelihood: Likelihood
    at: Floats
    outlook: Outlook
    inverse: Floats
    value: float
    iterations: int

    @property
    def theta(self) -> Floats:
        """Strengths in log odds, centred in each group; equal ones are equal to the last digit."""
        return level_ties(self.likelihood.centre(self.at)[: self.likelihood.counts.m])

    @property
    def eta(self) -> float | None:
        """The tie parameter as it was fitted."""
        return float(self.at[-1]) if self.likelihood.ties.has_parameter else None


def fit(likelihood: Likelihood) -> Fit:
    """Maximise by Newton steps, halved until the likelihood grows, until all are below 1e-10.

    Raises:
        NotEnoughData: the tie model needs both ties and decided battles, or nothing is decided.
        NotConverged: no convergence in 200 steps.
    """
    try:
        return _climb(likelihood, starting_point(likelihood))
    except np.linalg.LinAlgError as exc:
        raise NotConverged(_UNSETTLED, hint=_PRIOR_HINT) from exc


def _climb(likelihood: Likelihood, at: Floats) -> Fit:
    outlook = likelihood.outlook(at)
    value = likelihood.value(at, outlook)
    for iteration in range(1, _MOST_STEPS + 1):
        step = likelihood.step(at, outlook)
        at, outlook, value, taken = _line_search(likelihood, at, step, value)
        if not np.isfinite(step).all():
            break
        if np.abs(step).max() < _TOLERANCE and taken:
            inverse = likelihood.inverse(likelihood.information(at, outlook))
            return Fit(likelihood, at, outlook, inverse, value, iteration)
        if not taken:
            break
    raise NotConverged(_UNSETTLED, hint=_PRIOR_HINT)


def _line_search(
    likelihood: Likelihood, at: Floats, step: Floats, value: float
) -> tuple[Floats, Outlook, float, bool]:
    """The first of the step, its half, its quarter … that does not lose likelihood."""
    share = 1.0
    for _ in range(_MOST_HALVINGS):
        there = at + share * step
        outlook = likelihood.outlook(there)
        reached = likelihood.value(there, outlook)
        if reached >= value - _ROUNDING * abs(value):
            return there, outlook, reached, True
        share /= 2
    return at, likelihood.outlook(at), value, False


def starting_point(likelihood: Likelihood) -> Floats:
    """Equal strengths; NotEnoughData where ties or decided battles are missing."""
    counts = likelihood.counts
    tied, won = float(counts.tie.sum()) / 2, float(counts.win.sum())
    if won == 0:
        raise NotEnoughData(
            "Every battle is a tie; there is nothing that could order the models.",
            needed=1,
            got=0,
        )
    at = np.zeros(likelihood.size)
    if likelihood.ties.has_parameter:
        if tied == 0:
            raise NotEnoughData(
                f"There is no tie, which the model {likelihood.ties.name!r} needs.",
                needed=1,
                got=0,
                hint='Without ties, ties="half" is plain Bradley-Terry.',
            )
        at[-1] = likelihood.ties.start(tied / (tied + won))
    return at


def _size_of(information: Floats) -> float:
    """The mean of its diagonal."""
    return float(np.trace(information)) / len(information)


def _weighted_sum(weight: Floats, value: Floats) -> float:
    """Σ weight·value over cells that count; a probability of zero elsewhere does no harm."""
    used = weight > 0
    return float((weight[used] * value[used]).sum())


def _symmetrise(cells: Floats) -> Floats:
    return np.asarray(cells + cells.T)


def _net(cells: Floats) -> Floats:
    """Return each model's row sum minus its column sum."""
    return np.asarray(cells.sum(axis=1) - cells.sum(axis=0))


def _border(pair: Floats, mixed: Floats, own: float) -> Floats:
    """The matrix of differences between models, bordered by the tie parameter."""
    m = len(pair)
    result = np.zeros((m + 1, m + 1))
    result[:m, :m] = np.diag(pair.sum(axis=1)) - pair
    result[m, :m] = result[:m, m] = mixed
    result[m, m] = own
    return result
