import json
import math
from collections import defaultdict
from statistics import mean
from urllib.parse import quote

import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.spec import Case, Parameters, ScorerSpec, Suite
from benchmaker.store import Store
from tests.web.accessible import violations
from tests.web.aside import aside
from tests.web.browser import answers_to, patient, weight
from tests.web.serving import serving
from tests.web.stored import HOSTILE, hostile_suite, put
from tests.web.test_guard import ask

FIRST_PAINT = 150_000


def read(address: str) -> dict:
    place, _, path = address.rpartition("/")
    return json.loads(ask(place, path=f"/{path}")[2])


@pytest.fixture
def demo_hash(demo):
    return read(demo + "/suites.json")["suites"][0]["hash"]


def capitals(count: int = 3) -> Suite:
    cases = tuple(
        Case(id=f"c{at}", prompt=f"What is {at}?", expected=str(at), tags=(f"t{at % 2}",))
        for at in range(count)
    )
    return Suite(name="small", cases=cases, scorer=ScorerSpec(id="exact"), profile="robust")


PAGES = ("", "/cases/1", "/cases/new", "/header", "/diff")


def test_axe_finds_nothing_where_nothing_is_found_or_changed(tab, demo, demo_hash):
    for path in ("/suites?q=nothing-like-it", f"/suites/{demo_hash}/diff"):
        assert violations(tab, demo + path) == [], path


def test_the_last_mean_of_one_model_is_that_of_its_run_page(tmp_path):
    graded = ScorerSpec(id="numeric", grades=True)
    cases = [
        Case(id=f"c{at}", prompt=f"{at}?", expected=at * 100, weight=1 + at) for at in (1, 2, 3)
    ]
    suite = Suite("hundreds", cases, scorer=graded, profile="robust")
    answers = {"1?": "100", "2?": "199", "3?": "no idea"}
    models = [lambda prompt: answers[prompt]]
    made = aside(benchmaker.run, suite, models=models, home=tmp_path)

    table = f"/runs/{made.run_ids[0]}/tables/means.json"
    with serving(tmp_path, works=False) as address:
        row = read(f"{address}/suites.json")["suites"][0]
        own = json.loads(ask(address, path=table)[2])["means"][0]
    for name in ("mean", "ci95_low", "ci95_high"):
        assert row[name] == own[name]


@pytest.mark.long
def test_the_last_mean_of_a_series_is_that_over_its_runs(tmp_path):
    right = {"alpha": (1, 2), "beta": (3,)}
    lines = [
        {"model": name, "id": f"c{n}", "run": run, "output": str(n) if run in own else "none"}
        for name, own in right.items()
        for run in (1, 2, 3)
        for n in range(3)
    ]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(map(json.dumps, lines)))
    options = RunOptions(runs=3)
    made = aside(benchmaker.run, capitals(), recorded=answers, home=tmp_path, options=options)
    with serving(tmp_path, works=False) as address:
        found = read(f"{address}/suites.json")["suites"][0]
        listed = json.loads(ask(address, path="/api/v1/suites")[2])["items"][0]
        at = f"/suites/{found['hash']}"
        cases = json.loads(ask(address, path=f"{at}.json")[2])["cases"]
        in_api = json.loads(ask(address, path=f"/api/v1{at}/cases")[2])["items"]
        whole = ask(address, path=f"/series/{made.series_id}/tables/means.json")[2]
        page = ask(address, path=at)[2]
    best = json.loads(whole)["means"][0]
    assert (found["model"], found["mean"]) == ("alpha", best["mean"])
    assert (listed["best_model"], listed["mean"]) == ("alpha", best["mean"])
    assert [found["ci95_low"], found["ci95_high"]] == [best["ci95_low"], best["ci95_high"]]
    assert [(one["mean"], one["answers"]) for one in cases] == [(0.5, 6)] * 3
    assert [one["last"] for one in in_api] == [{"mean": 0.5, "answers": 6}] * 3
    assert "66.7" in page


