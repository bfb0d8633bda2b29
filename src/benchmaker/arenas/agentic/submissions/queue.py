"""Concurrent submissions: each is durable immediately, and evaluated in a batch with others.

Settling a task reads all of its submissions, and boards read everything. So each submission is
stored by its caller, and one thread evaluates all new ones in a batch. After that it pauses twice
as long as it worked, so that others can proceed.
"""

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions
from benchmaker.arenas.agentic.evaluation.pipeline import give_back
from benchmaker.arenas.agentic.evaluation.profiles import with_boards
from benchmaker.arenas.agentic.evaluation.registered_attempts import bound_by
from benchmaker.arenas.agentic.evaluation.rows import EvaluatedRow
from benchmaker.arenas.agentic.importers.base import Importer
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.skips import Skips
from benchmaker.arenas.agentic.sessions.importing import Imported, Put, put_by, take_in
from benchmaker.arenas.agentic.sessions.price_cache import KnownPrices
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.scan import importers
from benchmaker.arenas.agentic.submissions.evaluator_process import (
    EvaluatorProcess,
    evaluate_together,
    existing_submissions,
    may_pass,
)
from benchmaker.arenas.agentic.submissions.slots import Slots
from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_ids, shipped_task
from benchmaker.arenas.agentic.verify.stored_tasks import stored_form
from benchmaker.errors import BenchmakerError, StoreError
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Lease, Store
from benchmaker.store.agentic.shared_commits import SharedCommits
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus
from benchmaker.store.home import Home

WAIT_S: Final = 20.0
"""Seconds that a submitter waits for the evaluation."""

_WAITERS = 4
"""So many may wait; the others are told that it is kept."""

_AT_ONCE = 2
"""So many logs are read at the same time: more threads would only wait for each other."""

_LARGE_BYTES = 2**20
"""Larger logs keep only each other waiting."""

_ASIDE_S = 0.5
"""What takes longer is done by another process from then on."""

_ASIDE_FROM = 20
"""So is what so many wait for, at once."""

_IDLE_S = 60.0
_TTL_S = 600.0
_AGAIN_S = 2.0
_REST, _LONGEST_REST_S = 2.0, 60.0
_LEAVE_S = 8.0
_LOG = logging.getLogger("benchmaker.agentic")


@dataclass(slots=True)
class Batch:
    """Submissions waiting to be evaluated together under one profile."""

    profile: AgenticProfile
    ids: dict[str, None] = field(default_factory=dict)
    rows: dict[str, EvaluatedRow] = field(default_factory=dict)
    is_awaited: bool = False
    done: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class IntakeReceipt:
    """The submissions read and stored, and their batch."""

    found: Imported
    batch: Batch | None = None

    def rows(self, wait_s: float = WAIT_S) -> tuple[EvaluatedRow, ...]:
        """Return its evaluations if ready within ``wait_s`` seconds; otherwise empty."""
        if self.batch is None or not self.batch.done.wait(wait_s):
            return ()
        rows = self.batch.rows
        return tuple(rows[one.id] for one in self.found.submissions if one.id in rows)


