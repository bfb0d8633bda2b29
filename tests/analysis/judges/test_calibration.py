import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmaker.analysis.judges.calibration import calibration_result
from benchmaker.analysis.judges.calibration_rating import (
    RATINGS,
    THRESHOLDS,
    interpret_calibration,
    rate,
)
from benchmaker.errors import NotEnoughData
from tests.analysis.calibrations import a_calibration, an_item, published

UNIT = st.floats(0, 1)
JUDGED = st.lists(st.tuples(UNIT, UNIT), min_size=4, max_size=40)


def three_levels(worth):
    return 0.0 if worth < 0.25 else 0.5 if worth < 0.75 else 1.0


@pytest.mark.parametrize(
    ("give", "rating", "pass_rate", "mae", "r"),
    [
        (lambda worth: float(worth >= 0.5), "Good", 0.75, 0.1, 0.949),
        (three_levels, "Good", 0.875, 0.0625, 0.992),
        (lambda worth: min(1, worth + 0.1), "Good", 0.875, None, None),
        (lambda worth: max(0, worth - 0.1), "Excellent", 1.0, None, None),
        (lambda _: 0.9, "Poor", 0.5, None, None),
    ],
    ids=["binary", "three levels", "a tenth more", "a tenth less", "constant"],
)
def test_judges_are_rated_as_published_on_the_published_samples(give, rating, pass_rate, mae, r):
    result = calibration_result(published(give))
    assert interpret_calibration(result).rating == rating
    assert result.summary.pass_rate == pass_rate
    if mae is not None:
        assert result.summary.mean_absolute_error == pytest.approx(mae)
        assert result.summary.correlation == pytest.approx(r, abs=5e-4)


def test_eight_samples_support_less_than_they_seem_to_say():
    said = interpret_calibration(calibration_result(published(lambda worth: float(worth >= 0.5))))
    assert said.rating == "Good"
    assert said.supported == "Poor"
    assert said.reasons


@given(JUDGED)
def test_figures_are_those_of_plain_arithmetic(pairs):
    items = [an_item(n, given, expected=worth) for n, (worth, given) in enumerate(pairs)]
    summary = calibration_result(a_calibration(*items)).summary
    errors = [given - worth for worth, given in pairs]
    assert summary.bias == pytest.approx(sum(errors) / len(errors), abs=1e-12)
    assert summary.mean_absolute_error == pytest.approx(sum(map(abs, errors)) / len(errors))
    assert summary.max_error == max(map(abs, errors))
    assert summary.passed_samples == sum(abs(error) <= 0.1 + 1e-9 for error in errors)
    assert summary.total_samples == summary.judged == len(pairs)


def test_intervals_are_those_of_scipy():
    generator = np.random.default_rng(5)
    worth, given = generator.random(30), generator.random(30)
    items = [an_item(n, g, expected=w) for n, (w, g) in enumerate(zip(worth, given, strict=True))]
    at = calibration_result(a_calibration(*items)).summary.intervals
    errors = np.abs(given - worth)
    t = stats.t.ppf(0.975, 29)
    for end in at.mean_absolute_error.interval:  # where Wilson's equation, matched to se, holds
        spread = end * (1 - end) / (errors.mean() * (1 - errors.mean()))
        away = abs(errors.mean() - end)
        assert away == pytest.approx(t * stats.sem(errors) * np.sqrt(spread))
    assert at.correlation.interval == pytest.approx(
        tuple(stats.pearsonr(worth, given).confidence_interval(0.95))
    )
    wilson = stats.binomtest(at.pass_rate.k, 30).proportion_ci(0.95, "wilson")
    assert at.pass_rate.interval == pytest.approx((wilson.low, wilson.high))


@given(JUDGED)
def test_the_supported_rating_is_never_better_than_the_published(pairs):
    items = [an_item(n, given, expected=worth) for n, (worth, given) in enumerate(pairs)]
    said = interpret_calibration(calibration_result(a_calibration(*items)))
    assert RATINGS.index(said.supported) >= RATINGS.index(said.rating)


@given(JUDGED, st.randoms(use_true_random=False))
def test_the_order_of_samples_changes_nothing(pairs, random):
    items = [an_item(n, given, expected=worth) for n, (worth, given) in enumerate(pairs)]
    mixed = random.sample(items, len(items))
    one, two = (calibration_result(a_calibration(*its)).summary for its in (items, mixed))
    assert one.bias == two.bias
    assert one.mean_absolute_error == two.mean_absolute_error


