"""Many judgments of one answer, and the one value that they come to."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Annotated

from benchmaker.documents import OMITTED, Document, Key, listed
from benchmaker.record import Verdict
from benchmaker.spec.suites.judge import Juror

UNCALIBRATED = "equal, uncalibrated"
CALIBRATED = "calibrated"
GIVEN = "as given"

PRIOR = 1.0
"""Pseudo-counts: this many right and this many wrong judgments are added to those counted."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One judge's opinion of an answer, over its repeats.

    ``units`` are its judgments from 0 to 1, one per repeat; ``unit`` is their median. ``disagrees``
    counts the repeats in which the orders of a pair disagreed, which are ties.
    """

    judge: str
    units: tuple[float, ...]
    disagrees: int = 0

    @property
    def unit(self) -> float:
        """The median of the repeats."""
        return float(median(self.units))

    @property
    def spread(self) -> float:
        """From the lowest to the highest repeat."""
        return max(self.units) - min(self.units)


def _by_judge(opinions: Sequence[Opinion]) -> dict[str, dict[str, float]]:
    return {
        it.judge: {"median": it.unit, "spread": it.spread, "n": len(it.units)} for it in opinions
    }


@dataclass(frozen=True, slots=True)
class Panel(Document):
    """The combined opinions of the judges.

    ``unit`` is the weighted mean of their medians. ``weighting`` is the basis of the weights.
    ``agreement`` is 1 minus the mean distance between any two judgments; None for a single one.
    """

    opinions: Annotated[tuple[Opinion, ...], Key("judges", form=_by_judge)]
    weights: Mapping[str, float]
    unit: Annotated[float, OMITTED]
    weighting: str

    @property
    def units(self) -> tuple[float, ...]:
        """Every single judgment."""
        return tuple(unit for opinion in self.opinions for unit in opinion.units)

    @property
    @listed()
    def spread(self) -> float:
        """From the lowest to the highest judgment."""
        return max(self.units) - min(self.units)

    @property
    @listed()
    def agreement(self) -> float | None:
        """1 - mean |a - b| over all pairs of judgments."""
        return agreement(self.units)


def panel(
    opinions: Sequence[Opinion], jurors: Sequence[Juror], *, weights_from: str = GIVEN
) -> Panel:
    """Combine the opinions, weighted by the jurors' weights, or else equally.

    Weights count in their proportion among the judges that gave an opinion. ``weights_from`` is
    their basis.

    Raises:
        ValueError: no opinion, or none of those with an opinion has weight.

    >>> jurors = (Juror("a", 3.0), Juror("b", 1.0))
    >>> panel([Opinion("a", (1.0,)), Opinion("b", (0.0,))], jurors).unit
    0.75
    """
    given = {juror.model: juror.weight for juror in jurors}
    is_weighted = all(given.get(it.judge) is not None for it in opinions)
    raw = {it.judge: (given[it.judge] or 0.0) if is_weighted else 1.0 for it in opinions}
    total = math.fsum(raw.values())
    if total <= 0:
        raise ValueError("no judgment by a judge with a weight")
    weights = {judge: weight / total for judge, weight in raw.items()}
    unit = math.fsum(weights[it.judge] * it.unit for it in opinions)
    weighting = weights_from if is_weighted else UNCALIBRATED
    return Panel(tuple(opinions), weights, min(1.0, max(0.0, unit)), weighting)


def log_odds_weight(right: float, n: float) -> float:
    """Return the weight of a judge in a panel by its correct judgments; 0 at chance level or below.

    max(0, ln((right + 1) / (n - right + 1))): the log odds of being right, which are the optimal
    weights of independent judges (Nitzan and Paroush 1982), shrunk towards 0 by one right and one
    wrong judgment. None is negative: a judge that is wrong more often than right on these questions
    may be right on others. A tie counts as half right.

    >>> round(log_odds_weight(36, 40), 3), log_odds_weight(20, 40), log_odds_weight(10, 40)
    (2.001, 0.0, 0.0)
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right:g} of {n:g} can't be right")
    return max(0.0, math.log((right + PRIOR) / (n - right + PRIOR)))


def agreement(units: Sequence[float]) -> float | None:
    """1 less the mean distance between any two; None for fewer than two.

    >>> agreement([0.5, 0.5, 1.0])
    0.6666666666666667
    """
    distances = [abs(a - b) for a, b in combinations(units, 2)]
    return 1 - math.fsum(distances) / len(distances) if distances else None


def majority_verdict(
    verdicts: Mapping[str, Verdict], weights: Mapping[str, float] | None = None
) -> Verdict:
    """Return the side with more weight; a tie for equal weights or without any choice.

    Without weights every judge counts the same.

    >>> verdicts = {"a": Verdict.A, "b": Verdict.B, "c": Verdict.B}
    >>> majority_verdict(verdicts, {"a": 3, "b": 1, "c": 1}).value
    'a'
    """
    signs = {Verdict.A: 1.0, Verdict.B: -1.0, Verdict.TIE: 0.0}
    total = math.fsum(
        signs[verdict] * (1.0 if weights is None else weights[judge])
        for judge, verdict in verdicts.items()
    )
    if total == 0:
        return Verdict.TIE
    return Verdict.A if total > 0 else Verdict.B
