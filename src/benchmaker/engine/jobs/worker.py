"""A worker: takes jobs in their order and executes them side by side, like the command line.

Each job is held under a lease with a fencing number and a heartbeat. If a worker dies, its lease
expires, or its process is found gone, and the next worker resumes the job. The job of a paused run
stays in the queue until somebody resumes the run.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from benchmaker.engine.runs.lock import LeaseLock
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.log_context import log_context
from benchmaker.errors import BenchmakerError, Conflict, SpecError, StoreError
from benchmaker.record.job import PAUSABLE, Job, JobState
from benchmaker.redact import Redactor
from benchmaker.store import Store
from benchmaker.store.queues.jobs import lease_of

Work = Callable[[Job, asyncio.Event], Awaitable[str | None]]
"""Carries out a job; once the event is set it stops cleanly, and keeps what is done.

Its result describes the remaining work, as text for users."""

HOLDER = "worker"
LEASE_S = 30.0
WATCH_S = 0.4
"""Seconds between a worker's checks for jobs, and for a stop of the current one."""

PARALLEL_JOBS = 16
"""The number of jobs that a worker executes at once; they share their endpoints' limits."""

DRAIN_S = 8.0
"""Seconds after a request to exit until a worker's current jobs are aborted."""

_AGAIN_S = 2.0
_LOG = logging.getLogger("benchmaker.jobs")


