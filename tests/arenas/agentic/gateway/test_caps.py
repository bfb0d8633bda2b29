"""Caps: the spending under them, and requests that are refused because of them."""

import asyncio
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmaker.arenas.agentic.gateway.admission import Admission, CapReached
from benchmaker.arenas.agentic.gateway.caps import (
    Reservation,
    SeriesCaps,
    Spending,
    TrialCaps,
)
from benchmaker.arenas.agentic.gateway.gateway import trial_spending
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.record import Usage
from benchmaker.record.agent_trial import GatewayRequest, Wire
from tests.arenas.agentic.gateway.scripts import Answer, request
from tests.arenas.agentic.gateway.upstream import (
    CLAUDE,
    MODELS,
    a_key,
    agent,
    gatewayed,
    modelled,
    post,
    token_headers,
)

WIRES = list(Wire)
PLAIN = Answer(is_streamed=False, uncached=1000, output=500)


async def ask(session, grant, wire, mark, answer=PLAIN):
    path, body = request(wire, answer, mark)
    return await post(session, path, body, **token_headers(wire, grant.token))


async def ask_until_refused(model, session, grant, wire, answer=PLAIN):
    """Replies up to the first refusal, which is left out."""
    replies = []
    while True:
        got = await ask(session, grant, wire, *model.add(answer), answer)
        if got.status == 403:
            return replies, got
        replies.append(got)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("caps", "number", "reason"),
    [
        (TrialCaps(requests=2), 2, "The cap of 2 requests for this trial is reached"),
        (TrialCaps(tokens=3100), 3, "The cap of 3,100 tokens for this trial is reached"),
        (TrialCaps(cost_usd=1e-9), 1, "for this trial is reached"),
        (TrialCaps(context_tokens=1500), 1, "1,500 tokens of context"),
        (TrialCaps(requests=0), 0, "0 were made"),
    ],
)
def test_a_cap_refuses_the_next_request_in_the_wires_own_form(store, wire, caps, number, reason):
    async def run():
        async with modelled() as model, gatewayed(store, model.url) as gateway:
            grant = gateway.grant(a_key(), MODELS[wire], caps)
            async with agent(grant.socket) as session:
                replies, refused = await ask_until_refused(model, session, grant, wire)
                assert grant.refused.is_set()
                again = await ask(session, grant, wire, *model.add(PLAIN))
            assert len(replies) == len(model.sent) == number
            assert again.status == 403
            message = refused.json["error"]["message"]
            assert reason in message
            assert message == grant.refusal
            meter = await gateway.revoke(grant)
            assert (meter.requests, meter.refusals) == (number, 2)

    asyncio.run(run())
    refused = store.agent_trials.requests(a_key())[number:]
    assert all(reason in row.refused for row in refused)
    assert [(row.sends, row.cost_usd, row.usage.output_tokens) for row in refused] == [
        (0, 0, 0)
    ] * 2


def test_a_refusal_says_so_in_each_form(store):
    async def run():
        async with modelled() as model, gatewayed(store, model.url) as gateway:
            found = {}
            for wire in WIRES:
                grant = gateway.grant(a_key(wire.value), MODELS[wire], TrialCaps(requests=0))
                async with agent(grant.socket) as session:
                    found[wire] = (await ask(session, grant, wire, "answer 0x")).json
            return found

    found = asyncio.run(run())
    assert found[Wire.CHAT]["error"]["code"] == "budget_exceeded"
    assert found[Wire.RESPONSES]["error"]["code"] == "budget_exceeded"
    assert found[Wire.MESSAGES]["error"]["type"] == "permission_error"
    assert found[Wire.GEMINI]["error"]["status"] == "PERMISSION_DENIED"


def test_caps_hold_over_trials_at_once(store):
    """Eight trials of a series, each with requests at once: one request over the cap at most."""

    async def run():
        caps = SeriesCaps(tokens=20_000)
        async with modelled() as model, gatewayed(store, model.url, caps=caps) as gateway:
            grants = [gateway.grant(a_key(f"t{at}"), MODELS[Wire.CHAT]) for at in range(8)]

            async def play(grant):
                async with agent(grant.socket) as session:
                    await asyncio.gather(
                        *(ask_until_refused(model, session, grant, Wire.CHAT) for _ in range(2))
                    )

            await asyncio.gather(*map(play, grants))
            assert all(grant.refused.is_set() for grant in grants)
            assert all("for this series" in grant.refusal for grant in grants)

    asyncio.run(run())
    rows = [row for row in store.agent_trials.series_requests("s-test") if not row.refused]
    spent = sum(row.usage.input_tokens + row.usage.output_tokens for row in rows)
    assert 20_000 <= spent < 20_000 + 1500


