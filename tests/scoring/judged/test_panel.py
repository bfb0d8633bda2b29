import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.record import Verdict
from benchmaker.scoring.judged.panel import (
    Opinion,
    agreement,
    log_odds_weight,
    majority_verdict,
    panel,
)
from benchmaker.spec import Juror

units = st.lists(st.floats(0, 1), min_size=1, max_size=5).map(tuple)


@given(st.lists(units, min_size=1, max_size=5))
def test_the_value_lies_between_the_judges_medians(each):
    opinions = [Opinion(f"j{at}", own) for at, own in enumerate(each)]
    made = panel(opinions, [Juror(it.judge) for it in opinions])
    medians = [it.unit for it in opinions]
    assert min(medians) - 1e-12 <= made.unit <= max(medians) + 1e-12


@given(st.lists(units, min_size=2, max_size=5), st.permutations(range(5)))
def test_the_order_of_the_judges_does_not_matter(each, order):
    opinions = [Opinion(f"j{at}", own) for at, own in enumerate(each)]
    shuffled = [opinions[at] for at in order if at < len(opinions)]
    jurors = [Juror(it.judge, float(1 + at)) for at, it in enumerate(opinions)]
    assert panel(opinions, jurors).unit == pytest.approx(panel(shuffled, jurors).unit)


def test_weights_count_among_the_judges_that_gave_an_opinion():
    jurors = [Juror("a", 2.0), Juror("b", 1.0), Juror("c", 1.0)]
    made = panel([Opinion("a", (1.0,)), Opinion("b", (0.0,))], jurors)
    assert made.unit == pytest.approx(2 / 3)


def test_no_weight_among_the_opinions_is_an_error():
    with pytest.raises(ValueError, match="no judgment by a judge with a weight"):
        panel([Opinion("a", (1.0,))], [Juror("a", 0.0), Juror("b", 1.0)])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_agreement_is_one_less_the_mean_distance(values):
    pairs = [abs(a - b) for at, a in enumerate(values) for b in values[at + 1 :]]
    assert agreement(values) == pytest.approx(1 - sum(pairs) / len(pairs))


def test_one_judgment_agrees_with_nobody():
    assert agreement([0.5]) is None


def test_equal_votes_are_a_tie():
    assert majority_verdict({"a": Verdict.A, "b": Verdict.B}) is Verdict.TIE
    assert majority_verdict({"a": Verdict.A, "b": Verdict.TIE}) is Verdict.A
    assert majority_verdict({"a": Verdict.A, "b": Verdict.B}, {"a": 1, "b": 2}) is Verdict.B


@given(st.integers(1, 500), st.floats(0, 1))
def test_a_judge_no_better_than_chance_has_no_weight_and_no_judge_a_negative_one(n, share):
    weight = log_odds_weight(share * n, n)
    assert weight >= 0
    assert (weight > 1e-12) == (share * n - n / 2 > 1e-12) or abs(share - 0.5) < 1e-9


@given(st.integers(2, 200))
def test_weight_grows_with_what_was_right_and_with_how_often_that_was_seen(n):
    weights = [log_odds_weight(right, n) for right in range(n + 1)]
    assert weights == sorted(weights)
    assert log_odds_weight(0.9 * n, n) < log_odds_weight(9.0 * n, 10 * n)


def test_more_that_are_right_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="can't be right"):
        log_odds_weight(3, 2)
