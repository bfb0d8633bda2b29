"""The examination of a page from its first load to its last click.

Every stage keeps its findings; a page that hangs or crashes later is loaded once more and examined
in its initial state, with its scripts paused.
"""

import asyncio
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from benchmaker.arenas.code.probe.browser import Browser
from benchmaker.arenas.code.probe.browser_events import MOST_MESSAGES, Witness
from benchmaker.arenas.code.probe.click_walk import Walk
from benchmaker.arenas.code.probe.served_files import ServableBundle
from benchmaker.arenas.code.probe.visit import PASSED_S, Crashed, Hung, Visit
from benchmaker.record import ProbeOutcome

_SLOW_S = 0.5
_GROWS = 1.1
_BROKEN = (ProbeOutcome.MEMORY, ProbeOutcome.CRASH)
_BY_SIZE = re.compile(
    rb"""url\(\s*['"]?(?!data:)|image-set|content-visibility|shadowrootmode|scroll-snap|onresize""",
    re.IGNORECASE,
)
_MOST_FOR_AXE = 8000
"""Elements beyond which the accessibility rules are left out: they would take minutes."""


@dataclass(slots=True)
class PageObservations:
    """The observations of a page so far.

    ``facts`` are those of ``facts.js`` by width, ``colours`` the share of the commonest colour and
    the number of colours, ``ended`` the failure, None without one. ``axe`` is None until the
    accessibility rules were tried.
    """

    widths: tuple[int, ...]
    facts: dict[int, dict[str, Any]] = field(default_factory=dict)
    pictures: dict[int, bytes] = field(default_factory=dict)
    colours: dict[int, tuple[float, int]] = field(default_factory=dict)
    axe: list[tuple[str, str]] | None = None
    walk: Walk | None = None
    notes: Witness = field(default_factory=Witness)
    ended: ProbeOutcome | None = None
    error: str | None = None
    timeout: bool = False
    flags: set[str] = field(default_factory=set)

    @property
    def widest_facts(self) -> dict[str, Any] | None:
        """The facts at the greatest width, None where it was never seen."""
        return self.facts.get(self.widths[-1])

    @classmethod
    def for_widths(cls, widths: Iterable[int]) -> "PageObservations":
        """Return empty observations for a page at these widths."""
        return cls(tuple(sorted(set(widths))))

    def mark_abandoned(self) -> None:
        """Record that the whole browser had to be killed, since the page blocked it."""
        self.timeout = True
        self.flags.add("budget_spent")
        self.ended = ProbeOutcome.HANG
        self.error = self.error or "TimeoutError: the page blocked the browser."

    def mark_unknown(self, reason: str) -> None:
        """Record that the page did not get its time; drop what only the lack of it may explain.

        Facts read before, with the page's scripts paused, remain.
        """
        self.ended = ProbeOutcome.UNKNOWN
        self.error = reason
        self.walk = None
        self.flags.discard("slow")
        self.flags.discard("budget_spent")
        self.flags.add("machine_busy")

    def mark_hung(self, visit: Visit) -> None:
        """The page did not come back."""
        self.timeout = True
        if visit.left_s <= 0:
            self.flags.add("budget_spent")
        if not visit.is_loaded:
            self.error = "TimeoutError: the page did not finish loading."
            self.ended = ProbeOutcome.HANG
        elif visit.left_s > 0:
            self.ended = ProbeOutcome.HANG

    def mark_crashed(self, browser: Browser, kills: int) -> None:
        """Record that the page's process ended, by our memory watch or by itself."""
        is_ours = browser.memory.kills > kills
        self.ended = ProbeOutcome.MEMORY if is_ours else ProbeOutcome.CRASH
        browser.is_spent = True

    def add(self, notes: Witness) -> None:
        """Put the notes of one load to those before: no load is counted twice."""
        into = self.notes
        for mine, theirs in (
            (into.page_errors, notes.page_errors),
            (into.rejections, notes.rejections),
        ):
            mine.extend([one for one in theirs if one not in mine][: MOST_MESSAGES - len(mine)])
        into.console_errors = max(into.console_errors, notes.console_errors)
        into.blocked |= notes.blocked
        into.absent |= notes.absent
        into.dialogs = max(into.dialogs, notes.dialogs)
        into.reloads_stopped |= notes.reloads_stopped
        into.went_to = into.went_to or notes.went_to
        into.left |= notes.left


