import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.analysis.boards.bias import (
    analyse_bias,
    baseline_influence,
    fisher,
    missing_figures,
    residuals,
    self_reported_gaps,
)
from benchmaker.analysis.composite.baseline_columns import robust_baselines
from benchmaker.analysis.composite.composite_columns import evaluate_robust_columns, task_weights
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.submission import EvidenceLevel
from tests.analysis.boards.test_leaderboard import made
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled


def evaluate(baseline, columns):
    return evaluate_robust_columns(columns, robust_baselines(baseline), task_weights(columns))


def tools(lift, tasks=12, each=6):
    """Three tools on many tasks; the first is ``lift`` points of correctness above the others."""
    draw = np.random.default_rng(4)
    rows = []
    for task in range(tasks):
        for number in range(each * 3):
            tool = "abc"[number % 3]
            share = np.clip(0.5 + draw.normal(0, 0.05) + lift * (tool == "a"), 0, 1)
            rows.append(
                a_row(
                    len(rows),
                    task_id=f"t{task:02d}",
                    tool=tool,
                    system=tool,
                    correctness=float(share),
                    required_passed=False,
                )
            )
    return rows


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12), st.integers(1, 12))
def test_fishers_test_equals_scipys(hits, more, other, others_more):
    n, m = hits + more, other + others_more
    expected = oracle.fisher_exact([[hits, more], [other, others_more]]).pvalue
    assert fisher(hits, n, other, m) == pytest.approx(expected, rel=1e-9)


def test_a_favoured_tool_is_flagged_and_equal_ones_are_not():
    found = {one.tool: one for one in residuals(*made(tools(0.3), "robust"))}
    assert found["a"].is_flagged
    assert found["a"].low < 7.5 < found["a"].high
    assert (found["a"].strata, found["a"].tasks) == (12, 12)
    assert not any(one.is_flagged for one in residuals(*made(tools(0.0), "robust")))


@settings(deadline=None, max_examples=10)
@given(SEEDS)
def test_no_interval_leaves_its_scale_and_none_is_flagged_against_it(seed):
    columns, composites = made(random_rows(seed, 120), "robust")
    gaps = self_reported_gaps(columns)
    bounded = [
        *((one, one.points, 100.0) for one in residuals(columns, composites)),
        *((one, one.gap, 1.0) for one in gaps if one.figure == "correctness"),
    ]
    for one, value, most in bounded:
        if one.low is not None:
            assert -most <= one.low <= value <= one.high <= most
    for one in (*residuals(columns, composites), *gaps):
        assert not one.is_flagged or not one.low <= 0.0 <= one.high