def test_the_number_of_runs_leads_to_those_of_the_suite_alone(tmp_path):
    for name in ("small", "small & more"):
        suite = Suite(name, capitals().cases, scorer="exact", profile="robust")
        aside(benchmaker.run, suite, models=[lambda _: "1"], home=tmp_path)
    with serving(tmp_path, works=False) as address:
        for name in ("small", "small & more"):
            path = f"/runs?suite={quote(name)}"
            assert f'href="{path}"' in ask(address, path="/suites")[2]
            found = read(f"{address}/{path[1:].replace('runs?', 'runs.json?')}")["runs"]
            assert [row["suite"] for row in found] == [name]


def test_a_parameter_that_is_not_sent_is_shown_as_that(tmp_path):
    unset = Parameters(temperature=None, top_p=None, presence_penalty=None)
    cases = [Case(id="a", prompt="1 + 1?", expected="2")]
    suite = Suite("unset", cases, scorer=ScorerSpec(id="exact"), parameters=unset)
    content = put(tmp_path, suite)[0]
    with serving(tmp_path, works=False) as address:
        for path in (f"/suites/{content}", f"/suites/{content}/header", f"/suites/{content}/diff"):
            assert ask(address, path=path)[0] == 200
        page = ask(address, path=f"/suites/{content}")[2]
    assert page.count("not sent") == 3


def test_prompts_and_every_kind_of_parameter_are_shown(tmp_path):
    suite = Suite(
        "prompted",
        [Case(id="a", vars={"n": 1}, expected="1")],
        scorer=ScorerSpec(id="exact"),
        parameters=Parameters(reasoning_effort="high", stop=["END"], response_format="json"),
        models=["openai/a", {"model": "openai/a", "label": "hot"}],
        efforts=["low"],
        vars={"unit": "km"},
        prompts=[{"id": "plain", "prompt": "<b> {{ n }} {{ unit }}"}],
    )
    content = put(tmp_path, suite)[0]
    with serving(tmp_path, works=False) as address:
        for path in ("header", "cases/1", "diff", "cases/new"):
            assert ask(address, path=f"/suites/{content}/{path}")[0] in {200, 404}, path
        status, _, page = ask(address, path=f"/suites/{content}")
    assert status == 200
    for text in ("openai/a, hot", "&lt;b&gt; {{ n }} {{ unit }}", "km", "END", "plain"):
        assert text in page, text


def test_a_last_mean_of_part_of_the_trials_says_of_how_many(tmp_path):
    cases = [Case(id=f"c{n}", prompt=f"{n}?", expected=str(n)) for n in range(3)]
    suite = Suite("partly", cases, scorer=ScorerSpec(id="exact"), profile="robust")
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"model": "m", "id": "c0", "output": "0"}\n')
    aside(benchmaker.run, suite, recorded=answers, home=tmp_path)
    with serving(tmp_path, works=False) as address:
        assert "1 of 3 scored" in ask(address, path="/suites")[2]


def test_the_last_mean_is_that_of_the_best_model_by_name(demo, demo_home, demo_hash):
    row = read(demo + "/suites.json")["suites"][0]
    with Store.open(demo_home / "benchmaker.db", read_only=True) as store:
        last = store.runs(suite_hash=demo_hash, limit=1)[0]
        series = store.runs(series_id=last.series_id)
        trials = [one for run in series for one in store.trials(run.id)]
    means = {}
    for model in last.models:
        scores, weights = defaultdict(list), {}
        for one in trials:
            if one.model == model and one.score.score is not None:
                scores[one.case_id].append(one.score.score)
                weights[one.case_id] = one.weight
        summed = math.fsum(weights[case] * mean(own) for case, own in scores.items())
        means[model] = summed / math.fsum(weights.values())

    assert len(means) > 1
    assert row["model"] == max(means, key=means.get)
    assert row["mean"] == pytest.approx(max(means.values()))
    assert 0 <= row["ci95_low"] < row["mean"] < row["ci95_high"] <= 1
    assert f"{row['model']}</bdi>, best of {len(means)}" in ask(demo, path="/suites")[2]