async def examine(
    browser: Browser,
    bundle: ServableBundle,
    seen: PageObservations,
    *,
    until: float,
    patience: float = 1.0,
) -> None:
    """Look at a page at each width of ``seen``, then click through it at the greatest."""
    kills = browser.memory.kills
    pending = list(seen.widths)
    for is_still in (False, True):
        async with Visit(browser, bundle, until=until, patience=patience) as visit:
            try:
                await _look_at_all(visit, seen, pending, is_still=is_still)
                if "slow" in seen.flags:
                    await _see_growth(visit, browser)
                break
            except Hung:
                seen.mark_hung(visit)
                if not (visit.is_loaded and pending):
                    break
            except Crashed:
                seen.mark_crashed(browser, kills)
                if not pending:
                    break
            finally:
                seen.add(visit.notes)
    await _count_colours(seen)


async def _look_at_all(
    visit: Visit, seen: PageObservations, pending: list[int], *, is_still: bool
) -> None:
    while pending:
        await _load(visit, seen, pending[0], is_still=is_still)
        await _look(visit, seen, pending[0])
        is_fluid = await _is_fluid(visit, seen, pending.pop(0))
        while pending and is_fluid and await visit.resize(pending[0]):
            await _look(visit, seen, pending[0])
            pending.pop(0)
        seen.add(visit.notes)
        await visit.go_on()
    if not is_still and not seen.notes.reloads_stopped:
        seen.walk = Walk()
        await seen.walk.go(visit)
        seen.timeout |= seen.walk.hangs > 0 or seen.walk.is_late
        visit.notes = Witness()
    elif seen.ended in _BROKEN:
        seen.walk = Walk()
        await seen.walk.only_count(visit)


async def _load(visit: Visit, seen: PageObservations, width: int, *, is_still: bool) -> None:
    """Load the page at a width, give it time unless it is to be still, and stop it."""
    await visit.load(width)
    if not is_still:
        await visit.draw()
        await visit.ask("steady", "shifts")
        limit_s = _SLOW_S if "slow" in seen.flags else PASSED_S
        if not await visit.settle(limit_s=limit_s):
            seen.flags.add("slow")
    await visit.stop()


async def _look(visit: Visit, seen: PageObservations, width: int) -> None:
    """Take the facts and the picture of a stopped page, and its rules at the greatest width."""
    seen.facts[width] = await visit.ask("still", "facts")
    has_frames = seen.facts[width]["frames"] > 0
    seen.pictures[width] = await visit.picture(has_frames=has_frames)
    if width == seen.widths[-1]:
        await _rules(visit, seen)


async def _is_fluid(visit: Visit, seen: PageObservations, width: int) -> bool:
    """Return True if the page would be the same after a load at another width.

    Its scripts read no size, and after its first frame nothing altered or moved.
    """
    facts = seen.facts[width]
    is_steady = facts["is_steady"] and facts["layout_shift"] == 0 and "slow" not in seen.flags
    if not (is_steady and visit.is_calm) or _has_parts_by_size(visit.bundle):
        return False
    return not await visit.reads_size()


def _has_parts_by_size(bundle: ServableBundle) -> bool:
    """Return True if a document or a file may request or show parts at some sizes only."""
    texts = (bundle.document.encode("utf-8", "replace"), *(it[1] for it in bundle.files.values()))
    return any(_BY_SIZE.search(text) for text in texts)


async def _see_growth(visit: Visit, browser: Browser) -> None:
    """Watch for unbounded memory growth of a page that is always active.

    This is the last step; it ends when the memory does not grow, when the watch kills the page, or
    at the page's time limit.
    """
    with suppress(Hung):
        held = browser.memory.largest_mb()
        while visit.left_s > 0:
            await visit.settle(limit_s=_SLOW_S)
            now = browser.memory.largest_mb()
            if now < held * _GROWS + 1:
                return
            held = now


async def _rules(visit: Visit, seen: PageObservations) -> None:
    """The accessibility rules, where the page is not too large for them."""
    if seen.facts[seen.widths[-1]]["elements"] > _MOST_FOR_AXE:
        seen.flags.add("axe_left_out")
        return
    seen.axe = await visit.accessibility()


async def _count_colours(seen: PageObservations) -> None:
    from benchmaker.arenas.code.png import decode_png, dominant_colour  # noqa: PLC0415  loads numpy

    for width, picture in seen.pictures.items():
        share, count = await asyncio.to_thread(lambda it: dominant_colour(decode_png(it)), picture)
        seen.colours[width] = (round(share, 4), count)
