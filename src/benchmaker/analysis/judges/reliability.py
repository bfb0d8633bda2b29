"""The meaning of a judge's score: the expected values by the judge's score."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmaker.stats.means.bounded import within_scale
from benchmaker.stats.means.means import Mean, weighted_mean

BINS = 5


@dataclass(frozen=True, slots=True)
class Bin:
    """The samples that the judge scored from ``low`` to ``high`` (the last bin with its end).

    ``given`` is the mean of its scores, ``expected`` that of the expected scores.
    """

    low: float
    high: float
    given: float
    expected: Mean


def reliability(pairs: Sequence[tuple[float, float]], *, bins: int = BINS) -> tuple[Bin, ...]:
    """Return the reliability curve of (given, expected) pairs from 0 to 1, without empty bins.

    >>> [(b.low, b.given, b.expected.mean) for b in reliability([(0.9, 0.5), (1.0, 1.0)])]
    [(0.8, 0.95, 0.75)]
    """
    held: dict[int, list[tuple[float, float]]] = {}
    for given, expected in pairs:
        held.setdefault(min(int(given * bins + 1e-9), bins - 1), []).append((given, expected))
    return tuple(
        Bin(
            low=place / bins,
            high=(place + 1) / bins,
            given=weighted_mean([given for given, _ in inside]).mean,
            expected=within_scale(weighted_mean([expected for _, expected in inside])),
        )
        for place, inside in sorted(held.items())
    )
