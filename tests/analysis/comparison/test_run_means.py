import math

import pytest
from scipy import stats as oracle

from benchmaker.analysis import columns_of
from benchmaker.analysis.comparison.run_means import compare_models, interpret_effect
from benchmaker.errors import NotComparable, NotEnoughData, SpecError


@pytest.fixture
def runs(a_trial):
    """Trials of one case per run and model, out of {model: [score per run]}."""

    def make(scores, **more):
        return [
            a_trial(0, score, model=model, run=f"r{at}", **more)
            for model, row in scores.items()
            for at, score in enumerate(row, 1)
        ]

    return make


def test_every_published_field_is_students_two_sample_t_on_run_means(runs):
    a, b = [0.81, 0.85, 0.84], [0.78, 0.8, 0.76, 0.79]
    got = compare_models(runs({"a": a, "b": b}), "a", "b")
    want = oracle.ttest_ind(a, b)
    assert (got.model_a, got.model_b) == ("a", "b")
    assert (got.mean_a, got.mean_b) == pytest.approx((0.83333333, 0.7825))
    assert got.score_diff == pytest.approx(got.mean_a - got.mean_b)
    assert (got.t_statistic, got.p_value) == pytest.approx((want.statistic, want.pvalue))
    assert got.pooled_std_err == pytest.approx(got.score_diff / got.t_statistic)
    spread = got.pooled_std_err / math.sqrt(1 / 3 + 1 / 4)
    assert got.effect_size == pytest.approx(got.score_diff / spread)
    assert got.is_significant is True


def test_runs_may_be_given_one_by_one(runs):
    trials = runs({"a": [0.8, 0.9], "b": [0.6, 0.5]})
    parts = [columns_of([one for one in trials if one.run_id == run]) for run in ("r1", "r2")]
    assert compare_models(parts, "a", "b") == compare_models(trials, "a", "b")


@pytest.mark.parametrize("scores", [{"a": [0.8], "b": [0.6, 0.5]}, {"a": [0.8, 0.9], "b": [None]}])
def test_below_two_runs_each_there_is_none(runs, scores):
    assert compare_models(runs(scores), "a", "b") is None


def test_runs_that_are_all_equal_are_not_enough_data(runs):
    with pytest.raises(NotEnoughData, match=r"compare\(\)") as caught:
        compare_models(runs({"a": [1.0, 1.0], "b": [0.0, 0.0]}), "a", "b")
    assert (caught.value.needed, caught.value.got) == (2, 1)


def test_one_model_that_repeats_exactly_is_borne(runs):
    got = compare_models(runs({"a": [0.9, 0.9, 0.9], "b": [0.5, 0.6, 0.7]}), "a", "b")
    assert got.is_significant


def test_cases_give_subset_and_weights(a_trial):
    trials = [
        a_trial(at, score, model=model, run=run)
        for run, model, row in (
            ("r1", "a", (1.0, 0.0, 0.9)),
            ("r2", "a", (0.5, 0.5, 0.1)),
            ("r1", "b", (0.0, 0.5, 0.2)),
            ("r2", "b", (0.5, 0.0, 0.4)),
        )
        for at, score in enumerate(row)
    ]
    got = compare_models(trials, "a", "b", {"c0": 3.0, "c1": 1.0})
    assert (got.mean_a, got.mean_b) == pytest.approx((0.625, 0.25))


def test_cases_that_only_one_of_the_two_has_are_warned_of(a_trial):
    trials = [a_trial(0, s, model=m, run=r) for m, r, s in (("a", "r1", 0.1), ("a", "r2", 0.3))]
    trials += [a_trial(at, 0.5, model="b", run="r1") for at in (0, 1)]
    trials += [a_trial(0, 0.7, model="b", run="r2")]
    got = compare_models(trials, "a", "b")
    assert got.warnings == ("1 case is scored for only one of the two",)


def test_unknown_models_and_other_suites_are_refused(runs, a_trial):
    trials = runs({"a": [0.8, 0.9], "b": [0.6, 0.5]})
    with pytest.raises(SpecError, match="No model 'c'"):
        compare_models(trials, "a", "c")
    with pytest.raises(SpecError, match="given twice"):
        compare_models(trials, "a", "a")
    other = columns_of([a_trial(0, 1.0, run="r9", case_id="another")])
    with pytest.raises(NotComparable):
        compare_models([columns_of(trials), other], "a", "b")


@pytest.mark.parametrize(
    ("d", "word"),
    [
        (0.0, "negligible"),
        (0.19999, "negligible"),
        (0.2, "small"),
        (-0.49, "small"),
        (0.5, "medium"),
        (-0.79, "medium"),
        (0.8, "large"),
        (-12, "large"),
    ],
)
def test_effects_have_half_open_bands(d, word):
    assert interpret_effect(d) == word


@pytest.mark.parametrize("d", [math.nan, math.inf])
def test_an_effect_that_is_no_number_has_no_word(d):
    with pytest.raises(SpecError, match="effect size"):
        interpret_effect(d)
