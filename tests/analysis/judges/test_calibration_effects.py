import pytest

from benchmaker.analysis.judges.calibration import calibration_result
from benchmaker.analysis.judges.calibration_rating import interpret_calibration
from tests.analysis.calibrations import a_calibration, an_item


def result_of(*items, **fields):
    return calibration_result(a_calibration(*items, **fields))


def test_the_effect_of_length_is_the_twins_less_the_samples():
    result = result_of(
        an_item("a", 0.5),
        an_item("b", 0.2),
        an_item("aa", 0.8, role="doubled", of="a"),
        an_item("bb", 0.3, role="doubled", of="b"),
    )
    assert result.verbosity.mean.mean == pytest.approx(0.2)
    assert result.verbosity.moved.k == 1


def test_the_effect_of_an_injection_is_the_sample_less_its_clean_twin():
    result = result_of(an_item("a", 1.0), an_item("a-clean", 0.4, role="clean", of="a"))
    assert result.injection.mean.mean == pytest.approx(0.6)
    assert (result.injection.moved.k, result.injection.moved.n) == (1, 1)
    assert any("raised a score" in it for it in interpret_calibration(result).warnings)


def test_without_twins_there_is_no_effect_and_a_reason():
    result = result_of(an_item("a", 0.5))
    assert result.verbosity.mean is None
    assert result.verbosity.reason == "there are no twins"


def test_a_twin_that_was_not_judged_tells_nothing():
    result = result_of(an_item("a", 0.5), an_item("aa", None, role="doubled", of="a"))
    assert result.verbosity.reason == "no twins were both judged"


@pytest.mark.parametrize(
    ("units", "first", "flips"),
    [((1.0, 0.0), 0.5, 1), ((0.0, 1.0), -0.5, 1), ((1.0, 1.0), 0.0, 0), ((0.5, 0.5), 0.0, 0)],
    ids=["always the first", "always the second", "the better one", "always a tie"],
)
def test_what_being_shown_first_is_worth(units, first, flips):
    pairs = [an_item(n, *units, role="pair") for n in range(3)]
    place = result_of(an_item("a", 0.5), *pairs).position
    assert place.first.mean == first
    assert place.flips.k == 3 * flips


def test_a_pair_without_both_orders_is_left_out():
    pairs = [an_item("p", 1.0, None, role="pair"), an_item("q", 1.0, 1.0, role="pair")]
    place = result_of(an_item("a", 0.5), *pairs).position
    assert (place.first.n, place.left_out) == (1, 1)


def test_self_preference_is_the_error_on_own_answers_less_that_on_others():
    own = [an_item(f"o{n}", 0.7 + n / 100, author="judge") for n in range(3)]
    others = [an_item(f"x{n}", 0.5 + n / 100, author="other") for n in range(3)]
    found = result_of(*own, *others).self_preference
    assert found.difference.diff == pytest.approx(0.2)
    assert (found.own, found.others) == (3, 3)


def test_self_preference_needs_authors():
    found = result_of(an_item("a", 0.5)).self_preference
    assert found.difference is None
    assert found.reason


def test_answers_that_say_nothing_are_counted_where_they_were_rewarded():
    null = [an_item(n, units, role="null") for n, units in enumerate((0.0, 0.1, 0.9, None))]
    result = result_of(an_item("a", 0.5), *null)
    assert (result.nulls.rewarded.k, result.nulls.rewarded.n) == (1, 3)
    assert (result.nulls.highest, result.nulls.worst, result.nulls.failed) == (0.9, "2", 1)


def test_a_judge_that_gives_more_than_before_has_drifted():
    before = a_calibration(*(an_item(n, 0.4 + n / 100) for n in range(10)))
    now = a_calibration(*(an_item(n, 0.5 + n / 90) for n in range(10)))
    found = calibration_result(now, before=before).drift
    assert found.has_drifted
    assert found.bias.mean == pytest.approx(sum(0.1 + n / 90 - n / 100 for n in range(10)) / 10)
    assert found.since == before.created_at


def test_the_same_scores_are_no_drift():
    made = a_calibration(*(an_item(n, n / 10) for n in range(10)))
    assert not calibration_result(made, before=made).drift.has_drifted


def test_changes_both_ways_are_no_drift():
    before = a_calibration(*(an_item(n, 0.5) for n in range(10)))
    now = a_calibration(*(an_item(n, 0.5 + (-1) ** n / 10) for n in range(10)))
    assert not calibration_result(now, before=before).drift.has_drifted


def test_samples_that_failed_in_one_of_both_are_left_out():
    before = a_calibration(an_item("a", 0.5), an_item("b", None))
    now = a_calibration(an_item("a", 0.5), an_item("b", 0.5))
    assert calibration_result(now, before=before).drift.left_out == 1
