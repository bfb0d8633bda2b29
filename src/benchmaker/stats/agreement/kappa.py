"""Kappas: Cohen's for two raters, plain or weighted, and Fleiss' for any number of them."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from benchmaker.errors import SpecError
from benchmaker.stats.agreement.coefficient import Coefficient, coefficient, undefined_coefficient
from benchmaker.stats.agreement.multirater import Chance, multirater_coefficient
from benchmaker.stats.agreement.ratings import (
    MISSING,
    Rating,
    RatingTable,
    Rows,
    Weights,
    clusters_of_units,
    rating_table,
    weight_matrix,
    weights_name,
)
from benchmaker.stats.columns import Codes, Floats

_TWO = 2


def cohen_kappa(
    first: Sequence[Rating],
    second: Sequence[Rating],
    *,
    weights: Weights = "none",
    labels: Sequence[Hashable] | None = None,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Coefficient:
    """Cohen's kappa of two raters, (p_o - p_e) / (1 - p_e).

    Cohen 1960 and, weighted, 1968; the variance is that of Fleiss, Cohen & Everitt 1969 times
    n/(n - 1), its degrees of freedom n - 1.

    Args:
        first: one rater's labels, a row per unit; None and NaN are gaps.
        second: the other's, of the same units.
        weights: the credit for near misses: none, linear or quadratic in the distance of numeric
            labels, or of their places among ``labels``; or a matrix of agreement between any two
            of them, 1 on the diagonal.
        labels: all categories in their order; needed for weights if they are not numbers.
        clusters: one label per unit, for dependent units.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: no unit that both rated.
        SpecError: columns of different lengths, an undeclared label.

    >>> round(cohen_kappa([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15).value, 12)
    0.4
    """
    if len(first) != len(second):
        raise SpecError(f"There are {len(first)} ratings of one rater, {len(second)} of the other.")
    rows = [[one, two] for one, two in zip(first, second, strict=True)]
    table = rating_table(rows, labels=labels)
    return cohen_kappa_of(table, weights=weights, clusters=clusters, level=level)


def cohen_kappa_of(
    rows: Rows,
    *,
    weights: Weights = "none",
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Coefficient:
    """``cohen_kappa`` of a table with two columns.

    >>> round(cohen_kappa_of([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]).value, 12)
    0.5
    """
    table = rating_table(rows)
    if table.codes.shape[1] != _TWO:
        raise SpecError(f"Cohen's kappa needs two raters, not {table.codes.shape[1]}.")
    agree = weight_matrix(table, weights)
    method = "Cohen's kappa" + ("" if weights == "none" else f", {weights_name(weights)} weights")
    keep = (table.codes != MISSING).all(axis=1)
    pairs = table.codes[keep]
    n = len(pairs)
    row, col = (_margin(pairs[:, rater], table) for rater in (0, 1))
    by_row, by_col = agree @ col, row @ agree
    expected = float(row @ by_row)
    if expected >= 1.0 - 1e-15:
        reason = f"both raters put all {n} units into one category"
        return undefined_coefficient(
            reason, n=n, raters=2, ratings=2 * n, level=level, method=method
        )
    hits = agree[pairs[:, 0], pairs[:, 1]]
    observed = float(np.bincount(_cells(pairs, table), minlength=agree.size) @ agree.ravel()) / n
    drift = by_row[pairs[:, 0]] + by_col[pairs[:, 1]] - 2 * expected
    influences = _influences(hits - observed, drift, observed, expected) / n
    gone = len(keep) - n
    return coefficient(
        (observed - expected) / (1 - expected),
        influences,
        clusters=clusters_of_units(clusters, keep),
        level=level,
        observed=observed,
        expected=expected,
        n=n,
        raters=2,
        ratings=2 * n,
        method=method,
        warnings=(f"{gone} units with a gap left out",) if gone else (),
    )


def fleiss_kappa(
    rows: Rows,
    *,
    labels: Sequence[Hashable] | None = None,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Coefficient:
    """Fleiss' kappa of any number of raters, who need not be the same for every unit.

    Fleiss 1971. With gaps, each unit counts equally regardless of its number of ratings, and units
    with one rating count in the chance term alone (Gwet 2014, Handbook of Inter-Rater Reliability,
    4th edition). The variance is linearised (Gwet 2008, British Journal of Mathematical and
    Statistical Psychology 61, 29-48).

    Args:
        rows: units × raters; None and NaN are gaps.
        labels: all categories; by default those that occur.
        clusters: one label per unit, for dependent units.
        level: of the interval, between 0 and 1.

    Raises:
        NotEnoughData: fewer than two raters, or no unit that two raters rated.
        SpecError: an undeclared label.

    >>> round(fleiss_kappa([[1, 1, 1], [2, 2, 2], [1, 1, 2]]).value, 4)
    0.55
    """
    table = rating_table(rows, labels=labels)
    return multirater_coefficient(
        table,
        np.eye(len(table.labels)),
        _fleiss_chance,
        clusters=clusters,
        level=level,
        method="Fleiss' kappa",
    )


def _fleiss_chance(shares: Floats, agree: Floats) -> Chance:
    """Σ w π π, and its derivative by every share."""
    by_category = agree @ shares
    return Chance(float(shares @ by_category), 2 * by_category)


def _margin(codes: Codes, table: RatingTable) -> Floats:
    return np.bincount(codes, minlength=len(table.labels)) / len(codes)


def _cells(pairs: Codes, table: RatingTable) -> Codes:
    return np.asarray(pairs[:, 0] * len(table.labels) + pairs[:, 1])


def _influences(hits: Floats, drift: Floats, observed: float, expected: float) -> Floats:
    slope: Floats = (hits - (1 - observed) / (1 - expected) * drift) / (1 - expected)
    return slope
