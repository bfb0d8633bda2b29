import sqlite3
import threading
from collections import Counter
from itertools import pairwise

import pytest
from sqlalchemy import event, select

from benchmaker.errors import Conflict, StoreError
from benchmaker.record import Attempt, Completion, Outcome, Score, TrialKey
from benchmaker.store import Store, Writer, WriteStatus
from benchmaker.store.database.tables import scores, trials
from tests.store.filled import a_trial, add_run, all_trials, put, put_all

pytestmark = pytest.mark.postgresql("locks and upserts of several writers")

WAIT_S = 120


def attempt(number, error=None):
    return Attempt(number=number, status="failed" if error else "ok", started_at="now", error=error)


def results_of(store, *made):
    """What became of each trial, put one after the other."""
    found = []
    with Writer(store) as writer:
        for trial in made:
            writer.put(trial, on_durable=found.append)
    return found


def test_a_row_is_durable_when_its_callback_runs(store):
    add_run(store)
    seen = []
    with Writer(store) as writer:
        writer.put(a_trial(), on_durable=lambda _: seen.extend(store.trials("run-1")))
    assert seen == [a_trial()]


def test_a_row_becomes_durable_by_itself(store):
    add_run(store)
    durable = threading.Event()
    with Writer(store, max_delay_s=0.01) as writer:
        writer.put(a_trial(), on_durable=lambda _: durable.set())
        assert durable.wait(WAIT_S)


def test_flush_returns_once_everything_is_durable(store):
    add_run(store)
    with Writer(store, max_delay_s=WAIT_S) as writer:
        put_all(writer, all_trials(3))
        writer.flush()
        assert store.count_trials("run-1") == 6
        writer.flush()


def test_many_rows_share_a_commit(store):
    add_run(store, cases=200)
    commits = Counter()
    event.listen(store.database.engine, "commit", lambda _: commits.update(["commit"]))
    with Writer(store, max_rows=100, max_delay_s=WAIT_S) as writer:
        put_all(writer, all_trials(200))
    assert store.count_trials("run-1") == 400
    assert commits["commit"] <= 10


@pytest.mark.parametrize("number", [1, 9, 10, 49, 50, 61, 133])
def test_batches_of_any_size_are_written_whole(store, number):
    add_run(store, cases=number)
    made = [a_trial(at, completion=Completion(text="42")) for at in range(number)]
    put(store, *made)
    assert list(store.trials("run-1")) == made


REPLACED = (
    Outcome.TIMEOUT,
    Outcome.BAD_RESPONSE,
    Outcome.PROVIDER_ERROR,
    Outcome.CANCELLED,
    Outcome.UNFINISHED,
)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("outcome", sorted(set(Outcome) - set(REPLACED)))
def test_a_key_is_never_doubled_and_the_first_row_stays(store, outcome, together):
    add_run(store)
    first = a_trial(outcome=outcome, completion=Completion(text="first"))
    second = a_trial(completion=Completion(text="second"), attempts=(attempt(1),))
    if together:
        assert results_of(store, first, second) == [WriteStatus.NEW, WriteStatus.KEPT]
    else:
        assert results_of(store, first) + results_of(store, second) == [
            WriteStatus.NEW,
            WriteStatus.KEPT,
        ]
    assert list(store.trials("run-1")) == [first]
    assert store.scores.versions(*first.key) == [first.score]


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("outcome", REPLACED)
def test_what_infrastructure_spoiled_is_replaced_and_its_attempts_stay(store, outcome, together):
    add_run(store)
    spoiled = a_trial(
        outcome=outcome, score=None, error="late", attempts=(attempt(1, "a"), attempt(2, "b"))
    )
    answered = a_trial(
        completion=Completion(text="42"), attempts=(attempt(1, "c"), attempt(2)), weight=2.0
    )
    if together:
        assert results_of(store, spoiled, answered) == [WriteStatus.NEW, WriteStatus.REPLACED]
    else:
        assert results_of(store, spoiled) + results_of(store, answered) == [
            WriteStatus.NEW,
            WriteStatus.REPLACED,
        ]
    back = store.trial(*answered.key)
    assert [(one.number, one.error) for one in back.attempts] == [
        (1, "a"),
        (2, "b"),
        (3, "c"),
        (4, None),
    ]
    assert (back.outcome, back.text, back.score, back.error, back.weight) == (
        Outcome.SCORED,
        "42",
        answered.score,
        None,
        2.0,
    )
    assert store.count_trials("run-1") == 1


