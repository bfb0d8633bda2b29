"""Effective numbers of clusters, beside sums written out battle by battle."""

import math

import numpy as np
import pytest

from benchmaker.stats.ratings import Battles, bradley_terry, rank_intervals, style_control
from benchmaker.stats.ratings.bradley_terry import quantile
from benchmaker.stats.ratings.covariance import cluster_sandwich, two_way_sandwich
from tests.stats.ratings.drawn import drawn
from tests.stats.ratings.test_covariance import fitted

UNEQUAL = [0] * 40 + [1] * 20 + [2 + i % 9 for i in range(60)]


def literal(some, theta, clusters):
    """(Σ v)² / Σ v² of each rating and difference, with v battle by battle."""
    m = len(some.names)
    weight = np.ones(len(some)) if some.weight is None else some.weight
    information = [0.0] * m
    square = {label: [0.0] * m for label in clusters}
    for a, b, w, label in zip(some.a, some.b, weight, clusters, strict=True):
        p = 1 / (1 + math.exp(theta[b] - theta[a]))
        for model in (a, b):
            information[model] += w * p * (1 - p)
            square[label][model] += w**2 * p * (1 - p)

    def count(*models):
        v = [sum(row[i] / information[i] ** 2 for i in models) for row in square.values()]
        return sum(v) ** 2 / sum(one**2 for one in v)

    return np.array([[count(*{i, j}) for j in range(m)] for i in range(m)])


@pytest.mark.parametrize("weighted", [False, True])
def test_effective_clusters_are_those_of_literal_sums(weighted):
    some = drawn(3, models=4, n=120, weighted=weighted)
    found = fitted(some, "half")

    got = cluster_sandwich(found, some, UNEQUAL, degrees="effective")

    assert got.effective == pytest.approx(literal(some, found.theta, UNEQUAL))
    assert got.df == pytest.approx(np.diag(got.effective).max() - 1)


def test_two_ways_have_the_smaller_number_of_each_figure():
    some = drawn(3, models=4, n=120)
    found, crossed = fitted(some, "half"), [i % 7 for i in range(120)]

    got = two_way_sandwich(found, some, UNEQUAL, crossed, "effective")

    ways = [literal(some, found.theta, labels) for labels in (UNEQUAL, crossed)]
    assert got.effective == pytest.approx(np.minimum(*ways))


