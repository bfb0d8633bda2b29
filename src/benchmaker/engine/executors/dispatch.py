"""A job carried out in other processes: batches go out, marked trials come back."""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from benchmaker import errors
from benchmaker.engine.executors.base import ExecutorJob
from benchmaker.engine.executors.batches import Batch, News, RemoteError, Replies, WorkerSetup
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.pause_gate import PauseGate
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.engine.requests.retry import is_empty
from benchmaker.engine.requests.single_request import look_up
from benchmaker.engine.trials.answer import RequestResult
from benchmaker.engine.trials.plan import Task
from benchmaker.engine.trials.question import models_of, setups_with
from benchmaker.errors import BenchmakerError, PrerequisiteError
from benchmaker.providers.recipe import recipe_of
from benchmaker.record import MODEL_STOPPED, Outcome, Trial
from benchmaker.version import __version__

MARKED = 250
"""Recorded answers marked as one batch."""

PER_WORKER = 10
"""Live trials per batch for each request that a worker may have in flight."""

MOST_DEATHS = 3
"""Number of successive workers lost to a batch after which it is not retried."""

START_S = 120.0
"""Seconds without a started worker after which a cluster counts as full."""

_LOOK_S = 1.0

_AHEAD = 2
"""Batches of recorded answers that a worker has at once: one is marked, one is on its way."""


class WorkerLost(Exception):
    """A worker died, or its node was removed; its undelivered work must be repeated."""


class RemoteWorker(Protocol):
    """A worker in another process; every call may raise WorkerLost."""

    def open(self, order: WorkerSetup) -> Awaitable[RemoteError | None]: ...  # noqa: D102  as Worker has them
    def score(self, replies: Replies) -> Awaitable[tuple[Trial, ...] | RemoteError]: ...  # noqa: D102
    def begin(self, batch: Batch) -> Awaitable[RemoteError | None]: ...  # noqa: D102
    def news(self, durable: int, stopped: dict[str, str], stop: bool) -> Awaitable[News]: ...  # noqa: D102, FBT001
    def end(self) -> None:
        """Kill it, if it still lives."""
        ...


class WorkerSource(Protocol):
    """The source of workers, and the keeper of their shared limits."""

    @property
    def size(self) -> int:
        """The maximum number of workers."""
        ...

    def start_worker(self) -> RemoteWorker:
        """Start a worker, which may take a while."""
        ...

    async def fund(self, job: ExecutorJob) -> None:
        """Make the shared limits ready for a job."""
        ...

    async def account(self, job: ExecutorJob) -> None:
        """Add the spending to the job's budget."""
        ...

    async def states(self) -> Mapping[str, RateLimiterState]:
        """Return the endpoints' limiters, by endpoint name."""
        ...


@dataclass(slots=True)
class WorkerSlot:
    """A slot for a worker: its current worker, and its limit of requests in flight."""

    share: int
    worker: RemoteWorker | None = None
    opening: asyncio.Future[RemoteWorker | None] | None = None


@dataclass(slots=True, eq=False)
class PendingBatch:
    """A batch in progress: its outstanding tasks, and the number of workers that died with it."""

    tasks: dict[tuple[int, str], Task]
    answers: dict[tuple[int, str], RequestResult] = field(default_factory=dict)
    deaths: int = 0


