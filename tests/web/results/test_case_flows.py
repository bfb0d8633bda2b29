"""Flows of reading cases: without script by clicks, and by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.web.accessible import scrolls_sideways, violations
from tests.web.aside import aside
from tests.web.results.answered_runs import answered_runs
from tests.web.results_data import many_cases_home
from tests.web.serving import serving

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("flows")


@pytest.fixture(scope="module")
def runs(home):
    return aside(answered_runs, home)


@pytest.fixture(scope="module")
def address(home, runs):
    assert runs
    with serving(home) as found:
        yield found


def test_three_lost_cases_and_their_reason_are_found_without_script(chromium, address, runs):
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/compare?runs={runs[0]},{runs[1]}")
        page.get_by_role("link", name="Lower").click()
        cases = page.locator("table.changes tbody th a")
        assert cases.all_inner_texts() == ["c0", "c1", "c2", "c7"]
        page.locator("table.changes tbody tr").first.get_by_role("link", name="after: 0").click()
        assert page.locator("h1").inner_text().startswith("c0, ")
        expect(page.locator("pre mark")).to_have_text(re.compile("40"))
        assert "Score explained" in page.locator("main").inner_text()
        shared = page.get_by_role("link", name="Copy link").get_attribute("href")
        page.goto(f"{address}{shared}")
        assert page.locator("h1").inner_text().startswith("c0, ")


def test_a_filtered_view_is_shared_without_script(chromium, address, runs):
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/runs/{runs[1]}/cases")
        page.get_by_label("Question or answer contains").fill("zebra")
        page.get_by_label("Models disagree").check()
        page.get_by_role("button", name="Filter").click()
        names = page.locator("table.heat tbody th").all_inner_texts()
        assert names == ["c0", "c1", "c2", "c3", "c4", "c6", "c7"]
        page.get_by_role("link", name="Copy link").click()
        assert page.locator("table.heat tbody th").all_inner_texts() == names


def test_cases_are_read_by_keyboard_alone(tab, address, runs):
    tab.goto(f"{address}/runs/{runs[1]}/cases?below=50")
    tab.keyboard.press("ArrowDown")
    expect(tab.locator("tbody th a").first).to_be_focused()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        tab.keyboard.press(key)
    expect(tab.locator("tbody tr:nth-child(2) th a")).to_be_focused()
    assert tab.locator("tbody a[tabindex='0']").count() == 1
    for key, place in (
        ("End", "tr:nth-child(2) td:last-child a"),
        ("Control+End", "tr:last-child td:last-child a"),
        ("Control+Home", "tr:first-child th a"),
    ):
        tab.keyboard.press(key)
        expect(tab.locator(f"tbody {place}").last).to_be_focused()
    for key in ("ArrowDown", "End", "Home"):
        tab.keyboard.press(key)
    expect(tab.locator("tbody tr:nth-child(2) th a")).to_be_focused()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/cases/1?**")
    tab.keyboard.press("j")
    tab.wait_for_url("**/cases/2?**")
    tab.keyboard.press("m")
    expect(tab.locator("#m0")).to_be_focused()
    tab.keyboard.press("m")
    expect(tab.locator("#m1")).to_be_focused()
    tab.keyboard.press("e")
    expect(tab.locator("#m1 details")).to_have_attribute("open", "")
    tab.keyboard.press("d")
    tab.wait_for_url("**diff=expected*")


def test_the_keys_n_and_p_turn_pages(tab, tmp_path):
    many_cases_home(tmp_path, 120, 1)
    with serving(tmp_path) as address:
        tab.goto(f"{address}/runs/many-1/cases")
        tab.keyboard.press("n")
        tab.wait_for_url("**after=*")
        expect(tab.locator("tbody th").first).to_have_text("case-50")
        tab.keyboard.press("p")
        expect(tab.locator("tbody th").first).to_have_text("case-0")


@pytest.mark.parametrize("width", [320, 390, 1280, 1920])
def test_the_pages_fit_every_width(tab, address, runs, width):
    tab.set_viewport_size({"width": width, "height": 900})
    for path in (
        f"/runs/{runs[0]}/cases",
        f"/runs/{runs[0]}/cases?show=scores&q=zebra",
        f"/runs/{runs[0]}/cases/5",
        f"/runs/{runs[0]}/trials/5-0",
        f"/runs/{runs[0]}/notes",
        f"/compare?runs={runs[0]},{runs[1]}",
    ):
        assert violations(tab, address + path) == []
        assert not scrolls_sideways(tab), path
