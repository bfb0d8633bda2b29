"""Faults in what is said: JSON, texts, tokens, events; each does what its name says."""

import json
import re

import pytest

from tests.live.server.app import FAULTS
from tests.live.server.reply_faults import REFUSAL, TEXTS, text_of
from tests.live.server.stream_faults import MULTILINGUAL
from tests.live.wire import PROMPT, ask, events, hear, said

PROTOCOLS = ["openai", "anthropic"]
SPOILT = ["malformed_json", "json_trailing", "invalid_utf8", "json_dupkeys", "json_deep"]
FINISHES = {
    "finish_length": ("length", "max_tokens"),
    "finish_unknown": ("eos_reached", "eos_reached"),
    "reasoning_only": ("length", "max_tokens"),
    "tool_call": ("tool_calls", "tool_use"),
    "refusal": ("stop", "refusal"),
}
INCOMPLETE = ["sse_truncated", "sse_no_finish", "sse_early_done", "sse_error_event"]


@pytest.fixture(params=PROTOCOLS)
def protocol(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "stream"])
def stream(request):
    return request.param


def payloads(reply):
    """The pieces of a reply that ought to be JSON."""
    if reply.headers.get_content_type() == "application/json":
        return [reply.body]
    return [data for _, data in events(reply.body) if data != b"[DONE]"]


def soundly(payload):
    """JSON as the standard has it: no key twice, no NaN, UTF-8."""

    def unique(pairs):
        assert len(dict(pairs)) == len(pairs), "a key is there twice"
        return dict(pairs)

    def refuse(word):
        raise ValueError(word)

    return json.loads(payload.decode(), object_pairs_hook=unique, parse_constant=refuse)


def objects(server, fault, *, protocol="openai", stream=False):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    return [soundly(payload) for payload in payloads(reply)]


