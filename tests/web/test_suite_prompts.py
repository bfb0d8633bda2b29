"""The prompts of a suite, edited beside their results."""

import json
import re
from html import unescape
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.providers.base import Completion
from benchmaker.providers.scripted import Scripted
from benchmaker.report.tables import numbers
from benchmaker.store import Store
from tests.analysis.effects.designs import a_design, stored_design
from tests.waiting import until
from tests.web.accessible import violations
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.stored import HOSTILE, put
from tests.web.test_guard import ask
from tests.web.test_suite_conflicts import FORM, stored

MODELS = ("openrouter/anthropic/claude-sonnet-4.5-20250929", "a/small")
PROMPTS = {"steps": "Think in steps: {{ n }}?", "plain": "{{ n }}?"}


def a_suite(**prompts):
    cases = [{"id": f"c{n}", "vars": {"n": n}, "expected": str(n)} for n in range(12)]
    listed = [{"id": name, "prompt": text} for name, text in (prompts or PROMPTS).items()]
    return Suite("sums", cases, scorer="exact", prompts=listed)


def answer(request):
    """The plain prompt is the better one; the second model errs once more."""
    number = int(request.case_id.removeprefix("c"))
    is_steps = request.messages[-1].content.startswith("Think")
    wrong = (number < 6) if is_steps else (number < MODELS.index(request.model))
    return Completion(text="?" if wrong else str(number), cost_usd=0.001 * (1 + is_steps))


def ran(home, suite, models=MODELS):
    options = RunOptions(runs=1)
    provider = Scripted(answer, models=models)
    return aside(benchmaker.run, suite, provider=provider, home=home, options=options)


def text_of(page):
    """The panel of prompts as words."""
    panel = page.split('aria-labelledby="h-prompts"')[1].split("</section>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]+>", " ", panel))).replace("\xa0", " ")


@pytest.mark.parametrize("models", [MODELS, MODELS[:1]])
def test_figures_stand_beside_each_prompt_as_in_json_of_the_run(tmp_path, models):
    made = ran(tmp_path, a_suite(), models)
    run, content = made.run_ids[0], put(tmp_path, a_suite())[0]
    with serving(tmp_path, works=False) as address:
        said = text_of(ask(address, path=f"/suites/{content}")[2])
        means = json.loads(ask(address, path=f"/runs/{run}/tables/means.json")[2])["means"]
        pairs = json.loads(ask(address, path=f"/runs/{run}/tables/effects.json")[2])["effects"]
    assert len(means) == 2 * len(models)
    for row in means:
        assert numbers.score(row["mean"]) in said or numbers.share(row["mean"]) in said
        assert numbers.money(row["cost_usd"]) in said
    of_prompts = [row for row in pairs if row["by"] == "prompt"]
    assert [(row["a"], row["b"]) for row in of_prompts] == [("plain", "steps")]
    assert "Prompt plain beats steps by" in said
    assert said.count("beats") == 1
    assert ("over 2 setups" in said) == (len(models) > 1)


@pytest.mark.long
def test_a_dropped_setup_stands_with_the_cases_that_it_has(tmp_path):
    design = a_design(prompt={"few": 0.08})
    scores = design.scores(np.random.default_rng(1), 18)
    gone = design.setups[0]
    stored_design(tmp_path, design.setups, scores, dropped=[gone.name])
    with serving(tmp_path, works=False) as address:
        content = stored(tmp_path, "dims")[0]
        until(lambda: "Computing" not in ask(address, path=f"/suites/{content}")[2])
        said = text_of(ask(address, path=f"/suites/{content}")[2])
    assert said.count("dropped after 12 of 18 cases") == 1
    number = sum(one.prompt_id == gone.prompt_id for one in design.setups) - 1
    assert f"over {number} setups" in said