def test_what_an_earlier_process_spent_counts(store):
    async def run(number):
        caps = SeriesCaps(requests=3)
        async with modelled() as model, gatewayed(store, model.url, caps=caps) as gateway:
            grant = gateway.grant(a_key(), MODELS[Wire.CHAT])
            async with agent(grant.socket) as session:
                return [
                    (await ask(session, grant, Wire.CHAT, *model.add(PLAIN))).status
                    for _ in range(number)
                ]

    assert asyncio.run(run(2)) == [200, 200]
    assert asyncio.run(run(2)) == [200, 403]
    assert [row.number for row in store.agent_trials.requests(a_key())] == [1, 2, 3, 4]


def test_an_unknown_price_is_refused_before_the_first_request(store):
    async def run():
        model = "openai/model-without-a-price"
        async with gatewayed(store, "http://127.0.0.1:9", models=[model]) as gateway:
            with pytest.raises(PrerequisiteError, match=r"price of openai/model-without.*unknown"):
                gateway.grant(a_key(), model, TrialCaps(cost_usd=1.0))
            gateway.grant(a_key(), model, TrialCaps(tokens=1))
        with pytest.raises(PrerequisiteError, match="can't be capped"):
            async with gatewayed(
                store, "http://127.0.0.1:9", models=[model], caps=SeriesCaps(cost_usd=1.0)
            ):
                pass

    asyncio.run(run())


def test_a_negative_cap_is_an_error():
    with pytest.raises(SpecError, match="can't be negative"):
        TrialCaps(tokens=-1)
    with pytest.raises(SpecError, match="can't be negative"):
        SeriesCaps(cost_usd=float("nan"))


def test_requests_at_once_wait_for_those_in_progress(store):
    """A second request that may exceed the cap waits for the first, and then fits after all."""

    async def run():
        async with modelled() as model, gatewayed(store, model.url) as gateway:
            model.hold = asyncio.Event()
            grant = gateway.grant(a_key(), CLAUDE, TrialCaps(tokens=4000))
            async with agent(grant.socket) as session:
                both = asyncio.gather(
                    *(ask(session, grant, Wire.MESSAGES, mark) for mark in model.add(PLAIN, PLAIN))
                )
                while not model.seen.bodies:  # noqa: ASYNC110  a list has no event
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                assert len(model.seen.bodies) == 1
                model.hold.set()
                return [it.status for it in await both]

    assert asyncio.run(run()) == [200, 200]


amounts = some.tuples(some.integers(0, 1000), some.integers(0, 1000)).map(sorted)


@given(
    cap=some.integers(0, 3000),
    requests=some.lists(some.tuples(amounts, some.booleans(), some.integers(0, 3)), max_size=30),
)
def test_spending_exceeds_a_cap_by_one_request_at_most(cap, requests):
    """Requests of any size, order and duration, some of unknown usage."""

    async def run():
        trial = Spending(TrialCaps(tokens=cap, cost_usd=cap / 1000), scope="trial")
        admission = Admission(Spending(SeriesCaps(), scope="series"))
        used = []

        async def one(amount, is_known, pauses):
            actual, most = amount
            worst = Reservation(most, most / 1000)
            try:
                await admission.admit(trial, worst)
            except CapReached:
                return
            used.append(actual if is_known else most)
            for _ in range(pauses):
                await asyncio.sleep(0)
            usage = Usage(input_tokens=actual, output_tokens=0) if is_known else None
            cost_usd = actual / 1000 if is_known else None
            await admission.settle(trial, worst, usage, cost_usd)

        await asyncio.wait_for(asyncio.gather(*(one(*it) for it in requests)), 20)
        assert trial.tokens == sum(used)
        assert sum(used) < max(cap, 1) + max(used, default=0)
        if sum(used) < cap:
            assert len(used) == len(requests)

    asyncio.run(run())


def test_the_message_names_cap_and_spending_in_dollars():
    spending = Spending(TrialCaps(cost_usd=0.5), scope="trial")
    most = Reservation(10, 0.75)
    spending.reserve(most)
    spending.settle(most, Usage(input_tokens=1, output_tokens=1), 0.6)
    said = "The cap of $0.50 for this trial is reached: $0.60 were spent."
    assert spending.refusal() == said
    assert json.loads(json.dumps(said)) == said


