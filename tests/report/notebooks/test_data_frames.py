"""Data frames have the columns and the figures of the files, typed, with nulls for gaps."""

import csv
import io
import json
import math
import subprocess
import sys

import polars as pl
import pyarrow as pa
import pytest

from benchmaker import SpecError, export
from benchmaker.errors import PrerequisiteError
from benchmaker.report.notebooks.frame_tables import table_of, tables_of
from benchmaker.report.result_tables.comparisons import COMPARED_MODELS, PAIRS, PairsView
from benchmaker.report.result_tables.means import write_summary_csv
from benchmaker.report.tables.column_kinds import ColumnKind
from tests.report.notebooks.results import KEY, results

NAMES = ["RunResult", "Comparison", "LevelComparison", "Ranking", "BaselineGate", "Board", "Trend"]
TYPES = {
    ColumnKind.TEXT: str,
    ColumnKind.INTEGER: int,
    ColumnKind.NUMBER: float,
    ColumnKind.BOOLEAN: bool,
    ColumnKind.TEXTS: list,
}
LIBRARIES = ("polars", "pandas", "pyarrow")


@pytest.fixture(scope="module", params=NAMES)
def result(request):
    return results()[request.param]


def plain(frame):
    """The rows of a frame of any library as plain data."""
    if isinstance(frame, pl.DataFrame):
        return frame.to_dicts()
    if isinstance(frame, pa.Table):
        return frame.to_pylist()
    records = frame.astype(object).where(frame.notna(), None)
    return records.to_dict("records")


def test_all_libraries_hold_the_same_rows(result):
    for name in tables_of(result):
        read = table_of(result, name)
        rows = [{key: row.get(key) for key in read.kinds} for row in read.rows]
        for frame in (result.to_polars(name), result.to_arrow(name), result.to_pandas(name)):
            assert plain(frame) == rows, (name, type(frame))


def test_the_first_table_is_the_default(result):
    first = next(iter(tables_of(result)))
    assert result.to_polars().equals(result.to_polars(first))


def test_types_do_not_depend_on_the_rows(result):
    for name in tables_of(result):
        frame = result.to_polars(name)
        for column, kind in table_of(result, name).kinds.items():
            values = frame[column].drop_nulls().to_list()
            expected = TYPES[kind]
            assert {type(one) for one in values} <= {expected}, (name, column)


def test_trials_are_those_of_the_parquet_export(tmp_path):
    result = results()["RunResult"]
    written = pl.read_parquet(export(result, tmp_path / "t.parquet"))
    assert result.to_polars().equals(written)
    assert result.to_polars().schema == written.schema
    assert KEY not in json.dumps(plain(result.to_arrow()))


def cells(text):
    return list(csv.DictReader(io.StringIO(text)))


def as_cell(value):
    """A value of a frame as CSV has it."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_means_are_those_of_the_csv_export():
    result, text = results()["RunResult"], io.StringIO(newline="")
    write_summary_csv(result.summary, text)
    found = plain(result.to_polars("means"))
    assert [{key: as_cell(one) for key, one in row.items()} for row in found] == cells(
        text.getvalue()
    )


def test_means_are_those_of_a_plain_computation_over_the_trials():
    result = results()["RunResult"]
    trials = result.to_polars().filter(pl.col("score").is_not_null())
    for row in plain(result.to_polars("means")):
        own = trials.filter(pl.col("setup") == row["model"])
        by_case = own.group_by("case_id").agg(pl.col("score").mean(), pl.col("weight").first())
        mean = (by_case["score"] * by_case["weight"]).sum() / by_case["weight"].sum()
        assert math.isclose(row["mean"], mean)


def test_pairs_and_models_of_a_comparison_are_its_records():
    made = results()["Comparison"]
    for name, table, of in (
        ("differences", PAIRS, PairsView(made)),
        ("compared", COMPARED_MODELS, made),
    ):
        rows = [json.loads(json.dumps(row)) for row in table.records(of)]
        found = plain(made.to_polars(name))
        assert [row["mean" if name == "compared" else "diff"] for row in found] == [
            row["mean" if name == "compared" else "diff"] for row in rows
        ]
        assert list(found[0]) == list(table.keys)


def test_figures_are_those_of_the_command():
    result = results()["RunResult"]
    said = export(result, form="summary")  # the bytes of ``results --json``
    models = {one["model"]: one for one in json.loads(said)["models"]}
    for row in plain(result.to_polars("means")):
        model = models[row["model"]]
        assert row["mean"] == model["mean"]
        assert [row["ci95_low"], row["ci95_high"]] == model["ci95"]
        assert row["n_cases"] == model["n_cases"]


def test_missing_figures_are_null():
    row = plain(results()["RunResult"].to_polars("means"))[0]
    assert row["cost_usd"] is None
    assert row["reasoning_tokens"] is None


def test_an_unknown_table_is_refused_with_the_known_ones():
    with pytest.raises(SpecError, match=r"no table 'mean' in a RunResult.*'means'.*trials, means"):
        results()["RunResult"].to_polars("mean")


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_missing_library_is_named_with_the_command_that_installs_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    method = {"pyarrow": "to_arrow"}.get(name, f"to_{name}")
    with pytest.raises(PrerequisiteError, match=f"{name} is not installed") as caught:
        getattr(results()["RunResult"], method)()
    assert "pip install" in caught.value.hint


def test_libraries_are_imported_in_the_call_alone():
    code = (
        "import sys, benchmaker; benchmaker.run; benchmaker.compare; benchmaker.gate;"
        f"print([it for it in {LIBRARIES} if it in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
