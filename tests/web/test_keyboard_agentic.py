"""Agentic pages by keyboard alone, without the pointer or the address bar."""

import pytest
from playwright.sync_api import Page, expect

from tests.web.agentic_data import ordinary
from tests.web.aside import aside
from tests.web.serving import serving
from tests.web.test_keyboard_flow import open_reached, press, reach

pytestmark = pytest.mark.long


@pytest.fixture
def served(tmp_path):
    """A server with 80 submissions."""
    home = aside(ordinary, tmp_path / "home")
    with serving(home, works=False) as address:
        yield address


def test_submissions_tasks_and_insights_are_read_without_a_pointer(tab, served):
    tab.goto(served)
    compare_submissions(tab, served)
    read_a_task(tab, served)
    read_the_insights(tab, served)


def compare_submissions(tab: Page, address: str) -> None:
    """The board, the submissions, two of them side by side."""
    press(tab, "g", "t")
    tab.wait_for_url(f"{address}/agentic*")
    expect(tab.locator("main table").first).to_be_visible()
    open_reached(tab, "Submissions", f"{address}/agentic/submissions*")
    for _ in range(2):
        reach(tab, "Compare submission", "input")
        press(tab, "Space")
    reach(tab, "Compare", "button")
    press(tab, "Enter")
    tab.wait_for_url(f"{address}/agentic/compare?*")
    expect(tab.locator("thead th")).to_have_count(3)


def read_a_task(tab: Page, address: str) -> None:
    """The tasks, and the first of them with its board."""
    open_reached(tab, "Tasks", f"{address}/agentic/tasks")
    name = tab.locator("main tbody a").first.inner_text()
    while not tab.evaluate("document.activeElement.matches('main tbody a')"):
        press(tab, "Tab")
    press(tab, "Enter")
    tab.wait_for_url(f"{address}/agentic/tasks/*")
    assert name in tab.locator("h1").inner_text()


def read_the_insights(tab: Page, address: str) -> None:
    """Baselines, profiles, bias and trend, one after the other."""
    for name in ("Baselines", "Profiles", "Bias", "Trend"):
        reach(tab, "Insights", "summary")
        press(tab, "Enter")
        open_reached(tab, name, f"{address}/agentic/{name.lower()}*")
        expect(tab.locator("h1")).to_be_visible()
        assert tab.locator("main .fault").count() == 0
