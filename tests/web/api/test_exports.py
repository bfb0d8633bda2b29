"""Runs exported over the API: the files of the command line, byte for byte where they are text."""

import io
import json
import sys

import polars as pl
import pytest

import benchmaker
from tests.web.api.reading import places
from tests.web.aside import aside
from tests.web.results_data import fetched

FORMS = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


def exported(api, name, form):
    answer = api.ask("GET", f"/runs/{name}/export.{form}")
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"].partition(";")[0] == FORMS[form]
    assert f'filename="{name}.{form}"' in answer.headers["content-disposition"]
    return answer.body


@pytest.mark.parametrize("name", ["run", "series"])
@pytest.mark.parametrize("form", sorted(set(FORMS) - {"parquet"}))
def test_an_export_is_the_file_of_the_command(api, full_home, tmp_path, name, form):
    named = places(api)[name]
    path = tmp_path / f"out.{form}"
    aside(benchmaker.export, named, path, home=full_home)
    assert exported(api, named, form) == path.read_bytes()


@pytest.mark.parametrize("name", ["run", "series"])
def test_parquet_holds_the_rows_of_json_lines_with_types(api, name):
    named = places(api)[name]
    table = pl.read_parquet(io.BytesIO(exported(api, named, "parquet")))
    rows = [json.loads(line) for line in exported(api, named, "jsonl").splitlines()]
    assert table.height == len(rows) > 0
    assert table.schema["score"] == pl.Float64
    for column in ("model", "case_id", "score", "output", "run"):
        assert table[column].to_list() == [row[column] for row in rows]


def test_the_page_offers_parquet_too(api):
    named = places(api)["run"]
    page = fetched(f"{api.address}/runs/{named}")[2].decode()
    assert f'href="/runs/{named}/export/parquet"' in page
    body = fetched(f"{api.address}/runs/{named}/export/parquet")[2]
    assert body == exported(api, named, "parquet")


def test_parquet_without_its_library_names_the_command(api, monkeypatch):
    named = places(api)["run"]
    monkeypatch.setitem(sys.modules, "polars", None)
    answer = api.ask("GET", f"/runs/{named}/export.parquet")
    assert answer.status == 424
    assert answer.error["hint"] == "Install it with: pip install 'benchmaker[data]'"
    status, _, page = fetched(f"{api.address}/runs/{named}/export/parquet")
    assert status == 424
    assert "pip install &#39;benchmaker[data]&#39;" in page.decode()


def test_an_unknown_run_is_missing(api):
    assert api.ask("GET", "/runs/none/export.parquet").status == 404
