"""Every page with twelve long names, and with 0, 1 and very many trials, at four widths."""

from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web import accessible
from tests.web.aside import aside
from tests.web.every_page import ANY, declared, places
from tests.web.long_named import MODELS, long_named
from tests.web.serving import serving

pytestmark = pytest.mark.long

EVERY_RULE = accessible.RULES["light"]
LAYOUT = {"runOnly": {"type": "rule", "values": ["target-size", "scrollable-region-focusable"]}}
"""The rules that depend on the width of a page."""

DARK = {"runOnly": {"type": "rule", "values": [
    *LAYOUT["runOnly"]["values"], *accessible.RULES["dark"]["runOnly"]["values"],
]}}  # fmt: skip
SIZES = ((320, EVERY_RULE), (390, LAYOUT), (1280, LAYOUT), (1920, DARK))
"""Each width with its rules; the last one is dark. Every page of the list has all rules at a narrow
and a wide width in both themes, with shorter names, in test_every_page.py."""

CHOSEN = urlencode([("models", name) for name in MODELS])
DECLARED = tuple(declared(places(ANY)))
LISTED = (*places(ANY), *DECLARED)
FEW = 20
"""Fewer pages than there are of an empty store."""

MORE = (
    *(f"/runs/{run}?tab={tab}" for run in ("many-1", "ONE", "none") for tab in ("cases", "plots")),
    *(f"/runs/{run}/cases" for run in ("many-1", "ONE", "none")),
    *(f"/arena/{run}" for run in ("many-1", "ONE", "none")),
    "/runs/many-1/cases?q=8&show=scores", "/runs/many-1/cases/7", "/runs/many-1/trials/7-2",
    "/runs/ONE/cases/0", "/runs/ONE/trials/0-0", f"/arena?set=1&suite=SUITE&{CHOSEN}",
    "/runs?q=nothing-like-this",
)  # fmt: skip
"""Addresses beside the list: of results of 0, 1 and 100,008 trials, and of what was asked for."""

_SHORTEN = """() => {
  for (const it of document.querySelectorAll("tbody tr:nth-child(n+13)")) it.hidden = true;
}"""
"""Rules read the first rows of a table, which are like the others."""

_CLIPPED = r"""() => {
  const found = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let text; text = texts.nextNode();) {
    const own = text.parentElement, range = document.createRange();
    const isAside = own.closest(".sr, .tx, .clip, .clip-1, svg, pre, details:not([open])");
    if (!/\d/.test(text.data) || !own.checkVisibility() || isAside) continue;
    range.selectNodeContents(text);
    const place = range.getBoundingClientRect();
    for (let box = own; box.id !== "main"; box = box.parentElement) {
      const how = getComputedStyle(box).overflowX, edge = box.getBoundingClientRect();
      if (how === "auto" || how === "scroll") break;
      if (how !== "visible" && (place.right > edge.right + 1 || place.left < edge.left - 1))
        found.push(`${box.className}: ${text.data}`);
    }
  }
  return found.slice(0, 5);
}"""
"""Numbers that run out of a box which neither shows the rest nor scrolls."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    home = tmp_path_factory.mktemp("long") / "home"
    home.mkdir()
    found = aside(long_named, home)
    with serving(home, previews=True, works=False) as address:
        yield address, found


@pytest.mark.parametrize("name", [one.name for one in LISTED])
def test_page_with_long_names_fits_at_every_width(tab, filled, name):
    address, found = filled
    by_name = {one.name: one.path for one in (*places(found.names), *DECLARED)}
    assert faults(tab, address + by_name[name]) == []


@pytest.mark.parametrize("path", MORE)
def test_results_of_any_size_fit_at_every_width(tab, filled, path):
    address, found = filled
    path = path.replace("ONE", found.one).replace("SUITE", found.names.suite)
    assert faults(tab, address + path) == []


def test_pages_of_an_empty_store_fit_at_every_width(tab, tmp_path):
    with serving(tmp_path, works=False) as address:
        found = {one.path: faults(tab, address + one.path, if_found=True) for one in LISTED}

    assert sum(some is not None for some in found.values()) > FEW
    assert {path: some for path, some in found.items() if some} == {}


def faults(tab, address, *, if_found=False):
    """What is wrong with a page: it is loaded once and resized. None if it may be missing, and is.

    Sizes and clipped numbers are those of the whole page.
    """
    tab.emulate_media(color_scheme="light", reduced_motion="reduce")
    status = tab.goto(address).status
    if if_found and status in {404, 422}:
        tab.complaints.clear()  # the browser tells of the status
        return None
    assert status == 200
    tab.locator("#computing").wait_for(state="detached")
    tab.wait_for_load_state()
    return [*_sizes_of(tab), *_rules_of(tab)]


def _sizes_of(tab):
    for width, _ in SIZES:
        tab.set_viewport_size({"width": width, "height": 900})
        if accessible.scrolls_sideways(tab):
            yield f"{width}: the page scrolls sideways"
        yield from (f"{width}: clipped {it}" for it in tab.evaluate(_CLIPPED))


def _rules_of(tab):
    tab.evaluate(_SHORTEN)
    tab.evaluate(Axe().axe_script)
    for width, rules in SIZES:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme="dark" if rules is DARK else "light")
        yield from (f"{width}: {it}" for it in tab.evaluate(accessible.FOUND, rules))
