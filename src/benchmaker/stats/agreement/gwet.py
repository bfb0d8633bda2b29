"""Gwet's AC1 and AC2: agreement that does not collapse where one category is rare."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from benchmaker.stats.agreement.coefficient import Coefficient, undefined_coefficient
from benchmaker.stats.agreement.multirater import Chance, multirater_coefficient
from benchmaker.stats.agreement.ratings import (
    Rows,
    Weights,
    rating_table,
    weight_matrix,
    weights_name,
)
from benchmaker.stats.columns import Floats


def gwet_ac(
    rows: Rows,
    *,
    weights: Weights = "none",
    labels: Sequence[Hashable] | None = None,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Coefficient:
    """Gwet's AC1, or AC2 with weights, of any number of raters.

    Gwet 2008, British Journal of Mathematical and Statistical Psychology 61, 29-48; with gaps and
    weights 2014, Handbook of Inter-Rater Reliability, 4th edition, chapters 4 and 5. Agreement by
    chance is T_w / (q(q - 1)) · Σ π(1 - π) over the q categories, T_w being the sum of all weights;
    so declare ``labels`` if some category may not occur.

    Args:
        rows: units × raters; None and NaN are gaps.
        weights: none (AC1), linear or quadratic, or a custom matrix (AC2).
        labels: all categories in their order; by default those that occur.
        clusters: one label per unit, for dependent units.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than two raters, or no unit that two raters rated.
        SpecError: an undeclared label; weights for labels without an order.

    >>> round(gwet_ac([[1, 1]] * 9 + [[1, 0]]).value, 4)
    0.8895
    """
    table = rating_table(rows, labels=labels)
    method = "Gwet's AC1" if weights == "none" else f"Gwet's AC2, {weights_name(weights)} weights"
    agree = weight_matrix(table, weights)
    if len(table.labels) == 1:
        units = int((table.counts().sum(axis=1) > 1).sum())
        ratings = int(table.counts().sum())
        reason = f"all {ratings} ratings are in one category, and no other is declared"
        return undefined_coefficient(
            reason, n=units, raters=table.raters, ratings=ratings, level=level, method=method
        )
    return multirater_coefficient(
        table, agree, _chance, clusters=clusters, level=level, method=method
    )


def _chance(shares: Floats, agree: Floats) -> Chance:
    q = len(shares)
    factor = float(agree.sum()) / (q * (q - 1))
    expected = factor * float(shares @ (1.0 - shares))
    return Chance(expected, np.asarray(factor * (1.0 - 2.0 * shares)))