def test_cases_are_paged_and_filtered_without_script(chromium, home):
    content = put(home, capitals(120))[0]
    context = patient(chromium, java_script_enabled=False)
    page = context.new_page()
    with serving(home) as address:
        page.goto(f"{address}/suites/{content}")
        assert page.locator(".cases tbody tr").count() == 50
        page.get_by_role("link", name="Next page").click()
        page.wait_for_load_state()
        assert page.locator(".cases tbody th").first.inner_text() == "c50"
        page.get_by_label("Tag").fill("t1")
        page.get_by_role("button", name="Filter").click()
        page.wait_for_load_state()
        assert "tag=t1" in page.url
        assert page.locator(".cases tbody th").nth(1).inner_text() == "c3"
    context.close()


def test_hostile_texts_are_texts_everywhere(tab, home):
    content, *_ = put(home, hostile_suite(), hostile_suite(HOSTILE[1]))
    with serving(home) as address:
        other = read(address + "/suites.json")["suites"][0]["hash"]
        paths = [f"/suites/{content}{path}" for path in PAGES]
        paths += ["/suites", f"/suites/{content}/diff?with={other}", "/jump?q=window"]
        for path in paths:
            tab.goto(address + path)
            assert tab.evaluate("window.hit") is None, path
            assert tab.locator("img, main svg[onload], main script").count() == 0, path


def test_hostile_texts_survive_being_saved(tab, home):
    content = put(home, hostile_suite())[0]
    with serving(home) as address, Store.open(home / "benchmaker.db") as store:
        tab.goto(f"{address}/suites/{content}/cases/1")
        tab.get_by_label("Weight").fill("3")
        tab.get_by_role("button", name="Save as a new version").click()
        tab.wait_for_load_state()
        newest = tab.url.split("/")[-1].partition("?")[0]

        was, now = store.case(content, 0), store.case(newest, 0)
    assert now == was.model_copy(update={"weight": 3.0})


@pytest.mark.parametrize("path", ["/suites", "/suites/new", "/suites/{}", "/suites/{}/cases/1"])
def test_first_paint_is_light(tab, demo, demo_hash, path):
    came = answers_to(tab)
    tab.goto(demo + path.format(demo_hash))
    tab.wait_for_load_state("networkidle")

    assert weight(came) < FIRST_PAINT


def test_nothing_is_changed_from_elsewhere(demo, demo_hash):
    form = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Origin": "http://evil.example",
    }
    for path in ("/suites", "/suites/import", f"/suites/{demo_hash}/cases/1/delete"):
        assert ask(demo, "POST", path, form, "id=x")[0] == 403


def test_what_is_not_stored_is_missing(demo, demo_hash):
    assert ask(demo, path=f"/suites/{'0' * 64}")[0] == 404
    assert ask(demo, path=f"/suites/{demo_hash}/cases/999")[0] == 404
    assert ask(demo, path="/suites/short")[0] == 404


@pytest.fixture
def versions(tmp_path):
    """A suite of three versions, two of which were run with models of long names."""
    made, answers = [], tmp_path / "answers.jsonl"
    for count in (3, 4, 12):
        suite = capitals(count)
        models = ["openrouter/anthropic/claude-sonnet-4.5-20250929", "second"]
        rows = [{"model": m, "id": f"c{at}", "output": "1"} for m in models for at in range(count)]
        answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        if count > 3:
            aside(benchmaker.run, suite, recorded=answers, home=tmp_path)
        made.append(put(tmp_path, suite)[0])
    with serving(tmp_path, works=False) as address:
        yield address, made[-1]


@pytest.mark.parametrize(("path", "table"), [
    ("/suites/{hash}", "h-versions"),
    ("/suites?versions=all", "h-suites"),
    ("/suites", "h-suites"),
])  # fmt: skip
def test_tables_of_suites_and_versions_fit_a_phone(tab, versions, path, table):
    address, content = versions
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(address + path.format(hash=content))
    held = tab.locator(f".scroll[aria-labelledby={table}]")
    assert held.evaluate("it => it.scrollWidth <= it.clientWidth")
    shown = held.inner_text()
    for text in ("12 cases", "1 run", "95% CI" if table == "h-versions" else "["):
        assert text in shown, shown
