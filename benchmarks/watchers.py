"""Many who watch one run while it fills: does everybody hear everything, in order, and how late?"""

import asyncio
import re
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import aiohttp
import numpy as np
from figures import Figure

from benchmaker import Case, ScorerSpec, Suite
from benchmaker.store import Store

MODELS = ("a", "b", "c", "d")
_CELL = re.compile(rb'id="(c\d+m\d+)"[^>]*>\s*<b')
_PATIENCE_S = 120


@dataclass(slots=True)
class Heard:
    """What one listener heard: when each cell had its score, and the numbers of events."""

    at: dict[str, float] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    is_over: bool = False

    @property
    def is_in_order(self) -> bool:
        """Whether no number went back."""
        return self.numbers == sorted(self.numbers)


async def watched(
    browser: aiohttp.ClientSession, home: Path, base_url: str, *, cases: int, listeners: int
) -> list[Figure]:
    """Start a run, listen to it with so many, and count."""
    name = await begun(browser, home, base_url, cases)
    heard = await asyncio.gather(*(listened(browser, name) for _ in range(listeners)))
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        run = store.run(name)
        done = {
            f"c{trial.position}m{run.models.index(trial.model)}": moment(trial.finished_at)
            for trial in store.trials(name)
        }
    cells = cases * len(MODELS)
    arrived = sum(len(one.at) for one in heard)
    late = [(at - done[cell]) * 1_000 for one in heard for cell, at in one.at.items()]
    ordered, over = sum(it.is_in_order for it in heard), sum(it.is_over for it in heard)
    return [
        all_of(f"cells heard by {listeners} listeners", arrived, cells * listeners),
        all_of("listeners with events in order", ordered, listeners),
        all_of("listeners that heard the end", over, listeners),
        Figure("from answer to listener, p50", float(np.quantile(late, 0.5)), "ms"),
        Figure("from answer to listener, p95", float(np.quantile(late, 0.95)), "ms"),
    ]


def all_of(what: str, n: int, of: int) -> Figure:
    return Figure(what, n, f"of {of:,}", bar=f"{of:,}", met=n == of)


async def begun(browser: aiohttp.ClientSession, home: Path, base_url: str, cases: int) -> str:
    """The run's id; the server's own worker carries it out."""
    suite = Suite(
        "watched",
        [Case(id=f"c{n}", prompt=f"Add one to {n}", expected=str(n + 1)) for n in range(cases)],
        scorer=ScorerSpec(id="numeric"),
        profile="robust",
    )
    with Store.open(home / "benchmaker.db") as store:
        digest = store.put_suite(suite)
    form = [("set", "1"), ("suite", digest), ("times", "1"), ("concurrency", "1")]
    form += [("models", f"{base_url}#{model}") for model in MODELS]
    async with browser.post("/arena", data=form, allow_redirects=False) as answer:
        if answer.status != 303:  # noqa: PLR2004  see other
            raise RuntimeError(await answer.text())
        return answer.headers["location"].rpartition("/")[2]


async def listened(browser: aiohttp.ClientSession, name: str) -> Heard:
    """Everything from the beginning to the end of the run."""
    heard, limits = Heard(), aiohttp.ClientTimeout(total=_PATIENCE_S)
    async with browser.get(f"/arena/{name}/events?after=0", timeout=limits) as answer:
        buffer = b""
        async for chunk in answer.content.iter_any():
            buffer += chunk
            while b"\n\n" in buffer:
                event, _, buffer = buffer.partition(b"\n\n")
                taken(heard, event)
    return heard


def taken(heard: Heard, event: bytes) -> None:
    now = time.time()
    fields = [line.partition(b": ")[::2] for line in event.split(b"\n")]
    data = b"\n".join(value for key, value in fields if key == b"data")
    known = dict(fields)
    if b"id" in known:
        heard.numbers.append(int(known[b"id"]))
    heard.is_over = heard.is_over or known.get(b"event") == b"over"
    for cell in _CELL.findall(data):
        heard.at.setdefault(cell.decode(), now)


def moment(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
