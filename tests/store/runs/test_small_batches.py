from dataclasses import replace

import pytest
from sqlalchemy import select

from benchmaker.errors import StoreError
from benchmaker.record import Attempt, Completion, Outcome, TrialKey, Usage
from benchmaker.store import Store
from benchmaker.store.database.tables import counters, scores, trials
from benchmaker.store.runs.batch import NewCached, write_batch
from benchmaker.store.runs.runs import run_number
from benchmaker.store.runs.small_batches import MOST, SmallBatchWriter
from benchmaker.store.runs.trial_rows import trial_rows
from tests.store.filled import a_trial, add_run

NOW = "2026-11-20T00:00:00.000Z"


def attempt(number=1):
    return Attempt(number=number, status="ok", started_at=NOW, cost_usd=0.1, last_byte_s=0.3)


KINDS = [
    a_trial(
        0,
        completion=Completion(text="42\x00", usage=Usage(input_tokens=3, flags=("odd",))),
        attempts=(attempt(),),
        flags=("stream_fallback",),
        tags=("a", "b"),
    ),
    a_trial(1, completion=Completion(text="", latency_s=0.1 + 0.2)),
    a_trial(2, outcome=Outcome.TIMEOUT, score=None, score_version=0, attempts=(attempt(),)),
    a_trial(2, "model-b", outcome=Outcome.CANCELLED, score=None, score_version=0),
]


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as opened:
        add_run(opened, cases=MOST + 1)
        yield opened


@pytest.fixture
def arrivals(store):
    made = SmallBatchWriter(store.database)
    yield made
    made.close()


def rows(store, *made):
    with store.database.read() as connection:
        number = run_number(connection, store.database, "run-1")
    return [trial_rows(trial, number) for trial in made]


def numbers(store):
    with store.database.read() as connection:
        drawn = [
            *connection.scalars(select(trials.c.seq)),
            *connection.scalars(select(scores.c.seq)),
        ]
        return sorted(drawn), connection.scalar(select(counters.c.value))


def test_every_kind_of_trial_comes_back_as_it_was(store, arrivals):
    assert arrivals.write(rows(store, *KINDS), lease=None, now=NOW)
    assert list(store.trials("run-1")) == KINDS
    assert store.check().is_ok


def test_what_is_written_is_what_the_usual_way_writes(store, arrivals, tmp_path):
    arrivals.write(rows(store, *KINDS), lease=None, now=NOW)
    with Store.open(tmp_path / "usual.db") as usual:
        add_run(usual, cases=MOST + 1)
        with usual.database.write() as connection:
            write_batch(connection, rows(usual, *KINDS), now=NOW)
        assert list(usual.trials("run-1")) == list(store.trials("run-1"))
        for trial in KINDS:
            assert usual.scores.versions(*trial.key) == store.scores.versions(*trial.key)
        assert numbers(usual) == numbers(store)


def test_a_key_that_is_taken_leaves_nothing_of_the_batch(store, arrivals):
    assert arrivals.write(rows(store, KINDS[0]), lease=None, now=NOW)
    before = numbers(store)
    assert not arrivals.write(rows(store, KINDS[1], KINDS[0]), lease=None, now=NOW)
    assert list(store.trials("run-1")) == [KINDS[0]]
    assert numbers(store) == before


def test_a_lease_that_is_lost_leaves_nothing_of_the_batch(store, arrivals):
    lease = store.acquire_lease("run run-1", holder="engine", ttl_s=60)
    assert arrivals.write(rows(store, KINDS[0]), lease=lease, now=NOW)
    lost = replace(lease, fence=lease.fence - 1)
    assert not arrivals.write(rows(store, KINDS[1]), lease=lost, now=NOW)
    assert store.count_trials("run-1") == 1


@pytest.mark.parametrize("size", [MOST, MOST + 1])
def test_only_few_trials_are_one_statement(store, arrivals, size):
    made = [a_trial(at) for at in range(size)]
    assert arrivals.write(rows(store, *made), lease=None, now=NOW) == (size <= MOST)
    assert list(store.trials("run-1")) == (made if size <= MOST else [])


def test_what_takes_more_than_new_rows_is_left_to_the_usual_way(store, arrivals):
    repeated = a_trial(attempts=(attempt(1), attempt(2)))
    for other in (*rows(store, repeated), NewCached("key", "{}")):
        assert not arrivals.write([*rows(store, a_trial(1)), other], lease=None, now=NOW)
    assert store.count_trials("run-1") == 0


def test_a_deleted_run_takes_no_rows(store, arrivals):
    made = rows(store, a_trial())
    store.delete_run("run-1")
    assert not arrivals.write(made, lease=None, now=NOW)


def test_a_batch_in_a_file_that_is_gone_is_not_acknowledged(store, arrivals, tmp_path):
    assert arrivals.write(rows(store, KINDS[0]), lease=None, now=NOW)
    made = rows(store, KINDS[1])
    (tmp_path / "benchmaker.db").unlink()
    with pytest.raises(StoreError, match="removed"):
        arrivals.write(made, lease=None, now=NOW)


def test_other_connections_know_nothing_of_the_view(store, arrivals):
    arrivals.write(rows(store, KINDS[0]), lease=None, now=NOW)
    arrivals.close()
    with store.database.read() as connection:
        found = connection.exec_driver_sql("SELECT name FROM sqlite_temp_master").all()
    assert not found
    assert store.trial(*TrialKey("run-1", "model-a", "case-0")) == KINDS[0]
