"""The pages of results in a real browser: what they say, and that nothing hostile acts."""

import csv
import io
import json
import re
import shutil
import zlib
from pathlib import Path

import polars as pl
import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.plugins import list_ids
from benchmaker.report import summary_text
from tests.web.accessible import scrolls_sideways, violations
from tests.web.aside import aside
from tests.web.browser import answers_to, weight
from tests.web.results_data import (
    HOSTILE_RUNS,
    HOSTILE_SERIES,
    SECRET,
    edge_home,
    fetched,
    hostile_home,
)
from tests.web.serving import serving

FIRST_PAINT = 150_000
"""So many bytes come at most before a page is painted: the page, its styles, its scripts."""


@pytest.fixture(scope="module")
def found(demo_home):
    """The demo's series and its runs, as Python sees them."""
    return benchmaker.results(home=demo_home)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The address of a server whose every text is an attack."""
    with serving(hostile_home(tmp_path_factory.mktemp("hostile"))) as address:
        yield address


def data(address):
    return json.loads(fetched(address)[2])


def rows(address):
    _, headers, body = fetched(address)
    assert headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(body.decode())))


def pages_of(run, series, other):
    return (
        f"/runs/{run}",
        f"/series/{series}",
        f"/series/{series}?ref=1",
        f"/runs/{run}/cases",
        f"/series/{series}/cases?sort=mean",
        f"/runs/{run}/cases/0",
        f"/runs/{run}/cases/1?diff=1&runs=this",
        f"/runs/{run}/trials/0-0",
        f"/runs/{run}/trials/1-1?diff=expected",
        f"/compare?runs={run}",
        f"/compare?runs={run},{other}",
        f"/compare?runs={run},{other}&ref=1&only=changed",
    )


HOSTILE_PAGES = pages_of(HOSTILE_RUNS[0], HOSTILE_SERIES, HOSTILE_RUNS[1])


OTHERS = (2, 4, 6, 8, 9, 11)
"""Pages that another one looks much like."""


@pytest.mark.long
@pytest.mark.parametrize("number", range(12))
def test_axe_finds_nothing(tab, demo, found, number):
    path = pages_of(found.run_ids[0], found.series_id, found.run_ids[1])[number]

    assert violations(tab, demo + path) == []


@pytest.mark.parametrize("path", HOSTILE_PAGES)
def test_nothing_hostile_acts(tab, hostile, path):
    tab.on("dialog", lambda dialog: tab.complaints.append(dialog.message))
    for width in (1440, 375):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(hostile + path)
        assert not scrolls_sideways(tab), f"{width}: the page scrolls sideways"

    assert tab.title() != "owned"
    assert tab.locator("main iframe, main script, main img, main [onload]").count() == 0
    assert SECRET not in tab.content()
    assert all(
        href.startswith(("/", "#")) for href in tab.locator("a").evaluate_all(
            "links => links.map(link => link.getAttribute('href'))"
        )
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("path", ["/runs/hostile-1", "/runs/hostile-1/cases/0"])
def test_axe_finds_nothing_amid_hostile_text(tab, hostile, path):
    assert violations(tab, hostile + path) == []


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.long) if at in OTHERS else path
     for at, path in enumerate(HOSTILE_PAGES)],
)  # fmt: skip
def test_the_first_paint_is_light(tab, hostile, path):
    came = answers_to(tab)
    tab.goto(hostile + path)

    assert weight(came) < FIRST_PAINT
    assert len(came) <= 7


def test_the_page_of_a_series_says_what_the_command_says(tab, demo, found):
    tab.goto(f"{demo}/series/{found.series_id}")
    text = tab.locator("main").inner_text()

    for model in found.summary.models:
        assert f"{100 * model.mean:.1f}" in text
    assert "not significant" in text
    (sentence,) = re.findall(r"(?s)[^.]+ groups differ; at least .+?\.", summary_text(found))
    assert " ".join(sentence.split()) in text
    assert tab.get_by_role("link", name="Run 3").count() == 1


def test_the_reference_is_chosen_and_stays_in_the_address(tab, demo, found):
    tab.goto(f"{demo}/runs/{found.run_ids[0]}")
    tab.get_by_label("Reference").select_option("2")
    tab.get_by_role("button", name="Show").click()
    tab.wait_for_load_state()

    assert tab.url.endswith("?ref=2")
    rows = tab.locator("[aria-labelledby=h-forest] tbody tr")
    own = rows.filter(has_text="illustrative-c")
    assert own.locator("td").filter(has_text="reference").count() > 0
    assert "from illustrative-c" in tab.locator("main").inner_text()
    tab.get_by_role("link", name="Plots").click()
    tab.wait_for_load_state()
    assert "ref=2" in tab.url
    assert "illustrative-c" in tab.locator("#h-diff").inner_text()


def test_the_summary_is_the_one_of_the_command(demo, found):
    told = data(f"{demo}/series/{found.series_id}.json")

    assert told["run_ids"] == list(found.run_ids)
    assert [model["mean"] for model in told["models"]] == [
        model.mean for model in found.summary.models
    ]


@pytest.mark.parametrize("table", ["means", "runs", "differences", "ranks", "outcomes"])
def test_tables_answer_as_csv_and_json(demo, found, table):
    base = f"{demo}/series/{found.series_id}/tables/{table}"
    as_json = data(f"{base}.json")[table]

    assert len(rows(f"{base}.csv")) == len(as_json) > 0


@pytest.mark.parametrize("form", list_ids("format"))
def test_a_run_is_exported_as_a_file(demo, found, form):
    _, headers, body = fetched(f"{demo}/runs/{found.run_ids[0]}/export/{form}")

    assert headers["content-disposition"].startswith("attachment;")
    assert b"illustrative-a" in body


def test_a_run_is_exported_as_parquet_with_types(demo, found):
    _, headers, body = fetched(f"{demo}/series/{found.series_id}/export/parquet")

    assert headers["content-type"] == "application/vnd.apache.parquet"
    assert headers["content-disposition"].endswith('.parquet"')
    exported = pl.read_parquet(io.BytesIO(body))
    assert exported.schema["score"] == pl.Float64
    lines = fetched(f"{demo}/series/{found.series_id}/export/jsonl")[2].splitlines()
    assert exported["output"].to_list() == [json.loads(line)["output"] for line in lines]


def test_the_list_of_exports_offers_parquet(tab, demo, found):
    tab.goto(f"{demo}/runs/{found.run_ids[0]}")
    link = tab.locator('a[href$="/export/parquet"]')
    tab.locator("details", has=link).locator("summary").click()
    with tab.expect_download() as download:
        link.click()
    assert download.value.suggested_filename.endswith(".parquet")


def test_cases_are_sorted_by_mean_and_lead_to_trials(tab, demo, found):
    tab.goto(f"{demo}/runs/{found.run_ids[0]}")
    tab.get_by_role("link", name="All cases").click()
    tab.wait_for_load_state()
    means = [float(it) for it in tab.locator("td.mean").all_inner_texts()]
    assert means == sorted(means)

    tab.locator("table.heat td a").first.click()
    tab.wait_for_load_state()
    assert re.search(r"/trials/\d+-\d+$", tab.url)
    assert tab.get_by_role("heading", name="Score explained").count() == 1


def test_filtering_cases_by_name(tab, demo, found):
    tab.goto(f"{demo}/runs/{found.run_ids[0]}/cases")
    tab.get_by_label("Question or answer contains").fill("TAX-TOTAL")
    tab.get_by_role("button", name="Filter").click()
    tab.wait_for_load_state()

    assert tab.locator("table.heat tbody th").all_inner_texts() == ["tax-total"]


def test_a_case_shows_distinct_answers_once_and_marks_differences(tab, demo, found):
    tab.goto(f"{demo}/runs/{found.run_ids[0]}/cases/13")
    assert "this answer in 2 of 3 runs" in tab.locator("main").inner_text()
    assert tab.locator("pre del, pre ins").count() == 0
    assert set(tab.locator("pre mark").all_inner_texts()) <= {"yes", "no", "Yes", "No"}
    assert tab.locator("pre mark").count() >= 4

    tab.get_by_text("Explain").first.click()
    tab.wait_for_load_state()
    assert tab.locator("#m0 details[open].drawer li").count() > 0

    tab.locator("h1").click()
    tab.keyboard.press("d")
    tab.wait_for_url("**diff=expected*")
    assert tab.locator("pre del").count() > 0
    tab.keyboard.press("j")
    tab.wait_for_url("**/cases/14?diff=expected*")


def test_a_trial_says_everything(tab, hostile):
    tab.goto(f"{hostile}/runs/hostile-1/trials/0-0")

    heads = tab.locator("h2").all_inner_texts()
    assert heads == [
        "Question", "Expected", "Answer", "Score explained", "Notes and labels", "Requests",
        "Score versions", "Judge replies",
    ]  # fmt: skip
    assert tab.locator("table").nth(1).locator("tbody tr").count() == 2


def test_runs_are_chosen_and_compared_with_a_baseline(tab, demo, found):
    tab.goto(f"{demo}/runs/{found.run_ids[0]}")
    tab.get_by_role("link", name="Compare runs").click()
    tab.get_by_label(found.run_ids[1]).check()
    tab.get_by_role("button", name="Compare").click()
    changed = tab.get_by_role("link", name="Changed")
    changed.click()
    tab.wait_for_load_state()

    assert "only=changed" in tab.url
    texts = tab.locator("table.heat tbody tr").first.locator("td").all_inner_texts()
    assert any(text.startswith(("−", "+")) for text in texts)
    assert data(tab.url + "&form=json")["differences"]


def test_runs_of_different_suites_are_not_compared(tmp_path, demo_home, tab, found):
    home = Path(shutil.copytree(demo_home, tmp_path / "home"))
    hostile_home(home)
    with serving(home) as address:
        tab.goto(f"{address}/compare?runs={found.run_ids[0]},hostile-1")
        assert tab.locator("h1").inner_text() == "These runs have different suites"
        assert f"{found.run_ids[0]} (office-desk), hostile-1 (" in tab.locator("main").inner_text()
    tab.complaints.clear()  # the browser reports the status of the page


def test_scoring_anew_from_the_page(tab, home, found):
    run = found.run_ids[0]
    with serving(home) as address:
        tab.goto(f"{address}/runs/{run}")
        before = data(f"{address}/runs/{run}.json")
        tab.get_by_text("Rescore").first.click()
        tab.get_by_label("Profile").select_option("classic")
        tab.get_by_role("button", name="Rescore").click()
        tab.get_by_text("Rescored: profile classic").wait_for()
        after = data(f"{address}/runs/{run}.json")
        versions = data(f"{address}/runs/{run}/trials/0-0.json")["versions"]

    assert (before["profile"], after["profile"]) == ("robust", "classic")
    assert [one["version"] for one in versions] == [2, 1]


def test_scoring_anew_says_what_went_wrong(tab, home, found):
    run = found.run_ids[0]
    with serving(home) as address:
        tab.goto(f"{address}/runs/{run}")
        tab.get_by_text("Rescore").first.click()
        tab.get_by_label("Scorer for cases without their own").select_option("llm_judge")
        tab.get_by_role("button", name="Rescore").click()
        tab.wait_for_load_state()
        assert tab.locator("[role=alert], [role=status]").count() >= 1


def test_what_is_not_there_is_not_found(tab, demo, found):
    run = found.run_ids[0]
    for path in (
        "/runs/nobody", "/series/nobody", f"/runs/{run}/cases/999", f"/runs/{run}/trials/0-99",
        f"/runs/{run}/tables/nothing.csv", f"/runs/{run}/export/exe",
    ):  # fmt: skip
        assert tab.goto(demo + path).status == 404, path
    for path in (f"/runs/{run}?ref=99", f"/runs/{run}/cases?sort=nothing", "/compare?runs=zz,yy"):
        assert tab.goto(demo + path).status == 422, path
    tab.complaints.clear()  # the browser reports each status


@pytest.fixture(scope="module")
def edge(tmp_path_factory):
    """The address of a server over runs that lack something, or have much of it."""
    with serving(edge_home(tmp_path_factory.mktemp("edge"))) as address:
        yield address


EDGES = (
    *(f"/runs/{run}" for run in ("empty", "single", "lost", "none", "many")),
    *(f"/runs/{run}/cases" for run in ("empty", "lost", "none", "many")),
    *(f"/runs/{run}/cases/0" for run in ("empty", "lost", "none", "many")),
    "/runs/single/cases/1",
    "/runs/single/trials/1-0?diff=expected",
    "/runs/lost/trials/0-1",
    "/runs/many/cases?cols=m30,m31",
    "/compare?runs=empty,single",
    "/compare?runs=empty,none",
    "/compare?runs=many,single",
    "/runs/empty?unknown=1",
)


@pytest.mark.parametrize("path", EDGES)
def test_runs_at_the_edges_have_pages_of_a_usual_size(tab, edge, path):
    came = answers_to(tab)
    tab.set_viewport_size({"width": 375, "height": 900})

    assert tab.goto(edge + path).status == 200
    assert not scrolls_sideways(tab)
    assert weight(came) < FIRST_PAINT


def test_long_texts_are_not_compared_and_can_be_had_whole(tab, edge):
    tab.goto(f"{edge}/runs/single/trials/1-0?diff=expected")

    assert "No diff: the text has more than 200,000 characters" in tab.locator("main").inner_text()
    _, headers, body = fetched(f"{edge}/runs/single/trials/1-0/answer.txt")
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert body == b"z" * 400_000


def test_a_case_without_a_number_is_not_found_and_leads_to_the_list(edge):
    status, _, body = fetched(f"{edge}/runs/single/cases/tax-total")
    assert status == 404
    assert b"Page not found" in body
    assert b'<a href="/runs/single/cases">Go to the cases of the run</a>' in body
    assert fetched(f"{edge}/runs/single/trials/first-0")[0] == 404
    assert fetched(f"{edge}/suites/nothing/cases/x")[0] == 404


def test_wrong_places_and_words_are_refused(edge):
    for path in (
        "/runs/single/cases?after=zzz", "/compare?runs=many,single&ref=-1",
        "/compare?runs=many,single&after=abc", "/runs/many?ref=1e3",
        "/runs/many/cases/0?models=99", "/runs/many/cases/0?diff=nobody",
    ):  # fmt: skip
        assert fetched(edge + path)[0] == 422, path


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The address of a run with grades, of models with long names."""
    home = tmp_path_factory.mktemp("graded")
    names = ["a-model-with-a-rather-long-name-70b", "another-model-with-a-long-name"]
    cases = [benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(12)]
    suite = benchmaker.Suite("cities", cases, scorer="exact", profile="robust", grades=True)
    said = ["Lima", "Limas", "Quito", "Lima."]
    made = aside(
        benchmaker.run,
        suite,
        provider=lambda it: said[(len(it.model) + int(it.case_id[1:])) % 4],
        models=names,
        home=home,
    )
    with serving(home) as address:
        yield f"{address}/runs/{made.run_ids[0]}"


