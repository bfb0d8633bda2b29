from statistics import median

import pytest

from benchmaker.record import Completion, Outcome, Score
from benchmaker.store import Writer
from benchmaker.store.runs.change_feed import (
    cells_between,
    changes_after,
    latency_of,
    models_used,
    newest_row_number,
    request_pace,
)
from tests.store.filled import MODELS, a_trial, add_run, put


@pytest.mark.postgresql("no other test has its statements")
def test_changes_come_once_each_and_in_parts_of_any_size(store):
    run = add_run(store)
    put(store, *(a_trial(position=at) for at in range(3)))
    whole = changes_after(store.database, [run.id], 0)

    assert {cell.position for cell in whole.cells} == {0, 1, 2}
    assert whole.upto == newest_row_number(store.database)
    assert changes_after(store.database, [run.id], whole.upto).cells == ()

    at, seen = 0, set()
    while (part := changes_after(store.database, [run.id], at, most=1)).cells:
        assert part.upto > at
        at, seen = part.upto, seen | {cell.position for cell in part.cells}
    assert seen == {0, 1, 2}


def test_a_new_score_is_a_change_of_its_cell(store):
    run = add_run(store)
    put(store, a_trial(position=0), a_trial(position=1))
    before = changes_after(store.database, [run.id], 0).upto
    with Writer(store) as writer:
        writer.put_score(a_trial(position=1).key, Score(score=0.25, scorer="exact"))

    later = changes_after(store.database, [run.id], before)
    assert [(cell.position, cell.score) for cell in later.cells] == [(1, 0.25)]


def test_other_runs_change_nothing(store):
    run = add_run(store)
    other = add_run(store, "run-2", number=2)
    put(store, a_trial(run_id=other.id))

    assert changes_after(store.database, [run.id], 0).cells == ()


@pytest.mark.postgresql("no other test has its statements")
def test_cells_between_two_places(store):
    run = add_run(store)
    put(store, *(a_trial(position=at) for at in range(3)))

    found = cells_between(store.database, run.id, 1, 2)
    assert sorted(cell.position for cell in found) == [1, 2]
    assert all(cell.outcome in set(Outcome) for cell in found)


@pytest.mark.postgresql("no other test has its statements")
def test_what_is_known_of_models_and_times(store):
    run = add_run(store)
    put(store, a_trial(position=0))

    assert set(models_used(store.database)) == set(MODELS)
    assert models_used(store.database, "nothing-like-it") == []
    assert request_pace(store.database, [run.id]).retries >= 0
    assert latency_of(store.database, "nobody") is None


@pytest.mark.parametrize("taken", [(), (2.0,), (9.0, 1.0), (5.0, 1.0, 0.5), (4.0, 4.0, 1.0, 8.0)])
def test_the_time_of_an_answer_is_the_median(store, taken):
    run = add_run(store, cases=5)
    known = [Completion(text="x", latency_s=one) for one in taken]
    put(
        store, *(a_trial(at, completion=it) for at, it in enumerate([*known, Completion(text="x")]))
    )

    assert request_pace(store.database, [run.id]).median_latency_s == (
        median(taken) if taken else None
    )
