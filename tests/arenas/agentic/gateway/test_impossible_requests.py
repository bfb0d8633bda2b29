"""Numbers and texts that no request can have, and replies that no endpoint gives."""

import asyncio
import json

import pytest
from aiohttp import web

from benchmaker.arenas.agentic.gateway.caps import SeriesCaps, Spending
from benchmaker.arenas.agentic.gateway.request_rows import RequestRows
from benchmaker.errors import StoreError
from benchmaker.record.agent_trial import GatewayRequest, Wire
from benchmaker.store import Store
from tests.arenas.agentic.gateway.scripts import Answer, events, request, whole
from tests.arenas.agentic.gateway.upstream import (
    MODELS,
    a_key,
    agent,
    gatewayed,
    modelled,
    post,
    token_headers,
)
from tests.providers.local import serving

PLAIN = Answer(is_streamed=False)
LIMITS = {
    Wire.CHAT: ("max_tokens", "max_completion_tokens"),
    Wire.RESPONSES: ("max_output_tokens",),
    Wire.MESSAGES: ("max_tokens",),
    Wire.GEMINI: ("maxOutputTokens",),
}
NUMBERS = [10**30, 2**63, -(10**30), -1, 0, 1.5, 1e308, "many", True, [1], {"a": 1}]


def changed(wire, body, name, value):
    if wire is Wire.GEMINI:
        return {**body, "generationConfig": {name: value}}
    return {**body, name: value}


@pytest.mark.parametrize("wire", list(Wire))
def test_a_request_with_an_impossible_limit_is_the_endpoints_to_judge(store, wire):
    """It reserves the most that any model writes, and has a row like every other."""

    async def run():
        async with modelled() as model, gatewayed(store, model.url) as gateway:
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(grant.socket) as session:
                for name in LIMITS[wire]:
                    for number in NUMBERS:
                        (mark,) = model.add(PLAIN)
                        path, body = request(wire, PLAIN, mark)
                        body = changed(wire, body, name, number)
                        got = await post(session, path, body, **token_headers(wire, grant.token))
                        assert got.status == 200, number
            assert (gateway.error, grant.fault) == (None, "")

    asyncio.run(run())
    rows = store.agent_trials.requests(a_key())
    assert len(rows) == len(NUMBERS) * len(LIMITS[wire])
    assert all(0 < row.most_tokens < 2_000_000 for row in rows)


@pytest.mark.parametrize(("wire", "name"), [(Wire.CHAT, "n"), (Wire.GEMINI, "candidateCount")])
@pytest.mark.parametrize("number", [10**30, -1, 0, 1.5, "5", True])
def test_an_impossible_number_of_answers_is_refused(store, wire, name, number):
    async def run():
        async with modelled(PLAIN) as model, gatewayed(store, model.url) as gateway:
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(grant.socket) as session:
                path, body = request(wire, PLAIN, "answer 0x")
                body = changed(wire, body, name, number)
                got = await post(session, path, body, **token_headers(wire, grant.token))
            assert not model.sent
            return got

    got = asyncio.run(run())
    assert got.status == 400
    assert "a whole number from 1 to 1,000" in got.json["error"]["message"]
    assert store.agent_trials.requests(a_key()) == ()


def test_the_requested_name_of_a_model_is_kept_without_control_characters(store):
    async def run():
        async with modelled(PLAIN) as model, gatewayed(store, model.url) as gateway:
            grant = gateway.grant(a_key(), MODELS[Wire.CHAT])
            async with agent(grant.socket) as session:
                path, body = request(Wire.CHAT, PLAIN, "answer 0x")
                headers = token_headers(Wire.CHAT, grant.token)
                await post(session, path, body | {"model": "gpt\0\n\x1b[1m-5"}, **headers)

    asyncio.run(run())
    (row,) = store.agent_trials.requests(a_key())
    assert row.requested_model == "gpt[1m-5"


def a_row(number, **fields):
    fixed = {"wire": Wire.CHAT, "model": "m", "endpoint": "up", "started_at": "", "status": 200}
    return GatewayRequest(key=a_key(), number=number, **{**fixed, **fields})


@pytest.fixture(params=["sqlite", "postgresql"])
def either_store(request):
    if request.param == "sqlite":
        yield request.getfixturevalue("store")
        return
    new_database, template = map(request.getfixturevalue, ("new_database", "template"))
    with Store.open(new_database(template)) as opened:
        yield opened


