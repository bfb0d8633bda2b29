"""The cheapest setup that is not worse than the best by more than a margin."""

from dataclasses import dataclass

import numpy as np

from benchmaker.analysis.comparison.case_costs import CaseCost, case_costs, cheapest_first
from benchmaker.analysis.comparison.pairing import CaseTable
from benchmaker.documents import Document, listed
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.record.points import points
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.pairs.best import METHOD, WithBest, compare_with_best


@dataclass(frozen=True, slots=True)
class SetupValue(Document):
    """One setup's score and cost; scores from 0 to 1, dollars per case.

    ``behind`` is the difference from the best of the others, negative for the best, and
    ``at_most`` its upper confidence bound: below the margin exactly when the setup ``is_within``
    it. ``p_adj`` is one-sided, adjusted over all setups. Figures that the data do not support are
    None, with a ``reason``.
    """

    name: str
    mean: float
    low: float | None
    high: float | None
    cost: CaseCost
    behind: float
    at_most: float | None
    p: float | None
    p_adj: float | None
    is_within: bool
    reason: str


@dataclass(frozen=True, slots=True)
class WithinMargin(Document, scale="0-1"):
    """Setups, the cheapest first, and those shown to be within the margin of the best.

    With a probability of ``level``, no setup that is worse than the best by the margin or more is
    called within it. ``best`` has the highest mean. ``noun`` is the word for a setup: setup, model,
    prompt or effort.
    """

    noun: str
    margin: float
    setups: tuple[SetupValue, ...]
    best: str
    n_cases: int
    clusters: int
    level: float
    method: str

    @property
    def within(self) -> tuple[SetupValue, ...]:
        """Those shown to be within the margin, the cheapest first."""
        return tuple(one for one in self.setups if one.is_within)

    @property
    @listed(after="best")
    def cheapest(self) -> str | None:
        """The cheapest within the margin; None if none is shown to be, or no cost is known."""
        return next((one.name for one in self.within if one.cost.usd is not None), None)

    def setup(self, name: str) -> SetupValue:
        """The setup of that name."""
        return next(one for one in self.setups if one.name == name)

    @property
    @listed()
    def sentence(self) -> str:
        """The cheapest with its cost and that of the best, in words."""
        by = f"{points(self.margin)} points"
        if not self.within:
            return (
                f"No {self.noun} is shown to be within {by} of the best, not even {self.best}, "
                "which has the highest mean."
            )
        if self.cheapest is None:
            names = ", ".join(one.name for one in self.within)
            return f"Within {by} of the best: {names}. Their costs are unknown."
        cheapest = self.setup(self.cheapest)
        said = (
            f"Cheapest {self.noun} within {by} of the best: {self.cheapest}, {self._cost(cheapest)}"
        )
        if self.cheapest == self.best:
            return f"{said}; it also has the highest mean."
        return f"{said}. {self.best} has the highest mean, {self._cost(self.setup(self.best))}."

    def _cost(self, one: SetupValue) -> str:
        """The cost of a case with its interval, unless both ends are shown alike."""
        usd, low, high = one.cost.usd, one.cost.low, one.cost.high
        if usd is None:
            return "cost unknown"
        ends = () if low is None or high is None else (dollars(low), dollars(high))
        has_width = len(set(ends)) > 1
        around = f" ({100 * self.level:g}% CI {' to '.join(ends)})" if has_width else ""
        return f"{dollars(usd)} per case{around}"


def within_margin(
    table: CaseTable,
    costs: CaseTable,
    *,
    margin: float,
    level: float = 0.95,
    noun: str = "setup",
) -> WithinMargin | None:
    """Return the setups that are not worse than the best by the margin, and their costs.

    Non-inferiority to the best with one error rate over all setups: see
    :func:`~benchmaker.stats.pairs.best.compare_with_best`.

    Args:
        table: the scores of the setups.
        costs: their dollars, with the same rows.
        margin: the largest difference that does not matter, above 0 and below 1.
        level: 1 - the error rate, and the level of the intervals.
        noun: the word for a setup.

    Returns:
        None with fewer than two scored setups, without a case that is scored for all of them, or
        with a margin that no difference of scores exceeds.
    """
    scored = [name for name in table.models if len(table.cases_of(name))]
    chosen = table.select_models(scored)
    kept = np.logical_and.reduce(chosen.is_scored, axis=1)
    common = chosen.rows(kept)
    if len(scored) < 2 or not len(common) or margin >= 1:  # noqa: PLR2004  a pair
        return None
    tested = compare_with_best(
        common.scores,
        margin=margin,
        weights=common.weights,
        clusters=common.cluster,
        level=level,
    )
    spent = case_costs(costs.select_models(scored).rows(kept), level)
    made = {
        name: _setup_value(common, name, one, spent[name], level)
        for name, one in zip(scored, tested, strict=True)
    }
    return WithinMargin(
        noun=noun,
        margin=margin,
        setups=tuple(made[name] for name in cheapest_first(scored, spent)),
        best=max(scored, key=lambda name: made[name].mean),
        n_cases=len(common),
        clusters=common.clusters,
        level=level,
        method=f"{METHOD} over {count(len(scored), noun)}",
    )


def _setup_value(
    common: CaseTable, name: str, tested: WithBest, cost: CaseCost, level: float
) -> SetupValue:
    own = common.cases_of(name)
    clusters = own.cluster if own.is_clustered else None
    mean = bounded_mean(own.scores[:, 0], own.weights, clusters=clusters, level=level)
    return SetupValue(
        name=name,
        mean=mean.mean,
        low=mean.low,
        high=mean.high,
        cost=cost,
        behind=tested.behind,
        at_most=tested.at_most,
        p=tested.p_value,
        p_adj=tested.p_adjusted,
        is_within=tested.is_within,
        reason=tested.reason,
    )
