import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis.judges.run_calibrations import (
    JudgeStatus,
    RunCalibration,
    concordant_samples,
    newer_than,
    panel_shares,
)
from benchmaker.scoring.judged.panel import log_odds_weight
from tests.analysis.calibrations import a_calibration, an_item, published

units = st.one_of(st.none(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))


def of_pairs(pairs):
    return a_calibration(
        *(an_item(at, unit, expected=worth) for at, (worth, unit) in enumerate(pairs))
    )


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.4, 1.0]), units), min_size=1, max_size=12))
def test_ordering_is_what_counting_all_pairs_gives(pairs):
    got, number = 0.0, 0
    for worth, unit in pairs:
        for other, low in pairs:
            if worth > other:
                number += 1
                same = unit is None or low is None or unit == low
                got += 0.5 if same else float(unit > low)
    found = concordant_samples(of_pairs(pairs))
    assert found == (pytest.approx(len(pairs) * got / number) if number else None)


def test_a_perfect_judge_orders_everything_and_a_constant_or_failing_one_nothing():
    assert concordant_samples(published(lambda worth: worth)) == 8
    assert concordant_samples(published(lambda _: 0.7)) == 4
    assert concordant_samples(published(lambda _: None)) == 4
    assert concordant_samples(published(lambda worth: 1 - worth)) == 0


def test_the_weight_of_a_judge_is_that_of_what_it_ordered():
    basis = RunCalibration.of(published(lambda worth: worth))
    assert basis.weight == log_odds_weight(8, 8) > 2
    assert RunCalibration.of(published(lambda _: 0.7)).weight == 0
    assert basis.rating == "Excellent"
    assert basis.supported == "Fair"


def test_a_ground_is_read_back_as_it_was_recorded():
    basis = RunCalibration.of(published(lambda worth: worth))
    assert RunCalibration.read(basis.to_dict()) == basis
    assert RunCalibration.read({**basis.to_dict(), "later": 1}) == basis


def test_shares_sum_to_one_and_are_missing_where_one_judge_has_none():
    assert panel_shares(("a", "b"), {"a": 3.0, "b": 1.0}) == {"a": 0.75, "b": 0.25}
    assert panel_shares(("a", "b"), {"a": 3.0}) == {}
    assert panel_shares(("a",), {"a": 0.0}) == {}


def calibrated(name, give, *, date="2026-01-02T00:00:00Z", **fields):
    made = published(give)
    return a_calibration(*made.items, id=name, created_at=date, **fields)


def test_a_newer_calibration_tells_the_drift_on_the_same_samples():
    old = calibrated("c-1", lambda worth: worth)
    new = calibrated("c-2", lambda worth: 0.5 * worth, date="2026-02-02T00:00:00Z")
    basis = RunCalibration.of(old)
    assert newer_than(basis, [old]) is None
    found = newer_than(basis, [new, old])
    assert found.drift.has_drifted
    assert found.to_dict()["bias_change"] == pytest.approx(-0.25)
    other = calibrated("c-3", lambda worth: worth, samples_hash="other")
    assert newer_than(basis, [other, old]).drift is None


def test_a_calibration_of_another_store_is_outdated_by_later_ones_alone():
    basis = RunCalibration.of(calibrated("c-1", lambda worth: worth))
    earlier = calibrated("c-0", lambda worth: worth, date="2026-01-01T00:00:00Z")
    later = calibrated("c-2", lambda worth: worth, date="2026-03-01T00:00:00Z")
    assert newer_than(basis, [earlier]) is None
    assert newer_than(basis, [later, earlier]).drift is None


def test_a_judge_that_replies_as_another_version_is_not_the_calibrated_one():
    basis = RunCalibration.of(calibrated("c-1", lambda worth: worth, judge_version="gpt-1"))
    assert JudgeStatus("j", basis, replied_as="gpt-1").is_calibrated
    assert JudgeStatus("j", basis).is_calibrated
    assert not JudgeStatus("j", basis, replied_as="gpt-2").is_calibrated
