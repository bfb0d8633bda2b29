"""Rows of other tools' results: written with their trials, found by key, deleted with the run."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.errors import Conflict, StoreError
from benchmaker.record import (
    Attempt,
    Completion,
    FinishReason,
    ImportedHeader,
    ImportedRecord,
    Outcome,
    Score,
    Trial,
    Usage,
)
from benchmaker.store.imports.new_trials import NewTrial
from tests.store.filled import MODELS, add_run, put

pytestmark = pytest.mark.postgresql("imported-rows")


def a_new_trial(case_id="sum", key=7, position=0, **fields):
    values = {
        "rank": 0,
        "position": position,
        "case_id": case_id,
        "outcome": "scored",
        "record": ImportedRecord(key=key, scores={"tool/pass": 1.0}, rest={"odd \ud800": "\x00"}),
        "finished_at": "2026-11-22T19:25:01.000Z",
        "completion": Completion(text="42 \ud800"),
        "score": Score(score=1.0, scorer="tool/pass"),
    }
    return NewTrial(**{**values, **fields})


@pytest.fixture
def run(store):
    return add_run(store)


def write(store, run, *rows):
    return store.imported_rows.write(store.imported_rows.number_of(run.id), rows)


def test_a_trial_is_stored_with_the_scores_of_the_tool(store, run):
    new = a_new_trial()
    assert write(store, run, new) == 1
    (trial,) = store.trials(run.id)
    assert (trial.text, trial.score.scorer, trial.score_version) == ("42 \ud800", "tool/pass", 1)
    assert store.imported_rows.find(run.id, trial.model, "sum") == new.record
    assert store.imported_rows.find(run.id, trial.model, "other") is None
    assert list(store.imported_rows.each_record([run.id])) == [new.record]


def test_a_trial_that_is_there_is_left_out_with_its_record(store, run):
    write(store, run, a_new_trial())
    added = write(store, run, a_new_trial(key=8), a_new_trial("odd \x00", key=9, position=1))
    assert added == 1
    assert store.imported_rows.find_keys([7, 8, 9]) == {7: {run.id}, 9: {run.id}}


def test_scores_that_a_row_lacks_are_added(store, run):
    write(store, run, a_new_trial())
    more = ImportedRecord(key=7, scores={"tool/pass": 0.0, "tool/other": 0.5}, rest={"more": 1})
    assert store.imported_rows.add_scores(run.id, [more]) == 1
    assert store.imported_rows.add_scores(run.id, [more]) == 0
    (score,) = store.imported_rows.each_score([run.id], with_rest=True)
    assert score.scores == {"tool/pass": 1.0, "tool/other": 0.5}
    assert score.rest["more"] == 1


def test_rows_are_deleted_with_their_run(store, run):
    write(store, run, a_new_trial())
    store.imported_rows.put_header(run.id, ImportedHeader(rest={"task": "sums"}))
    store.delete_run(run.id)
    assert store.imported_rows.is_empty
    assert store.imported_rows.header(run.id) == ImportedHeader()


def test_a_header_replaces_the_one_before(store, run):
    for number in (1, 2):
        store.imported_rows.put_header(run.id, ImportedHeader(rest={"number": number}))
    assert store.imported_rows.header(run.id).rest == {"number": 2}


def test_a_score_that_is_no_number_is_refused(store, run):
    with pytest.raises(StoreError, match="not a number"):
        write(store, run, a_new_trial(score=Score(score=float("nan"), scorer="x")))


def test_a_run_of_our_own_takes_no_further_rows(store, run):
    with pytest.raises(Conflict, match="can't take further rows"):
        store.enlarge_import(run)


TEXTS = st.text(max_size=5) | st.sampled_from(["ä \ud800", "\x00", "\x1a"])
REALS = st.none() | st.floats(0, 1)
COMPLETIONS = st.builds(
    Completion,
    text=TEXTS,
    finish=st.sampled_from(list(FinishReason)),
    usage=st.none() | st.builds(Usage, input_tokens=st.none() | st.integers(0, 9)),
    latency_s=REALS,
    cost_usd=REALS,
    model=st.none() | TEXTS,
    flags=st.lists(TEXTS, max_size=1).map(tuple),
)
SCORES = st.builds(
    Score,
    score=REALS,
    notes=TEXTS,
    scorer=TEXTS,
    profile=TEXTS,
    flags=st.just(()) | st.just(("x",)),
)
ANSWERS = st.fixed_dictionaries(
    {
        "case_id": TEXTS,
        "outcome": st.sampled_from(["scored", "unscored", "timeout"]),
        "completion": st.none() | COMPLETIONS,
        "score": st.none() | SCORES,
        "category": st.none() | TEXTS,
        "group": st.none() | TEXTS,
        "error": st.none() | TEXTS,
        "attempts": st.just(()) | st.just((Attempt(number=1, status="x", started_at="now"),)),
    }
)


@pytest.mark.long
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(answers=st.lists(ANSWERS, min_size=1, max_size=3), copies=st.sampled_from([1, 60]))
def test_rows_written_together_are_those_that_the_writer_writes(store, answers, copies):
    names = [f"run-{next(NUMBERS)}" for _ in range(2)]
    for name in names:
        add_run(store, name)
    places = list(enumerate(answers * copies))
    rows = [
        a_new_trial(**{**one, "case_id": f"{at} {one['case_id']}"}, key=at, position=at)
        for at, one in places
    ]
    number = store.imported_rows.number_of(names[0])
    assert store.imported_rows.write(number, rows) == len(rows)
    assert store.imported_rows.write(number, rows) == 0
    put(store, *(as_trial(one, names[1]) for one in rows))
    together, one_by_one = (list(store.trials(name)) for name in names)
    assert [replace(one, run_id="") for one in together] == [
        replace(one, run_id="") for one in one_by_one
    ]


NUMBERS = count(1)


def as_trial(new, run_id):
    return Trial(
        run_id=run_id,
        case_id=new.case_id,
        model=MODELS[new.rank],
        position=new.position,
        outcome=Outcome(new.outcome),
        completion=new.completion,
        attempts=new.attempts,
        score=new.score,
        category=new.category,
        group=new.group,
        error=new.error,
        finished_at=new.finished_at,
    )