def test_a_failed_reply_has_not_passed_and_is_in_no_error():
    failed = an_item("lost", None, failures=("timed out",), expected=0.0)
    result = calibration_result(a_calibration(an_item("near", 0.55), failed))
    summary = result.summary
    assert (summary.passed_samples, summary.total_samples) == (1, 2)
    assert (summary.judged, summary.failed) == (1, 1)
    assert summary.bias == pytest.approx(0.05)
    assert [it.failure for it in result.failures] == ["timed out"]


def test_the_first_reply_counts_and_not_the_best():
    result = calibration_result(a_calibration(an_item("one", 0.9, 0.5, 0.5), repeats=3))
    assert result.summary.passed_samples == 0


def test_a_calibration_without_samples_has_no_result():
    with pytest.raises(NotEnoughData):
        calibration_result(a_calibration())


@pytest.mark.parametrize("it", THRESHOLDS)
def test_a_rating_takes_all_three_figures(it):
    figures = it.pass_rate, it.mean_absolute_error, it.correlation
    assert rate(*figures) == it.rating
    for worse in (
        (it.pass_rate - 0.01, *figures[1:]),
        (it.pass_rate, it.mean_absolute_error + 0.01, it.correlation),
        (*figures[:2], it.correlation - 0.01),
    ):
        assert RATINGS.index(rate(*worse)) > RATINGS.index(it.rating)


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([(0.2, 0.7), (0.5, 0.7), (0.9, 0.7)], "the judge gives every answer the same score"),
        ([(0.5, 0.2), (0.5, 0.7), (0.5, 0.9)], "all samples have the same expected score"),
        ([(0.2, 0.3), (0.9, 0.8)], "2 judged samples are too few for a correlation"),
    ],
    ids=["constant judge", "constant expectation", "few"],
)
def test_a_missing_correlation_has_its_own_reason(pairs, reason):
    items = [an_item(n, given, expected=worth) for n, (worth, given) in enumerate(pairs)]
    result = calibration_result(a_calibration(*items))
    assert result.summary.correlation is None
    assert any(it.startswith(reason) for it in interpret_calibration(result).warnings)


def test_a_missing_figure_is_poor():
    assert rate(1.0, None, None) == rate(1.0, 0.0, None) == "Poor"


def test_the_reliability_curve_holds_every_judged_sample():
    items = [an_item(n, n / 10, expected=1 - n / 10) for n in range(11)]
    curve = calibration_result(a_calibration(*items)).reliability
    assert sum(it.expected.n for it in curve) == 11
    assert [(it.low, it.expected.n) for it in curve] == [
        (0.0, 2), (0.2, 2), (0.4, 2), (0.6, 2), (0.8, 3),
    ]  # fmt: skip
    assert curve[0].given == pytest.approx(0.05)
    assert curve[0].expected.mean == pytest.approx(0.95)


def test_repeats_tell_how_far_a_judge_agrees_with_itself():
    rows = [(0.4, 0.5, 0.6), (0.9, 0.9, 0.9), (0.0, 0.3, 0.0), (1.0, 0.9, 0.95)]
    items = [an_item(n, *row, expected=row[0]) for n, row in enumerate(rows)]
    again = calibration_result(a_calibration(*items, repeats=3)).repeat_agreement
    table = np.array(rows)
    within = table.var(axis=1, ddof=1).mean()
    between = 3 * table.mean(axis=1).var(ddof=1)
    assert again.within_sd == pytest.approx(math.sqrt(within))
    assert again.one.value == pytest.approx((between - within) / (between + 2 * within))
    assert again.mean.value == pytest.approx((between - within) / between)
    assert again.flips.k == 2


def test_samples_with_a_failed_repeat_are_left_out_of_the_repeats():
    items = [an_item(n, n / 10, 0.1 + n / 10) for n in range(5)]
    lost = an_item("lost", 0.5, None)
    assert calibration_result(a_calibration(*items, lost)).repeat_agreement.left_out == 1


def test_one_reply_each_tells_nothing_of_repeats():
    assert calibration_result(published(lambda worth: worth)).repeat_agreement is None


def test_agreement_of_people_is_the_ceiling():
    items = [an_item(n, n / 10, expected=n / 10, ratings=(n / 10, n / 10, None)) for n in range(6)]
    ceiling = calibration_result(a_calibration(*items)).ceiling
    assert ceiling.people.value == pytest.approx(1.0)
    assert ceiling.judge.value == pytest.approx(1.0)
    assert calibration_result(published(lambda worth: worth)).ceiling is None