class RemoteJob(ABC):
    """The common part of both kinds of jobs: slots, undone batches, and completion."""

    def __init__(self, job: ExecutorJob, crew: WorkerSource, shares: list[int]) -> None:
        self._job = job
        self._crew = crew
        self._posts = [WorkerSlot(share) for share in shares]
        self._turn = self._left = 0
        self._undone: deque[PendingBatch] = deque()
        self._busy = 0
        self._changed = asyncio.Event()
        self._over = asyncio.Event()
        self._gate = PauseGate()
        self._flying: dict[int, int] = {}
        self._states: Mapping[str, RateLimiterState] = {}
        self._funded: asyncio.Future[None] | None = None

    @property
    def worker_count(self) -> int:
        """The number of batches sent at once."""
        return len(self._posts)

    @property
    def in_flight(self) -> int:
        """The number of requests in flight, as reported by the workers."""
        return sum(self._flying.values())

    def limiters(self) -> Mapping[str, RateLimiterState]:
        """Return the endpoints' latest limiters."""
        return self._states

    def wake(self) -> None:
        """Start nothing more."""
        self._over.set()
        self._changed.set()
        self._gate.unpause()

    def pause(self) -> None:
        """Start nothing until :meth:`unpause`; requests in flight are completed."""
        self._gate.pause()

    def unpause(self) -> None:
        """Continue."""
        self._gate.unpause()

    def drop(self, model: str, reason: str) -> None:
        """Stop querying this setup; workers hear of it with their next report."""
        self._job.plan.drop(model)
        self._job.meter.stopped.setdefault(model, reason)

    def set_concurrency(self, number: int) -> int:  # noqa: ARG002  as the others have it
        """Refuse: each worker got its share of the requests at its start."""
        raise _cannot_change("the number of parallel requests", "--concurrency")

    def limit_spending(self, budget: Budget) -> None:  # noqa: ARG002  as above
        """Refuse: the budget was shared out at the start."""
        raise _cannot_change("the budget", "--max-cost")

    def retry(self, failed: Collection[tuple[str, str]]) -> int:  # noqa: ARG002  as above
        """Refuse: the plan was shared out at the start."""
        raise _cannot_change("the plan", "--retry-failed")

    async def work(self, stop: asyncio.Event) -> None:
        """Hand batches to one worker, and to its successor when it dies, until none is left."""
        place, self._turn = self._turn, self._turn + 1
        await self._fund()
        while not stop.is_set() and not self._over.is_set():
            await self._gate.wait()
            worker = await self._worker_of(self._slot(place))
            load = await self._take_batch() if worker is not None else None
            if worker is None or load is None:
                break
            async with self._watch_batch(worker, place, load):
                await self.run_batch(worker, place, load)
        self.wake()
        await self._leave()

    async def _leave(self) -> None:
        """The last one out stops the workers."""
        self._left += 1
        if self._left < self.worker_count:
            return
        await self._crew.account(self._job)
        for post in self._posts:
            if post.worker is not None:
                self._lose(post.worker, post)

    @abstractmethod
    async def run_batch(self, worker: RemoteWorker, place: int, load: PendingBatch) -> None:
        """Have one batch executed; completed tasks are removed from the load."""

    @abstractmethod
    async def next_batch(self) -> PendingBatch | None:
        """Return the next batch of the plan; None if there is none."""

    def worker_setup(self, share: int) -> WorkerSetup:
        """Return the setup of a worker."""
        job = self._job
        return WorkerSetup(
            run=job.run,
            suite=job.suite.without_cases(),
            version=__version__,
            judge=job.judge,
            limits=job.limits,
            share=share,
            stream=job.options.stream,
            has_budget=job.budget is not None,
            recipe=recipe_of(job.provider) if job.is_live else None,
        )

    def _slot(self, place: int) -> WorkerSlot:
        return self._posts[place]

    async def _fund(self) -> None:
        """Set the budget once, by the first caller."""
        if self._funded is None:
            self._funded = asyncio.ensure_future(self._crew.fund(self._job))
        await self._funded

    async def _take_batch(self) -> PendingBatch | None:
        """A batch; waits while another's may still come back undone."""
        while not self._over.is_set():
            self._busy += 1
            load = self._undone.popleft() if self._undone else await self.next_batch()
            if load is not None:
                return load
            self._release_batch()
            if not self._busy:
                return None
            self._changed.clear()
            await self._changed.wait()
        return None

    def _release_batch(self) -> None:
        """One batch less is out, or being made ready."""
        self._busy -= 1
        self._changed.set()

    @asynccontextmanager
    async def _watch_batch(
        self, worker: RemoteWorker, place: int, load: PendingBatch
    ) -> AsyncIterator[None]:
        try:
            yield
        except WorkerLost as exc:
            self._lose(worker, self._slot(place))
            load.deaths += 1
            if load.deaths >= MOST_DEATHS:
                raise PrerequisiteError(
                    f"{MOST_DEATHS} workers died at the same trials: {exc}",
                    hint="Check the memory of the nodes, then resume with: benchmaker resume",
                ) from exc
            if load.tasks:
                self._undone.append(load)
        finally:
            self._flying.pop(place, None)
            self._release_batch()

    def _lose(self, worker: RemoteWorker, post: WorkerSlot) -> None:
        worker.end()
        if post.worker is worker:
            post.worker = None

    async def _worker_of(self, post: WorkerSlot) -> RemoteWorker | None:
        """The worker of this place; a new one where there is none. None when all is over first."""
        while post.worker is None and not self._over.is_set():
            try:
                await self._start_worker(post)
            except WorkerLost:
                continue
        return post.worker

    async def _start_worker(self, post: WorkerSlot) -> None:
        worker = self._crew.start_worker()
        opening = asyncio.ensure_future(_open_worker(worker, self.worker_setup(post.share)))
        over = asyncio.ensure_future(self._over.wait())
        waited_s = 0.0
        try:
            while not opening.done() and not over.done():
                await asyncio.wait(
                    (opening, over), timeout=1.0, return_when=asyncio.FIRST_COMPLETED
                )
                waited_s += 1.0
                self._refuse_waiting(waited_s)
            if opening.done():
                fault = opening.result()
                if fault is not None:
                    raise error_of(fault)
                post.worker = worker
        finally:
            over.cancel()
            if post.worker is None:
                opening.cancel()
                worker.end()

    def _refuse_waiting(self, waited_s: float) -> None:
        if waited_s > START_S and not any(post.worker for post in self._posts):
            raise PrerequisiteError(
                f"no worker of the cluster started within {START_S:g} s.",
                hint="Check for a free CPU with: ray status",
            )


