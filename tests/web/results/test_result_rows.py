"""Home and Results: a row per series with its setups, verdict, cost, history and state."""

import csv
import io
import json
import re
import time
from math import sqrt

import msgspec
import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.providers.base import Completion
from benchmaker.providers.scripted import Scripted
from benchmaker.record import RunState
from benchmaker.report.plots.row_plots import SparkPoint, sparkline_svg
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.waiting import until
from tests.web.aside import aside
from tests.web.plain_figures import text_of
from tests.web.results_data import fetched, many_cases_home
from tests.web.serving import serving

MODELS = ("fake/weak", "fake/strong", "openrouter/anthropic/claude-sonnet-4.5-20250929")
RIGHT = {"fake/weak": 8, "fake/strong": 30, MODELS[2]: 20}
"""The first of 30 cases that each model answers right; not in the order of rank."""


def answer(request):
    is_right = int(request.case_id[1:]) < RIGHT[request.model]
    return Completion(text="Lima" if is_right else "Quito", cost_usd=0.001)


def cases(last="A city?"):
    return [
        Case(
            id=f"c{n}", prompt=last if n == 29 else "A city?", expected="Lima", tags=("geography",)
        )
        for n in range(30)
    ]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A series of two runs, and a run of another version of its suite."""
    home = tmp_path_factory.mktemp("rows")
    provider = Scripted(answer, models=MODELS)
    suite = Suite("capitals", cases(), scorer="exact")
    series = aside(benchmaker.run, suite, provider=provider, home=home, options=RunOptions(runs=2))
    newer = Suite("capitals", cases("Which city?"), scorer="exact")
    alone = aside(benchmaker.run, newer, provider=provider, home=home)
    with serving(home, works=False) as address:
        yield address, home, series, alone


def page(address, path):
    status, _, body = fetched(address + path)
    assert status == 200, body[-500:]
    return body.decode()


def rows_of(text):
    return re.findall(r'<tr class="stick" id="r\d+">.*?</tr>', text, re.DOTALL)


@pytest.mark.parametrize("path", ["/", "/runs"])
def test_a_row_begins_with_its_suite_and_has_the_lead_of_the_best(filled, path):
    address, _, series, alone = filled
    found = rows_of(page(address, path))
    assert len(found) == 2
    for row, made in zip(found, (alone, series), strict=True):
        assert text_of(row).startswith("capitals")
        pairs = aside(benchmaker.compare, made).pairs
        pair = next(it for it in pairs if (it.model_a, it.model_b) == ("fake/strong", MODELS[2]))
        ends = f"[{100 * pair.low:.1f}, {100 * pair.high:.1f}]"
        said = text_of(row).replace("\N{NO-BREAK SPACE}", " ")
        assert f"ahead of {MODELS[2]} by {100 * pair.diff:.1f} points {ends}" in said
        assert made.summary.models[0].model == "fake/strong"
        for model in made.summary.models:
            low, high = model.ci95
            shown = re.sub(r"\s", "", said)
            assert f"{100 * model.mean:.1f}%[{100 * low:.1f},{100 * high:.1f}]" in shown
    assert f'href="/series/{series.series_id}"' in found[1]
    assert [f'href="/runs/{one}"' in found[1] for one in series.run_ids] == [True, True]
    assert "$0.18" in found[1]
    assert "180 of 180" in found[1]
    assert f"/suites/{alone.runs[0].suite_hash}/history" in found[0]
    assert MODELS[2] in re.search(r'title="([^"]*)"', found[0])[1]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("q=CAPIT", 2), ("q=strong", 2), ("q=sonnet-4", 2), ("q=geogr", 2), ("q=nothing", 0),
        ("model=strong", 2), ("model=capitals", 0), ("tag=graph", 2), ("tag=strong", 0),
        ("from=2020-01-01", 2), ("to=2020-01-01", 0), ("state=finished", 2), ("state=failed", 0),
    ],
)  # fmt: skip
def test_any_part_of_a_name_filters(filled, query, count):
    text = page(filled[0], f"/runs?{query}")
    assert len(rows_of(text)) == count
    assert ("Clear filters" in text) is True
    rows = json.loads(fetched(f"{filled[0]}/runs.json?{query}")[2])["runs"]
    assert len(rows) == count


def test_a_run_of_a_series_finds_the_series(filled):
    address, _, series, _ = filled
    (row,) = rows_of(page(address, f"/runs?q={series.run_ids[1]}"))
    assert series.series_id in row


def test_a_day_that_is_none_is_refused(filled):
    status, _, body = fetched(f"{filled[0]}/runs?from=yesterday")
    assert status == 422
    assert "Give a day as 2026-11-20." in body.decode()


def plain_row(made, runs):
    """What a row has to say of a series whose runs are equal, by arithmetic alone."""
    setups = []
    for name in sorted(RIGHT, key=RIGHT.get, reverse=True):
        share, n, z = RIGHT[name] / 30, 30, 1.959964
        middle, half = share + z**2 / (2 * n), z * sqrt(share * (1 - share) / n + (z / 2 / n) ** 2)
        ends = [(middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)]
        setups.append({
            "setup": name, "value": pytest.approx(share), "low": pytest.approx(ends[0], abs=1e-6),
            "high": pytest.approx(ends[1], abs=1e-6), "n": n, "left_out": "",
            "ended_early": "",
            "cost_usd": pytest.approx(0.03 * runs), "cost_is_lower_bound": False,
            "cost_reason": "",
        })  # fmt: skip
    return {
        "suite": "capitals", "started": made.runs[0].started_at, "run": made.run_ids[0],
        "series": made.series_id, "runs": list(made.run_ids), "models": list(MODELS),
        "setups": setups, "best": "fake/strong", "tied": 0, "metric": "accuracy",
        "total_cost_usd": pytest.approx(0.09 * runs), "total_cost_is_lower_bound": False,
        "total_cost_reason": "", "state": "finished", "done": 90 * runs,
        "planned": 90 * runs, "result": "computed",
    }  # fmt: skip


def test_files_hold_the_rows_of_the_page_with_the_figures_of_plain_arithmetic(filled):
    address, _, series, alone = filled
    found = json.loads(fetched(f"{address}/runs.json")[2])["runs"]
    shown = rows_of(page(address, "/runs"))
    for row, html, (made, runs) in zip(found, shown, ((alone, 1), (series, 2)), strict=True):
        verdict = row.pop("verdict")
        assert row == plain_row(made, runs)
        assert verdict.startswith(f"ahead of {MODELS[2]} by 33.3 points [")
        said = text_of(html).replace("\N{NO-BREAK SPACE}", " ")
        cost = f"${row['total_cost_usd']:.2f}"
        for text in (verdict, cost, f"{row['done']} of {row['planned']}"):
            assert text in said
        for setup in row["setups"]:
            figures = f"{100 * setup['value']:.1f}% [{100 * setup['low']:.1f}, "
            assert f"{figures}{100 * setup['high']:.1f}]" in said


def test_the_table_file_has_a_row_for_each_setup_with_the_numbers_of_the_objects(filled):
    address = filled[0]
    found = json.loads(fetched(f"{address}/runs.json")[2])["runs"]
    text = fetched(f"{address}/runs.csv")[2].decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    setups = [(row, setup) for row in found for setup in row["setups"]]
    for (row, setup), line in zip(setups, lines, strict=True):
        assert line.keys() == {*row, *setup} - {"setups"}
        for key, value in {**row, **setup}.items():
            if isinstance(value, bool):
                assert line[key] == str(value).lower()
            elif isinstance(value, int | float):
                assert float(line[key]) == value, key
            elif isinstance(value, str):
                assert line[key] == value
    assert len(lines) == 6
    assert "$" not in text


@pytest.mark.long
def test_an_unknown_cost_is_none_with_its_reason_in_files(tmp_path):
    def partly(request):
        known = {"fake/strong": 0, "fake/weak": 15}.get(request.model, 30)
        usd = 0.001 if int(request.case_id[1:]) < known else None
        return msgspec.structs.replace(answer(request), cost_usd=usd)

    suite = Suite("capitals", cases(), scorer="exact")
    aside(benchmaker.run, suite, provider=Scripted(partly, models=MODELS), home=tmp_path)
    with serving(tmp_path, works=False) as address:
        (row,) = json.loads(fetched(f"{address}/runs.json")[2])["runs"]
        lines = csv.DictReader(io.StringIO(fetched(f"{address}/runs.csv")[2].decode()))
        costs = {line["setup"]: line["cost_usd"] for line in lines}
    assert (row["total_cost_usd"], row["total_cost_is_lower_bound"]) == (pytest.approx(0.045), True)
    assert row["total_cost_reason"] == "unknown for 45 trials"
    keys = ("cost_usd", "cost_is_lower_bound", "cost_reason")
    assert {one["setup"]: [one[key] for key in keys] for one in row["setups"]} == {
        "fake/strong": [None, False, "no cost was reported"],
        "fake/weak": [pytest.approx(0.015), True, "15 of 30 trials known"],
        MODELS[2]: [pytest.approx(0.03), False, ""],
    }
    assert costs["fake/strong"] == ""


def test_files_have_results_where_the_page_still_computes_them(tmp_path):
    suite, provider = Suite("capitals", cases(), scorer="exact"), Scripted(answer, models=MODELS)
    for _ in range(6):
        aside(benchmaker.run, suite, provider=provider, home=tmp_path)
    with serving(tmp_path, works=False) as address:
        found = json.loads(fetched(f"{address}/runs.json")[2])["runs"]
    assert [row["best"] for row in found] == ["fake/strong"] * 6


def test_files_do_not_wait_for_large_results_and_say_so(tmp_path):
    suite, provider = Suite("capitals", cases(), scorer="exact"), Scripted(answer, models=MODELS)
    (small,) = aside(benchmaker.run, suite, provider=provider, home=tmp_path).runs
    large = msgspec.structs.replace(
        small, id="large", planned=200_000, started_at="2026-01-01T00:00:00.000Z"
    )
    with Store.open(tmp_path / STORE_FILE) as store:
        store.add_run(large)
        store.set_run_state(large.id, RunState.INTERRUPTED)
    with serving(tmp_path, works=False) as address:
        before = json.loads(fetched(f"{address}/runs.json?sort=started")[2])["runs"]
        until(lambda: b"computing" not in fetched(f"{address}/runs.json")[2])
        after = json.loads(fetched(f"{address}/runs.json")[2])["runs"][1]
    figures = ("setups", "best", "tied", "metric", "verdict", "total_cost_usd", "done")
    assert [before[0][key] for key in figures] == [None] * 7
    assert before[0]["total_cost_reason"] == "not computed yet"
    assert [row["result"] for row in before] == ["computing", "computed"]
    assert before[1]["best"] == "fake/strong"
    assert (after["run"], after["done"]) == ("large", 0)
    assert [one["value"] for one in after["setups"]] == [None] * 3


def test_an_unfinished_run_says_so_far_before_its_verdict(tmp_path):
    suite, provider = Suite("capitals", cases(), scorer="exact"), Scripted(answer, models=MODELS)
    made = aside(benchmaker.run, suite, provider=provider, home=tmp_path)
    with Store.open(tmp_path / STORE_FILE) as store:
        (run,) = made.runs
        for state in (RunState.PAUSED, RunState.INTERRUPTED):
            store.set_run_state(run.id, state)
            with serving(tmp_path, works=False) as address:
                (row,) = json.loads(fetched(f"{address}/runs.json")[2])["runs"]
                text = text_of(rows_of(page(address, "/"))[0])
            assert row["verdict"].startswith("so far, ahead of "), state
            assert "so far, ahead of" in text


def test_chosen_rows_are_compared(tab, filled):
    address, _, series, alone = filled
    tab.goto(f"{address}/runs")
    boxes = tab.get_by_role("checkbox", name="capitals", exact=True)
    assert boxes.count() == 2
    for number in range(2):
        boxes.nth(number).check()
    tab.get_by_role("button", name="Compare").click()
    tab.wait_for_load_state()
    assert series.series_id in tab.url
    assert alone.run_ids[0] in tab.url
    assert tab.locator("h1").inner_text() != "Compare runs"


def test_runs_and_setups_unfold_without_script(filled):
    text = page(filled[0], "/runs")
    assert text.count('<details class="unfold">') == 3
    assert text.count("<summary>2 runs") == 1


def test_a_line_of_a_history_ends_at_a_new_version():
    points = [
        SparkPoint(0.5, "a"), SparkPoint(0.6, "a"), SparkPoint(0.4, "b"),
        SparkPoint(0.9, "b", is_own=True),
    ]  # fmt: skip
    drawn = sparkline_svg(points)
    assert drawn.count("<line") == 2
    assert drawn.count("<circle") == 4
    assert drawn.count('class="own"') == 1
    assert sparkline_svg([]) == ""


def test_a_large_run_is_computed_aside_and_then_shown(tmp_path):
    """The page does not wait for it; the part that replaces its row asks again."""
    home = many_cases_home(tmp_path, 5_000)
    with Store.open(home / STORE_FILE) as store:
        assert store.run("many-1").planned == 15_000
    with serving(home, works=False) as address:
        first = page(address, "/runs")
        assert "Computing 1 result of 1." in first
        assert 'hx-select-oob="#r1"' in first
        text = first
        while 'id="pending"' in text:
            time.sleep(0.2)
            text = page(address, "/runs")
    (row,) = rows_of(text)
    assert "15,000 of 15,000" in row
    assert "no significant difference" in text_of(row)
