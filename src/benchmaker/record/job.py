"""Work that was asked for from a page, and that a worker carries out."""

from enum import StrEnum
from typing import Any

import msgspec


class JobState(StrEnum):
    """Where a job stands; one whose process died is ``running`` under a lease that ran out."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


OPEN_JOBS = (JobState.QUEUED, JobState.RUNNING, JobState.STOPPING)
"""The states of jobs that are not at their end."""


class Job(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of work.

    ``kind`` says how it is carried out: ``run``, ``resume``, ``rescore``. ``target`` is the run or
    the series that it works on, ``body`` what else was asked for, without any key. ``error`` and
    ``hint`` say why it failed; of one that is done, ``hint`` says what it left. Times are UTC,
    ISO 8601.
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
        """Whether it is not at its end."""
        return self.state in OPEN_JOBS
