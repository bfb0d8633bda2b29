"""Submissions under load: many a second, then some while many read, and what faults make of them.

``benchmaker serve`` runs as a process of its own over a fresh store, in a file of SQLite or in
PostgreSQL. First submissions come at fixed moments, as many a second as are asked for, each timed
from the moment when it was due until the server acknowledged it. Then they come more slowly while
boards are read at fixed moments. With ``--fault`` the first load alone is sent while the server is
ended (sigterm, kill), the disk is full, or the database is away; the client tries again. At the end
the store is counted: every submission that was acknowledged is in it, once, and evaluated once.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import aiohttp
import numpy as np
from databases import Database, Disk, database, small_disk
from figures import Figure, show
from sqlalchemy import func, select
from submitting import Door, Sent, bodies, handed_in
from web_load import Addresses, cpu_s, loaded

from benchmaker.arenas.agentic.settling.stored_boards import INDEX
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING
from benchmaker.store import Store
from benchmaker.store.database.agentic_tables import evaluations
from benchmaker.store.database.tables import submissions

PROFILE = BUILT_IN[OPENING].id
FAULTS = ("sigterm", "kill", "disk", "database")
NAMES = ("sqlite", "postgresql")
_SETTLE_S = 120.0
_AWAY_S = 2.0
_END_S = 40
_OVER = threading.Event()
"""That this was told to end."""


class Server:
    """A workbench in a process of its own, which may be ended and started again."""

    def __init__(self, home: Path, url: str | None) -> None:
        self.home, self.url = home, url
        self.address = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and read its address."""
        command = [sys.executable, "-m", "benchmaker", "serve", "--port", "0", "--json"]
        env = {**os.environ, "BENCHMAKER_HOME": str(self.home), "PYTHONUNBUFFERED": "1"}
        if self.url:
            env["BENCHMAKER_STORE"] = self.url
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True)
        assert self._process.stdout is not None  # noqa: S101  a pipe was asked for
        told = "".join(iter(self._process.stdout.readline, "}\n")) + "}"
        self.address = json.loads(told)["address"]

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it; what does not end in time is killed, and said."""
        process = self.process
        process.send_signal(how)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            print("the server had to be killed", file=sys.stderr)
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    @property
    def store(self) -> str | Path:
        """Where its rows are."""
        return self.url or self.home / "benchmaker.db"

    @property
    def process(self) -> "subprocess.Popen[str]":
        """The one that runs."""
        if self._process is None:
            raise RuntimeError("it was not started")
        return self._process


@dataclass(frozen=True, slots=True)
class Count:
    """What a store holds of those that were sent."""

    stored: int = 0
    rows: int = 0
    missing: int = 0
    evaluated: int = 0
    twice: int = 0
    on_board: int = 0
    late_s: tuple[float, ...] = ()

    def is_whole(self, sent: int) -> bool:
        """Whether all of them are there, once, evaluated once, and on the board."""
        return (self.stored, self.evaluated, self.on_board) == (sent, sent, sent) and not (
            self.missing or self.twice or self.rows != sent
        )


def counted(address: str | Path, sent: Sent) -> Count:
    """Count a store, by its own rows."""
    with Store.open(address, read_only=True) as store, store.database.read() as connection:
        rows = Counter(connection.scalars(select(submissions.c.id)))
        first = connection.execute(
            select(evaluations.c.submission_id, evaluations.c.evaluated_at).where(
                evaluations.c.profile == PROFILE, evaluations.c.is_arrival == 1
            )
        ).all()
        newest = connection.execute(
            select(evaluations.c.submission_id, func.count())
            .where(evaluations.c.profile == PROFILE, evaluations.c.is_newest == 1)
            .group_by(evaluations.c.submission_id)
        ).all()
        index = store.agentic.board(PROFILE, INDEX) or {}
    arrivals = Counter(row.submission_id for row in first)
    at = {row.submission_id: datetime.fromisoformat(row.evaluated_at).timestamp() for row in first}
    known = sent.acknowledged
    return Count(
        stored=len(rows),
        rows=rows.total(),
        missing=sum(one not in rows for one in known),
        evaluated=len(newest),
        twice=sum(n > 1 for n in arrivals.values()) + sum(n > 1 for _, n in newest),
        on_board=int(index.get("submissions", 0)),
        late_s=tuple(at[one] - moment for one, moment in known.items() if one in at),
    )


def settled(address: str | Path, sent: Sent, *, within_s: float = _SETTLE_S) -> tuple[Count, float]:
    """The count once everything is evaluated, and seconds until then."""
    began = time.perf_counter()
    while True:
        found = counted(address, sent)
        waited_s = time.perf_counter() - began
        if found.is_whole(len(sent.ids)) or waited_s > within_s:
            return found, waited_s
        if _OVER.wait(min(1.0, within_s / 20)):
            raise SystemExit(1)


def whole(sent: Sent, found: Count, waited_s: float) -> list[Figure]:
    """What was lost, doubled or left out: nothing, where all is well."""
    n = len(sent.ids)
    return [
        none_of("acknowledged and not stored", found.missing, len(sent.acknowledged)),
        none_of("never acknowledged", n - len(sent.acknowledged), n),
        none_of("stored twice", found.rows - found.stored, n),
        none_of("evaluated twice", found.twice, n),
        none_of("not evaluated at the end", n - found.evaluated, n),
        none_of("not on the board at the end", n - found.on_board, n),
        Figure("until all is evaluated, after the last", waited_s, "s"),
    ]


def none_of(what: str, n: int, of: int) -> Figure:
    return Figure(what, n, f"of {of:,}", bar="0", met=n == 0)


def quantiles(what: str, values: Callable[[float], float], unit: str = "ms") -> list[Figure]:
    """Median, 95th and 99th percentile."""
    return [
        Figure(f"{what}, p{share * 100:.0f}", values(share), unit) for share in (0.5, 0.95, 0.99)
    ]


@asynccontextmanager
async def entered(server: Server) -> AsyncIterator[Door]:
    """A client with a session."""
    many = aiohttp.TCPConnector(limit=0, keepalive_timeout=2)
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(connector=many, trust_env=False, cookie_jar=jar) as browser:
        door = Door(browser)
        await door.enter(server.address)
        yield door


async def flood(server: Server, door: Door, count: int, a_second: float) -> list[Figure]:
    """So many submissions, as fast as asked for."""
    given = list(bodies(count))
    before, began = cpu_s(server.process.pid), time.perf_counter()
    sent = await handed_in(door, given, a_second)
    took_s = time.perf_counter() - began
    cpu_ms = (cpu_s(server.process.pid) - before) * 1_000 / count
    found, waited_s = await asyncio.to_thread(settled, server.store, sent)
    late = list(found.late_s) or [float("nan")]
    return [
        *quantiles("until it is durable", sent.quantile),
        Figure("acknowledged", len(sent.acknowledged) / took_s, "a second"),
        *quantiles("until it is evaluated", lambda share: float(np.quantile(late, share)), "s"),
        Figure("processor time of a submission, server", cpu_ms, "ms"),
        Figure("tries again", sent.troubles.total(), f"of {count:,}"),
        *whole(sent, found, waited_s),
    ]


async def browsed(
    server: Server, door: Door, before: int, given: argparse.Namespace
) -> list[Figure]:
    """Submissions now and then, while many read."""
    count = max(1, round(given.minutes * given.a_minute))
    addresses = Addresses(server.store)
    many = aiohttp.TCPConnector(limit=0, keepalive_timeout=2)
    jar = door.browser.cookie_jar
    async with aiohttp.ClientSession(
        door.base, cookie_jar=jar, trust_env=False, connector=many
    ) as browser:
        sent, times = await asyncio.gather(
            handed_in(door, list(bodies(count, first=before)), given.a_minute / 60),
            loaded(browser, addresses, given.minutes * 60, given.readers),
        )
    late = [*(f"cli-{n:020x}" for n in range(before)), *sent.ids]
    everything = Sent(ids=late, acknowledged=sent.acknowledged)
    found, waited_s = await asyncio.to_thread(settled, server.store, everything)
    made = quantiles("until it is durable, while others read", sent.quantile)
    for kind in sorted(times.ms):
        made += quantiles(f"{kind}, while others submit", lambda s, k=kind: times.quantile(s, k))
    for one in times.errors[:3]:
        print(one, file=sys.stderr)
    n = sum(map(len, times.ms.values())) + len(times.errors)
    made.append(none_of("pages not answered well", len(times.errors), n))
    made += quantiles(
        "until it is evaluated, while others read",
        lambda share: float(np.quantile(found.late_s or [float("nan")], share)),
        "s",
    )
    made.append(
        none_of("never acknowledged, while others read", count - len(sent.acknowledged), count)
    )
    end = whole(everything, found, waited_s)
    return [*made, *(it for it in end if it.what != "never acknowledged")]


@dataclass(slots=True)
class Wrong:
    """What goes wrong once, and what the store held when the server was gone."""

    server: Server
    base: Database
    disk: Disk | None
    fault: str
    sofar: Sent
    door: Door
    acknowledged: int = 0
    missing: int | None = None

    async def go(self) -> None:
        """Let it happen, and end it."""
        if self.fault in {"sigterm", "kill"}:
            await self._restart(signal.SIGTERM if self.fault == "sigterm" else signal.SIGKILL)
        elif self.fault == "disk" and self.disk is not None:
            before = self.sofar.troubles.total()
            await asyncio.to_thread(
                self.disk.fill,
                lambda: self.sofar.troubles.total() > before,
                self.base.use_room,
                _AWAY_S,
            )
            await asyncio.to_thread(self.base.start)
        else:
            await asyncio.to_thread(self.base.lose, _AWAY_S)

    async def _restart(self, how: signal.Signals) -> None:
        await asyncio.to_thread(self.server.end, how)
        known = Sent(acknowledged=dict(self.sofar.acknowledged))
        found = await asyncio.to_thread(counted, self.server.store, known)
        self.acknowledged, self.missing = len(known.acknowledged), found.missing
        await asyncio.to_thread(self.server.start)
        await self.door.enter(self.server.address)

    def figures(self) -> list[Figure]:
        """The counts of that moment."""
        if self.missing is None:
            return []
        of = self.acknowledged
        return [
            Figure("acknowledged before the server was gone", of, "submissions"),
            none_of("of these not stored then", self.missing, of),
        ]


async def faulted(
    server: Server, base: Database, disk: Disk | None, given: argparse.Namespace
) -> list[Figure]:
    """The same load while something goes wrong, after a third of it."""
    count, sent, tasks = int(given.a_second * given.seconds), Sent(), []
    async with entered(server) as door:
        wrong = Wrong(server, base, disk, given.fault, sent, door)

        def on_number(number: int) -> None:
            if number == count // 3:
                tasks.append(asyncio.ensure_future(wrong.go()))

        await handed_in(door, list(bodies(count)), given.a_second, on_number=on_number, into=sent)
        await asyncio.gather(*tasks)
        found, waited_s = await asyncio.to_thread(settled, server.store, sent)
    told = ", ".join(f"{what} {n}" for what, n in sent.troubles.most_common())
    print(f"{base.name}, {given.fault}: {told or 'no trouble'}", file=sys.stderr)
    for one in list(sent.refused.values())[:3]:
        print(one, file=sys.stderr)
    return [
        *wrong.figures(),
        *quantiles("until it is durable", sent.quantile),
        Figure("tries again", sent.troubles.total(), f"of {count:,}"),
        *whole(sent, found, waited_s),
    ]


async def both_phases(server: Server, given: argparse.Namespace) -> list[Figure]:
    """The flood, then the readers."""
    count = int(given.a_second * given.seconds)
    async with entered(server) as door:
        made = await flood(server, door, count, given.a_second)
        if given.minutes:
            made += await browsed(server, door, count, given)
        return made


@contextmanager
def ready(name: str, fault: str | None) -> Iterator[tuple[Server, Database, Disk | None]]:
    """A server over a fresh store; on a small disk where that is to be full."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        disk = stack.enter_context(small_disk(folder / "disk")) if fault == "disk" else None
        place = disk.folder if disk else folder
        home = (folder if disk and name != "sqlite" else place) / "home"
        base = stack.enter_context(database(name, home, place / "postgresql"))
        prepare(home, base.url)
        server = Server(home, base.url)
        server.start()
        stack.callback(server.end)
        yield server, base, disk


