"""Requests that the gateway holds, and that their agent gives up meanwhile."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from benchmaker.arenas.agentic.gateway.caps import SeriesCaps
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.providers.forwarding import Forwarding
from benchmaker.record.agent_trial import AGENT_LEFT, Wire
from tests.arenas.agentic.gateway import upstream
from tests.arenas.agentic.gateway.scripts import Answer, request
from tests.arenas.agentic.gateway.upstream import (
    MODEL,
    a_key,
    agent,
    gatewayed,
    modelled,
    post,
    token_headers,
)

PLAIN = Answer(is_streamed=False)
OTHER = a_key("other")


class Skipping(SystemClock):
    """A clock that can be set forward."""

    skipped_s = 0.0

    def monotonic(self):
        return super().monotonic() + self.skipped_s


async def ask(session, grant, mark="answer 0x"):
    path, body = request(Wire.CHAT, PLAIN, mark)
    return await post(session, path, body, **token_headers(Wire.CHAT, grant.token))


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  of another task
            await asyncio.sleep(0.01)


@asynccontextmanager
async def busy(store, *, by_pace):
    """A trial whose requests wait for those of another one: for the pace, or for room."""
    clock = Skipping()
    async with modelled(PLAIN, PLAIN, PLAIN) as model:
        limits = RunLimits(concurrency=1 if by_pace else 9)
        forwarding = Forwarding([MODEL], environ=upstream.environ(model.url), home=upstream.HOME)
        pace = RateLimiters(forwarding, limits, clock=clock)
        caps = SeriesCaps() if by_pace else SeriesCaps(cost_usd=1e-5)
        options = {"limiters": pace, "caps": caps, "clock": clock}
        async with gatewayed(store, model.url, **options) as gateway:
            model.hold = asyncio.Event()
            other, grant = gateway.grant(OTHER, MODEL), gateway.grant(a_key(), MODEL)
            async with agent(other.socket) as others, agent(grant.socket) as session:
                first = asyncio.create_task(ask(others, other))
                await until(lambda: model.seen.bodies)
                yield model, grant, session, clock
                model.hold.set()
                await first
        await forwarding.close()


async def give_up(grant, session, clock, *, after_s):
    """Send a request that waits, and leave it after some seconds."""
    asked = asyncio.create_task(ask(session, grant, "answer 1x"))
    paused_s = grant.paused_s
    await until(lambda: grant.paused_s > paused_s)
    clock.skipped_s += after_s
    asked.cancel()
    await until(lambda: not grant.tasks)


@pytest.mark.parametrize("by_pace", [True, False])
@pytest.mark.parametrize(("after_s", "is_given_up"), [(60, True), (1, False)])
def test_an_agent_that_leaves_a_request_which_the_gateway_held_gave_it_up(
    store, by_pace, after_s, is_given_up
):
    async def run():
        async with busy(store, by_pace=by_pace) as (_, grant, session, clock):
            await give_up(grant, session, clock, after_s=after_s)
            return grant.given_up_s

    given_up_s = asyncio.run(run())
    assert (given_up_s >= 60) if is_given_up else given_up_s == 0
    rows = store.agent_trials.requests(a_key())
    assert [(it.status, it.sends) for it in rows] == ([(AGENT_LEFT, 0)] if by_pace else [])


def test_an_agent_that_goes_on_gave_up_nothing(store):
    async def run():
        async with busy(store, by_pace=True) as (_, grant, session, clock):
            await give_up(grant, session, clock, after_s=60)
            following = asyncio.create_task(ask(session, grant, "answer 2x"))
            await until(lambda: grant.tasks)
            found = grant.given_up_s
            following.cancel()
            await until(lambda: not grant.tasks)
            return found, grant.given_up_s

    assert asyncio.run(run()) == (0.0, 0.0)


@pytest.mark.parametrize(("in_gateway_s", "is_given_up"), [(40, True), (20, False)])
def test_most_of_the_time_must_be_the_gateways(store, in_gateway_s, is_given_up):
    """The request is held, and then waits 30 s for the model."""

    async def run():
        async with busy(store, by_pace=True) as (model, grant, session, clock):
            asked = asyncio.create_task(ask(session, grant, "answer 1x"))
            await until(lambda: grant.paused_s > 0)
            clock.skipped_s += in_gateway_s
            first, model.hold = model.hold, asyncio.Event()
            first.set()
            await until(lambda: len(model.seen.bodies) == 2)
            clock.skipped_s += 30
            asked.cancel()
            await until(lambda: not grant.tasks)
            return grant.given_up_s

    assert (asyncio.run(run()) >= in_gateway_s) is is_given_up


def test_time_in_which_own_requests_are_answered_counts(store):
    """Parallel requests of one trial fill the room under the budget of the series."""

    async def run():
        async with modelled(PLAIN, PLAIN, PLAIN) as model:
            options = {"caps": SeriesCaps(cost_usd=1e-5), "retry": upstream.QUICK_RETRY}
            async with gatewayed(store, model.url, **options) as gateway:
                model.hold = asyncio.Event()
                grant = gateway.grant(a_key(), MODEL)
                async with agent(grant.socket) as session:
                    asked = [
                        asyncio.create_task(ask(session, grant, f"answer {at}x")) for at in range(3)
                    ]
                    await until(lambda: model.seen.bodies and grant.in_progress == 3)
                    began_s = grant.paused_s
                    await asyncio.sleep(0.1)
                    held_s = grant.paused_s - began_s
                    model.hold.set()
                    await asyncio.gather(*asked)
                    return held_s

    assert asyncio.run(run()) == 0
