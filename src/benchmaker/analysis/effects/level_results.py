"""Results of a comparison by model, prompt or effort: frozen values, and their sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from benchmaker.analysis.comparison.results import ComparedPair, Comparison, Verdict
from benchmaker.analysis.comparison.within_margin import WithinMargin
from benchmaker.analysis.effects.dimensions import Dimension
from benchmaker.analysis.effects.interactions import Interaction
from benchmaker.analysis.metric import FigureName
from benchmaker.documents import OMITTED, Document, listed
from benchmaker.record.counts import count
from benchmaker.record.points import points
from benchmaker.stats.pairs.multiple_comparisons import Correction
from benchmaker.tabular import Tabular

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ComparedLevel(Document):
    """One level over the combinations that all levels share, or else its own; from 0 to 1."""

    level: str
    mean: float | None
    low: float | None
    high: float | None
    n_cases: int
    setups: tuple[str, ...]
    letters: str


@dataclass(frozen=True, slots=True)
class LevelPair(Document):
    """Two levels, the better one as ``a``; differences from 0 to 1.

    In each case a level counts with its mean over the combinations of the other dimensions that
    both levels have: ``over`` names them by dimension. ``low`` and ``high`` exclude 0 exactly when
    ``p_adj`` is below 1 - level; ``ci95`` is the interval of the pair alone, at the level of the
    comparison.
    """

    pair: Annotated[ComparedPair, OMITTED]
    by: Annotated[Dimension, OMITTED]
    a: str
    b: str
    diff: float
    low: float | None
    high: float | None
    p: float | None
    p_adj: float | None
    verdict: Verdict
    ci95: Interval | None
    mean_a: float
    mean_b: float
    n_cases: int
    clusters: int | None
    test: str
    adjustment: str
    over: Mapping[Dimension, tuple[str, ...]]
    reason: str

    @classmethod
    def of(
        cls, pair: ComparedPair, by: Dimension, over: Mapping[Dimension, tuple[str, ...]]
    ) -> "LevelPair":
        """The pair as compared, with the combinations behind it."""
        low, high = pair.ends_at(pair.level) if pair.ends_at else (pair.low, pair.high)
        return cls(
            pair=pair,
            by=by,
            a=pair.model_a,
            b=pair.model_b,
            diff=pair.diff,
            low=pair.low,
            high=pair.high,
            p=pair.p_value,
            p_adj=pair.p_adjusted,
            verdict=pair.verdict,
            ci95=None if low is None or high is None else (low, high),
            mean_a=pair.mean_a,
            mean_b=pair.mean_b,
            n_cases=pair.n,
            clusters=pair.clusters,
            test=pair.test,
            adjustment=pair.adjustment,
            over=over,
            reason=pair.reason,
        )

    @property
    @listed()
    def sentence(self) -> str:
        """The verdict in words, with the number of combinations where there are several.

        "Prompt few beats plain by 4.1 points (95% CI 1.2 to 7.0), over 3 models."
        """
        has_lead = self.verdict == "ahead" or (self.p is not None and points(self.diff) != "0.0")
        is_plural = self.verdict == "equivalent" or not has_lead
        noun = f"{self.by}s" if is_plural else self.by
        named = replace(self.pair, model_a=f"{noun} {self.a}").sentence.removesuffix(".")
        return f"{named[0].upper()}{named[1:]}{over_words(self.over)}."


def over_words(over: Mapping[Dimension, tuple[str, ...]]) -> str:
    """The numbers of levels that a difference is averaged over; empty for one of each.

    >>> over_words({"model": ("a", "b", "c"), "effort": ("low", "high")})
    ', over 3 models and 2 efforts'
    """
    said = [count(len(levels), dimension) for dimension, levels in over.items() if len(levels) > 1]
    return f", over {' and '.join(said)}" if said else ""


@dataclass(frozen=True, slots=True)
class LevelComparison(Document, Tabular, scale="0-1"):
    """The levels of one dimension on the same cases, best mean first, with all pairs.

    ``comparison`` holds the same as a comparison whose models are the levels. ``interactions`` are
    those with the other dimensions that have several levels. ``within_margin`` is set with a
    margin: the levels that are not worse than the best by more than it, and the cheapest of them.
    """

    comparison: Annotated[Comparison, OMITTED]
    by: Dimension
    levels: tuple[ComparedLevel, ...]
    pairs: tuple[LevelPair, ...]
    interactions: tuple[Interaction, ...]
    within_margin: WithinMargin | None
    run_ids: tuple[str, ...]
    n_cases: int
    n_common: int
    clusters: int
    correction: Correction | None
    margin: float | None
    level: float
    seed: int
    method: str
    warnings: tuple[str, ...]
    figure: FigureName = "mean"

    @property
    def headline(self) -> LevelPair:
        """The best level against the next."""
        return self.pairs[0]
