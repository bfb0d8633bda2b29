"""Judges, labels, prices and flagged submissions by keyboard alone, from Home on."""

import pytest
from playwright.sync_api import Page, expect

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.agentic_data import ordinary
from tests.web.aside import aside
from tests.web.serving import serving
from tests.web.stored import put
from tests.web.test_keyboard_flow import open_reached, press, reach

pytestmark = pytest.mark.long

JUDGE = "openai/gpt-4o"


@pytest.fixture
def judged(home):
    """A server with the demo's runs and a calibrated judge."""
    put(home, judges=(JUDGE,))
    with serving(home, works=False) as address:
        yield address


def test_a_judge_is_read_and_an_answer_is_labelled_without_a_pointer(tab, judged, home):
    tab.goto(judged)
    read_a_judge(tab, judged)
    label_an_answer(tab, judged)
    with Store.open(home / STORE_FILE, read_only=True) as store:
        (label,) = store.labels([run.id for run in store.runs()])
    assert (label.raw_score, label.actor, label.note) == (7, "ann", "Nearly right")
    find_a_price(tab, judged)


def read_a_judge(tab: Page, address: str) -> None:
    """Judges, and one of them with an earlier calibration."""
    press(tab, "g", "j")
    tab.wait_for_url(f"{address}/judges")
    open_reached(tab, JUDGE, f"{address}/judges/1")
    expect(tab.locator("h1")).to_contain_text(JUDGE)
    assert tab.get_by_role("img", name="Reliability: ").count() == 1


def label_an_answer(tab: Page, address: str) -> None:
    """Judges, Label answers: the name, the number of answers, a score with a note."""
    press(tab, "g", "j")
    tab.wait_for_url(f"{address}/judges")
    open_reached(tab, "Label answers", f"{address}/judges/label")
    reach(tab, "Your name", "input")
    tab.keyboard.type("ann")
    reach(tab, "Number of answers", "input")
    tab.keyboard.type("4")
    press(tab, "Enter")
    tab.wait_for_url("**/judges/label?*by=ann*")
    reach(tab, "Score,", "input")
    tab.keyboard.type("7")
    reach(tab, "Note", "input")
    tab.keyboard.type("Nearly right")
    with tab.expect_navigation():
        press(tab, "Enter")
    expect(tab.locator(".meta").first).to_contain_text("1 of ")


def find_a_price(tab: Page, address: str) -> None:
    """Settings: a price by a part of its model's name."""
    open_reached(tab, "Settings", f"{address}/settings/*")
    open_reached(tab, "Prices", f"{address}/settings/prices")
    press(tab, "/")
    tab.keyboard.type("gpt-4o-mini")
    press(tab, "Enter")
    tab.wait_for_url("**/settings/prices?*q=gpt-4o-mini*")
    expect(tab.locator("main tbody tr").first).to_contain_text("gpt-4o-mini")


@pytest.fixture
def flagged(tmp_path):
    """A server with 80 submissions, some of them flagged."""
    home = aside(ordinary, tmp_path / "home")
    with serving(home, works=False) as address:
        yield address


def test_flagged_submissions_are_decided_without_a_pointer(tab, flagged):
    tab.goto(flagged)
    press(tab, "g", "t")
    tab.wait_for_url(f"{flagged}/agentic*")
    reach(tab, "Insights", "summary")
    press(tab, "Enter")
    open_reached(tab, "Review", f"{flagged}/agentic/review*")
    shown = [decide(tab, "Clear item 1", "The figures are right")]
    shown.append(decide(tab, "Quarantine item 1", "Copied from another team"))
    for note in ("The figures are right", "Copied from another team"):
        assert any(note in text for text in shown)


def decide(tab: Page, action: str, note: str) -> str:
    """Decide about the first of the list with a note; return the text of the page after it."""
    reach(tab, "on item 1", "input")
    tab.keyboard.type(note)
    reach(tab, action, "button")
    with tab.expect_navigation():
        press(tab, "Enter")
    return tab.locator("main").inner_text()