def balanced(cases=12, weight=None):
    """A case is a battle of each pair of four models."""
    pairs = [(i, j) for i in range(4) for j in range(i)] * cases
    a, b = (np.array(side, np.int32) for side in zip(*pairs, strict=True))
    outcome = np.random.default_rng(1).integers(0, 3, len(pairs)).astype(np.int8)
    labels = [at // 6 for at in range(len(pairs))]
    return Battles(("w", "x", "y", "z"), a, b, outcome, weight), labels


def test_balanced_clusters_change_no_digit():
    some, labels = balanced()

    plain = bradley_terry(some, clusters=labels)
    got = bradley_terry(some, clusters=labels, degrees="effective")

    assert (got.effective_clusters == 12).all()
    assert got.to_dict() == plain.to_dict()
    one, two = rank_intervals(got), rank_intervals(plain)
    assert (one.method, one.rows()) == (two.method, two.rows())


@pytest.mark.parametrize("factor", [1e-6, 3.0])
def test_the_unit_of_weights_does_not_matter(factor):
    some = drawn(5, models=3, n=120, weighted=True)
    scaled = Battles(some.names, some.a, some.b, some.outcome, some.weight * factor)

    one, two = (bradley_terry(it, clusters=UNEQUAL, degrees="effective") for it in (some, scaled))

    assert one.effective_clusters == pytest.approx(two.effective_clusters)


def test_an_interval_has_the_degrees_of_its_model():
    some = drawn(3, models=4, n=120)
    plain = bradley_terry(some, clusters=UNEQUAL)

    got = bradley_terry(some, clusters=UNEQUAL, degrees="effective")

    own = np.diag(literal(some, got.theta, UNEQUAL))
    half = [got.scale * quantile(0.975, float(n) - 1) for n in own] * plain.se
    assert got.high - got.score == pytest.approx(half)
    assert got.se == pytest.approx(plain.se)
    assert "t with the effective clusters, " in got.method


def test_a_difference_needs_the_quantile_of_its_own_effective_clusters():
    """Marginal ranks: x is above y if the difference exceeds t of its own degrees."""
    some = drawn(3, models=4, n=120, spread=0.5)
    got = bradley_terry(some, clusters=UNEQUAL, degrees="effective")
    error = got.difference_errors()
    counts = literal(some, got.theta, UNEQUAL)

    def is_above(i, j):
        return got.theta[i] - got.theta[j] > quantile(0.975, counts[i, j] - 1) * error[i, j]

    want = [1 + sum(is_above(j, i) for j in range(4) if j != i) for i in range(4)]
    assert rank_intervals(got, simultaneous=False, draws=10).best.tolist() == want


def test_below_two_effective_clusters_a_model_has_no_interval_and_others_have():
    """One voter has nearly all votes on z; on w, x and y there are many voters."""
    some, labels = balanced(20)
    more = [(3, 0), (3, 1), (3, 2)] * 60
    a, b = (np.array(side, np.int32) for side in zip(*more, strict=True))
    outcome = np.random.default_rng(2).integers(0, 3, len(more)).astype(np.int8)
    joined = Battles(
        some.names,
        *(np.concatenate(it) for it in ((some.a, a), (some.b, b), (some.outcome, outcome))),
    )

    got = bradley_terry(joined, clusters=[*labels, *[0] * 180], degrees="effective")

    assert np.diag(got.effective_clusters)[3] < 2
    assert np.isnan([got.se[3], got.low[3], got.high[3], got.effective[3]]).all()
    assert np.isnan(got.difference_errors()[3, :3]).all()
    assert np.isfinite([*got.low[:3], *got.difference_errors()[0, 1:3]]).all()
    said = "20 clusters of unequal weight count as 1.7 equal ones, at least 2 are needed"
    assert [row.reason for row in got.rows() if row.name == "z"] == [f"no interval: {said}"]
    assert f"no interval for z: {said}" in got.warnings
    ranks = rank_intervals(got)
    assert np.isnan(ranks.p_top).all()
    assert (ranks.best[3], ranks.worst[3]) == (1, 4)


def styled(n=120):
    some = drawn(4, models=3, n=n, weighted=True)
    sides = np.random.default_rng(4).uniform(50, 500, (2, n))
    return some, *sides


def test_style_has_the_effective_clusters_of_literal_sums():
    some, left, right = styled()

    got = style_control(
        some, left, right, features=["length"], clusters=UNEQUAL, degrees="effective", l2=0.5
    )

    gap = (left - right) / (left + right) / got.spreads[0]
    theta, beta = got.adjusted.theta, got.coefficients[0]
    information, square = np.array([0.0, 0, 0, 0.5]), {label: np.zeros(4) for label in UNEQUAL}
    for a, b, w, z, label in zip(some.a, some.b, some.weight, gap, UNEQUAL, strict=True):
        p = 1 / (1 + math.exp(theta[b] - theta[a] - beta * z))
        share = np.zeros(4)
        share[[a, b]], share[3] = 1, z**2
        information += w * p * (1 - p) * share
        square[label] += w**2 * p * (1 - p) * share
    v = np.array(list(square.values())) / information**2
    counts = v.sum(axis=0) ** 2 / (v**2).sum(axis=0)
    half = [quantile(0.975, float(number) - 1) for number in counts]
    assert np.diag(got.adjusted.effective_clusters) == pytest.approx(counts[:3])
    assert got.high - got.coefficients == pytest.approx(half[3] * got.se)
    assert got.adjusted.high - got.adjusted.score == pytest.approx(
        half[:3] * got.adjusted.se * got.adjusted.scale
    )


@pytest.mark.parametrize("floor", ["battles", list(range(120))], ids=["battles", "finer"])
def test_style_is_no_surer_than_its_floor(floor):
    """Both floors are single battles; CR1 over 120 clusters has the factor 120/119."""
    some, left, right = styled()
    labels = [0] * 110 + [1 + i % 3 for i in range(10)]
    settings = {"features": ["length"], "l2": 0.0}
    plain = style_control(some, left, right, clusters=labels, **settings)
    alone = style_control(
        some, left, right, clusters=None if floor == "battles" else floor, **settings
    )

    got = style_control(some, left, right, clusters=labels, at_least=floor, **settings)

    least = np.maximum(plain.adjusted.se, alone.adjusted.se)
    assert (got.adjusted.se >= least * (1 - 1e-9)).all()
    assert got.se >= np.maximum(plain.se, alone.se) * (1 - 1e-9)
    for other in (plain, alone):
        apart = np.triu_indices(3, 1)
        errors = got.adjusted.difference_errors()[apart]
        assert (errors >= other.adjusted.difference_errors()[apart] * (1 - 1e-9)).all()
    assert (plain.adjusted.se < alone.adjusted.se).any()


def test_style_with_one_heavy_cluster_has_no_interval():
    some, left, right = styled()
    labels = [0] * 116 + [1, 2, 3, 4]

    got = style_control(
        some, left, right, features=["length"], clusters=labels, at_least="battles",
        degrees="effective",
    )  # fmt: skip

    assert np.isnan([*got.adjusted.low, *got.low, *got.se]).all()
    assert any("5 clusters of unequal weight count as 1." in said for said in got.warnings)


def test_a_tie_parameter_adds_nothing_to_the_degrees_of_the_models():
    some = drawn(3, models=4, n=120)

    got = bradley_terry(some, clusters=UNEQUAL, degrees="effective", ties="davidson")

    assert got.effective_clusters.shape == (4, 4)
    assert got.df == pytest.approx(np.diag(got.effective_clusters).max() - 1)
