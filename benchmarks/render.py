"""Pages per second of the render probe, against a fresh browser for every page; its memory.

``python benchmarks/render.py [--pages N] [--soak N] [--json]``. Both sides show the same page at
three widths, take three pictures and run the same accessibility rules with the same options; the
probe clicks, settles, counts colours and reads the code besides. The fresh side is Playwright as a
script would use it: one launch and three loads per page, no isolation. The probe loads the page
once, or three times if the page reads its width; both are measured. The sides take turns of five
pages, so that other work of the machine slows them alike. The start of the probe and its self-test
are excluded.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Coroutine
from contextlib import AsyncExitStack

from figures import Figure, against, arguments, show
from playwright.async_api import async_playwright

from benchmaker.arenas.code.probe import ProbePage, Prober, find_browser, page_of_file
from benchmaker.arenas.code.probe.scripts import axe, script
from benchmaker.record.probe import HEIGHTS

TURN, SOAK_TURN = 5, 50
SAMPLE_S = 0.2
FLAT = 1.3
"""The bar for the largest memory of a soak, against that of its first pages."""
FRESH = "a fresh browser for every page"
READS_WIDTH = "<script>document.body.dataset.width = innerWidth</script>"
PROBES = {
    "the probe, 1 at a time": (1, ""),
    "the probe, 2 at a time": (2, ""),
    "the probe, 2 at a time, pages that read their width": (2, READS_WIDTH),
}
"""The pages open at a time, and the script of each page."""
PAGE = """<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
<title>Page {number}</title><style>.c {{ padding: 1rem; color: #123 }}</style></head><body><main>
<h1>Page {number}</h1>{rows}<button onclick="o.textContent=+o.textContent+1">More</button>
<output id="o">0</output></main>{script}</body></html>"""
ROW = '<section class="c"><h2>Part {row}</h2><p>Some words of part {row}.</p></section>'


def pages(count: int, script: str = "") -> list[ProbePage]:
    rows = "".join(ROW.format(row=row) for row in range(30))
    texts = (PAGE.format(number=number, rows=rows, script=script) for number in range(count))
    return [page_of_file("page.html", text.encode()) for text in texts]


async def fresh(made: list[ProbePage]) -> None:
    """A browser for every page, as a plain script would have it."""
    async with async_playwright() as playwright:
        for page in made:
            browser = await playwright.chromium.launch(
                executable_path=find_browser(), args=["--no-sandbox"]
            )
            tab = await browser.new_page()
            for width, height in HEIGHTS.items():
                await tab.set_viewport_size({"width": width, "height": height})
                await tab.set_content(page.bundle.document, wait_until="load")
                await tab.screenshot()
            await tab.evaluate(axe() + f";{script('axe_run')}")
            await browser.close()


async def probe_all(prober: Prober, made: list[ProbePage]) -> None:
    await asyncio.gather(*(prober.probe(page.bundle) for page in made))


async def duration_s(work: Awaitable[None]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def alternate(count: int) -> dict[str, float]:
    """The seconds of each side over this number of pages, in turns of a few pages each.

    What else the machine does then slows all sides alike.
    """
    spent = dict.fromkeys((FRESH, *PROBES), 0.0)
    made = {side: pages(count, text) for side, (_, text) in PROBES.items()}
    async with AsyncExitStack() as stack:
        probers = {
            side: await stack.enter_async_context(Prober.open(workers=workers))
            for side, (workers, _) in PROBES.items()
        }
        for at in range(0, count, TURN):
            turn = slice(at, at + TURN)
            spent[FRESH] += await duration_s(fresh(pages(count)[turn]))
            for side, prober in probers.items():
                spent[side] += await duration_s(probe_all(prober, made[side][turn]))
    return spent


async def soak(made: list[ProbePage]) -> list[int]:
    """The largest memory of the browser's processes, in MB, during each fifty pages.

    It is read while pages are open: after them, their processes may have gone.
    """
    largest = []
    async with Prober.open(workers=2) as prober:
        for at in range(0, len(made), SOAK_TURN):
            turn = made[at : at + SOAK_TURN]
            largest.append(await largest_mb(prober, probe_all(prober, turn)))
            print(f"{at + len(turn)} pages: {largest[-1]} MB", file=sys.stderr, flush=True)
    return largest


async def largest_mb(prober: Prober, work: Coroutine[None, None, None]) -> int:
    """The largest memory of the browser's processes during some work."""
    held = [prober.memory_mb()]
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait([task], timeout=SAMPLE_S)
        held.append(prober.memory_mb())
    await task
    return max(held)


async def measured(count: int, soaked: int) -> list[Figure]:
    rates = {side: count / spent for side, spent in (await alternate(count)).items()}
    figures = [Figure(FRESH, rates[FRESH], "pages/s")]
    figures += [
        against(side, rates[side], rates[FRESH], unit="pages/s", name="fresh") for side in PROBES
    ]
    if soaked:
        held = await soak(pages(soaked))
        first = f"largest memory during the first {SOAK_TURN} pages"
        figures.append(Figure(first, held[0], "MB"))
        for what, mb in (
            (f"largest memory during the last {SOAK_TURN} of {soaked} pages", held[-1]),
            (f"largest memory during all {soaked} pages", max(held)),
        ):
            figures.append(against(what, mb, held[0], unit="MB", name="first 50", bar=FLAT))
    return figures


def main() -> None:
    asked = arguments(__doc__ or "", pages=20, soak=500)
    show("python benchmarks/render.py", asyncio.run(measured(asked.pages, asked.soak)))


if __name__ == "__main__":
    main()
