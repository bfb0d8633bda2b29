"""Pages per second of the render probe, against a fresh browser for every page; its memory.

``python benchmarks/render.py [--pages N] [--soak N] [--json]``. Both sides load the same page at
three widths, take three pictures and run the accessibility rules; the probe clicks and reads the
code besides. The fresh side is Playwright as a script would use it: one launch per page, no
isolation. A busy machine spoils the absolute figures; the ratios suffer less.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from figures import Figure, against, arguments, show
from playwright.async_api import async_playwright

from benchmaker.arenas.code.probe import ProbePage, Prober, find_browser, page_of_file
from benchmaker.arenas.code.probe.scripts import axe
from benchmaker.record.probe import HEIGHTS

PAGE = """<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
<title>Page {number}</title><style>.c {{ padding: 1rem; color: #123 }}</style></head><body><main>
<h1>Page {number}</h1>{rows}<button onclick="o.textContent=+o.textContent+1">More</button>
<output id="o">0</output></main></body></html>"""
ROW = '<section class="c"><h2>Part {row}</h2><p>Some words of part {row}.</p></section>'


def pages(count: int) -> list[ProbePage]:
    rows = "".join(ROW.format(row=row) for row in range(30))
    return [
        page_of_file("page.html", PAGE.format(number=number, rows=rows).encode())
        for number in range(count)
    ]


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
            await tab.evaluate(axe() + ";axe.run(document).then(() => 1)")
            await browser.close()


def probed(workers: int) -> Callable[[list[ProbePage]], Awaitable[None]]:
    async def work(made: list[ProbePage]) -> None:
        async with Prober.open(workers=workers) as prober:
            began = time.perf_counter()
            await asyncio.gather(*(prober.probe(page.bundle) for page in made))
            probed_s[workers] = time.perf_counter() - began

    return work


probed_s: dict[int, float] = {}


async def rate(work: Callable[[list[ProbePage]], Awaitable[None]], made: list[ProbePage]) -> float:
    began = time.perf_counter()
    await work(made)
    return len(made) / (time.perf_counter() - began)


async def soak(made: list[ProbePage]) -> list[int]:
    """The memory of the browser's processes, in MB, after every fiftieth page."""
    held = []
    async with Prober.open(workers=2) as prober:
        for at in range(0, len(made), 50):
            await asyncio.gather(*(prober.probe(page.bundle) for page in made[at : at + 50]))
            held.append(prober.memory_mb())
    return held


async def measured(count: int, soaked: int) -> list[Figure]:
    made = pages(count)
    alone = await rate(fresh, made)
    figures = [Figure("a fresh browser for every page", alone, "pages/s")]
    for workers in (1, 2):
        whole = await rate(probed(workers), made)
        said = f"the probe, {workers} at a time"
        figures.append(
            against(said, count / probed_s[workers], alone, unit="pages/s", name="fresh")
        )
        figures.append(Figure(f"{said}, start and self-test included", whole, "pages/s"))
    if soaked:
        held = await soak(pages(soaked))
        figures.append(Figure("memory after the first 50 pages", held[0], "MB"))
        last = f"memory after {soaked} pages"
        figures.append(against(last, held[-1], held[0], unit="MB", name="first 50"))
        figures.append(
            against("largest on the way", max(held), held[0], unit="MB", name="first 50")
        )
    return figures


def main() -> None:
    asked = arguments(__doc__ or "", pages=20, soak=500)
    show("python benchmarks/render.py", asyncio.run(measured(asked.pages, asked.soak)))


if __name__ == "__main__":
    main()
