"""The parts of the store for tasks, verifications, evaluations, reviews and boards."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from benchmaker.store.agentic.boards import BoardStore
from benchmaker.store.agentic.evaluations import EvaluationStore
from benchmaker.store.agentic.metric_rows import MetricStore
from benchmaker.store.agentic.moderation import ModerationStore
from benchmaker.store.agentic.profiles import ProfileStore
from benchmaker.store.agentic.registered_attempts import AttemptListing
from benchmaker.store.agentic.reviews import ReviewStore
from benchmaker.store.agentic.row_ids import RowIdStore
from benchmaker.store.agentic.shared_commits import SharedCommits
from benchmaker.store.agentic.submission_listing import SessionListing
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus, SubmissionBatches
from benchmaker.store.agentic.tasks import TaskStore
from benchmaker.store.agentic.verifications import VerificationStore

if TYPE_CHECKING:  # numpy loads only when columns are asked for
    from benchmaker.record.submissions.metric_columns import MetricColumns


class AgenticStore(
    SubmissionBatches,
    SessionListing,
    RowIdStore,
    AttemptListing,
    TaskStore,
    VerificationStore,
    MetricStore,
    EvaluationStore,
    ReviewStore,
    ModerationStore,
    BoardStore,
    ProfileStore,
):
    """The stored data of the Agentic Arena, besides the submissions themselves."""

    def put_with_others(self, commits: SharedCommits, given: NewSubmission) -> PutStatus:
        """Store a submission in one transaction with those of other threads."""
        return commits.put(self.database, given)

    def metric_columns(self) -> "Iterator[MetricColumns]":
        """Yield the figures of all submissions as columns, in parts.

        Parts read before are cached.
        """
        from benchmaker.store.agentic.metric_chunks import read_chunks  # noqa: PLC0415  loads numpy

        return read_chunks(self.database)

    def task_columns(self, task_ids: Iterable[str]) -> "MetricColumns":
        """Return the figures of all submissions to these tasks as columns."""
        from benchmaker.store.agentic.metric_chunks import read_tasks  # noqa: PLC0415  loads numpy

        return read_tasks(self.database, list(task_ids))
