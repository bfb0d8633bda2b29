"""Cases whose prompt has their question with the key."""

import pytest

from benchmaker.arenas.standard.importers.solved_cases import solved_cases
from benchmaker.spec import Message
from benchmaker.testing import a_case

OTHER = a_case("other", prompt="Q: Why is grass green?\nA:", expected="chlorophyll")


def is_solved(prompt, key="42", *further):
    return "c" in solved_cases([a_case("c", prompt=prompt, expected=key), OTHER, *further])


def test_an_example_with_the_same_question_and_key_solves_a_case():
    question = "Q: What is 40 + 2?\nA:"
    assert is_solved(f"{question} 42\n\n{question}")
    assert is_solved(f"Add.\n\n{question} 40 + 2 = 42.\n\n{question.upper()}", "#### 42")


@pytest.mark.parametrize(
    "before",
    [
        "Q: What is 40 + 3?\nA: 42",
        "Q: What is 40 + 2?\nA: 41",
        "Q: What is 40 + 2?\nA: 420",
        "42",
    ],
)
def test_other_examples_do_not(before):
    assert not is_solved(f"{before}\n\nQ: What is 40 + 2?\nA:")


def test_the_key_may_be_in_the_next_turn():
    turns = [("user", "What is 40 + 2?"), ("assistant", "42"), ("user", "What is 40 + 2?")]
    messages = tuple(Message(role=role, content=content) for role, content in turns)
    assert solved_cases([a_case("c", prompt=None, messages=messages, expected="42")]) == {"c"}


def test_a_paragraph_at_the_end_of_several_prompts_is_no_question():
    end = "True or false? Answer:"
    prompts = [f"{name}.\n\n{end} true\n\n{name * 2}.\n\n{end}" for name in ("Sun", "Moon")]
    cases = [a_case(str(at), prompt=it, expected="true") for at, it in enumerate(prompts)]
    assert solved_cases(cases) == frozenset()


def test_a_case_without_a_key_or_an_example_is_not_solved():
    assert not is_solved("What is 40 + 2?")
    assert not is_solved("What is 40 + 2? 42\n\nWhat is 40 + 2?", None)
