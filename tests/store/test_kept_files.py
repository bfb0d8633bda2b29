"""Store files of every revision there was, made by tests/data/store/make.py, open for ever."""

import gzip
from ast import literal_eval
from pathlib import Path

import msgspec
import pytest

from benchmaker.record import (
    ImportedHeader,
    ImportedRecord,
    Judgment,
    Run,
    RunState,
    Score,
    Series,
    Trial,
)
from benchmaker.record.calibration import Calibration
from benchmaker.record.job import Job
from benchmaker.record.label import Label, TrialNote
from benchmaker.record.submissions.submission import Submission
from benchmaker.store import Store
from benchmaker.store.database.schema import REVISIONS
from tests.data.store import accounts, agentic, code, make

KEPT = sorted(make.FOLDER.glob("*.db.gz"))


def revision_of(packed: Path) -> str:
    return packed.name.partition(".")[0]


@pytest.fixture(scope="module", params=KEPT, ids=revision_of)
def kept(request, tmp_path_factory):
    """A copy of a kept file, upgraded as it was opened, and what was stored in it; only read."""
    path = tmp_path_factory.mktemp("kept") / "benchmaker.db"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    told = request.param.with_name(f"{revision_of(request.param)}.json").read_bytes()
    Store.open(path).close()
    with Store.open(path, read_only=True) as store:
        yield store, msgspec.json.decode(told)


def test_every_revision_has_a_kept_file():
    assert tuple(map(revision_of, KEPT)) == REVISIONS


def test_a_kept_file_is_whole_and_of_the_present_revision(kept):
    check = kept[0].check()
    assert check.is_ok
    assert check.revision == REVISIONS[-1]


def test_runs_and_series_of_a_kept_file_are_read(kept):
    """A run that was stored as running is read as interrupted, since no process holds it."""
    store, told = kept
    runs = msgspec.convert(told["runs"], list[Run])
    assert [store.stored_state(run.id) for run in runs] == [run.state for run in runs]
    assert store.runs() == tuple(
        msgspec.structs.replace(run, state=RunState.INTERRUPTED)
        if run.state is RunState.RUNNING
        else run
        for run in runs
    )
    assert store.series("s-20250101-fixture") == msgspec.convert(told["series"], Series)


def test_trials_and_scores_of_a_kept_file_are_read(kept):
    store, told = kept
    trials = [trial for run in store.runs() for trial in store.trials(run.id)]
    assert trials == [msgspec.convert(literal(text), Trial) for text in told["trials"]]
    for trial, versions in zip(trials, told["scores"], strict=True):
        expected = [msgspec.convert(literal(text), Score) for text in versions]
        assert store.scores.versions(*trial.key) == expected


def test_judgments_of_a_kept_file_are_read(kept):
    store, told = kept
    expected = [msgspec.convert(literal(text), Judgment) for text in told.get("judgments", ())]
    found = [it for run in store.runs() for it in store.judgments(run.id)]
    assert [*found, *store.judgments(None)] == expected


def test_embeddings_of_a_kept_file_are_read(kept):
    store, told = kept
    found = store.find_embeddings(list(make.EMBEDDINGS))
    assert {key: body.hex() for key, body in found.items()} == told.get("embeddings", {})


def literal(text):
    return literal_eval(text.replace("': inf", "': 1e999"))


def test_suites_and_messages_of_a_kept_file_are_read(kept):
    store, told = kept
    assert [case.model_dump(mode="json") for case in store.suite(make.SUITE.content_hash)] == told[
        "suite"
    ]
    assert [waiting.message.dedupe_key for waiting in store.pending_messages()] == told["pending"]


def test_the_newest_kept_file_holds_what_its_script_stores(path):
    """A script that was changed must be run again."""
    told = (make.FOLDER / f"{REVISIONS[-1]}.json").read_bytes()
    with Store.open(path, clock=lambda: make.NOW) as store:
        make.fill(store)
        found = msgspec.json.decode(msgspec.json.encode(make.held(store)))
    expected = msgspec.json.decode(told)
    for one in (found, expected):
        one["code"] = list(map(code.value, one["code"]))
    assert found == expected


def test_submissions_and_traces_of_a_kept_file_are_read(kept):
    store, told = kept
    found = list(store.submissions())
    assert found == [
        msgspec.convert(literal(text), Submission) for text in told.get("submissions", ())
    ]
    chunks = [[chunk.hex() for chunk in store.trace(it.id, "events")] for it in found]
    assert chunks == told.get("traces", [])


def test_calibrations_of_a_kept_file_are_read(kept):
    store, told = kept
    assert list(store.calibrations()) == [
        msgspec.convert(literal(text), Calibration) for text in told.get("calibrations", ())
    ]


def test_labels_of_a_kept_file_are_read(kept):
    store, told = kept
    run_ids = [run.id for run in store.runs()]
    assert list(store.labels(run_ids, every_version=True)) == [
        msgspec.convert(literal(text), Label) for text in told.get("labels", ())
    ]


def test_notes_of_a_kept_file_are_read(kept):
    store, told = kept
    found = store.trial_notes.of_runs([run.id for run in store.runs()])
    assert list(found) == [
        msgspec.convert(literal(text), TrialNote) for text in told.get("notes", ())
    ]


def test_imported_rows_of_a_kept_file_are_read(kept):
    store, told = kept
    run_ids = [run.id for run in store.runs()]
    assert list(store.imported_rows.each_record(run_ids)) == [
        msgspec.convert(literal(text), ImportedRecord) for text in told.get("imported", ())
    ]
    headers = [store.imported_rows.header(run_id) for run_id in run_ids]
    assert headers == [
        msgspec.convert(literal(text), ImportedHeader)
        for text in told.get("imported_headers", ["{}"] * len(run_ids))
    ]


def test_tasks_evaluations_and_boards_of_a_kept_file_are_read(kept):
    store, told = kept
    assert agentic.held(store) == told.get("agentic", [])


def test_code_reports_and_votes_of_a_kept_file_are_read(kept):
    store, told = kept
    found = list(map(code.value, code.held(store)))
    assert found == list(map(code.value, told.get("code", [])))


def test_accounts_of_a_kept_file_are_read(kept):
    store, told = kept
    assert accounts.held(store) == told.get("accounts", [])


def test_jobs_of_a_kept_file_are_read(kept):
    store, told = kept
    assert list(store.jobs.list_open()) == [
        msgspec.convert(literal(text), Job) for text in told.get("jobs", ())
    ]
