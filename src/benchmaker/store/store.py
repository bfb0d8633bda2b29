"""The store: one object for all records."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmaker.store.agentic.deletions import SubmissionDeletion
from benchmaker.store.agentic.submission_listing import SubmissionListing
from benchmaker.store.agentic.submissions import SubmissionStore
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.database import Database, retry_reads
from benchmaker.store.database.leases import LeaseStore
from benchmaker.store.database.schema import prepare
from benchmaker.store.judges.calibrations import CalibrationStore
from benchmaker.store.judges.labels import LabelStore
from benchmaker.store.queues.outbox import MessageStore
from benchmaker.store.rooms import Rooms
from benchmaker.store.runs.answer_cache import AnswerCache
from benchmaker.store.runs.costs import CostStore
from benchmaker.store.runs.embeddings import EmbeddingStore
from benchmaker.store.runs.failure_causes import FailureCauseStore
from benchmaker.store.runs.judge_scorings import JudgeScoringStore
from benchmaker.store.runs.judgments import JudgmentStore
from benchmaker.store.runs.names import RunNames
from benchmaker.store.runs.retries import RetryStore
from benchmaker.store.runs.runs import RunStore
from benchmaker.store.runs.stopped_models import StoppedModelStore
from benchmaker.store.runs.sums import TotalStore
from benchmaker.store.runs.trials import TrialReader, TrialStore
from benchmaker.store.suites.suites import SuiteStore
from benchmaker.store.upkeep.counts import RowCounts
from benchmaker.store.upkeep.maintenance import Maintenance

if TYPE_CHECKING:  # numpy loads only when columns are asked for
    from benchmaker.record.score_columns import ScoreColumns
    from benchmaker.store.agentic.agentic import AgenticStore
    from benchmaker.store.people.accounts import AccountStore


class Store(
    Rooms,
    SuiteStore,
    RunStore,
    RunNames,
    TrialReader,
    TrialStore,
    CostStore,
    FailureCauseStore,
    StoppedModelStore,
    RetryStore,
    TotalStore,
    AnswerCache,
    JudgmentStore,
    EmbeddingStore,
    JudgeScoringStore,
    LabelStore,
    SubmissionStore,
    SubmissionListing,
    SubmissionDeletion,
    CalibrationStore,
    LeaseStore,
    MessageStore,
    Maintenance,
    RowCounts,
):
    """All records, in a file of SQLite or in PostgreSQL; both behave the same.

    Methods raise :class:`~benchmaker.errors.StoreError` if the database cannot perform an operation
    (subclasses: Conflict, Corrupt, SchemaTooNew); the message has fault, place and remedy. Trials,
    scores and judgments are written by :class:`~benchmaker.store.writer.Writer`.
    """

    @classmethod
    def open(
        cls,
        address: str | Path,
        *,
        read_only: bool = False,
        busy_timeout_s: float = 30.0,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open the store at a path, ``sqlite:///path`` or ``postgresql://…``.

        A missing file is created with its folder, both accessible only to their owner. An older
        file is upgraded, after a backup copy next to it; PostgreSQL only on request, see
        :func:`benchmaker.store.database.schema.upgrade`. ``busy_timeout_s`` is the maximum wait for
        another writing process; ``clock`` returns seconds since 1970.

        Raises:
            SpecError: another form of address.
            PrerequisiteError: PostgreSQL's driver is not installed.
            StoreError: it cannot be opened; the subclasses SchemaTooNew, SchemaTooOld, Corrupt,
                Conflict and Unreachable give the reason.
        """
        database = Database(
            parse_address(address), read_only=read_only, busy_timeout_s=busy_timeout_s, clock=clock
        )
        try:
            prepare(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def close(self) -> None:
        """Close every connection."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write_transaction(self) -> AbstractContextManager[None]:
        """Make all writes of this thread in the block durable together at its end, or none."""
        return self.database.write_transaction()

    def count_trials(self, run_id: str) -> int:
        """Return the number of the run's trials with a row."""
        return sum(self.outcomes([run_id])[run_id].values())

    @retry_reads
    def columns(self, run_ids: Sequence[str]) -> "ScoreColumns":
        """Return the latest scores of runs of one suite as columns; else NotComparable."""
        from benchmaker.store.runs.columns import read_columns  # noqa: PLC0415  loads numpy

        return read_columns(self.database, run_ids)

    @property
    def agentic(self) -> "AgenticStore":
        """Tasks, verifications, evaluations, reviews and boards."""
        from benchmaker.store.agentic.agentic import AgenticStore  # noqa: PLC0415  for few commands

        return AgenticStore(self.database)

    @cached_property
    def accounts(self) -> "AccountStore":
        """People, teams, tokens, sign-ins, the audit log and secrets."""
        from benchmaker.store.people.accounts import AccountStore  # noqa: PLC0415  only where there are any

        return AccountStore(self.database)