class IntakeQueue:
    """Stores submissions from any thread, and evaluates them in its own thread.

    Args:
        store: returns the open store.
        home: the data folder with the prices.
        clock: returns seconds since 1970.
        address: the store's address, for slow evaluations in another process; without it all run in
            this one.
    """

    def __init__(
        self,
        store: Callable[[], Store],
        home: Path,
        clock: Callable[[], float] = time.time,
        *,
        address: str | Path | None = None,
    ) -> None:
        self._store, self._home, self._clock = store, home, clock
        self._aside = None if address is None else EvaluatorProcess(address, home)
        self._took_s = 0.0
        self._prices = KnownPrices(home)
        self._commits = SharedCommits()
        self._seats, self._seats_of_large = Slots(_AT_ONCE), Slots(_AT_ONCE)
        self._lock = threading.Lock()
        self._marking = threading.Lock()
        self._woken, self._leaving = threading.Event(), threading.Event()
        self._waiting: dict[str, Batch] = {}
        self._arriving = 0
        self._awaited = 0
        self._place: Lease | None = None
        self._is_marked = False
        self._looks_back = False
        self._tasks: set[str] = set()
        self._thread: threading.Thread | None = None

    def submit(
        self,
        path: Path,
        *,
        profile: AgenticProfile,
        task: str | None = None,
        submitter: str | None = None,
        guest: str | None = None,
        attempt: str | None = None,
        waits: bool = True,
    ) -> IntakeReceipt:
        """Store the sessions in a file; durable on return.

        Repetition changes nothing. Submissions of a ``guest`` wait for a moderator, and are
        evaluated after acceptance. ``attempt`` is its registered attempt. With ``waits`` the caller
        may wait for the evaluation, unless many wait already.

        Raises:
            TranscriptError: the file's format is not recognised.
            StoreError: nothing of it is stored, or only the first of several sessions.
        """
        store = self._store()
        with self._recovery_mark(store):
            taken = self._import(store, path, task, submitter, guest=guest, attempt=attempt)
            batch = self._line_up(profile, taken.counted_ids, waits=waits)
        self._wake()
        return IntakeReceipt(taken, batch)

    def look_back(self) -> None:
        """Evaluate submissions left by killed processes, as soon as the store is reachable."""
        self._looks_back = True
        self._wake()

    def stop_soon(self) -> None:
        """Stop evaluating, without waiting; safe in signal handlers."""
        self._leaving.set()
        self._woken.set()

    def leave(self) -> None:
        """Stop, and wait briefly for the current batch; the rest is left for the next process."""
        self.stop_soon()
        if self._thread is not None:
            self._thread.join(_LEAVE_S)
        self._end_aside()

    # Taking in

    def _import(
        self,
        store: Store,
        path: Path,
        task: str | None,
        submitter: str | None,
        *,
        guest: str | None,
        attempt: str | None,
    ) -> Imported:
        if task is not None and task not in self._tasks and task in shipped_ids():
            store.agentic.put_task(stored_form(shipped_task(task)))
            self._tasks.add(task)
        skips = Skips()
        seats = self._seats_of_large if _is_large(path) else self._seats
        with seats.acquire() as seat:

            def put(store: Store, given: NewSubmission) -> PutStatus:
                seat.end()  # others may read while this is stored
                return store.agentic.put_with_others(self._commits, given)

            kept: Put = put if guest is None else put_by(guest)
            return take_in(
                [path],
                nullcontext(store),
                readers=self._readers,
                options=Options(skip=skips),
                skips=skips,
                pricer=self._pricer,
                task=task,
                submitter=submitter,
                task_is_chosen=True,
                bare_names=True,
                put=kept if attempt is None else bound_by(kept, attempt),
                clock=self._clock,
            )

    @cached_property
    def _readers(self) -> tuple[Importer, ...]:
        return importers()

    def _pricer(self) -> Pricer:
        return Pricer(self._prices.prices(), now=self._clock())

    @contextmanager
    def _recovery_mark(self, store: Store) -> Iterator[None]:
        """Hold a recovery mark; on exit everything before it is stored."""
        with self._lock:
            self._arriving += 1
        try:
            with self._marking:
                if not self._is_marked:
                    self._mark(store)
            yield
        finally:
            with self._lock:
                self._arriving -= 1

    def _mark(self, store: Store) -> None:
        if self._place is not None:
            with suppress(StoreError):  # another has it, after a long pause
                self._place = store.renew_lease(self._place)
                store.pending_slots.mark(self._place)
                self._is_marked = True
                return
        self._looks_back = True
        self._place = store.pending_slots.acquire(ttl_s=_TTL_S)
        store.pending_slots.mark(self._place)
        self._is_marked = True

    def _line_up(self, profile: AgenticProfile, ids: Sequence[str], *, waits: bool) -> Batch | None:
        if not ids:
            return None
        with self._lock:
            batch = self._waiting.setdefault(profile.id, Batch(profile))
            batch.ids.update(dict.fromkeys(ids))
            if not waits or self._leaving.is_set() or self._awaited >= _WAITERS:
                return None
            self._awaited += 1
            batch.is_awaited = True
            return batch

    # Evaluating

    def _wake(self) -> None:
        with self._lock:
            if self._thread is None and not self._leaving.is_set():
                self._thread = threading.Thread(
                    target=self._run, name="benchmaker-desk", daemon=True
                )
                self._thread.start()
        self._woken.set()

    def _run(self) -> None:
        while not self._leaving.is_set():
            if not self._woken.wait(_IDLE_S):
                self._end_aside()
                self._woken.wait()
            self._woken.clear()
            began = time.monotonic()
            try:
                self._work()
                rest_s = min(_REST * (time.monotonic() - began), _LONGEST_REST_S)
            except StoreError as error:
                _LOG.warning("submissions wait for the store: %s", error)
                rest_s = _AGAIN_S
                self._woken.set()
            except Exception:  # noqa: BLE001  the next that comes is not to wait for it
                _LOG.exception("evaluation of submissions failed")
                rest_s = _AGAIN_S
            self._leaving.wait(rest_s)
        self._let_go()

    def _work(self) -> None:
        store = self._store()
        if self._looks_back:
            self._take_up(store)
        with closing(self._collect_batches()) as batches:
            for batch in batches:
                if self._leaving.is_set():
                    return
                self._evaluate(store, batch)
                batch.done.set()
        self._unmark(store)

    def _collect_batches(self) -> Generator[Batch, None, None]:
        """Yield the waiting batches in order; unfinished ones are put back at the end."""
        with self._lock:
            batches, self._waiting = list(self._waiting.values()), {}
            self._awaited = 0
        try:
            yield from batches
        finally:
            self._put_back([one for one in batches if not one.done.is_set()])

    def _put_back(self, batches: Sequence[Batch]) -> None:
        with self._lock:
            for batch in batches:
                later = self._waiting.get(batch.profile.id)
                if later is not None:
                    batch.ids.update(later.ids)
                    later.done.set()
                self._waiting[batch.profile.id] = batch

    def _evaluate(self, store: Store, batch: Batch) -> None:
        """All together; where that fails each by itself, so that one does not hinder the others."""
        try:
            self._evaluate_ids(store, batch, list(batch.ids))
        except Exception as error:
            if may_pass(error):
                raise
            if len(batch.ids) > 1:
                _LOG.exception(
                    "evaluation of a batch failed; evaluating its submissions one by one"
                )
            for one in batch.ids:
                self._evaluate_alone(store, batch, one)

    def _evaluate_alone(self, store: Store, batch: Batch, one: str) -> None:
        try:
            self._evaluate_ids(store, batch, [one])
        except Exception as error:
            if may_pass(error):
                raise
            _LOG.exception("evaluation of submission %s failed", one)

    def _evaluate_ids(self, store: Store, batch: Batch, ids: Sequence[str]) -> None:
        """In this process while it is quick, then in another, which leaves this one free."""
        began = time.monotonic()
        is_much = self._took_s > _ASIDE_S or len(ids) > _ASIDE_FROM
        if self._aside is not None and is_much:
            give_back(store)
            rows = self._aside.evaluate(batch.profile, ids, is_awaited=batch.is_awaited)
        else:
            rows = evaluate_together(
                store,
                EvaluationOptions(profile=batch.profile, place=Home(self._home), clock=self._clock),
                existing_submissions(store, ids),
                pricer=self._pricer(),
                is_awaited=batch.is_awaited,
                ids=ids,
            )
            self._took_s = time.monotonic() - began
        batch.rows.update((row.submission_id, row) for row in rows)

    def _unmark(self, store: Store) -> None:
        """Take the mark away where nothing is behind it any more."""
        with self._marking:
            with self._lock:
                is_idle = not self._waiting and not self._arriving
            if self._place is not None and self._is_marked and is_idle:
                store.pending_slots.unmark(self._place)
                self._is_marked = False
            elif self._place is not None and self._is_marked:
                self._place = store.renew_lease(self._place)

    def _take_up(self, store: Store) -> None:
        """Evaluate what lies behind the marks of those that were killed."""
        for place in store.pending_slots.acquire_abandoned(ttl_s=_TTL_S):
            since = store.pending_slots.marks().get(place.name)
            if since is not None:
                ids = list(store.pending_slots.stored_since(since))
                _LOG.info("submissions left by another", extra={"fields": {"number": len(ids)}})
                for profile in with_boards(store):
                    self._evaluate(store, Batch(profile, dict.fromkeys(ids)))
                store.pending_slots.unmark(place)
            store.release_lease(place)
        self._looks_back = False

    def _end_aside(self) -> None:
        """The other process is not needed any more, or not for a while."""
        if self._aside is not None:
            self._aside.end()

    def _let_go(self) -> None:
        """Tell waiting callers that there is no result yet; the mark is kept if work remains."""
        with self._lock:
            left = list(self._waiting.values())
            self._waiting.clear()
        for batch in left:
            batch.done.set()
        with suppress(BenchmakerError):
            if self._place is not None:
                self._store().release_lease(self._place)


def _is_large(path: Path) -> bool:
    try:
        return path.stat().st_size > _LARGE_BYTES
    except OSError:  # said where it is read
        return False
