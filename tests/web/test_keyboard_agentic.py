"""Agentic pages, judges and settings by keyboard alone, without the pointer or the address bar."""

import pytest
from playwright.sync_api import Page, expect

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.agentic_data import ordinary
from tests.web.aside import aside
from tests.web.serving import serving
from tests.web.stored import calibration
from tests.web.test_keyboard_flow import open_reached, press, reach

pytestmark = pytest.mark.long


@pytest.fixture
def served(tmp_path):
    """A server with 80 submissions, some of them flagged, and a calibrated judge."""
    home = aside(ordinary, tmp_path / "home")
    with Store.open(home / STORE_FILE) as store:
        store.add_calibration(calibration("openai/gpt-4.1", 1))
    with serving(home, works=False) as address:
        yield address


def test_submissions_tasks_and_insights_are_read_without_a_pointer(tab, served):
    tab.goto(served)
    compare_submissions(tab, served)
    read_a_task(tab, served)
    read_the_insights(tab, served)
    clear_a_flag(tab, served)
    read_a_judge(tab, served)
    find_a_price(tab, served)


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


def clear_a_flag(tab: Page, address: str) -> None:
    """Review: the first flagged submission is cleared with a note."""
    reach(tab, "Insights", "summary")
    press(tab, "Enter")
    open_reached(tab, "Review", f"{address}/agentic/review*")
    flagged = tab.locator("article")
    before = flagged.count()
    name = flagged.first.locator("h3 a").inner_text()
    reach(tab, "Note", "input")
    tab.keyboard.type("The figures are right")
    reach(tab, "Clear", "button")
    with tab.expect_navigation():
        press(tab, "Enter")
    expect(flagged.filter(has_text=name)).to_contain_text("The figures are right")
    assert flagged.count() == before


def read_a_judge(tab: Page, address: str) -> None:
    """Judges, and one of them with its reliability."""
    press(tab, "g", "j")
    tab.wait_for_url(f"{address}/judges")
    open_reached(tab, "openai/gpt-4.1", f"{address}/judges/1")
    expect(tab.locator("h1")).to_contain_text("openai/gpt-4.1")


def find_a_price(tab: Page, address: str) -> None:
    """Settings: a price by a part of its model's name."""
    open_reached(tab, "Settings", f"{address}/settings/*")
    open_reached(tab, "Prices", f"{address}/settings/prices")
    press(tab, "/")
    tab.keyboard.type("gpt-4o-mini")
    press(tab, "Enter")
    tab.wait_for_url("**/settings/prices?*q=gpt-4o-mini*")
    expect(tab.locator("main tbody tr").first).to_contain_text("gpt-4o-mini")
