"""How the last re-scoring of a run or a series stands: a job, shown with how far it is."""

import time
from dataclasses import dataclass
from datetime import datetime

from benchmaker.arenas.standard.working import RESCORE
from benchmaker.record.job import Job, JobState
from benchmaker.store import Store
from benchmaker.store.jobs import newest_job
from benchmaker.store.scores import count_scored_after
from benchmaker.web.live.standing import is_taken
from benchmaker.web.subject import Subject

_SOON_S = 1.2
_LOOK_S = 0.05
_NEWS_S = 3_600.0
"""So long a page says that a re-scoring went well."""


@dataclass(frozen=True, slots=True)
class Rescoring:
    """The job, how many of the trials have their new score, and whether a worker has it."""

    job: Job
    done: int
    trials: int
    is_waiting: bool

    @property
    def state(self) -> str:
        """One word: queued, running, stopping, stopped, done or failed."""
        return str(self.job.state)

    @property
    def is_open(self) -> bool:
        """Whether it is not at its end."""
        return self.job.is_open

    @property
    def asked(self) -> str:
        """What was asked for."""
        body = self.job.body
        profile = body.get("profile") and f"profile {body['profile']}"
        return ", ".join(part for part in (profile, body.get("scorer")) if part)


def rescoring_of(store: Store, subject: Subject) -> Rescoring | None:
    """The last one, as long as it is news; None where there is none."""
    job = newest_job(store.database, subject.id, kinds=(RESCORE,))
    if job is None or not _is_news(store, job):
        return None
    return Rescoring(
        job=job,
        done=count_scored_after(store.database, subject.run_ids, job.body.get("since", 0)),
        trials=sum(store.count_done(run_id) for run_id in subject.run_ids),
        is_waiting=job.is_open and not is_taken(store, job),
    )


def wait_a_moment(store: Store, job: Job) -> None:
    """Short runs are done by then."""
    end = time.monotonic() + _SOON_S
    while time.monotonic() < end:
        found = newest_job(store.database, job.target, kinds=(RESCORE,))
        if found is None or not found.is_open:
            return
        time.sleep(_LOOK_S)


def _is_news(store: Store, job: Job) -> bool:
    """One that went well is news for a while; any other until the next."""
    if job.state is not JobState.DONE or job.finished_at is None:
        return True
    ended = datetime.fromisoformat(job.finished_at).timestamp()
    return store.database.clock() - ended < _NEWS_S
