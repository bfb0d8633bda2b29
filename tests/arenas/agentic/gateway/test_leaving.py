"""Requests that end before their answer: the agent leaves, the trial ends, the store fails."""

import asyncio
import json

import pytest
from aiohttp import web

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.errors import StoreError
from benchmaker.providers.forwarding import Forwarding
from benchmaker.record.agent_trial import AGENT_LEFT, TrialMeter, Wire
from tests.arenas.agentic.gateway import upstream
from tests.arenas.agentic.gateway.scripts import Answer, events, request
from tests.arenas.agentic.gateway.upstream import (
    CLAUDE,
    MODEL,
    MODELS,
    QUICK_RETRY,
    a_key,
    agent,
    gatewayed,
    modelled,
    post,
    token_headers,
)
from tests.databases import direct_transaction
from tests.providers.local import as_json, serving

ANSWER = Answer(uncached=900, output=70)


def hanging(wire: Wire, number: int, gone: asyncio.Event):
    """A server that sends the first events of an answer, and then nothing."""

    async def handle(asked: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(asked)
        for piece in list(events(wire, ANSWER))[:number]:
            await response.write(piece)
        try:
            await asyncio.sleep(60)
        finally:
            gone.set()
        return response

    return handle


async def read_some(session, wire, token):
    """The start of an answer, after which the agent leaves."""
    path, body = request(wire, ANSWER, "answer 0x")
    headers = token_headers(wire, token)
    async with session.post(f"http://gateway{path}", json=body, headers=headers) as reply:
        got = await reply.content.readany()
        reply.close()
        return got


async def row_with_status(store, key):
    """The only row, once it is finished."""
    for _ in range(500):
        rows = store.agent_trials.requests(key)
        if rows and rows[0].status:
            return rows[0]
        await asyncio.sleep(0.02)
    raise AssertionError(rows)


@pytest.mark.parametrize(
    ("wire", "number", "tokens"),
    [(Wire.CHAT, 2, None), (Wire.MESSAGES, 3, 900), (Wire.GEMINI, 2, 900)],
)
def test_an_agent_that_leaves_ends_the_request_to_the_model(store, wire, number, tokens):
    async def run():
        gone = asyncio.Event()
        async with (
            serving(hanging(wire, number, gone)) as seen,
            gatewayed(store, seen.url) as gateway,
        ):
            grant = gateway.grant(a_key(), MODELS[wire])
            async with agent(grant.socket) as session:
                assert b"data: " in await read_some(session, wire, grant.token)
                await asyncio.wait_for(gone.wait(), 20)
                return await row_with_status(store, a_key())

    row = asyncio.run(run())
    assert (row.was_cut, row.status, row.sends) == (True, AGENT_LEFT, 1)
    assert not row.is_endpoint_failure
    assert row.cost_usd is None
    assert (row.usage.input_tokens if row.usage else None) == tokens
    assert row.usage is None or row.usage.output_tokens is None


@pytest.mark.parametrize("is_streamed", [True, False])
def test_an_agent_that_leaves_before_the_answer_has_one_row(store, is_streamed):
    wire, answer = Wire.CHAT, Answer(is_streamed=is_streamed)

    async def run():
        async with modelled(answer) as model, gatewayed(store, model.url) as gateway:
            model.hold = asyncio.Event()
            grant = gateway.grant(a_key(), MODEL)
            path, body = request(wire, answer, "answer 0x")
            async with agent(grant.socket) as session:
                headers = token_headers(wire, grant.token)
                asked = asyncio.create_task(post(session, path, body, **headers))
                while not model.seen.bodies:  # noqa: ASYNC110  a list has no event
                    await asyncio.sleep(0.01)
                asked.cancel()
                row = await row_with_status(store, a_key())
            assert grant.fault == ""
            return row, await gateway.revoke(grant)

    row, meter = asyncio.run(run())
    assert [row] == list(store.agent_trials.requests(a_key()))
    assert (row.status, row.was_cut, row.sends, row.cost_usd) == (AGENT_LEFT, True, 1, None)
    assert (meter.requests, meter.cut_replies, meter.unknown_costs) == (1, 1, 1)


def test_a_request_that_never_left_was_not_sent(store):
    """The second request waits behind the first one."""
    wire, answer = Wire.CHAT, Answer(is_streamed=False)
    limits = RunLimits(concurrency=1)

    async def run():
        async with modelled(answer, answer) as model:
            forwarding = Forwarding(
                [MODEL], environ=upstream.environ(model.url), home=upstream.HOME
            )
            pace = RateLimiters(forwarding, limits, clock=SystemClock())
            async with gatewayed(store, model.url, limiters=pace) as gateway:
                model.hold = asyncio.Event()
                grant = gateway.grant(a_key(), MODEL)
                headers = token_headers(wire, grant.token)
                async with agent(grant.socket) as session:
                    path, body = request(wire, answer, "answer 0x")
                    first = asyncio.create_task(post(session, path, body, **headers))
                    while not model.seen.bodies:  # noqa: ASYNC110  a list has no event
                        await asyncio.sleep(0.01)
                    path, body = request(wire, answer, "answer 1x")
                    second = asyncio.create_task(post(session, path, body, **headers))
                    while len(store.agent_trials.requests(a_key())) < 2:  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                    second.cancel()
                    await asyncio.sleep(0.1)
                    model.hold.set()
                    await first
            await forwarding.close()

    asyncio.run(run())
    _, row = store.agent_trials.requests(a_key())
    assert (row.status, row.was_cut, row.sends) == (AGENT_LEFT, True, 0)
    assert (row.cost_usd, row.usage.input_tokens, row.usage.output_tokens) == (0.0, 0, 0)


def test_an_agent_that_leaves_while_the_endpoint_refuses_left_for_that(store):
    wire, answer = Wire.CHAT, Answer(is_streamed=False)

    async def run():
        busy = as_json({"error": {"message": "busy"}}, status=429, **{"retry-after": "30"})
        async with serving(busy) as seen, gatewayed(store, seen.url) as gateway:
            grant = gateway.grant(a_key(), MODEL)
            path, body = request(wire, answer, "answer 0x")
            async with agent(grant.socket) as session:
                headers = token_headers(wire, grant.token)
                asked = asyncio.create_task(post(session, path, body, **headers))
                while not seen.bodies:  # noqa: ASYNC110  a list has no event
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.3)
                asked.cancel()
                return await row_with_status(store, a_key())

    row = asyncio.run(run())
    assert (row.status, row.is_endpoint_failure) == (429, True)
    assert (row.sends, row.cost_usd, row.usage.input_tokens, row.usage.output_tokens) == (
        1,
        0,
        0,
        0,
    )


