"""The pages and the API of a run with prompts, models and efforts."""

import csv
import io
import json
import re

import numpy as np
import pytest

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.analysis.effects.designs import a_design, setups_of, stored_design
from tests.web.results_data import fetched
from tests.web.serving import serving

HOSTILE = "<script>window.hit=1</script>"


@pytest.fixture(scope="module")
def crossed(tmp_path_factory):
    """The address of a server with a run of 3 models × 2 prompts × 2 efforts."""
    home = tmp_path_factory.mktemp("crossed")
    design, random = a_design(prompt={"few": 0.08}, effort={"high": 0.01}), np.random.default_rng(1)
    scores = design.scores(random, 60)
    costs = np.array([[0.04 if one.effort == "high" else 0.01 for one in design.setups]])
    spent = costs * random.uniform(0.9, 1.1, scores.shape)
    stored_design(home, design.setups, scores, spent)
    hostile = setups_of((HOSTILE, "b"), (f"{HOSTILE}1", f"{HOSTILE}2"))
    stored_design(home, hostile, scores[:, :4], spent[:, :4], run_id="hostile-1")
    often = np.where(np.arange(60) < 50, 0.51, 0.0)
    graded = np.column_stack([np.full(60, 0.5), often])
    stored_design(home, setups_of(("a",), ("often", "seldom"))[::-1], graded, run_id="ranks-1")
    with serving(home) as address:
        yield address


def page(address):
    status, _, body = fetched(address)
    assert status == 200, body[:500]
    return body.decode()


def data(address):
    return json.loads(fetched(address)[2])


def test_the_page_of_a_run_shows_verdict_matrix_and_effects(crossed):
    text = page(f"{crossed}/runs/dims-1?tab=pairs")
    assert "Prompt few beats plain by " in text
    assert "Prompt by model at effort low: mean (0-100), 95% CI, cost per case" in text
    assert "all prompts" in text
    assert "<h3>By effort</h3>" in text


def test_a_rank_against_the_order_of_the_means_is_explained(crossed):
    said = "Ranks count in how many cases an answer scored higher, not by how much"
    assert said in page(f"{crossed}/runs/ranks-1")
    assert said not in page(f"{crossed}/runs/ranks-1?cols=mean")
    assert said not in page(f"{crossed}/runs/dims-1?cols=mean,cost_usd")


def test_a_verdict_on_the_only_dimension_is_given_once(crossed):
    text = page(f"{crossed}/runs/ranks-1")
    banner = re.search(r'<div class="banner info">.*?</div>', text, re.DOTALL)[0]
    assert "a · seldom" in banner
    assert "rompt seldom" not in banner


def test_the_page_plots_score_against_cost_with_both_intervals(crossed):
    text = page(f"{crossed}/runs/dims-1?tab=plots")
    assert 'aria-label="Score against cost per case"' in text
    assert text.count('<g class="ends ') == 12
    assert "2 points of the best" in text.replace("2.0 points", "2 points")


def test_the_margin_of_the_page_can_be_chosen(crossed):
    text = page(f"{crossed}/runs/dims-1?margin=6")
    assert "Cheapest setup within 6.0 points of the best" in text
    assert text.index('id="h-forest"') < text.index('id="h-within"') < text.index('id="h-diff"')


@pytest.mark.parametrize("margin", ["0", "100", "x", "nan"])
def test_a_margin_out_of_range_is_refused(crossed, margin):
    status, _, body = fetched(f"{crossed}/runs/dims-1?margin={margin}")
    assert status == 422
    assert "invalid value for margin" in body.decode().lower()


def test_a_case_counts_its_setups(crossed):
    text = page(f"{crossed}/runs/dims-1/cases/0")
    assert "8 of 12 setups" in text
    assert ">Setups <svg" in text


def test_names_of_setups_are_harmless(crossed):
    assert HOSTILE not in page(f"{crossed}/runs/hostile-1")


@pytest.mark.parametrize(("table", "rows"), [("matrix", 24), ("effects", 5)])
def test_the_tables_are_files_too(crossed, table, rows):
    body = fetched(f"{crossed}/runs/dims-1/tables/{table}.csv")[2].decode()
    assert len(list(csv.DictReader(io.StringIO(body)))) == rows
    assert len(data(f"{crossed}/runs/dims-1/tables/{table}.json")[table]) == rows


def test_the_summary_has_setups_effects_and_matrix(crossed):
    found = data(f"{crossed}/api/v1/runs/dims-1/summary")
    assert {"setups", "effects", "matrix"} <= set(found)
    assert found == data(f"{crossed}/runs/dims-1.json")


def test_the_api_compares_levels(crossed):
    found = data(f"{crossed}/api/v1/compare/levels?run=dims-1&by=prompt&margin=3")
    assert {"a", "b", "diff", "low", "high", "p", "p_adj", "verdict"} <= set(found["pairs"][0])
    assert found["within_margin"]["cheapest"] == "few"
    assert found["complete"]


def test_the_api_names_the_cheapest_setup_within_a_margin(crossed):
    found = data(f"{crossed}/api/v1/compare?run=dims-1&margin=6")
    assert found["within_margin"]["cheapest"].endswith(" · few · low")


def test_the_first_paint_stays_small(crossed):
    assert len(page(f"{crossed}/runs/dims-1")) < 150_000


def test_rows_of_a_run_with_dimensions_are_called_setups(crossed):
    text = page(f"{crossed}/runs/dims-1")
    assert "<span><bdi>12 setups</bdi></span>" in text
    assert '<th scope="col">Model</th>' not in text
    assert "Case by setup" in text
    assert "more models" not in text
    assert "Cases and setups" in page(f"{crossed}/arena/dims-1")
    assert "12 setups" in page(f"{crossed}/runs")


def test_notes_count_setups(crossed):
    notes = page(f"{crossed}/runs/hostile-1?tab=settings").partition('id="h-notes"')[2]
    assert "models" not in notes


def test_the_page_of_a_case_shows_the_question_of_each_prompt(crossed):
    text = page(f"{crossed}/runs/dims-1/cases/0")
    one = re.compile(r"<h3>Prompt <bdi>(\w+)</bdi></h3>.*?<pre[^>]*><bdi>([^<]*)", re.DOTALL)
    asked = one.findall(text)
    assert asked == [("plain", "plain 0?"), ("few", "few 0?")]
    single = page(f"{crossed}/runs/dims-1/cases/0?models=0")
    assert "<h3>Prompt " not in single
    assert "plain 0?" in single
    assert "few 0?" not in single


def test_the_table_of_cases_is_by_setup(crossed, demo, demo_home):
    assert '<h2 id="h-cases">Case by setup</h2>' in page(f"{crossed}/runs/dims-1/cases")
    with Store.open(demo_home / STORE_FILE, read_only=True) as store:
        run = store.runs(limit=1)[0].id
    assert '<h2 id="h-cases">Case by model</h2>' in page(f"{demo}/runs/{run}/cases")


@pytest.mark.parametrize("width", [390, 1280])
def test_ids_of_cases_are_not_broken_within_words(tab, crossed, width):
    tab.set_viewport_size({"width": width, "height": 900})
    for path in ("/runs/dims-1/cases", "/arena/dims-1"):
        tab.goto(crossed + path)
        names = tab.locator("table tbody th bdi")
        assert names.count() > 1
        heights = names.evaluate_all("all => all.map(it => it.getClientRects().length)")
        assert set(heights) == {1}, path
