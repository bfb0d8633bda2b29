"""Numbers and texts that no request can have, and replies that no endpoint gives."""

import asyncio
import json

import pytest
from aiohttp import web

from benchmaker.arenas.agentic.gateway.request_rows import RequestRows
from benchmaker.errors import StoreError
from benchmaker.record.agent_trial import GatewayRequest, Wire
from tests.arenas.agentic.gateway.scripts import Answer, request
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


def test_a_row_that_the_store_does_not_accept_stops_no_other(store):
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


@pytest.mark.parametrize("body", [b"<html>busy</html>", b"", b"null", b"{"])
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
    assert (row.status, row.is_endpoint_failure, row.cost_usd) == (502, True, 0.0)