def test_a_request_that_was_sent_again_after_a_refusal_is_of_unknown_cost(store):
    """The second send may be answered when the agent leaves."""
    wire, answer = Wire.CHAT, Answer(is_streamed=False)
    received = []

    async def handle(asked):
        received.append(await asked.read())
        if len(received) == 1:
            return await as_json({}, status=429, **{"retry-after": "0"})(asked)
        await asyncio.sleep(60)
        return web.Response()

    async def run():
        async with (
            serving(handle) as seen,
            gatewayed(store, seen.url, retry=QUICK_RETRY) as gateway,
        ):
            grant = gateway.grant(a_key(), MODEL)
            path, body = request(wire, answer, "answer 0x")
            async with agent(grant.socket) as session:
                headers = token_headers(wire, grant.token)
                asked = asyncio.create_task(post(session, path, body, **headers))
                while len(received) < 2:  # noqa: ASYNC110  a list has no event
                    await asyncio.sleep(0.01)
                asked.cancel()
                return await row_with_status(store, a_key())

    row = asyncio.run(run())
    assert (row.status, row.sends, row.cost_usd, row.usage) == (429, 2, None, None)


def test_a_request_whose_connection_is_being_made_was_not_sent(store):
    """The endpoint accepts connections, and never begins to encrypt them."""
    wire, answer = Wire.CHAT, Answer(is_streamed=False)

    async def run():
        writers = []
        server = await asyncio.start_server(lambda _, it: writers.append(it), "127.0.0.1", 0)
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with gatewayed(store, url) as gateway:
            grant = gateway.grant(a_key(), MODEL)
            path, body = request(wire, answer, "answer 0x")
            async with agent(grant.socket) as session:
                headers = token_headers(wire, grant.token)
                asked = asyncio.create_task(post(session, path, body, **headers))
                while not writers:  # noqa: ASYNC110  a list has no event
                    await asyncio.sleep(0.01)
                asked.cancel()
                row = await row_with_status(store, a_key())
        server.close()
        writers[0].close()
        return row

    row = asyncio.run(run())
    assert (row.status, row.sends, row.cost_usd, row.usage.output_tokens) == (AGENT_LEFT, 0, 0, 0)


