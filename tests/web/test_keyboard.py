"""The main pages by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.web.answering import answering
from tests.web.serving import serving
from tests.web.test_arena_live import begun, put

MAIN = ("/", "/suites", "/arena", "/runs", "/judges", "/agentic", "/settings/about", "/keys")

_CONTROLS = """() => [...document.querySelectorAll(
  "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
)].filter(it => !it.disabled && it.checkVisibility({visibilityProperty: true})
  && !(it.type === "radio" && !it.checked)).length"""

_HERE = """() => {
  const it = document.activeElement, box = it.getBoundingClientRect(), style = getComputedStyle(it);
  const label = it.closest("label"), beside = label ? getComputedStyle(label) : style;
  const seen = [style, beside].some(one => (one.outlineStyle !== "none" &&
    parseFloat(one.outlineWidth) >= 2) || one.boxShadow !== "none");
  const bar = document.querySelector("header.top").getBoundingClientRect();
  const hidden = !it.closest("header, .skip") && box.height > 0 && box.bottom <= bar.bottom;
  it.dataset.met ??= document.querySelectorAll("[data-met]").length;
  return {html: it.outerHTML.slice(0, 120), seen, hidden, met: +it.dataset.met,
    body: it === document.body};
}"""


_OUTSIDE = (
    "!!document.activeElement.closest('body > *') && !document.activeElement.closest('dialog')"
)


def steps(tab, most=400):
    """Each control that Tab comes to, until it comes round again; a date has several stops."""
    last = -1
    for _ in range(most):
        tab.keyboard.press("Tab")
        here = tab.evaluate(_HERE)
        if here["body"] or here["met"] < last:
            return
        if here["met"] > last:
            yield here
        last = here["met"]


@pytest.mark.parametrize("path", MAIN)
def test_tab_comes_to_every_control_and_its_focus_is_seen(tab, demo, path):
    tab.goto(demo + path)
    controls = tab.evaluate(_CONTROLS)
    met = list(steps(tab))

    assert [one["html"] for one in met if not one["seen"]] == []
    assert [one["html"] for one in met if one["hidden"]] == []
    assert len(met) >= controls


@pytest.mark.parametrize("path", MAIN)
def test_the_first_tab_offers_to_skip_to_the_content(tab, demo, path):
    tab.goto(demo + path)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to content"
    assert tab.locator("a.skip").bounding_box()["y"] >= 0
    tab.keyboard.press("Enter")

    assert tab.evaluate("document.activeElement.id") == "main"
    tab.keyboard.press("Tab")
    assert tab.evaluate("!!document.activeElement.closest('main, footer')")


def test_a_menu_opens_by_enter_and_closes_by_escape(tab, demo):
    tab.goto(demo + "/runs")
    export = tab.locator("details.menu summary").first
    export.focus()
    tab.keyboard.press("Enter")
    assert tab.locator("details.menu[open]").count() == 1
    tab.keyboard.press("Tab")
    tab.keyboard.press("Escape")

    assert tab.locator("details.menu[open]").count() == 0
    assert tab.evaluate("document.activeElement.matches('details.menu summary')")


def test_the_narrow_menu_opens_by_keyboard(tab, demo):
    tab.set_viewport_size({"width": 375, "height": 900})
    tab.goto(demo + "/")
    toggle = tab.locator(".navtoggle")
    toggle.focus()
    tab.keyboard.press("Enter")
    assert toggle.get_attribute("aria-expanded") == "true"
    expect(tab.locator("#nav").get_by_role("link", name="Suites")).to_be_visible()
    tab.keyboard.press("Escape")

    assert toggle.get_attribute("aria-expanded") == "false"
    assert tab.evaluate("document.activeElement.matches('.navtoggle')")


def test_what_asks_begins_at_the_safe_answer_and_escape_takes_it(tab, tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=3)
    with answering() as models, serving(home) as address:
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small"])
        tab.goto(f"{address}/arena/{name}")
        expect(tab.locator("#c0m0")).to_contain_text("writing")
        tab.keyboard.press("s")
        expect(tab.locator("#confirm")).to_contain_text("Stop the run?")
        keep = tab.get_by_role("link", name="Keep running")
        expect(keep).to_be_focused()
        for _ in range(4):
            tab.keyboard.press("Tab")
            assert tab.evaluate(_OUTSIDE) is False
        tab.keyboard.press("Escape")
        expect(tab.locator("#confirm")).to_have_count(0)
        models.flows.set()
        expect(tab.locator("#notice")).to_contain_text("Finished.")


@pytest.mark.parametrize(
    ("keys", "path"),
    [("gh", "/"), ("gs", "/suites"), ("ga", "/arena"), ("gr", "/runs"), ("gj", "/judges"),
     ("gt", "/agentic"), ("?", "/keys")],
)  # fmt: skip
def test_keys_lead_to_pages(tab, demo, keys, path):
    tab.goto(demo + "/settings/about")
    for key in keys:
        tab.keyboard.press(key)
    tab.wait_for_url(demo + path)


def test_jump_opens_by_its_key_and_is_ready_to_type(tab, demo):
    tab.goto(demo + "/runs")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("pric")

    expect(tab.locator("#jumper .hits")).to_contain_text("Prices")


def test_escape_leaves_a_text_field_so_that_keys_lead_on(tab, demo):
    tab.goto(demo + "/runs")
    tab.keyboard.press("/")
    tab.keyboard.type("gr")
    assert tab.evaluate("document.activeElement.value") == "gr"
    tab.keyboard.press("Escape")

    assert tab.evaluate("document.activeElement === document.body")
    tab.keyboard.press("g")
    tab.keyboard.press("s")
    tab.wait_for_url(demo + "/suites")
