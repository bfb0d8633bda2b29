import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.analysis.composite.outliers import (
    identical_figures,
    modified_z,
    published_outliers,
    robust_outliers,
)
from benchmaker.arenas.agentic import classic
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.submission import EvidenceLevel
from tests.analysis.composite.test_baselines import as_published
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled
from tests.draws import draws

USUAL = [a_row(n) for n in range(30)]


@settings(max_examples=draws(15, 30), deadline=None)
@given(SEEDS)
def test_published_outliers_are_those_of_the_published_function(seed):
    rows = [
        row
        for row in random_rows(seed, 60, tasks=("t1",))
        if row.total_tokens is not None and row.seconds is not None
    ]
    expected = classic.detect_outliers(
        [{"id": row.submission_id, **as_published(row)} for row in rows]
    )
    found = {
        one.submission_id: list(one.flags) for one in published_outliers(MetricColumns.of(rows))
    }
    assert found == {one["submission_id"]: one["flags"] for one in expected}


def test_a_missing_time_is_not_fast():
    rows = [a_row(n, total_tokens=1_000.0) for n in range(5)]
    rows.append(a_row(9, total_tokens=1_000.0, seconds=None, tool_calls=1))
    assert published_outliers(MetricColumns.of(rows)) == ()
    rows.append(a_row(8, total_tokens=1_000.0, seconds=1.0, tool_calls=1))
    (found,) = published_outliers(MetricColumns.of(rows))
    assert found.flags == ("extremely_fast", "minimal_tool_usage")


@settings(max_examples=draws(12, 20), deadline=None)
@given(SEEDS, SEEDS)
def test_any_order_finds_the_same(seed, other):
    rows = random_rows(seed, 90)
    assert robust_outliers(MetricColumns.of(rows)) == robust_outliers(
        MetricColumns.of(shuffled(rows, other))
    )
    assert published_outliers(MetricColumns.of(rows)) == published_outliers(
        MetricColumns.of(shuffled(rows, other))
    )


@given(st.lists(st.floats(0.1, 100), min_size=10))
def test_z_equals_scipys_median_deviation(values):
    usual = np.array(values)
    spread = oracle.median_abs_deviation(usual, scale="normal")
    if spread > 1e-9:
        assert modified_z(usual, usual) == pytest.approx((usual - np.median(usual)) / spread)


@pytest.mark.parametrize(("factor", "word"), [(1e-4, "low"), (1e4, "high")])
def test_two_figures_far_off_at_either_end_are_suspicious(factor, word):
    odd = a_row(99, fresh_tokens=600 * factor, seconds=70 * factor)
    (found,) = robust_outliers(MetricColumns.of([*USUAL, odd]))
    assert found.submission_id == odd.submission_id
    assert found.flags == (f"tokens_{word}", f"seconds_{word}")
    assert all(abs(sign.z) > 3.5 for sign in found.signs)


def test_one_figure_far_off_or_missing_ones_are_not():
    odd = [
        a_row(98, seconds=0.01, fresh_tokens=650, cost=0.02),
        a_row(97, seconds=None, cost=None, fresh_tokens=None),
    ]
    assert robust_outliers(MetricColumns.of([*USUAL, *odd])) == ()


def test_what_is_usual_is_said_by_the_task_and_not_by_self_reported_rows():
    other = [a_row(200 + n, task_id="t2", fresh_tokens=1e6 + n, seconds=1e5 + n) for n in range(30)]
    boast = [
        a_row(300 + n, fresh_tokens=1, seconds=0.01, evidence_level=EvidenceLevel.SELF_REPORTED)
        for n in range(60)
    ]
    found = robust_outliers(MetricColumns.of([*USUAL, *other, *boast]))
    assert {one.submission_id for one in found} == {row.submission_id for row in boast}


def test_where_all_are_self_reported_they_say_what_is_usual():
    reported = {"evidence_level": EvidenceLevel.SELF_REPORTED}
    rows = [a_row(n, **reported) for n in range(30)]
    odd = a_row(99, fresh_tokens=600, seconds=0.1, cost=1e-5, **reported)
    (found,) = robust_outliers(MetricColumns.of([*rows, odd]))
    assert found.flags == ("seconds_low", "cost_low")


def test_self_reported_rows_cast_no_doubt_on_others():
    reported = [a_row(n, evidence_level=EvidenceLevel.SELF_REPORTED) for n in range(30)]
    odd = a_row(99, fresh_tokens=1e9, seconds=1e6)
    assert robust_outliers(MetricColumns.of([*reported, odd])) == ()


def test_a_task_with_few_rows_cant_say():
    assert (
        robust_outliers(MetricColumns.of([*USUAL[:8], a_row(99, fresh_tokens=1e9, seconds=1e6)]))
        == ()
    )


def test_equal_values_leave_no_spread():
    assert np.isnan(modified_z(np.array([1.0, 2.0]), np.ones(5))).all()


def test_identical_figures_of_one_submitter_are_found():
    twins = [
        a_row(1),
        a_row(
            2,
            **{
                k: getattr(a_row(1), k)
                for k in ("total_tokens", "tool_calls", "iterations", "seconds", "cost")
            },
        ),
    ]
    assert identical_figures(MetricColumns.of([*twins, a_row(3)])) == (("s0001", "s0002"),)
