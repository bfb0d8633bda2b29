"""Checks a judge for drift."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmaker.stats.means.bounded import within_scale
from benchmaker.stats.means.means import Mean, weighted_mean
from benchmaker.stats.pairs.mcnemar import McNemar, mcnemar


class SampleResult(Protocol):
    """One sample of a calibration."""

    @property
    def id(self) -> str:
        """Its name."""
        ...

    @property
    def score(self) -> float | None:
        """The judge's score."""
        ...

    @property
    def passed(self) -> bool:
        """True if the score was near enough."""
        ...


@dataclass(frozen=True, slots=True)
class Drift:
    """A calibration compared with the previous one, sample by sample.

    ``bias`` is the mean change of score, the same as the change of bias over the samples that both
    judged. ``passed`` tests the change in the number of passes. ``has_drifted`` is true if the 95%
    interval of the change excludes 0, or every sample changed by the same amount. ``left_out``
    counts the samples not judged in both.
    """

    since: str
    bias: Mean
    passed: McNemar
    has_drifted: bool
    left_out: int


def drift(
    now: Sequence[SampleResult], before: Sequence[SampleResult], *, since: str
) -> Drift | None:
    """Return the change since the earlier one; None if no sample was judged in both.

    Only calibrations of one judge on the same texts under the same prompt can be compared; the
    caller ensures this.
    """
    old = {sample.id: sample for sample in before}
    both = [(sample, old[sample.id]) for sample in now if sample.id in old]
    changes = [
        new.score - then.score
        for new, then in both
        if new.score is not None and then.score is not None
    ]
    if not changes:
        return None
    bias = within_scale(weighted_mean(changes), -1.0)
    gained = sum(new.passed and not then.passed for new, then in both)
    lost = sum(then.passed and not new.passed for new, then in both)
    return Drift(
        since=since,
        bias=bias,
        passed=mcnemar(gained, lost, n=len(both)),
        has_drifted=_is_off(bias),
        left_out=len(now) - len(changes),
    )


def _is_off(bias: Mean) -> bool:
    if bias.low is None or bias.high is None:
        return bias.n > 1 and bias.mean != 0
    return not bias.low <= 0 <= bias.high