class RemoteReplay(RemoteJob):
    """Recorded answers: they are looked up here and marked there."""

    def __init__(self, job: ExecutorJob, crew: WorkerSource) -> None:
        workers = max(1, min(crew.size, job.run.planned // MARKED + 1))
        super().__init__(job, crew, [1] * workers)

    @property
    def worker_count(self) -> int:
        """The number of batches sent at once."""
        return len(self._posts) * _AHEAD

    def _slot(self, place: int) -> WorkerSlot:
        return self._posts[place % len(self._posts)]

    async def _worker_of(self, post: WorkerSlot) -> RemoteWorker | None:
        """As above; who comes second waits for the same worker."""
        while post.worker is None and not self._over.is_set():
            if post.opening is None:
                post.opening = asyncio.ensure_future(super()._worker_of(post))
            try:
                await asyncio.shield(post.opening)
            finally:
                post.opening = None
        return post.worker

    async def next_batch(self) -> PendingBatch | None:
        """The next tasks with their answers."""
        job, load = self._job, PendingBatch({})
        while not load.tasks and (tasks := job.plan.take(MARKED)):
            for task in tasks:
                if task.model not in job.meter.stopped:
                    await self._look_up(task, load)
            await asyncio.sleep(0)  # so that others run, too, where nothing had to be awaited
        return load if load.tasks else None

    async def _look_up(self, task: Task, load: PendingBatch) -> None:
        job = self._job
        request = job.questions.question_for(task.case, task.model).request_for(task.model)
        answer = await look_up(job.provider, request, clock=job.clock)
        load.tasks[task.position, task.model] = task
        load.answers[task.position, task.model] = answer

    async def run_batch(self, worker: RemoteWorker, place: int, load: PendingBatch) -> None:
        """Have the answers marked, and write them down."""
        del place
        pairs = tuple((task, load.answers[key]) for key, task in load.tasks.items())
        marked = await worker.score(Replies(pairs))
        if isinstance(marked, RemoteError):
            raise error_of(marked)
        for trial in marked:
            self._job.keeper.put(trial)
        load.tasks.clear()


class RemoteRequests(RemoteJob):
    """Live models: workers query them, within shared limits."""

    def __init__(self, job: ExecutorJob, crew: WorkerSource) -> None:
        number = max(1, min(crew.size, job.limits.concurrency))
        each, more = divmod(job.limits.concurrency, number)
        super().__init__(job, crew, [each + (place < more) for place in range(number)])
        self._look_at = 0.0
        self._size = max(1, min(PER_WORKER * max(1, each), -(-job.run.planned // (2 * number))))

    async def next_batch(self) -> PendingBatch | None:
        """Return the next tasks; cached answers are stored immediately."""
        job = self._job
        load = PendingBatch({})
        while not load.tasks and (tasks := job.plan.take(self._size)):
            for task in tasks:
                if task.model not in job.meter.stopped and not await self._is_known(task):
                    load.tasks[task.position, task.model] = task
        return load if load.tasks else None

    async def run_batch(self, worker: RemoteWorker, place: int, load: PendingBatch) -> None:
        """Have the models queried, and store results as they arrive."""
        job, durable = self._job, 0
        batch = Batch(tuple(load.tasks.values()), dict(job.meter.stopped))
        fault = await worker.begin(batch)
        if fault is not None:
            raise error_of(fault)
        is_ended = was_paused = False
        while not is_ended:
            was_paused |= self._gate.is_paused
            must_end = was_paused or self._over.is_set()
            news = await worker.news(durable, dict(job.meter.stopped), must_end)
            is_ended = news.is_ended
            durable += await self._keep_news(news, load)
            self._flying[place] = news.flying
            self._apply_news(news)
            await self._look(is_ended=is_ended)
        if self._over.is_set():
            return
        gone = job.meter.stopped
        load.tasks = {key: it for key, it in load.tasks.items() if it.model not in gone}
        if load.tasks and was_paused:
            self._undone.append(PendingBatch(dict(load.tasks)))
        elif load.tasks:
            raise WorkerLost("a batch was returned unfinished")

    async def _look(self, *, is_ended: bool) -> None:
        """Update the limiters, once a second and after each batch."""
        now = self._job.clock.monotonic()
        if is_ended or now >= self._look_at:
            self._look_at = now + _LOOK_S
            self._states = await self._crew.states()

    async def _keep_news(self, news: News, load: PendingBatch) -> int:
        for trial in news.trials:
            key = (trial.position, trial.model)
            self._job.keeper.put(trial)
            if trial.outcome is Outcome.UNFINISHED and key in load.tasks:
                load.tasks[key] = load.tasks[key]._replace(earlier=trial)
                continue
            task = load.tasks.pop(key, None)
            if task is not None:
                load.deaths = 0  # it gets on
                self._store_in_cache(task, trial)
        if news.trials:
            await self._job.keeper.until_durable()
        return len(news.trials)

    def _apply_news(self, news: News) -> None:
        job = self._job
        models = models_of(job.run)
        for name, reason in news.stopped.items():
            for setup in setups_with(name, models) if name not in job.meter.stopped else ():
                job.plan.drop(setup)
                job.meter.stopped.setdefault(setup, reason)
        if news.halted:
            if job.budget is not None:
                job.budget.refusal = news.halted
            self.wake()
        if news.fault is not None:
            raise error_of(news.fault)

    async def _is_known(self, task: Task) -> bool:
        job = self._job
        if job.cache is None or task.case.tools:
            return False
        question = job.questions.question_for(task.case, task.model)
        found = job.cache.find(question.request_for(task.model, stream=job.options.stream))
        if found is not None:
            await job.keeper.keep(task, question, RequestResult.of(found))
        return found is not None

    def _store_in_cache(self, task: Task, trial: Trial) -> None:
        cache, completion = self._job.cache, trial.completion
        if cache is None or completion is None or is_empty(completion) or task.case.tools:
            return  # of a case with tools, the completion is the sum of several replies
        if MODEL_STOPPED not in trial.flags:
            cache.put(
                self._job.questions.question_for(task.case, task.model).request_for(task.model),
                completion,
            )


async def _open_worker(worker: RemoteWorker, order: WorkerSetup) -> RemoteError | None:
    return await worker.open(order)


def _cannot_change(subject: str, option: str) -> PrerequisiteError:
    """The error for a command that workers of a cluster can't obey."""
    return PrerequisiteError(
        f"workers of a cluster get {subject} when they start.",
        hint=f"Stop the run, then: benchmaker resume RUN {option}",
    )


def error_of(fault: RemoteError) -> Exception:
    """Return the original error, if it is one of ours."""
    kind = getattr(errors, fault.name, None)
    if isinstance(kind, type) and issubclass(kind, BenchmakerError):
        try:
            return kind(fault.message, where=fault.where, hint=fault.hint)
        except TypeError:
            return BenchmakerError(fault.message, where=fault.where, hint=fault.hint)
    return RuntimeError(f"{fault.name}: {fault.message}")
