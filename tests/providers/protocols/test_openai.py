import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import (
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    RateLimited,
)
from benchmaker.providers.endpoints.dialect_flags import Quirks
from benchmaker.providers.endpoints.endpoints import Endpoint, endpoint_table
from benchmaker.providers.protocols.openai import ChatCompletions
from benchmaker.providers.protocols.partial_answer import PartialAnswer
from benchmaker.providers.protocols.sse import SseParser
from benchmaker.providers.protocols.usage import read_usage
from benchmaker.record import FinishReason
from benchmaker.spec import Message, Parameters
from benchmaker.testing import a_request
from tests.providers.local import DONE, STREAM, USAGE, chat, chunk, every_split

PLAIN = Endpoint(name="lab", base_url="https://lab/v1")
CUTS = st.lists(st.integers(0, 10_000), max_size=20)


def dialect(name=None, model="gpt-x", **options) -> ChatCompletions:
    return ChatCompletions(endpoint_table()[name] if name else PLAIN, model, **options)


def body(dialect, *, stream=False, **fields) -> dict:
    return json.loads(dialect.body(a_request(**fields), stream=stream))


def whole(reply) -> PartialAnswer:
    return dialect().read_whole(reply if isinstance(reply, bytes) else json.dumps(reply).encode())


def streamed(pieces, dialect=None):
    reading, parser = (dialect or ChatCompletions(PLAIN, "gpt-x")).stream_reader(), SseParser()
    for piece in pieces:
        for event in parser.feed(piece):
            if not reading.is_done:
                reading.take(event)
    return reading


def test_a_request_holds_messages_and_parameters():
    assert body(dialect()) == {
        "model": "gpt-x",
        "messages": [{"role": "user", "content": "What is 6 x 7?"}],
        "temperature": 0.7,
        "max_tokens": 2048,
    }


def test_a_stream_is_asked_for_with_its_usage():
    asked = body(dialect(), stream=True)
    assert asked["stream"] is True
    assert asked["stream_options"] == {"include_usage": True}
    assert "stream_options" not in body(dialect("mistral"), stream=True)


def test_a_seed_is_sent_where_one_is_taken_and_grows_with_the_runs():
    assert body(dialect(seed=7))["seed"] == 7
    assert body(dialect(seed=7), run=3)["seed"] == 9
    assert body(dialect("mistral", seed=7))["random_seed"] == 7
    assert "seed" not in body(dialect("deepseek", seed=7))
    assert "seed" not in body(dialect())


def test_other_parameters_make_another_request():
    one = dialect()
    assert body(one, parameters=Parameters(temperature=0.1))["temperature"] == 0.1
    assert body(one, parameters=Parameters(temperature=0.2))["temperature"] == 0.2
    assert "stream" not in body(one)
    assert body(one, stream=True)["stream"] is True
    assert "stream" not in body(one)


@given(st.text(), st.text())
def test_any_text_is_sent_as_it_is(system, prompt):
    messages = (Message(role="system", content=system), Message(role="user", content=prompt))
    sent = body(dialect(), messages=messages)["messages"]
    assert [turn["content"] for turn in sent] == [system, prompt]


def test_half_a_surrogate_pair_is_sent_escaped():
    sent = dialect().body(
        a_request(messages=(Message.model_construct(role="user", content="\ud83d"),)), stream=False
    )
    assert b'"\\ud83d"' in sent


def test_the_key_goes_into_the_head():
    assert dialect().headers("k") == {"Authorization": "Bearer k"}
    assert dialect().headers(None) == {}


@given(st.text())
def test_an_answer_in_one_piece_is_exact(text):
    draft = whole(chat(text))
    assert (draft.text, draft.reason(), draft.model) == (text, FinishReason.STOP, "gpt-x")