def test_a_completion_of_what_was_spoiled_goes_with_it(store):
    add_run(store)
    partial = a_trial(
        outcome=Outcome.BAD_RESPONSE, score=None, completion=Completion(text="half an ans")
    )
    late = a_trial(outcome=Outcome.TIMEOUT, score=None, score_version=0)
    assert results_of(store, partial, late, late) == [
        WriteStatus.NEW,
        WriteStatus.REPLACED,
        WriteStatus.REPLACED,
    ]
    assert store.trial(*late.key) == late


def test_a_replaced_row_has_a_new_number(store):
    """Whoever follows the store by row number sees the change."""
    add_run(store)
    put(store, a_trial(0, outcome=Outcome.TIMEOUT, score=None), a_trial(1))
    put(store, a_trial(0))
    with store.database.read() as connection:
        rows = connection.execute(select(trials.c.seq, trials.c.case_id).order_by(trials.c.seq))
        assert [case_id for _, case_id in rows] == ["case-1", "case-0"]


def test_scores_are_appended_and_the_newest_is_read(store):
    add_run(store)
    put(store, a_trial())
    versions = [Score(score=at / 4, scorer="exact") for at in range(4)]
    with Writer(store) as writer:
        for score in versions[:3]:
            writer.put_score(a_trial().key, score, actor="ann")
        writer.flush()
        writer.put_score(a_trial().key, versions[3])
    assert store.scores.versions(*a_trial().key) == [a_trial().score, *versions]
    assert store.trial(*a_trial().key).score_version == 5
    assert store.trial(*a_trial().key).score == versions[3]
    with store.database.read() as connection:
        actors = connection.scalars(select(scores.c.actor).order_by(scores.c.version)).all()
    assert actors == ["local", "ann", "ann", "ann", "local"]


def test_a_further_score_may_change_outcome_and_error(store):
    add_run(store)
    broken = a_trial(outcome=Outcome.SCORER_ERROR, error_type="KeyError", error="'x'")
    put(store, broken, a_trial(1))
    with Writer(store) as writer:
        writer.put_score(broken.key, Score(score=1.0), outcome=Outcome.SCORED)
        writer.put_score(
            a_trial(1).key,
            Score(score=None),
            outcome=Outcome.SCORER_ERROR,
            error_type="KeyError",
            error="\x00",
        )
    first, second = store.trials("run-1")
    assert (first.outcome, first.error_type, first.error) == (Outcome.SCORED, None, None)
    assert (second.outcome, second.error_type, second.error) == (
        Outcome.SCORER_ERROR,
        "KeyError",
        "\x00",
    )


def test_a_trial_without_score_gets_its_first(store):
    add_run(store)
    with Writer(store) as writer:
        writer.put(a_trial(score=None))
        writer.put_score(a_trial().key, Score(score=0.5))
    assert store.trial(*a_trial().key).score_version == 1
    assert store.scores.versions(*a_trial().key) == [Score(score=0.5)]


def test_a_score_without_its_trial_stops_the_writer(store):
    add_run(store)
    writer = Writer(store)
    writer.put_score(a_trial().key, Score(score=1.0))
    with pytest.raises(Conflict, match="no trial of case 'case-0' by 'model-a'"):
        writer.close()


@pytest.mark.parametrize(
    "score", [Score(score=float("nan")), Score(score=1.0, detail={"x": object()})]
)
def test_a_score_that_can_not_be_stored_is_refused_by_itself(store, score):
    add_run(store)
    with Writer(store) as writer:
        writer.put(a_trial())
        with pytest.raises(StoreError, match="case case-0"):
            writer.put_score(a_trial().key, score)
        with pytest.raises(StoreError, match="no model 'gpt'"):
            writer.put_score(TrialKey("run-1", "gpt", "case-0"), Score(score=1.0))
    assert store.count_trials("run-1") == 1


