"""The workbench's response times while ten hostile pages run: a browser shows them as previews.

``python benchmarks/hostile_pages.py [--seconds N] [--rate N] [--pages N] [--json]``.
``benchmaker serve`` runs as a process of its own on this machine; the requests are those of
someone who votes. They are sent at fixed moments, and each is timed from the moment when it was
due. First no page runs; then Chromium shows the hostile ones, side by side and started again every
five seconds, since the workbench stops a preview that no longer responds; at last Chromium shows
as many that do nothing. The load average of the machine is in the table. Needs Chromium.
"""

import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from figures import Figure, arguments, at_most, show
from playwright.async_api import Page, async_playwright
from web_load import BAR_MS, BARRED, Times, browsing, serving, timed, wrong

import benchmaker
from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.arenas.code.probe import find_browser
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.store import Store

SPIN = "const t = Date.now(); while (Date.now() - t < 500);"
HOSTILE = (
    "for (;;);",
    "function f() { Promise.resolve().then(f); } f()",
    f"setInterval(() => {{ {SPIN} }})",
    "setInterval(() => { for (let i = 0; i < 2000; i++)"
    " document.body.append(document.createElement('div')); }, 50)",
    "setInterval(() => { for (let i = 0; i < 500; i++) top.postMessage(i, '*'); }, 50)",
    "for (;;) alert(1)",
    "for (let i = 0; i < 2; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
    "setInterval(() => fetch('http://other.invalid/').catch(() => {}), 20)",
    "for (let i = 0; i < 50; i++) open('http://other.invalid/')",
    "setInterval(() => { location.hash = Math.random(); history.pushState({}, ''); }, 1)",
)
"""The script of each page; further pages have them again."""
HARMLESS = ("document.title = 'harmless'",)
PAGE = '<!doctype html><html lang="en"><title>A page</title><h1>A page</h1><script>{}</script>'
RESTART_S = 5
_START_MS = 60_000


def store_pages(home: Path, scripts: Sequence[str], count: int) -> str:
    """Store a run of one prompt with this number of pages; return its id."""
    home.mkdir(parents=True, exist_ok=True)
    answers = {
        f"model-{at}": f"```html\n{PAGE.format(scripts[at % len(scripts)])}\n```"
        for at in range(count)
    }
    suite = {
        "name": f"pages {len(scripts)}",
        "cases": [{"id": "page", "prompt": "A page.", "expected": "a page", "scorer": "exact"}],
    }
    rows = [{"model": it, "id": "page", "output": text} for it, text in answers.items()]
    recorded = home / "answers.jsonl"
    recorded.write_text("".join(json.dumps(it) + "\n" for it in rows), encoding="utf-8")
    found = benchmaker.run(suite, recorded=recorded, home=home)
    with Store.open(home / "benchmaker.db") as store:
        for trial in found.trials():
            prepared = PreparedAnswer(artifact=extract_artifact(trial.text))
            store.renders.put_artifact(trial.key, prepared)
    return found.run_ids[0]


class Visitor:
    """Sends the requests of someone who looks at a run and votes."""

    def __init__(self, address: str, run: str, *, rate: int, seconds: int) -> None:
        self._address = address
        self._rate = rate
        self._seconds = seconds
        self._draw = random.Random(7)  # noqa: S311  a draw, no secret
        self._paths = {"code": "/code", "run": f"/code/{run}", "vote": f"/code/{run}/vote?by=ada"}

    async def visit(self) -> Times:
        """Send the requests, each at its moment."""
        times, sent = Times(), []
        async with browsing(self._address) as browser:
            for kind, path in self._paths.items():
                await timed(browser, kind, path, time.perf_counter(), Times())
            began = time.perf_counter()
            for number in range(self._seconds * self._rate):
                due = began + number / self._rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                kind = self._draw.choice(list(self._paths))
                request = timed(browser, kind, self._paths[kind], due, times)
                sent.append(asyncio.ensure_future(request))
            await asyncio.gather(*sent)
        return times


@asynccontextmanager
async def previews(address: str, run: str, count: int) -> AsyncIterator[None]:
    """Show the pages of a run in Chromium, and start them again until the block ends."""
    base, _, query = address.partition("/?")
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox"]
        )
        tab = await chromium.new_page()
        await tab.goto(f"{base}/?{query}")
        place = f"{base}/code/{run}/1/live"
        await show_all(tab, place, count)
        task = asyncio.ensure_future(restart(tab, place, count))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await chromium.close()


async def show_all(tab: Page, place: str, count: int) -> None:
    """Open the page with all previews."""
    await tab.goto(place, wait_until="commit", timeout=_START_MS)
    all_there = "n => document.querySelectorAll('iframe').length >= n"
    await tab.wait_for_function(all_there, arg=count, timeout=_START_MS)


async def restart(tab: Page, place: str, count: int) -> None:
    """Open it again and again, since previews that do not respond are stopped."""
    while True:
        await asyncio.sleep(RESTART_S)
        await show_all(tab, place, count)


def quantiles(when: str, times: Times, *, is_barred: bool) -> list[Figure]:
    """Return the median, the 95th percentile and the errors."""
    p95 = times.quantile(BARRED)
    barred = at_most(f"p95, {when}", p95, BAR_MS, "ms")
    return [
        Figure(f"p50, {when}", times.quantile(0.5), "ms"),
        barred if is_barred else Figure(barred.what, p95, "ms"),
        Figure(f"largest, {when}", times.quantile(1.0), "ms"),
        wrong(f"errors, {when}", times),
        Figure(f"load average at the end, {when}", os.getloadavg()[0], ""),
    ]


async def measured(home: Path, *, pages: int, seconds: int, rate: int) -> list[Figure]:
    """The times with no page, with hostile pages and with harmless ones."""
    runs = [await asyncio.to_thread(store_pages, home, it, pages) for it in (HOSTILE, HARMLESS)]
    figures = []
    with serving(home) as (address, _):
        visitor = Visitor(address, runs[0], rate=rate, seconds=seconds)
        figures += quantiles("no page", await visitor.visit(), is_barred=False)
        for kind, run in zip(("hostile", "harmless"), runs, strict=True):
            async with previews(address, run, pages):
                times = await visitor.visit()
            figures += quantiles(f"{pages} {kind} pages", times, is_barred=kind == "hostile")
    return figures


def main() -> None:
    """Print the table, or JSON."""
    asked = arguments(__doc__ or "", seconds=30, rate=10, pages=10)
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(
            measured(
                Path(folder), pages=asked.pages, seconds=asked.seconds, rate=asked.rate
            )
        )
    show("python benchmarks/hostile_pages.py", figures)


if __name__ == "__main__":
    main()
