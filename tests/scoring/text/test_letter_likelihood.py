"""Choice by the likelihood of the options' letters."""

from itertools import product
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.record import Completion, Outcome, TokenLogprob, Trial
from benchmaker.scoring.build import build
from benchmaker.scoring.score import explain, stamp
from benchmaker.scoring.text.letter_likelihood import FORMS, forms_of, letter_probabilities
from benchmaker.spec import Case, ScorerSpec, profile

CHOICES = ("Paris", "London", "Rome", "Berlin")
CLASSIC = profile("classic")


def at(text, shares):
    """A token with its alternatives by probability."""
    ordered = sorted(shares.items(), key=lambda it: -it[1])
    pairs = tuple((name, log(share)) for name, share in ordered)
    return TokenLogprob(text, log(shares.get(text, 0.001)), pairs)


def scored(*tokens, by="likelihood", expected="B", text="B", choices=CHOICES):
    spec = ScorerSpec(id="choice", by=by)
    scorer = build(spec, CLASSIC)
    case = Case(id="c", prompt="?", choices=choices, expected=expected)
    completion = Completion(text=text, logprobs=tokens)
    trial = Trial(
        run_id="", case_id="c", model="m", position=0, outcome=Outcome.SCORED, completion=completion
    )
    return stamp(scorer.score(case, trial), scorer, spec, CLASSIC, case.expectations)


def test_the_likeliest_letter_counts_not_the_generated_one():
    score = scored(at("A", {"A": 0.4, "B": 0.5, "C": 0.05}), text="A")
    assert (score.score, score.detail["says"], score.flags) == (1.0, ["B"], ("by_likelihood",))


def test_the_forms_of_a_letter_are_added_up():
    score = scored(at("A", {"A": 0.4, "B": 0.25, " B": 0.1, "(B": 0.1, "B.": 0.1}))
    assert score.score == 1
    assert score.detail["probabilities"]["B"] == pytest.approx(0.55)


def test_small_letters_and_words_do_not_count():
    score = scored(at("B", {"b": 0.3, "Because": 0.3, "A": 0.1, "B": 0.2}))
    assert score.detail["probabilities"] == pytest.approx({"A": 0.1, "B": 0.2, "C": 0, "D": 0})


def test_brackets_and_marks_before_the_answer_are_skipped():
    score = scored(at("\n", {"\n": 0.9}), at("**", {"**": 0.9}), at("B", {"B": 0.9, "A": 0.05}))
    assert (score.score, score.detail["position"]) == (1.0, 3)


def test_a_missing_letter_has_the_bound_of_the_smallest_alternative():
    score = scored(at("A", {"A": 0.7, "B": 0.2, "x": 0.001}))
    assert score.detail["probabilities"]["C"] == 0
    assert score.detail["at_most"]["C"] == pytest.approx(FORMS * 0.001)
    assert "  C: at most 0.016" in explain(score)


def test_all_missing_tokens_together_have_the_rest():
    score = scored(at("A", {"A": 0.7, "B": 0.295}))
    assert score.detail["at_most"]["D"] == pytest.approx(0.005)


def test_a_choice_that_the_alternatives_do_not_decide_is_unscored():
    score = scored(at("A", {"A": 0.3, "B": 0.2}))
    assert score.score is None
    assert score.notes == "the alternatives do not decide which letter is the likeliest"
    assert "  B: 0.2 to 0.7" in explain(score)


def test_equal_probabilities_are_undecided():
    assert scored(at("A", {"A": 0.5, "B": 0.5})).score is None


def test_an_answer_without_a_letter_among_the_alternatives_is_unscored():
    score = scored(at("The", {"The": 0.9, "It": 0.1}))
    assert score.notes == "no option's letter is among the alternatives to the token 'The'"


def test_an_answer_without_log_probabilities_is_unscored():
    assert scored().notes == "the answer has no log probabilities"


def test_an_answer_of_marks_alone_is_unscored():
    assert scored(at("(", {"(": 0.9})).notes == "no token with log probabilities begins an answer"


