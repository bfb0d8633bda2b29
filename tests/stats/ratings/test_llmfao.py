"""Real votes: the figures that evalica publishes for them, and reference standard errors."""

import csv
import json

import numpy as np
import polars as pl
import pytest

from benchmaker.stats.ratings import (
    battles,
    bradley_terry,
    count_points,
    elo,
    rank_intervals,
    win_rate,
)

pytestmark = pytest.mark.data
SIDES = {"left": "a", "right": "b"}


@pytest.fixture(scope="module")
def votes(shared):
    return pl.read_parquet(shared / "ranking" / "llmfao_battles.parquet")


@pytest.fixture(scope="module")
def fought(votes):
    columns = (votes[name].to_list() for name in ("left", "right", "winner"))
    return battles(*columns, labels=SIDES)


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "ranking" / "expected.json").read_text())["llmfao_bt"]


@pytest.fixture(scope="module")
def golden(shared):
    found = {}
    with (shared / "ranking" / "llmfao_golden.csv").open() as lines:
        for row in csv.DictReader(lines):
            found.setdefault(row["algorithm"], {})[row["item"]] = float(row["score"])
    return found


def of(names, figures):
    return np.array([figures[name] for name in names])


def test_ratings_are_the_published_ones_on_the_log_scale(fought, golden):
    got = bradley_terry(fought)

    published = np.log(of(got.names, golden["bradley_terry"]))
    assert got.theta == pytest.approx(published - published.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("key", "how"),
    [
        ("se_sandwich", {}),
        ("se_model", {"covariance": "model"}),
        ("se_cluster_worker_CR1", {"clusters": "worker"}),
        ("se_cluster_prompt_CR1", {"clusters": "prompt"}),
    ],
)
def test_four_kinds_of_standard_error(votes, fought, expected, key, how):
    how = {
        name: votes[value].to_list() if name == "clusters" else value for name, value in how.items()
    }
    got = bradley_terry(fought, **how)

    assert len(got.names) == 59
    for name, theta, se in zip(got.names, got.theta, got.se, strict=True):
        assert theta == pytest.approx(expected[name]["theta"], abs=1e-10)
        assert se == pytest.approx(expected[name][key], abs=1e-10)


def test_all_rank_intervals(fought, expected):
    got = rank_intervals(bradley_terry(fought), simultaneous=False)

    found = {row.name: (row.best, row.worst) for row in got.rows()}
    assert found == {name: (one["rank_best"], one["rank_worst"]) for name, one in expected.items()}


def test_elo_win_rate_and_counting(fought, golden):
    names = fought.names

    assert elo(fought).score == pytest.approx(of(names, golden["elo"]), abs=1e-10)
    rates = of(names, golden["average_win_rate"])
    assert win_rate(fought).rate == pytest.approx(rates, abs=1e-12)
    assert count_points(fought).points == pytest.approx(of(names, golden["counting"]), abs=1e-12)
