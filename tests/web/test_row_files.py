"""Suites uploaded as Parquet and Excel files, on the page and over the API."""

import http.client
import io
import json
import sys
import tempfile
from contextlib import closing
from urllib.parse import urlsplit

import polars as pl
import pytest

from benchmaker.errors import SpecError
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from benchmaker.web.form_body import Fields, Upload
from benchmaker.web.suites import uploads
from tests.spec.workbooks import a_workbook
from tests.web.serving import serving

ROWS = [("a", "1 + 1?", "2"), ("b", "2 + 2?", "4")]
COLUMNS = ("id", "prompt", "expected")


def parquet(rows=ROWS, columns=COLUMNS):
    stream = io.BytesIO()
    pl.DataFrame(rows, schema=list(columns), orient="row").write_parquet(stream)
    return stream.getvalue()


def workbook(rows=ROWS, columns=COLUMNS, **others):
    return a_workbook(Cases=[columns, *rows], **others)


# Made in the tests: the threads of polars do not survive the fork of a worker.
FILES = {"sums.parquet": parquet, "sums.xlsx": workbook}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def address(home):
    with serving(home, works=False) as address:
        yield address


def uploaded(address, path, file, body, /, **fields):
    """Status, location and text of the answer to a form with a file."""
    edge = "x-edge-x"
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{it}\r\n'.encode()
        for key, it in {"scorer": "exact", **fields}.items()
    ]
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{file}"\r\n\r\n'
    sent = b"".join([*parts, head.encode(), body, f"\r\n--{edge}--\r\n".encode()])
    with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)) as made:
        made.request("POST", path, sent, {"Content-Type": f"multipart/form-data; boundary={edge}"})
        answer = made.getresponse()
        return answer.status, answer.getheader("location"), answer.read().decode()


def cases_at(home, location):
    with Store.open(home / STORE_FILE, read_only=True) as store:
        suite = store.suite(location.rpartition("/")[2])
        return [(case.id, case.prompt, case.expected) for case in suite.cases]


@pytest.mark.parametrize("name", FILES)
def test_the_page_takes_the_file(address, home, name):
    status, location, text = uploaded(address, "/suites/import", name, FILES[name]())
    assert status == 303, text
    assert cases_at(home, location) == ROWS


@pytest.mark.parametrize("name", FILES)
def test_the_api_takes_the_file(address, name):
    status, _, text = uploaded(address, "/api/v1/suites/import", name, FILES[name]())
    assert status == 201, text
    assert json.loads(text)["cases"] == 2


@pytest.mark.parametrize("name", ["sums.parquet", "sums.xlsx"])
def test_columns_are_mapped(address, home, name):
    columns = ("id", "stem", "target")
    body = parquet(columns=columns) if name.endswith("parquet") else workbook(columns=columns)
    mapped = {"at_prompt": "stem", "at_expected": "target", "name": "mapped"}
    status, location, text = uploaded(address, "/suites/import", name, body, **mapped)
    assert status == 303, text
    assert cases_at(home, location) == ROWS


def test_a_workbook_of_several_sheets_needs_a_name(address, home):
    body = workbook(Notes=[("x",)])
    status, _, text = uploaded(address, "/suites/import", "two.xlsx", body)
    assert status == 422
    assert "two.xlsx" in text
    assert "the workbook has 2 sheets: Cases, Notes." in text
    assert "the field Sheet" in text
    status, location, _ = uploaded(address, "/suites/import", "two.xlsx", body, sheet="Cases")
    assert status == 303
    assert cases_at(home, location) == ROWS


@pytest.mark.parametrize(
    ("name", "body_of", "said"),
    [
        ("cut.parquet", lambda: parquet()[:-9], "the Parquet file can&#39;t be read"),
        ("text.parquet", lambda: b"id,prompt\n", "the Parquet file can&#39;t be read"),
        ("cut.xlsx", lambda: workbook()[:-30], "the workbook can&#39;t be read"),
        ("empty.parquet", lambda: parquet(rows=[]), "empty.parquet has no cases"),
    ],
)
def test_a_broken_file_is_refused_with_the_reason(address, name, body_of, said):
    status, _, text = uploaded(address, "/suites/import", name, body_of())
    assert status == 422
    assert f"<bdi>{name}</bdi> is not a valid suite." in text
    assert said in text
    assert tempfile.gettempdir() not in text


def test_a_fault_names_row_and_column(address):
    body = parquet(rows=[(*ROWS[0], 1.0), (*ROWS[1], -1.0)], columns=(*COLUMNS, "weight"))
    _, _, text = uploaded(address, "/suites/import", "w.parquet", body)
    assert "w.parquet:row 2, column 4" in text
    status, _, text = uploaded(address, "/api/v1/suites/import", "w.parquet", body)
    assert status == 422
    assert json.loads(text)["error"]["findings"][0]["where"] == "w.parquet:row 2, column 4"


def test_a_file_that_unpacks_to_too_much_is_refused(address):
    body = parquet(rows=[(f"c{at}", "x" * 5_000_000, "1") for at in range(40)])
    assert len(body) < 4_000_000
    status, _, text = uploaded(address, "/suites/import", "large.parquet", body)
    assert status == 422
    assert "the file is larger than" in text


@pytest.mark.parametrize(
    ("name", "module"), [("sums.parquet", "polars"), ("sums.xlsx", "python_calamine")]
)
def test_a_missing_library_is_named_with_its_command(address, monkeypatch, name, module):
    content = FILES[name]()
    monkeypatch.setitem(sys.modules, module, None)
    status, _, text = uploaded(address, "/suites/import", name, content)
    assert status == 424
    assert f"<bdi>{name}</bdi> cannot be read on this server." in text
    assert "is not installed. Install it with: pip install &#39;benchmaker[data]&#39;" in text
    status, _, text = uploaded(address, "/api/v1/suites/import", name, FILES[name]())
    assert status == 424
    assert json.loads(text)["error"]["hint"] == "Install it with: pip install 'benchmaker[data]'"


def test_the_file_fields_offer_every_ending(address, demo, demo_home):
    with Store.open(demo_home / STORE_FILE, read_only=True) as store:
        run = store.runs(limit=1)[0].id
    for place, path in ((address, "/suites/new"), (demo, f"/runs/{run}/corrected-suite")):
        with closing(http.client.HTTPConnection(urlsplit(place).netloc, timeout=120)) as made:
            made.request("GET", path)
            text = made.getresponse().read().decode()
        assert f'accept="{uploads.CHOOSABLE}"' in text
        assert "Parquet or Excel (.xlsx), up to 32" in text
        assert 'name="sheet"' in text
    for ending in (".parquet", ".xlsx", ".gz", ".yaml", ".csv"):
        assert ending in uploads.CHOOSABLE.split(",")


def test_a_suite_whose_function_is_not_uploaded_is_one_clear_error(tmp_path):
    text = b'scorer: {id: python, value: "own/f.py:yes"}\ncases: [{id: a, prompt: p}]\n'
    with Store.open(tmp_path / STORE_FILE) as store, pytest.raises(SpecError) as caught:
        uploads.take(store, Upload(Fields(), "s.yaml", text))
    (found,) = caught.value.findings
    assert str(found) == (
        "s.yaml:1:29: own/f.py can't be read: No such file or directory. "
        "Put it beside the suite's file; it is not part of an uploaded suite."
    )
