import pytest

from benchmaker.analysis import columns_of, multi_run_stats


def test_each_run_has_its_score_and_the_interval_is_over_runs(a_trial):
    trials = [a_trial(0, s, run=r) for r, s in (("r1", 0.5), ("r2", 0.7), ("r3", 0.6))]
    got = multi_run_stats(trials)["m"]
    assert (got.run_ids, got.scores, got.model_id) == (("r1", "r2", "r3"), (0.5, 0.7, 0.6), "m")
    assert got.mean == pytest.approx(0.6)
    assert got.std_dev == pytest.approx(0.1)
    assert (got.min, got.max) == (0.5, 0.7)
    half = 4.302652729911275 * 0.1 / 3**0.5  # t with 2 degrees of freedom, published tables
    assert got.confidence95 == pytest.approx((0.6 - half, 0.6 + half))


def test_a_run_in_which_nothing_is_scored_is_left_out_by_name(a_trial):
    trials = [a_trial(0, 0.5), a_trial(0, None, run="r2"), a_trial(0, 1.0, run="r3")]
    got = multi_run_stats(trials)["m"]
    assert (got.run_ids, got.scores) == (("r1", "r3"), (0.5, 1.0))


def test_every_run_counts_with_the_same_cases(a_trial):
    easy, hard = 1.0, 0.0
    trials = [a_trial(at, s, run="r1") for at, s in enumerate((easy, easy, hard, hard))]
    trials += [a_trial(at, s, run="r2") for at, s in enumerate((easy, easy, hard, None))]
    got = multi_run_stats(trials)["m"]
    assert got.scores == pytest.approx((2 / 3, 2 / 3))
    assert (got.std_dev, got.n_cases, got.left_out) == (0.0, 3, ())


def test_a_run_with_few_scores_does_not_take_their_cases_from_the_others(a_trial):
    trials = [a_trial(at, 0.25 * at, run=run) for run in ("r1", "r2") for at in range(5)]
    trials += [a_trial(0, 0.0, run="r3")]
    got = multi_run_stats(trials)["m"]
    assert (got.run_ids, got.n_cases, got.left_out) == (("r1", "r2"), 5, ("r3",))


def test_one_run_has_no_interval_and_says_why(a_trial):
    got = multi_run_stats([a_trial(0, 0.5)])["m"]
    assert (got.std_dev, got.confidence95) == (None, None)
    assert got.reason == "1 run, at least 2 are needed"


def test_equal_runs_have_no_interval_and_say_why(a_trial):
    got = multi_run_stats([a_trial(0, 0.5), a_trial(0, 0.5, run="r2")])["m"]
    assert (got.std_dev, got.confidence95, got.reason) == (0.0, None, "all 2 runs are equal")


def test_weights_and_subset_come_from_the_given_cases(a_trial):
    trials = [
        a_trial(at, s, run=r)
        for r, scores in (("r1", (1.0, 0.0, 1.0)), ("r2", (0.0, 1.0, 1.0)))
        for at, s in enumerate(scores)
    ]
    assert multi_run_stats(trials, {"c0": 3.0, "c1": 1.0})["m"].scores == (0.75, 0.25)


def test_results_of_runs_may_be_given_one_by_one(a_trial):
    one, two = columns_of([a_trial(0, 0.25)]), columns_of([a_trial(0, 0.75, run="r2")])
    assert multi_run_stats([one, two])["m"].scores == (0.25, 0.75)


def test_a_model_of_which_nothing_is_scored_is_listed(a_trial):
    got = multi_run_stats([a_trial(0, None)])["m"]
    assert (got.mean, got.scores, got.reason) == (None, (), "no scores")