class JobWorker:
    """Executes jobs, up to ``parallel`` at once, so that a small one does not wait for a long one.

    ``works`` maps each kind to its function. ``redactor`` removes keys from recorded failures.
    """

    def __init__(
        self,
        store: Store,
        works: Mapping[str, Work],
        *,
        clock: Clock | None = None,
        redactor: Redactor | None = None,
        lease_s: float = LEASE_S,
        drain_s: float = DRAIN_S,
        parallel: int = PARALLEL_JOBS,
    ) -> None:
        self._store = store
        self._works = works
        self._clock = clock or SystemClock()
        self._redactor = redactor or Redactor()
        self._lease_s = lease_s
        self._drain_s = drain_s
        self._parallel = parallel
        self._running: dict[str, asyncio.Task[bool]] = {}
        self.seen = time.monotonic()
        self._later: dict[str, float] = {}

    async def work(self, leaving: asyncio.Event, *, once: bool = False) -> int:
        """Execute jobs until told to leave; ``once``: until none is waiting.

        When the worker leaves, its current jobs are requeued once they have stopped, or are
        cancelled. Returns the number of jobs ended. ``seen`` is the time of its last check of jobs
        and leases, on the monotonic clock.
        """
        ended = 0
        try:
            while not leaving.is_set():
                self.seen = time.monotonic()
                self._begin_jobs(leaving)
                if once and not self._running and not self._later:
                    break
                ended += await self._wait_for_jobs(leaving, WATCH_S)
            while self._running:
                ended += await self._wait_for_jobs(leaving)
        finally:
            await _cancel_and_wait(*self._running.values())
            self._running.clear()
        return ended

    def _begin_jobs(self, leaving: asyncio.Event) -> None:
        """Start the free jobs for which there is room."""
        while len(self._running) < self._parallel and (taken := self._take()) is not None:
            job, hold = taken
            self._running[job.id] = asyncio.ensure_future(self._run_job(job, hold, leaving))

    async def _wait_for_jobs(self, leaving: asyncio.Event, seconds: float | None = None) -> int:
        """Wait until a job is over, so long at most; return the number of jobs that ended."""
        left = asyncio.ensure_future(leaving.wait())
        tasks = {*self._running.values()} if leaving.is_set() else {left, *self._running.values()}
        try:
            await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
        over = [job_id for job_id, task in self._running.items() if task.done()]
        return sum(self._running.pop(job_id).result() for job_id in over)

    def _take(self) -> tuple[Job, LeaseLock] | None:
        """Return the first free job, with its lease."""
        now = self._clock.monotonic()
        self._later = {job_id: at for job_id, at in self._later.items() if at > now}
        for job in self._store.jobs.list_open():
            if job.id in self._running or job.id in self._later or self._is_paused(job):
                continue
            if (taken := self._acquire(job)) is not None:
                return taken
        return None

    def _is_paused(self, job: Job) -> bool:
        """True if its run waits until somebody resumes it."""
        return job.kind in PAUSABLE and self._store.run_commands.is_paused(job.target)

    def _acquire(self, job: Job) -> tuple[Job, LeaseLock] | None:
        try:
            lease = self._store.acquire_lease(lease_of(job.id), holder=HOLDER, ttl_s=self._lease_s)
            begun = self._store.jobs.begin(job.id, lease)
        except Conflict:
            return None
        if begun is None:
            self._store.release_lease(lease)
            return None
        return begun, LeaseLock(self._store, lease, clock=self._clock)

    async def _run_job(self, job: Job, hold: LeaseLock, leaving: asyncio.Event) -> bool:
        """Return True if the job ended."""
        stop = asyncio.Event()
        if job.state is JobState.STOPPING:
            stop.set()
        watch = asyncio.ensure_future(self._watch(job, hold, stop, leaving))
        try:
            with log_context(job=job.id):
                is_ended = await self._run_logged(job, hold, stop, leaving)
        except Conflict:
            is_ended = False  # its lease is another's: so is what is to be said of it
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            with suppress(StoreError):
                self._store.release_lease(hold.lease)
        return is_ended

    async def _run_logged(
        self, job: Job, hold: LeaseLock, stop: asyncio.Event, leaving: asyncio.Event
    ) -> bool:
        """As :meth:`_run_to_end`, with its beginning and its end in the log."""
        began = time.monotonic()
        fields = {"kind": job.kind, "target": job.target}
        _LOG.info("job begun", extra={"fields": fields})
        is_ended = await self._run_to_end(job, hold, stop, leaving)
        with suppress(StoreError):
            state = str(self._store.jobs.find(job.id).state)
            took = {"state": state, "seconds": round(time.monotonic() - began, 3)}
            _LOG.info("job ended" if is_ended else "job put back", extra={"fields": fields | took})
        return is_ended

    async def _run_to_end(
        self, job: Job, hold: LeaseLock, stop: asyncio.Event, leaving: asyncio.Event
    ) -> bool:
        jobs, left = self._store.jobs, None
        try:
            if not stop.is_set():
                left = await self._run_until_deadline(self._work_of(job)(job, stop), leaving)
        except _Interrupted:
            jobs.put_back(job.id, hold.lease)
            return False
        except Conflict:
            self._later[job.id] = self._clock.monotonic() + _AGAIN_S
            jobs.put_back(job.id, hold.lease)
            return False
        except asyncio.CancelledError:
            with suppress(StoreError):
                jobs.put_back(job.id, hold.lease)
            raise
        except Exception as exc:  # noqa: BLE001  whatever it is, the next job is not to wait for it
            error, hint = self._error_texts(exc, job)
            jobs.end(job.id, hold.lease, JobState.FAILED, error=error, hint=hint)
            return True
        is_stopped = jobs.find(job.id).state is JobState.STOPPING
        if leaving.is_set() and stop.is_set() and not is_stopped:
            jobs.put_back(job.id, hold.lease)
            return False
        state = JobState.STOPPED if is_stopped else JobState.DONE
        jobs.end(job.id, hold.lease, state, hint=self._redactor.text(left or ""))
        return True

    async def _run_until_deadline(
        self, work: Awaitable[str | None], leaving: asyncio.Event
    ) -> str | None:
        """Return the result of the work; it is cancelled if the worker would leave too late."""
        task, left = asyncio.ensure_future(work), asyncio.ensure_future(leaving.wait())
        try:
            await asyncio.wait({task, left}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await asyncio.wait({task}, timeout=self._drain_s)
            if task.done():
                return task.result()
            await _cancel_and_wait(task)
            raise _Interrupted
        finally:
            left.cancel()
            await _cancel_and_wait(task)

    def _work_of(self, job: Job) -> Work:
        work = self._works.get(job.kind)
        if work is None:
            known = ", ".join(sorted(self._works))
            raise SpecError(f"unknown kind of job {job.kind!r}.", hint=f"Use one of {known}.")
        return work

    def _error_texts(self, error: Exception, job: Job) -> tuple[str, str]:
        if isinstance(error, BenchmakerError):
            return self._redactor.text(error.message), self._redactor.text(error.hint)
        _LOG.error("job %s", job.id, exc_info=error)
        return f"Unexpected error ({type(error).__name__}).", "See the log for details."

    async def _watch(
        self, job: Job, hold: LeaseLock, stop: asyncio.Event, leaving: asyncio.Event
    ) -> None:
        """Keep the lease, and look whether to stop; without the lease, stop, too."""
        while not stop.is_set():
            self.seen = time.monotonic()
            try:
                hold.renew_in_time()
                wants_stop = self._store.jobs.find(job.id).state is JobState.STOPPING
            except Conflict:
                wants_stop = True
            except StoreError:
                wants_stop = False  # a locked store says so to the work itself
            if wants_stop or leaving.is_set():
                stop.set()
                return
            await _wait_for(leaving, WATCH_S)


class _Interrupted(Exception):
    """The worker had to leave before the work had stopped."""


async def _cancel_and_wait(*tasks: "asyncio.Future[Any]") -> None:
    """Have them end, whatever they were about to do."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait for the event, so long at most."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
