"""Execute one run: send requests, score answers, store rows."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from random import Random, SystemRandom
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from benchmaker.engine.executors.base import Executor, ExecutorJob
from benchmaker.engine.executors.local import Local
from benchmaker.engine.judges.judge_client import JudgeClient
from benchmaker.engine.judges.judge_makers import (
    Judges,
    NoJudge,
    chosen_for,
    is_judging,
    preparing_of,
)
from benchmaker.engine.judges.judging import JudgePool
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.cache import Cache
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import INTERVAL_S, Meter, OnProgress
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.engine.requests.recording import TrialRecorder
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.control import BEFORE, RunControl, RunSettings
from benchmaker.engine.runs.lock import LeaseLock, lock_run
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.interpreter import BULK_YOUNG, YOUNG, tune_interpreter
from benchmaker.engine.trials.log_context import log_context
from benchmaker.engine.trials.plan import Plan
from benchmaker.engine.trials.question import Questions
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import Conflict, StoreError
from benchmaker.providers.base import Provider
from benchmaker.providers.recorded_judge import RecordedJudge
from benchmaker.record import Run, RunState, Trial
from benchmaker.record.run import BudgetEnd
from benchmaker.record.run_command import DROPPED
from benchmaker.spec import Suite, profile
from benchmaker.store import Store, Writer

if TYPE_CHECKING:
    from benchmaker.engine.requests.preparing import AnswerPreparer

_STREAM_PAUSE_S = 0.002
_PAUSE_S = 0.004
"""Maximum pause after a commit where workers wait for their rows. Rows of a fast model then share
commits, each of which interrupts the event loop; a row that comes later is committed at once. An
answer in one piece costs less time than a streamed one, so commits weigh more beside it."""

Part = asyncio.Future[Any]  # what it gives is of no interest, only that it ends, or how


async def execute(
    store: Store,
    run: Run,
    suite: Suite,
    provider: Provider,
    *,
    limits: RunLimits | None = None,
    options: RunOptions | None = None,
    budget: Budget | None = None,
    limiters: RateLimiters | None = None,
    clock: Clock | None = None,
    random: Random | None = None,
    on_progress: OnProgress | None = None,
    stop: asyncio.Event | None = None,
    runs: int = 1,
    without: Mapping[str, str] = MappingProxyType({}),
    judges: Judges | None = None,
    executor: Executor | None = None,
    settings: RunSettings | None = None,
) -> dict[str, str]:
    """Run the trials without a row; return the stopped models, with the reasons.

    The run's row and its suite are in the store already. The run is held under a lease. Once
    ``stop`` is set no new request is made, and requests in flight get ``limits.drain_s`` seconds.
    The run ends ``finished`` if only trials of stopped models are left, otherwise ``interrupted``.
    The runs of a series share ``budget`` and ``limiters``. ``runs`` is the number of runs in
    its series, for display. The models in ``without`` are skipped, for the given reasons. Answers
    with a judging scorer are durable before they are judged by ``judges``; the run is finished when
    all are judged. ``executor`` is the place of execution; by default this process.

    Commands to the run are obeyed, see :mod:`benchmaker.engine.runs.control`: a paused run waits,
    and ends ``paused`` if it is stopped meanwhile. ``settings`` holds the limits that commands
    change, in place of ``limits`` and ``budget``.

    Raises:
        Conflict: another process works on this run; the message names it.
        StoreError: the store is not writable; acknowledged data is stored.
    """
    clock, limits, options = clock or SystemClock(), limits or RunLimits(), options or RunOptions()
    with (
        log_context(run=run.id),
        lock_run(store, run.id, clock=clock, ttl_s=limits.lease_s) as hold,
    ):
        _notify_begun(on_progress, run)
        run = _started_run(store, run, clock, options)
        if options.retry_failed and judges is not None and is_judging(suite, judges.chosen):
            store.await_judges(run.id)
        meter = _meter(store, run, clock, options, runs=runs, has_judges=judges is not None)
        meter.stopped.update({**without, **dict.fromkeys(run.dropped, DROPPED)})
        meter.paused = BEFORE if run.state is RunState.PAUSED else ""
        settings = settings or RunSettings(limits, budget)
        state_kept = _keep_state(store, run, clock, meter=meter, settings=settings)
        with state_kept, _writer(store, run, hold, judges, options) as writer:
            execution = _Execution(
                store,
                run,
                suite,
                provider,
                writer=writer,
                meter=meter,
                settings=settings,
                options=options,
                clock=clock,
                random=random or SystemRandom(),
                limiters=limiters,
                judges=judges,
                executor=executor or Local(),
            )
            live = is_live(run)
            with tune_interpreter(live=live, young=YOUNG if live else BULK_YOUNG):
                await execution.work(hold, on_progress=on_progress, stop=stop or asyncio.Event())
    return meter.stopped


def _started_run(store: Store, run: Run, clock: Clock, options: RunOptions) -> Run:
    """Return the run as stored, with its start; retried trials are then incomplete."""
    known = store.run(run.id)
    if not known.started_at or known.budget_end:
        started_at = known.started_at or clock.now_utc()
        known = replace(known, started_at=started_at, budget_end=None)
        store.amend_run(known)
    if options.retry_failed:
        queried = [name for name in known.models if name not in known.dropped]
        store.request_retries(run.id, queried)
    return known


def _notify_begun(on_progress: OnProgress | None, run: Run) -> None:
    """Report the started run to the progress callback, before the first snapshot."""
    begun = getattr(on_progress, "on_begin", None)
    if begun is not None:
        begun(run.id)


def _meter(
    store: Store, run: Run, clock: Clock, options: RunOptions, *, runs: int, has_judges: bool
) -> Meter:
    """The progress of a run, which begins with its stored trials."""
    is_again = options.retry_failed
    before = store.count_done(run.id, retry_failed=is_again)
    return Meter(
        run,
        clock=clock,
        before=before,
        before_of=_done_by_model(store, run, retry_failed=is_again) if before else {},
        runs=runs,
        awaiting=store.count_awaiting(run.id) if has_judges else 0,
    )


def _done_by_model(store: Store, run: Run, *, retry_failed: bool) -> dict[str, int]:
    """Return the completed trials of each model."""
    return {
        model: store.count_done(run.id, retry_failed=retry_failed, of=(model,))
        for model in run.models
    }


def is_live(run: Run) -> bool:
    """True if its models are live, so that requests are made and retried."""
    return run.provider.get("kind") != "recorded"


def _are_live(judges: Judges | None) -> bool:
    if judges is None:
        return False
    is_live = not isinstance(judges.provider, RecordedJudge | NoJudge)
    return is_live or judges.embeddings is not None


def _writer(
    store: Store, run: Run, hold: LeaseLock, judges: Judges | None, options: RunOptions
) -> Writer:
    """A writer under the hold; where workers wait for their rows, its pauses are short."""
    if is_live(run) or judges is not None:
        pause_s = _STREAM_PAUSE_S if options.stream else _PAUSE_S
        return Writer(store, lease=hold.lease, max_delay_s=pause_s)
    return Writer(store, lease=hold.lease)


@contextmanager
def _keep_state(
    store: Store, run: Run, clock: Clock, *, meter: Meter, settings: RunSettings
) -> Iterator[None]:
    """The run is ``running`` inside, or paused; after it, its state tells what is left.

    A store that another process took over or keeps locked is left as it is: the state is theirs
    to say, or the lease's.
    """
    if not meter.paused:
        store.set_run_state(run.id, RunState.RUNNING)
    try:
        yield
    except Conflict:
        raise
    except BaseException:
        with suppress(StoreError):
            settle_run(store, run, clock, stopped=meter.stopped, is_paused=bool(meter.paused))
        raise
    settle_run(
        store,
        run,
        clock,
        stopped=meter.stopped,
        is_paused=bool(meter.paused),
        budget_end=settings.budget_end,
    )


def settle_run(
    store: Store,
    run: Run,
    clock: Clock,
    *,
    stopped: Iterable[str] = (),
    is_paused: bool = False,
    budget_end: BudgetEnd | None = None,
) -> None:
    """Set the run to finished if nothing is left to run or to judge, else to interrupted or paused.

    Trials of the models in ``stopped`` do not count: a model that refuses requests would keep the
    run open for ever. ``resume`` still retries them. Nor do those of dropped models. An interrupted
    run keeps ``budget_end``.
    """
    without = {*stopped, *run.dropped}
    running_models = [model for model in run.models if model not in without]
    planned = sum(map(run.planned_of, running_models))
    is_complete = not running_models or store.count_done(run.id, of=running_models) >= planned
    is_whole = is_complete and not store.count_awaiting(run.id)
    left = RunState.PAUSED if is_paused else RunState.INTERRUPTED
    state = RunState.FINISHED if is_whole else left
    _store_budget_end(store, run.id, budget_end if state is RunState.INTERRUPTED else None)
    store.set_run_state(run.id, state, finished_at=clock.now_utc() if is_whole else None)


def _store_budget_end(store: Store, run_id: str, budget_end: BudgetEnd | None) -> None:
    known = store.run(run_id)
    if known.budget_end != budget_end:
        store.amend_run(replace(known, budget_end=budget_end))


def settle_judged_run(store: Store, run_id: str, clock: Clock | None = None) -> None:
    """Let an interrupted run be finished where answers waited for a judge and none is left."""
    run = store.run(run_id)
    if run.state is RunState.INTERRUPTED:
        settle_run(store, run, clock or SystemClock(), budget_end=run.budget_end)


class _Execution:
    """The state shared by the workers of one execution."""

    def __init__(
        self,
        store: Store,
        run: Run,
        suite: Suite,
        provider: Provider,
        *,
        writer: Writer,
        meter: Meter,
        settings: RunSettings,
        options: RunOptions,
        clock: Clock,
        random: Random,
        limiters: RateLimiters | None,
        judges: Judges | None,
        executor: Executor,
    ) -> None:
        self._store, self._run, self._provider = store, run, provider
        self._writer = writer
        self._meter = meter
        self._clock = clock
        self._settings = settings
        self._limits = limits = settings.limits
        knows_keys = getattr(provider, "redactor", None)
        chosen = judges.chosen if judges else chosen_for(run)
        marker = TrialScorer(
            suite, profile(run.profile_id), redactor=knows_keys, judge=chosen,
            weights=run.judge.get("weights", {}), run=run,
        )  # fmt: skip
        self._keeper = TrialRecorder(run, marker=marker, writer=writer, meter=meter, clock=clock)
        limiters = limiters or RateLimiters(provider, limits, clock=clock)
        self._limiters = limiters if is_live(run) else None
        self._judging: JudgePool | None = None
        self._judge_client: JudgeClient | None = None
        self._preparing: AnswerPreparer | None = None
        self._judges = judges
        job = ExecutorJob(
            run=run,
            suite=suite,
            provider=provider,
            plan=_plan(store, run, suite, retry_failed=options.retry_failed),
            keeper=self._keeper,
            questions=Questions(run, suite),
            meter=meter,
            limits=limits,
            options=options,
            clock=clock,
            random=random,
            limiters=limiters,
            is_live=is_live(run),
            judge=chosen,
            are_judges_live=_are_live(judges),
            budget=settings.budget,
            cache=Cache(store, writer, provider) if options.cache and is_live(run) else None,
        )
        if judges is not None:
            self._open_judging(store, job, judges, marker)
        self._work = executor.begin(job)

    def _open_judging(
        self, store: Store, job: ExecutorJob, judges: Judges, marker: TrialScorer
    ) -> None:
        """Let judges take the answers that wait for them."""
        self._judge_client = JudgeClient(
            store,
            self._writer,
            judges.provider,
            concurrency=judges.concurrency,
            limits=job.limits,
            clock=job.clock,
            random=job.random,
            limiters=self._limiters,
            budget=job.budget,
            on_paid=job.meter.add_judge_cost,
            cached_number=job.run.number if job.options.cache else None,
            embeddings=judges.embeddings,
            on_embedded=job.meter.add_embedding_cost,
        )
        self._preparing = preparing_of(store, job.suite, judges, self._judge_client)
        self._judging = JudgePool(
            store,
            job.run,
            marker=marker,
            client=self._judge_client,
            writer=self._writer,
            meter=job.meter,
            on_halt=self._on_judges_halted,
            preparing=self._preparing,
        )
        self._keeper.on_awaiting = self._judging.look

    async def work(
        self, hold: LeaseLock, *, on_progress: OnProgress | None, stop: asyncio.Event
    ) -> None:
        """Work the plan off, or as much of it as the stop allows; every row is then durable."""
        workers: list[Part] = []

        def add_workers(number: int) -> None:
            workers.extend(asyncio.ensure_future(self._work.work(stop)) for _ in range(number))

        control = self._control(hold, add_workers)
        await control.begin()
        judging = self._judging_workers()
        work = asyncio.gather(self._wait_for_answers(workers), *judging)
        watch = asyncio.ensure_future(self._watch(hold, control, on_progress))
        stopping = asyncio.ensure_future(self._wait_for_stop(stop))
        parts: list[Part] = [*judging, work, watch, stopping]
        try:
            await asyncio.wait(parts[-3:], return_when=asyncio.FIRST_COMPLETED)
            await self._drain(work, watch)
            if not self._writer.is_idle:
                await asyncio.to_thread(self._writer.flush)
        finally:
            await _cancel([*workers, *parts])
            await control.finish()
            if self._preparing is not None:
                await self._preparing.close()
            if self._judge_client is not None:
                await self._judge_client.close()
        self._show(on_progress)

    def _control(self, hold: LeaseLock, add_workers: Callable[[int], None]) -> RunControl:
        """The reader of commands."""
        return RunControl(
            self._store,
            self._run,
            self._work,
            hold,
            writer=self._writer,
            meter=self._meter,
            settings=self._settings,
            provider=self._provider,
            judges=self._judge_client,
            add_workers=add_workers,
            begun_at=self._clock.now_utc(),
        )

    def _judging_workers(self) -> list[Part]:
        judging = self._judging
        if judging is None or self._judges is None:
            return []
        return [asyncio.ensure_future(judging.work()) for _ in range(self._judges.workers)]

    async def _wait_for_answers(self, workers: Sequence[Part]) -> None:
        """Wait for the models' workers, later ones too; then no more answers come to be judged."""
        while running := [worker for worker in workers if not worker.done()]:
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            _raise_first_error(workers)
        _raise_first_error(workers)
        if self._judging is not None:
            await self._keeper.until_durable()
            self._judging.close()

    def _on_judges_halted(self) -> None:
        """Report stopped judges; a reached budget stops everything."""
        if self._judge_client is None:
            return
        self._meter.stopped.update(self._judge_client.stopped)
        if not self._judge_client.stopped:
            self._work.wake()

    async def _wait_for_stop(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._work.wake()
        if self._judging is not None:
            self._judging.stop("stopped")

    async def _drain(self, work: Part, watch: Part) -> None:
        """Wait for requests in flight; raise the error of a worker or of the watch."""
        if not watch.done():
            await asyncio.wait({work}, timeout=self._limits.drain_s)
        for part in (watch, work):
            if part.done():
                part.result()

    async def _watch(
        self, hold: LeaseLock, control: RunControl, on_progress: OnProgress | None
    ) -> None:
        while True:
            await asyncio.sleep(INTERVAL_S)
            hold.renew_in_time()
            self._settings.renew_in_time()
            self._show(on_progress)
            await control.look(now=self._clock.monotonic())

    def _show(self, on_progress: OnProgress | None) -> None:
        if on_progress is None:
            return
        flying, limiters = self._work.in_flight, self._work.limiters()
        judging = self._judging.in_flight if self._judging else 0
        durable = self._keeper.durable
        on_progress(
            self._meter.snapshot(durable, flying=flying, judging=judging, limiters=limiters)
        )


def _plan(store: Store, run: Run, suite: Suite, *, retry_failed: bool) -> Plan:
    def done_keys(first: int, last: int) -> set[tuple[str, str]]:
        return store.done_keys(run.id, first, last, retry_failed=retry_failed)

    def earlier(case_id: str, model: str) -> Trial | None:
        return next(store.trials(run.id, model=model, case_id=case_id), None)

    return Plan(
        suite.cases,
        run.models,
        selection=run.selection,
        variables=suite.vars,
        done=done_keys,
        earlier=earlier if is_live(run) else None,
    )


def _raise_first_error(parts: Sequence[Part]) -> None:
    """Raise the error of a part that has failed."""
    for part in parts:
        if part.done():
            part.result()


async def _cancel(parts: Sequence[Part]) -> None:
    for part in parts:
        part.cancel()
    await asyncio.gather(*parts, return_exceptions=True)
