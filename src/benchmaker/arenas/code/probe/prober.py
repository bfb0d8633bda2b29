"""The render probe: pages in, reports and screenshots out; one browser, a context per page."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from benchmaker.arenas.code.probe.attempt import Attempt
from benchmaker.arenas.code.probe.browser import Browser, StartTimeoutError, start
from benchmaker.arenas.code.probe.checks import CHECK_S, failed_results, run_checks
from benchmaker.arenas.code.probe.examination import PageObservations, examine
from benchmaker.arenas.code.probe.hold_ups import HoldUpWatch
from benchmaker.arenas.code.probe.network_isolation import (
    CHOOSE_BROWSER,
    INSTALL_DRIVER,
    Wall,
    find_browser,
    require_browser,
    walls,
)
from benchmaker.arenas.code.probe.reporting import read_report, rendered_report
from benchmaker.arenas.code.probe.selftest import try_walls
from benchmaker.arenas.code.probe.sources import ProbedBundle
from benchmaker.errors import BenchmakerError, PrerequisiteError, RenderError
from benchmaker.record import ProbeIsolation, ProbeReport, SelfTest
from benchmaker.record.probe import WIDTHS
from benchmaker.spec.suites.page_checks import Check

if TYPE_CHECKING:
    from playwright.async_api import Playwright


class Turns:
    """Admits ``most`` at a time; an exclusive user waits for the others and blocks new ones."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self._alone_wanted = 0
        self._change = asyncio.Condition()

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[None]:
        """Wait for a shared place; exclusive users take precedence."""
        async with self._change:
            await self._change.wait_for(
                lambda: self._inside < self._most and not self._alone_wanted
            )
            self._inside += 1
        try:
            yield
        finally:
            await self._leave(1)

    @asynccontextmanager
    async def acquire_exclusive(self) -> AsyncIterator[None]:
        """Wait for all places."""
        async with self._change:
            self._alone_wanted += 1
            try:
                await self._change.wait_for(lambda: self._inside == 0)
                self._inside = self._most
            finally:
                self._alone_wanted -= 1
                self._change.notify_all()
        try:
            yield
        finally:
            await self._leave(self._most)

    async def _leave(self, places: int) -> None:
        async with self._change:
            self._inside -= places
            self._change.notify_all()


PAGE_S = 10.0
"""The wall-clock budget of one page, without the task's checks."""

MOST_MB = 1200
_GRACE_S = 3.0
"""What ending a page may take beside its budget; then the whole browser is ended."""

_LATER_S = 3.0
"""The seconds after which a page is examined again that did not get its time."""

_PAGES_PER_BROWSER = 100

IsolationChoice = Literal["auto", "namespace", "flags"]


class PageOrder(NamedTuple):
    """A page to be examined: its content, its checks, and the widths of the window."""

    bundle: ProbedBundle
    checks: Sequence[Check]
    viewports: Sequence[int]


def static_report(bundle: ProbedBundle, *, sha: str = "") -> ProbeReport:
    """Return the report of a page that is only read, without a browser."""
    return read_report(bundle, sha=sha or _sha(bundle))


