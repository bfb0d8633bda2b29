"""A prober that a whole module shares, in a loop of its own."""

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import pytest

from benchmaker.arenas.code.probe import Prober, page_of_file
from benchmaker.arenas.code.probe.prober import PAGE_S
from benchmaker.record import ProbeOutcome, ProbeReport

T = TypeVar("T")
BUDGET_S = 60
WIDEST = (1440,)
FRAME = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>page</title></head>'
    "<body><main><h1>Page</h1><p>Some text.</p>{}</main></body></html>"
)


TIME = re.compile(r"the machine was too busy: the page had ([\d.]+) of ([\d.]+) seconds")


def was_held_up(report: ProbeReport) -> bool:
    """True if a report has no result, and its own figures say that the page lacked its time."""
    if report.outcome is not ProbeOutcome.UNKNOWN:
        return False
    had, took = map(float, TIME.match(report.error or "").groups())
    assert had < 0.7 * took, report.error
    return True


class Probing:
    """Asks a prober from ordinary functions; the loop runs in a thread."""

    def __init__(self, **options: Any) -> None:
        self._options = options = {"budget_s": PAGE_S, **options}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._opened = Prober.open(**options)
        self.prober = self.run(self._opened.__aenter__())

    def report(self, page: str | bytes, *, name: str = "page.html", **given: Any) -> ProbeReport:
        return self.both(page, name=name, **given)[0]

    def both(
        self,
        page: str | bytes,
        *,
        name: str = "page.html",
        mapping: bool = False,
        budget_s: float | None = None,
        **given: Any,
    ) -> tuple[ProbeReport, dict[str, bytes]]:
        """A page's report and pictures, at the greatest width unless others are given.

        A page that hangs for certain may be given less time.
        """
        given = {"viewports": WIDEST, **given}
        self.prober.budget_s = budget_s or self._options["budget_s"]
        data = page if isinstance(page, bytes) else FRAME.format(page).encode()
        made = page_of_file(name, data, mapping=mapping)
        return self.run(self.prober.probe(made.bundle, sha=made.sha256, **given))

    def together(self, pages: list[str]) -> list[ProbeReport]:
        async def all_of_them() -> list[ProbeReport]:
            made = [page_of_file("page.html", FRAME.format(one).encode()) for one in pages]
            work = [self.prober.probe(one.bundle, sha=one.sha256) for one in made]
            return [report for report, _ in await asyncio.gather(*work)]

        return self.run(all_of_them())

    def close(self) -> None:
        self.run(self._opened.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine returns that may use the prober."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(600)


@pytest.fixture(scope="session")
def probing() -> Iterator[Probing]:
    """Patient: these tests ask what is found, not how fast a busy machine finds it."""
    probing = Probing(budget_s=BUDGET_S)
    yield probing
    probing.close()