def test_a_difference_over_two_tasks_stays_within_100_points():
    rows = [
        a_row(n, task_id=f"t{n % 2}", tool="ab"[n // 2 % 2], system="ab"[n // 2 % 2],
              correctness=share, required_passed=False)
        for n, share in enumerate([1.0, 0.9, 0.0, 0.4] * 5)
    ]  # fmt: skip
    found = {one.tool: one for one in residuals(*made(rows, "robust"))}
    assert -100.0 <= found["a"].low < found["a"].points < found["a"].high <= 100.0


def test_residuals_equal_the_plain_mean_over_strata():
    columns, composites = made(tools(0.2), "robust")
    found = {one.tool: one.points for one in residuals(columns, composites)}
    for tool in "abc":
        away, weights = [], []
        for task in range(12):
            own = [
                s
                for r, s in zip(columns.rows(), composites.overall, strict=True)
                if r.task_id == f"t{task:02d}" and r.tool == tool
            ]
            rest = [
                s
                for r, s in zip(columns.rows(), composites.overall, strict=True)
                if r.task_id == f"t{task:02d}" and r.tool != tool
            ]
            away.append(np.mean(own) - np.mean(rest))
            weights.append(len(own) * len(rest) / (len(own) + len(rest)))
        assert found[tool] == pytest.approx(np.average(away, weights=weights))


def test_a_tool_alone_at_its_tasks_cant_be_matched():
    columns, composites = made([a_row(n) for n in range(20)], "robust")
    (found,) = residuals(columns, composites)
    assert (found.points, found.is_flagged) == (None, False)
    assert "5 are needed" in found.reason


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([0], "1 matched task, at least 2 are needed"),
        ([0, 1], "all 2 differences are equal"),
    ],
)
def test_why_a_difference_has_no_interval_is_said_of_tasks(tasks, expected):
    rows = [
        a_row(n, task_id=f"t{tasks[n % len(tasks)]}", tool="ab"[n // 20], system="ab"[n // 20],
              correctness=0.5, required_passed=False)
        for n in range(40)
    ]  # fmt: skip
    found = residuals(*made(rows, "robust"))
    assert [(one.points, one.low, one.reason) for one in found] == [(0.0, None, expected)] * 2


def test_two_outcomes_of_one_task_are_one_task():
    rows = [
        a_row(n, tool="ab"[n // 20], system="ab"[n // 20], success=n % 2 == 0,
              required_passed=n % 2 == 0, correctness=n / 40)
        for n in range(40)
    ]  # fmt: skip
    found = residuals(*made(rows, "robust"))
    assert {one.reason for one in found} == {"1 matched task, at least 2 are needed"}


def test_a_tool_that_reports_no_tokens_is_flagged():
    rows = [a_row(n, tool="ab"[n % 2], fresh_tokens=None if n % 2 else 50) for n in range(40)]
    found = {(one.tool, one.figure): one for one in missing_figures(MetricColumns.of(rows))}
    assert found["b", "tokens"].is_flagged
    assert found["b", "tokens"].share.share == 1.0
    assert not found["b", "cost"].is_flagged


def test_self_reported_figures_are_compared_within_tool_and_task():
    rows = []
    for n in range(60):
        boasts = n % 2 == 1
        level = EvidenceLevel.SELF_REPORTED if boasts else EvidenceLevel.VERIFIED
        rows.append(
            a_row(
                n,
                task_id=f"t{n % 10}",
                seconds=(50.0 if boasts else 100.0) * (1 + n / 1000),
                evidence_level=level,
            )
        )
    columns = MetricColumns.of(rows)
    found = {one.figure: one for one in self_reported_gaps(columns)}
    assert found["seconds"].gap is None  # tasks are all of one kind here
    rows = [
        r
        for n in range(60)
        for r in (
            a_row(n, task_id=f"t{n % 10}", seconds=100.0 + n),
            a_row(
                100 + n,
                task_id=f"t{n % 10}",
                seconds=50.0 + n / 2,
                evidence_level=EvidenceLevel.SELF_REPORTED,
            ),
        )
    ]
    found = {one.figure: one for one in self_reported_gaps(MetricColumns.of(rows))}
    assert found["seconds"].gap == pytest.approx(-np.log(2), abs=1e-9)
    assert found["iterations"].p_value is None or not found["iterations"].is_flagged


def test_a_system_that_sets_the_baseline_moves_others_when_it_leaves():
    columns = MetricColumns.of(random_rows(7, 300))
    found = baseline_influence(columns, evaluate)
    assert {one.system for one in found} <= set(columns.systems)
    assert all(one.largest >= 0 for one in found)


def test_leaving_failures_out_of_the_baseline_changes_nobody():
    failing = [
        a_row(300 + n, system="z", success=False, required_passed=False, correctness=0.1)
        for n in range(6)
    ]
    rows = [a_row(n, system="abc"[n % 3]) for n in range(30)] + failing
    found = {one.system: one for one in baseline_influence(MetricColumns.of(rows), evaluate)}
    assert (found["z"].largest, found["z"].moved) == (0, ())


@settings(max_examples=8, deadline=None)
@given(SEEDS, SEEDS)
def test_any_order_gives_the_same_report(seed, other):
    rows = random_rows(seed, 100)
    reports = []
    for each in (rows, shuffled(rows, other)):
        columns = MetricColumns.of(each)
        reports.append(analyse_bias(columns, evaluate(columns, columns), evaluate=evaluate))
    assert reports[0] == reports[1]


def test_flags_are_words():
    columns, composites = made(tools(0.3), "robust")
    flags = analyse_bias(columns, composites).flags
    assert any(flag.startswith("a scores 7.") for flag in flags)


def test_tokens_that_totals_do_not_tell_apart_are_not_just_missing():
    rows = [a_row(n, tool="ab"[n % 2], fresh_tokens=None if n % 2 else 5e3) for n in range(40)]
    found = {(one.tool, one.figure): one for one in missing_figures(MetricColumns.of(rows))}
    assert "total_tokens does not separate fresh tokens" in found["b", "tokens"].reason
    assert found["a", "tokens"].reason == found["b", "cost"].reason == ""
    totals = missing_figures(MetricColumns.of(rows), tokens="total")
    assert {one.reason for one in totals} == {""}
