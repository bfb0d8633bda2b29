"""Paired comparisons that were computed elsewhere, from the published rows."""

import json

import polars as pl
import pytest

from benchmaker.stats.pairs.pair import head_to_head
from benchmaker.stats.pairs.paired import paired_t
from benchmaker.stats.pairs.pairs import all_pairs

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def ranking(shared):
    return shared / "ranking"


@pytest.fixture(scope="module")
def expected(ranking):
    return json.loads((ranking / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def alpaca(ranking):
    rows = pl.read_parquet(ranking / "alpaca_eval2_annotations.parquet")
    return rows.pivot(on="model", index="item", values="preference").sort("item")


@pytest.fixture(scope="module")
def tasks(ranking):
    rows = pl.read_parquet(ranking / "terminal_bench_trials.parquet")
    means = rows.group_by("submission", "task_id").agg(
        pl.col("is_resolved").fill_null(value=False).mean()
    )
    return means.pivot(on="submission", index="task_id", values="is_resolved").sort("task_id")


def test_alpaca_eval_pairs(alpaca, expected):
    for names, want in expected["alpaca_eval2_paired"].items():
        a, b = (alpaca[name].to_numpy() for name in names.split(" | "))
        got = paired_t(a, b)
        assert got.n == want["n"]
        assert (got.diff, got.se, got.t) == pytest.approx(
            (want["diff"], want["se_paired"], want["t"]), rel=1e-8
        )
        assert got.p_value == pytest.approx(want["p"], rel=1e-8)


def test_terminal_bench_pairs(tasks, expected):
    for names, want in expected["terminal_bench_paired"].items():
        a, b = (tasks[name].to_numpy() for name in names.split(" | "))
        got = paired_t(a, b)
        assert got.clusters == want["tasks"]
        assert got.diff == pytest.approx(want["diff"], abs=1e-12)
        assert got.se == pytest.approx(want["se_paired_task"], rel=1e-8)
        assert got.p_value == pytest.approx(want["p"], rel=1e-8)
        assert head_to_head(a, b).test == "t"


def test_terminal_bench_trials_clustered_by_task_give_the_same(ranking, expected):
    rows = pl.read_parquet(ranking / "terminal_bench_trials.parquet").with_columns(
        pl.col("is_resolved").fill_null(value=False).cast(pl.Float64),
        place=pl.int_range(pl.len()).over("submission", "task_id"),
    )
    wide = rows.pivot(on="submission", index=["task_id", "place"], values="is_resolved")
    assert wide.null_count().sum_horizontal().item() == 0
    for names, want in expected["terminal_bench_paired"].items():
        a, b = (wide[name].to_numpy() for name in names.split(" | "))
        got = paired_t(a, b, clusters=wide["task_id"].to_list())
        assert got.diff == pytest.approx(want["diff"], abs=1e-12)
        assert got.se == pytest.approx(want["se_paired_task"], rel=1e-8)


def test_terminal_bench_letters_part_what_holm_parts(tasks):
    names = [name for name in tasks.columns if name != "task_id"]
    got = all_pairs(tasks.select(names).to_numpy(), names=names)
    apart = [one for one in got.pairs if one.is_apart]
    assert got.names[0] == "20250923_droid_claude-4-sonnet"
    assert got.names[-1] == "20250825_swe-agent-mini_claude-4-sonnet"
    assert (len(got.pairs), len(apart)) == (15, 7)
    assert got.letters == ("a", "a", "ab", "ab", "b", "c")
