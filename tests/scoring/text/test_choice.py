"""The option that a reply chooses, beside others that it names."""

import pytest

import benchmaker

CHOICES = ["Paris", "London", "Rome", "Berlin"]


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B because A is too small", "B"),
        ("A is wrong because B is right.", "B"),
        ("Since A is wrong, B is right.", "B"),
        ("The correct option is A because B, C and D are not in France.", "A"),
        ("Between A and B, I choose A.", "A"),
        ("Of A and B, B is right.", "B"),
        ("B (C would be second best)", "B"),
        ("It is B (London).", "B"),
        ("The second option.", "B"),
        ("I take the last option.", "D"),
    ],
)
def test_options_named_on_the_side_are_not_chosen(reply, letter):
    for expected in "ABCD":
        score = benchmaker.score("choice", reply, expected, profile="robust", choices=CHOICES)
        assert score.score == (expected == letter), expected


@pytest.mark.parametrize(
    "reply",
    [
        "Between A and B.",
        "Both A and B because they fit.",
        "The first option or the second option.",
        "It is not the first option.",
        "The sixth option.",
    ],
)
def test_several_options_or_none_are_no_choice(reply):
    for expected in "ABCD":
        score = benchmaker.score("choice", reply, expected, profile="robust", choices=CHOICES)
        assert score.score == 0, expected
