"""A client that hands submissions in at fixed moments, and tries again until each is acknowledged.

A submission is named by what it holds, so that the same may be sent again whenever no answer came:
its id is the key under which the server knows that it has it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import aiohttp
import msgspec
import numpy as np
from crowd import submission_of
from leaderboard import drawn

PATH = "/api/v1/agentic/submissions"
_PATIENCE_S = 90.0
_ANSWER_S = 40.0
_AGAIN_S = 0.2
_CREATED = 201
_OURS = 500


@dataclass(slots=True)
class Sent:
    """What became of submissions: seconds since 1970 by id, and how often each was tried."""

    ids: list[str] = field(default_factory=list)
    acknowledged: dict[str, float] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    given_up: list[str] = field(default_factory=list)
    troubles: Counter[str] = field(default_factory=Counter)
    late_ms: float = 0.0

    def quantile(self, share: float) -> float:
        """Milliseconds from when it was due until it was acknowledged."""
        return float(np.quantile(list(self.ms.values()), share)) if self.ms else float("nan")


class Door:
    """Where the server is now; it may be another process from one moment to the next."""

    def __init__(self, browser: aiohttp.ClientSession) -> None:
        self.browser = browser

    async def enter(self, address: str) -> None:
        """Open the session that a server printed."""
        base, _, query = address.partition("/?")
        self.base = base
        async with self.browser.get(f"{base}/?{query}") as answer:
            answer.raise_for_status()


def bodies(count: int, *, first: int = 0) -> Iterator[tuple[str, bytes]]:
    """Submissions of made-up figures, each with its id."""
    for number, row in enumerate(drawn(count).rows(), first):
        name = f"cli-{number:020x}"
        one = msgspec.structs.replace(submission_of(row), id=name, session_id=f"session-{number}")
        log = {"name": "rows.jsonl", "text": msgspec.json.encode(one).decode()}
        yield name, msgspec.json.encode(log)


async def handed_in(
    door: Door,
    given: list[tuple[str, bytes]],
    a_second: float,
    *,
    on_number: Callable[[int], object] = lambda _n: None,
    into: Sent | None = None,
) -> Sent:
    """All of them, each at its moment; the time runs from when it was due."""
    sent, began, tasks = Sent() if into is None else into, time.perf_counter(), []
    for number, (name, body) in enumerate(given):
        due = began + number / a_second
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        sent.late_ms = max(sent.late_ms, (time.perf_counter() - due) * 1_000)
        sent.ids.append(name)
        tasks.append(asyncio.ensure_future(_one(door, name, body, due, sent)))
        on_number(number)
    await asyncio.gather(*tasks)
    return sent


async def _one(door: Door, name: str, body: bytes, due: float, sent: Sent) -> None:
    """Try until it is acknowledged, refused for good, or too late."""
    while time.perf_counter() < due + _PATIENCE_S:
        trouble = await _tried(door, name, body, sent)
        if not trouble:
            sent.ms[name] = (time.perf_counter() - due) * 1_000
            return
        sent.troubles[trouble] += 1
        if name in sent.refused:
            break
        await asyncio.sleep(_AGAIN_S)
    sent.given_up.append(name)


async def _tried(door: Door, name: str, body: bytes, sent: Sent) -> str:
    """What was in the way; "" when it was acknowledged."""
    headers = {"content-type": "application/json", "prefer": "respond-async"}
    limits = aiohttp.ClientTimeout(total=_ANSWER_S)
    try:
        async with door.browser.post(
            door.base + PATH, data=body, headers=headers, timeout=limits
        ) as answer:
            said = await answer.read()
            if answer.status == _CREATED and msgspec.json.decode(said)["submissions"] == [name]:
                sent.acknowledged[name] = time.time()
                return ""
            if answer.status < _OURS and answer.status not in {401, 409}:
                sent.refused[name] = said.decode()[:300]
            return f"answered {answer.status}"
    except (aiohttp.ClientError, OSError, TimeoutError) as exc:
        return type(exc).__name__
