"""The cost of a case, by setup, with its interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmaker.analysis.comparison.pairing import CaseTable, case_table
from benchmaker.documents import Document
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.means.means import weighted_mean


@dataclass(frozen=True, slots=True)
class CaseCost(Document):
    """Dollars per case, all requests of its trials included; None where none is known.

    ``low`` and ``high`` are the ends of the interval, None with fewer than two groups of cases.
    ``n_cases`` have a known cost.
    """

    usd: float | None = None
    low: float | None = None
    high: float | None = None
    n_cases: int = 0


def cost_table(columns: ScoreColumns, models: Sequence[str] = ()) -> CaseTable:
    """Return dollars instead of scores: each setup's mean over runs in every case, NaN if unknown.

    The rows are those of :func:`~benchmaker.analysis.comparison.pairing.case_table`.
    """
    return case_table(replace(columns, score=columns.cost_usd), models)


def case_costs(costs: CaseTable, level: float) -> dict[str, CaseCost]:
    """Return the mean cost of a case for each column, over the cases where it is known."""
    return {name: case_cost(costs, [name], level) for name in costs.models}


def case_cost(costs: CaseTable, setups: Sequence[str], level: float) -> CaseCost:
    """Return the cost of a case, the mean over these setups where it is known for all of them.

    Cases have the weights of the mean score, so that all expansions of a case count as one; cases
    of one group are a cluster. The interval is Student's t, not below 0.
    """
    own = costs.select_models(setups).common_cases()
    if not len(own):
        return CaseCost()
    values = own.scores.mean(axis=1)
    clusters = own.cluster if own.is_clustered else None
    mean = weighted_mean(values, own.weights, clusters=clusters, level=level)
    ends = mean.interval
    if ends is None and len(own) > 1 and not np.ptp(values):
        ends = (mean.mean, mean.mean)
    low, high = ends or (None, None)
    return CaseCost(mean.mean, None if low is None else max(0.0, low), high, len(own))


def cheapest_first(names: Sequence[str], costs: Mapping[str, CaseCost]) -> list[str]:
    """Return the names by rising cost, those of unknown cost last."""

    def order(name: str) -> tuple[bool, float]:
        usd = costs[name].usd
        return usd is None, usd or 0.0

    return sorted(names, key=order)