@given(st.lists(st.text(), max_size=5), CUTS)
def test_a_streamed_answer_is_exact_however_it_is_cut(texts, cuts):
    data = b"".join([*(chunk(text) for text in texts), chunk(finish="stop"), USAGE, DONE])
    reading = streamed(every_split(data, cuts))
    assert reading.is_done
    assert reading.draft.text == "".join(texts)
    assert reading.draft.usage["total_tokens"] == 11


@given(CUTS)
def test_utf_8_may_be_cut_within_a_character(cuts):
    raw = json.dumps(
        {"choices": [{"index": 0, "delta": {"content": "naïve 😀 漢字"}}]}, ensure_ascii=False
    )
    data = f"data: {raw}\n\n".encode()
    assert streamed(every_split(data, cuts)).draft.text == "naïve 😀 漢字"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("  \n", "  \n"),
        ([{"type": "text", "text": "4"}, {"type": "text", "text": "2"}], "42"),
        ([{"type": "thinking", "thinking": [1]}, {"type": "text", "text": "42"}], "42"),
        ([], ""),
        ("nul\x00 \x1b[31m \u202e", "nul\x00 \x1b[31m \u202e"),
        ("\ud83d", "\ud83d"),
    ],
)
def test_content_of_any_kind_is_read(content, text):
    assert whole(chat(content)).text == text


def test_of_two_choices_the_one_of_index_0_is_taken():
    choices = [
        {"index": 1, "message": {"content": "second"}, "finish_reason": "stop"},
        {"index": 0, "message": {"content": "first"}, "finish_reason": "length"},
    ]
    draft = whole({"choices": choices})
    assert (draft.text, draft.reason()) == ("first", FinishReason.LENGTH)
    data = {"choices": [{"index": 1, "delta": {"content": "b"}}, {"delta": {"content": "a"}}]}
    assert streamed([f"data: {json.dumps(data)}\n\n".encode()]).draft.text == "a"