def test_auto_falls_back_to_the_generated_letter():
    score = scored(by="auto", text="It is B.")
    assert (score.score, score.flags) == (1.0, ("by_generated",))
    assert score.detail["why"] == "the answer has no log probabilities"
    assert explain(score)[0].startswith("by the generated letter, because the answer has no")


def test_auto_prefers_the_likelihood():
    assert scored(at("A", {"A": 0.2, "B": 0.79}), by="auto", text="A").flags == ("by_likelihood",)


def test_the_default_has_no_mark_of_its_own():
    score = scored(at("A", {"A": 0.2, "B": 0.79}), by="generated", text="A")
    assert (score.score, score.flags, set(score.detail)) == (0.0, (), {"says", "expects"})


def test_likelihood_without_options_is_a_fault_of_the_case():
    scorer = build(ScorerSpec(id="choice", by="likelihood"), CLASSIC)
    (fault,) = scorer.check(Case(id="c", prompt="?", expected="B"))
    assert fault == "choice by likelihood needs the options in choices, but the case has none."


def test_another_way_is_refused():
    with pytest.raises(SpecError, match="by must be"):
        build(ScorerSpec(id="choice", by="perplexity"), CLASSIC)


def test_a_letter_has_as_many_forms_as_stated():
    assert len(set(forms_of("A"))) == FORMS


@st.composite
def alternatives(draw):
    """A distribution over tokens, of which the likeliest are returned, and the chosen one."""
    words = [it for letter in "ABCD" for it in forms_of(letter)] + ["The", "a", "AB", "(", "Ä"]
    names = draw(st.lists(st.sampled_from(words), min_size=2, max_size=30, unique=True))
    weights = draw(
        st.lists(st.integers(1, 1000), min_size=len(names), max_size=len(names), unique=True)
    )
    shares = {name: it / sum(weights) for name, it in zip(names, weights, strict=True)}
    returned = sorted(shares, key=lambda it: -shares[it])[: draw(st.integers(1, 20))]
    chosen = draw(st.sampled_from(names))
    offered = tuple((name, log(shares[name])) for name in returned)
    return shares, TokenLogprob(chosen, log(shares[chosen]), offered)


def plain_sum(shares, letter):
    """The probability of a letter by the whole distribution."""
    total = 0.0
    for before, after in product(("", " ", "(", " ("), ("", ".", ")", ":")):
        total += shares.get(before + letter + after, 0.0)
    return total


@given(alternatives())
def test_the_bounds_hold_the_whole_distribution(drawn):
    shares, first = drawn
    found = letter_probabilities([first], "ABCD")
    if found is None:
        assert not first.token.strip(" (")
        return
    for letter, (low, high) in found.options.items():
        assert low - 1e-9 <= plain_sum(shares, letter) <= high + 1e-9


@given(alternatives())
def test_a_decided_choice_is_the_likeliest_of_the_whole_distribution(drawn):
    shares, first = drawn
    found = letter_probabilities([first], "ABCD")
    if found is None or found.choice is None:
        return
    sums = {letter: plain_sum(shares, letter) for letter in "ABCD"}
    assert sums[found.choice] == pytest.approx(max(sums.values()))


@given(alternatives())
def test_all_returned_alternatives_decide_as_the_plain_argmax(drawn):
    shares, first = drawn
    whole = TokenLogprob(first.token, first.logprob, tuple((k, log(v)) for k, v in shares.items()))
    found = letter_probabilities([whole], "ABCD")
    sums = {letter: plain_sum(shares, letter) for letter in "ABCD"}
    best = sorted(sums.values())
    if found is None or best[-1] - best[-2] < 1e-9:
        return
    assert found.choice == max(sums, key=sums.__getitem__)


def test_the_letters_of_the_published_evaluation_give_its_prediction():
    shares = {" A": 0.1, " B": 0.2, " C": 0.6, " D": 0.05}
    published = max("ABCD", key=lambda it: shares.get(f" {it}", exp(-100)))
    assert scored(at(" C", shares), expected="C").detail["says"] == [published] == ["C"]