FIXED = {"wire": Wire.CHAT, "model": "m", "endpoint": "up", "started_at": ""}
KNOWN = GatewayRequest(
    key=a_key(), number=1, status=200, cost_usd=0.25,
    usage=Usage(input_tokens=90, output_tokens=10), **FIXED,
)  # fmt: skip
CUT = GatewayRequest(key=a_key(), number=2, most_usd=0.805, most_tokens=300, **FIXED)
"""Known to have cost $0.25, and cut off with its runner."""


def test_a_request_cut_off_with_its_runner_counts_under_the_caps_of_the_series_alone(store):
    store.agent_trials.put_requests([KNOWN, CUT])
    spending = trial_spending(store, a_key(attempt_try=2), TrialCaps(cost_usd=0.5, requests=9))
    assert (spending.cost_usd, spending.tokens, spending.requests) == (0.25, 100, 2)
    assert spending.refusal() == ""
    series = Spending(SeriesCaps(cost_usd=1.0), scope="series")
    series.resume([KNOWN, CUT])
    assert series.refusal() == (
        "The cap of $1.00 for this series is reached: $0.25 were spent, "
        "and counted at most $0.805 for 1 request of unknown cost."
    )


@pytest.mark.parametrize(
    ("caps", "reason"),
    [
        ({"cost_usd": 0.2}, ("The cap of $0.20 for this trial is reached: $0.25 were spent, "
         "$0.25 of it by earlier tries.")),
        ({"requests": 2}, ("The cap of 2 requests for this trial is reached: 2 were made, "
         "2 of them by earlier tries.")),
        ({"tokens": 50}, ("The cap of 50 tokens for this trial is reached: 100 were used, "
         "100 of them by earlier tries.")),
    ],
)  # fmt: skip
def test_a_cap_that_earlier_tries_used_is_not_the_agents_doing(store, caps, reason):
    store.agent_trials.put_requests([KNOWN, CUT])
    key = a_key(attempt_try=2)

    async def run():
        async with modelled(PLAIN) as model, gatewayed(store, model.url) as gateway:
            grant = gateway.grant(key, MODELS[Wire.CHAT], TrialCaps(**caps))
            async with agent(grant.socket) as session:
                got = await ask(session, grant, Wire.CHAT, "answer 0x")
            assert (got.status, got.json["error"]["message"]) == (403, reason)
            assert grant.fault == grant.refusal == reason

    asyncio.run(run())


@pytest.mark.parametrize(
    ("caps", "reason"),
    [
        ({"cost_usd": 1.0}, ("$0.25 were spent, $0.25 of it by earlier tries, and counted at most "
         "$0.805 for 1 request of unknown cost, 1 of them by earlier tries.")),
        ({"tokens": 400}, ("100 were used, 100 of them by earlier tries, and counted at most 300 "
         "for 1 request of unknown usage, 1 of them by earlier tries.")),
    ],
)  # fmt: skip
def test_an_answer_that_was_cut_in_an_earlier_try_counts_with_its_most(store, caps, reason):
    cut = msgspec.structs.replace(CUT, status=200, was_cut=True)
    store.agent_trials.put_requests([KNOWN, cut])
    spending = trial_spending(store, a_key(attempt_try=2), TrialCaps(**caps))
    assert spending.refusal().endswith(f"is reached: {reason}")
    assert not spending.is_used_by_agent


def test_the_most_of_requests_that_the_endpoint_failed_is_not_the_agents_doing():
    """The endpoint cut off the first reply, the agent the second."""
    spending = Spending(TrialCaps(tokens=100), scope="trial")
    most = Reservation(100, None)
    spending.reserve(most)
    spending.settle(most, None, None, is_failed=True)
    assert spending.refusal().endswith(
        "is reached: 0 were used, and counted at most 100 for 1 request of unknown usage."
    )
    assert not spending.is_used_by_agent
    spending.reserve(most)
    spending.settle(most, None, None)
    assert spending.is_used_by_agent


def test_a_cap_of_the_series_is_not_the_agents_doing(store):
    async def run():
        async with (
            modelled() as model,
            gatewayed(store, model.url, caps=SeriesCaps(requests=0)) as gateway,
        ):
            grant = gateway.grant(a_key(), CLAUDE, TrialCaps(requests=1))
            async with agent(grant.socket) as session:
                await ask(session, grant, Wire.MESSAGES, "answer 0x")
            own = gateway.grant(a_key("own"), CLAUDE, TrialCaps(requests=0))
            async with agent(own.socket) as session:
                await ask(session, own, Wire.MESSAGES, "answer 0x")
            return grant.fault, own.fault, own.refusal

    fault, none, refusal = asyncio.run(run())
    assert "for this series is reached" in fault
    assert (none, "for this trial" in refusal) == ("", True)
