"""The checks of a task: user steps on a freshly loaded page, and expectations."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, assert_never

from benchmaker.arenas.code.probe.browser import Browser
from benchmaker.arenas.code.probe.served_files import ServableBundle
from benchmaker.arenas.code.probe.visit import CLICK_MS, Crashed, Hung, Visit
from benchmaker.record import CheckResult
from benchmaker.spec.suites.page_checks import Check, Expect, Fill, Locator, Press, Step, Wait

if TYPE_CHECKING:
    from playwright.async_api import Locator as Found

_CHECK_S = 20.0
_STEP_MS = 2000
_WAIT_S = 5.0
_EXPECT_S = 2.0
_LOOK_MS = 100
_WIDTH, _HEIGHT = 1440, 900


class _CheckFailed(Exception):
    """A failed expectation, in words."""


async def run_checks(
    browser: Browser, bundle: ServableBundle, checks: Sequence[Check], *, patience: float = 1.0
) -> tuple[CheckResult, ...]:
    """Each check's result, in their order; a page that hangs fails the check, never the probe."""
    results = []
    for index, check in enumerate(checks, start=1):
        message = await _why_not(browser, bundle, check, patience)
        results.append(
            CheckResult(index=index, text=check.title, passed=not message, message=message)
        )
    return tuple(results)


def failed_results(checks: Sequence[Check], message: str) -> tuple[CheckResult, ...]:
    """The results of checks that could not be taken."""
    return tuple(
        CheckResult(index=index, text=check.title, passed=False, message=message)
        for index, check in enumerate(checks, start=1)
    )


async def _why_not(browser: Browser, bundle: ServableBundle, check: Check, patience: float) -> str:
    """Return the reason why the check fails; empty if it passes."""
    until = asyncio.get_running_loop().time() + _CHECK_S * patience
    size = check.viewport
    width, height = (size.width, size.height) if size else (_WIDTH, _HEIGHT)
    async with Visit(browser, bundle, until=until, patience=patience) as visit:
        try:
            await visit.load(width, height=height)
            await visit.settle()
        except (Hung, Crashed):
            return "the page did not finish loading"
        for number, step in enumerate(check.steps, start=1):
            place = f"step {number} ({step.words})"
            try:
                await _take(visit, step)
            except _CheckFailed as exc:
                return f"{place}: {exc}"
            except Hung:
                return f"{place}: the page did not respond"
            except Crashed:
                browser.is_spent = True
                return f"{place}: the page crashed"
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
            await _wait_until(
                visit, target, Expect.model_validate(_locator_fields(target)), _WAIT_S
            )
            return
        case Expect():
            await _wait_until(visit, target, target, _EXPECT_S)
            return
        case Fill(with_=text):
            await _do(visit, _locate_one(visit, target).fill(text, timeout=_STEP_MS))
        case Press(key=key) if not _locator_fields(target):
            await _do(visit, visit.page.keyboard.press(key))
        case Press(key=key):
            await _do(visit, _locate_one(visit, target).press(key, timeout=_STEP_MS))
        case Locator():
            await _do(visit, _locate_one(visit, target).click(timeout=_STEP_MS))
        case _:
            assert_never(target)
    await visit.settle(CLICK_MS)


async def _do(visit: Visit, action: Awaitable[None]) -> None:
    from playwright.async_api import Error  # noqa: PLC0415  an extra, loaded where it is used
    from playwright.async_api import TimeoutError as Late  # noqa: PLC0415

    try:
        await visit.wait_for(action, _STEP_MS / 1000 + 1)
    except Late as exc:
        raise _CheckFailed(_reason(str(exc))) from exc
    except Error as exc:
        raise _CheckFailed(str(exc).splitlines()[0][:200]) from exc


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


async def _wait_until(visit: Visit, target: Locator, expected: Expect, limit_s: float) -> None:
    """Advance the page's time until the expectation holds; the limit is in that time."""
    for _ in range(int(limit_s * 1000 / _LOOK_MS)):
        fault = await _fault(visit, target, expected)
        if not fault:
            return
        await visit.settle(_LOOK_MS)
    fault = await _fault(visit, target, expected)
    if fault:
        raise _CheckFailed(fault)


async def _fault(visit: Visit, target: Locator, expected: Expect) -> str:
    """Return the currently failed expectation; empty if all hold."""
    from playwright.async_api import Error  # noqa: PLC0415  an extra, loaded where it is used

    try:
        return await visit.wait_for(_compare(visit, target, expected), _WAIT_S)
    except Error as exc:
        return str(exc).splitlines()[0][:200]


async def _compare(visit: Visit, target: Locator, expected: Expect) -> str:
    found = _locate_all(visit, target)
    count = await found.count()
    if expected.count is not None and count != expected.count:
        return f"{count} match"
    if expected.at_least is not None and count < expected.at_least:
        return f"only {count} match"
    is_counted = expected.count is not None or expected.at_least is not None
    asks_more = expected.has_text is not None or expected.attribute is not None
    one = _locate_one(visit, target)
    is_visible = await one.is_visible()
    if expected.visible is False and is_visible:
        return "it is visible"
    must_show = expected.visible is True or (
        not is_counted and not asks_more and expected.visible is None
    )
    if must_show and not is_visible:
        return "it is hidden" if count else "no such element"
    return await _compare_one(one if is_visible else found.first, expected, count=count)


async def _compare_one(one: "Found", expected: Expect, *, count: int) -> str:
    if expected.has_text is None and expected.attribute is None:
        return ""
    if not count:
        return "no such element"
    if expected.has_text is not None:
        text = await one.evaluate("(el) => `${el.value ?? ''} ${el.innerText ?? el.textContent}`")
        if _fold(expected.has_text) not in _fold(str(text)):
            return f"its text is {' '.join(str(text).split())[:100]!r}"
    if expected.attribute is not None:
        value = await one.get_attribute(expected.attribute)
        if value is None:
            return f"it has no attribute {expected.attribute!r}"
        if expected.value is not None and value != expected.value:
            return f"its {expected.attribute} is {value[:100]!r}"
    return ""


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _locator_fields(target: Locator) -> dict[str, str]:
    """Return the fields of the element's locator; empty without any."""
    ways = ("role", "text", "label", "testid", "css")
    return {way: value for way in ways if (value := getattr(target, way)) is not None}


def _locate_all(visit: Visit, target: Locator) -> "Found":
    """Return all matches."""
    page, exact = visit.page, target.exact
    if target.role is not None:
        # the driver lists roles as literals; the form has checked that this is one of them
        found = page.get_by_role(target.role, name=target.name, exact=exact)  # type: ignore[arg-type]
    elif target.text is not None:
        found = page.get_by_text(target.text, exact=exact)
    elif target.label is not None:
        found = page.get_by_label(target.label, exact=exact)
    elif target.testid is not None:
        found = page.get_by_test_id(target.testid)
    else:
        found = page.locator(target.css or "*")
    return found if target.nth is None else found.nth(target.nth - 1)


def _locate_one(visit: Visit, target: Locator) -> "Found":
    """The element that is meant: the numbered one, else the first that is visible."""
    found = _locate_all(visit, target)
    return found if target.nth is not None else found.locator("visible=true").first
