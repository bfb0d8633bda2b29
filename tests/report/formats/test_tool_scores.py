"""Rows of imported results: each table has the tool's scores."""

import csv
import json

import polars as pl
import pytest

from benchmaker import export
from benchmaker.arenas.standard.importers.importing import import_evaluations
from benchmaker.arenas.standard.importers.recognising import find_sources
from benchmaker.arenas.standard.result import run_result
from benchmaker.report.tables.trial_rows import TOOL_SCORE_NAMES
from benchmaker.store.home import Home
from tests.arenas.standard.importers.files import promptfoo_result, write_promptfoo

ROWS = [
    promptfoo_result(0),
    promptfoo_result(1, city="Rome", failure=1, score=0.25),
    promptfoo_result(2, city="Bonn", failure=2),
]


@pytest.fixture
def lines(tmp_path):
    """The rows of the JSON Lines export of an imported run, whose other exports are beside it."""
    place = Home.of(tmp_path / "home", None)
    with place.open_store() as store:
        sources = find_sources([write_promptfoo(tmp_path / "r.json", ROWS)])
        (done,) = import_evaluations(store, sources)
        result = run_result(store, done.runs, place)
    for name in ("t.jsonl", "t.csv", "t.parquet"):
        export(result, tmp_path / name)
    return [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]


NAMES = ("case_id", "passed", *TOOL_SCORE_NAMES)


def test_csv_and_parquet_have_the_columns_of_json_lines(lines, tmp_path):
    wanted = [[row[name] for name in NAMES] for row in lines]
    assert [row[1] for row in wanted] == [None, True, False]
    assert wanted[2][4] == {"promptfoo/pass": 0.0, "promptfoo/score": 0.25, "promptfoo/named": 0.25}
    with (tmp_path / "t.csv").open(newline="") as file:
        cells = [[row[name] for name in NAMES] for row in csv.DictReader(file)]
    plain = [[name, passed, *rest] for name, passed, *rest in cells]
    verdicts = {"true": True, "false": False, "": None}
    assert [[n, verdicts[p], *r, json.loads(s)] for n, p, *r, s in plain] == wanted
    typed = pl.read_parquet(tmp_path / "t.parquet").select(NAMES).rows()
    assert [[*rest, json.loads(scores)] for *rest, scores in typed] == wanted
