"""The table at the head of a run's page: columns, order, reference; and its tabs."""

import csv
import io
import re

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.providers.base import Completion
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Usage
from tests.web.aside import aside
from tests.web.plain_figures import cells_of, text_of
from tests.web.results_data import fetched
from tests.web.serving import serving

MODELS = ("fake/weak", "fake/strong", "fake/middle")
RIGHT = {"fake/weak": 6, "fake/strong": 24, "fake/middle": 15}
TABS = ("cases", "categories", "pairs", "plots", "settings")


def answer(request):
    is_right = int(request.case_id[1:]) < RIGHT[request.model]
    rank = MODELS.index(request.model)
    return Completion(
        text="Lima" if is_right else "Quito",
        cost_usd=0.001 * (3 - rank),
        usage=Usage(input_tokens=100, output_tokens=10 * (1 + rank)),
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    home = tmp_path_factory.mktemp("overview")
    asked = [
        Case(id=f"c{n}", prompt="?", expected="Lima", category=("south", "north")[n % 2])
        for n in range(24)
    ]
    made = aside(
        benchmaker.run,
        Suite("cities", asked, scorer="exact"),
        provider=Scripted(answer, models=MODELS),
        home=home,
        options=RunOptions(runs=2),
    )
    with serving(home, works=False) as address:
        yield address, made


def table(filled, query=""):
    address, made = filled
    body = fetched(f"{address}/series/{made.series_id}{query}")[2].decode()
    heads, *rows = cells_of(body, 'id="h-forest"')
    return body, heads, {row[0]: dict(zip(heads, row, strict=True)) for row in rows}


@pytest.mark.long
def test_differences_over_fewer_cases_than_means_say_so(filled, tmp_path):
    def partly(request):
        if request.model == "fake/weak" and int(request.case_id[1:]) >= 20:
            raise ConnectionRefusedError
        return answer(request)

    asked = [Case(id=f"c{n}", prompt="?", expected="Lima") for n in range(24)]
    made = aside(
        benchmaker.run,
        Suite("cities", asked, scorer="exact"),
        provider=Scripted(partly, models=MODELS[:2]),
        home=tmp_path,
    )
    with serving(tmp_path, works=False) as address:
        text = text_of(fetched(f"{address}/runs/{made.run_ids[0]}")[2].decode())
    assert "Difference: paired by case, over 20 of 24 cases, from fake/strong" in text
    assert "Difference: paired by case, from" in text_of(table(filled)[0])


def test_one_table_has_each_setups_figures_with_their_intervals(filled):
    _, made = filled
    _, heads, rows = table(filled)
    assert list(rows) == ["fake/strong", "fake/middle", "fake/weak"]
    assert heads[2:] == [
        "Accuracy 95% CI", "Difference Holm-adjusted CI, 3 pairs", "Verdict", "Rank, 95% CI",
        "Cost", "Tokens, in / out",
    ]  # fmt: skip
    compared = {it.model_b: it for it in aside(benchmaker.compare, made).pairs}
    for model in made.summary.models:
        row, (low, high) = rows[model.model], model.strict_ci95
        figure = f"{100 * model.strict_accuracy:.1f}% [{100 * low:.1f}, {100 * high:.1f}]"
        assert row["Accuracy 95% CI"] == figure
        assert row["Tokens, in / out"] == f"{model.input_tokens:,} / {model.output_tokens:,}"
    assert rows["fake/strong"]["Verdict"] == "reference"
    pair = next(
        it for it in aside(benchmaker.compare, made).pairs
        if (it.model_a, it.model_b) == ("fake/strong", "fake/weak")
    )  # fmt: skip
    assert compared
    ends = f"[\u2212{100 * pair.high:.1f}, \u2212{100 * pair.low:.1f}]"
    shown = rows["fake/weak"]["Difference Holm-adjusted CI, 3 pairs"]
    assert shown == f"\u2212{100 * pair.diff:.1f} {ends}"
    assert rows["fake/weak"]["Verdict"] == "lower"


def test_another_reference_turns_the_differences(filled):
    _, _, rows = table(filled, "?ref=0")
    assert rows["fake/weak"]["Verdict"] == "reference"
    assert rows["fake/strong"]["Verdict"] == "higher"
    assert rows["fake/strong"]["Difference Holm-adjusted CI, 3 pairs"].startswith("+")


def test_the_reader_chooses_columns_and_order(filled):
    body, heads, rows = table(filled, "?cols=cost_usd,sd&sort=cost_usd")
    assert heads[2:] == ["SD, runs", "Cost"] or heads[2:] == ["Cost", "SD, runs"]
    assert list(rows) == ["fake/middle", "fake/strong", "fake/weak"]
    assert 'aria-sort="ascending"' in body
    assert "cols=" in re.search(r'<a href="([^"]*)"><bdi>Rank', body)[1]
    assert list(table(filled, "?sort=-cost_usd")[2]) == ["fake/weak", "fake/strong", "fake/middle"]
    assert fetched(f"{filled[0]}/series/{filled[1].series_id}?cols=colour")[0] == 422


def test_the_file_has_the_figures_of_the_page(filled):
    address, made = filled
    text = fetched(f"{address}/series/{made.series_id}/tables/overview.csv")[2].decode()
    rows = {row["model"]: row for row in csv.DictReader(io.StringIO(text))}
    for model in made.summary.models:
        assert float(rows[model.model]["strict_accuracy"]) == model.strict_accuracy
    assert rows["fake/strong"]["diff"] == ""
    assert rows["fake/weak"]["verdict"] == "lower"
    assert float(rows["fake/weak"]["diff_high"]) < 0


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_is_a_link_and_its_content_stands_once(filled, tab):
    body, _, _ = table(filled, f"?tab={tab}")
    marked = re.search(r'<nav class="tabs".*?</nav>', body, re.DOTALL)[0]
    assert re.findall(r">(\w+)</a>", marked) == [one.capitalize() for one in TABS]
    assert re.search(r'aria-current="page">(\w+)<', marked)[1] == tab.capitalize()
    ids = re.findall(r' id="([^"]+)"', body)
    assert len(ids) == len(set(ids))
    own = {
        "cases": {"h-heat", "h-out", "h-repeats", "h-spread"}, "categories": {"h-groups"},
        "pairs": {"h-comp"}, "plots": {"h-within", "h-diff", "h-ranks", "h-heat"},
        "settings": {"h-set"},
    }  # fmt: skip
    everything = set.union(*own.values())
    assert everything & set(ids) == own[tab]


def test_categories_are_those_of_the_summary(filled):
    body, _, _ = table(filled, "?tab=categories")
    shown = text_of(body[body.index('id="h-groups"') :])
    assert "north" in shown
    assert "south" in shown
    none = text_of(table(filled, "?tab=categories&by=difficulty")[0])
    assert "No difficulties." in none


def test_the_page_is_short_and_says_its_cost_once(tab, filled):
    address, made = filled
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(f"{address}/series/{made.series_id}?tab=pairs")
    assert tab.evaluate("document.documentElement.scrollHeight") < 1600
    assert tab.locator(".totals .tile").count() == 2


def test_columns_are_chosen_without_script(tab, filled):
    address, made = filled
    tab.goto(f"{address}/series/{made.series_id}")
    tab.locator("summary", has_text="Columns").click()
    tab.locator(".picks a", has_text="Rank").click()
    tab.wait_for_load_state()
    assert "cols=" in tab.url
    heads = tab.locator("[aria-labelledby=h-forest] thead").inner_text()
    assert "Rank" not in heads
    assert "Cost" in heads
