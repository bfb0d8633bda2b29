import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import AuthError, BadResponse, ProviderError, RateLimited
from benchmaker.providers.endpoints.endpoints import endpoint_table
from benchmaker.providers.protocols.anthropic import Messages
from benchmaker.providers.protocols.partial_answer import PartialAnswer, read_live_usage
from benchmaker.providers.protocols.sse import SseParser
from benchmaker.record import FinishReason, Usage
from benchmaker.spec import Message, Parameters
from benchmaker.testing import a_request
from tests.providers.local import every_split

DIALECT = Messages(endpoint_table()["anthropic"], "claude-x")
CUTS = st.lists(st.integers(0, 10_000), max_size=20)
START_USAGE = {
    "input_tokens": 12,
    "cache_read_input_tokens": 100,
    "cache_creation_input_tokens": 30,
    "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
    "output_tokens": 1,
}


def event(kind: str, **fields) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


START = event("message_start", message={"model": "claude-x", "usage": START_USAGE, "content": []})
STOP = event("message_stop")


def text(piece: str) -> bytes:
    return event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})


def end(reason: str, **usage) -> bytes:
    return event(
        "message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 7, **usage}
    )


def streamed(*pieces):
    reading, parser = DIALECT.stream_reader(), SseParser()
    for piece in pieces:
        for found in parser.feed(piece):
            reading.take(found)
    return reading


def whole(**fields) -> PartialAnswer:
    reply = {
        "type": "message",
        "model": "claude-x",
        "content": [{"type": "text", "text": "42"}],
        "stop_reason": "end_turn",
        "usage": START_USAGE,
        **fields,
    }
    return DIALECT.read_whole(json.dumps(reply).encode())


def sent(*messages: tuple[str, str], stream=False, **fields) -> dict:
    turns = tuple(Message(role=role, content=content) for role, content in messages)
    return json.loads(DIALECT.body(a_request(messages=turns, **fields), stream=stream))


def test_a_request_holds_what_the_protocol_knows():
    assert sent(("user", "Hi")) == {
        "model": "claude-x",
        "messages": [{"role": "user", "content": "Hi"}],
        "temperature": 0.7,
        "max_tokens": 2048,
    }


def test_system_messages_have_their_own_field():
    asked = sent(("system", "Be kind."), ("user", "Hi"), ("system", "Be brief."), stream=True)
    assert asked["system"] == "Be kind.\n\nBe brief."
    assert asked["messages"] == [{"role": "user", "content": "Hi"}]
    assert asked["stream"] is True


def test_a_top_p_that_matters_is_sent():
    assert sent(("user", "Hi"), parameters=Parameters(top_p=0.5))["top_p"] == 0.5


def test_penalties_that_matter_are_named():
    assert DIALECT.unsent_parameters(Parameters(presence_penalty=1)) == ("presence_penalty",)
    assert DIALECT.unsent_parameters(Parameters()) == ()


def test_the_key_and_the_version_go_into_the_head():
    assert DIALECT.headers("k") == {"x-api-key": "k", "anthropic-version": "2023-06-01"}


def test_an_answer_in_one_piece_is_read():
    draft = whole()
    assert (draft.text, draft.reason(), draft.model) == ("42", FinishReason.STOP, "claude-x")
    assert draft.flags(requested="claude-x") == []


@given(st.lists(st.text(), max_size=5), CUTS)
def test_a_streamed_answer_is_exact_however_it_is_cut(texts, cuts):
    block = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    pieces = [START, block, event("ping"), *map(text, texts), end("end_turn"), STOP]
    reading = streamed(*every_split(b"".join(pieces), cuts))
    assert reading.is_done
    assert reading.draft.text == "".join(texts)
    assert reading.draft.reason() is FinishReason.STOP


def test_the_kinds_of_tokens_are_kept_apart_and_the_last_count_counts():
    draft = streamed(START, text("42"), end("end_turn"), STOP).draft
    assert read_live_usage(draft.usage, has_text=True) == Usage(
        input_tokens=12,
        cache_read_tokens=100,
        cache_write_5m_tokens=10,
        cache_write_1h_tokens=20,
        output_tokens=7,
    )
    again = streamed(START, text("42"), end("end_turn"), end("end_turn", input_tokens=13), STOP)
    assert again.draft.usage["input_tokens"] == 13
    assert again.draft.usage["output_tokens"] == 7


def test_thinking_tokens_lie_inside_the_output():
    usage = {**START_USAGE, "output_tokens": 50, "output_tokens_details": {"thinking_tokens": 40}}
    counts = read_live_usage(whole(usage=usage).usage, has_text=True)
    assert (counts.input_tokens, counts.cache_read_tokens) == (12, 100)
    assert (counts.output_tokens, counts.reasoning_tokens) == (50, 40)


