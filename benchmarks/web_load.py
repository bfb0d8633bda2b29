"""The workbench under load: pages over many submissions, many who watch a run, half-open requests.

``benchmaker serve`` runs as a process of its own on this machine. Requests go out at fixed moments,
whether earlier ones were answered or not, and each is timed from the moment when it was due: what
waits in a queue counts. First pages alone, and the same requests to a server that does nothing;
then pages while a board is made that is not among the stored ones; then with requests whose heads
never end; at last many listeners on one run.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlencode, urlsplit

import aiohttp
import numpy as np
import workload
from crowd import PROFILES, fill
from figures import Figure, against, at_most, show
from server import served
from watchers import watched

import benchmaker
from benchmaker.arenas.agentic.settling.stored_boards import INDEX
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING
from benchmaker.store import Store
from benchmaker.web.connections import HEAD_S

BAR_MS, BARRED = 100.0, 0.95
RUN = (200, 3)
"""Cases and models of the run whose page is asked for."""

A_SECOND = 50
RATE = 10
"""Requests a second beside hostile pages."""

FEW = 50_000
"""Up to so many submissions there are boards of one profile alone, so that it takes seconds."""
MIX = {
    "board": 18, "board as JSON": 8, "run": 6, "submissions": 6, "filtered": 6, "submission": 6,
}  # fmt: skip
"""How many of each 50 requests are of each kind."""

_PATIENCE_S = 60
_LATE_S = 20
_IDLE_S = 2
"""Shorter than the server keeps a connection that is idle, so that none is reused as it closes."""


@dataclass(slots=True)
class Times:
    """Milliseconds from due to answered by kind, and what was not answered well."""

    ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)

    def quantile(self, share: float, kind: str | None = None) -> float:
        """Of one kind, or of all."""
        chosen = self.ms[kind] if kind else [ms for of_kind in self.ms.values() for ms in of_kind]
        return float(np.quantile(chosen, share)) if chosen else float("nan")


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    parser.add_argument("--submissions", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--warm", type=int, default=2, help="seconds of requests before these")
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--cases", type=int, default=50, help="of the run that is listened to")
    parser.add_argument("--half-open", type=int, default=200)
    parser.add_argument("--a-second", type=int, default=A_SECOND, help="requests; default 50")
    parser.add_argument("--home", type=Path, help="kept between calls; filled where it is empty")
    parser.add_argument(
        "--hostile",
        type=int,
        default=0,
        help="hostile pages on the server and in a browser meanwhile; nothing else",
    )
    given = parser.parse_args()
    if given.hostile:
        beside_hostile(given)
        return
    place = nullcontext(given.home) if given.home else tempfile.TemporaryDirectory()
    with place as folder:
        home = Path(folder)
        if not (home / "benchmaker.db").exists():
            fill(home, given.submissions, PROFILES if given.submissions > FEW else PROFILES[:1])
        store_run(home)
        with serving(home) as (address, server):
            figures = asyncio.run(measured(home, address, server, given))
    show("python benchmarks/web_load.py", figures)
    if any(it.met is False and it.unit.startswith("of ") for it in figures):
        sys.exit(1)  # something was lost; how long things took is for the reader


def beside_hostile(given: argparse.Namespace) -> None:
    """Print the times of requests while hostile pages run."""
    import hostile_pages  # noqa: PLC0415  it needs a browser, and this module

    with tempfile.TemporaryDirectory() as folder:
        work = hostile_pages.measured(
            Path(folder), pages=given.hostile, seconds=given.seconds, rate=RATE
        )
        figures = asyncio.run(work)
    show(f"python benchmarks/web_load.py --hostile {given.hostile}", figures)


def store_run(home: Path) -> None:
    """Score recorded answers, for the page of a run."""
    cases, models = RUN
    with tempfile.TemporaryDirectory() as folder:
        suite, answers = workload.write(Path(folder), cases=cases, models=models)
        benchmaker.run(suite, recorded=answers, home=home)


async def measured(
    home: Path, address: str, server: int, given: argparse.Namespace
) -> list[Figure]:
    """Everything, one after the other."""
    addresses = Addresses(home / "benchmaker.db")
    async with browsing(address) as browser:
        await loaded(browser, addresses, given.warm, given.a_second)
        before = cpu_s(server)
        alone = await loaded(browser, addresses, given.seconds, given.a_second)
        cpu_ms = (cpu_s(server) - before) * 1_000 / (given.seconds * given.a_second)
        told("pages done")
        made_s, busy = await with_another_board(browser, addresses, given)
        told("another board done")
        ends, crowded = await with_half_open(browser, addresses, given)
        told("half-open connections done")
        with served() as models:
            seen = await watched(
                browser, home, models.base_url, cases=given.cases, listeners=given.listeners
            )
        closed = sum(await ends)
    return [
        *pages(alone),
        Figure("processor time of a request, server", cpu_ms, "ms"),
        *await beside_bare(addresses, alone, cpu_ms, given),
        Figure("a board that is not stored, until it is there", made_s, "s"),
        *summed("while it is made", busy),
        *summed(f"with {given.half_open} half-open connections", crowded),
        at_least_all("half-open connections closed", closed, given.half_open),
        *seen,
    ]


def told(what: str) -> None:
    """A word on the way, since all of it takes minutes."""
    print(what, file=sys.stderr, flush=True)


def pages(times: Times) -> list[Figure]:
    """Three quantiles of each kind; the bar is on boards."""
    made = []
    for kind in MIX:
        for share in (0.5, 0.95, 0.99):
            what, ms = f"{kind}, p{share * 100:.0f}", times.quantile(share, kind)
            is_barred = kind.startswith(("board", "run")) and share == BARRED
            made.append(at_most(what, ms, BAR_MS, "ms") if is_barred else Figure(what, ms, "ms"))
    return [*made, wrong("errors", times)]


def summed(when: str, times: Times) -> list[Figure]:
    """Boards and all, under some circumstance."""
    return [
        at_most(f"board, p95, {when}", times.quantile(0.95, "board"), BAR_MS, "ms"),
        Figure(f"all, p95, {when}", times.quantile(0.95), "ms"),
        wrong(f"errors {when}", times),
    ]


def wrong(what: str, times: Times) -> Figure:
    """How many were not answered well; the first is told."""
    for one in times.errors[:3]:
        print(one, file=sys.stderr)
    n, of = len(times.errors), sum(map(len, times.ms.values())) + len(times.errors)
    return Figure(what, n, f"of {of:,}", bar="0", met=n == 0)


def at_least_all(what: str, n: int, of: int) -> Figure:
    return Figure(what, n, f"of {of:,}", bar=f"{of:,}", met=n == of)


class Addresses:
    """What is asked for, drawn from what the store has."""

    def __init__(self, address: str | Path) -> None:
        self._draw = random.Random(7)  # noqa: S311  a draw, no secret
        with Store.open(address) as store:
            index = store.agentic.board(BUILT_IN[OPENING].id, INDEX) or {"names": {}}
            self._boards = [board for name in index["names"] if (board := _words(name))]
            self._after = [""]
            for _ in range(20):
                page = store.submission_pages.page(after=self._after[-1])
                self._after += [page.after] if page.after else []
            self._newest = max(row.number for row in store.submission_pages.page().rows)
            self.tasks = store.agentic.metric_tasks()
            self._runs = [run.id for run in store.runs(limit=1)]
        kinds = MIX if self._runs else {kind: n for kind, n in MIX.items() if kind != "run"}
        self._kinds = [kind for kind, n in kinds.items() for _ in range(n)]

    def drawn(self) -> tuple[str, str]:
        """A kind and an address of it."""
        kind = self._draw.choice(self._kinds)
        return kind, self._of(kind)

    def _of(self, kind: str) -> str:
        draw = self._draw
        if kind.startswith("board"):
            return f"/agentic{'.json' if 'JSON' in kind else ''}?{draw.choice(self._boards)}"
        if kind == "run":
            return f"/runs/{self._runs[0]}"
        if kind == "submission":
            return f"/agentic/submissions/{draw.randint(1, self._newest)}"
        words = {"after": draw.choice(self._after)}
        if kind == "filtered":
            words = draw.choice(
                [
                    {"tool": f"tool{draw.randint(0, 7)}", "model": f"model{draw.randint(0, 4)}"},
                    {"task": draw.choice(self.tasks)},
                    {"q": f"tool{draw.randint(0, 7)}"},
                    {"sort": "-started", "evidence": "verified"},
                    {"sort": "model", "tool": f"tool{draw.randint(0, 7)}"},
                ]
            )
        return f"/agentic/submissions?{urlencode({k: v for k, v in words.items() if v})}"

    def not_stored(self) -> str:
        """A board that nobody has asked for."""
        n = self._draw.randint(0, 10**9)
        return f"/agentic?{urlencode({'tool': f'tool{n % 8}', 'model': f'model{n % 5}'})}"


def _words(name: str) -> str:
    """The address's words of a stored board; "" for what is no board."""
    if name.count("/") < 3:  # noqa: PLR2004  by, value, window, scope
        return ""
    by, value, window, scope = name.split("/", 3)
    label, is_scope, of = scope.partition("=")
    words = {"by": by, "metric": value, "window": window}
    return urlencode(words | ({label: unquote(of)} if is_scope else {}))