def test_several_threads_may_put(store):
    add_run(store, cases=200)
    everything = list(all_trials(200))
    with Writer(store, max_rows=30, queue_rows=50) as writer:
        threads = [
            threading.Thread(target=put_all, args=(writer, everything[part::4]))
            for part in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert list(store.trials("run-1")) == everything


def test_row_numbers_of_several_writers_become_visible_in_their_order(address):
    """What a reader saw up to a number was all there ever came to be up to it."""
    with Store.open(address) as store, Store.open(address) as other:
        add_run(store, cases=150)
        everything = list(all_trials(150))
        seen, done = [], threading.Event()

        def look():
            while not done.is_set():
                with store.database.read() as connection:
                    seen.append(set(connection.scalars(select(trials.c.seq))))

        reader = threading.Thread(target=look)
        reader.start()
        with (
            Writer(store, max_rows=7, max_delay_s=0.001) as one,
            Writer(other, max_rows=5, max_delay_s=0.001) as two,
        ):
            for left, right in zip(everything[::2], everything[1::2], strict=True):
                one.put(left)
                two.put(right)
        done.set()
        reader.join()
        with store.database.read() as connection:
            final = set(connection.scalars(select(trials.c.seq)))
            numbers = final | set(connection.scalars(select(scores.c.seq)))
    assert len(final) == 300
    assert numbers == set(range(1, 601))
    for state in filter(None, seen):
        assert state == {number for number in final if number <= max(state)}
    for before, after in pairwise(seen):
        assert before <= after


def test_a_full_queue_makes_producers_wait(file_store, path):
    add_run(file_store, cases=50)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    put_so_far = []
    with Writer(file_store, queue_rows=5, max_rows=2, max_delay_s=0.001) as writer:

        def produce():
            for trial in all_trials(50):
                writer.put(trial)
                put_so_far.append(trial)

        producer = threading.Thread(target=produce)
        producer.start()
        producer.join(0.3)
        assert producer.is_alive()
        assert len(put_so_far) <= 5 + 2
        blocker.execute("ROLLBACK")
        producer.join(WAIT_S)
    blocker.close()
    assert file_store.count_trials("run-1") == 100


def test_long_answers_fill_the_queue_too(store):
    add_run(store, cases=6)
    long = Completion(text="x" * 1_000_000)
    with Writer(store, queue_bytes=1_500_000, max_delay_s=WAIT_S) as writer:
        put_all(writer, (a_trial(at, completion=long) for at in range(6)))
    assert store.count_trials("run-1") == 6


def test_whoever_watches_hears_of_every_commit(store):
    add_run(store, cases=10)
    seen = []
    with Writer(store, max_delay_s=0.0) as writer:
        writer.watch(lambda: seen.append(store.count_trials("run-1")))
        for trial in all_trials(10):
            writer.put(trial)
            writer.flush()
    assert seen == list(range(1, 21))
    assert writer.error is None


def test_whoever_watches_hears_that_the_writer_stopped(store):
    add_run(store)
    writer, heard = Writer(store), threading.Event()
    writer.watch(heard.set)
    writer.put_score(a_trial().key, Score(score=1.0))
    assert heard.wait(WAIT_S)
    assert isinstance(writer.error, Conflict)
    with pytest.raises(Conflict):
        writer.close()


def test_without_a_delay_a_commit_takes_what_came_during_the_one_before(store):
    add_run(store, cases=200)
    commits = Counter()
    event.listen(store.database.engine, "commit", lambda _: commits.update(["commit"]))
    with Writer(store, max_delay_s=0.0) as writer:
        put_all(writer, all_trials(200))
    assert store.count_trials("run-1") == 400
    assert commits["commit"] < 400


def test_a_closed_writer_takes_nothing(store):
    add_run(store)
    writer = Writer(store)
    writer.close()
    writer.close()
    with pytest.raises(StoreError, match="closed"):
        writer.put(a_trial())


def test_a_read_is_made_in_the_writers_thread_after_the_rows_before_it(store):
    add_run(store)
    with Writer(store, max_delay_s=WAIT_S) as writer:
        put_all(writer, all_trials(3))
        writer.flush()
        read = writer.read(lambda: (threading.current_thread().name, store.count_trials("run-1")))
        assert read.result(WAIT_S) == ("store-writer", 6)


def test_a_read_does_not_wait_for_rows_that_are_not_due(store):
    add_run(store)
    with Writer(store, max_delay_s=WAIT_S) as writer:
        for trial in all_trials(3):
            writer.put(trial)
            assert writer.read(lambda: "read").result(WAIT_S) == "read"
    assert store.count_trials("run-1") == 6


def test_an_error_of_a_read_is_the_readers_alone(store):
    add_run(store)
    with Writer(store) as writer:
        with pytest.raises(ZeroDivisionError):
            writer.read(lambda: 1 / 0).result(WAIT_S)
        writer.put(a_trial())
    assert store.count_trials("run-1") == 1


def test_reads_end_with_the_writer(store):
    add_run(store)
    writer = Writer(store)
    entered, goes_on = threading.Event(), threading.Event()

    def hold(_):
        entered.set()
        goes_on.wait(WAIT_S)
        raise ValueError("the end")

    writer.put(a_trial(), on_durable=hold)
    entered.wait(WAIT_S)
    waiting, unwanted = writer.read(lambda: "read"), writer.read(lambda: "read")
    unwanted.cancel()
    goes_on.set()
    with pytest.raises(StoreError, match="the end"):
        waiting.result(WAIT_S)
    with pytest.raises(StoreError, match="the end"):
        writer.read(lambda: "read")
    writer.close()


def test_reads_that_wait_at_the_close_are_made(store):
    writer = Writer(store)
    entered, goes_on = threading.Event(), threading.Event()
    first = writer.read(lambda: (entered.set(), goes_on.wait(WAIT_S)))
    entered.wait(WAIT_S)
    second = writer.read(lambda: "read")
    goes_on.set()
    writer.close()
    assert (first.result(0), second.result(0)) == ((None, True), "read")
    with pytest.raises(StoreError, match="closed"):
        writer.read(lambda: "read")


def test_the_writer_is_idle_once_everything_is_durable(store):
    add_run(store)
    with Writer(store, max_delay_s=WAIT_S) as writer:
        assert writer.is_idle
        put_all(writer, all_trials(3))
        writer.flush()
        assert writer.is_idle


def test_an_error_in_the_block_is_not_hidden(store):
    add_run(store)
    with pytest.raises(ZeroDivisionError), Writer(store) as writer:  # noqa: PT012  the block itself
        writer.put_score(a_trial().key, Score(score=1.0))
        _ = 1 / 0


def test_a_callback_that_raises_stops_the_writer(store):
    add_run(store)
    writer = Writer(store)
    writer.put(a_trial(), on_durable=lambda _: 1 / 0)
    with pytest.raises(StoreError, match="ZeroDivisionError") as stopped:
        writer.close()
    assert isinstance(stopped.value.__cause__, ZeroDivisionError)
    assert store.count_trials("run-1") == 1


def test_an_error_reaches_every_producer_and_nothing_is_half_written(store):
    add_run(store, cases=20)
    writer = Writer(store, max_rows=10)
    put_all(writer, (a_trial(at, attempts=(attempt(1),)) for at in range(5)))
    writer.flush()
    store.delete_run("run-1")
    put_all(writer, (a_trial(at) for at in range(5, 10)))
    for call in (writer.flush, writer.flush, lambda: writer.put(a_trial(11))):
        with pytest.raises(Conflict, match="was deleted"):
            call()
    writer.close()
    assert store.check().is_ok
    assert store.check().counts["trials"] == 0


def test_a_writer_whose_lease_was_taken_over_writes_nothing(address):
    now = [1000.0]
    with Store.open(address, clock=lambda: now[0]) as store:
        add_run(store)
        lease = store.acquire_lease("run run-1", holder="engine", ttl_s=10)
        writer = Writer(store, lease=lease)
        writer.put(a_trial(0))
        writer.flush()
        now[0] += 11
        store.acquire_lease("run run-1", holder="engine", ttl_s=10)
        writer.put(a_trial(1))
        with pytest.raises(Conflict, match="another process has taken over"):
            writer.close()
        assert store.count_trials("run-1") == 1


def test_a_renewed_lease_still_counts(store):
    add_run(store)
    lease = store.acquire_lease("run run-1", holder="engine", ttl_s=10)
    with Writer(store, lease=lease) as writer:
        store.renew_lease(lease)
        writer.put(a_trial())
    assert store.count_trials("run-1") == 1