def test_a_prompt_is_changed_and_run_with_one_press(tab, tmp_path):
    ran(tmp_path, a_suite())
    before = put(tmp_path, a_suite())[0]
    with serving(tmp_path, works=False) as address:
        tab.goto(f"{address}/suites/{before}")
        tab.get_by_label("Text of prompt plain").fill("How much is {{ n }}?")
        tab.get_by_role("button", name="Run with this").nth(1).press("Enter")
        expect(tab.locator("h1")).to_contain_text("Arena")
        saved = stored(tmp_path, "sums")[0]
        assert saved != before
        expect(tab.locator('input[name="prompts"]:checked')).to_have_value("plain")
        assert f"suite={saved}" in tab.url
        tab.goto(f"{address}/suites/{saved}")
        expect(tab.get_by_text("results of an earlier text")).to_have_count(1)
        expect(tab.get_by_role("link", name="another version")).to_be_visible()
        assert violations(tab, f"{address}/suites/{saved}") == []
        tab.get_by_role("button", name="Run with this").first.click()
        expect(tab.locator("h1")).to_contain_text("Arena")
    with Store.open(tmp_path / "benchmaker.db", read_only=True) as store:
        prompts = store.suite(saved).prompts
    assert [one.prompt for one in prompts] == ["Think in steps: {{ n }}?", "How much is {{ n }}?"]
    assert stored(tmp_path, "sums")[0] == saved


@pytest.fixture
def post(tmp_path):
    """Sends the form of prompts of a suite."""
    with serving(tmp_path, works=False) as address:

        def send(content, **typed):
            body = urlencode({"newest": content, **typed})
            return ask(address, "POST", f"/suites/{content}/prompts", FORM, body)

        yield send


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"p1_0": "{{ m }}?"}, "m"),
        ({"p0_0": " "}, "a prompt needs a text."),
        ({"p0_0": "{{ n"}, "p0_0"),
        ({"new_id": "plain", "new_text": "{{ n }}"}, "the suite has a prompt"),
        ({"new_text": "{{ n }}"}, "a prompt needs an id."),
    ],
)
def test_a_wrong_prompt_is_not_saved_and_its_text_is_kept(tmp_path, post, typed, said):
    content = put(tmp_path, a_suite())[0]
    status, _, page = post(content, p1_0=typed.get("p1_0", "kept {{ n }}"), **{
        name: text for name, text in typed.items() if name != "p1_0"
    })  # fmt: skip
    assert status == 422
    assert stored(tmp_path, "sums") == [content]
    assert 'role="alert"' in page
    assert said in unescape(page)
    assert typed.get("p1_0", "kept {{ n }}") in unescape(page)
    assert 'aria-invalid="true"' in page


def test_a_prompt_is_added(tmp_path, post):
    content = put(tmp_path, a_suite())[0]
    assert post(content, new_id="third", new_text="{{ n }} = ?")[0] == 303
    with Store.open(tmp_path / "benchmaker.db", read_only=True) as store:
        third = store.suite(stored(tmp_path, "sums")[0]).prompts[2]
    assert (third.id, third.prompt) == ("third", "{{ n }} = ?")


def test_nothing_changed_makes_no_version(tmp_path, post):
    content = put(tmp_path, a_suite())[0]
    assert post(content)[0] == 303
    assert stored(tmp_path, "sums") == [content]


def test_the_second_editor_keeps_both_texts(tmp_path, post):
    content = put(tmp_path, a_suite())[0]
    post(content, p0_0="first {{ n }}")
    status, _, page = post(content, p1_0="second {{ n }}")
    assert status == 409
    assert "second {{ n }}" in page
    assert "first {{ n }}" in page
    assert len(stored(tmp_path, "sums")) == 2
    newest = stored(tmp_path, "sums")[0]
    assert f'action="/suites/{newest}/prompts"' in page


def test_hostile_prompts_stay_text(tab, tmp_path):
    suite = a_suite(**{f"{at} {it.replace('{{7*7}}', '')}": it.replace("{{7*7}}", "") + "{{ n }}"
                       for at, it in enumerate(HOSTILE)})  # fmt: skip
    content = put(tmp_path, suite)[0]
    with serving(tmp_path, works=False) as address:
        for path in ("", "/prompts"):
            assert violations(tab, f"{address}/suites/{content}{path}") == []
            for width in (320, 390, 1280, 1920):
                tab.set_viewport_size({"width": width, "height": 900})
                assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert tab.evaluate("window.hit") is None


def test_the_page_to_add_the_first_prompt_has_its_fields_open(tmp_path):
    content = put(
        tmp_path, Suite("plain", [Case(id="a", prompt="?", expected="1")], scorer="exact")
    )[0]
    with serving(tmp_path, works=False) as address:
        page = fetched(f"{address}/suites/{content}/prompts")[2].decode()
    assert re.search(r'<details class="drawer" open><summary>Add a prompt', page)
