"""Probabilities of a win and a tie, given the gap between two strengths: three models.

Each model gives, for arrays of gaps d = θ_i - θ_j, the logarithm of the probability that i wins and
that both tie, with first and second derivatives by the gap and by the tie parameter η.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from benchmaker.errors import SpecError
from benchmaker.stats.ratings.rating import Floats, Ties


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Of one outcome: log p, its slopes, and its bends (second derivatives with sign reversed)."""

    log_p: Floats
    gap: Floats
    tie: Floats
    gap_gap: Floats
    gap_tie: Floats
    tie_tie: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """The probabilities of a tie model at given gaps; ``win`` is a win of the first of the pair."""

    win: Slopes
    tie: Slopes


def logistic(gap: Floats) -> tuple[Floats, Floats, Floats]:
    """Log p, p and 1 - p for p = 1 / (1 + exp(-gap)), without overflow at either end."""
    log_p = -np.logaddexp(0.0, -gap)
    return log_p, np.exp(log_p), np.exp(log_p - gap)


class TieModel(Protocol):
    """A model of wins and ties."""

    name: Ties
    has_parameter: bool

    def start(self, tied: float) -> float:
        """η at which equal models tie in this share of battles."""
        ...

    def parameter(self, eta: float) -> float:
        """The published parameter."""
        ...

    def slope(self, eta: float) -> float:
        """Of the published parameter by η."""
        ...

    def outlook(self, gap: Floats, eta: float) -> Outlook:
        """Log probabilities and derivatives at these gaps."""
        ...


class HalfWin:
    """A tie counts as half a win and half a loss.

    A quasi-likelihood: y·log p(d) + (1 - y)·log p(-d) with y = 1, ½, 0 and the logistic
    p(d) = 1 / (1 + exp(-d)).
    """

    name: Ties = "half"
    has_parameter = False

    def start(self, tied: float) -> float:  # noqa: ARG002  there is no parameter
        """Return a placeholder: there is no parameter to start."""
        return 0.0

    def parameter(self, eta: float) -> float:
        """Return a placeholder: there is no parameter."""
        return eta

    def slope(self, eta: float) -> float:  # noqa: ARG002
        """Return a placeholder: there is no parameter."""
        return 1.0

    def outlook(self, gap: Floats, eta: float) -> Outlook:  # noqa: ARG002
        """Log p(d), and the mean of log p(d) and log p(-d)."""
        log_p, p, rest = logistic(gap)
        bend, none = p * rest, np.zeros_like(gap)
        return Outlook(
            Slopes(log_p, rest, none, bend, none, none),
            Slopes(log_p - gap / 2, 0.5 - p, none, bend, none, none),
        )


class Davidson:
    """P(i) : P(j) : P(tie) = π_i : π_j : nu·√(π_i π_j) (Davidson 1970); η = log nu."""

    name: Ties = "davidson"
    has_parameter = True

    def start(self, tied: float) -> float:
        """P(tie) = nu / (2 + nu) between equals."""
        return float(np.log(2 * tied / (1 - tied)))

    def parameter(self, eta: float) -> float:
        """Davidson's nu."""
        return float(np.exp(eta))

    def slope(self, eta: float) -> float:
        """Return its derivative by its own logarithm: nu itself."""
        return float(np.exp(eta))

    def outlook(self, gap: Floats, eta: float) -> Outlook:
        """A multinomial logit in d/2, -d/2 and η."""
        half = gap / 2
        total = np.logaddexp(np.logaddexp(half, -half), eta)
        won, lost, tied = np.exp(half - total), np.exp(-half - total), np.exp(eta - total)
        mean = (won - lost) / 2
        bends = (won + lost) / 4 - mean**2, -mean * tied, tied * (1 - tied)
        return Outlook(
            Slopes(half - total, 0.5 - mean, -tied, *bends),
            Slopes(eta - total, -mean, 1 - tied, *bends),
        )


class RaoKupper:
    """P(i) = π_i / (π_i + κ π_j), otherwise a tie (Rao and Kupper 1967); η = log κ > 0.

    That is ordered logistic regression: p(d - η), p(-d - η) and the rest between them.
    """

    name: Ties = "rao_kupper"
    has_parameter = True

    def start(self, tied: float) -> float:
        """P(tie) = (κ - 1) / (κ + 1) between equals."""
        return float(2 * np.arctanh(tied))

    def parameter(self, eta: float) -> float:
        """κ."""
        return float(np.exp(eta))

    def slope(self, eta: float) -> float:
        """Return its derivative by its own logarithm: κ itself."""
        return float(np.exp(eta))

    def outlook(self, gap: Floats, eta: float) -> Outlook:
        """Minus infinity where η is not positive."""
        if eta <= 0:
            never = np.full_like(gap, -np.inf)
            nothing = Slopes(never, *[np.zeros_like(gap)] * 5)
            return Outlook(nothing, nothing)
        log_won, won, not_won = logistic(gap - eta)
        log_lost, lost, not_lost = logistic(-gap - eta)
        won_bend, lost_bend = won * not_won, lost * not_lost
        width = np.expm1(2 * eta)
        opening, opening_bend = 2 + 2 / width, 4 * (1 + 1 / width) / width
        both = won_bend + lost_bend
        return Outlook(
            Slopes(log_won, not_won, -not_won, won_bend, -won_bend, won_bend),
            Slopes(
                np.log(width) + log_won + log_lost,
                not_won - not_lost,
                opening - not_won - not_lost,
                both,
                lost_bend - won_bend,
                opening_bend + both,
            ),
        )


MODELS: dict[Ties, TieModel] = {
    "half": HalfWin(),
    "davidson": Davidson(),
    "rao_kupper": RaoKupper(),
}
"""The models of ties by name."""


def tie_model(name: Ties) -> TieModel:
    """The model of this name; SpecError for another one."""
    if name not in MODELS:
        raise SpecError(f"Ties can't be treated as {name!r}; say {', '.join(MODELS)}.")
    return MODELS[name]
