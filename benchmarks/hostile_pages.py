"""The workbench's response times while hostile pages run, on the server and in a viewer's browser.

``python benchmarks/web_load.py --hostile 10`` measures it. The requests are those of someone who
votes, sent at fixed moments, each timed from the moment when it was due. First no page runs; then
models answer with hostile pages, which the server renders. Then a browser on the same machine shows
the pages as previews, side by side; at last as many that do nothing. The load average of the
machine is in the table. Needs Chromium.
"""

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from aiohttp import web
from figures import Figure, at_most
from playwright.async_api import async_playwright
from web_load import BAR_MS, BARRED, Times, browsing, serving, timed, told, wrong

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
    (
        "setInterval(() => { for (let i = 0; i < 2000; i++)"
        " document.body.append(document.createElement('div')); }, 50)"
    ),
    "setInterval(() => { for (let i = 0; i < 500; i++) top.postMessage(i, '*'); }, 50)",
    "/(a+)+$/.test('a'.repeat(50) + 'b')",
    "for (let i = 0; i < 2; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
    "setInterval(() => fetch('http://other.invalid/').catch(() => {}), 20)",
    "for (let i = 0; i < 50; i++) open('http://other.invalid/')",
    "setInterval(() => { location.hash = Math.random(); history.pushState({}, ''); }, 1)",
)
"""The script of each page; further pages have them again."""
HARMLESS = ("document.title = 'harmless'",)
PAGE = '<!doctype html><html lang="en"><title>A page</title><h1>A page</h1><script>{}</script>'
START_MS = 60_000
MODELS = 5
"""Models of a run that the server renders."""


def store_pages(home: Path, scripts: Sequence[str], count: int) -> str:
    """Store a run of one prompt with this number of pages; return its id."""
    home.mkdir(parents=True, exist_ok=True)
    answers = {f"model-{at}": page_of(scripts[at % len(scripts)]) for at in range(count)}
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


def page_of(script: str) -> str:
    """Return an answer with a page of this script."""
    return f"```html\n{PAGE.format(script)}\n```"


@asynccontextmanager
async def answering() -> AsyncIterator[str]:
    """Serve models whose number selects their page; yield the base URL."""

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        script = HOSTILE[int(body["model"].rpartition("-")[2]) % len(HOSTILE)]
        message = {"role": "assistant", "content": page_of(script)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({"id": "a", "model": body["model"], "choices": [choice]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


async def ask_for_pages(browser: aiohttp.ClientSession, models: str, count: int) -> None:
    """Start runs of as many models, five in each, as the page *Code* does."""
    for first in range(0, count, MODELS):
        names = [f"{models}#model-{at}" for at in range(first, min(first + MODELS, count))]
        order = {"prompt": f"Page {first}.", "models": names}
        async with browser.post("/api/v1/code/runs", json=order) as answer:
            if not answer.ok:
                raise SystemExit(f"{answer.status}: {await answer.text()}")


async def runs_in_progress(browser: aiohttp.ClientSession) -> int:
    """Return how many runs are not over."""
    async with browser.get("/api/v1/runs?state=running") as answer:
        return len((await answer.json())["items"])


async def until_rendered(browser: aiohttp.ClientSession) -> None:
    """Wait until no run is in progress."""
    while await runs_in_progress(browser):  # noqa: ASYNC110  the server is asked, not this process
        await asyncio.sleep(1)


class Visitor:
    """Sends the requests of someone who looks at a run and votes."""

    def __init__(
        self, browser: aiohttp.ClientSession, run: str, *, rate: int, seconds: int
    ) -> None:
        self._browser = browser
        self._rate = rate
        self._seconds = seconds
        self._draw = random.Random(7)  # noqa: S311  a draw, no secret
        self._paths = {"code": "/code", "run": f"/code/{run}", "vote": f"/code/{run}/vote?by=ada"}

    async def visit(self) -> Times:
        """Send the requests, each at its moment."""
        times, sent = Times(), []
        for kind, path in self._paths.items():
            await timed(self._browser, kind, path, time.perf_counter(), Times())
        began = time.perf_counter()
        for number in range(self._seconds * self._rate):
            due = began + number / self._rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            kind = self._draw.choice(list(self._paths))
            request = timed(self._browser, kind, self._paths[kind], due, times)
            sent.append(asyncio.ensure_future(request))
        await asyncio.gather(*sent)
        return times


@asynccontextmanager
async def previews(
    browser: aiohttp.ClientSession, base: str, run: str, count: int
) -> AsyncIterator[None]:
    """Show the pages of a run in Chromium, side by side, in the session of the requests."""
    cookies = [{"name": it.key, "value": it.value, "url": base} for it in browser.cookie_jar]
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox"]
        )
        tab = await chromium.new_page()
        await tab.context.add_cookies(cookies)  # type: ignore[arg-type]  # as its own type
        await tab.goto(f"{base}/code/{run}/1/live", wait_until="commit")
        counted = "n => document.querySelectorAll('iframe').length === n"
        await tab.wait_for_function(counted, arg=count, timeout=START_MS)
        try:
            yield
        finally:
            await chromium.close()


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
    told("pages stored")
    figures = []
    with serving(home) as (address, _):
        base = address.partition("/?")[0]
        async with browsing(address) as browser:
            visitor = Visitor(browser, runs[0], rate=rate, seconds=seconds)
            figures += quantiles("no page", await visitor.visit(), is_barred=False)
            async with answering() as models:
                await ask_for_pages(browser, models, pages)
                times = await visitor.visit()
                left = await runs_in_progress(browser)
                told(f"hostile pages rendered by the server done, {left} runs in progress")
                await until_rendered(browser)
            what = f"{pages} hostile pages rendered by the server"
            figures += quantiles(what, times, is_barred=True)
            for kind, run in zip(("hostile", "harmless"), runs, strict=True):
                async with previews(browser, base, run, pages):
                    times = await visitor.visit()
                told(f"{kind} pages done")
                what = f"{pages} {kind} pages in a browser on this machine"
                figures += quantiles(what, times, is_barred=False)
    return figures
