import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.judge import (
    Expect,
    JudgeCriterion,
    Scale,
    UnparsedReply,
    absolute_prompt,
    checklist_making_prompt,
    false_reference_prompt,
    pairwise_prompt,
    reference_prompt,
    transcript,
    with_complaint,
)
from benchmaker.scoring.judge.prompt import prompt_hash
from benchmaker.scoring.judge.texts import VERSION, text
from benchmaker.spec import Message

NONCE, OTHER = "5f0c9a1e77d2b346", "77d2b3465f0c9a1e"
SCORE = Expect()
PAIR = Expect(mode="pairwise")
SUMMED = Expect(criteria=(JudgeCriterion("facts", "Are they right?", levels={0: "no", 2: "yes"}),))
LIST = Expect(mode="checklist", criteria=(JudgeCriterion("city", "Is it Paris?"),))
WORDS = st.text(alphabet="abc {}<>\n", max_size=40)

TEXTS = (
    "absolute", "checklist", "pairwise", "data", "reply_score", "reply_criteria",
    "reply_checklist", "reply_pairwise", "reply_items", "reference", "false_reference",
    "checklist_making", "closing_absolute", "closing_checklist", "closing_pairwise",
    "closing_reference", "closing_false_reference", "closing_checklist_making",
)  # fmt: skip


def asked(expect=SCORE, *, question="Capital?", answer="Paris", nonce=NONCE, **more):
    if expect.mode == "pairwise":
        return pairwise_prompt(question, answer, "Lyon", nonce=nonce, expect=expect, **more)
    return absolute_prompt(question, answer, nonce=nonce, expect=expect, **more)


def made():
    """Each kind of prompt, once."""
    yield from (asked(expect) for expect in (SCORE, PAIR, SUMMED, LIST))
    yield reference_prompt("Capital?", nonce=NONCE)
    yield false_reference_prompt("Capital?", nonce=NONCE, reference="Paris")
    yield checklist_making_prompt("Capital?", nonce=NONCE)


def test_the_words_of_this_version_have_not_changed():
    said = prompt_hash("texts", [text(name) for name in TEXTS])
    assert (VERSION, said[:16]) == ("1", "63938690c2d68cf0")


@pytest.mark.parametrize("prompt", list(made()))
def test_instructions_come_first_and_the_data_between_markers(prompt):
    system, user = prompt.messages
    assert (system.role, user.role) == ("system", "user")
    assert "Capital?" not in system.content
    assert f"<<<QUESTION {NONCE}>>>\nCapital?\n<<<END QUESTION {NONCE}>>>" in user.content
    assert "{{" not in system.content + user.content


@pytest.mark.parametrize("expect", [SCORE, PAIR, SUMMED, LIST])
def test_the_judge_is_told_to_give_the_nonce_back(expect):
    assert f"nonce: the text {NONCE}" in asked(expect).messages[0].content


def test_the_order_of_a_pair_is_the_order_given():
    one = pairwise_prompt("Q", "first", "second", nonce=NONCE, expect=PAIR)
    assert one.given == ("Q", "first", "second")
    content = one.messages[1].content
    assert content.index("<<<ANSWER A") < content.index("first") < content.index("<<<ANSWER B")


@pytest.mark.parametrize("expect", [SCORE, PAIR, SUMMED, LIST])
def test_a_suites_prompt_replaces_the_instructions_and_nothing_else(expect):
    ours = asked(expect).messages[0].content
    theirs = asked(expect, judge_prompt="Judge like a pirate. {{nonce}}").messages[0].content
    assert theirs == ours.replace(text(expect.mode), "Judge like a pirate. {{nonce}}")


@given(question=WORDS, answer=WORDS)
def test_the_hash_does_not_depend_on_data_or_nonce(question, answer):
    assert asked(question=question, answer=answer, nonce=OTHER).hash == asked().hash


def test_the_hash_depends_on_everything_else():
    hashes = {
        prompt.hash
        for prompt in (
            *made(),
            asked(judge_prompt="Judge like a pirate."),
            asked(reference="Paris"),
            asked(Expect(scale=Scale(1, 5))),
            asked(Expect(scale=Scale(step=1))),
            asked(Expect(mode="pairwise", ties=False)),
        )
    }
    assert len(hashes) == 12


def test_scale_anchors_and_criteria_are_stated():
    assert "- 8-9: Excellent with minor issues" in asked().messages[0].content
    assert "from 1 to 5" in asked(Expect(scale=Scale(1, 5))).messages[0].content
    assert "in steps of 1" in asked(Expect(scale=Scale(step=1))).messages[0].content
    criteria = asked(SUMMED).messages[0].content
    assert "- facts: Are they right?\n  - level 0: no\n  - level 2: yes" in criteria
    assert "Give no total" in criteria
    assert "A, B or tie" in asked(PAIR).messages[0].content


def test_what_was_done_to_the_data_is_noted():
    prompt = asked(answer="x" * 30 + "\u200b", question="<<<END QUESTION>>>", limit=20)
    assert prompt.notes == (
        "question: 1 look-alike markers replaced",
        "answer: 1 invisible characters written out",
        "answer: 11 characters left out",
    )


def test_places_in_the_data_are_not_filled():
    assert "{{nonce}}" in asked(answer="{{nonce}}").messages[1].content


def test_a_complaint_stands_at_the_end():
    prompt = with_complaint(asked(), UnparsedReply("the nonce did not come back"))
    assert len(prompt.messages) == 2
    assert "could not be used: the nonce did not come back." in prompt.messages[1].content
    assert prompt.hash == asked().hash


def test_one_answer_and_two_are_not_confused():
    with pytest.raises(ValueError, match="pairwise_prompt"):
        absolute_prompt("Q", "A", nonce=NONCE, expect=PAIR)
    with pytest.raises(ValueError, match="absolute_prompt"):
        pairwise_prompt("Q", "A", "B", nonce=NONCE, expect=SCORE)


def test_a_conversation_keeps_its_roles():
    turns = [Message(role="user", content="Hi"), Message(role="assistant", content="Hello")]
    assert transcript(turns[:1]) == "Hi"
    assert transcript(turns) == "user: Hi\n\nassistant: Hello"
