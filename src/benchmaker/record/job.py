"""Jobs requested from a page and executed by a worker."""

from enum import StrEnum
from typing import Any

import msgspec


class JobState(StrEnum):
    """The state of a job; if its process died, it is ``running`` with an expired lease."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


OPEN_JOBS = (JobState.QUEUED, JobState.RUNNING, JobState.STOPPING)
"""The states of unfinished jobs."""

PAUSABLE = frozenset({"run", "resume"})
"""The kinds of jobs that are not started while their run is paused."""


class Job(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of work.

    ``kind`` selects the operation: ``run``, ``resume``, ``rescore``. ``target`` is the run or
    series it works on, ``body`` the other parameters, without any key. ``error`` and ``hint``
    explain a failure; for a finished job, ``hint`` states its result. Times are UTC, ISO 8601.
    """

    id: str
    kind: str
    target: str
    body: dict[str, Any] = {}
    state: JobState = JobState.QUEUED
    created_at: str = ""
    started_at: str | None = None
    finished_at: str | None = None
    error: str = ""
    hint: str = ""
    actor: str = "local"

    @property
    def is_open(self) -> bool:
        """True if the job has not ended."""
        return self.state in OPEN_JOBS
