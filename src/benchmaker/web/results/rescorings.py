"""The state of the last rescoring of a run or a series: a job with its progress."""

import time
from dataclasses import dataclass
from datetime import datetime

from benchmaker.arenas.standard.job_handlers import RESCORE
from benchmaker.record import Run
from benchmaker.record.job import Job, JobState
from benchmaker.store import Store
from benchmaker.web.live.state import is_taken
from benchmaker.web.results.subject import Subject

_SOON_S = 1.2
_LOOK_S = 0.05
_NEWS_S = 3_600.0
"""So long a page says that a re-scoring went well."""


@dataclass(frozen=True, slots=True)
class Rescoring:
    """The job, the number of trials with a new score, and whether a worker has it.

    ``made`` is the run created by a corrected suite, the first of a series.
    """

    job: Job
    done: int
    trials: int
    is_waiting: bool
    made: Run | None = None

    @property
    def state(self) -> str:
        """One word: queued, running, stopping, stopped, done or failed."""
        return str(self.job.state)

    @property
    def is_open(self) -> bool:
        """True if it has not ended."""
        return self.job.is_open

    @property
    def request_text(self) -> str:
        """The request in words."""
        body = self.job.body
        profile = body.get("profile") and f"profile {body['profile']}"
        suite = body.get("suite") and f"corrected suite {body['suite'][:12]}"
        return ", ".join(part for part in (profile, body.get("scorer"), suite) if part)

    @property
    def is_corrected(self) -> bool:
        """True if the scores are those of a corrected suite, in a separate run."""
        return "suite" in self.job.body

    @property
    def address(self) -> str:
        """The address of the corrected suite's scores; empty if there are none."""
        if self.made is None:
            return ""
        series = self.made.series_id
        return f"/series/{series}" if series else f"/runs/{self.made.id}"


def rescoring_of(store: Store, subject: Subject) -> Rescoring | None:
    """Return the last one, as long as it is recent; None if there is none."""
    job = store.jobs.find_newest(subject.id, kinds=(RESCORE,))
    if job is None or not _is_news(store, job):
        return None
    return Rescoring(
        job=job,
        done=_count_done(store, subject, job),
        trials=sum(store.count_done(run_id) for run_id in subject.run_ids),
        is_waiting=job.is_open and not is_taken(store, job),
        made=_made_run(store, subject, job),
    )


def _count_done(store: Store, subject: Subject, job: Job) -> int:
    """Return the number of trials with a new score; 0 with a corrected suite, a separate run."""
    if "suite" in job.body:
        return 0
    return store.scores.count_scored_after(subject.run_ids, job.body.get("since", 0))


def _made_run(store: Store, subject: Subject, job: Job) -> Run | None:
    """The run that the job makes of the first of these; None where it has not begun to.

    Of a job that names none, it is the newest run of the suite with those answers.
    """
    if "suite" not in job.body:
        return None
    found = store.runs(suite_hash=job.body["suite"])
    ours = (run for run in found if run.rescored_from == subject.run.id)
    made_as = job.body.get("made_as")
    return next((run for run in ours if made_as in (None, run.id)), None)


def wait_briefly(store: Store, job: Job) -> None:
    """Short runs are done by then."""
    end = time.monotonic() + _SOON_S
    while time.monotonic() < end:
        found = store.jobs.find_newest(job.target, kinds=(RESCORE,))
        if found is None or not found.is_open:
            return
        time.sleep(_LOOK_S)


def _is_news(store: Store, job: Job) -> bool:
    """One that went well is news for a while; any other until the next."""
    if job.state is not JobState.DONE or job.finished_at is None:
        return True
    ended = datetime.fromisoformat(job.finished_at).timestamp()
    return store.clock() - ended < _NEWS_S
