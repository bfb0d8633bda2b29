import math

import numpy as np
import pytest

from benchmaker.stats.ratings.bradley_terry import select_comparable
from benchmaker.stats.ratings.covariance import (
    expected_sandwich,
    largest_variances,
    two_way_sandwich,
)
from benchmaker.stats.ratings.likelihood import Likelihood, fit
from benchmaker.stats.ratings.rating import difference_variances
from benchmaker.stats.ratings.slopes import cluster_slopes
from benchmaker.stats.ratings.ties import MODELS
from tests.stats.ratings.drawn import drawn, numeric_scores


def fitted(some, ties):
    table, group, _ = select_comparable(some.counts(), "error", 0.0)
    return fit(Likelihood(table, MODELS[ties], 0.0, group))


@pytest.mark.parametrize("models", [2, 3])
def test_two_way_variances_are_the_largest_of_four_literal_ones(models):
    """Battle by battle: 4 voters, 5 prompts, the product of slopes where a cluster is shared."""
    some = drawn(3, models=models, n=40, weighted=True)
    found = fitted(some, "half")
    voters, prompts = [i % 4 for i in range(40)], [i // 4 % 5 for i in range(40)]
    scores = numeric_scores(some, np.append(found.at, 0.0), "half")[:, :models]

    def variance(contrast, shares, clusters):
        slopes = scores @ found.inverse @ contrast
        pairs = [(i, j) for i in range(40) for j in range(40) if shares(i, j)]
        return clusters / (clusters - 1) * sum(slopes[i] * slopes[j] for i, j in pairs)

    def same_voter(i, j):
        return voters[i] == voters[j]

    def same_prompt(i, j):
        return prompts[i] == prompts[j]

    def literal(contrast):
        both = len(set(zip(voters, prompts, strict=True)))
        one, two = variance(contrast, same_voter, 4), variance(contrast, same_prompt, 5)
        common = variance(contrast, lambda i, j: same_voter(i, j) and same_prompt(i, j), both)
        alone = sum((scores @ found.inverse @ contrast) ** 2)
        return max(one + two - common, one, two, alone)

    cov = two_way_sandwich(found, some, voters, prompts).matrix
    units = np.eye(models)
    contrasts = [*units, *(units[0] - other for other in units[1:])]
    got = [contrast @ cov @ contrast for contrast in contrasts]
    want = [literal(contrast) for contrast in contrasts]

    assert (np.array(got) > np.array(want) * (1 - 1e-5)).all()
    if models == 2:
        assert got == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_variances_are_none_below_any_and_a_covariance(seed):
    roots = np.random.default_rng(seed).normal(size=(3, 6, 4))
    given = [root @ root.T for root in roots]

    got = largest_variances(given)

    assert np.linalg.eigvalsh(got).min() > -1e-12
    for cov in given:
        assert (np.diag(got) >= np.diag(cov) - 1e-12).all()
        assert (difference_variances(got) >= difference_variances(cov) - 1e-12).all()


def test_a_covariance_above_all_others_is_the_largest():
    root = np.random.default_rng(1).normal(size=(5, 5))
    cov = root @ root.T
    assert largest_variances([cov, cov / 2, -cov]) == pytest.approx(cov)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_expected_sandwich_is_that_of_literal_expectations(weighted):
    some = drawn(2, models=3, n=50, weighted=weighted)
    found = fitted(some, "half")
    weight = np.ones(50) if some.weight is None else some.weight
    meat = np.zeros((3, 3))
    for a, b, w in zip(some.a, some.b, weight, strict=True):
        p = 1 / (1 + math.exp(found.theta[b] - found.theta[a]))
        away = np.eye(3)[a] - np.eye(3)[b]
        meat += w**2 * p * (1 - p) * np.outer(away, away)

    got = expected_sandwich(found)

    assert got == pytest.approx(found.inverse @ meat @ found.inverse)
    if not weighted:
        assert got == pytest.approx(found.inverse)


@pytest.mark.parametrize("ties", list(MODELS))
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_clusters_are_sums_of_numeric_slopes(ties, weighted):
    some = drawn(1, models=4, n=60, weighted=weighted)
    found = fitted(some, ties)
    cluster = (np.arange(60) % 7).astype(np.int32)
    at = found.at if ties != "half" else np.append(found.at, 0.0)
    slow = numeric_scores(some, at, ties)[:, : found.likelihood.size]

    got = cluster_slopes(found, some, cluster)

    sums = np.array([slow[cluster == g].sum(axis=0) for g in range(7)])
    assert got.scores(0, 7) == pytest.approx(sums, abs=1e-7)
    assert got.meat() == pytest.approx(sums.T @ sums, abs=1e-5)


@pytest.mark.parametrize("floats", [1, 50, 10_000])
def test_clusters_come_in_parts(floats):
    some = drawn(1)
    found = fitted(some, "davidson")
    got = cluster_slopes(found, some, (np.arange(300) % 70).astype(np.int32))

    parts = list(got.parts(floats_at_once=floats))

    assert np.concatenate(parts) == pytest.approx(got.scores(0, 70))
    assert len(parts) == math.ceil(70 / max(1, floats // 6))


def test_the_slope_in_a_direction_is_the_score_times_it():
    some = drawn(1, weighted=True)
    found = fitted(some, "rao_kupper")
    got = cluster_slopes(found, some, (np.arange(300) % 9).astype(np.int32))
    direction = np.arange(6.0)

    assert got.slope_along(direction) == pytest.approx(got.scores(0, 9) @ direction)


@pytest.mark.parametrize("ties", list(MODELS))
def test_the_inverse_undoes_the_information_on_all_but_the_average(ties):
    found = fitted(drawn(1, weighted=True), ties)
    information = found.likelihood.information(found.at, found.outlook)
    left = np.eye(found.likelihood.size)
    left[:5, :5] -= 1 / 5

    assert found.inverse @ information == pytest.approx(left, abs=1e-10)
    assert found.inverse[:5].sum(axis=0) == pytest.approx(0, abs=1e-12)
