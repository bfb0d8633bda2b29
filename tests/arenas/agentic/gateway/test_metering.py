"""What the gateway passes on, and what it counts."""

import asyncio

import pytest

from benchmaker.record import Usage
from benchmaker.record.agent_trial import Wire
from tests.arenas.agentic.gateway.scripts import Answer, events, generate, usage_of
from tests.arenas.agentic.gateway.upstream import (
    MODELS,
    a_key,
    agent,
    converse,
    gatewayed,
    modelled,
)

WIRES = list(Wire)


def without_usage(data: bytes) -> bytes:
    """A stream of chat without the event that only has usage, found the plain way."""
    parts = data.split(b"\n\n")
    return b"\n\n".join(part for part in parts if b'"choices": []' not in part)


def expected_usage(wire: Wire, answer: Answer) -> Usage | None:
    """The usage in the row of an answer; of a cut one, what was reported before the cut."""
    known = usage_of(wire, answer)
    if not answer.is_streamed or answer.cut_at >= 1:
        return known
    pieces = list(events(wire, answer))
    number = int(answer.cut_at * (len(pieces) - 1))
    if wire is Wire.MESSAGES and number == len(pieces) - 1:
        return known
    is_begun = wire in {Wire.MESSAGES, Wire.GEMINI} and number > 1
    if not is_begun:
        return None
    return Usage(
        input_tokens=known.input_tokens,
        cache_read_tokens=known.cache_read_tokens,
        cache_write_5m_tokens=known.cache_write_5m_tokens,
        cache_write_1h_tokens=known.cache_write_1h_tokens,
    )


async def check_sessions(store, wire, seeds, most):
    scripts = {seed: generate(wire, seed, most) for seed in seeds}
    async with modelled() as model, gatewayed(store, model.url) as gateway:

        async def play(seed):
            answers = scripts[seed]
            marks = model.add(*answers)
            key = a_key(f"task {seed}")
            grant = gateway.grant(key, MODELS[wire])
            async with agent(grant.socket) as session:
                marked = list(zip(marks, answers, strict=True))
                read = await converse(session, wire, grant.token, marked)
            meter = await gateway.revoke(grant)
            for (mark, answer), got in zip(marked, read, strict=True):
                sent = model.sent[mark.split()[1]]
                is_hidden = wire is Wire.CHAT and not answer.asks_usage
                assert got.body == (without_usage(sent) if is_hidden else sent)
                assert got.status == 200
            rows = store.agent_trials.requests(key)
            assert [row.usage for row in rows] == [expected_usage(wire, it) for it in answers]
            assert [row.stream for row in rows] == [it.is_streamed for it in answers]
            assert meter.requests == len(answers)
            assert meter.usage.input_tokens == sum(
                it.input_tokens for row in rows if (it := row.usage)
            ) or not any(row.usage for row in rows)

        await asyncio.gather(*map(play, seeds))


@pytest.mark.parametrize("wire", WIRES)
def test_tokens_of_rows_are_those_of_the_script_kind_by_kind(store, wire):
    asyncio.run(check_sessions(store, wire, range(8), 6))


@pytest.mark.long
@pytest.mark.parametrize("wire", WIRES)
def test_tokens_of_a_hundred_sessions_are_those_of_their_scripts(store, wire):
    for first in range(0, 100, 10):
        asyncio.run(check_sessions(store, wire, range(first, first + 10), 30))
