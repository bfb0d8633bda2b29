import math

import numpy as np
import pytest

from benchmaker.stats.ratings.bradley_terry import select_comparable
from benchmaker.stats.ratings.covariance import cluster_slopes
from benchmaker.stats.ratings.likelihood import Likelihood, fit
from benchmaker.stats.ratings.ties import MODELS
from tests.stats.ratings.drawn import drawn, numeric_scores


def fitted(some, ties):
    table, group, _ = select_comparable(some.counts(), "error", 0.0)
    return fit(Likelihood(table, MODELS[ties], 0.0, group))


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
