"""The single thread that writes rows, many per commit."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, NoReturn, Self, TypeVar

from sqlalchemy import Connection

from benchmaker.errors import StoreError
from benchmaker.record import Completion, Judgment, Outcome, Score, Trial, TrialKey
from benchmaker.store.database.escaping import escape, escape_or_none
from benchmaker.store.database.idempotent import IdempotentWriter
from benchmaker.store.database.json_values import encode
from benchmaker.store.database.leases import Lease, refuse_lost
from benchmaker.store.runs.batch import Item, NewCached, NewScore, WriteStatus, write_batch
from benchmaker.store.runs.judgments import judgment_row
from benchmaker.store.runs.runs import RunNumber, run_number
from benchmaker.store.runs.small_batches import SmallBatchWriter
from benchmaker.store.runs.trial_rows import score_row, trial_rows
from benchmaker.store.store import Store

__all__ = ["OnCommit", "OnDurable", "WriteStatus", "Writer"]

OnDurable = Callable[[WriteStatus], object]
"""Called in the writer's thread when the row is durable; it must be quick, and must not raise."""

OnCommit = Callable[[], object]
"""Called in the writer's thread after each commit, and when an error has stopped the writer."""

T = TypeVar("T")

_REST = 4
"""Ratio of the pause after a commit to the duration of the commit, which limits their cost."""


class _QueuedItem(NamedTuple):
    item: Item
    size: int
    on_durable: OnDurable | None


class _Read(NamedTuple):
    function: Callable[[], Any]
    result: Future[Any]

    def run(self) -> None:
        """Run the function and report its result, unless nobody waits for it any more."""
        if not self.result.set_running_or_notify_cancel():
            return
        try:
            self.result.set_result(self.function())
        except BaseException as exc:  # noqa: BLE001  it is raised where the result is awaited
            self.result.set_exception(exc)

    def fail(self, error: StoreError) -> None:
        """Report that the function is not called."""
        if self.result.set_running_or_notify_cancel():
            self.result.set_exception(error)