async def loaded(
    browser: aiohttp.ClientSession, addresses: Addresses, seconds: float, a_second: int
) -> Times:
    """So many seconds of requests, each at its moment."""
    times, began = Times(), time.perf_counter()
    asked = []
    for number in range(int(seconds * a_second)):
        due = began + number / a_second
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        asked.append(asyncio.ensure_future(timed(browser, *addresses.drawn(), due, times)))
    await asyncio.gather(*asked)
    return times


async def timed(
    browser: aiohttp.ClientSession, kind: str, path: str, due: float, times: Times
) -> None:
    """Ask once; the time runs from when it was due."""
    try:
        async with browser.get(path) as answer:
            body = await answer.read()
            if answer.status != 200 or not body:  # noqa: PLR2004  OK
                times.errors.append(f"{answer.status} {path}")
                return
    except (aiohttp.ClientError, TimeoutError) as exc:
        times.errors.append(f"{exc!r} {path}")
        return
    times.ms[kind].append((time.perf_counter() - due) * 1_000)


async def with_another_board(
    browser: aiohttp.ClientSession, addresses: Addresses, given: argparse.Namespace
) -> tuple[float, Times]:
    """How long until a board that is not stored is there, and pages meanwhile."""

    async def until_there() -> float:
        path, began = addresses.not_stored(), time.perf_counter()
        while True:
            async with browser.get(path) as answer:
                if b"Computing" not in await answer.read():
                    return time.perf_counter() - began
            await asyncio.sleep(0.5)

    made = asyncio.ensure_future(asyncio.wait_for(until_there(), 600))
    times = await loaded(browser, addresses, given.seconds, given.a_second)
    return await made, times