@pytest.mark.postgresql("its driver refuses values in other ways")
def test_a_row_that_the_store_does_not_accept_stops_no_other(either_store):
    store = either_store

    async def run():
        rows = RequestRows(store)
        given = [a_row(1), a_row(2, most_tokens=2**63), a_row(3), a_row(4, sends=2**70), a_row(5)]
        for put in (rows.begin, rows.put):
            ends = await asyncio.gather(*map(put, given), return_exceptions=True)
            assert [type(it) for it in ends] == [
                type(None), StoreError, type(None), StoreError, type(None),
            ]  # fmt: skip
        assert rows.error is None
        await rows.put(a_row(6))
        await rows.close()

    asyncio.run(run())
    assert [row.number for row in store.agent_trials.requests(a_key())] == [1, 3, 5, 6]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>busy</html>",
        b"",
        b"null",
        b"{",
        b'{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100}',
    ],
)
def test_a_page_in_place_of_an_answer_is_the_endpoints_failure(store, body):
    async def handle(_asked: web.Request) -> web.Response:
        return web.Response(body=body, content_type="text/html")

    async def run():
        async with serving(handle) as seen, gatewayed(store, seen.url) as gateway:
            grant = gateway.grant(a_key(), MODELS[Wire.MESSAGES])
            async with agent(grant.socket) as session:
                path, sent = request(Wire.MESSAGES, PLAIN, "answer 0x")
                headers = token_headers(Wire.MESSAGES, grant.token)
                return await post(session, path, sent, **headers)

    got = asyncio.run(run())
    assert got.status == 502
    assert "is not JSON" in json.loads(got.body)["error"]["message"]
    (row,) = store.agent_trials.requests(a_key())
    assert (row.status, row.is_endpoint_failure, row.cost_usd, row.usage) == (502, True, None, None)
    assert row.most_usd > 0
    spending = Spending(SeriesCaps(cost_usd=row.most_usd), scope="series")
    spending.resume([row])
    assert "1 request of unknown cost" in spending.refusal()


ERROR = {"error": {"message": "overloaded"}}
REPORTS = [
    (ERROR, 502),
    ({"error": "busy"}, 502),
    ({"type": "error", "error": {"type": "api_error"}}, 502),
    ({"error": {"code": 429, "message": "slow down"}}, 429),
    ({"error": {"code": 402}}, 402),
    ({"error": {"code": 7}}, 502),
    ([{"error": {"code": 503}}], 503),
]


def errored(store, wire, handle, answer=PLAIN):
    """What an agent gets from an endpoint that reports an error, and the row of its request."""

    async def run():
        async with serving(handle) as seen, gatewayed(store, seen.url) as gateway:
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(grant.socket) as session:
                path, sent = request(wire, answer, "answer 0x")
                return await post(session, path, sent, **token_headers(wire, grant.token))

    got = asyncio.run(run())
    (row,) = store.agent_trials.requests(a_key())
    return got, row


@pytest.mark.parametrize("wire", list(Wire))
@pytest.mark.parametrize(("body", "status"), REPORTS)
def test_an_error_with_status_200_is_the_endpoints_failure(store, wire, body, status):
    async def handle(_asked: web.Request) -> web.Response:
        return web.json_response(body)

    got, row = errored(store, wire, handle)
    assert (got.status, json.loads(got.body)) == (status, body)
    assert (row.status, row.is_endpoint_failure, row.cost_usd) == (status, True, 0.0)


def test_an_error_after_a_part_of_an_answer_is_of_unknown_cost(store):
    async def handle(_asked: web.Request) -> web.Response:
        return web.json_response([{"candidates": [{"content": {}}]}, {"error": {"code": 503}}])

    _, row = errored(store, Wire.GEMINI, handle)
    assert (row.status, row.is_endpoint_failure, row.cost_usd) == (503, True, None)


def test_an_error_in_a_stream_with_a_usage_costs_that(store):
    report = {"error": {"message": "busy"}, "usage": whole(Wire.CHAT, PLAIN)["usage"]}

    async def handle(_asked: web.Request) -> web.Response:
        data = f"data: {json.dumps(report)}\n\n".encode()
        return web.Response(body=data, content_type="text/event-stream")

    _, row = errored(store, Wire.CHAT, handle, STREAMED)
    assert row.is_endpoint_failure
    assert row.cost_usd != 0.0


@pytest.mark.parametrize("wire", list(Wire))
def test_an_answer_with_an_empty_error_is_an_answer(store, wire):
    async def handle(_asked: web.Request) -> web.Response:
        return web.json_response({**whole(wire, PLAIN), "error": None})

    got, row = errored(store, wire, handle)
    assert (got.status, row.is_endpoint_failure) == (200, False)
    assert row.usage.output_tokens == PLAIN.output


STREAMED = Answer(words=("one ", "two"))


@pytest.mark.parametrize("wire", list(Wire))
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("end", [b"", b"data: [DONE]\n\n"])
def test_an_error_in_a_stream_is_the_endpoints_failure(store, wire, before, end):
    """Without anything before it, it costs nothing, as a refusal."""
    first = list(events(wire, STREAMED))[:before]
    data = b"".join((*first, b'data: {"error":{"message":"overloaded","code":502}}\n\n', end))

    async def handle(_asked: web.Request) -> web.Response:
        return web.Response(body=data, content_type="text/event-stream")

    got, row = errored(store, wire, handle, STREAMED)
    assert b"overloaded" in got.body
    assert (row.was_cut, row.is_endpoint_failure) == (True, True)
    assert (row.cost_usd == 0.0) == (before == 0)


@pytest.mark.parametrize(
    "event", [{"type": "error", "message": "x"}, {"type": "response.failed", "response": {}}]
)
def test_an_error_event_of_responses_is_the_endpoints_failure(store, event):
    data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()

    async def handle(_asked: web.Request) -> web.Response:
        return web.Response(body=data, content_type="text/event-stream")

    _, row = errored(store, Wire.RESPONSES, handle, STREAMED)
    assert row.is_endpoint_failure
