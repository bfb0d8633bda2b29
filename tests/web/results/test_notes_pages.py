"""Notes and labels are entered on the page of a trial, listed, exported and deleted."""

import csv
import html
import io
import json
import re
from urllib.parse import urlencode

import pytest

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.results.answered_runs import SETUPS, answered_runs
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_case_selection import sent

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def served(tmp_path):
    run, _ = answered_runs(tmp_path)
    with serving(tmp_path) as address:
        yield address, run, tmp_path


def post(address, path, **fields):
    return sent(address, "POST", path, urlencode(fields), FORM)


def text_of(address, path):
    return html.unescape(fetched(f"{address}{path}")[2].decode())


def test_a_note_is_added_listed_exported_and_deleted(served):
    address, run, _ = served
    trial = f"/runs/{run}/trials/5-0"
    status, location, _ = post(address, f"{trial}/notes", text="=1+1 <b>rounds</b> too early")
    assert (status, location) == (303, f"{trial}#notes")
    assert "=1+1 <b>rounds</b> too early" in text_of(address, trial)
    listed = text_of(address, f"/runs/{run}/notes")
    assert f'href="{trial}#notes"' in listed
    rows = list(csv.DictReader(io.StringIO(text_of(address, f"/runs/{run}/notes.csv"))))
    assert [(row["case_id"], row["model"]) for row in rows] == [("c5", SETUPS[0])]
    assert rows[0]["text"].endswith("=1+1 <b>rounds</b> too early")
    assert not rows[0]["text"].startswith("=")
    told = json.loads(fetched(f"{address}{trial}.json")[2])["trial_notes"]
    assert [one["text"] for one in told] == ["=1+1 <b>rounds</b> too early"]
    number = re.search(r'name="number" value="(\d+)"', text_of(address, trial))[1]
    assert post(address, f"{trial}/notes", do="delete", number=number)[0] == 303
    assert "No notes yet." in text_of(address, f"/runs/{run}/notes")
    assert post(address, f"{trial}/notes", do="delete", number=number)[0] == 404


@pytest.mark.parametrize("fields", [{"text": " "}, {"text": "x" * 4_001}, {"do": "delete"}])
def test_a_wrong_note_is_refused(served, fields):
    address, run, _ = served
    assert post(address, f"/runs/{run}/trials/5-0/notes", **fields)[0] == 422
    assert post(address, f"/runs/{run}/trials/99-0/notes", text="x")[0] == 404


def test_a_label_is_stored_as_targeted_and_replaced(served):
    address, run, home = served
    trial = f"/runs/{run}/trials/5-0"
    for score in ("3", "8"):
        assert post(address, f"{trial}/label", score=score)[0] == 303
    assert "Label <b" in text_of(address, trial)
    with Store.open(home / STORE_FILE) as store:
        (label,) = store.labels([run])
    assert (label.case_id, label.model, label.score) == ("c5", SETUPS[0], 0.8)
    assert (label.source, label.version, label.actor) == ("targeted", 2, "local")
    assert post(address, f"{trial}/label", score="much")[0] == 422
