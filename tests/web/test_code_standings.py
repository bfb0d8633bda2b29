"""Standings of the Code Arena: a one-sided result, with the votes of each pair on every surface."""

import json

import pytest

from benchmaker.analysis.ratings.vote_ratings import standings
from benchmaker.arenas.code.duels import draw_pair
from benchmaker.arenas.code.voting import cast
from benchmaker.store import Store
from benchmaker.web.code.pair_grid import PairCell, pair_grid
from tests.web.code_pages import page, stored_run
from tests.web.results_data import fetched
from tests.web.serving import serving

MODELS = ("amber", "birch")
CASES = ("x", "y", "z")


@pytest.fixture
def run_id(tmp_path):
    """A run in which amber won two votes, and both pages of the third pair were bad."""
    run = stored_run(tmp_path, {name: page(name) for name in MODELS}, cases=CASES)
    with Store.open(tmp_path / "benchmaker.db") as store:
        for case in CASES:
            pair = draw_pair(run, case, MODELS, voter="local")
            best = "left" if pair.left == "amber" else "right"
            cast(store, pair, "both_bad" if case == "z" else best, voter="local")
    return run


def test_a_one_sided_result_says_what_a_rating_needs_and_counts_each_pair(run_id, tmp_path):
    with serving(tmp_path, works=False) as address:
        shown = fetched(f"{address}/code/standings?run={run_id}")[2].decode()
        listed = json.loads(fetched(f"{address}/api/v1/code/standings?run={run_id}")[2])
    assert "amber won all 2 votes against birch" in shown
    assert "vote on more of their pairs" in shown
    assert "2–0" in shown
    assert "0–2" in shown
    assert shown.count("1 both bad, n = 3") == 2
    assert listed["ranking"] is None
    assert listed["pairs"] == [
        {
            "model_a": "amber",
            "model_b": "birch",
            "n": 3,
            "wins_a": 2,
            "wins_b": 0,
            "ties": 0,
            "both_bad": 1,
        }
    ]


def test_a_grid_has_a_row_and_a_column_for_each_model_with_votes(run_id, tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as store:
        rows = pair_grid(standings(store.votes.read([run_id])))
    cells = {row.model: row.cells for row in rows}
    rest = "1 both bad, n = 3"
    assert cells == {
        "amber": (PairCell("", ""), PairCell("2–0", rest)),
        "birch": (PairCell("0–2", rest), PairCell("", "")),
    }
