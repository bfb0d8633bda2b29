import asyncio
import gzip
import json
from dataclasses import replace

import pytest
from aiohttp import web

from benchmaker.errors import (
    AuthError,
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    Timeout,
)
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.protocols.rate_hints import Allowance
from benchmaker.record import Completion, FinishReason, Usage
from benchmaker.testing import a_request
from tests.providers.local import (
    DONE,
    KEY,
    PATIENT,
    STREAM,
    USAGE,
    as_json,
    as_stream,
    asking,
    chat,
    chunk,
    reply_of,
    serving,
    speaking,
)

ASK = a_request(model="openai/gpt-x")
BOTH = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


def answered(handler, *, limits=PATIENT, stream=True, **options) -> Completion:
    async def ask():
        async with (
            serving(handler) as seen,
            asking(seen.url, limits=limits, stream=stream, **options) as live,
        ):
            return await live.complete(ASK)

    return asyncio.run(ask())


def failed(handler, kind=ProviderError, match=None, **options) -> ProviderError:
    with pytest.raises(kind, match=match) as caught:
        answered(handler, **options)
    return caught.value


def test_a_streamed_answer_has_text_times_and_tokens():
    answer = answered(as_stream(*STREAM, pause_s=0.02))
    assert answer.text == "42"
    assert answer.finish is FinishReason.STOP
    assert answer.usage == Usage(input_tokens=9, output_tokens=2)
    assert answer.model == "gpt-x"
    assert answer.flags == ()
    assert 0 < answer.first_byte_s < answer.latency_s - 0.05


def test_an_answer_in_one_piece_has_them_too():
    answer = answered(as_json(chat()), stream=False)
    assert (answer.text, answer.usage) == ("42", Usage(input_tokens=9, output_tokens=2))
    assert 0 < answer.first_byte_s <= answer.latency_s


def test_the_first_piece_of_the_answer_is_timed_and_not_what_comes_before():
    early = b": waiting\n\n", chunk("")
    answer = answered(as_stream(*early, *STREAM, pause_s=0.1))
    assert answer.first_byte_s >= 0.2


def test_connections_are_used_again_after_streams():
    async def ask():
        async with serving(as_stream(*STREAM)) as seen, asking(seen.url) as live:
            for _ in range(5):
                await live.complete(ASK)
            return len(seen.connections)

    assert asyncio.run(ask()) == 1


def test_a_request_may_ask_for_one_piece():
    async def ask():
        async with serving(as_json(chat())) as seen, asking(seen.url) as live:
            await live.complete(a_request(model="openai/gpt-x", stream=False))
            return seen.bodies[0]

    assert "stream" not in asyncio.run(ask())


@BOTH
def test_json_and_streams_are_read_whichever_was_asked_for(stream):
    assert answered(as_json(chat()), stream=stream).text == "42"
    assert answered(as_stream(*STREAM), stream=stream).text == "42"


def test_json_under_the_name_of_a_stream_is_read():
    assert answered(as_stream(b"\xef\xbb\xbf " + json.dumps(chat()).encode())).text == "42"


def test_a_stream_without_a_name_is_read():
    async def handle(request):
        del request
        return web.Response(body=b"".join(STREAM), headers={"Content-Type": "text/plain"})

    assert answered(handle).text == "42"


@BOTH
@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"message": "slow"}, RateLimited),
        (429, {"code": "insufficient_quota", "message": "m"}, QuotaExhausted),
        (402, {"message": "m"}, QuotaExhausted),
        (401, {"message": "m"}, AuthError),
        (403, {"message": "m"}, AuthError),
        (400, {"code": "context_length_exceeded", "message": "m"}, ContextOverflow),
        (400, {"code": "content_filter", "message": "m"}, Refused),
        (404, {"message": "m"}, ProviderError),
        (500, {"message": "m"}, ProviderError),
        (529, {"message": "m"}, ProviderError),
        (307, {"message": "m"}, ProviderError),
        (204, None, BadResponse),
    ],
)
def test_a_failure_is_what_its_status_and_text_say(status, error, kind, stream):
    error = failed(as_json({"error": error}, status=status), kind, stream=stream)
    assert type(error) is kind
    assert error.status == status


