"""The columns of checks in CSV and Parquet, which read back as recorded answers."""

import csv
import json

import polars as pl
import pytest

from benchmaker import Suite, export, run
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion

CHECKS = [
    {"type": "contains", "value": "=a", "metric": "form"},
    {"type": "exact", "not": True, "weight": 0},
    {"type": "latency", "max": 5, "weight": 0},
]


@pytest.fixture
def result(tmp_path):
    cases = [
        {"id": "a", "prompt": "p", "expected": "x"},
        {"id": "b", "prompt": "p", "expected": "=a", "checks": [{"type": "cost", "max": 1}]},
        {"id": "c", "prompt": "p", "expected": "x", "checks": ["exact"], "checks_only": True},
        {"id": "d", "prompt": "p", "expected": "x"},
    ]
    texts = {"a": "=a", "b": "=a", "c": "y", "d": '\n- b,"c"'}
    said = Scripted(lambda asked: Completion(text=texts[asked.case_id]), models=("m",))
    return run(Suite("s", cases, checks=CHECKS), provider=said, home=tmp_path / "home")


def _csv(path):
    """The verdict and the checks of each case in a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        it["case_id"]: (json.loads(it["passed"] or "null"), json.loads(it["checks"])) for it in rows
    }


def _parquet(path):
    rows = pl.read_parquet(path).to_dicts()
    return {it["case_id"]: (it["passed"], json.loads(it["checks"])) for it in rows}


def _lines(path):
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {it["case_id"]: (it["passed"], it["checks"]) for it in rows}


READERS = {"csv": _csv, "parquet": _parquet, "jsonl": _lines}


def _read(result, path):
    return READERS[path.suffix[1:]](export(result, path))


def test_every_table_has_the_verdicts_of_the_record(result, tmp_path):
    verdicts = {it.case_id: it.score.verdict for it in result.trials()}
    assert verdicts == {"a": True, "b": None, "c": False, "d": False}
    first, second, third = (_read(result, tmp_path / f"t.{suffix}") for suffix in READERS)
    assert first == second == third
    assert {name: passed for name, (passed, _) in first.items()} == verdicts


@pytest.mark.parametrize("suffix", READERS)
def test_a_table_reads_back_as_recorded_answers(result, tmp_path, suffix):
    path = export(result, tmp_path / f"t.{suffix}")
    with result.place.open_store() as store:
        suite = store.suite(result.runs[0].suite_hash)
    again = run(suite, recorded=path, home=tmp_path / "again")
    for one in READERS:
        table = f"again.{one}"
        before = _read(result, tmp_path / table)
        assert _read(again, tmp_path / table) == before


def test_other_scorers_leave_the_columns_empty(tmp_path):
    case = {"id": "a", "prompt": "p", "expected": "x"}
    said = Scripted(lambda _: Completion(text="x"), models=("m",))
    made = run(Suite("s", [case], scorer="exact"), provider=said, home=tmp_path / "home")
    with export(made, tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["passed"], row["checks"]) == ("", "")
