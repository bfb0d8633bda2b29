"""The store: one object in front of everything recorded."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmaker.record import (
    Completion,
    JudgeTotals,
    Judgment,
    Outcome,
    Run,
    RunState,
    Score,
    Series,
    Trial,
)
from benchmaker.record.calibration import Calibration
from benchmaker.record.label import Label
from benchmaker.record.submissions.submission import Submission
from benchmaker.spec import Case, Suite
from benchmaker.store.agentic import submission_listing, submissions
from benchmaker.store.agentic.submissions import Origin, Parts, PutStatus
from benchmaker.store.database import leases
from benchmaker.store.database.address import parse_address
from benchmaker.store.database.database import Database, retry_reads
from benchmaker.store.database.schema import prepare
from benchmaker.store.judges import calibrations, labels
from benchmaker.store.queues import outbox
from benchmaker.store.rooms import Rooms
from benchmaker.store.runs import answer_cache, judgments, runs, trials
from benchmaker.store.runs import names as references
from benchmaker.store.runs.costs import Costs, read_costs
from benchmaker.store.runs.names import RunReference
from benchmaker.store.suites import suites
from benchmaker.store.upkeep import maintenance

if TYPE_CHECKING:  # numpy loads only when columns are asked for
    from benchmaker.record.score_columns import ScoreColumns
    from benchmaker.store.agentic.agentic import AgenticStore
    from benchmaker.store.people.accounts import AccountStore


class Store(Rooms):
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

    # Suites

    def put_suite(self, suite: Suite) -> str:
        """Keep the suite, unless it is there; returns its content hash."""
        return suites.put_suite(self.database, suite)

    def renew_suite(self, content_hash: str) -> None:
        """Make a stored version the newest of its suite, as if it were stored now."""
        suites.renew_suite(self.database, content_hash)

    def one_editor(self) -> AbstractContextManager[None]:
        """Admit one editor of suites at a time, so that writes are based on the state read."""
        return suites.one_editor(self.database)

    @retry_reads
    def suite(self, content_hash: str) -> Suite:
        """The suite of that hash, its cases read from the store at each pass."""
        return suites.find_suite(self.database, content_hash)

    @retry_reads
    def case(self, content_hash: str, position: int) -> Case:
        """One case of a suite by its place, from 0."""
        return suites.case_at(self.database, content_hash, position)

    @retry_reads
    def find_suites(self) -> tuple[suites.StoredSuite, ...]:
        """Every suite, the one stored last first."""
        return suites.find_suites(self.database)

    # Runs

    def add_series(self, series: Series) -> None:
        """Keep a series; its suite is stored already."""
        runs.add_series(self.database, series)

    @retry_reads
    def series(self, series_id: str) -> Series:
        """The series of that id."""
        return runs.find_series(self.database, series_id)

    def add_run(self, run: Run) -> None:
        """Keep a run; its suite and its series are stored already."""
        runs.add_run(self.database, run)

    @retry_reads
    def run(self, run_id: str) -> Run:
        """The run of that id."""
        return runs.find_run(self.database, run_id)

    @retry_reads
    def runs(
        self,
        *,
        limit: int | None = None,
        series_id: str | None = None,
        suite_hash: str | None = None,
        suite_name: str | None = None,
    ) -> tuple[Run, ...]:
        """Runs, the one added last first; ``suite_name`` is for all versions of a suite."""
        return runs.list_runs(
            self.database,
            limit=limit,
            series_id=series_id,
            suite_hash=suite_hash,
            suite_name=suite_name,
        )

    @retry_reads
    def resolve(self, text: str) -> RunReference:
        """Return the run for an id, a prefix of one, or ``latest``; else SpecError."""
        return references.resolve_run(self.database, text)

    @retry_reads
    def set_run_state(
        self,
        run_id: str,
        state: RunState,
        *,
        finished_at: str | None = None,
        announce: outbox.Message | None = None,
    ) -> None:
        """Set the state of the run, with its announcement, in one transaction."""
        runs.set_run_state(self.database, run_id, state, finished_at=finished_at, announce=announce)

    def amend_run(self, run: Run) -> None:
        """Replace the run's own record: profile, start, notes; its state is unchanged."""
        runs.amend_run(self.database, run)

    def extend_run(self, run: Run, *, series: Series | None = None) -> None:
        """Add models to a run, or make it one of a new series; else Conflict."""
        runs.extend_run(self.database, run, series=series)

    def raise_runs(self, series_id: str, number: int) -> None:
        """Raise the number of runs of a series; Conflict if it has more."""
        runs.raise_runs(self.database, series_id, number)

    @retry_reads
    def delete_run(self, run_id: str) -> None:
        """Delete the run with all that hangs below it; the suite stays until vacuumed."""
        runs.delete_run(self.database, run_id)

    # Trials and scores

    def trials(
        self, run_id: str, *, model: str | None = None, case_id: str | None = None
    ) -> Iterator[Trial]:
        """Trials with their newest scores, in the order of cases, then of the run's models."""
        return self.trial_pages.read(run_id, model=model, case_id=case_id)

    @retry_reads
    def trial(self, run_id: str, model: str, case_id: str) -> Trial:
        """One trial with its newest score."""
        return self.trial_pages.find(run_id, model, case_id)

    @retry_reads
    def score_versions(self, run_id: str, model: str, case_id: str) -> list[Score]:
        """Every version of the trial's score, the first first."""
        return self.scores.versions(run_id, model, case_id)

    @retry_reads
    def done_keys(
        self, run_id: str, first_position: int, last_position: int, *, retry_failed: bool = False
    ) -> set[tuple[str, str]]:
        """(case id, model) of trials that are done, between two positions, both included."""
        return trials.done_keys(
            self.database, run_id, first_position, last_position, retry_failed=retry_failed
        )

    @retry_reads
    def count_done(self, run_id: str, *, retry_failed: bool = False, of: Sequence[str] = ()) -> int:
        """Return the number of completed trials; ``retry_failed`` excludes infrastructure ones."""
        return trials.count_done(self.database, run_id, retry_failed=retry_failed, of=of)

    @retry_reads
    def spent_usd(self, run_ids: Sequence[str]) -> float:
        """Return the known cost of these runs' requests."""
        return trials.spent_usd(self.database, run_ids)

    @retry_reads
    def costs(self, run_ids: Sequence[str]) -> Costs:
        """Return the costs of these runs' requests, models and judges separately."""
        return read_costs(self.database, run_ids)

    @retry_reads
    def outcomes(self, run_ids: Sequence[str]) -> dict[str, dict[Outcome, int]]:
        """Return the number of each run's trials by outcome."""
        return trials.count_outcomes(self.database, run_ids)

    @retry_reads
    def awaiting_outcomes(self, run_ids: Sequence[str]) -> dict[str, dict[Outcome, int]]:
        """Return the number of each run's trials that wait for a score, by preliminary outcome."""
        return trials.count_awaiting_outcomes(self.database, run_ids)

    def count_trials(self, run_id: str) -> int:
        """Return the number of the run's trials with a row."""
        return sum(self.outcomes([run_id])[run_id].values())

    @retry_reads
    def columns(self, run_ids: Sequence[str]) -> "ScoreColumns":
        """The newest scores of runs of one suite as columns; else NotComparable."""
        from benchmaker.store.runs.columns import read_columns  # noqa: PLC0415  loads numpy

        return read_columns(self.database, run_ids)

    @retry_reads
    def find_cached(self, key: str) -> Completion | None:
        """Return the cached answer under this key; None if there is none."""
        return answer_cache.find_cached(self.database, key)

    # Judgments

    @retry_reads
    def judgment(self, key: str, *, run_id: str | None = None) -> Judgment | None:
        """Return a judge's latest reply to a question in this run, or outside any; else None."""
        return judgments.find_judgment(self.database, key, run_id=run_id)

    @retry_reads
    def other_judgments(
        self, key: str, *, run_id: str | None = None, number: int | None = None
    ) -> list[Judgment]:
        """The replies to the question in other runs, of this number in their series alone."""
        return judgments.other_judgments(self.database, key, run_id=run_id, number=number)

    @retry_reads
    def judgments(
        self, run_id: str | None, *, model: str | None = None, case_id: str | None = None
    ) -> list[Judgment]:
        """Return the judgments of a run; None for those outside any run."""
        return judgments.read_judgments(self.database, run_id, model=model, case_id=case_id)

    def each_judgment(self, run_id: str) -> Iterator[Judgment]:
        """Yield the judgments of a run, read page by page."""
        return judgments.each_judgment(self.database, run_id)

    @retry_reads
    def judge_totals(self, run_ids: Sequence[str]) -> tuple[JudgeTotals, ...]:
        """Return each judge's usage in these runs, with its cost."""
        return judgments.judge_totals(self.database, run_ids)

    @retry_reads
    def stored_replies(self, judge: str) -> JudgeTotals | None:
        """Return the known usage of a judge in all runs and calibrations; None without any."""
        return judgments.stored_replies(self.database, judge)

    @retry_reads
    def judge_versions(self, run_ids: Sequence[str]) -> dict[str, str]:
        """Return the provider's name of each judge in its last reply, if reported."""
        return judgments.judge_versions(self.database, run_ids)

    @retry_reads
    def count_judged(self, run_ids: Sequence[str], scorers: Collection[str]) -> int:
        """Return the number of answers of these runs for the judges of these scorers."""
        return trials.count_judged(self.database, run_ids, scorers)

    @retry_reads
    def trials_awaiting_judge(
        self, run_id: str, *, after: int, limit: int
    ) -> list[tuple[int, Trial]]:
        """Trials whose answers wait for a judge, with their row numbers, above ``after``."""
        return trials.read_awaiting(self.database, run_id, after=after, limit=limit)

    def await_judges(self, run_id: str) -> int:
        """Requeue trials without a judgment for a judge; return the number."""
        return trials.await_judges(self.database, run_id)

    @retry_reads
    def count_unjudged(self, run_id: str) -> int:
        """Return the number of the run's trials without a score for lack of a judgment."""
        return trials.count_unjudged(self.database, run_id)

    @retry_reads
    def count_awaiting(self, run_id: str) -> int:
        """Return the number of the run's trials that wait for a judge."""
        return trials.count_awaiting(self.database, run_id)

    # Labels

    def add_labels(self, new: Iterable[Label]) -> tuple[Label, ...]:
        """Store human labels; return the new ones, with changes as new versions."""
        return labels.add_labels(self.database, new)

    @retry_reads
    def labels(
        self, run_ids: Sequence[str], *, actor: str | None = None, every_version: bool = False
    ) -> tuple[Label, ...]:
        """Return the latest labels of answers of these runs; or all versions."""
        return labels.read_labels(self.database, run_ids, actor=actor, every_version=every_version)

    # Submissions

    def put_submission(self, submission: Submission, parts: Parts | None = None) -> PutStatus:
        """Store a submission with the parts of its trace; existing data is kept.

        If another revision is stored, this becomes the next. Without ``parts`` it inherits those of
        the previous revision.
        """
        return submissions.put_submission(self.database, submission, parts)

    @retry_reads
    def submission(self, submission_id: str, *, revision: int | None = None) -> Submission:
        """The submission of that id, its newest revision unless another is named."""
        return submissions.read_submission(self.database, submission_id, revision=revision)

    def submissions(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        task_id: str | None = None,
        importers: Collection[str] = (),
        but: Collection[str] = (),
        with_undated: bool = False,
    ) -> Iterator[Submission]:
        """The newest revision of each, by start; those in [since, until), or ``with_undated``."""
        return submission_listing.list_submissions(
            self.database,
            since=since,
            until=until,
            task_id=task_id,
            importers=importers,
            but=but,
            with_undated=with_undated,
        )

    @retry_reads
    def find_submission(self, text: str) -> str:
        """Return the submission id for an id, a prefix of one, or ``latest``; else SpecError."""
        return submissions.find_submission(self.database, text)

    def trace(self, submission_id: str, part: str) -> Iterator[bytes]:
        """The chunks of one part of the newest revision's trace."""
        return submissions.read_trace(self.database, submission_id, part)

    def trace_parts(self, part: str) -> Iterator[tuple[Origin, bytes]]:
        """The chunks of one part of every submission's newest revision, with its origin."""
        return submissions.read_parts(self.database, part)

    def delete_submission(
        self, submission_id: str, *, notices: Iterable[str] = ()
    ) -> Mapping[str, int]:
        """Delete a submission with all dependent data; return the number of rows by kind.

        ``notices`` are the keys of the messages about it; waiting ones are deleted, too. Its task
        must settle afterwards: :func:`benchmaker.arenas.agentic.delete_submission` does both.
        """
        from benchmaker.store.agentic.deletions import delete_submission  # noqa: PLC0415  for one command

        return delete_submission(self.database, submission_id, notices=notices)

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

    # Calibrations

    def add_calibration(self, calibration: Calibration) -> None:
        """Store a judge's calibration."""
        calibrations.add_calibration(self.database, calibration)

    @retry_reads
    def calibrations(
        self,
        *,
        judge: str | None = None,
        prompt_hash: str | None = None,
        samples_hash: str | None = None,
        limit: int | None = None,
    ) -> tuple[Calibration, ...]:
        """Calibrations of a judge, under a prompt, on these samples, the one added last first."""
        return calibrations.list_calibrations(
            self.database,
            judge=judge,
            prompt_hash=prompt_hash,
            samples_hash=samples_hash,
            limit=limit,
        )

    def acquire_lease(
        self,
        name: str,
        *,
        holder: str,
        ttl_s: float,
        pid: int | None = None,
        host: str | None = None,
    ) -> leases.Lease:
        """Take the lease; Conflict names the pid and host of its holder."""
        return leases.acquire(self.database, name, holder=holder, ttl_s=ttl_s, pid=pid, host=host)

    @retry_reads
    def renew_lease(self, lease: leases.Lease) -> leases.Lease:
        """The lease with a new heartbeat; Conflict when another took over."""
        return leases.renew(self.database, lease)

    def release_lease(self, lease: leases.Lease) -> None:
        """Release the lease."""
        leases.release(self.database, lease)

    @retry_reads
    def lease(self, name: str) -> leases.Lease | None:
        """Return the current holder of the lease, if any."""
        return leases.find_lease(self.database, name)

    def put_message(self, message: outbox.Message) -> bool:
        """Add a message in its own transaction; False if its key was used before."""
        return outbox.put_message(self.database, message)

    @retry_reads
    def pending_messages(
        self, limit: int = 100, *, after: int = 0
    ) -> tuple[outbox.PendingMessage, ...]:
        """The messages that wait, oldest first; those with a number above ``after``."""
        return outbox.pending_messages(self.database, limit, after=after)

    def mark_delivered(self, seq: int) -> None:
        """The message has arrived."""
        outbox.mark_delivered(self.database, seq)

    def mark_failed(self, seq: int, error: str) -> None:
        """A try to deliver the message failed."""
        outbox.mark_failed(self.database, seq, error)

    def check(self, *, quick: bool = False) -> maintenance.StoreCheck:
        """Read the whole store and report its faults."""
        return maintenance.check_integrity(self.database, quick=quick)

    def vacuum(self) -> maintenance.VacuumResult:
        """Delete unused suites, and reclaim the freed space."""
        return maintenance.vacuum(self.database)