def test_the_wait_comes_with_the_error():
    handler = as_json({}, status=429, **{"Retry-After": "3600"})
    assert failed(handler, RateLimited).retry_after_s == 3600.0


@BOTH
@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "empty reply"),
        (b"<html><h1>Welcome</h1></html>", "not JSON"),
        (b'{"choices": [{"message": {"content": "half', "not JSON"),
        (b'{"choices": []} trailing', "not JSON"),
        (b'{"choices": []}', "without choices"),
        (b'{"error": {"message": "sorry"}}', "sorry"),
        (b"null", "unexpected format"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_what_is_no_answer_is_a_bad_response(body, what, stream):
    assert failed(as_json(body), BadResponse, what, stream=stream).is_retryable


def test_the_start_of_what_was_sent_instead_is_told():
    error = failed(as_json(b"<h1>Log in to the hotel's network</h1>"), BadResponse, stream=False)
    assert "Log in to the hotel's network" in error.message


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [chunk("4")],
        [chunk("4"), b'data: {"choi'],
        [chunk("4"), DONE],
        [chunk("4"), USAGE, DONE],
        [chunk("4"), DONE, chunk("2"), chunk(finish="stop")],
    ],
)
def test_a_stream_that_ends_before_the_answer_is_a_bad_response(pieces):
    error = failed(as_stream(*pieces), BadResponse)
    assert error.is_retryable
    assert error.partial_text == ("4" if pieces else "")


def test_a_stream_that_breaks_off_keeps_its_text_apart():
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    data = chunk("half")
    cut = [head, f"{len(data):x}\r\n".encode() + data + b"\r\n", b"ff\r\nconnection: close"]

    async def ask():
        async with speaking(cut, pause_s=0.05) as (url, _), asking(url) as live:
            await live.complete(ASK)

    with pytest.raises(BadResponse, match="was cut off") as caught:
        asyncio.run(ask())
    assert caught.value.partial_text == "half"


def test_a_stream_that_falls_silent_keeps_its_text_apart():
    handler = as_stream(chunk("half"), hang_s=30)
    error = failed(handler, Timeout, "idle limit", limits=replace(PATIENT, idle_s=0.3))
    assert error.partial_text == "half"


def test_an_error_in_a_stream_keeps_the_text_apart():
    broken = b'data: {"error": {"message": "gone", "code": 502}}\n\n'
    error = failed(as_stream(chunk("half"), broken), ProviderError)
    assert (error.status, error.partial_text) == (502, "half")


@pytest.mark.parametrize(
    ("pieces", "usage"),
    [
        ([chunk("42"), chunk(finish="stop")], None),
        ([chunk("42"), chunk(finish="stop"), USAGE], Usage(input_tokens=9, output_tokens=2)),
        ([chunk("42"), chunk(finish="stop"), b'data: {"cut'], None),
    ],
)
def test_an_answer_whose_end_is_known_is_whole_without_the_last_word(pieces, usage):
    answer = answered(as_stream(*pieces))
    assert (answer.text, answer.usage) == ("42", usage)
    assert "no_done" in answer.flags


def test_a_stream_that_hangs_after_its_answer_is_whole():
    handler = as_stream(chunk("42"), chunk(finish="stop"), hang_s=30)
    answer = answered(handler, limits=replace(PATIENT, idle_s=1.0))
    assert answer.text == "42"
    assert answer.flags == ("no_done",)
    assert answer.latency_s < 1.0


def test_nobody_waits_for_a_stream_to_close():
    answer = answered(as_stream(*STREAM, hang_s=30), limits=HttpLimits())
    assert answer.flags == ()
    assert answer.latency_s < 1


def test_text_after_the_last_word_is_ignored():
    assert answered(as_stream(*STREAM, chunk("late"))).text == "42"


def test_a_huge_line_is_refused():
    error = failed(
        as_stream(b"data: " + b"x" * 2**17, hang_s=30), BadResponse, "longer than 64 KiB"
    )
    assert not error.is_retryable