def prepare(home: Path, url: str | None) -> None:
    """Make an empty store."""
    home.mkdir(parents=True, exist_ok=True)
    Store.open(url or home / "benchmaker.db").close()


def measured(name: str, given: argparse.Namespace) -> list[Figure]:
    """All phases, or the one with a fault, over one database."""
    with ready(name, given.fault) as (server, base, disk):
        if given.fault == "disk" and disk is None:
            print("no small disk may be mounted here", file=sys.stderr)
            return []
        work = faulted(server, base, disk, given) if given.fault else both_phases(server, given)
        return [with_name(it, base.name) for it in asyncio.run(work)]


def with_name(figure: Figure, name: str) -> Figure:
    return Figure(
        f"{name}: {figure.what}", figure.value, figure.unit, bar=figure.bar, met=figure.met
    )


def ended(_number: int, _frame: object) -> None:
    """Told to end: its servers are to end, too."""
    _OVER.set()
    sys.exit(1)


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    parser.add_argument("--database", choices=NAMES, help="default both, one after the other")
    parser.add_argument("--a-second", type=float, default=100, help="submissions; default 100")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--minutes", type=float, default=10, help="of reading; default 10")
    parser.add_argument("--a-minute", type=int, default=200, help="submissions meanwhile")
    parser.add_argument("--readers", type=int, default=50, help="pages a second; default 50")
    parser.add_argument("--fault", choices=FAULTS)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, ended)
    names = (given.database,) if given.database else NAMES
    figures: list[Figure] = []
    try:
        for name in names:
            figures += measured(name, given)
    finally:  # what was measured before one failed is told
        show("python benchmarks/submissions_load.py", figures)
    if any(it.met is False for it in figures):
        sys.exit(1)


if __name__ == "__main__":
    main()
