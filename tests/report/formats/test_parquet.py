import io
import json

import polars as pl
import pytest

from benchmaker import Case, RunOptions, Suite, export, run
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportSubject, load_format
from benchmaker.report.tables.trial_rows import CHECK_NAMES, ROW_NAMES, TRANSCRIPT_NAMES
from benchmaker.testing.built_runs import KEY, PASSWORD, built_runs


def answer(request):
    return "7" if request.case_id == "b" else "4"


@pytest.fixture
def result(tmp_path):
    cases = [
        Case(id="a", prompt="2 + {{ n }}?", expected="4", tags=("sum",), vars={"n": 2}),
        Case(id="b", prompt="3 + 3?", expected="6", weight=2),
        Case(id="c", prompt="?", expected="8"),
    ]
    suite = Suite("s", cases, scorer="exact", efforts=("low", "high"))
    return run(
        suite,
        provider=answer,
        models=["m", "n"],
        home=tmp_path / "home",
        options=RunOptions(runs=2),
    )


def test_the_rows_are_those_of_json_lines_with_types(result, tmp_path):
    found = pl.read_parquet(export(result, tmp_path / "t.parquet"))
    lines = [
        json.loads(it)
        for it in export(result, tmp_path / "t.jsonl").read_text("utf-8").split("\n")[:-1]
    ]
    assert found.columns == [*ROW_NAMES, *CHECK_NAMES, *TRANSCRIPT_NAMES]
    assert found.schema["score"] == pl.Float64
    assert found.schema["run"] == found.schema["input_tokens"] == pl.Int64
    assert found.schema["tags"] == pl.List(pl.String)
    assert found.schema["passed"] == pl.Boolean
    rows = found.drop(*CHECK_NAMES, *TRANSCRIPT_NAMES).to_dicts()
    for row in rows:
        for name in ("vars", "extraction"):
            row[name] = row[name] and json.loads(row[name])
    assert rows == lines


def figures(path):
    """The outcome, score and answer of each trial in an export."""
    rows = pl.read_parquet(path).to_dicts()
    names = ("outcome", "score", "output")
    return {(it["run"], it["setup"], it["case_id"]): [it[name] for name in names] for it in rows}


def test_an_export_reads_back_as_recorded_answers(result, tmp_path):
    path = export(result, tmp_path / "t.parquet")
    with result.place.open_store() as store:
        suite = store.suite(result.runs[0].suite_hash)
    again = run(suite, recorded=path, home=tmp_path / "again")
    assert set(again.runs[0].models) == set(result.runs[0].models)
    first, second = (figures(export(it, tmp_path / "again.parquet")) for it in (result, again))
    assert first == second


def test_every_kind_of_run_is_written_without_secrets():
    for result in built_runs().values():
        stream = io.BytesIO()
        with result.place.open_store() as store:
            text = io.TextIOWrapper(stream, encoding="utf-8")
            load_format("parquet").write(ReportSubject(result, store, Redactor([PASSWORD])), text)
            assert not text.closed
        text.detach()
        stream.seek(0)
        written = json.dumps(pl.read_parquet(stream).to_dicts())
        assert KEY not in written
        assert PASSWORD not in written
