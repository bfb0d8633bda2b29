"""Setting up a run, and running it, in a real browser."""

import http.client
import re
from contextlib import closing
from urllib.parse import quote, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import Case, Parameters, ScorerSpec, Suite
from benchmaker.store import Store
from tests.waiting import until
from tests.web.accessible import violations
from tests.web.answering import answering
from tests.web.browser import answers_to, patient, weight
from tests.web.serving import apps, serving

ASKED = "set=1&suite=example&models=openai/gpt-4o-mini&q=haiku&benchmark_mode=on&temperature=0.7"
WRONG = "/arena?set=1&suite=example&models=command:ls&temperature=hot&answers=live"


@pytest.fixture
def empty(tmp_path):
    """A workbench over an empty data folder."""
    with serving(tmp_path / "home") as address:
        yield address


def finished(tab):
    expect(tab.locator("#notice")).to_contain_text("Finished.")


def test_axe_finds_nothing_where_something_is_wrong(tab, demo):
    assert violations(tab, demo + WRONG) == []


def test_the_example_is_run_three_times_without_a_key(tab, empty):
    tab.goto(empty + "/")
    tab.get_by_role("link", name="Set up a run").click()
    tab.get_by_text("Bundled, illustrative").click()
    tab.get_by_label("More ways to run").click()
    tab.get_by_role("button", name="Run 3 times").click()

    tab.wait_for_url("**/arena/s-*")
    finished(tab)
    expect(tab.locator("#tiles")).to_contain_text("192 of 192")
    expect(tab.locator("#actions")).to_contain_text("Open results")
    assert tab.locator("a.cell .num").count() > 0


def test_live_models_are_run_five_times_from_the_page(tab, tmp_path):
    home = tmp_path / "home"
    with answering(pause_s=0.01) as models, serving(home) as address:
        tab.goto(address + "/arena")
        tab.locator("#byname").fill(f"{models.url}#small, {models.url}#large")
        tab.get_by_role("button", name="Update").click()
        tab.wait_for_load_state()
        assert tab.locator("input[name=models]:checked").count() == 2
        tab.locator("#b-concurrency").fill("20")
        tab.get_by_label("More ways to run").click()
        tab.get_by_role("button", name="Run 5 times").click()
        tab.wait_for_url("**/arena/s-*")
        finished(tab)
        expect(tab.locator("#tiles")).to_contain_text("160 of 160")
        expect(tab.locator("#turns a[aria-current]")).to_contain_text("5")
        series = tab.url.rpartition("/")[2]

    result = benchmaker.results(series, home=home)
    assert len(result.run_ids) == 5
    assert result.is_finished
    assert len(models.asked) == 160


def test_benchmark_mode_locks_and_gives_back(tab, demo):
    tab.goto(demo + "/arena")
    tab.locator("#p-temperature").fill("0.9")
    tab.get_by_role("switch", name="Benchmark Mode").check()

    expect(tab.locator("#parameters")).to_contain_text("locked, your 0.9 is kept")
    assert tab.locator("#p-temperature").is_disabled()
    assert tab.locator("#p-temperature").input_value() == "0"
    assert tab.locator("#p-top_p").is_enabled()

    tab.get_by_role("switch", name="Benchmark Mode").uncheck()
    expect(tab.locator("#p-temperature")).to_be_enabled()
    assert tab.locator("#p-temperature").input_value() == "0.9"


def test_benchmark_mode_is_what_is_sent(tab, tmp_path):
    home = tmp_path / "home"
    with serving(home) as address:
        tab.goto(address + "/arena?set=1&answers=example&benchmark_mode=on&temperature=0.9")
        tab.keyboard.press("Control+Enter")
        tab.wait_for_url(re.compile(r"/arena/\d{8}-"))
        finished(tab)
    with Store.open(home / "benchmaker.db") as store:
        run = store.runs()[0]
    assert run.benchmark_mode
    assert run.parameters["temperature"] == 0.0
    assert any("instead of temperature 0.9" in note for note in run.notes)


@pytest.fixture
def own(tmp_path):
    """A workbench, and the hash of a suite in it that has parameters of its own."""
    home = tmp_path / "own"
    parameters = Parameters(temperature=0.2, max_tokens=1_048_576, benchmark_mode=True)
    suite = Suite(
        "own", [Case(id="a", prompt="a?", expected="42")], description="With its own parameters.",
        scorer=ScorerSpec(id="numeric"), parameters=parameters,
    )  # fmt: skip
    with Store.open(home / "benchmaker.db") as store:
        name = store.put_suite(suite)
    with serving(home) as address:
        yield address, name


def test_choosing_a_suite_loads_its_parameters_and_what_it_is(tab, own):
    address, name = own
    tab.goto(f"{address}/arena?set=1&answers=example&temperature=0.9")
    tab.locator("#suite").select_option(name)
    expect(tab.locator("#about-suite")).to_contain_text("With its own parameters.")
    expect(tab.get_by_role("switch", name="Benchmark Mode")).to_be_checked()
    assert tab.locator("#p-max_tokens").input_value() == "1048576"
    assert tab.locator("input[name=temperature]").input_value() == "0.2"
    assert tab.locator("#answers").count() == 0

    tab.locator("#suite").select_option("example")
    expect(tab.locator("#answers")).to_be_visible()
    assert tab.locator("#p-temperature").input_value() == "0.7"
    assert not tab.get_by_role("switch", name="Benchmark Mode").is_checked()


