from dataclasses import replace

import pytest
from hypothesis import given, settings

from benchmaker.analysis.boards.board import Rules
from benchmaker.analysis.boards.gaming import (
    SCHEMES,
    STRATEGIES,
    GamingResult,
    evaluate_gaming,
    generate_submissions,
)
from benchmaker.analysis.boards.profile_comparison import compare_profiles, discrimination
from benchmaker.analysis.composite.baseline_columns import classic_baselines, robust_baselines
from benchmaker.analysis.composite.composite_columns import (
    evaluate_classic_columns,
    evaluate_robust_columns,
    task_weights,
)
from benchmaker.errors import NotComparable
from benchmaker.record.submissions.metric_columns import MetricColumns
from tests.analysis.boards.test_leaderboard import FEW, a_table, board
from tests.analysis.composite.test_counting_figures import near_tie
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled


def classic(columns, **_):
    return evaluate_classic_columns(columns, classic_baselines(columns), task_weights(columns))


def robust(columns, **given_):
    baselines, weights = robust_baselines(columns), task_weights(columns)
    return evaluate_robust_columns(columns, baselines, weights, **given_)


def compared(rows, rules=FEW, **given_):
    columns = MetricColumns.of(rows)
    one, two = ("classic/1", classic(columns), rules), ("robust/1", robust(columns), rules)
    return compare_profiles(columns, one, two, draws=20, **given_)


def test_a_profile_agrees_with_itself():
    columns = MetricColumns.of(random_rows(1, 200))
    own = ("robust/1", robust(columns), FEW)
    found = compare_profiles(columns, own, own, draws=20)
    assert found.tau.value == pytest.approx(1)
    assert found.overlap.value == pytest.approx(1)
    assert (found.moves, found.only_a, found.only_b) == ((), (), ())
    assert found.a == replace(found.b)


@settings(max_examples=8, deadline=None)
@given(SEEDS, SEEDS)
def test_any_order_gives_the_same_comparison(seed, other):
    rows = random_rows(seed, 120)
    assert compared(rows) == compared(shuffled(rows, other))


def test_what_one_profile_cant_evaluate_is_named():
    rows = [
        a_row(n, system="abc"[n % 3], total_tokens=None if n % 3 == 0 else 10) for n in range(30)
    ]
    found = compared(rows)
    assert found.only_b == ("a",)
    assert found.tau is None
    assert "2 systems ranked by both" in found.reason


def test_discrimination_is_the_share_of_pairs_told_apart():
    rows = a_table(a=[[0.9, 0.95]] * 8, b=[[0.5, 0.52]] * 8, c=[[0.5, 0.51]] * 8)
    assert discrimination(board(rows, value="correctness")) == pytest.approx(2 / 3)
    assert discrimination(board(rows[:3], value="correctness")) is None


def test_a_clear_order_is_stable_under_other_tasks():
    rows = [
        a_row(
            10 * n + t,
            system="abcd"[n % 4],
            task_id=f"t{t}",
            correctness=1 - (n % 4) / 4,
            required_passed=False,
        )
        for n in range(8)
        for t in range(6)
    ]
    assert compared(rows).b.stability == pytest.approx(1)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_robust_keeps_every_strategy_below_the_median_of_the_real(strategy):
    rows = [
        a_row(
            100 * t + n,
            task_id=f"t{t}",
            success=n % 3 > 0,
            required_passed=n % 3 > 0,
            correctness=1.0 if n % 3 else 0.5,
        )
        for t in range(2)
        for n in range(30)
    ]
    found = [one for one in evaluate_gaming(rows, robust) if one.strategy == strategy]
    assert [one.task_id for one in found] == ["t0", "t1"]
    assert all(one.is_kept_below for one in found)


def test_classic_lets_a_fast_failure_climb():
    rows = [a_row(n) for n in range(30)]
    found = {one.strategy: one for one in evaluate_gaming(rows, classic)}
    assert not found["fast_fail"].is_kept_below
    assert found["fast_fail"].score > found["fast_fail"].bar


