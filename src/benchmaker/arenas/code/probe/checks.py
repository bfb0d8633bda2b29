"""The checks of a task: user steps on a freshly loaded page, and expectations."""

import asyncio
import hashlib
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import assert_never

from benchmaker.arenas.code.probe.browser import Browser
from benchmaker.arenas.code.probe.expectations import (
    Unmet,
    locate_one,
    locator_fields,
    wait_until,
)
from benchmaker.arenas.code.probe.served_files import ServableBundle
from benchmaker.arenas.code.probe.visit import CLICK_MS, Crashed, Hung, Visit
from benchmaker.record import CheckResult, Shot, StepOutcome, StepResult
from benchmaker.spec.suites.page_checks import Check, Expect, Fill, Locator, Press, Step, Wait

CHECK_S = 20.0
"""The wall-clock budget of one check."""

_STEP_MS = 2000
_WAIT_S = 5.0
_EXPECT_S = 2.0
_WIDTH, _HEIGHT = 1440, 900
MOST_PICTURES = 60
"""The pictures of the steps of one page; later steps have none."""


async def run_checks(
    browser: Browser, bundle: ServableBundle, checks: Sequence[Check], *, patience: float = 1.0
) -> tuple[tuple[CheckResult, ...], dict[str, bytes]]:
    """Return each check's result in their order, and the pictures of the steps by digest.

    A page that hangs fails the check, never the probe.
    """
    results: list[CheckResult] = []
    pictures: dict[str, bytes] = {}
    for index, check in enumerate(checks, start=1):
        strip = _FilmStrip(check, most=MOST_PICTURES - len(pictures))
        message = await _why_not(browser, bundle, strip, patience)
        results.append(strip.result(index, message))
        pictures.update(strip.pictures)
    return tuple(results), pictures


def failed_results(checks: Sequence[Check], message: str) -> tuple[CheckResult, ...]:
    """The results of checks that could not be taken."""
    return tuple(
        _FilmStrip(check, most=0).result(index, message)
        for index, check in enumerate(checks, start=1)
    )


class _FilmStrip:
    """A check in progress: its steps so far, and a picture of at most ``most`` of them."""

    def __init__(self, check: Check, *, most: int) -> None:
        self.check = check
        self.pictures: dict[str, bytes] = {}
        size = check.viewport
        self.width, self.height = (size.width, size.height) if size else (_WIDTH, _HEIGHT)
        self._most = most
        self._steps: list[StepResult] = []

    async def add(self, visit: Visit, step: Step, fault: str) -> None:
        """Note the outcome of the next step, with a picture of the window."""
        outcome = StepOutcome.FAILED if fault else StepOutcome.PASSED
        shot = None
        if len(self.pictures) < self._most:
            with suppress(Hung, Crashed):
                shot = self._keep(await visit.still_picture())
        self._append(step, outcome, fault, shot)

    def result(self, index: int, message: str) -> CheckResult:
        """Return the result of the check; steps that were not reached follow the others."""
        for step in self.check.steps[len(self._steps) :]:
            self._append(step, StepOutcome.NOT_REACHED)
        return CheckResult(
            index=index,
            text=self.check.title,
            passed=not message,
            message=message,
            steps=tuple(self._steps),
        )

    def _append(
        self, step: Step, outcome: StepOutcome, message: str = "", picture: Shot | None = None
    ) -> None:
        self._steps.append(
            StepResult(
                index=len(self._steps) + 1,
                text=step.words,
                outcome=outcome,
                message=message,
                picture=picture,
            )
        )

    def _keep(self, picture: bytes) -> Shot:
        sha256 = hashlib.sha256(picture).hexdigest()
        self.pictures[sha256] = picture
        return Shot(viewport=self.width, width=self.width, height=self.height, sha256=sha256)


async def _why_not(
    browser: Browser, bundle: ServableBundle, strip: _FilmStrip, patience: float
) -> str:
    """Return the reason why the check fails; empty if it passes."""
    until = asyncio.get_running_loop().time() + CHECK_S * patience
    async with Visit(browser, bundle, until=until, patience=patience) as visit:
        try:
            await visit.load(strip.width, height=strip.height)
            await visit.settle()
        except (Hung, Crashed):
            return "the page did not finish loading"
        for number, step in enumerate(strip.check.steps, start=1):
            fault = await _fault_of(browser, visit, step)
            await strip.add(visit, step, fault)
            if fault:
                return f"step {number} ({step.words}): {fault}"
    return ""


async def _fault_of(browser: Browser, visit: Visit, step: Step) -> str:
    """Take a step; return the reason why it failed, empty if it did not."""
    try:
        await _take(visit, step)
    except Unmet as exc:
        return str(exc)
    except Hung:
        return "the page did not respond"
    except Crashed:
        browser.is_spent = True
        return "the page crashed"
    return ""


async def _take(visit: Visit, step: Step) -> None:
    """Take one step.

    Playwright acts like a visitor: it waits until an element is visible, still and not covered.
    """
    target = step.target
    match target:
        case Wait(ms=int(ms)):
            await visit.settle(ms)
            return
        case Wait():
            await wait_until(visit, target, Expect.model_validate(locator_fields(target)), _WAIT_S)
            return
        case Expect():
            await wait_until(visit, target, target, _EXPECT_S)
            return
        case Fill(with_=text):
            await _do(visit, locate_one(visit, target).fill(text, timeout=_STEP_MS))
        case Press(key=key) if not locator_fields(target):
            await _do(visit, visit.page.keyboard.press(key))
        case Press(key=key):
            await _do(visit, locate_one(visit, target).press(key, timeout=_STEP_MS))
        case Locator():
            await _do(visit, locate_one(visit, target).click(timeout=_STEP_MS))
        case _:
            assert_never(target)
    await visit.settle(CLICK_MS)


async def _do(visit: Visit, action: Awaitable[None]) -> None:
    from playwright.async_api import Error  # noqa: PLC0415  an extra, loaded where it is used
    from playwright.async_api import TimeoutError as Late  # noqa: PLC0415

    try:
        await visit.wait_for(action, _STEP_MS / 1000 + 1)
    except Late as exc:
        raise Unmet(_reason(str(exc))) from exc
    except Error as exc:
        raise Unmet(str(exc).splitlines()[0][:200]) from exc


def _reason(log: str) -> str:
    """Return the reason why an action failed, from the driver's log."""
    for words, meaning in (
        ("intercepts pointer events", "another element covers it"),
        ("element is not visible", "it is not visible"),
        ("element is not enabled", "it is disabled"),
        ("element is not editable", "it can't be typed into"),
        ("resolved to", "it can't be used"),
    ):
        if words in log:
            return meaning
    return "no such element"