def test_half_of_a_packed_answer_is_a_bad_response():
    packed = gzip.compress(json.dumps(chat("x" * 5000)).encode())
    reply = reply_of(packed[: len(packed) // 2], more="Content-Encoding: gzip\r\n")

    async def ask():
        async with speaking(reply) as (url, _), asking(url, stream=False) as live:
            await live.complete(ASK)

    with pytest.raises(BadResponse):
        asyncio.run(ask())


def test_usage_that_cant_be_true_is_dropped_and_the_answer_kept():
    answer = answered(as_json(chat(usage={"prompt_tokens": -5, "completion_tokens": 2})))
    assert (answer.text, answer.usage) == ("42", Usage(flags=("usage_negative",)))
    assert answer.flags == ("usage_negative",)
    assert answer.cost_usd is None


def test_a_reconnection_is_flagged():
    said = reply_of(json.dumps(chat()).encode())

    async def ask():
        async with speaking(said, None, said) as (url, counts), asking(url, stream=False) as live:
            first = await live.complete(ASK)
            second = await live.complete(ASK)
            return first.flags, second.flags, counts

    assert asyncio.run(ask()) == ((), ("reconnected",), [2, 1])


def test_parameters_that_are_not_sent_are_flagged():
    async def ask():
        async with serving(as_json(chat(model="o3"))) as seen:
            async with asking(seen.url, "openai/o3") as live:
                answer = await live.complete(a_request(model="openai/o3"))
            return answer.flags, seen.bodies[0]

    flags, body = asyncio.run(ask())
    assert flags == ("unsent_temperature",)
    assert "temperature" not in body


def test_limits_that_replies_speak_of_are_passed_on():
    heard = []
    head = {"x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "59"}
    answered(as_json(chat(), **head), on_hints=lambda key, hints: heard.append((key, hints)))
    failed(as_json({}, status=429, **head), on_hints=lambda key, hints: heard.append((key, hints)))
    assert [key.key for key, _ in heard] == ["OPENAI_API_KEY"] * 2
    assert [hints.requests for _, hints in heard] == [Allowance(60, 59)] * 2


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}.",
        f"x{KEY}x",
        "y " * 150 + KEY,
        "y " * 198 + KEY,
        " " * 1590 + KEY,
    ],
)
def test_a_key_that_is_echoed_is_never_shown(text, stream):
    for handler in (
        as_json({"error": {"message": text}}, status=401),
        as_json(text.encode(), status=500),
        as_json(text.encode()),
        as_stream(f'data: {{"error": {json.dumps({"message": text})}}}\n\n'.encode()),
        as_stream(chunk(text)),
    ):
        error = failed(handler, stream=stream)
        for shown in (str(error), repr(error), error.message, error.partial_text, *error.args):
            assert KEY not in shown
            assert KEY[:24] not in shown


def test_a_key_in_an_answer_is_taken_out_and_flagged():
    answer = answered(as_json(chat(f"Your key is {KEY}.", model=KEY)))
    assert answer.text == "Your key is [redacted]."
    assert KEY not in repr(answer)
    assert "key_redacted" in answer.flags


def test_a_key_is_sent_to_its_own_host_alone():
    async def ask():
        async with serving(as_json(chat())) as other:
            moved = as_json({}, status=307, Location=f"{other.url}/v1/chat/completions")
            async with serving(moved) as seen:
                environ = {"OLLAMA_HOST": other.url}
                models = ("openai/gpt-x", "ollama/llama3", f"{other.url}/v1#m")
                async with asking(seen.url, *models, environ=environ) as live:
                    with pytest.raises(ProviderError, match="HTTP 307"):
                        await live.complete(ASK)
                    for model in models[1:]:
                        await live.complete(a_request(model=model))
            return seen.heads, other.heads

    own, others = asyncio.run(ask())
    assert [head["authorization"] for head in own] == [f"Bearer {KEY}"]
    assert len(others) == 2
    assert not any(KEY in str(head) for head in others)


def test_cancelling_leaves_nothing_behind():
    async def ask():
        async with (
            serving(as_stream(chunk("4"), hang_s=30)) as seen,
            asking(seen.url, limits=HttpLimits()) as live,
        ):
            task = asyncio.ensure_future(live.complete(ASK))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(ask())
