"""The history of a suite: setups over versions and dates."""

import csv
import io
import json
import re

import pytest
from click.testing import CliRunner

import benchmaker
from benchmaker import Case, Suite
from benchmaker.cli import main
from benchmaker.providers.scripted import Scripted
from benchmaker.report.plots.history_plot import HistoryPoint, Moment, history_svg
from tests.web.accessible import scrolls_sideways, violations
from tests.web.aside import aside
from tests.web.plain_figures import text_of
from tests.web.results_data import fetched, fetched_when_computed
from tests.web.serving import serving

MODELS = ("fake/weak", "fake/strong")


def suite(weight=1.0):
    cases = [Case(id=f"c{n}", prompt="?", expected="Lima") for n in range(20)]
    return Suite(
        "a/b", [cases[0].model_copy(update={"weight": weight}), *cases[1:]], scorer="exact"
    )


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """Two runs of one version and one of the next, the models not in the order of rank."""
    home = tmp_path_factory.mktemp("history")
    for number, weight in enumerate((1.0, 1.0, 2.0)):
        right = {"fake/weak": 4 + number, "fake/strong": 15 + number}
        provider = Scripted(
            lambda it, right=right: "Lima" if int(it.case_id[1:]) < right[it.model] else "x",
            models=MODELS,
        )
        made = aside(benchmaker.run, suite(weight), provider=provider, home=home)
    with serving(home, works=False) as address:
        yield address, home, made.runs[0].suite_hash


def test_the_page_has_the_values_of_the_command(history):
    address, home, content = history
    status, _, body = fetched(f"{address}/suites/{content}/history")
    assert status == 200
    text = body.decode()
    printed = CliRunner().invoke(main, ["trend", "a/b", "--json", "--home", str(home)]).stdout
    told = json.loads(printed)
    assert json.loads(fetched(f"{address}/suites/{content}/history.json")[2]) == told
    rows = list(
        csv.DictReader(io.StringIO(fetched(f"{address}/suites/{content}/history.csv")[2].decode()))
    )
    assert len(rows) == sum(len(model["points"]) for model in told["models"]) == 6
    shown = text_of(text)
    for model in told["models"]:
        for point in model["points"]:
            assert f"{100 * point['mean']:.1f}%" in shown
    assert told["sentence"] in shown


def test_the_line_is_broken_at_a_new_version(history):
    address, _, content = history
    text = fetched_when_computed(f"{address}/suites/{content}/history")
    plot = re.search(r'<svg class="plot over-time[^"]*".*?</svg></g></svg>', text, re.DOTALL)[0]
    assert plot.count('class="span"') == 2
    assert plot.count('class="change"') == 1
    assert plot.count('class="ci"') == 6


def note_of(address, content):
    text = text_of(fetched_when_computed(f"{address}/suites/{content}/history"))
    return " ".join(text.split()).partition("intervals over cases. ")[2]


def test_the_note_says_that_cases_changed(history):
    said = note_of(history[0], history[2])
    assert said.startswith("Dashed: cases changed. Where cases changed, means on both sides are ")


def test_the_note_says_that_only_prompts_changed(tmp_path):
    for prompts in (("plain",), ("plain", "short")):
        given = [{"id": one, "prompt": f"{one}: {{{{ prompt }}}}"} for one in prompts]
        cases = [Case(id=f"c{n}", prompt="?", expected="Lima") for n in range(4)]
        provider = Scripted(lambda _: "Lima", models=("m",))
        suite_with = Suite("a/b", cases, scorer="exact", prompts=given)
        made = aside(benchmaker.run, suite_with, provider=provider, home=tmp_path)
    with serving(tmp_path, works=False) as address:
        said = note_of(address, made.runs[0].suite_hash)
    assert said.startswith("Dashed: prompts changed. Both sides have the same cases. The values")


def test_an_older_version_leads_to_the_same_history(history):
    address, _, content = history
    suites = fetched(f"{address}/suites/{content}")[2].decode()
    other = next(
        one for one in re.findall(r'href="/suites/([0-9a-f]{64})"', suites) if one != content
    )
    assert (
        fetched(f"{address}/suites/{other}/history.json")[2]
        == (fetched(f"{address}/suites/{content}/history.json")[2])
    )
    assert f'href="/suites/{content}/history"' in suites


