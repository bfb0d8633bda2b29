"""How trials ended: the page, its table, the notes and the API give one count."""

import csv
import io
import json
import re
from collections import Counter

import pytest

import benchmaker
from benchmaker.record import Outcome, Run, group_of
from benchmaker.report.runs.page import sign_of
from benchmaker.report.sentences import notes
from benchmaker.store.runs.change_feed import Cell
from benchmaker.web.arena.grid import grid_cell
from tests.web.results_data import fetched

GROUPS = ("ok", "bad", "infra", "none")
RUN = Run(
    id="r-1", suite_hash="s", suite_name="s", models=("a",), profile="robust", profile_version="2"
)


@pytest.fixture(scope="module")
def series(demo_home):
    """The series of the demo, in which an answer is truncated and others are empty."""
    return benchmaker.results(home=demo_home)


def on_the_card(page):
    """The four counts of each model, as the page prints them."""
    table = page.partition('id="h-out"')[2].partition("</table>")[0].partition("<tbody>")[2]
    rows = [row for row in table.split("<tr>") if "<bdi>" in row]
    return {
        re.search(r"<bdi>(.*?)</bdi>", row)[1]: [
            int(count.replace(",", "")) for count in re.findall(r'r num">([\d,]+)<', row)
        ]
        for row in rows
    }


def in_groups(outcomes):
    """The counts of outcomes by group."""
    found = Counter()
    for outcome, trials in outcomes.items():
        found[group_of(Outcome(outcome))] += int(trials)
    return [found[group] for group in GROUPS]


def test_the_card_counts_what_its_table_counts(demo, series):
    _, _, page = fetched(f"{demo}/series/{series.series_id}")
    _, _, table = fetched(f"{demo}/series/{series.series_id}/tables/outcomes.csv")
    by_model = {}
    for row in csv.DictReader(io.StringIO(table.decode())):
        by_model.setdefault(row["model"], {})[row["outcome"]] = row["trials"]

    assert any("truncated" in outcomes for outcomes in by_model.values())
    assert on_the_card(page.decode()) == {
        model: in_groups(outcomes) for model, outcomes in by_model.items()
    }


def test_the_card_counts_what_notes_and_the_api_count(demo, series):
    _, _, page = fetched(f"{demo}/series/{series.series_id}")
    _, _, body = fetched(f"{demo}/api/v1/runs/{series.series_id}/summary")
    ways = ("Scored 0 by the suite's policy", "Scored as received")
    (told,) = (one for one in notes.summary_notes(series.summary) if one.startswith(ways))

    for model in json.loads(body)["models"]:
        card = on_the_card(page.decode())[model["model"]]
        assert card == in_groups(model["outcomes"])
        own = " ".join(re.findall(rf"{model['model']} \(([^)]*)\)", told))
        assert card[1] == sum(int(count) for count in re.findall(r"\b(\d+) [a-z]", own))


@pytest.mark.parametrize("outcome", Outcome)
def test_each_outcome_is_counted_in_one_group(outcome):
    assert group_of(outcome) in GROUPS


@pytest.mark.parametrize(("score", "sign"), [(0.0, "bad"), (0.5, "part"), (1.0, "ok")])
@pytest.mark.parametrize("outcome", [Outcome.SCORED, Outcome.TRUNCATED])
def test_the_sign_of_an_answer_is_that_of_its_score(outcome, score, sign):
    cell = Cell(1, 1, 0, 0, outcome, score, awaits=False, attempts=1)

    assert sign_of(outcome, score) == sign
    assert grid_cell(cell, RUN).sign == sign


def test_a_truncated_answer_left_out_of_the_mean_has_no_tick():
    assert sign_of(Outcome.TRUNCATED, None) == "bad"


def test_an_empty_answer_has_the_sign_of_a_failure():
    assert sign_of(Outcome.EMPTY, 0.0) == "bad"
