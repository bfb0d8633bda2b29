"""Reading answers again: keys and other answers are recognised, and doubts give no verdict."""

import pytest

from benchmaker.arenas.standard.importers.rereading import make_rereading
from benchmaker.record import Score
from benchmaker.testing import a_case, a_trial

LISTED = "Which one?\nA) 4\nB) 5\nC) 6\nD) 7"


def cases_with(*keys, prompt="What is it?"):
    """Cases with these keys, each asked with the same prompt."""
    return [a_case(f"c{at}", prompt=prompt, expected=key) for at, key in enumerate(keys)]


def read(text, *keys, prompt="What is it?", scorer="inspect/match", tool="inspect", score=None):
    """The comparison of an answer with the first key, in an evaluation with all of them."""
    cases = cases_with(*keys, prompt=prompt)
    trial = a_trial(text=text, score=score)
    return make_rereading(cases, tool).read(cases[0], trial, {}, scorer)


@pytest.mark.parametrize(
    ("text", "key", "verdict"),
    [
        ("The answer is 101.5.", "100.5", 0.0),
        ("The answer is $101.49.", "$100.99", 0.0),
        ("The answer is 100.50.", "100.5", 1.0),
        ("The answer is 1,000.", "1000", 1.0),
        ("The answer is 33.3%.", "0.333", 1.0),
        ("The answer is 10.1.", "10", 0.0),
        ("The answer is 3.14.", "3.14159", None),
        ("The answer is 33.3333.", "33.3", None),
    ],
)
def test_numbers_are_compared_exactly_and_rounded_ones_are_in_doubt(text, key, verdict):
    assert read(text, key) == verdict


def test_a_number_within_the_tolerance_of_our_own_scorer_is_in_doubt():
    score = Score.of(1.0, detail={"found": 101.0, "expected": 100.5, "tolerance": 0.01})
    assert read("101.0", "100.5", scorer=None, tool="benchmaker", score=score) is None
    assert read("105.0", "100.5", scorer=None, tool="benchmaker", score=score) == 0.0


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("The answer is (C).", 1.0), ("The answer is (B).", 0.0), ("I can't tell.", None)],
)
@pytest.mark.parametrize("prompt", [LISTED, LISTED.replace("\n", " "), "Choose one."])
def test_letters_are_read_with_options_in_the_question_or_with_keys_that_are_all_letters(
    text, verdict, prompt
):
    assert read(text, "C", "A", "B", "D", prompt=prompt) == verdict


def test_options_are_found_in_the_last_turn_after_solved_examples():
    example = [{"role": "user", "content": LISTED}, {"role": "assistant", "content": "A"}]
    asked = {"role": "user", "content": "Which?\nA. One\nB. Two\nC. Three\nAnswer:"}
    case = a_case("c", messages=(*example, asked), expected="B")
    made = make_rereading([case], "inspect")
    assert made.read(case, a_trial(text="C"), {}, "inspect/choice") == 0.0
    assert made.read(case, a_trial(text="B. Two"), {}, "inspect/choice") == 1.0


def test_a_single_letter_key_without_options_is_a_text():
    assert read("The answer is (B).", "C") is None


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The answer is no.", 0.0),
        ("Yes.", 1.0),
        ("No, yes would be wrong.", None),
        ("Perhaps.", None),
    ],
)
def test_another_key_of_a_closed_set_is_another_answer(text, verdict):
    assert read(text, "yes", "no", "yes", "no", scorer="inspect/model_graded_qa") == verdict


@pytest.mark.parametrize(
    ("text", "key", "scorer", "verdict"),
    [
        ("The capital is Quito.", "Lima", "inspect/match", 0.0),
        ("The capital is Lima.", "Lima", "inspect/match", 1.0),
        ("Not Lima but Quito.", "Lima", "inspect/match", None),
        ("The capital is Quito.", "Lima", "inspect/model_graded_qa", None),
        ("12", "twelve", "inspect/match", None),
        ("United States", "USA", "inspect/match", None),
        ("", "Lima", "inspect/match", None),
        ("São-Paulo", "Sao Paulo", "inspect/match", None),
    ],
)
def test_an_answer_without_the_key_is_another_if_the_tool_compares_texts(
    text, key, scorer, verdict
):
    assert read(text, key, "Bogota", "Caracas", scorer=scorer) == verdict
