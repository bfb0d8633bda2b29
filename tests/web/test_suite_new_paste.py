"""A new suite from a pasted table: the preview, what is refused, and what is stored."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from benchmaker.spec import Case
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.accessible import violations_here
from tests.web.serving import serving
from tests.web.test_guard import ask
from tests.web.test_suite_conflicts import FORM

TABLE = "id\tquestion\tanswer\tweight\na\tWhy?\tso\t1\nb\tWho?\tme\theavy\nc\tHow?\t=1+1\t2\n"
CASES = (
    Case(id="a", prompt="Why?", expected="so"),
    Case(id="c", prompt="How?", expected="=1+1", weight=2.0),
)


@pytest.fixture
def address(home):
    with serving(home, works=False) as address:
        yield address


def suites(home):
    """The stored suites beside the demo: their names, scorers and cases."""
    with Store.open(home / STORE_FILE) as store:
        rows = [row.suite for row in store.suites.page(limit=10).rows]
        found = [store.suite(one.hash) for one in rows if one.name != "office-desk"]
        return [(one.name, one.default_scorer.id, tuple(one.cases)) for one in found]


def test_a_table_is_previewed_and_becomes_a_suite_by_keyboard_alone(tab, home, address):
    tab.goto(f"{address}/suites")
    tab.get_by_role("link", name="New suite by pasting").focus()
    tab.keyboard.press("Enter")
    tab.get_by_role("textbox", name="Name", exact=True).focus()
    tab.keyboard.type("questions")
    tab.get_by_label("A table copied").focus()
    tab.keyboard.insert_text(TABLE)
    tab.get_by_role("button", name="Preview").press("Enter")
    expect(tab.get_by_role("heading", name="First 2 cases of 2")).to_be_visible()
    expect(tab.locator("table.refused tbody tr")).to_contain_text("weight")
    expect(tab.get_by_role("textbox", name="Name", exact=True)).to_have_value("questions")
    assert violations_here(tab) == []
    assert suites(home) == []
    save = "Save suite with 2 cases without the 1 refused row"
    tab.get_by_role("button", name=save).press("Enter")
    expect(tab.get_by_role("heading", name="questions", level=1)).to_be_visible()
    assert suites(home) == [("questions", "exact", CASES)]


def test_a_changed_scorer_is_previewed_before_anything_is_saved(tab, home, address):
    tab.goto(f"{address}/suites/new/paste")
    tab.get_by_role("textbox", name="Name", exact=True).fill("numbers")
    tab.get_by_label("A table copied").fill("question,answer\n1 + 1?,2\n")
    tab.get_by_role("button", name="Preview").click()
    tab.get_by_label("Scorer").select_option("numeric")
    tab.get_by_role("button", name="Save suite with 1 case").click()
    expect(tab.get_by_label("Scorer")).to_have_value("numeric")
    assert suites(home) == []
    tab.complaints.clear()  # the browser notes the 422
    tab.get_by_role("button", name="Save suite with 1 case").click()
    expect(tab.get_by_role("heading", name="numbers", level=1)).to_be_visible()
    assert [scorer for _, scorer, _ in suites(home)] == ["numeric"]


def test_a_suite_without_a_name_is_refused_and_its_text_kept(home, address):
    body = urlencode({"text": TABLE, "scorer": "exact"})
    status, _, page = ask(address, "POST", "/suites/new/paste", FORM, body)
    assert status == 422
    assert "a suite needs a name." in page
    assert "Who?" in page
    assert suites(home) == []
