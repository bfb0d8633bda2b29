import dataclasses
import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats as oracle

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.pairs.max_t import max_t
from benchmaker.stats.pairs.paired import paired_t
from tests.draws import draws


def table(rows, systems, seed=0, *, lead=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1, (rows, systems)) + 0.8 * rng.normal(0, 1, (rows, 1))
    scores[:, 0] += lead
    return scores


def slow_draw(d, w, g, signs):
    """|t| of one pair in one draw: flip residuals, fit again, cluster the errors."""
    residual = signs * (d - np.average(d, weights=w))
    mean = np.average(residual, weights=w)
    sums = np.bincount(g, weights=w * (residual - mean))
    groups = len(sums)
    return abs(mean) / math.sqrt(groups / (groups - 1) * (sums**2).sum() / w.sum() ** 2)


def test_the_largest_t_is_that_of_fitting_every_draw_anew():
    rng = np.random.default_rng(1)
    scores, w, g = table(24, 3), rng.random(24) + 0.5, np.arange(24) % 8
    pairs = list(combinations(range(3), 2))
    largest = []
    for pattern in range(2**8):
        signs = np.array([1 - 2 * (pattern >> place & 1) for place in range(8)])[g]
        largest.append(max(slow_draw(scores[:, i] - scores[:, j], w, g, signs) for i, j in pairs))
    got = max_t(scores, weights=w, clusters=g, draws=9_999)
    for (i, j), p in zip(got.pairs, got.p_adjusted, strict=True):
        t = abs(paired_t(scores[:, i], scores[:, j], weights=w, clusters=g).t)
        want = np.mean(np.array(largest) >= t - 1e-9)
        assert p == pytest.approx(want, abs=4 * math.sqrt(0.25 / 9_999))


def test_differences_and_errors_are_those_of_the_pairs():
    scores = table(30, 4)
    got = max_t(scores, draws=199)
    for (i, j), diff, se in zip(got.pairs, got.diff, got.se, strict=True):
        one = paired_t(scores[:, i], scores[:, j])
        assert (diff, se) == (one.diff, one.se)


def test_a_single_pair_agrees_with_student():
    scores = table(60, 2, lead=0.3)
    got, want = max_t(scores), oracle.ttest_rel(*scores.T)
    assert got.p_adjusted[0] == pytest.approx(want.pvalue, abs=0.01)
    assert got.critical == pytest.approx(oracle.t.ppf(0.975, 59), abs=0.06)


def test_intervals_leave_out_zero_exactly_where_p_is_small():
    for seed in range(20):
        got = max_t(table(25, 5, seed, lead=0.7), draws=499)
        for p, low, high in zip(got.p_adjusted, got.low, got.high, strict=True):
            assert (p < 0.05) == (not low <= 0 <= high)


def test_no_adjusted_p_is_below_its_own_or_above_bonferroni():
    scores = table(80, 6, lead=0.4)
    got = max_t(scores)
    for (i, j), p in zip(got.pairs, got.p_adjusted, strict=True):
        own = oracle.ttest_rel(scores[:, i], scores[:, j]).pvalue
        assert own - 0.02 <= p <= min(1.0, 15 * own) + 0.02


def test_the_order_of_the_items_changes_no_digit():
    scores = table(40, 4)
    w = np.random.default_rng(5).random(40)
    order = np.random.default_rng(6).permutation(40)
    one, other = (
        max_t(scores, weights=w, clusters=np.arange(40) % 11, draws=99),
        max_t(scores[order], weights=w[order], clusters=(np.arange(40) % 11)[order], draws=99),
    )
    assert dataclasses.asdict(one) == dataclasses.asdict(other)


def test_a_pair_that_does_not_vary_has_nothing_and_spoils_nothing():
    scores = table(20, 3)
    scores[:, 2] = scores[:, 0]
    got = max_t(scores, draws=199)
    at = got.pairs.index((0, 2))
    assert (got.se[at], got.p_adjusted[at], got.low[at]) == (None, None, None)
    assert got.p_adjusted[got.pairs.index((0, 1))] is not None


def test_when_nothing_varies_there_is_a_reason():
    got = max_t([[0.5, 0.5]] * 4, draws=99)
    assert (got.critical, got.p_adjusted, got.reason) == (
        None,
        (None,),
        "no pair's difference varies",
    )


def test_one_cluster_and_few_clusters_are_said():
    one = max_t(table(10, 2), clusters=[1] * 10, draws=99)
    assert (one.p_adjusted, one.reason) == ((None,), "1 cluster, at least 2 are needed")
    few = max_t(table(8, 3), draws=99)
    assert few.warnings == ("only 8 clusters",)


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        ([[0.5, math.nan], [1, 0]], SpecError, "row 1, column 2 is nan"),
        ([0.5, 1.0], SpecError, "1 dimensions"),
        ([[0.5], [1.0]], NotEnoughData, "at least 2 systems"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(scores, error, words):
    with pytest.raises(error, match=words):
        max_t(scores)


def test_equal_systems_are_told_apart_in_one_table_of_twenty():
    tries = draws(100, 400)
    hits = sum(min(max_t(table(12, 4, at), draws=199).p_adjusted) < 0.05 for at in range(tries))
    assert hits / tries == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / tries))
