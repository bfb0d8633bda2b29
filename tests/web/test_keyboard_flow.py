"""From Home to a corrected suite by keyboard alone, without the pointer or the address bar."""

import pytest
from playwright.sync_api import Page, expect

from tests.waiting import until
from tests.web.answering import answering
from tests.web.serving import apps, serving
from tests.web.test_arena_live import begun, put

pytestmark = pytest.mark.long

CASES = 4
MOST = 300
"""More controls than any of these pages has before the one that is meant."""

_NAME = r"""() => {
  const it = document.activeElement;
  const name = it.getAttribute("aria-label") || [it, ...(it.labels || [])].map(
    one => one.innerText || "").join(" ");
  const by = (it.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean);
  const all = [name, ...by.map(id => document.getElementById(id)?.innerText || "")];
  return all.join(" ").replace(/\s+/g, " ").trim();
}"""


def reach(tab: Page, name: str, tag: str = "") -> None:
    """Press Tab until a control whose name contains this has the focus."""
    for _ in range(MOST):
        tab.keyboard.press("Tab")
        found = tab.evaluate(_NAME)
        if name in found and (not tag or tab.evaluate("document.activeElement.localName") == tag):
            return
    raise AssertionError(f"Tab never came to {name!r}")


def press(tab: Page, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def open_reached(tab: Page, name: str, address: str, tag: str = "a") -> None:
    """Follow the link of this name, and wait for the page at an address."""
    reach(tab, name, tag)
    press(tab, "Enter")
    tab.wait_for_url(address)
    tab.wait_for_load_state()


def answer(prompt: str) -> str:
    """Right, but for one case from the second run on."""
    return "The answer is 7." if prompt.endswith(" 2") else "The answer is 42."


@pytest.fixture
def served(tmp_path):
    """A server with an earlier run of four right answers, and its models."""
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with answering(lambda _: "The answer is 42.") as models, serving(home) as address:
        begun(address, suite, [f"{models.url}#small"])
        store = apps[address].state.bench.store
        until(lambda: [run.state for run in store.runs()] == ["finished"])
        models.reply = answer
        yield address, f"{models.url}#small"


def test_a_run_is_set_up_read_and_its_suite_corrected_without_a_pointer(tab, served):
    address, model = served
    tab.goto(address)
    set_up_a_run(tab, address, model)
    read_its_results(tab, address)
    write_a_note(tab)
    compare_with_the_earlier_run(tab, address)
    correct_the_suite(tab, address)


def set_up_a_run(tab: Page, address: str, model: str) -> None:
    """Home, Arena: the suite by its name, the model by its name, Ctrl Enter."""
    press(tab, "g", "a")
    tab.wait_for_url(f"{address}/arena")
    reach(tab, "Suite", "select")
    tab.keyboard.type("sums")
    expect(tab.locator("#about-suite")).to_contain_text(f"{CASES} cases")
    reach(tab, "Models", "input")
    tab.keyboard.type(model)
    reach(tab, "Add", "button")
    press(tab, "Enter")
    expect(tab.locator("#picked input[name=models]")).to_have_value(model)
    press(tab, "Control+Enter")
    tab.wait_for_url(f"{address}/arena/*")
    expect(tab.locator("#notice")).to_contain_text("Finished.")


def read_its_results(tab: Page, address: str) -> None:
    """The result, with its failed case; all cases, the one that failed, the next one and back."""
    open_reached(tab, "Open results", f"{address}/runs/*")
    expect(tab.locator("table.failed tbody tr")).to_have_count(1)
    expect(tab.locator("table.failed tbody tr")).to_contain_text("before 100.0")
    open_reached(tab, "All cases", f"{address}/runs/*/cases?*")
    press(tab, "/")
    tab.keyboard.type("sums-2")
    press(tab, "Enter")
    tab.wait_for_url("**/cases?*q=sums-2*")
    press(tab, "Escape", "ArrowDown", "Enter")
    tab.wait_for_url("**/cases/2*")
    expect(tab.locator("h1")).to_have_text("Case sums-2")


def write_a_note(tab: Page) -> None:
    """The trial of the case, and a note on it."""
    open_reached(tab, "trial", "**/trials/2-0")
    reach(tab, "Note", "textarea")
    tab.keyboard.type("The key is wrong")
    reach(tab, "Add note", "button")
    press(tab, "Enter")
    expect(tab.get_by_role("group", name="Note 1")).to_have_text("The key is wrong")


def compare_with_the_earlier_run(tab: Page, address: str) -> None:
    """Results: both rows are chosen and compared."""
    press(tab, "g", "r")
    tab.wait_for_url(f"{address}/runs")
    for _ in range(2):
        reach(tab, "sums", "input")
        press(tab, "Space")
    assert tab.locator("input[name=runs]:checked").count() == 2
    reach(tab, "Compare", "button")
    press(tab, "Enter")
    tab.wait_for_url(f"{address}/compare?*")
    expect(tab.locator("table.changes tbody tr").first).to_contain_text("sums-2")


def correct_the_suite(tab: Page, address: str) -> None:
    """Suites: a cell of the sheet is changed and saved as a new version."""
    press(tab, "g", "s")
    tab.wait_for_url(f"{address}/suites")
    open_reached(tab, "sums", f"{address}/suites/*")
    open_reached(tab, "Edit cases", "**/sheet")
    reach(tab, "", "textarea")
    press(tab, "ArrowDown", "Control+a")
    tab.keyboard.type("What is 6 times 7?")
    press(tab, "Control+s")
    expect(tab.get_by_text("Saved as a new version")).to_be_visible()
    expect(tab.locator("tbody tr").nth(1).locator("textarea").first).to_have_value(
        "What is 6 times 7?"
    )