@pytest.mark.parametrize("fault", SPOILT)
def test_spoilt_json_is_spoilt_in_one_place_alone(server, protocol, stream, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    bad = []
    for payload in payloads(reply):
        try:
            soundly(payload)
        except (ValueError, AssertionError, RecursionError) as exc:
            bad.append(type(exc).__name__)
    expected = {"invalid_utf8": "UnicodeDecodeError", "json_dupkeys": "AssertionError"}
    expected |= {"json_deep": "RecursionError"}
    assert bad == [expected.get(fault, "JSONDecodeError")]


def test_trailing_text_follows_sound_json(server):
    text = ask(server, "fault:json_trailing").body.decode()
    first, end = json.JSONDecoder().raw_decode(text)
    assert first["choices"][0]["message"]["content"] == "42"
    assert text[end:]


def test_a_doubled_key_hides_the_answer_from_who_takes_the_last(server):
    assert ask(server, "fault:json_dupkeys").json["choices"] == []


@pytest.mark.parametrize("fault", ["extra_fields", "json_nan", "json_bom"])
def test_odd_json_still_says_the_answer(server, protocol, stream, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    assert said(reply, protocol=protocol).text == "42"


def test_a_byte_order_mark_comes_first(server, stream):
    assert ask(server, "fault:json_bom", stream=stream).body.startswith(b"\xef\xbb\xbf")


def test_not_a_number_stands_in_an_unknown_field(server):
    assert b'"x_logprob": NaN' in ask(server, "fault:json_nan").body


@pytest.mark.parametrize(
    ("fault", "text"), [("empty_completion", ""), ("null_content", ""), ("whitespace", " \n\t ")]
)
def test_an_empty_answer_has_its_usual_envelope(server, protocol, stream, fault, text):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    told = said(reply, protocol=protocol)
    assert (told.text, told.is_ended) == (text, True)
    assert told.finish in {"stop", "end_turn"}


def test_null_is_not_the_empty_text(server):
    [openai] = objects(server, "null_content")
    assert openai["choices"][0]["message"]["content"] is None
    [anthropic] = objects(server, "null_content", protocol="anthropic")
    assert anthropic["content"] == [{"type": "text", "text": None}]


def test_choices_are_missing_empty_or_hollow(server, stream):
    member = "delta" if stream else "message"
    missing = objects(server, "missing_choices", stream=stream)
    assert not any("choices" in each for each in missing if not stream or not each.get("usage"))
    assert not any(each["choices"] for each in objects(server, "empty_choices", stream=stream))
    hollow = objects(server, "choice_no_message", stream=stream)
    assert not any(member in choice for each in hollow for choice in each["choices"])


def test_content_is_missing_empty_or_hollow(server):
    assert "content" not in objects(server, "missing_choices", protocol="anthropic")[0]
    assert objects(server, "empty_choices", protocol="anthropic")[0]["content"] == []
    hollow = objects(server, "choice_no_message", protocol="anthropic")[0]
    assert hollow["content"] == [{"type": "text"}]


def test_content_comes_in_parts(server, protocol, stream):
    reply = ask(server, "fault:content_parts", protocol=protocol, stream=stream)
    assert said(reply, protocol=protocol).text == "part one: 42" == text_of("content_parts", "42")
    assert reply.body.count(b'"type": "text"') >= 2


def test_the_second_of_two_choices_comes_first(server, stream):
    reply = ask(server, "fault:two_choices", stream=stream)
    assert said(reply, protocol="openai").text == "42"
    right = b'"content": "4"' if stream else b'"content": "42"'
    assert reply.body.index(b"not this one") < reply.body.index(right)


@pytest.mark.parametrize("fault", FINISHES)
def test_a_finish_is_told_in_the_words_of_the_protocol(server, protocol, stream, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    told = said(reply, protocol=protocol)
    assert told.finish == FINISHES[fault][PROTOCOLS.index(protocol)]
    assert told.text == ("42" if fault.startswith("finish") else "")


def test_a_filter_ends_the_answer(server, stream):
    reply = ask(server, "fault:finish_filter", stream=stream)
    assert said(reply, protocol="openai").finish == "content_filter"


def test_a_filter_in_the_middle_leaves_half_of_the_text(server, protocol):
    reply = ask(server, "fault:sse_filter_mid", protocol=protocol, stream=True)
    told = said(reply, protocol=protocol)
    assert told.text == "4"
    assert told.finish == ("refusal" if protocol == "anthropic" else "content_filter")


def test_what_stands_beside_the_text_is_there(server, stream):
    assert REFUSAL.encode() in ask(server, "fault:refusal", stream=stream).body
    assert b"get_weather" in ask(server, "fault:tool_call", stream=stream).body
    for protocol in PROTOCOLS:
        reply = ask(server, "fault:reasoning_only", protocol=protocol, stream=stream)
        assert b"Let me think." in reply.body


@pytest.mark.parametrize(
    ("fault", "openai", "anthropic"),
    [
        ("zero_usage", (0, 0, 0), (0, 0)),
        ("negative_usage", (-12, 2, 9), (-12, 2)),
        ("huge_usage", (10**40, 2, 10**40 + 2), (10**40, 2)),
        ("float_usage", (12.5, 2, 14.5), (12.5, 2)),
        ("string_usage", ("12", "3", "15"), ("12", "3")),
        ("wrong_usage", (7, 2, 2), (7, 2, 10, {"ephemeral_5m_input_tokens": 3,
                                               "ephemeral_1h_input_tokens": 3})),
    ],
)  # fmt: skip
def test_tokens_are_reported_as_the_fault_says(server, stream, fault, openai, anthropic):
    expected = {"openai": openai, "anthropic": anthropic}
    for protocol, figures in expected.items():
        reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
        told = said(reply, protocol=protocol)
        assert told.text == "42"
        assert told.usage is not None
        assert tuple(told.usage.values()) == figures


@pytest.mark.parametrize("fault", ["missing_usage", "sse_usage_none"])
def test_tokens_are_not_reported(server, protocol, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=True)
    assert (said(reply, protocol=protocol).usage, said(reply, protocol=protocol).text) == (
        None,
        "42",
    )


def test_the_reply_names_another_model_or_the_same_id(server, protocol, stream):
    wrong = ask(server, "fault:wrong_model", protocol=protocol, stream=stream)
    assert said(wrong, protocol=protocol).model == "another-model-2"
    for _ in range(2):
        same = ask(server, "fault:same_id", protocol=protocol, stream=stream)
        assert b'"id": "always-the-same"' in same.body


@pytest.mark.parametrize("fault", TEXTS)
def test_a_hostile_text_arrives_as_it_is(server, protocol, stream, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=stream)
    assert said(reply, protocol=protocol).text == text_of(fault, "42") != "42"


@pytest.mark.parametrize("fault", INCOMPLETE)
def test_an_incomplete_stream_says_no_reason_before_its_end(server, protocol, fault):
    body = ask(server, f"fault:{fault}", protocol=protocol, stream=True).body
    before_end = re.split(rb"data: \[DONE\]|event: message_stop", body)[0]
    assert b'"4"' in before_end
    assert not re.search(rb'(finish|stop)_reason": "', before_end)


def test_a_stream_is_reset_after_the_first_piece_of_text(server, protocol):
    heard = hear(server, "fault:sse_reset", protocol=protocol, stream=True)
    assert heard.end == "reset"
    assert b'"4"' in heard.data
    assert b'"2"' not in heard.data


def test_a_stream_may_end_without_saying_so(server, protocol):
    reply = ask(server, "fault:sse_no_done", protocol=protocol, stream=True)
    told = said(reply, protocol=protocol)
    assert (told.text, told.is_ended) == ("42", False)
    assert told.finish in {"stop", "end_turn"}


@pytest.mark.parametrize(
    ("fault", "word"), [("sse_error_event", "overloaded"), ("sse_error_rate", "rate_limit")]
)
def test_an_error_comes_in_the_middle_of_a_stream(server, protocol, fault, word):
    last = objects(server, fault, protocol=protocol, stream=True)[-1]
    assert word in last["error"]["type"]


def test_a_bad_chunk_stands_between_good_ones(server, protocol):
    reply = ask(server, "fault:sse_bad_chunk", protocol=protocol, stream=True)
    sound = []
    for payload in payloads(reply):
        try:
            sound.append(bool(soundly(payload)))
        except ValueError:
            sound.append(False)
    assert sound.count(False) == 1
    assert sound[0]
    assert sound[-1]


def test_every_piece_comes_twice(server, protocol):
    reply = ask(server, "fault:sse_dup_chunks", protocol=protocol, stream=True)
    assert said(reply, protocol=protocol).text == "4422"


@pytest.mark.parametrize("fault", ["sse_usage_twice", "sse_usage_growing"])
def test_tokens_come_more_than_once_and_the_last_are_right(server, protocol, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=True)
    honest = said(ask(server, "plain", protocol=protocol, stream=True), protocol=protocol)
    told = said(reply, protocol=protocol)
    assert (told.usage, told.text, told.finish) == (honest.usage, "42", honest.finish)
    assert reply.body.count(b'"usage": {') >= 2


def test_characters_are_cut_in_the_middle(server, protocol):
    reply = ask(server, "fault:sse_split_utf8", protocol=protocol, stream=True)
    assert said(reply, protocol=protocol).text == MULTILINGUAL.format(answer="42")
    heard = hear(server, "fault:sse_split_utf8", protocol=protocol, stream=True)
    chunks = heard.body.split(b"\r\n")[1::2]
    spoilt = [chunk for chunk in chunks if chunk and not _is_text(chunk)]
    assert len(spoilt) > 4


def _is_text(chunk):
    try:
        return bool(chunk.decode())
    except UnicodeDecodeError:
        return False


@pytest.mark.parametrize("fault", ["sse_crlf", "sse_comments", "sse_multiline", "sse_slow"])
def test_a_stream_in_an_odd_but_lawful_form_says_the_same(server, protocol, fault):
    reply = ask(server, f"fault:{fault}", protocol=protocol, stream=True)
    honest = ask(server, "plain", protocol=protocol, stream=True)
    assert said(reply, protocol=protocol).text == "42"
    assert len(payloads(reply)) == len(payloads(honest))
    assert (reply.body != honest.body) or fault == "sse_slow"


def test_odd_forms_are_what_they_are_called(server):
    bodies = {
        fault: ask(server, f"fault:{fault}", stream=True).body
        for fault in ("sse_crlf", "sse_comments", "sse_multiline", "sse_empty_choices")
    }
    assert b"\n" not in bodies["sse_crlf"].replace(b"\r\n", b"")
    assert b"\n: PROCESSING\n" in bodies["sse_comments"]
    assert max(data.count(b"\n") for _, data in events(bodies["sse_multiline"])) > 2
    assert bodies["sse_empty_choices"].count(b'"choices": []') > 3


def test_text_after_the_end_stands_after_the_end(server, protocol):
    body = ask(server, "fault:sse_after_done", protocol=protocol, stream=True).body
    before, after = re.split(rb"data: \[DONE\]|event: message_stop", body)
    assert re.search(rb'(finish|stop)_reason": "', before)
    assert b'"4"' in after


def test_json_may_come_in_place_of_a_stream(server, protocol):
    reply = ask(server, "fault:sse_json_instead", protocol=protocol, stream=True)
    assert reply.headers.get_content_type() == "application/json"
    assert said(reply, protocol=protocol).text == "42"


@pytest.mark.parametrize("fault", [name for name, each in FAULTS.items() if each.needs_stream])
def test_a_fault_of_streams_leaves_whole_answers_alone(server, fault):
    for protocol in FAULTS[fault].protocols:
        reply = ask(server, f"fault:{fault}", protocol=protocol, prompt=PROMPT)
        assert said(reply, protocol=protocol).text == "42"