def test_a_refusal_is_one():
    message = {"content": None, "refusal": "I can't."}
    draft = whole({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert (draft.text, draft.reason()) == ("I can't.", FinishReason.REFUSAL)


@pytest.mark.parametrize(
    ("finish", "flags"),
    [
        ("stop", []),
        ("length", []),
        ("content_filter", []),
        ("tool_calls", ["tool_call"]),
        ("something", ["unknown_finish"]),
        (None, ["no_finish"]),
    ],
)
def test_an_odd_ending_is_flagged(finish, flags):
    assert whole(chat("x", finish=finish)).flags(requested="gpt-x") == flags


def test_reasoning_alone_is_flagged():
    for field in ("reasoning_content", "reasoning"):
        message = {"content": "", field: "hm"}
        draft = whole({"choices": [{"message": message, "finish_reason": "length"}]})
        assert draft.flags(requested="m") == ["reasoning_only"]
        assert draft.reason() is FinishReason.LENGTH


def test_tool_calls_are_flagged_and_not_read():
    message = {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}
    draft = whole({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    assert draft.flags(requested="m") == ["tool_call"]


def test_another_model_is_flagged():
    assert whole(chat(model="other")).flags(requested="gpt-x") == ["other_model"]
    assert whole(chat(model="gpt-x-2025-01-01")).flags(requested="gpt-x") == []


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        ({}, "without choices"),
        ({"choices": []}, "without choices"),
        ({"choices": None}, "without choices"),
        ({"choices": [{"index": 0, "finish_reason": "stop"}]}, "without a message"),
        ({"choices": [{"message": {"content": 42}}]}, "unexpected format"),
        ({"choices": {"0": {}}}, "unexpected format"),
        ({"error": {"message": "sorry"}}, "sorry"),
        (b'{"choices":[],"choices":[]}', "duplicate key"),
        (b'{"choices":[{"message":{"content":"a","content":"b"}}]}', "duplicate key"),
    ],
)
def test_a_reply_without_a_message_is_a_bad_response(reply, what):
    with pytest.raises(BadResponse, match=what) as caught:
        whole(reply)
    assert caught.value.is_retryable


def test_an_error_that_names_its_status_counts_as_that():
    with pytest.raises(RateLimited):
        whole({"error": {"message": "slow down", "code": 429}})
    with pytest.raises(QuotaExhausted):
        whole({"error": {"message": "x", "code": "insufficient_quota"}})


@pytest.mark.parametrize(
    ("event", "kind", "status"),
    [
        (b'data: {"error":{"message":"m","code":502}}', ProviderError, 502),
        (b'data: {"error":{"message":"m","type":"rate_limit_exceeded"}}', RateLimited, 429),
        (b'event: error\ndata: {"message":"m","code":529}', ProviderError, 529),
        (b'event: error\ndata: {"error":{"message":"m","code":503}}', ProviderError, 503),
        (b"event: error\ndata: Internal failure", ProviderError, None),
        (b"event: error\ndata: {}", ProviderError, None),
        (b'data: {"error":"maximum context length exceeded"}', ContextOverflow, 400),
        (
            b'data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":502}}]}',
            ProviderError,
            502,
        ),
    ],
)
def test_an_error_in_a_stream_counts_as_its_status(event, kind, status):
    with pytest.raises(ProviderError) as caught:
        streamed([chunk("half"), event, b"\n\n"])
    assert type(caught.value) is kind
    assert caught.value.status == status


@pytest.mark.parametrize(
    "data", [b"{", b'{"choices":[{"delta":{"content":"a"', b"not json", b'{"choices":5}', b"42"]
)
def test_a_chunk_that_cant_be_read_is_a_bad_response(data):
    with pytest.raises(BadResponse):
        streamed([chunk("a"), b"data: ", data, b"\n\n", DONE])


def test_the_last_report_of_usage_counts_and_none_is_added():
    growing = [
        chunk("a", usage={"prompt_tokens": 9, "completion_tokens": n, "total_tokens": 9 + n})
        for n in (1, 2, 3)
    ]
    assert streamed(growing).draft.usage["completion_tokens"] == 3
    assert streamed([chunk("a", usage=None)]).draft.usage is None


def test_chunks_that_come_twice_are_kept_as_sent():
    assert streamed([chunk("a"), chunk("a")]).draft.text == "aa"


def test_chunks_without_choices_do_no_harm():
    empty = b'data:\n\ndata: {"choices":[]}\n\ndata: {"id":"x","object":"ping"}\n\n'
    assert streamed([empty, *STREAM]).draft.text == "42"


def test_reasoning_that_a_provider_leaves_out_of_the_completion_is_put_in():
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115}
    said = json.dumps(chat(usage=usage)).encode()
    beside = ChatCompletions(
        Endpoint(name="x", base_url="https://x", quirks=Quirks(reasoning_beside=True)), "gpt-x"
    )
    assert beside.read_whole(said).usage["completion_tokens"] == 105
    assert read_usage(beside.read_whole(said).usage).reasoning_tokens == 100
    assert dialect().read_whole(said).usage["completion_tokens"] == 5


def test_a_form_of_the_answer_is_asked_for_by_its_schema():
    schema = {"type": "object", "properties": {"score": {"type": "number"}}}
    sent = body(dialect(), response_schema=schema)["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == schema
    assert sent["json_schema"]["strict"] is True


def test_requests_with_and_without_a_form_do_not_get_mixed_up():
    one = dialect()
    assert "response_format" in body(one, response_schema={"type": "object"})
    assert "response_format" not in body(one)
    other = body(one, response_schema={"type": "array"})
    assert other["response_format"]["json_schema"]["schema"] == {"type": "array"}


@pytest.mark.parametrize(
    ("model", "takes"),
    [("gpt-4o-mini", True), ("gpt-5", True), ("o3-mini", True), ("gpt-4-turbo", False)],
)
def test_models_that_keep_to_a_schema_are_known(model, takes):
    assert endpoint_table()["openai"].quirks.takes_schema(model) is takes
    assert not PLAIN.quirks.takes_schema(model)