def test_a_form_filled_in_for_another_suite_sends_the_parameters_of_the_chosen_one(own):
    address, name = own
    with answering() as models:
        form = {
            "set": 1, "suite": name, "parameters_of": "example", "temperature": 0.7,
            "max_tokens": 2048, "models": f"{models.url}#small", "answers": "example",
        }  # fmt: skip
        target = posted(address, form)
    with Store.open(apps[address].state.bench.home / "benchmaker.db") as store:
        run = store.run(target)
    assert run.parameters["max_tokens"] == 1_048_576
    assert run.benchmark_mode


def posted(address, form):
    """Begin a run without a browser; returns its id."""
    made = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    with closing(made):
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        made.request("POST", "/arena", urlencode(form), kind)
        answer = made.getresponse()
        assert answer.status == 303, answer.read().decode()
        return answer.getheader("location").rpartition("/")[2]


def test_a_missing_key_is_said_and_nothing_is_begun(tab, tmp_path):
    with serving(tmp_path / "home", environ={"MISTRAL_API_KEY": "sk-never-shown-4711"}) as address:
        tab.goto(address + "/arena?set=1&models=openai/gpt-4o-mini&models=mistral/mistral-small")
        expect(tab.locator("#about-costs")).to_contain_text("set OPENAI_API_KEY")
        assert "MISTRAL_API_KEY is set" in tab.content()
        assert "4711" not in tab.content()
        tab.complaints.clear()
        tab.locator("#run").click()
        expect(tab.get_by_role("alert")).to_contain_text("Missing API keys")
        assert tab.locator("input[value='openai/gpt-4o-mini'][name=models]").is_checked()
        tab.complaints.clear()  # the browser notes the 422


def test_an_estimate_follows_what_is_chosen(tab, demo):
    tab.goto(demo + "/arena")
    tab.locator("#q").press_sequentially("gpt-4o-mini")
    tab.locator("#found input[value='openai/gpt-4o-mini']").check()

    expect(tab.locator("#estimate")).to_contain_text(
        "16 cases × 1 model × 1 run = 16 trials, an estimated $"
    )
    tab.get_by_label("More ways to run").click()
    expect(tab.get_by_role("button", name="Run 10 times")).to_contain_text("$")


def test_what_is_chosen_stays_chosen_while_one_searches_on(tab, demo):
    tab.goto(demo + "/arena")
    tab.locator("#q").fill("gpt-4o-mini")
    tab.locator("#found input[value='openai/gpt-4o-mini']").check()
    expect(tab.locator("#picked input[name=models]")).to_be_focused()
    tab.locator("#q").fill("haiku-4-5")

    expect(tab.locator("#found input[value='anthropic/claude-haiku-4-5']")).to_be_visible()
    assert tab.locator("#picked input[value='openai/gpt-4o-mini'][name=models]").is_checked()
    assert tab.locator("input[value='openai/gpt-4o-mini'][name=models]").count() == 1


def test_an_endpoint_is_asked_for_its_models(tab, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    with answering() as models:
        (home / "endpoints.yaml").write_text(
            f"endpoints:\n  mine:\n    base_url: {models.url}\n    local: true\n"
        )
        with serving(home) as address:
            tab.goto(address + "/arena")
            tab.locator("#endpoint").select_option("mine")
            expect(tab.locator("#found")).to_contain_text("mine/small")
            expect(tab.locator("#found")).to_contain_text("8,192 tokens")
            tab.wait_for_load_state("networkidle")


def test_all_of_it_works_without_script(chromium, tmp_path):
    with serving(tmp_path / "home") as address:
        context = patient(chromium, java_script_enabled=False)
        page = context.new_page()
        page.goto(address + "/arena?set=1&q=gpt-4o-mini")
        page.locator("input[value='openai/gpt-4o-mini']").check()
        page.get_by_role("button", name="Update").click()
        expect(page.locator("#estimate")).to_contain_text("an estimated $")
        page.locator("input[name=answers][value=example]").check(force=True)
        page.locator("#run").click()
        page.wait_for_url(re.compile(r"/arena/\d{8}-"))
        until(lambda: page.reload() and "Finished." in page.content(), 120)
        expect(page.locator("#notice")).to_contain_text("Finished.")
        context.close()


@pytest.mark.parametrize("name", ["command:rm -rf /", "python:os:getcwd"])
def test_no_page_starts_a_program(tab, demo, name):
    tab.goto(demo + f"/arena?set=1&models={quote(name)}")
    assert "starts a program" in tab.locator("#e-models").inner_text()
    tab.locator("#run").click()
    tab.wait_for_load_state()
    assert tab.url == demo + "/arena"
    assert "starts a program" in tab.locator("#e-models").inner_text()
    tab.complaints.clear()  # the browser notes the 422


def test_what_was_typed_wrong_is_kept_and_said_at_its_field(tab, demo):
    tab.goto(demo + "/arena?set=1&answers=example&temperature=hot&max_tokens=1.5")
    assert "is not a number from 0 to 2" in tab.locator("#e-temperature").inner_text()
    assert "is not a whole number" in tab.locator("#e-max_tokens").inner_text()
    assert tab.locator("#p-temperature").input_value() == "hot"
    assert tab.locator("#p-temperature").get_attribute("aria-invalid") == "true"


def test_a_name_that_is_script_stays_a_name(tab, demo):
    name = "x/<img src=x onerror=alert(1)>\"'><script>alert(2)</script>"
    tab.goto(demo + f"/arena?set=1&models={quote(name)}&q={quote(name)}&judges={quote(name)}")
    assert tab.locator("main img").count() == 0
    assert tab.locator("main script").count() == 0
    assert tab.locator("input[name=models]:checked").input_value() == name


def test_the_setup_page_is_light(tab, demo):
    came = answers_to(tab)
    tab.goto(f"{demo}/arena?{ASKED}", wait_until="networkidle")
    assert weight(came) < 150_000
