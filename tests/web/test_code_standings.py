"""Standings of the Code Arena: a one-sided result, with the votes of each pair on every surface."""

import json

import pytest
from click.testing import CliRunner

from benchmaker.analysis.ratings.vote_ratings import standings
from benchmaker.arenas.code.duels import draw_pair
from benchmaker.arenas.code.voting import cast
from benchmaker.cli import main
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


def _votes_on_prompts(home, texts):
    """Runs of one case of the same id, each with votes of two people; returns their ids."""
    found = []
    for text in texts:
        answers = {name: page(name) for name in MODELS}
        run = stored_run(home, answers, cases=("page",), prompt=text)
        with Store.open(home / "benchmaker.db") as store:
            for voter, pick in (("ann", "left"), ("bob", "right"), ("cyd", "tie")):
                cast(store, draw_pair(run, "page", MODELS, voter=voter), pick, voter=voter)
        found.append(run)
    return found


@pytest.mark.long
def test_runs_with_one_case_id_have_as_many_prompts_as_texts_everywhere(tmp_path, monkeypatch):
    texts = ["A clock.", "A counter.", "A list.", "A clock."]
    runs = _votes_on_prompts(tmp_path, texts)
    monkeypatch.setenv("BENCHMAKER_HOME", str(tmp_path))
    told = json.loads(CliRunner().invoke(main, ["code", "rate", "--json", *runs]).stdout)
    with serving(tmp_path, works=False) as address:
        named = ",".join(runs)
        shown = fetched(f"{address}/code/standings?run={named}")[2].decode()
        query = "&".join(f"run={run}" for run in runs)
        listed = json.loads(fetched(f"{address}/api/v1/code/standings?{query}")[2])
    assert (told["prompts"], listed["prompts"]) == (3, 3)
    assert "12 votes by 3 voters on 3 prompts" in shown
    assert (told["ranking"]["n_prompts"], told["ranking"]["cluster"]) == (3, "both")
    assert listed["ranking"] == told["ranking"]


def test_a_grid_has_a_row_and_a_column_for_each_model_with_votes(run_id, tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as store:
        rows = pair_grid(standings(store.votes.read([run_id])))
    cells = {row.model: row.cells for row in rows}
    rest = "1 both bad, n = 3"
    assert cells == {
        "amber": (PairCell("", ""), PairCell("2–0", rest)),
        "birch": (PairCell("0–2", rest), PairCell("", "")),
    }
