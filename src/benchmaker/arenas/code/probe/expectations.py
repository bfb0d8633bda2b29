"""Expectations of a check: the text, state and layout of elements, as a visitor finds them."""

from typing import TYPE_CHECKING, Any

from benchmaker.arenas.code.probe.scripts import script
from benchmaker.arenas.code.probe.visit import Visit
from benchmaker.spec.suites.page_checks import Expect, Locator

if TYPE_CHECKING:
    from playwright.async_api import Locator as Found

_ANSWER_S = 5.0
_LOOK_MS = 100
_TOLERANCE_PX = 1
_STATES = {
    ("checked", True): "it is checked",
    ("checked", False): "it is not checked",
    ("disabled", True): "it is disabled",
    ("disabled", False): "it is enabled",
    ("has_focus", True): "it has the focus",
    ("has_focus", False): "it does not have the focus",
}
_CONTRARY = {"in_viewport": "it is completely in the window", "unclipped": "nothing is cut off"}


class Unmet(Exception):
    """A failed expectation, in words."""


async def wait_until(visit: Visit, target: Locator, expected: Expect, limit_s: float) -> None:
    """Advance the page's time until the expectation holds; the limit is in that time.

    Raises:
        Unmet: it never held.
    """
    for _ in range(int(limit_s * 1000 / _LOOK_MS)):
        fault = await _fault(visit, target, expected)
        if not fault:
            return
        await visit.settle(_LOOK_MS)
    fault = await _fault(visit, target, expected)
    if fault:
        raise Unmet(fault)


async def _fault(visit: Visit, target: Locator, expected: Expect) -> str:
    """Return the currently failed expectation; empty if all hold."""
    from playwright.async_api import Error  # noqa: PLC0415  an extra, loaded where it is used

    try:
        return await visit.wait_for(_compare(visit, target, expected), _ANSWER_S)
    except Error as exc:
        return str(exc).splitlines()[0][:200]


async def _compare(visit: Visit, target: Locator, expected: Expect) -> str:
    found, one = _locate_all(visit, target), locate_one(visit, target)
    count, is_visible = await found.count(), await one.is_visible()
    if fault := _count_fault(expected, count) or _sight_fault(expected, count, is_visible):
        return fault
    if not expected.needs_element:
        return ""
    if not count:
        return "no such element"
    chosen = one if is_visible else found.first
    return await _compare_one(chosen, expected) or await _compare_layout(visit, chosen, expected)


def _count_fault(expected: Expect, count: int) -> str:
    if expected.count is not None and count != expected.count:
        return f"{count} match"
    is_short = expected.at_least is not None and count < expected.at_least
    return f"only {count} match" if is_short else ""


def _sight_fault(expected: Expect, count: int, is_visible: bool) -> str:  # noqa: FBT001
    """Compare the visibility; without any condition, the element must be visible."""
    is_counted = expected.count is not None or expected.at_least is not None
    must_show = not (is_counted or expected.needs_element)
    wanted = expected.visible if expected.visible is not None else True if must_show else None
    if wanted is None or wanted == is_visible:
        return ""
    if is_visible:
        return "it is visible"
    return "it is hidden" if count else "no such element"


async def _compare_one(one: "Found", expected: Expect) -> str:
    said = await one.evaluate(script("element_state"), expected.attribute)
    if expected.has_text is not None and _fold(expected.has_text) not in _fold(said["text"]):
        return f"its text is {' '.join(said['text'].split())[:100]!r}"
    for state in ("checked", "disabled", "has_focus"):
        wanted = getattr(expected, state)
        if wanted is not None and wanted != said[state]:
            return _STATES[state, said[state]]
    return _compare_value(said, expected)


def _compare_value(said: dict[str, Any], expected: Expect) -> str:
    """Compare the attribute, or the content of the field."""
    name, value = expected.attribute or "value", said["value"]
    if expected.attribute is None and expected.value is None:
        return ""
    if value is None:
        return f"it has no attribute {name!r}" if expected.attribute else "it is no field"
    if expected.value is not None and value != expected.value:
        return f"its {name} is {value[:100]!r}"
    return ""


async def _compare_layout(visit: Visit, one: "Found", expected: Expect) -> str:
    """Return the first condition of layout that does not hold."""
    if expected.in_viewport is not None or expected.unclipped is not None:
        said = await one.evaluate(script("element_box"))
        for name in ("in_viewport", "unclipped"):
            wanted = getattr(expected, name)
            if wanted is not None and wanted != (not said[name]):
                return str(said[name]) or _CONTRARY[name]
    for relation in ("left_of", "above", "apart_from"):
        other: Locator | None = getattr(expected, relation)
        if other is not None and (fault := await _compare_boxes(visit, one, relation, other)):
            return fault
    return ""


async def _compare_boxes(visit: Visit, one: "Found", relation: str, other: Locator) -> str:
    """Compare the places of two elements; empty if they stand as expected."""
    second = locate_one(visit, other)
    if not await second.count():
        return f"there is no {other.words}"
    mine, theirs = await one.bounding_box(), await second.bounding_box()
    if mine is None or theirs is None:
        return "it is hidden" if mine is None else f"{other.words} is hidden"
    across = mine["x"] + mine["width"] - theirs["x"]
    down = mine["y"] + mine["height"] - theirs["y"]
    if relation == "left_of":
        return _excess(across, f"beyond the left side of {other.words}")
    if relation == "above":
        return _excess(down, f"below the top of {other.words}")
    overlap_x = min(across, theirs["x"] + theirs["width"] - mine["x"])
    overlap_y = min(down, theirs["y"] + theirs["height"] - mine["y"])
    return _excess(min(overlap_x, overlap_y), f"over {other.words}")


def _excess(px: float, place: str) -> str:
    return f"it is {px:.0f} px {place}" if px > _TOLERANCE_PX else ""


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def locator_fields(target: Locator) -> dict[str, str]:
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


def locate_one(visit: Visit, target: Locator) -> "Found":
    """The element that is meant: the numbered one, else the first that is visible."""
    found = _locate_all(visit, target)
    return found if target.nth is not None else found.locator("visible=true").first
