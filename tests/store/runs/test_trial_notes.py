"""Notes on trials: kept with their author and time, deleted alone or with their run."""

import pytest

from benchmaker.errors import SpecError, StoreError
from benchmaker.record.label import LONGEST_NOTE, TrialNote
from tests.store.filled import a_trial, add_run, put

pytestmark = pytest.mark.postgresql("trial-notes")


@pytest.fixture
def trial(store):
    add_run(store)
    put(store, a_trial())
    return a_trial()


def a_note(trial, text="Rounds too early.", **fields):
    return TrialNote(
        run_id=trial.run_id, case_id=trial.case_id, model=trial.model, text=text, **fields
    )


def test_a_note_is_stored_with_author_time_and_number(store, trial):
    first = store.trial_notes.add(a_note(trial, author="ada"))
    second = store.trial_notes.add(a_note(trial, " \x00 any text \ud800 <b>"))
    assert first.created_at
    assert second.number > first.number > 0
    assert store.trial_notes.of_runs([trial.run_id]) == (first, second)
    assert second.text == "\x00 any text \ud800 <b>"
    assert store.trial_notes.find(trial.run_id, first.number) == first


def test_notes_are_read_by_case_and_model(store, trial):
    note = store.trial_notes.add(a_note(trial))
    found = store.trial_notes.of_runs([trial.run_id], case_id=trial.case_id, model=trial.model)
    assert found == (note,)
    assert store.trial_notes.of_runs([trial.run_id], case_id="another") == ()
    assert store.trial_notes.of_runs(["another"]) == ()


def test_a_deleted_note_is_gone(store, trial):
    note, kept = (store.trial_notes.add(a_note(trial, text)) for text in ("a", "b"))
    store.trial_notes.delete(note)
    store.trial_notes.delete(note)
    assert store.trial_notes.of_runs([trial.run_id]) == (kept,)
    with pytest.raises(StoreError, match="no note"):
        store.trial_notes.find(trial.run_id, note.number)


def test_notes_are_deleted_with_their_run(store, trial):
    note = store.trial_notes.add(a_note(trial))
    store.delete_run(trial.run_id)
    with pytest.raises(StoreError, match="no note"):
        store.trial_notes.find(trial.run_id, note.number)


@pytest.mark.parametrize(("text", "said"), [(" \n", "empty"), ("x" * (LONGEST_NOTE + 1), "4,001")])
def test_an_empty_or_too_long_note_is_refused(store, trial, text, said):
    with pytest.raises(SpecError, match=said):
        store.trial_notes.add(a_note(trial, text))


def test_a_note_needs_a_trial(store, trial):
    with pytest.raises(StoreError, match="no trial"):
        store.trial_notes.add(TrialNote(run_id=trial.run_id, case_id="x", model="y", text="z"))
