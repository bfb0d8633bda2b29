"""One sitting of a run: workers pull the plan, ask, mark and write down."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from benchmaker.engine.ask import Answer, ask
from benchmaker.engine.clock import Clock, SystemClock
from benchmaker.engine.hold import Hold, held
from benchmaker.engine.limits import Limits
from benchmaker.engine.mark import Marker
from benchmaker.engine.plan import Plan, Task
from benchmaker.engine.progress import INTERVAL_S, Meter, OnProgress
from benchmaker.engine.question import Question, Questions
from benchmaker.errors import Conflict, StoreError
from benchmaker.providers.base import Provider
from benchmaker.record import Run, RunState, Trial
from benchmaker.spec import Suite, profile
from benchmaker.store import Put, Store, Writer

Part = asyncio.Future[Any]  # what it gives is of no interest, only that it ends, or how


async def execute(
    store: Store,
    run: Run,
    suite: Suite,
    provider: Provider,
    *,
    limits: Limits | None = None,
    clock: Clock | None = None,
    on_progress: OnProgress | None = None,
    stop: asyncio.Event | None = None,
    runs: int = 1,
    without: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Ask what the run has no row for yet; returns the models that were stopped, with the reason.

    The run's row and its suite are in the store already. The run is held under a lease meanwhile.
    Once ``stop`` is set no new task is taken, and what is in flight is given ``limits.drain_s``
    seconds. The run ends ``finished`` when every planned trial has a row, else ``interrupted``.
    ``runs`` is the number of runs in its series, for the display. The models in ``without`` are
    not asked, for the reasons given.

    Raises:
        Conflict: another process works on this run; the message says which.
        StoreError: the store can't be written; what it acknowledged is there.
    """
    clock, limits = clock or SystemClock(), limits or Limits()
    with held(store, run.id, clock=clock, ttl_s=limits.lease_s) as hold:
        meter = Meter(run, clock=clock, before=store.count_trials(run.id), runs=runs)
        meter.stopped.update(without)
        with _state_kept(store, run, clock), Writer(store, lease=hold.lease) as writer:
            sitting = _Sitting(
                store, run, suite, provider, writer=writer, meter=meter, limits=limits, clock=clock
            )
            await sitting.work(hold, on_progress=on_progress, stop=stop or asyncio.Event())
    return meter.stopped


@contextmanager
def _state_kept(store: Store, run: Run, clock: Clock) -> Iterator[None]:
    """The run is ``running`` inside; after it, finished or interrupted, whatever happened.

    A store that another process took over or keeps locked is left as it is: the state is theirs
    to say, or the lease's.
    """
    if not run.started_at:
        store.amend_run(replace(run, started_at=clock.now_utc()))
    store.set_run_state(run.id, RunState.RUNNING)
    try:
        yield
    except Conflict:
        raise
    except BaseException:
        with suppress(StoreError):
            _settle(store, run, clock)
        raise
    _settle(store, run, clock)


def _settle(store: Store, run: Run, clock: Clock) -> None:
    is_whole = store.count_trials(run.id) >= run.planned
    state = RunState.FINISHED if is_whole else RunState.INTERRUPTED
    store.set_run_state(run.id, state, finished_at=clock.now_utc() if is_whole else None)


class _Sitting:
    """What the workers of one sitting share."""

    def __init__(
        self,
        store: Store,
        run: Run,
        suite: Suite,
        provider: Provider,
        *,
        writer: Writer,
        meter: Meter,
        limits: Limits,
        clock: Clock,
    ) -> None:
        self._run = run
        self._provider = provider
        self._writer = writer
        self._meter = meter
        self._limits = limits
        self._clock = clock
        self._is_live = run.provider.get("kind") != "recorded"
        self._marker = Marker(suite, profile(run.profile))
        self._questions = Questions(run)
        self._plan = _plan(store, run, suite)
        self._stop = asyncio.Event()
        self._durable = 0

    async def work(
        self, hold: Hold, *, on_progress: OnProgress | None, stop: asyncio.Event
    ) -> None:
        """Work the plan off, or as much of it as the stop allows; every row is then durable."""
        self._stop = stop
        workers = [asyncio.ensure_future(self._worker()) for _ in range(self._limits.concurrency)]
        work = asyncio.gather(*workers)
        watch = asyncio.ensure_future(self._watch(hold, on_progress))
        told = asyncio.ensure_future(stop.wait())
        parts: list[Part] = [*workers, work, watch, told]
        try:
            await asyncio.wait(parts[-3:], return_when=asyncio.FIRST_COMPLETED)
            await self._drained(work, watch)
            await asyncio.to_thread(self._writer.flush)
        finally:
            await _cancelled(parts)
        self._show(on_progress)

    async def _drained(self, work: Part, watch: Part) -> None:
        """Wait for what is in flight; raise what a worker or the watch raised."""
        if not watch.done():
            await asyncio.wait({work}, timeout=self._limits.drain_s)
        for part in (watch, work):
            if part.done():
                part.result()

    async def _worker(self) -> None:
        while not self._stop.is_set() and (tasks := self._plan.take(self._limits.batch)):
            for task in tasks:
                if not self._stop.is_set() and task.model not in self._meter.stopped:
                    await self._trial(task)
            await asyncio.sleep(0)  # so that others run, too, where nothing had to be awaited

    async def _trial(self, task: Task) -> None:
        question = self._questions.of(task.case)
        answer = await ask(
            self._provider, question.to(task.model), clock=self._clock, live=self._is_live
        )
        if answer.stops_model:
            self._stop_model(task.model, answer)
        trial = await self._marker.mark(self._unmarked(task, question, answer), task.case)
        self._writer.put(trial, on_durable=self._note_durable)
        self._meter.count(trial)

    def _unmarked(self, task: Task, question: Question, answer: Answer) -> Trial:
        case = task.case
        return Trial(
            run_id=self._run.id,
            case_id=case.id,
            model=task.model,
            position=task.position,
            outcome=answer.outcome,
            completion=answer.completion,
            attempts=answer.attempts,
            messages_hash=question.messages_hash,
            weight=case.weight,
            category=case.category,
            difficulty=case.difficulty,
            tags=case.tags,
            group=case.group,
            error_type=answer.error_type,
            error=answer.error,
            finished_at=self._clock.now_utc(),
        )

    def _stop_model(self, model: str, answer: Answer) -> None:
        self._plan.drop(model)
        self._meter.stopped.setdefault(model, f"{answer.error_type}: {answer.error}")

    def _note_durable(self, _: Put) -> None:
        self._durable += 1

    async def _watch(self, hold: Hold, on_progress: OnProgress | None) -> None:
        while True:
            await asyncio.sleep(INTERVAL_S)
            hold.renew_in_time()
            self._show(on_progress)

    def _show(self, on_progress: OnProgress | None) -> None:
        if on_progress is not None:
            on_progress(self._meter.snapshot(self._durable))


def _plan(store: Store, run: Run, suite: Suite) -> Plan:
    def done(first: int, last: int) -> set[tuple[str, str]]:
        return store.done_keys(run.id, first, last)

    return Plan(suite.cases, run.models, selection=run.selection, done=done)


async def _cancelled(parts: list[Part]) -> None:
    for part in parts:
        part.cancel()
    await asyncio.gather(*parts, return_exceptions=True)