@pytest.mark.parametrize(
    ("reason", "finish", "flags"),
    [
        ("end_turn", FinishReason.STOP, []),
        ("stop_sequence", FinishReason.STOP, []),
        ("max_tokens", FinishReason.LENGTH, []),
        ("model_context_window_exceeded", FinishReason.LENGTH, []),
        ("refusal", FinishReason.REFUSAL, []),
        ("tool_use", FinishReason.UNKNOWN, ["tool_call"]),
        ("pause_turn", FinishReason.UNKNOWN, ["unknown_finish"]),
    ],
)
def test_every_reason_to_stop_is_read(reason, finish, flags):
    for draft in (whole(stop_reason=reason), streamed(START, text("x"), end(reason)).draft):
        assert draft.reason() is finish
        assert draft.flags(requested="claude-x") == flags


def test_thinking_is_no_part_of_the_answer():
    thought = event("content_block_delta", delta={"type": "thinking_delta", "thinking": "hm"})
    draft = streamed(START, thought, text("42"), end("end_turn")).draft
    assert draft.text == "42"
    alone = whole(content=[{"type": "thinking", "thinking": "hm"}], stop_reason="max_tokens")
    assert (alone.text, alone.flags(requested="claude-x")) == ("", ["reasoning_only"])


def test_text_blocks_are_joined():
    assert (
        whole(content=[{"type": "text", "text": "4"}, {"type": "text", "text": "2"}]).text == "42"
    )


def test_events_of_unknown_types_are_passed_over():
    assert streamed(START, event("vault_opened", gold=1), text("x")).draft.text == "x"


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, ProviderError, 529),
        ({"type": "rate_limit_error", "message": "m"}, RateLimited, 429),
        ({"type": "api_error", "message": "m"}, ProviderError, 500),
        ({"type": "authentication_error", "message": "m"}, AuthError, 401),
        ({"type": "unheard_of", "message": "m"}, ProviderError, None),
    ],
)
def test_an_error_in_a_stream_counts_as_its_status(error, kind, status):
    with pytest.raises(ProviderError) as caught:
        streamed(START, text("half"), event("error", error=error))
    assert type(caught.value) is kind
    assert caught.value.status == status


@pytest.mark.parametrize("data", [b"{", b"nonsense", b'{"type":5}', b"[]"])
def test_an_event_that_cant_be_read_is_a_bad_response(data):
    with pytest.raises(BadResponse):
        streamed(START, b"event: content_block_delta\ndata: " + data + b"\n\n")


@pytest.mark.parametrize("fields", [{"content": None}, {"content": "42"}, {"stop_reason": 5}])
def test_a_reply_without_content_is_a_bad_response(fields):
    with pytest.raises(BadResponse):
        whole(**fields)


FORM = {"type": "object", "properties": {"score": {"type": "number"}}}


def test_a_form_of_the_answer_is_a_tool_that_has_to_be_used():
    asked = sent(("user", "Hi"), response_schema=FORM)
    assert asked["tools"] == [{"name": "reply", "input_schema": FORM}]
    assert asked["tool_choice"] == {"type": "tool", "name": "reply"}
    assert "tools" not in sent(("user", "Hi"))


def test_an_answer_in_a_form_is_a_text_like_any_other():
    block = {"type": "tool_use", "id": "t", "name": "reply", "input": {"score": 8}}
    draft = whole(content=[block], stop_reason="tool_use")
    assert json.loads(draft.text) == {"score": 8}
    assert draft.reason() is FinishReason.STOP
    assert draft.flags(requested="claude-x") == []


def test_an_answer_in_a_form_may_be_streamed():
    block = {"type": "tool_use", "id": "t", "name": "reply", "input": {}}
    pieces = ['{"sco', 're": 8}']
    deltas = [
        event("content_block_delta", delta={"type": "input_json_delta", "partial_json": piece})
        for piece in pieces
    ]
    begin = event("content_block_start", index=0, content_block=block)
    draft = streamed(START, begin, *deltas, end("tool_use"), STOP).draft
    assert json.loads(draft.text) == {"score": 8}
    assert draft.flags(requested="claude-x") == []


def test_an_answer_in_a_form_that_was_cut_off_says_so():
    block = {"type": "tool_use", "id": "t", "name": "reply", "input": {"score": 8}}
    draft = whole(content=[block], stop_reason="max_tokens")
    assert draft.reason() is FinishReason.LENGTH