def test_an_unknown_suite_is_named(history):
    status, _, body = fetched(f"{history[0]}/suites/nope/history")
    assert status == 404
    said = " ".join(text_of(body.decode()).split())
    assert "No suite “nope” It may have been deleted, or the address is wrong. Go to Suites" in said


def test_one_run_has_no_history_and_says_why(tmp_path):
    provider = Scripted(lambda _: "Lima", models=("m",))
    aside(benchmaker.run, suite(), provider=provider, home=tmp_path)
    with serving(tmp_path, works=False) as address:
        text = fetched_when_computed(f"{address}/suites/{suite().content_hash}/history")
    assert "No history yet" in text
    assert "Run…" in text


@pytest.mark.long
@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_is_accessible_and_fits(tab, history, width):
    tab.set_viewport_size({"width": width, "height": 900})
    assert violations(tab, f"{history[0]}/suites/{history[2]}/history") == []
    assert not scrolls_sideways(tab)


@pytest.mark.long
@pytest.mark.parametrize("number", [7, 12])
def test_a_narrow_plot_shows_the_newest_result_first(tab, tmp_path, number):
    for day in range(number):
        provider = Scripted(lambda _, day=day: "Lima" if day % 2 else "x", models=("m",))
        made = aside(benchmaker.run, suite(), provider=provider, home=tmp_path)
    with serving(tmp_path, works=False) as address:
        page = f"{address}/suites/{made.runs[0].suite_hash}/history"
        fetched_when_computed(page)
        tab.set_viewport_size({"width": 320, "height": 900})
        tab.goto(page)
        box = tab.locator(".scroll").first.bounding_box()
        edge = box["x"] + box["width"]
        marks = tab.locator(".over-time .mk").all()
        first, last = marks[0].bounding_box(), marks[-1].bounding_box()
        days = [it.bounding_box() for it in tab.locator(".over-time text.day").all()]
        ticks = tab.locator(".beside-axis > svg text")
        left = tab.locator(".beside-axis").bounding_box()["x"]
        places = [it.bounding_box() for it in ticks.all()]

        assert len(marks) == number
        assert ticks.all_text_contents() == ["0", "20", "40", "60", "80", "100"]
    assert all(left <= one["x"] and one["x"] + one["width"] <= box["x"] for one in places)
    assert number > 8 or all(one is None or box["x"] <= one["x"] for one in days)
    assert last["x"] + last["width"] <= edge
    assert all(one is None or one["x"] + one["width"] <= edge for one in days)
    assert (first["x"] >= box["x"]) is (number < 8)


def test_figures_without_an_interval_have_no_line():
    moments = [Moment("2026-11-20T09:30:00Z", "a"), Moment("2026-11-21T08:00:00Z", "a")]
    points = [HistoryPoint(0, 0.5, None), HistoryPoint(1, 0.7, (0.6, 0.8))]
    drawn = history_svg(moments, [("m1", points)])
    assert drawn.count('class="ci"') == 1
    assert drawn.count("mk hollow") == 1
    assert drawn.count('class="span"') == 1


def test_results_of_one_day_have_their_times():
    days = {"2026-11-20T09:30:00Z": "11-20 09:30", "2026-11-20T10:15:00Z": "11-20 10:15"}
    drawn = history_svg([Moment(one, "a") for one in days], [])
    assert re.findall(r">([^<>]+)</text>", drawn) == list(days.values())
    drawn = history_svg([Moment("2026-11-20T09:30:00Z", "a"), Moment("2026-11-21", "a")], [])
    assert re.findall(r">([^<>]+)</text>", drawn) == ["2026-11-20", "2026-11-21"]


def test_results_of_one_minute_have_their_seconds():
    times = ["2026-11-30T14:53:01Z", "2026-11-30T14:53:09Z", "2026-11-30T15:00:00Z"]
    drawn = history_svg([Moment(one, "a") for one in times], [])
    assert re.findall(r">([^<>]+)</text>", drawn) == ["14:53:01", "14:53:09", "15:00:00"]
    times.append("2026-12-01T08:00:00Z")
    drawn = history_svg([Moment(one, "a") for one in times], [])
    assert re.findall(r">([^<>]+)</text>", drawn)[0] == "11-30 14:53:01"
