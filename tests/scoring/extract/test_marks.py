"""Every mark that opens and closes an answer, around many answers."""

import random
import string

import pytest

from benchmaker import score
from benchmaker.scoring.extract.marks import PAIRS, strip_marks, unwrap

WORDS = (
    "Lima",
    "New York",
    "git push",
    "H2O",
    "photosynthesis",
    "São Paulo",
    "東京",
    "naïve",
    "x = 5",
)
SYMBOLS = (
    "__init__", ">= 5", "~/.bashrc", "] >", "*args", "**kwargs", "<= 10", "!=", "->", "a_b", "$x",
    "#include", "'aaa'", "[1, 2]", "{'a': 1}", "<div>", "`x`", "--help", "C++", "f(x)",
)  # fmt: skip


def answers(number):
    """Names, phrases, numbers, code: as many as asked for, always the same."""
    rng = random.Random(23)  # noqa: S311  not a secret
    made = [*WORDS, *SYMBOLS]
    while len(made) < number:
        word = "".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9)))
        made.append(
            rng.choice((word, word.title(), f"{word.title()} {word}", str(rng.randrange(10**6))))
        )
    return made


ANSWERS = answers(200)


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_an_answer_in_marks_is_the_answer(pair):
    opening, closing = pair
    wrong = [
        answer
        for answer in ANSWERS
        if opening not in answer
        for reply in (f"{opening}{answer}{closing}", f"The answer is {opening}{answer}{closing}.")
        if score("exact", reply, answer, profile="robust").score != 1
    ]
    assert wrong == []


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_another_answer_in_marks_is_wrong(pair):
    opening, closing = pair
    others = [*ANSWERS[1:], ANSWERS[0]]
    right = [
        (answer, other)
        for answer, other in zip(ANSWERS, others, strict=True)
        if score("exact", f"{opening}{other}{closing}", answer, profile="robust").score != 0
    ]
    assert right == []


@pytest.mark.parametrize("answer", SYMBOLS)
def test_a_mark_that_belongs_to_the_answer_stays(answer):
    assert score("exact", answer, answer, profile="robust").score == 1
    assert score("exact", f"`{answer}`", answer, profile="robust").score == 1


def test_a_mark_without_its_partner_stays():
    assert list(unwrap("*args")) == ["*args"]
    assert strip_marks("2 * 3 * 4") == "2 * 3 * 4"
