"""A judged mean after its correction by labels."""

from dataclasses import dataclass

from benchmaker.stats.means.means import Mean


@dataclass(frozen=True, slots=True)
class PpiEstimate:
    """A mean by prediction-powered inference, with the means by labels or judge alone.

    ``value`` is λ · mean of the judge on the unlabelled rows + mean of (label - λ · judge) on the
    labelled ones. ``n`` counts labelled rows, ``n_unlabelled`` the others; ``n_eff`` is the number
    of labels that alone would give this ``se``. ``bias`` is judge minus label. Figures that the
    data cannot support are None, with a ``reason``. Nothing is clipped: ``value`` may lie beyond
    the scale of the labels. It is valid if the labelled rows were drawn at random from all rows.
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
