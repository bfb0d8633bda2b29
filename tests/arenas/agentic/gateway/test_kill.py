"""A gateway that is killed has a row of every answer whose end an agent saw."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from random import Random

import aiohttp
import pytest

from benchmaker.record.agent_trial import Wire
from benchmaker.store import Store
from tests.arenas.agentic.gateway import upstream
from tests.arenas.agentic.gateway.scripts import Answer, usage_of
from tests.arenas.agentic.gateway.upstream import Model, a_key, agent, converse, modelled

ROOT = Path(__file__).parents[4]
ENDS = {
    Wire.CHAT: b"data: [DONE]",
    Wire.RESPONSES: b'"response.completed"',
    Wire.MESSAGES: b'"message_stop"',
    Wire.GEMINI: b'"finishReason"',
}


async def kill_often(path: Path, wire: Wire, *, times: int, seed: int) -> None:
    random = Random(seed)  # noqa: S311  no secret
    seen_ends: list[Answer] = []
    async with modelled() as model:
        program = (sys.executable, "-m", "tests.arenas.agentic.gateway.child")
        parent = await asyncio.create_subprocess_exec(
            *(*program, str(path), str(upstream.HOME), model.url, wire.value),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(times):
            parent.stdin.write(b"serve\n")
            pid, *place = json.loads(await parent.stdout.readline())
            playing = [asyncio.create_task(play(model, wire, place, seen_ends)) for _ in range(3)]
            await wait_for_ends(seen_ends, len(seen_ends) + random.randint(1, 12))
            await asyncio.sleep(random.uniform(0.0, 0.02))
            os.kill(pid, signal.SIGKILL)
            assert await parent.stdout.readline() == b"killed\n"
            await asyncio.gather(*playing)
            with Store.open(path) as store:
                check_rows(store, wire, seen_ends)
        parent.stdin.close()
        await parent.wait()


async def wait_for_ends(seen_ends: list[Answer], number: int) -> None:
    async with asyncio.timeout(60):
        while len(seen_ends) < number:  # noqa: ASYNC110  a list has no event
            await asyncio.sleep(0.005)


async def play(model: Model, wire: Wire, place: tuple[str, str], seen_ends: list[Answer]) -> None:
    """Ask until the connection breaks; note each answer whose end came through."""
    socket, token = place
    async with agent(socket) as session:
        try:
            while True:
                number = len(model.answers)
                answer = Answer(uncached=number + 1, output=number % 50 + 1, seed=number)
                marked = [(*model.add(answer), answer)]
                (got,) = await converse(session, wire, token, marked)
                if ENDS[wire] in got.body:
                    seen_ends.append(answer)
                if got.is_cut:
                    return
        except aiohttp.ClientError:
            return


def check_rows(store: Store, wire: Wire, seen_ends: list[Answer]) -> None:
    rows = store.agent_trials.requests(a_key())
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    finished = [row for row in rows if row.status]
    stored = {row.usage.input_tokens: row for row in finished if row.usage}
    for answer in seen_ends:
        row = stored[answer.uncached]
        assert row.usage == usage_of(wire, answer)
        assert not row.was_cut
        assert row.cost_usd is not None
    assert all(row.usage is None for row in rows if not row.status)


@pytest.mark.quick("nothing that was paid for may be lost")
def test_a_killed_gateway_has_a_row_of_every_answer_that_was_seen(tmp_path, empty_store):
    path = tmp_path / "benchmaker.db"
    path.write_bytes(empty_store.read_bytes())
    asyncio.run(kill_often(path, Wire.CHAT, times=4, seed=1))


@pytest.mark.long
@pytest.mark.parametrize("wire", list(Wire))
def test_a_gateway_killed_at_25_points_in_each_wire_has_them_too(tmp_path, empty_store, wire):
    path = tmp_path / "benchmaker.db"
    path.write_bytes(empty_store.read_bytes())
    asyncio.run(kill_often(path, wire, times=25, seed=2))