class Prober:
    """Renders untrusted pages, one after the other or ``workers`` in parallel.

    Use :meth:`open`. ``isolation`` is the network isolation of the pages and ``self_test`` its
    test; ``browser`` is the build, None without a browser, when pages are only read.
    """

    def __init__(
        self,
        *,
        workers: int,
        mapping: bool,
        budget_s: float,
        on_repeat: Callable[[str], None] | None = None,
    ) -> None:
        self._on_repeat = on_repeat
        self.workers = workers
        self.mapping = mapping
        self.budget_s = budget_s
        self.isolation = ProbeIsolation.STATIC
        self.browser: str | None = None
        self.self_test: SelfTest | None = None
        self._turns = Turns(workers)
        self._starting = asyncio.Lock()
        self._running: Browser | None = None
        self._old: set[Browser] = set()
        self._playwright: Playwright | None = None
        self._path = ""
        self._wall: Wall

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        *,
        browser: str | None = None,
        workers: int = 1,
        mapping: bool = True,
        isolation: IsolationChoice = "auto",
        budget_s: float = PAGE_S,
        on_repeat: Callable[[str], None] | None = None,
    ) -> AsyncIterator[Self]:
        """Open a prober; its browser ends with the block.

        Args:
            browser: the path of Chromium or a derivative; None for the first one installed. Without
                one, pages are only read.
            workers: number of pages open in parallel.
            mapping: the mapping used for the bundles; not part of reports.
            budget_s: the wall-clock seconds of one page; shorter limits are in proportion.
            isolation: the isolation to use; ``auto`` for the strongest that works.
            on_repeat: called with the reason, a sentence, before a page is examined again.

        Raises:
            PrerequisiteError: the driver is not installed, or the browser's path is wrong.
            RenderError: no isolation works on this machine, or the browser does not start.
        """
        prober = cls(workers=workers, mapping=mapping, budget_s=budget_s, on_repeat=on_repeat)
        path = find_browser() if browser is None else require_browser(browser)
        if path is None:
            yield prober
            return
        async with _driver()() as playwright:
            prober._playwright = playwright
            prober._path = path
            await prober._choose(None if isolation == "auto" else ProbeIsolation(isolation))
            try:
                yield prober
            finally:
                await prober._end()

    async def probe(
        self,
        bundle: ProbedBundle,
        *,
        checks: Sequence[Check] = (),
        viewports: Sequence[int] = WIDTHS,
        sha: str = "",
    ) -> tuple[ProbeReport, dict[str, bytes]]:
        """Return the report of a page, and its pictures (PNG) by digest.

        A page that timed out is rendered once more, alone, since a busy machine can cause a
        time-out. Where the browser was held up, its limits are longer then, and a third time
        later. Without its time after that, the outcome is ``unknown``. The limits of all attempts
        sum to two minutes by default, and three and a half for each check, without waits for
        other pages and starts of the browser. ``sha`` is the digest of the bundle's source, by
        default that of its document.
        """
        sha = sha or _sha(bundle)
        if self.browser is None:
            return read_report(bundle, sha=sha), {}
        attempt = await self._attempts(PageOrder(bundle, checks, viewports))
        if self.self_test is None:
            raise RenderError("the prober was closed before the report of the page.")
        return rendered_report(
            bundle,
            attempt.seen,
            sha=sha,
            browser=self.browser,
            isolation=self.isolation,
            self_test=self.self_test,
            checks=attempt.results,
            film=attempt.film,
        )

    def memory_mb(self) -> int:
        """Return the current memory of the processes of all its browsers, in MB."""
        return sum(it.memory.total_mb() for it in (self._running, *self._old) if it is not None)

    async def _attempts(self, task: PageOrder) -> Attempt:
        """Examine a page until an attempt says something of it, at most three times."""
        async with self._turns.acquire():
            attempt = await self._attempt(task)
        if not attempt.needs_another:
            return attempt
        for pause_s in (0.0, _LATER_S):
            if self._on_repeat is not None:
                self._on_repeat(attempt.repeat_reason)
            await asyncio.sleep(pause_s)
            async with self._turns.acquire_exclusive():
                attempt = await self._attempt(task, stretch=attempt.next_stretch, is_alone=True)
            if not attempt.is_doubtful:
                return attempt
        return attempt.unknown()

    async def _attempt(
        self, task: PageOrder, *, stretch: float = 1.0, is_alone: bool = False
    ) -> Attempt:
        """Examine a page; again where the browser ended, which says nothing of the page.

        Raises:
            RenderError: the browser ended both times, or the probe itself failed.
        """
        for is_last in (False, True):
            async with self._a_browser() as browser:
                attempt = Attempt(
                    PageObservations.for_widths(task.viewports),
                    budget_s=self.budget_s,
                    stretch=stretch,
                    is_alone=is_alone,
                )
                async with HoldUpWatch(browser) as attempt.watch:
                    is_done = await self._render(browser, task, attempt, is_last=is_last)
                if is_done:
                    return attempt
        raise AssertionError

    async def _render(
        self, browser: Browser, task: PageOrder, attempt: Attempt, *, is_last: bool
    ) -> bool:
        """Make an attempt in this browser; return False if the browser ended.

        Raises:
            RenderError: the browser ended in the last one, or the probe itself failed.
        """
        try:
            await self._render_page(browser, task, attempt)
        except Exception as exc:
            is_lost = await browser.is_lost()
            if isinstance(exc, TimeoutError) and not is_lost:
                attempt.abandon(failed_results(task.checks, "the page blocked the browser"))
                browser.kill()
                return True
            browser.is_spent = True
            if is_last or not is_lost:
                raise RenderError(_probe_failure(exc)) from exc
            return False
        return True

    async def _render_page(self, browser: Browser, task: PageOrder, attempt: Attempt) -> None:
        """Look at a page in this browser and take its checks.

        Raises:
            RenderError: the browser ended meanwhile, so that whatever failed may be its fault.
            TimeoutError: the browser did not come back.
        """
        patience = self.budget_s / PAGE_S * attempt.stretch
        budget_s, grace_s = PAGE_S * patience, _GRACE_S * attempt.stretch
        until = asyncio.get_running_loop().time() + budget_s
        async with asyncio.timeout(budget_s + grace_s):
            await examine(browser, task.bundle, attempt.seen, until=until, patience=patience)
        async with asyncio.timeout(grace_s + len(task.checks) * (CHECK_S * patience + grace_s)):
            attempt.results, attempt.film = await run_checks(
                browser, task.bundle, task.checks, patience=patience
            )
        if await browser.is_lost():
            raise RenderError("the browser exited while it showed the page.")

    @asynccontextmanager
    async def _a_browser(self) -> AsyncIterator[Browser]:
        """A browser that is not spent; one that is closes when its last page has gone."""
        browser = await self._running_browser()
        browser.in_use += 1
        browser.pages += 1
        try:
            yield browser
        finally:
            browser.in_use -= 1
            if browser in self._old and not browser.in_use:
                self._old.discard(browser)
                await browser.close()

    async def _running_browser(self) -> Browser:
        async with self._starting:
            now = self._running
            if now is not None and _is_over(now):
                await self._retire(now)
            if self._running is None:
                self._running = await self._start(self._wall)
            return self._running

    async def _retire(self, browser: Browser) -> None:
        self._running = None
        if browser.in_use:
            self._old.add(browser)
        else:
            await browser.close()

    async def _start(self, wall: Wall) -> Browser:
        if self._playwright is None:
            raise RenderError("the prober was closed.")
        return await start(self._playwright, self._path, wall, most_mb=MOST_MB)

    async def _choose(self, isolation: ProbeIsolation | None) -> None:
        """Take the first wall that holds; keep the browser behind it."""
        faults: list[str] = []
        unstarted: set[ProbeIsolation] = set()
        for wall in walls(isolation):
            try:
                browser = await self._start(wall)
            except StartTimeoutError as exc:
                raise _start_fault(self._path, exc.message) from exc
            except RenderError as exc:
                faults.append(f"{wall.isolation}: {exc.message}")
                unstarted.add(wall.isolation)
                continue
            test = await try_walls(browser, wall.isolation)
            if test.controls and not test.seen:
                self._wall, self._running, self.self_test = wall, browser, test
                self.isolation, self.browser = wall.isolation, browser.version
                return
            await browser.close()
            unstarted.clear()
            faults.append(f"{wall.isolation}: {', '.join(test.seen) or 'nothing could be tried'}")
        if ProbeIsolation.FLAGS in unstarted:
            raise _start_fault(self._path, faults[-1].partition(": ")[2])
        raise RenderError(
            f"nothing rendered: pages can't be isolated from the network ({'; '.join(faults)}).",
            hint="Allow namespaces: sudo sysctl -w user.max_user_namespaces=10000",
        )

    async def _end(self) -> None:
        for browser in (self._running, *self._old):
            if browser is not None:
                await browser.close()
        self._running = None
        self._old.clear()
        self._playwright = None


def _is_over(browser: Browser) -> bool:
    """True if no further page should be opened in it."""
    is_worn = browser.is_spent or browser.pages >= _PAGES_PER_BROWSER
    return is_worn or not browser.is_running


def _start_fault(path: str, reason: str) -> PrerequisiteError:
    """The fault of a browser that starts with no isolation, not even with flags alone."""
    return PrerequisiteError(f"nothing rendered: {reason}", where=path, hint=CHOOSE_BROWSER)


def _probe_failure(error: Exception) -> str:
    """Return the message of a failed probe, with the words of other programs in quotes."""
    if isinstance(error, BenchmakerError):
        return f"the probe failed: {error.message}"
    words = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
    return f'the probe failed. Its message is "{words}".'


def _driver() -> Callable[[], "AbstractAsyncContextManager[Playwright]"]:
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415  an extra
    except ImportError as exc:
        raise PrerequisiteError(
            "rendering needs Playwright, which is not installed.",
            hint=INSTALL_DRIVER,
        ) from exc
    return async_playwright


def _sha(bundle: ProbedBundle) -> str:
    return hashlib.sha256(bundle.document.encode("utf-8", "replace")).hexdigest()