async def with_half_open(
    browser: aiohttp.ClientSession, addresses: Addresses, given: argparse.Namespace
) -> tuple[asyncio.Future[list[bool]], Times]:
    """Whether the server will close each half-open connection by itself, and pages meanwhile."""
    url = urlsplit(str(browser._base_url))  # noqa: SLF001  it is ours
    opened = [await asyncio.open_connection(url.hostname, url.port) for _ in range(given.half_open)]
    for _, writer in opened:
        writer.write(b"GET /agentic HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Begun: and never")
        await writer.drain()
    ends = asyncio.gather(*(is_closed(*one) for one in opened))
    times = await loaded(browser, addresses, min(given.seconds, HEAD_S), given.a_second)
    return ends, times


async def beside_bare(
    addresses: Addresses, alone: Times, cpu_ms: float, given: argparse.Namespace
) -> list[Figure]:
    """The same requests to a server that sends the same bytes to each, from memory."""
    with serving_bare() as (address, server):
        async with browsing(address) as browser:
            before = cpu_s(server)
            bare = await loaded(browser, addresses, given.seconds, given.a_second)
            bare_ms = (cpu_s(server) - before) * 1_000 / (given.seconds * given.a_second)
    told("bare server done")
    return [
        against("the same, against a bare server", cpu_ms, bare_ms, unit="ms", name="bare"),
        *(
            against(
                f"{kind}, p{share * 100:.0f}, against a bare server",
                alone.quantile(share, kind),
                bare.quantile(share),
                unit="ms",
                name="bare",
            )
            for kind in ("board", "run")
            for share in (0.5, BARRED)
        ),
    ]


def cpu_s(process: int) -> float:
    """Seconds of the processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def is_closed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether the other side closes it, soon after its limit."""
    try:
        return await asyncio.wait_for(reader.read(), HEAD_S + _LATE_S) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    finally:
        writer.close()


@contextmanager
def serving(home: Path) -> Iterator[tuple[str, int]]:
    """The address of a server with its token, and the number of its process."""
    command = [sys.executable, "-m", "benchmaker", "serve", "--port", "0", "--json"]
    env = {**os.environ, "BENCHMAKER_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as process:
        try:
            assert process.stdout is not None  # noqa: S101  a pipe was asked for
            told_so = "".join(iter(process.stdout.readline, "}\n")) + "}"
            yield json.loads(told_so)["address"], process.pid
        finally:
            process.terminate()


@contextmanager
def serving_bare() -> Iterator[tuple[str, int]]:
    """The address of a server that does nothing, and the number of its process."""
    command = [sys.executable, str(Path(__file__).with_name("bare_pages.py"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None  # noqa: S101  a pipe was asked for
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


@asynccontextmanager
async def browsing(address: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A session of the workbench, over as many connections as it takes."""
    base, _, query = address.partition("/?")
    limits = aiohttp.ClientTimeout(total=_PATIENCE_S)
    many = aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S)
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(
        base, connector=many, timeout=limits, trust_env=False, cookie_jar=jar
    ) as browser:
        async with browser.get(f"/?{query}") as answer:
            answer.raise_for_status()
        yield browser


if __name__ == "__main__":
    main()