LONG_NAMES = (
    "openrouter/anthropic/claude-sonnet-4.5-20250929",
    "openrouter/meta-llama/llama-4-maverick-17b-128e-instruct",
    "openrouter/google/gemini-2.5-flash-preview-09-2025",
)


@pytest.fixture(scope="module")
def long_named(tmp_path_factory):
    """A server with two runs of right and wrong answers by models with the names of a gateway."""
    home = tmp_path_factory.mktemp("long")
    cases = [benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(12)]
    suite = benchmaker.Suite("cities", cases, scorer="exact", profile="robust")
    made = aside(
        benchmaker.run,
        suite,
        provider=lambda it: ["Lima", "Quito"][zlib.crc32(f"{it.model}{it.case_id}".encode()) % 2],
        models=LONG_NAMES,
        home=home,
        options=RunOptions(runs=2),
    )
    with serving(home) as address:
        yield address, made.run_ids


@pytest.mark.parametrize("width", [1024, 1280, 1600])
def test_long_names_cut_no_table(tab, long_named, width):
    address, runs = long_named
    pages = {
        f"/runs/{runs[0]}": ("h-forest", "h-out"),
        f"/runs/{runs[0]}?tab=plots": ("h-diff", "h-ranks"),
        f"/compare?runs={','.join(runs)}&ref=1": ("h-means", "h-diff"),
    }
    tab.set_viewport_size({"width": width, "height": 900})
    for page, tables in pages.items():
        tab.goto(address + page)
        for table in tables:
            shown = tab.locator(f"[role=group][aria-labelledby={table}]").first
            assert shown.evaluate("it => it.scrollWidth <= it.clientWidth"), (page, table)


@pytest.mark.parametrize("width", [1024, 1300, 1600])
def test_every_column_of_the_figures_per_model_is_seen(tab, graded, width):
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(graded)
    table = tab.locator("[role=group][aria-labelledby=h-forest]")
    assert "Strict" in table.inner_text()
    assert table.evaluate("it => it.scrollWidth <= it.clientWidth")
