"""promptfoo's CSV and the other forms of one evaluation: no answer is stored twice."""

import csv
import json

import pytest
from sqlalchemy import delete

from benchmaker.arenas.standard.importers.recognising import find_sources
from benchmaker.errors import SpecError
from benchmaker.store.database.tables import imported_rows
from tests.arenas.standard.importers.files import (
    figures_of,
    imported,
    promptfoo_result,
    trials_of,
    write_lines,
    write_promptfoo,
)
from tests.databases import direct_transaction

pytestmark = pytest.mark.postgresql("finds runs by a part of their text")

CITIES = ("Oslo", "Rome", "Paris", "Oslo")
RESULTS = [
    promptfoo_result(test, prompt, city=city, failure=(test + prompt) % 3, score=0.5)
    for test, city in enumerate(CITIES)
    for prompt in range(4)
]
_STATUS = ("PASS", "FAIL", "ERROR")


def write_csv(path, results):
    """The table of results as promptfoo writes it: a row a test, a group of columns a prompt."""
    tests = {}
    for one in results:
        tests.setdefault(one["testIdx"], {})[one["promptIdx"]] = one
    first = next(iter(tests.values()))
    group = ("Status", "Score", "Named Scores", "Grader Reason", "Comment")
    heads = [f"[{it['provider']['label']}] {it['prompt']['label']}" for it in first.values()]
    with path.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["Description", "city", *(name for it in heads for name in (it, *group))])
        for prompts in tests.values():
            row = ["", first and next(iter(prompts.values()))["vars"]["city"]]
            for it in prompts.values():
                failure = it["failureReason"]
                said = it["response"].get("output", it.get("error"))
                named = json.dumps(it["namedScores"])
                row += [said, _STATUS[failure], f"{it['score']:.2f}", named, "", ""]
            table.writerow(row)
    return path


@pytest.fixture
def forms(tmp_path):
    return {
        "json": write_promptfoo(tmp_path / "results.json", RESULTS),
        "jsonl": write_lines(tmp_path / "results.jsonl", RESULTS),
        "csv": write_csv(tmp_path / "results.csv", RESULTS),
    }


@pytest.mark.parametrize("order", [("json", "csv"), ("csv", "json"), ("csv", "jsonl", "json")])
def test_a_second_form_is_recognised_by_its_answers(store, forms, order):
    first, *others = (imported(store, forms[name])[0] for name in order)
    assert (first.added, len(first.runs)) == (16, 2)
    for one in others:
        assert (one.runs, one.added, one.tally.translated) == (first.runs, 0, 16)
    (note,) = others[0].tally.notes
    assert note.startswith(
        f"run {first.runs[0]} has the same answers, from {forms[order[0]].name}."
    )
    assert ("delete the run and import this file again" in note) is (order[0] == "csv")
    assert len(trials_of(store, first)) == 16
    passed = {key: it for key, it in figures_of(first).items() if key[1] == "passed"}
    assert passed == {key: it for key, it in figures_of(others[0]).items() if key[1] == "passed"}


def test_richer_forms_of_one_import_are_read_first(store, forms):
    sources = find_sources([forms["csv"], forms["jsonl"], forms["json"]])
    assert [one.file.suffix for one in sources] == [".json", ".jsonl", ".csv"]
    files = imported(store, forms["csv"].parent)
    assert [one.added for one in files] == [16, 0, 0]
    assert {run.imported_from for run in store.runs()} == {"results.json"}


def test_a_part_in_another_form_is_in_the_run(store, forms, tmp_path):
    (first,) = imported(store, forms["json"])
    (part,) = imported(store, write_csv(tmp_path / "part.csv", RESULTS[:8]))
    assert (part.runs, part.added) == (first.runs, 0)


def test_the_whole_is_refused_where_a_part_is_stored_in_another_form(store, forms, tmp_path):
    (part,) = imported(store, write_csv(tmp_path / "part.csv", RESULTS[:8]))
    (whole,) = imported(store, forms["json"])
    assert isinstance(whole.error, SpecError)
    assert f"run {part.runs[0]} holds 8 of these 16 answers" in str(whole.error)
    assert "delete" in whole.error.hint
    assert (whole.tally.rows, whole.tally.refused, whole.tally.translated) == (16, 16, 0)
    assert [run.id for run in store.runs()] == list(part.runs)


def test_other_answers_to_the_same_questions_are_another_evaluation(store, forms, tmp_path):
    (first,) = imported(store, forms["json"])
    changed = [dict(row) for row in RESULTS]
    changed[0] = {**changed[0], "response": {"output": "Another answer."}}
    (other,) = imported(store, write_csv(tmp_path / "other.csv", changed))
    assert other.added == 16
    assert not set(other.runs) & set(first.runs)
    assert other.tally.notes == []


def test_records_are_attached_to_trials_and_copied_to_another_run(store, forms):
    (first,) = imported(store, forms["json"])
    source, other = first.runs
    before = list(store.imported_rows.each_record([source]))
    found = [
        (trial.model, trial.case_id, store.imported_rows.find(*trial.key))
        for trial in store.trials(source)
    ]
    with direct_transaction(store) as connection:
        connection.execute(delete(imported_rows))
    store.imported_rows.attach(source, found)
    store.imported_rows.attach(source, found)
    assert list(store.imported_rows.each_record([source])) == before
    store.imported_rows.copy(source, other)
    store.imported_rows.copy(source, other)
    same = {
        (trial.model, trial.case_id): it
        for trial, it in zip(store.trials(source), before, strict=True)
    }
    for trial in store.trials(other):
        assert store.imported_rows.find(*trial.key) == same[trial.model, trial.case_id]


@pytest.mark.parametrize(("cut", "refused"), [(2, 0), (3, 1), (12, 1), (60, 2)])
def test_a_cut_table_names_the_place_and_stores_whole_outputs_only(store, tmp_path, cut, refused):
    path = write_csv(tmp_path / "results.csv", RESULTS)
    path.write_bytes(path.read_bytes()[:-cut])
    (file,) = imported(store, path)
    assert (file.tally.rows, file.tally.refused) == (len(RESULTS), refused)
    assert len(trials_of(store, file)) == len(RESULTS) - refused
    said = "row 5: unexpected end of file in the columns of model-b."
    assert file.tally.notes == ([said] if refused else [])
