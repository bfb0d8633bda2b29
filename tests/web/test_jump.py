import pytest
from playwright.sync_api import expect

from tests.web.accessible import violations
from tests.web.browser import patient


@pytest.mark.parametrize("path", ["/jump", "/jump?q=nothing-like-it"])
def test_axe_finds_nothing(tab, demo, path):
    assert violations(tab, demo + path) == []


def test_the_keyboard_jumps_to_a_suite(tab, demo):
    tab.goto(demo + "/")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("office")
    tab.locator("#jumper a", has_text="office-desk").first.wait_for()
    with tab.expect_navigation():
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")

    assert tab.locator("h1").inner_text() == "office-desk"


def test_what_is_typed_at_once_is_kept_and_enter_goes_to_the_first_hit(tab, demo):
    tab.goto(demo + "/runs")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("agentic")
    assert tab.locator("#jumper input").input_value() == "agentic"
    tab.locator("#jumper[data-of=agentic]").wait_for()
    with tab.expect_navigation():
        tab.keyboard.press("Enter")

    assert tab.url == demo + "/agentic"


def test_escape_leaves_the_jump_and_the_page_as_it_was(tab, demo):
    tab.goto(demo + "/runs")
    tab.keyboard.press("Control+k")
    tab.keyboard.type("ag")
    tab.keyboard.press("Escape")

    assert tab.url == demo + "/runs"
    expect(tab.locator("#jumper")).to_be_hidden()


def test_it_is_a_plain_page_without_script(chromium, demo):
    context = patient(chromium, java_script_enabled=False)
    page = context.new_page()
    page.goto(demo + "/jump")
    page.get_by_label("Suite, run, model, submission or page").fill("illustrative")
    page.get_by_role("button", name="Find").click()
    page.wait_for_load_state()

    assert 0 < page.locator("#hits a").count() <= 8
    context.close()


@pytest.mark.parametrize(("key", "path"), [("s", "/suites"), ("j", "/judges")])
def test_g_and_a_letter_go_to_a_page(tab, demo, key, path):
    tab.goto(demo + "/")
    tab.keyboard.press("g")
    with tab.expect_navigation():
        tab.keyboard.press(key)

    assert tab.url == demo + path


def test_the_question_mark_lists_the_keys(tab, demo):
    tab.goto(demo + "/suites")
    with tab.expect_navigation():
        tab.keyboard.press("?")

    assert tab.url == demo + "/keys"