def test_a_median_of_zero_keeps_nobody_below_it():
    rows = [
        a_row(n, success=False, required_passed=False, correctness=0.0, task_id="t")
        for n in range(9)
    ]
    found = evaluate_gaming(rows, robust)

    assert {(one.score, one.bar, one.outcome) for one in found} == {(0.0, 0.0, "at_zero")}
    assert not any(one.is_kept_below for one in found)
    made = compared(rows, gamed=(found, ()))
    assert (made.a.kept_below, made.a.at_zero, made.a.gamed) == (0, 4, 4)
    assert (made.b.kept_below, made.b.at_zero, made.b.gamed) == (None, None, None)


@pytest.mark.parametrize(
    ("score", "median", "outcome"),
    [
        (None, None, "below"),
        (None, 0.0, "below"),
        (0.0, 0.1, "below"),
        (0.0, None, "no_median"),
        (5.0, 5.0, "not_below"),
        (0.1, 0.0, "not_below"),
    ],
)
def test_a_strategy_is_below_or_it_is_said_why_not(score, median, outcome):
    assert GamingResult("spam", "t", score, median).outcome == outcome


def test_spam_is_many_submissions_and_strategies_starve_what_they_say():
    rows = [a_row(n) for n in range(5)]
    assert len(generate_submissions("spam", rows)) == 20
    (starved,) = generate_submissions("token_starved", rows)
    assert starved.fresh_tokens == 5.0
    assert starved.seconds == 62.0
    assert generate_submissions("one_tool_call", rows)[0].tool_calls == 1


def test_composites_of_other_submissions_do_not_compare():
    columns = MetricColumns.of(random_rows(1, 20))
    own = ("a", robust(columns), FEW)
    with pytest.raises(NotComparable, match="different submissions"):
        compare_profiles(columns.take(columns.task == 0), own, own)


def test_a_comparison_is_plain_data_with_its_gaming():
    rows = random_rows(2, 150)
    found = compared(
        rows,
        gamed=(evaluate_gaming(rows, classic), evaluate_gaming(rows, robust)),
        rules=Rules(least_systems=2),
    )
    data = found.to_dict()["b"]
    assert data["gamed"] == (4 + 8) * 3
    assert {"strategy": "no_cost", "kept_below": 3, "tried": 3} in data["gaming"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_robust_lets_nobody_gain_by_figures_that_are_not_honest(scheme):
    rows = [a_row(100 * t + n, task_id=f"t{t}") for t in range(2) for n in range(30)]
    found = [one for one in evaluate_gaming(rows, robust) if one.strategy == scheme]
    assert [one.task_id for one in found] == ["t0", "t1"]
    assert all(one.is_kept_below for one in found)


@pytest.mark.parametrize("scheme", ["no_cost", "no_time", "zero_dollars", "absurd_figures"])
def test_the_earlier_rules_and_classic_let_figures_that_are_not_honest_pay(scheme):
    rows = [a_row(n) for n in range(30)]

    def earlier(columns, **_):
        baselines = robust_baselines(columns, ranked=None)
        return evaluate_robust_columns(columns, baselines, task_weights(columns))

    for profile in (earlier, classic):
        (found,) = [one for one in evaluate_gaming(rows, profile) if one.strategy == scheme]
        assert found.outcome == "not_below"
        assert found.score > found.bar


def test_a_scheme_that_gains_nothing_is_below():
    assert GamingResult("no_cost", "t", 50.0, 50.0).outcome == "below"
    assert GamingResult("no_cost", "t", 50.1, 50.0).outcome == "not_below"


def test_a_scheme_that_gains_a_rank_is_not_below():
    assert GamingResult("no_cost", "t", 50.0, 50.0, rank=3, rank_bar=4).outcome == "not_below"
    assert GamingResult("no_cost", "t", 50.0, 50.0, rank=4, rank_bar=4).outcome == "below"


def test_robust_gives_no_rank_to_a_verified_row_that_hides_a_bad_figure():
    found = [one for one in evaluate_gaming(near_tie(), robust) if one.strategy in SCHEMES]
    assert {one.strategy for one in found} == set(SCHEMES)
    assert all(one.is_kept_below for one in found)
    assert all(one.rank_bar for one in found)
