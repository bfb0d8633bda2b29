import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis import aggregate_scores, detailed_aggregate_scores
from benchmaker.record import Outcome

SCORE = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 1.0]))


def test_the_mean_is_weighted(a_trial):
    trials = [a_trial(0, 1.0, weight=3.0), a_trial(1, 0.0)]
    assert aggregate_scores(trials) == {"m": 0.75}


def test_unscored_trials_are_not_zeros(a_trial):
    assert aggregate_scores([a_trial(0, 1.0), a_trial(1, None)]) == {"m": 1.0}


def test_what_the_model_did_counts_with_the_score_its_policy_gave(a_trial):
    refused = a_trial(1, 0.0, outcome=Outcome.REFUSED)
    assert aggregate_scores([a_trial(0, 1.0), refused]) == {"m": 0.5}


def test_a_model_of_which_nothing_is_scored_has_no_mean(a_trial):
    trials = [a_trial(0, 1.0), a_trial(0, None, model="mute")]
    assert aggregate_scores(trials) == {"m": 1.0, "mute": None}
    mute = detailed_aggregate_scores(trials)["mute"]
    assert (mute.mean, mute.count, mute.reason) == (None, 0, "no scores")


def test_given_cases_change_subset_and_weights_without_a_new_run(a_trial):
    trials = [a_trial(0, 1.0), a_trial(1, 0.0), a_trial(2, 0.5)]
    assert aggregate_scores(trials, {"c0": 1.0, "c1": 3.0}) == {"m": 0.25}


def test_the_details_of_a_weighted_example(a_trial):
    trials = [a_trial(0, 1.0), a_trial(1, 0.0), a_trial(2, 1.0, weight=2.0)]
    got = detailed_aggregate_scores(trials)["m"]
    assert (got.mean, got.min, got.max, got.count, got.total_weight) == (0.75, 0, 1, 3, 4)
    assert got.std_dev == pytest.approx((3 / 2 * 0.75 / 4) ** 0.5)
    half = 4.302652729911275 * (1.5 * (0.0625 + 0.5625 + 0.25)) ** 0.5 / 4
    assert got.confidence95 == pytest.approx((0.75 - half, 0.75 + half))


def test_cases_of_weight_zero_count_in_nothing(a_trial):
    got = detailed_aggregate_scores([a_trial(0, 1.0), a_trial(1, 0.0, weight=0.0)])["m"]
    assert (got.mean, got.min, got.count) == (1.0, 1.0, 1)


def test_equal_scores_have_no_interval_and_say_so(a_trial):
    got = detailed_aggregate_scores([a_trial(0, 1.0), a_trial(1, 1.0)])["m"]
    assert (got.std_dev, got.confidence95) == (0.0, None)
    assert got.reason == "all 2 values are equal"


def test_one_case_has_no_interval_and_is_called_a_case(a_trial):
    got = detailed_aggregate_scores([a_trial(0, 1.0)])["m"]
    assert (got.confidence95, got.reason) == (None, "1 scored case, at least 2 are needed")


def test_over_several_runs_a_case_counts_with_its_mean(a_trial):
    trials = [a_trial(0, 1.0), a_trial(0, 0.0, run="r2"), a_trial(1, 1.0)]
    got = detailed_aggregate_scores(trials)["m"]
    assert (got.mean, got.count) == (0.75, 2)


@given(
    st.lists(st.tuples(SCORE, st.integers(0, 4)), min_size=1, max_size=20),
    st.randoms(use_true_random=False),
)
def test_agrees_with_the_slow_road_in_any_order(a_trial, rows, shuffler):
    trials = [a_trial(at, score, weight=float(w)) for at, (score, w) in enumerate(rows)]
    counted = [(score, w) for score, w in rows if score is not None and w > 0]
    total = sum(w for _, w in counted)
    mean = sum(score * w for score, w in counted) / total if counted else None
    got = aggregate_scores(trials)["m"]
    assert got == (mean if mean is None else pytest.approx(mean, abs=1e-12))
    shuffler.shuffle(trials)
    assert aggregate_scores(trials)["m"] == got
