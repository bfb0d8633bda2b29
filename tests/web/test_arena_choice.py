"""The choice of a run: it stands in the address, shows its suite, and its models can be tested."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from benchmaker import Case, Parameters, ScorerSpec, Suite
from benchmaker.spec.suites.check_spec import CheckSpec
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.accessible import violations
from tests.web.answering import answering
from tests.web.browser import patient
from tests.web.refusing import refusing
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.stored import put
from tests.web.test_arena import posted
from tests.web.test_case_selection import sent

PROMPTS = ("plain", "few, with examples", "steps")
NAMES = [
    f"openrouter/anthropic/claude-{kind}-4.5-2025092{n}"
    for kind in ("sonnet", "opus", "haiku")
    for n in range(4)
]


def a_suite(name="sums", **more):
    return Suite(
        name,
        [Case(id=f"c{n}", vars={"n": n}, expected="42") for n in range(4)],
        scorer=ScorerSpec(id="numeric"),
        prompts=[{"id": one, "prompt": f"{one}: {{{{ n }}}}?"} for one in PROMPTS],
        efforts=["low", "high"],
        **more,
    )


@pytest.fixture
def home(tmp_path):
    return tmp_path


@pytest.fixture
def suite(home):
    return put(home, a_suite(parameters=Parameters(temperature=0.2, max_tokens=6000)))[0]


FORM = "application/x-www-form-urlencoded"


def page_of(address, **fields):
    return fetched(f"{address}/arena?{urlencode(fields, doseq=True)}")[2].decode()


def checked(page, name):
    return re.findall(rf'name="{name}" value="([^"]+)" checked', page)


def test_a_link_opens_the_same_choice(home, suite):
    models = ["openai/gpt-5", "openai/gpt-5-mini"]
    with serving(home, works=False) as address:
        page = page_of(
            address, suite="sums", models=models, prompts="steps", efforts="medium", runs=3
        )
    assert checked(page, "models") == models
    assert checked(page, "prompts") == ["steps"]
    assert checked(page, "efforts") == ["medium"]
    assert re.search(r'name="runs" value="3"', page)
    assert f'value="{suite}" selected' in page
    assert re.search(r'name="temperature" value="0.2"', page)
    assert re.search(r'name="max_tokens" value="6000"', page)
    assert "4 cases × 2 setups × 3 runs = <b" in page


def test_models_without_a_price_are_named_once(home, suite):
    with serving(home, works=False) as address:
        page = page_of(address, suite=suite, models=["http://127.0.0.1:9/v1#m"], efforts="low")
    assert page.count("Price unknown: <bdi>") == 1
    assert "#m</bdi>. Its cost is not in the estimate." in page


def test_an_unknown_effort_is_kept_in_the_form_and_refused(home, suite):
    with serving(home, works=False) as address:
        choice = {"set": "1", "suite": suite, "models": "http://127.0.0.1:9/v1#m"}
        page = page_of(address, **choice, efforts="ultra")
        assert "ultra" in checked(page, "efforts")
        body = urlencode({**choice, "efforts": "ultra"})
        status, _, again = sent(address, "POST", "/arena", body, FORM)
    assert status == 422
    assert "“ultra” is not one of" in again
    with Store.open(home / STORE_FILE, read_only=True) as store:
        assert store.runs() == ()


def test_an_unknown_suite_is_named_with_what_is_shown_instead(home):
    with serving(home, works=False) as address:
        page = page_of(address, suite="nope")
    assert "There is no suite &#39;nope&#39;." in page
    assert "The example suite is shown instead. Choose a suite." in page
    assert "Store the suite first" not in page


def test_a_test_without_a_model_name_gives_no_command(home, suite):
    with serving(home, works=False) as address:
        words = urlencode({"suite": suite, "test": "openai/"})
        body = sent(address, "POST", "/arena/test", words, FORM)[2]
    assert "Use openai/MODEL." in body
    assert "benchmaker models" not in body


def test_a_chosen_suite_is_described(home):
    checks = (CheckSpec(type="contains"), CheckSpec(type="word_count"))
    content = put(home, a_suite(checks=checks, description="Four sums."))[0]
    with serving(home, works=False) as address:
        page = page_of(address, suite=content)
    facts = re.search(r'id="suite-facts">(.*?)</p>', page)[1]
    for word in ("4 cases", "3 prompts", "contains, word_count", "efforts low, high"):
        assert word in facts
    assert "Four sums." in page


@pytest.mark.usefixtures("suite")
def test_every_change_stands_in_the_address(tab, home):
    with serving(home, works=False) as address:
        tab.goto(f"{address}/arena?suite=sums&models=openai/gpt-5")
        tab.get_by_label("steps").uncheck()
        tab.get_by_label("Runs", exact=True).fill("5")
        tab.get_by_label("Runs", exact=True).blur()
        expect(tab.locator("#estimate")).to_contain_text("4 setups × 5 runs = 80 trials")
        tab.wait_for_url("**runs=5**")
        there = tab.url
        tab.reload()
        assert not tab.get_by_label("steps").is_checked()
        expect(tab.locator("#estimate")).to_contain_text("4 setups × 5 runs = 80 trials")
        tab.goto(f"{address}/suites")
        tab.go_back()
        assert tab.url == there
        assert not tab.get_by_label("steps").is_checked()


@pytest.mark.usefixtures("suite")
def test_prices_of_setups_sum_up_to_the_estimate(tab, home):
    with serving(home, works=False) as address:
        tab.goto(f"{address}/arena?suite=sums&models=openai/gpt-5&models=openai/gpt-5-mini")
        before = tab.locator(".setups tfoot b").inner_text()
        assert before in tab.locator("#estimate").inner_text()
        cell = tab.locator(".setups tbody td").first
        assert cell.inner_text().startswith("$")
        tab.locator("#picked input[name=models]").first.uncheck()
        expect(cell).to_have_text("–")
        expect(tab.locator(".setups tfoot b")).not_to_have_text(before)
        assert tab.locator("#picked input[name=models]").count() == 2
        tab.get_by_label("minimal").check()
        expect(tab.locator(".setups thead tr").last).to_contain_text("minimal")


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize("has_script", [True, False])
def test_a_model_is_tested_with_one_question(chromium, home, has_script):
    context = patient(chromium, java_script_enabled=has_script)
    tab = context.new_page()
    with answering(lambda _: "OK") as models, serving(home, works=False) as address:
        tab.goto(f"{address}/arena?suite=sums&prompts=steps")
        tab.get_by_label("Models", exact=True).fill(f"{models.url}#small")
        tab.get_by_role("button", name="Test", exact=True).click()
        expect(tab.locator("#tested")).to_contain_text("answered in")
        expect(tab.locator("#tested")).to_contain_text("10 input and 5 output tokens")
        expect(tab.locator("#tested")).to_contain_text("price unknown")
        expect(tab.locator("#tested")).to_contain_text("OK")
        assert tab.get_by_label("steps").is_checked()
        assert not tab.get_by_label("plain").is_checked()
        assert len(models.asked) == 1
    context.close()
    with Store.open(home / STORE_FILE, read_only=True) as store:
        assert store.runs() == ()


def test_the_endpoint_says_why_a_model_does_not_answer(tab, home):
    with refusing() as models, serving(home, works=False) as address:
        tab.goto(f"{address}/arena?{urlencode({'models': models.locked})}")
        tab.get_by_role("button", name="Test http").click()
        expect(tab.locator("#tested")).to_contain_text("Incorrect API key provided")
        tab.goto(f"{address}/arena")
        tab.get_by_role("button", name="Test", exact=True).click()
        expect(tab.locator("#tested")).to_contain_text("No model chosen.")
        tab.get_by_label("Models", exact=True).fill("command:ls")
        tab.get_by_role("button", name="Test", exact=True).click()
        expect(tab.locator("#tested")).to_contain_text("starts a program")


@pytest.mark.usefixtures("suite")
def test_a_name_is_added_and_the_keyboard_goes_on(tab, home):
    with serving(home, works=False) as address:
        tab.goto(f"{address}/arena?suite=sums")
        tab.get_by_label("Models", exact=True).fill("openai/gpt-5")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        expect(tab.locator("#picked input[name=models]")).to_have_value("openai/gpt-5")
        expect(tab.get_by_label("Models", exact=True)).to_have_value("")
        expect(tab.locator("#estimate")).to_contain_text("6 setups × 1 run = 24 trials")
        tab.get_by_label("Search by any part of the name").fill("claude haiku openrouter")
        expect(tab.locator("#found .pick").first).to_contain_text("haiku")


@pytest.mark.usefixtures("suite")
def test_a_name_that_is_being_typed_is_not_chosen(tab, home):
    with serving(home) as address:
        tab.goto(f"{address}/arena")
        tab.get_by_label("Models", exact=True).press_sequentially("openai/")
        with tab.expect_response("**/arena/estimate?*") as estimated:
            tab.locator("#setup").dispatch_event("change")
        assert estimated.value.ok
        tab.get_by_label("Models", exact=True).press_sequentially("gpt-5")
        tab.get_by_role("button", name="Add", exact=True).press("Enter")

        expect(tab.locator("#picked input[name=models]")).to_have_value("openai/gpt-5")


def test_models_of_recorded_answers_are_apart(home):
    with serving(home) as address:
        posted(address, {"set": 1, "suite": "example", "answers": "example"})
        page = page_of(address)
    apart = re.search(r'id="recorded">(.*?)</p>', page, re.DOTALL)[1]
    assert "illustrative" in apart
    assert not re.search(r'name="models"[^>]*illustrative', page)


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize("width", [1280, 390])
def test_the_button_is_on_the_first_screen(tab, home, width):
    height = {1280: 800, 390: 844}[width]
    tab.set_viewport_size({"width": width, "height": height})
    with serving(home, works=False) as address:
        words = urlencode({"suite": "sums", "models": NAMES}, doseq=True)
        tab.goto(f"{address}/arena?{words}")
        box = tab.locator("#run").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
        assert tab.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.usefixtures("suite")
def test_axe_finds_nothing_with_twelve_long_names(tab, home):
    with serving(home, works=False) as address:
        words = urlencode({"suite": "sums", "models": NAMES, "q": "gpt 4o"}, doseq=True)
        assert violations(tab, f"{address}/arena?{words}") == []
        for width in (320, 390, 1280, 1920):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") == width