def test_the_end_of_a_trial_waits_for_the_rows_of_requests_that_were_left(store):
    """The agent has left, and its row waits for the store, when the trial ends."""
    wire, answer = Wire.CHAT, Answer(is_streamed=False)

    async def run():
        async with modelled(answer) as model, gatewayed(store, model.url) as gateway:
            model.hold = asyncio.Event()
            grant = gateway.grant(a_key(), MODEL)
            path, body = request(wire, answer, "answer 0x")
            async with agent(grant.socket) as session:
                headers = token_headers(wire, grant.token)
                asked = asyncio.create_task(post(session, path, body, **headers))
                while not model.seen.bodies:  # noqa: ASYNC110  a list has no event
                    await asyncio.sleep(0.01)
                with direct_transaction(store) as connection:
                    connection.exec_driver_sql("UPDATE gateway_requests SET number = number")
                    asked.cancel()
                    while grant.spending.unknown_costs == 0:  # noqa: ASYNC110  as above
                        await asyncio.sleep(0.01)
                    revoking = asyncio.create_task(gateway.revoke(grant))
                    await asyncio.wait([revoking], timeout=0.2)
                    is_early = revoking.done()
                await revoking
                return is_early, gateway.requests(a_key())

    is_early, (row,) = asyncio.run(run())
    assert (is_early, row.status) == (False, AGENT_LEFT)


def test_an_agent_that_leaves_after_the_last_word_has_a_whole_row(store):
    """The answer is whole with its reason to finish; what follows is usage alone."""
    wire = Wire.CHAT

    async def run():
        async def handle(asked):
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(asked)
            *first, usage, done = events(wire, ANSWER)
            await response.write(b"".join(first))
            await asyncio.sleep(0.3)
            await response.write(usage + done)
            return response

        async with serving(handle) as seen, gatewayed(store, seen.url) as gateway:
            grant = gateway.grant(a_key(), MODEL)
            async with agent(grant.socket) as session:
                assert b'"stop"' in await read_some(session, wire, grant.token)
                return await row_with_status(store, a_key())

    row = asyncio.run(run())
    assert (row.was_cut, row.usage.output_tokens) == (False, 70)


def test_the_end_of_a_trial_cuts_off_its_requests(store):
    async def run():
        gone = asyncio.Event()
        async with (
            serving(hanging(Wire.MESSAGES, 3, gone)) as seen,
            gatewayed(store, seen.url) as gateway,
        ):
            grant = gateway.grant(a_key(), CLAUDE)
            async with agent(grant.socket) as session:
                path, body = request(Wire.MESSAGES, ANSWER, "answer 0x")
                headers = token_headers(Wire.MESSAGES, grant.token)
                asked = asyncio.create_task(post(session, path, body, **headers))
                while not seen.bodies:  # noqa: ASYNC110  a list has no event
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.2)
                running = grant.meter()
                meter = await gateway.revoke(grant)
                assert (await asked).is_cut
            return running, meter

    running, meter = asyncio.run(run())
    assert running == TrialMeter(requests=1, unknown_usages=1, unknown_costs=1, cut_replies=1)
    assert meter.usage.input_tokens == 900
    assert meter == TrialMeter.of(store.agent_trials.requests(a_key()))


@pytest.mark.parametrize("is_streamed", [True, False])
def test_an_answer_that_can_not_be_stored_is_withheld(store, is_streamed):
    async def run():
        answer = Answer(is_streamed=is_streamed)
        async with modelled(answer) as model, gatewayed(store, model.url) as gateway:
            grant = gateway.grant(a_key(), CLAUDE)
            with direct_transaction(store) as connection:
                connection.exec_driver_sql("DROP TABLE gateway_requests")
            async with agent(grant.socket) as session:
                path, body = request(Wire.MESSAGES, answer, "answer 0x")
                headers = token_headers(Wire.MESSAGES, grant.token)
                got = await post(session, path, body, **headers)
                again = await post(session, path, body, **headers)
            assert isinstance(gateway.error, StoreError)
            assert grant.fault.startswith("the gateway failed: ")
            return got, again

    got, again = asyncio.run(run())
    assert b"message_stop" not in got.body
    assert got.is_cut or got.status == 500
    assert again.status == 500
    assert "could not store" in json.loads(again.body)["error"]["message"]
