"""The choice of prompts and efforts in the form of a run, and the estimate for it."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.waiting import until
from tests.web.accessible import violations
from tests.web.answering import answering
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.stored import put
from tests.web.test_arena_live import begun

PROMPTS = ("plain", "few, with examples", "steps")
MODELS = ("openai/gpt-5-mini", "openai/gpt-5")


def a_suite(**more):
    return Suite(
        "sums",
        [Case(id=f"c{n}", vars={"n": n}, expected="42") for n in range(4)],
        scorer=ScorerSpec(id="numeric"),
        prompts=[{"id": name, "prompt": f"{name}: {{{{ n }}}}?"} for name in PROMPTS],
        **more,
    )


@pytest.fixture
def home(tmp_path):
    return tmp_path


@pytest.fixture
def suite(home):
    return put(home, a_suite(efforts=["low", "high"]))[0]


def address_of(suite, path="/arena", **fields):
    words = {"set": 1, "suite": suite, "parameters_of": suite, "models": MODELS, **fields}
    return f"{path}?{urlencode(words, doseq=True)}"


def part(address, suite, path="/arena/estimate", **fields):
    return fetched(address + address_of(suite, path, **fields))[2].decode()


@pytest.mark.parametrize(
    ("fields", "prompts", "efforts"),
    [
        ({}, PROMPTS, ("low", "high")),
        ({"prompts": PROMPTS[1]}, PROMPTS[1:2], ("low", "high")),
        ({"efforts": ["minimal", "low", "high"]}, PROMPTS, ("minimal", "low", "high")),
        ({"prompts": PROMPTS[:2], "efforts": "medium"}, PROMPTS[:2], ("medium",)),
    ],
)
def test_the_estimate_follows_prompts_and_efforts(home, suite, fields, prompts, efforts):
    options = RunOptions(prompts=prompts, efforts=efforts)
    with Store.open(home / STORE_FILE, read_only=True) as store:
        stored = store.suite(suite)
        expected = benchmaker.estimate(stored, models=MODELS, home=home, options=options)
    n = len(prompts) * len(efforts) * len(MODELS)
    with serving(home, works=False) as address:
        text = part(address, suite, **fields)
    assert f"4 cases × {n} setups × 1 run = <b" in text
    assert f">{4 * n} trials</b>" in text
    assert sum(one.requests for one in expected.models) == 4 * n
    low, high = (float(it) for it in re.search(r"\$([\d.]+) to \$([\d.]+)", text).groups())
    assert (low, high) == pytest.approx(expected.whole_cost, rel=0.06)


def test_models_of_the_suite_are_estimated_too(home):
    content = put(home, a_suite(models=["openai/gpt-5", "openai/gpt-5-mini"]))[0]
    with serving(home, works=False) as address:
        assert "4 cases × 6 setups × 1 run = <b" in part(address, content, models=())


def test_the_choice_stands_in_the_form_and_its_address(home, suite):
    with serving(home, works=False) as address:
        text = part(address, suite, "/arena", prompts=PROMPTS[1], efforts="medium")
        plain = part(address, suite, "/arena")
        other = put(home, a_suite())[0]
        changed = fetched(address + address_of(other, prompts="plain", parameters_of=suite))[2]
    boxes = re.findall(r'name="(?:prompts|efforts)" value="([^"]+)"( checked)?', text)
    assert {name for name, checked in boxes if checked} == {PROMPTS[1], "medium"}
    assert [name for name, _ in boxes if name in PROMPTS] == list(PROMPTS)
    assert "None checked: low, high, as in the suite." in plain
    checked = re.findall(r'name="(?:prompts|efforts)" value="([^"]+)" checked', plain)
    assert set(checked) == {*PROMPTS, "low", "high"}
    prompts = re.findall(r'name="prompts" value="([^"]+)" checked', changed.decode())
    assert prompts == list(PROMPTS)


def test_unknown_prompts_and_efforts_are_named(home, suite):
    with serving(home, works=False) as address:
        text = part(address, suite, "/arena", prompts="plian", efforts="huge")
        assert "“huge” is not one of none, minimal, low" in text
        assert "not in this suite" in text
        assert "Did you mean" in part(address, suite, prompts="plian")


def test_a_run_has_the_chosen_prompts_and_efforts(home, suite):
    with answering() as models, serving(home) as address:
        name = begun(
            address, suite, [f"{models.url}#m"], parameters_of=suite, prompts=PROMPTS[1],
            efforts="high",
        )  # fmt: skip
        with Store.open(home / STORE_FILE, read_only=True) as store:
            until(lambda: not store.jobs.list_open())
            run = store.run(name)
            assert [(one.prompt_id, one.effort) for one in run.setups] == [(PROMPTS[1], "high")]
            assert run.planned == 4
    assert sorted(models.asked) == [f"{PROMPTS[1]}: {n}?" for n in range(4)]


def test_a_changed_box_changes_the_estimate_without_a_reload(tab, home, suite):
    with serving(home, works=False) as address:
        tab.goto(address + address_of(suite))
        expect(tab.locator("#estimate")).to_contain_text("12 setups × 1 run = 48 trials")
        tab.get_by_label("plain").uncheck()
        tab.get_by_label("few, with examples").uncheck()
        expect(tab.locator("#estimate")).to_contain_text("4 setups × 1 run = 16 trials")
        tab.get_by_label("minimal").check()
        expect(tab.locator("#estimate")).to_contain_text("6 setups × 1 run = 24 trials")
        tab.get_by_role("button", name="Update").click()
        expect(tab.get_by_label("steps")).to_be_checked()
        expect(tab.get_by_label("plain")).not_to_be_checked()
        tab.locator("#suite").select_option("example")
        expect(tab.locator("input[name=prompts]")).to_have_count(0)
        assert violations(tab, address + address_of(suite, prompts="plain")) == []
