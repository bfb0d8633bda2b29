"""Submissions stored by several threads in one transaction.

A commit waits for the disk, and every statement for the database; both cost the same for one
submission and for some. A submission that arrives during a transaction waits for its end, and is
then stored together with all others that arrived meanwhile.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmaker.errors import StoreError, Unreachable
from benchmaker.store.agentic.submissions import (
    NewSubmission,
    PutStatus,
    SubmissionBatches,
)
from benchmaker.store.database.database import Database

_MOST: Final = 64
"""Maximum number of submissions in one transaction."""

_QUICK_S: Final = 5.0
"""Only a batch that failed within these seconds is retried one by one."""


@dataclass(slots=True, eq=False)
class _PendingCommit:
    """A submission to store, with its result."""

    given: NewSubmission
    woken: threading.Event = field(default_factory=threading.Event)
    kept: PutStatus | None = None
    error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        return self.kept is not None or self.error is not None


class SharedCommits:
    """Stores submissions of any thread; each is durable when its thread returns.

    One of the waiting threads leads and stores all submissions. Then the first that arrived in the
    meantime leads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_PendingCommit] = []
        self._is_led = False

    def put(self, database: Database, given: NewSubmission) -> PutStatus:
        """Store a submission, together with those of other threads.

        The parts of its trace are read here, so that their faults do not affect others.

        Raises:
            StoreError: it is probably not stored; it may be stored again.
        """
        parts = given.parts and {name: list(chunks) for name, chunks in given.parts.items()}
        own = _PendingCommit(given._replace(parts=parts))
        with self._lock:
            self._waiting.append(own)
            leads, self._is_led = not self._is_led, True
        if not leads:
            own.woken.wait()
        if not own.is_done:
            self._lead(database)
        if own.kept is not None:
            return own.kept
        raise own.error or StoreError("it is not stored.", where=str(database.address))

    def _lead(self, database: Database) -> None:
        """Store the waiting submissions, and pass the lead on."""
        with self._lock:
            group, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        try:
            _store(database, group)
        except BaseException as error:
            _fail(group, error)
            raise
        finally:
            with self._lock:
                self._is_led = bool(self._waiting)
                following = self._waiting[:1]
            for one in (*group, *following):
                one.woken.set()


def _store(database: Database, group: Sequence[_PendingCommit]) -> None:
    """Store all in one transaction; if that fails, each separately."""
    began = time.monotonic()
    try:
        made = SubmissionBatches(database).put_submissions([one.given for one in group])
    except Exception as error:  # noqa: BLE001  it is raised where it belongs
        is_of_all = isinstance(error, Unreachable) or time.monotonic() - began > _QUICK_S
        if is_of_all or len(group) == 1:
            _fail(group, error)
            return
        for one in group:
            _store(database, [one])
        return
    for one, kept in zip(group, made, strict=True):
        one.kept = kept


def _fail(group: Sequence[_PendingCommit], error: BaseException) -> None:
    for one in group:
        if not one.is_done:
            one.error = error
