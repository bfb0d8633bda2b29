"""The store's rooms for tasks, verifications, evaluations, reviews and boards."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchmaker.record.account import RegisteredAttempt
from benchmaker.record.submissions.evaluation import (
    BaselineSnapshot,
    Evaluation,
    Flag,
    Moderation,
    ModerationState,
    Review,
    ReviewState,
    Verification,
)
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import Submission
from benchmaker.store.agentic import (
    boards,
    evaluations,
    moderation,
    profiles,
    registered_attempts,
    reviews,
    row_ids,
    submission_listing,
    submissions,
    tasks,
    verifications,
)
from benchmaker.store.agentic.boards import StoredBoard
from benchmaker.store.agentic.moderation import PendingSubmission
from benchmaker.store.agentic.profiles import StoredProfile
from benchmaker.store.agentic.row_ids import Namesake
from benchmaker.store.agentic.shared_commits import SharedCommits
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus
from benchmaker.store.agentic.tasks import StoredTask
from benchmaker.store.database.database import Database
from benchmaker.store.queues.outbox import Message

if TYPE_CHECKING:  # numpy loads only when columns are asked for
    from benchmaker.record.submissions.metric_columns import MetricColumns


class AgenticStore:
    """The stored data of the Agentic Arena, besides the submissions themselves."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # Submissions

    def put_submissions(self, given: Sequence[NewSubmission]) -> list[PutStatus]:
        """Keep several submissions: all of them, or none."""
        return submissions.put_submissions(self.database, given)

    def put_with_others(self, commits: SharedCommits, given: NewSubmission) -> PutStatus:
        """Keep a submission in one transaction with those of other threads."""
        return commits.put(self.database, given)

    def put_part(self, submission_id: str, part: str, chunks: Iterable[bytes]) -> None:
        """Store a part of the newest revision's trace, replacing any that is there."""
        submissions.put_part(self.database, submission_id, part, chunks)

    def submissions_of(self, ids: Sequence[str]) -> list[Submission]:
        """Return the latest revisions of these ids, in the order given; unknown ids are skipped."""
        return submissions.read_submissions(self.database, ids)

    def count_submissions(self, **wanted: Any) -> int:  # noqa: ANN401  as Store.submissions has them
        """Return the number of submissions :meth:`Store.submissions` lists with these arguments."""
        return submission_listing.count_submissions(self.database, **wanted)

    def submissions_of_sessions(self, sessions: Sequence[str]) -> Iterator[Submission]:
        """The newest revision of each submission whose log names one of these sessions."""
        return submission_listing.list_submissions_of(self.database, sessions)

    def repeated_sessions(self) -> frozenset[str]:
        """The ids of sessions that more than one stored revision names."""
        return submission_listing.repeated_sessions(self.database)

    def has_row(self, row_id: str) -> bool:
        """True if any submission is a table row with that id."""
        return any(row_ids.stored_namesakes(self.database, [row_id]))

    def namesakes(self, ids: Sequence[str]) -> Iterator[Namesake]:
        """The stored rows of tables with these ids."""
        return row_ids.stored_namesakes(self.database, ids)

    def older_sources(self, importer: str) -> tuple[str, ...]:
        """The hashes of tables whose rows were stored when rows were identified by their file."""
        return row_ids.older_sources(self.database, importer)

    def sort_by_arrival(self, submission_ids: Sequence[str]) -> list[str]:
        """The ids of these that are stored, in order of arrival."""
        return row_ids.sort_by_arrival(self.database, submission_ids)

    def attempts(self) -> tuple[RegisteredAttempt, ...]:
        """Every attempt, the first first; each numbered among those of its system at its task."""
        return registered_attempts.all_attempts(self.database)

    def row_ids(self, submission_ids: Sequence[str]) -> dict[str, str]:
        """The row ids of these submissions, for those that are table rows with an id."""
        return row_ids.row_ids_of(self.database, submission_ids)

    def traces(self, ids: Sequence[str], part: str) -> Mapping[str, Iterable[bytes]]:
        """Return the chunks of a part of each submission's trace, for those that have the part."""
        return submissions.read_traces(self.database, ids, part)

    # Tasks

    def put_task(self, task: StoredTask) -> bool:
        """Keep a task as the newest of its id; False when it was there already."""
        return tasks.put_task(self.database, task)

    def task(self, task_id: str, *, digest: str | None = None) -> StoredTask | None:
        """Return the latest task with that id, or the one with that content; None if unknown."""
        return tasks.find_task(self.database, task_id, digest=digest)

    def tasks_of(self, task_ids: Sequence[str]) -> dict[str, StoredTask]:
        """The newest task of each of these ids that has one."""
        return tasks.find_tasks(self.database, task_ids)

    def tasks(self) -> tuple[StoredTask, ...]:
        """The newest of each id, by id."""
        return tasks.list_tasks(self.database)

    # Verifications

    def add_verification(self, verification: Verification) -> None:
        """Keep it; it is the one that counts for its submission from now on."""
        verifications.add_verification(self.database, verification)

    def verification(self, submission_id: str) -> Verification | None:
        """Return the last verification of a submission; None without one."""
        return verifications.find_verification(self.database, submission_id)

    def newest_verifications(self, submission_ids: Sequence[str]) -> dict[str, Verification]:
        """The last one of each of these submissions that has any."""
        return verifications.newest_verifications(self.database, submission_ids)

    def verifications(self, submission_id: str) -> tuple[Verification, ...]:
        """All of a submission, the last first."""
        return verifications.list_verifications(self.database, submission_id)

    # Figures, snapshots, evaluations

    def put_metrics(self, rows: Iterable[tuple[Metrics, str]]) -> set[str]:
        """Keep figures, each with its hash; returns the tasks where something changed."""
        return evaluations.put_metrics(self.database, rows)

    def metrics(self, task_id: str | None = None) -> Iterator[Metrics]:
        """The figures of every submission to a task, or to any, in the order of arrival."""
        return evaluations.read_metrics(self.database, task_id)

    def metric_columns(self) -> "Iterator[MetricColumns]":
        """Return the same figures as columns, part after part; repeated reads are fast."""
        from benchmaker.store.agentic.metric_chunks import read_chunks  # noqa: PLC0415  loads numpy

        return read_chunks(self.database)

    def task_columns(self, task_ids: Iterable[str]) -> "MetricColumns":
        """The figures of all submissions to these tasks as columns."""
        from benchmaker.store.agentic.metric_chunks import read_tasks  # noqa: PLC0415  loads numpy

        return read_tasks(self.database, list(task_ids))

    def arrivals(self, profile: str, task_ids: Iterable[str]) -> Iterator[list[Metrics]]:
        """The figures of submissions to these tasks that have no evaluation, in pages."""
        return evaluations.read_arrivals(self.database, profile, list(task_ids))

    def size_of_task(self, task_id: str) -> int:
        """Return the number of submissions to a task."""
        return evaluations.size_of_task(self.database, task_id)

    def metric_tasks(self) -> tuple[str, ...]:
        """The tasks that have submissions, by id."""
        return evaluations.metric_tasks(self.database)

    def tasks_of_category(self, category: str | None) -> tuple[str, ...]:
        """The tasks whose submissions are of this category, by id; none for None."""
        if category is None:
            return ()
        return evaluations.tasks_of_category(self.database, category)

    def categories_of(self, task_ids: Sequence[str]) -> frozenset[str]:
        """The categories that the submissions to these tasks have."""
        return evaluations.categories_of(self.database, task_ids)

    def uncategorised_sizes(self, task_ids: Sequence[str]) -> dict[str, int]:
        """The number of submissions of each of these tasks whose figures name no category."""
        return evaluations.uncategorised_sizes(self.database, task_ids)

    def metric_digests(self, submission_ids: Sequence[str]) -> dict[str, str]:
        """The hash that each of these submissions' figures were kept with, where any are."""
        return evaluations.metric_digests(self.database, submission_ids)

    def metrics_of(self, submission_id: str) -> Metrics | None:
        """The figures of one submission; None where none were kept."""
        return evaluations.find_metrics(self.database, submission_id)

    def profiles(self, task_id: str) -> tuple[str, ...]:
        """The profiles, by name and version, that a task was evaluated under."""
        return evaluations.profiles_of(self.database, task_id)

    def snapshot(
        self, profile: str, task_id: str, *, digest: str | None = None
    ) -> BaselineSnapshot | None:
        """The newest of a task under a profile, or the one of that hash; None for none."""
        if digest is not None:
            return evaluations.find_snapshot(self.database, profile, task_id, digest)
        return evaluations.newest_snapshot(self.database, profile, task_id)

    def newest_snapshots(
        self, profile: str, task_ids: Sequence[str]
    ) -> dict[str, BaselineSnapshot]:
        """The newest under a profile of each of these tasks that has any."""
        return evaluations.newest_snapshots(self.database, profile, task_ids)

    def snapshots(self, profile: str, task_id: str) -> tuple[BaselineSnapshot, ...]:
        """All of a task under a profile, the first first."""
        return evaluations.list_snapshots(self.database, profile, task_id)

    def settle(
        self,
        snapshot: BaselineSnapshot,
        made: Sequence[Evaluation],
        *,
        announce: Sequence[Message] = (),
    ) -> int:
        """Store a snapshot and its evaluations, in one transaction.

        Existing evaluations under the profile are kept. Returns the number of new ones.
        """
        return self.settle_all([evaluations.SnapshotUpdate(snapshot, made, announce)])

    def settle_all(self, made: Sequence[evaluations.SnapshotUpdate]) -> int:
        """Like :meth:`settle` for several tasks at once; no submission may occur twice."""
        return evaluations.put_snapshot_updates(self.database, made)

    def evaluations(self, profile: str, *, task_id: str | None = None) -> Iterator[Evaluation]:
        """The evaluation of each submission on arrival."""
        return evaluations.read_evaluations(self.database, profile, task_id=task_id)

    def evaluations_of(self, submission_id: str) -> dict[str, Evaluation]:
        """The last evaluation written for a submission, by profile."""
        return evaluations.evaluations_of(self.database, submission_id)

    def find_evaluated(self, profile: str, submission_ids: Sequence[str]) -> frozenset[str]:
        """Return those of these submissions with an evaluation under the profile."""
        return evaluations.find_evaluated(self.database, profile, submission_ids)

    def snapshot_hashes(self, profile: str, task_ids: Sequence[str]) -> dict[str, str]:
        """The hash of the newest snapshot of each of these tasks that has one."""
        return evaluations.snapshot_hashes(self.database, profile, task_ids)

    def evaluation(self, submission_id: str, profile: str) -> Evaluation | None:
        """The evaluation of a submission on arrival; None where it was never evaluated."""
        return evaluations.find_evaluation(self.database, submission_id, profile)

    # Flags and reviews

    def add_flags(self, flags: Iterable[Flag]) -> tuple[Flag, ...]:
        """Keep flags, and open a review where none is open; returns those that were new."""
        return reviews.add_flags(self.database, flags)

    def flags(self, submission_id: str | None = None) -> tuple[Flag, ...]:
        """The flags of a submission, or of all, in the order in which they were raised."""
        return reviews.read_flags(self.database, submission_id)

    def decide(self, review: Review) -> Review:
        """Store a decision as the latest step; Conflict if there is nothing to decide."""
        return reviews.decide_review(self.database, review)

    def reviews(
        self, *, state: ReviewState | None = None, submission_id: str | None = None
    ) -> tuple[Review, ...]:
        """Return the state of each flagged submission, oldest first."""
        return reviews.read_reviews(self.database, state=state, submission_id=submission_id)

    def count_reviews(self, state: ReviewState) -> int:
        """Return the number of flagged submissions in this state."""
        return reviews.count_reviews(self.database, state)

    def quarantined_submissions(self) -> frozenset[str]:
        """The submissions that were put under quarantine."""
        held = reviews.read_reviews(self.database, state=ReviewState.QUARANTINED)
        return frozenset(it.submission_id for it in held)

    # Moderation

    def put_pending(self, given: NewSubmission, *, by: str) -> ModerationState | None:
        """Store a submission for a moderator; return its state, or None if it already counts."""
        return moderation.put_pending(self.database, given, by=by)

    def moderation(
        self, *, state: ModerationState | None = None, submission_id: str | None = None
    ) -> tuple[Moderation, ...]:
        """Return the state of each moderated submission, oldest first."""
        return moderation.read_moderation(self.database, state=state, submission_id=submission_id)

    def moderation_steps(self, submission_id: str) -> tuple[Moderation, ...]:
        """Every step of one submission, the first first."""
        return moderation.read_steps(self.database, submission_id)

    def find_pending(self, submission_id: str = "", *, number: int = 0) -> PendingSubmission | None:
        """Return the waiting or rejected submission with that id or row; None if it counts."""
        return moderation.find_pending(self.database, submission_id, number=number)

    def count_pending(self) -> int:
        """Return the number of submissions waiting for a moderator."""
        return moderation.count_pending(self.database)

    def pending_parts(self, number: int) -> dict[str, Iterator[bytes]]:
        """Return all parts of the trace of a waiting row; each is read on demand."""
        return moderation.pending_parts(self.database, number)

    def drop_pending(self, number: int) -> None:
        """Delete the trace of a waiting row, once it is stored as a submission."""
        moderation.drop_pending(self.database, number)

    def pending_trace(self, number: int, part: str) -> Iterator[bytes]:
        """Return the chunks of one part of the trace of a waiting row."""
        return moderation.read_pending_trace(self.database, number, part)

    def moderate(self, step: Moderation) -> Moderation:
        """Store a moderator's decision as the latest step; Conflict if nothing waited."""
        return moderation.decide_moderation(self.database, step)

    # Boards

    def put_boards(self, made: Iterable[StoredBoard]) -> int:
        """Store boards as the latest of their names; return the number of changed ones."""
        return boards.put_boards(self.database, made)

    def board(self, profile: str, name: str) -> dict[str, Any] | None:
        """The newest board of that name as plain data; None where it was not settled yet."""
        return boards.find_board(self.database, profile, name)

    def board_hash(self, profile: str, name: str) -> str | None:
        """The hash of the newest board of that name, without reading it; None for none."""
        return boards.find_hash(self.database, profile, name)

    def board_hashes(self, profile: str, names: Iterable[str]) -> dict[str, str]:
        """The hashes of the newest of these boards, out of one look; without those not there."""
        return boards.find_hashes(self.database, profile, names)

    # Profiles of one's own

    def put_profile(self, profile: StoredProfile) -> None:
        """Keep a profile under its name, instead of an earlier one."""
        profiles.put_profile(self.database, profile)

    def own_profiles(self) -> tuple[StoredProfile, ...]:
        """Return all stored profiles, including dropped ones, oldest first."""
        return profiles.list_profiles(self.database)
