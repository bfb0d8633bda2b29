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
        ("C is second best after B.", "B"),
        ("C is a close second to B.", "B"),
        ("C, second to none.", "C"),
        ("B (runner-up: C)", "B"),
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
        "Option 7",
        "The first one and the third one.",
        "A ✓\nB ✓\nC ✗\nD ✗",
        "B is wrong.",
        "A and B are wrong.",
        "A? B? C?",
    ],
)
def test_several_options_or_none_are_no_choice(reply):
    for expected in "ABCD":
        score = benchmaker.score("choice", reply, expected, profile="robust", choices=CHOICES)
        assert score.score == 0, expected


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The correct choice is the third.", "C"),
        ("I'd take the second one.", "B"),
        ("The fourth answer is correct.", "D"),
        ("Option 3", "C"),
        ("Die zweite Antwort ist richtig.", "B"),
        ("La opción correcta es la segunda.", "B"),
        ("La troisième.", "C"),
        ("第四个选项", "D"),
        ("I'm going with a.", "A"),
        ("My pick: c", "C"),
        ("I'd choose d!", "D"),
    ],
)
def test_an_option_is_named_by_its_place_or_a_small_letter(reply, letter):
    assert chosen_by(reply) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("I would eliminate A, C and D.", "B"),
        ("A, C and D are wrong.", "B"),
        ("It can't be A, B or C.", "D"),
        ("It's neither A, C nor D.", "B"),
        ("The wrong ones are A, B and D.", "C"),
        ("A is wrong. B is wrong. D is wrong.", "C"),
        ("I would eliminate A and C.", None),
        ("I would eliminate A, B, C and D.", None),
    ],
)
def test_the_one_option_that_is_not_denied_is_chosen(reply, letter):
    assert chosen_by(reply) == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("A ✗\nB ✓\nC ✗\nD ✗", "B"),
        ("A) Paris ❌\nB) London ❌\nC) Rome ✅ (the Tiber)\nD) Berlin ❌", "C"),
        ("- [ ] A\n- [ ] B\n- [x] C\n- [ ] D", "C"),
        ("❌ Paris\n✅ London", "B"),
        ("A ✗, B ✗, C ✗, D ✓", "D"),
        ("Answer:\nA ❌\nB ✅", "B"),
        ("A ✓ warm\nB ✓ large\n\nSo it is C.", "C"),
        ("A ❌\nB ❌", None),
    ],
)
def test_the_option_that_is_ticked_is_chosen(reply, letter):
    assert chosen_by(reply) == letter


@pytest.mark.parametrize("word", ["wrong", "incorrect", "false"])
@pytest.mark.parametrize("noun", ["answer", "one", "option"])
def test_a_reply_that_only_names_the_wrong_option_answers_a_question_for_it(word, noun):
    assert chosen_by(f"The {word} {noun} is B.") == "B"
    assert chosen_by(f"The {word} {noun} is B, so it is A.") == "A"


def chosen_by(reply):
    scores = {
        letter: benchmaker.score("choice", reply, letter, profile="robust", choices=CHOICES).score
        for letter in "ABCD"
    }
    right = [letter for letter, score in scores.items() if score == 1]
    assert len(right) < 2
    return right[0] if right else None
