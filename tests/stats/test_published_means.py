"""Figures that others published, from their own rows."""

import csv
import json

import numpy as np
import polars as pl
import pytest

from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.stats.means.hierarchy import two_level
from benchmaker.stats.means.means import weighted_mean
from benchmaker.stats.means.pass_at_k import pass_at_k, pass_hat_k

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def ranking(shared):
    return shared / "ranking"


@pytest.fixture(scope="module")
def expected(ranking):
    return json.loads((ranking / "expected.json").read_text(encoding="utf-8"))


def table(path):
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def by(frame, name):
    return {key[0]: part for key, part in frame.group_by(name)}


def test_alpaca_eval_win_rates_standard_errors_and_counts(ranking, expected):
    rows = by(pl.read_parquet(ranking / "alpaca_eval2_annotations.parquet"), "model")
    board = {row["model"]: row for row in table(ranking / "alpaca_eval2_leaderboard.csv")}
    assert len(rows) == len(board) == 29
    for model, part in rows.items():
        values, published = part["preference"].to_numpy() - 1, board[model]
        plain = weighted_mean(values)
        assert 100 * plain.mean == pytest.approx(float(published["win_rate"]), abs=1e-8)
        assert 100 * plain.se == pytest.approx(float(published["standard_error"]), abs=1e-8)
        assert int((values > 0.5).sum()) == int(published["n_wins"])
        assert int((values == 0.5).sum()) == int(published["n_draws"])
        assert int((values < 0.5).sum()) == int(published["n_wins_base"])
        assert plain.n == int(published["n_total"])
        clustered = weighted_mean(values, clusters=part["dataset"].to_list())
        want = expected["alpaca_eval2"][model]
        assert 100 * clustered.se == pytest.approx(want["se_cluster_dataset_CR1"], abs=1e-8)
        assert (clustered.clusters, clustered.warnings) == (5, ("only 5 clusters",))


def test_the_bounded_interval_of_every_alpaca_eval_model_stays_within_0_and_1(ranking):
    for part in by(pl.read_parquet(ranking / "alpaca_eval2_annotations.parquet"), "model").values():
        values = part["preference"].to_numpy() - 1
        got, plain = bounded_mean(values), weighted_mean(values)
        assert 0 < got.low < got.mean < got.high < 1
        assert got.high - got.low == pytest.approx(plain.high - plain.low, rel=0.05)


def test_terminal_bench_accuracies_of_all_runs(ranking):
    trials = pl.read_parquet(ranking / "terminal_bench_trials.parquet")
    runs = table(ranking / "terminal_bench_runs.csv")
    assert len(runs) == 26
    for run in runs:
        mine = trials.filter(submission=run["submission"])
        if mine["run"].n_unique() > 1:
            mine = mine.filter(run=run["run"])
        resolved = mine["is_resolved"].fill_null(value=False).to_numpy()
        got = weighted_mean(resolved)
        assert got.mean == float(run["accuracy"])
        assert int(resolved.sum()) == int(run["n_resolved"])
        assert got.n - int(resolved.sum()) == int(run["n_unresolved"])


def test_terminal_bench_errors_and_all_passes_at_and_hat_k(ranking, expected):
    trials = by(pl.read_parquet(ranking / "terminal_bench_trials.parquet"), "submission")
    compared = 0
    for submission, want in expected["terminal_bench"].items():
        part = trials[submission]
        tasks, resolved = part["task_id"].to_list(), part["is_resolved"].to_numpy()
        got = two_level(tasks, resolved)
        assert (got.mean, got.n, got.rows) == (want["accuracy"], want["tasks"], want["n"])
        assert got.se_general == pytest.approx(want["se_cluster_task_CR1"], abs=1e-12)
        clustered = weighted_mean(resolved, clusters=tasks)
        assert clustered.se == pytest.approx(want["se_cluster_task_CR1"], abs=1e-12)
        assert weighted_mean(resolved).se == pytest.approx(want["se_naive"], abs=1e-12)
        of_tasks = part.group_by("task_id").agg(pl.col("is_resolved").sum(), pl.len())
        c, n = of_tasks["is_resolved"].to_numpy(), of_tasks["len"].to_numpy()
        for k in want["pass_at_k"]:
            compared += 1
            assert pass_at_k(c, n, int(k)).mean == pytest.approx(want["pass_at_k"][k], abs=1e-15)
            assert pass_hat_k(c, n, int(k)).mean == pytest.approx(want["pass_hat_k"][k], abs=1e-15)
    assert compared == 24


def test_terminal_bench_pass_at_k_as_its_authors_print_it(ranking):
    runs = table(ranking / "terminal_bench_runs.csv")
    (run,) = (run for run in runs if json.loads(run["pass_at_k"]))
    trials = pl.read_parquet(ranking / "terminal_bench_trials.parquet")
    mine = trials.filter(submission=run["submission"])
    of_tasks = mine.group_by("task_id").agg(pl.col("is_resolved").sum())
    for k, share in json.loads(run["pass_at_k"]).items():
        got = pass_at_k(of_tasks["is_resolved"].to_numpy(), 5, int(k))
        assert got.mean == pytest.approx(share, abs=1e-15)


def test_repeat_noise_is_the_spread_over_runs_where_runs_are_named(ranking, expected):
    trials = by(pl.read_parquet(ranking / "terminal_bench_trials.parquet"), "submission")
    for submission, want in expected["terminal_bench"].items():
        if want["se_runs"] is None:
            continue
        part = trials[submission]
        runs = part.group_by("run").agg(pl.col("is_resolved").mean())["is_resolved"].to_numpy()
        assert weighted_mean(runs).se == pytest.approx(want["se_runs"], abs=1e-12)
        pooled = two_level(part["task_id"].to_list(), part["is_resolved"].to_numpy())
        assert 0.4 < want["se_runs"] / pooled.se_repeat < 2.1  # five runs against 320 freedoms


def test_wildbench_scores(ranking, expected):
    rows = by(pl.read_parquet(ranking / "wildbench_scores.parquet"), "model")
    for model, want in expected["wildbench"].items():
        got = weighted_mean(rows[model]["score"].to_numpy())
        assert (got.mean, got.se) == pytest.approx((want["score"], want["se"]), abs=1e-12)
        assert (got.mean - 5) * 2 == pytest.approx(want["adjusted"], abs=1e-12)
        assert got.n == want["n"]


@pytest.mark.parametrize("name", ["lcb_generation_2024_02_26", "lcb_repair"])
def test_live_code_bench_means_and_errors_by_question(ranking, expected, name):
    rows = by(pl.read_parquet(ranking / f"{name}.parquet"), "model")
    for model, want in expected[name].items():
        values = rows[model]["pass@1"].to_numpy().astype(np.float64)
        got = weighted_mean(values, clusters=rows[model]["question_id"].to_list())
        assert got.mean == pytest.approx(want["mean"], abs=1e-9)
        assert got.se == pytest.approx(want["se_cluster_question_CR1"], abs=1e-9)
        assert got.n == want["n"]
