import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.trials.question import Questions, hash_of
from benchmaker.record import Setup
from benchmaker.spec import Message, Suite
from benchmaker.testing import a_case, a_run

texts = st.text(st.characters(exclude_categories=("Cs",)))


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), texts), min_size=1))
def test_the_hash_is_sha256_over_the_messages_as_json(turns):
    messages = tuple(Message(role=role, content=content) for role, content in turns)
    plain = [{"role": role, "content": content} for role, content in turns]
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))

    assert hash_of(messages) == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_half_a_surrogate_pair_has_a_hash_too():
    assert len(hash_of((Message(role="user", content="\ud800"),))) == 16


def test_the_request_carries_the_run_number_and_the_effective_parameters():
    run = a_run(number=3, models=("m",), parameters={"temperature": 0.0, "max_tokens": 7})
    suite = Suite("s", (), system_prompt="Be brief.")
    request = Questions(run, suite).question_for(a_case(), "m").request_for("m")

    assert (request.model, request.case_id, request.run) == ("m", "case-1", 3)
    assert (request.parameters.temperature, request.parameters.max_tokens) == (0.0, 7)
    assert [turn.role for turn in request.messages] == ["system", "user"]


def test_the_setups_of_a_prompt_share_the_messages_of_a_case():
    run = a_run(models=("a", "b"))
    questions, case = Questions(run, Suite("s", ())), a_case()
    messages = questions.question_for(case, "a").messages

    assert questions.question_for(case, "b").messages is messages


def test_each_setup_has_its_prompt_and_its_parameters():
    suite = Suite("s", (), prompts=[{"id": "p", "prompt": "P {{ id }}"}, "Q {{ id }}"])
    hot = Setup(name="a · p", model="a", prompt_id="p", parameters={"temperature": 1.5})
    cold = Setup(name="a · prompt-2", model="a", prompt_id="prompt-2")
    run = a_run(models=(hot.name, cold.name), setups=(hot, cold))
    questions, case = Questions(run, suite), a_case()
    sent = [questions.question_for(case, one.name) for one in run.setups]

    assert [one.messages[0].content for one in sent] == ["P case-1", "Q case-1"]
    assert [one.parameters.temperature for one in sent] == [1.5, 0.7]


def test_another_case_is_another_question():
    questions = Questions(a_run(models=("m",)), Suite("s", ()))
    first, second = (
        questions.question_for(a_case("a", prompt="?"), "m"),
        questions.question_for(a_case("b", prompt="!"), "m"),
    )

    assert first.messages_hash != second.messages_hash
    assert (first.case_id, second.case_id) == ("a", "b")
