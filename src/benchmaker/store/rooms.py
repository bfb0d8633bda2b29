"""The parts of the store: one object for each kind of record, with all operations on it."""

from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

from benchmaker.store.agentic.pending import PendingSlots
from benchmaker.store.agentic.search import SubmissionSearch
from benchmaker.store.agentic.submission_pages import SubmissionPages
from benchmaker.store.agentic.trace_words import TraceWords
from benchmaker.store.database.address import Address
from benchmaker.store.database.database import Room
from benchmaker.store.database.schema import revision
from benchmaker.store.database.versions import Versions
from benchmaker.store.imports.imported_rows import ImportedRows
from benchmaker.store.judges.judge_pages import JudgePages
from benchmaker.store.queues.jobs import Jobs
from benchmaker.store.runs.case_pages import CasePages
from benchmaker.store.runs.case_search import CaseSearch
from benchmaker.store.runs.change_feed import ChangeFeed
from benchmaker.store.runs.code_pages import CodePages
from benchmaker.store.runs.renders import Renders
from benchmaker.store.runs.run_changes import RunChanges
from benchmaker.store.runs.run_commands import RunCommands
from benchmaker.store.runs.run_pages import RunPages
from benchmaker.store.runs.scores import Scores
from benchmaker.store.runs.target_pages import TargetPages
from benchmaker.store.runs.trial_notes import TrialNotes
from benchmaker.store.runs.votes import Votes
from benchmaker.store.suites.suite_pages import Suites

if TYPE_CHECKING:  # few commands need them
    from benchmaker.store.agentic.agent_trial_pages import AgentTrialPages
    from benchmaker.store.agentic.agent_trials import AgentTrials


class Rooms(Room):
    """A database, and the operations on each kind of record in it."""

    @property
    def address(self) -> Address:
        """The address of the store."""
        return self.database.address

    @property
    def is_read_only(self) -> bool:
        """True if it was opened read-only."""
        return self.database.read_only

    def clock(self) -> float:
        """Return the time of the store's clock, in seconds since 1970."""
        return self.database.clock()

    def now_utc(self) -> str:
        """Return the time of the store's clock, UTC, ISO 8601 with milliseconds."""
        return self.database.now_utc()

    def read_snapshot(self) -> AbstractContextManager[None]:
        """Give all reads of this thread in the block one state, without its own writes."""
        return self.database.read_snapshot()

    def schema_revision(self) -> str | None:
        """Return the schema revision of the tables; None if there are none."""
        with self.database.read() as connection:
            return revision(connection)

    def open_versions(self) -> Versions:
        """Open a view of the database's state, for detecting changes."""
        return Versions(self.database)

    @cached_property
    def jobs(self) -> Jobs:
        """Jobs: adding, finding, starting, stopping and ending them."""
        return Jobs(self.database)

    @cached_property
    def run_commands(self) -> RunCommands:
        """Commands to runs: adding, reading and acknowledging them."""
        return RunCommands(self.database)

    @cached_property
    def agent_trials(self) -> "AgentTrials":
        """Series of agent trials, their trials, and their requests at the gateway."""
        from benchmaker.store.agentic.agent_trials import AgentTrials  # noqa: PLC0415  see above

        return AgentTrials(self.database)

    @cached_property
    def agent_trial_pages(self) -> "AgentTrialPages":
        """Series of agent trials and their requests a page at a time, with sums and numbers."""
        from benchmaker.store.agentic.agent_trial_pages import (  # noqa: PLC0415  see above
            AgentTrialPages,
        )

        return AgentTrialPages(self.database)

    @cached_property
    def suites(self) -> Suites:
        """Suites and their cases a page at a time."""
        return Suites(self.database)

    @cached_property
    def submission_pages(self) -> SubmissionPages:
        """Submissions a page at a time, with the names and numbers among them."""
        return SubmissionPages(self.database)

    @cached_property
    def change_feed(self) -> ChangeFeed:
        """The changes of runs as they happen, with the rate of requests."""
        return ChangeFeed(self.database)

    @cached_property
    def renders(self) -> Renders:
        """The code of answers, the reports of their pages, and the files of those."""
        return Renders(self.database)

    @cached_property
    def votes(self) -> Votes:
        """Votes on pairs of pages: adding, withdrawing and reading them; never deleted."""
        return Votes(self.database)

    @cached_property
    def case_pages(self) -> CasePages:
        """The cases of runs: their ids, neighbours, failures and scores."""
        return CasePages(self.database)

    @cached_property
    def case_search(self) -> CaseSearch:
        """Search in the questions and answers of runs, and the beginnings of answers."""
        return CaseSearch(self.database)

    @cached_property
    def imported_rows(self) -> ImportedRows:
        """Rows of other tools' results: writing them, and reading their scores and fields."""
        return ImportedRows(self.database)

    @cached_property
    def trial_notes(self) -> TrialNotes:
        """Notes on trials: adding, reading and deleting them."""
        return TrialNotes(self.database)

    @cached_property
    def pending_slots(self) -> PendingSlots:
        """Slots of receivers of submissions, with their marks."""
        return PendingSlots(self.database)

    @cached_property
    def judge_pages(self) -> JudgePages:
        """Judges a page at a time: calibrated ones, and uncalibrated ones with judgments."""
        return JudgePages(self.database)

    @cached_property
    def run_pages(self) -> RunPages:
        """Runs page by page, with their numbers of completed trials."""
        return RunPages(self.database)

    @cached_property
    def code_pages(self) -> CodePages:
        """Runs that have generated pages, a page at a time."""
        return CodePages(self.database)

    @cached_property
    def target_pages(self) -> TargetPages:
        """Series, and runs without one, a page at a time."""
        return TargetPages(self.database)

    @cached_property
    def run_changes(self) -> RunChanges:
        """Detection of changes in the records of runs."""
        return RunChanges(self.database)

    @cached_property
    def search(self) -> SubmissionSearch:
        """Submissions, tasks and flags found by a text."""
        return SubmissionSearch(self.database)

    @cached_property
    def trace_words(self) -> TraceWords:
        """Pieces of traces that may contain given words, and their chunks."""
        return TraceWords(self.database)

    @cached_property
    def scores(self) -> Scores:
        """Scores: all versions of one, the latest of runs, and those written after a row."""
        return Scores(self.database)