class Writer:
    """Writes trials and scores to a store, in the order of arrival.

    A trial, its completion, its attempts and its score become durable together, or none of them. A
    single row is committed immediately. After a commit the writer pauses four times as long as that
    took, at most ``max_delay_s``, and then commits all queued rows, or as soon as there are
    ``max_rows``. If callers wait for each row, ``max_delay_s`` is 0 or a few milliseconds: with 0,
    a commit takes the rows queued during the previous one. The queue holds at most ``queue_rows``
    rows or ``queue_bytes`` of text; then :meth:`put` waits.

    Row numbers are drawn inside the transaction from one counter, whose row (on SQLite: whose file)
    stays locked until the commit. So several writers, in several processes, may write into one
    store: their numbers never collide, and become visible in order, on PostgreSQL too.

    With a ``lease``, each commit verifies that it is still held; a process presumed dead cannot
    overwrite its successor.

    If a PostgreSQL server restarts, or a connection breaks, the writer waits up to two minutes; the
    interrupted batch is written again, unless it is already durable.

    Any other database error stops the writer: acknowledged rows are stored, others are lost, and
    every later :meth:`put` and :meth:`flush` raises that error.

    May be used from several threads. Use it as a context manager, or close it.
    """

    def __init__(
        self,
        store: Store,
        *,
        lease: Lease | None = None,
        max_delay_s: float = 0.05,
        max_rows: int = 2_000,
        queue_rows: int = 4_000,
        queue_bytes: int = 32_000_000,
    ) -> None:
        self._database = store.database
        self._arrivals = SmallBatchWriter(store.database)
        self._once = IdempotentWriter(store.database)
        self._lease = lease
        self._max_delay_s = max_delay_s
        self._max_rows = max_rows
        self._queue_rows = queue_rows
        self._queue_bytes = queue_bytes
        self._runs: dict[str, RunNumber] = {}
        self._queue: deque[_QueuedItem] = deque()
        self._reads: deque[_Read] = deque()
        self._bytes = 0
        self._committed_at = -math.inf
        self._took_s = 0.0
        self._put = self._durable = self._wanted = 0
        self._closing = self._reported = self._is_resting = False
        self._error: StoreError | None = None
        self._on_commit: OnCommit | None = None
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        self._room = threading.Condition(lock)
        self._progress = threading.Condition(lock)
        self._thread = threading.Thread(target=self._write, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def error(self) -> StoreError | None:
        """The error that stopped the writer; None while it works."""
        return self._error

    def watch(self, on_commit: OnCommit) -> None:
        """Call this function after each commit, and when the writer stops; it must not raise."""
        self._on_commit = on_commit

    def put(self, trial: Trial, *, on_durable: OnDurable | None = None) -> None:
        """Queue the trial for writing; waits while the queue is full.

        ``on_durable`` is called with the result: NEW, REPLACED (of an infrastructure failure) or
        KEPT (the key had a row, which is kept). ``trial.score_version`` is not read: versions count
        up in the store.

        Raises:
            StoreError: the writer has stopped, or this single trial cannot be stored.
        """
        rows = trial_rows(trial, self._run_number(trial.run_id))
        self._enqueue(_QueuedItem(rows, rows.size, on_durable))

    def put_score(
        self,
        key: TrialKey,
        score: Score,
        *,
        outcome: Outcome | None = None,
        error_type: str | None = None,
        error: str | None = None,
        flags: tuple[str, ...] | None = None,
        actor: str = "local",
        on_durable: OnDurable | None = None,
    ) -> None:
        """Queue a new version of the trial's score for writing; earlier versions are kept.

        With an ``outcome``, the trial's outcome becomes this one, and its error the given one. With
        ``flags``, they become those of the trial. A missing trial stops the writer with a Conflict.

        Raises:
            StoreError: the writer has stopped, or this single score cannot be stored.
        """
        run = self._run_number(key.run_id)
        if key.model not in run.ranks:
            raise StoreError(f"run {key.run_id} has no model {key.model!r}.")
        try:
            row = score_row(score)
        except (TypeError, ValueError) as exc:
            raise StoreError(
                f"the score can't be stored: {exc}.",
                where=f"run {key.run_id}, model {key.model}, case {key.case_id}",
            ) from exc
        new = NewScore(
            key=key,
            run_seq=run.seq,
            model_rank=run.ranks[key.model],
            case_id=escape(key.case_id),
            row=row,
            actor=escape(actor),
            changes=_changes(outcome, error_type, error) | _flags(flags),
        )
        self._enqueue(_QueuedItem(new, len(row[-1]), on_durable))

    def put_judgment(
        self,
        judgment: Judgment,
        *,
        vectors: Mapping[str, bytes] = MappingProxyType({}),
        on_durable: OnDurable | None = None,
    ) -> None:
        """Queue a judge's reply, or its failure, for writing.

        ``vectors`` are the embeddings of the reply by key; they become durable together with it,
        and an existing one under a key is kept.

        Raises:
            StoreError: the writer has stopped, or this single judgment cannot be stored.
        """
        run_seq = self._run_number(judgment.run_id).seq if judgment.run_id is not None else None
        try:
            new = judgment_row(judgment, run_seq, vectors)
        except (TypeError, ValueError) as exc:
            raise StoreError(f"the judgment can't be stored: {exc}.") from exc
        self._enqueue(_QueuedItem(new, new.size, on_durable))

    def put_cached(self, key: str, completion: Completion) -> None:
        """Queue an answer for the cache; an existing one with that key is kept.

        Raises:
            StoreError: the writer has stopped.
        """
        new = NewCached(key, encode(completion))
        self._enqueue(_QueuedItem(new, len(new.body), None))

    def read(self, function: Callable[[], T]) -> "Future[T]":
        """Call a function that reads the store, between two commits, in the writer's thread.

        A thread and a connection for a few reads would take longer than the reads themselves.

        Raises:
            StoreError: the writer has stopped.
        """
        result: Future[T] = Future()
        with self._work:
            if self._is_halted:
                self._refuse()
            self._reads.append(_Read(function, result))
            self._work.notify()
        return result

    @property
    def is_idle(self) -> bool:
        """True if all queued items are durable."""
        return self._durable == self._put

    def flush(self) -> None:
        """Wait until all queued items are durable; StoreError if the writer has stopped."""
        with self._work:
            wanted = self._wanted = self._put
            self._work.notify()
            while self._durable < wanted and self._error is None:
                self._progress.wait()
            if self._durable < wanted:
                self._refuse()

    def close(self) -> None:
        """Write the queue and stop.

        Raises:
            StoreError: the writer had stopped with an unreported error.
        """
        self._stop()
        with self._work:
            if self._error is not None and not self._reported:
                self._refuse()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._stop()

    def _run_number(self, run_id: str) -> RunNumber:
        known = self._runs.get(run_id)
        if known is None:
            known = self._runs[run_id] = self._database.retry(lambda: self._read_run(run_id))
        return known

    def _read_run(self, run_id: str) -> RunNumber:
        with self._database.read() as connection:
            return run_number(connection, self._database, run_id)

    def _enqueue(self, waiting: _QueuedItem) -> None:
        with self._work:
            while self._is_full() and not self._is_halted:
                self._room.wait()
            if self._is_halted:
                self._refuse()
            self._queue.append(waiting)
            self._bytes += waiting.size
            self._put += 1
            if self._is_due() or (len(self._queue) == 1 and not self._is_resting):
                self._work.notify()

    @property
    def _is_halted(self) -> bool:
        return self._closing or self._error is not None

    def _refuse(self) -> NoReturn:
        self._reported = True
        raise self._error or StoreError("the writer is closed.", where=str(self._database.address))

    def _is_full(self) -> bool:
        return len(self._queue) >= self._queue_rows or self._bytes >= self._queue_bytes

    def _is_due(self) -> bool:
        return (
            len(self._queue) >= self._max_rows
            or self._bytes >= self._queue_bytes
            or self._wanted > self._durable
            or self._closing
        )

    def _stop(self) -> None:
        with self._work:
            self._closing = True
            self._work.notify()
            self._room.notify_all()
        self._thread.join()

    def _write(self) -> None:
        try:
            while self._wait_for_work():
                self._run_reads()
                if batch := self._next_batch():
                    self._write_durably(batch)
        except BaseException as exc:  # noqa: BLE001  it is raised where rows are put
            self._fail(exc)
            self._notify_commit()
        finally:
            self._arrivals.close()
            self._once.close()

    def _write_durably(self, batch: list[_QueuedItem]) -> None:
        results = self._commit(batch)
        for waiting, result in zip(batch, results, strict=True):
            if waiting.on_durable is not None:
                waiting.on_durable(result)
        self._note_durable(len(batch))
        self._notify_commit()

    def _run_reads(self) -> None:
        while self._reads:
            self._reads.popleft().run()

    def _wait_for_work(self) -> bool:
        """Wait for something to write or read; False after closing."""
        with self._work:
            self._rest()
            while not (self._queue or self._reads or self._closing):
                self._work.wait()
            return bool(self._queue or self._reads)

    def _rest(self) -> None:
        """Pause after a commit, until its rest is over or something is due.

        Meanwhile a queued row does not wake this thread, which would interrupt the one that works.
        """
        due_at = self._committed_at + min(self._max_delay_s, _REST * self._took_s)
        self._is_resting = True
        while not (self._is_due() or self._reads) and (left := due_at - time.monotonic()) > 0:
            self._work.wait(left)
        self._is_resting = False

    def _notify_commit(self) -> None:
        if self._on_commit is not None:
            self._on_commit()

    def _next_batch(self) -> list[_QueuedItem]:
        """Return the next batch to commit; empty if nothing is queued."""
        with self._work:
            size = min(len(self._queue), self._max_rows)
            batch = [self._queue.popleft() for _ in range(size)]
            self._bytes -= sum(waiting.size for waiting in batch)
            self._room.notify_all()
            return batch

    def _commit(self, batch: list[_QueuedItem]) -> list[WriteStatus]:
        began = time.monotonic()
        results = self._results([waiting.item for waiting in batch], self._database.now_utc())
        self._committed_at = time.monotonic()
        self._took_s = self._committed_at - began
        return results

    def _results(self, items: list[Item], now: str) -> list[WriteStatus]:
        """Write the items in a separate transaction."""
        if self._arrivals.write(items, lease=self._lease, now=now):
            return [WriteStatus.NEW] * len(items)

        def write(connection: Connection) -> list[WriteStatus]:
            if self._lease is not None:
                refuse_lost(connection, self._lease)
            return write_batch(connection, items, now=now)

        return self._once.write(write)

    def _note_durable(self, number: int) -> None:
        with self._work:
            self._durable += number
            self._progress.notify_all()

    def _fail(self, exc: BaseException) -> None:
        if isinstance(exc, StoreError):
            error = exc
        else:
            error = StoreError(f"the writer stopped: {exc!r}.", where=str(self._database.address))
            error.__cause__ = exc
        with self._work:
            self._error = error
            self._queue.clear()
            self._bytes = 0
            self._room.notify_all()
            self._progress.notify_all()
        for read in self._reads:
            read.fail(error)


def _changes(outcome: Outcome | None, error_type: str | None, error: str | None) -> dict[str, Any]:
    if outcome is None:
        return {}
    return {
        "outcome": outcome.value,
        "error_type": escape_or_none(error_type),
        "error": escape_or_none(error),
    }


def _flags(flags: tuple[str, ...] | None) -> dict[str, Any]:
    return {} if flags is None else {"flags": encode(flags) if flags else None}
