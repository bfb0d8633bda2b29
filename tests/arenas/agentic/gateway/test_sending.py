"""Requests that an endpoint refuses for now are sent again, within limits."""

import asyncio

import pytest
from aiohttp import web

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.providers.forwarding import Forwarding
from benchmaker.record.agent_trial import Wire
from tests.arenas.agentic.gateway.scripts import Answer, request
from tests.arenas.agentic.gateway.upstream import (
    MODEL,
    QUICK_RETRY,
    a_key,
    agent,
    environ,
    gatewayed,
    post,
    token_headers,
)
from tests.providers.local import as_json, chat, serving, speaking

PLAIN = Answer(is_streamed=False)


def replying(*statuses: int):
    """A server that refuses with these statuses, and then answers."""
    coming = iter(statuses)

    async def handle(asked: web.Request) -> web.StreamResponse:
        status = next(coming, 200)
        if status == 200:
            return await as_json(chat())(asked)
        head = {"retry-after": "0"} if status == 429 else {}
        return await as_json({"error": {"message": "busy"}}, status=status, **head)(asked)

    return handle


async def ask(store, handler, **options):
    async with (
        serving(handler) as seen,
        gatewayed(store, seen.url, retry=QUICK_RETRY, **options) as gateway,
    ):
        grant = gateway.grant(a_key(), MODEL)
        async with agent(grant.socket) as session:
            path, body = request(Wire.CHAT, PLAIN, "answer 0x")
            got = await post(session, path, body, **token_headers(Wire.CHAT, grant.token))
        return got, seen


@pytest.mark.parametrize(
    ("statuses", "status", "sends"),
    [
        ((429, 503), 200, 3),
        ((529,), 200, 2),
        ((429, 429, 429), 429, 3),
        ((500,), 500, 1),
        ((400,), 400, 1),
    ],
)
def test_only_refusals_for_now_are_sent_again(store, statuses, status, sends):
    got, seen = asyncio.run(ask(store, replying(*statuses)))
    assert got.status == status
    assert len(seen.bodies) == sends
    (row,) = store.agent_trials.requests(a_key())
    assert (row.status, row.sends, row.was_cut) == (status, sends, False)
    if status != 200:
        assert got.json == {"error": {"message": "busy"}}
        assert (row.cost_usd, row.usage.output_tokens) == (0.0, 0)


PRICED = """
prices:
  "openai/*": {input: 1, output: 10, request: 0.5}
"""


@pytest.mark.parametrize("status", [500, 400, 503, 429])
def test_a_refused_request_costs_no_fee_and_uses_no_cap(store, tmp_path, status):
    (tmp_path / "prices.yaml").write_text(PRICED)

    async def run():
        async with (
            serving(replying(*[status] * 9)) as seen,
            gatewayed(store, seen.url, retry=QUICK_RETRY, home=tmp_path) as gateway,
        ):
            grant = gateway.grant(a_key(), MODEL)
            async with agent(grant.socket) as session:
                path, body = request(Wire.CHAT, PLAIN, "answer 0x")
                await post(session, path, body, **token_headers(Wire.CHAT, grant.token))
            return grant.spending.cost_usd, gateway.spending.cost_usd

    assert asyncio.run(run()) == (0.0, 0.0)
    (row,) = store.agent_trials.requests(a_key())
    assert (row.cost_usd, row.usage.output_tokens) == (0.0, 0)


def test_a_request_on_a_kept_connection_without_a_reply_is_not_sent_again(store):
    """It may have been paid for: the agent decides, and each request has a row."""
    whole = [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"]

    async def run():
        async with speaking(whole, None, whole) as (url, requests):
            async with gatewayed(store, url, retry=QUICK_RETRY) as gateway:
                grant = gateway.grant(a_key(), MODEL)
                async with agent(grant.socket) as session:
                    path, body = request(Wire.CHAT, PLAIN, "answer 0x")
                    head = token_headers(Wire.CHAT, grant.token)
                    got = [(await post(session, path, body, **head)).status for _ in range(2)]
            return got, requests

    got, requests = asyncio.run(run())
    assert (got, sum(requests)) == ([200, 502], 2)
    _, row = store.agent_trials.requests(a_key())
    assert (row.sends, row.cost_usd, row.was_cut) == (1, None, True)


def test_the_wait_named_by_the_endpoint_is_passed_on_with_the_refusal(store):
    got, _ = asyncio.run(ask(store, replying(429, 429, 429)))
    assert got.headers["retry-after"] == "0"


def test_rate_limits_are_shared_with_other_work(store):
    async def run():
        async with serving(replying()) as seen:
            forwarding = Forwarding([MODEL], environ=environ(seen.url))
            limiters = RateLimiters(forwarding, RunLimits(concurrency=3), clock=SystemClock())
            async with gatewayed(store, seen.url, limiters=limiters) as gateway:
                grant = gateway.grant(a_key(), MODEL)
                async with agent(grant.socket) as session:
                    path, body = request(Wire.CHAT, PLAIN, "answer 0x")
                    headers = token_headers(Wire.CHAT, grant.token)
                    limiter = limiters.limiter_of(MODEL)
                    flights = [limiter.send(0.0) for _ in range(3)]
                    asked = asyncio.create_task(post(session, path, body, **headers))
                    await asyncio.sleep(0.3)
                    assert seen.bodies == []
                    paused_s = grant.paused_s
                    limiter.record_drop(flights[0])
                    got = await asyncio.wait_for(asked, 10)
                    return got.status, paused_s > 0, grant.paused_s == grant.paused_s

    assert asyncio.run(run()) == (200, True, True)
