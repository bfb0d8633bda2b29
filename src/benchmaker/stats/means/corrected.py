"""A judged mean after its correction by labels."""

from dataclasses import dataclass

from benchmaker.stats.means.means import Mean


@dataclass(frozen=True, slots=True)
class PpiEstimate:
    """A mean by prediction-powered inference, and what labels or judge alone would say.

    ``value`` is λ · mean of the judge on the unlabelled rows + mean of (label - λ · judge) on the
    labelled ones. ``n`` counts labelled rows, ``n_unlabelled`` the others; ``n_eff`` is how many
    labels alone would give this ``se``. ``bias`` is judge less label. What the data can't carry is
    None; ``reason`` then says why. Nothing is clipped: ``value`` may lie beyond the scale of the
    labels. It holds when the labelled rows were drawn at random from all.
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    df: float | None
    lambda_: float
    labels_only: Mean
    judge_only: Mean
    bias: Mean
    n: int
    n_unlabelled: int
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
