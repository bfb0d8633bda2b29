import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.trials.question import Questions, hash_of
from benchmaker.spec import Message
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
    run = a_run(
        number=3, parameters={"temperature": 0.0, "max_tokens": 7}, system_prompt="Be brief."
    )
    request = Questions(run).question_for(a_case()).request_for("m")

    assert (request.model, request.case_id, request.run) == ("m", "case-1", 3)
    assert (request.parameters.temperature, request.parameters.max_tokens) == (0.0, 7)
    assert [turn.role for turn in request.messages] == ["system", "user"]


def test_the_models_of_a_case_share_one_question():
    questions, case = Questions(a_run()), a_case()

    assert questions.question_for(case) is questions.question_for(case)


def test_another_case_is_another_question():
    questions = Questions(a_run())
    first, second = (
        questions.question_for(a_case("a", prompt="?")),
        questions.question_for(a_case("b", prompt="!")),
    )

    assert first.messages_hash != second.messages_hash
    assert (first.case_id, second.case_id) == ("a", "b")
