"""Running a series of agent trials: parallel trials, stop rules, evaluation, and a clean end."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions, profile_of
from benchmaker.arenas.agentic.gateway.caps import SeriesCaps
from benchmaker.arenas.agentic.gateway.gateway import Gateway, open_gateway
from benchmaker.arenas.agentic.series.attempt import AttemptRunner, SeriesLimits, under_lease
from benchmaker.arenas.agentic.series.batch_evaluation import BatchEvaluation
from benchmaker.arenas.agentic.series.container_readiness import with_container_files
from benchmaker.arenas.agentic.series.members import agents_of, tasks_of
from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan
from benchmaker.arenas.agentic.series.remote import open_steps
from benchmaker.arenas.agentic.series.series_judges import SeriesJudges, wanted_jury
from benchmaker.arenas.agentic.series.stop_rules import StopRules
from benchmaker.arenas.agentic.series.used_caps import runnable_keys
from benchmaker.arenas.agentic.series.workspaces import MEGABYTE, KeptWorkspaces
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.engine.runs.lock import lock_series
from benchmaker.engine.runs.signals import stop_on_signals
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.agent_trial import EVERY_SYSTEM, AgentTrial, TrialKey, TrialOutcome
from benchmaker.record.submissions.submission import LOCAL
from benchmaker.store import Store
from benchmaker.store.home import Home

_TICK_S: Final = 1.0
_SPARE_THREADS: Final = 8


@dataclass(frozen=True, slots=True)
class SeriesProgress:
    """The progress of a series at one moment.

    ``done`` counts the finished trials, earlier processes included, ``outcomes`` the ends in this
    process. ``rate`` is trials per second. ``cost_usd`` is that of the agents so far, with the most
    for each of ``unknown_costs`` requests; None without a model. ``judge_usd`` is that of judges,
    with the most for each of ``judge_unknown_costs`` requests.
    """

    series: str
    planned: int
    done: int
    running: int
    rate: float
    seconds_left: float | None
    outcomes: Mapping[TrialOutcome, int]
    cost_usd: float | None = None
    unknown_costs: int = 0
    judge_usd: float | None = None
    judge_unknown_costs: int = 0
    stopped: Mapping[str, str] = field(default_factory=dict)


OnSeriesProgress = Callable[[SeriesProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSetting:
    """The surroundings of a series: data folder, variables, programs, limits, clock.

    ``record`` is a folder that the replies of models are recorded to, ``replay`` one of recorded
    replies, which are given in place of a model's.
    """

    place: Home
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    dotenv: Path | None = None
    search_path: str = ""
    limits: SeriesLimits = field(default_factory=SeriesLimits)
    submitter: str = LOCAL
    clock: Clock = field(default_factory=SystemClock)
    record: Path | None = None
    replay: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesEnd:
    """The end of a process that ran a series.

    ``unevaluated`` counts submissions, ``removed`` kept workspaces that were removed for their
    size.
    """

    unevaluated: int = 0
    removed: int = 0


async def run_series(
    store: Store,
    series_id: str,
    setting: SeriesSetting,
    *,
    on_progress: OnSeriesProgress | None = None,
    stop: asyncio.Event | None = None,
) -> SeriesEnd:
    """Run the trials of a stored series that are not finished.

    The loop belongs to this call: its threads are those of the trials. ``stop`` ends it: trials in
    progress have some seconds to end, and are otherwise tried again by the next call.

    Raises:
        Conflict: another process runs the series.
        SpecError: a task or an agent has changed or is missing.
        PrerequisiteError: a program, a key, a price or the isolation is missing.
        StoreError: the store is unusable.
    """
    stop = stop or asyncio.Event()
    plan = AgentSeriesPlan.of(store.agent_trials.series(series_id))
    threads = ThreadPoolExecutor(2 * plan.jobs + _SPARE_THREADS)
    asyncio.get_running_loop().set_default_executor(threads)
    lease_s, clock = setting.limits.lease_s, setting.clock
    with lock_series(store, series_id, clock=clock, ttl_s=lease_s) as lock, stop_on_signals(stop):
        async with _open_runner(store, series_id, plan, setting, stop) as runner:
            process = _SeriesProcess(runner, series_id, setting, on_progress)
            return await under_lease(lock, process.run())


@asynccontextmanager
async def _open_runner(
    store: Store,
    series_id: str,
    plan: AgentSeriesPlan,
    setting: SeriesSetting,
    stop: asyncio.Event,
) -> AsyncIterator[AttemptRunner]:
    """The parts that all attempts share."""
    home = setting.place.home
    kept_bytes = int(setting.limits.kept_mb * MEGABYTE)
    workspaces = KeptWorkspaces(home, series_id, kept_bytes)
    agents, wanted = agents_of(plan), plan.isolation
    tasks = await asyncio.to_thread(with_container_files, tasks_of(plan), wanted)
    workspaces.open()
    threads = ThreadPoolExecutor(plan.jobs, thread_name_prefix="series-steps")
    try:
        async with (
            _gateway(store, series_id, plan, setting) as gateway,
            open_steps(plan.executor, plan.jobs, threads) as steps,
        ):
            yield AttemptRunner(
                store=store,
                plan=plan,
                tasks=tasks,
                agents=agents,
                gateway=gateway,
                steps=steps,
                pricer=Pricer(Prices(home), now=time.time()),
                workspaces=workspaces,
                search_path=setting.search_path,
                limits=setting.limits,
                clock=setting.clock,
                judges=SeriesJudges(
                    store,
                    series_id,
                    plan,
                    wanted_jury(plan, dict(setting.environ), setting.dotenv, home),
                    gateway=gateway,
                    loop=asyncio.get_running_loop(),
                ),
                stop=stop,
                submitter=setting.submitter,
                is_replay=setting.replay is not None,
            )
    finally:
        workspaces.close()
        threads.shutdown(wait=False)


@asynccontextmanager
async def _gateway(
    store: Store, series_id: str, plan: AgentSeriesPlan, setting: SeriesSetting
) -> AsyncIterator[Gateway | None]:
    """The gateway to the models of a plan; None without models."""
    if not plan.models:
        yield None
        return
    async with open_gateway(
        store,
        plan.models,
        series=series_id,
        caps=SeriesCaps(cost_usd=plan.budget_usd),
        record=setting.record,
        replay=setting.replay,
        environ=setting.environ,
        dotenv=setting.dotenv,
        home=setting.place.home,
        clock=setting.clock,
    ) as gateway:
        yield gateway


class _SeriesProcess:
    """One process that runs a series."""

    def __init__(
        self,
        runner: AttemptRunner,
        series_id: str,
        setting: SeriesSetting,
        on_progress: OnSeriesProgress | None,
    ) -> None:
        self._runner, self._series = runner, series_id
        self._store, self._plan, self._limits = runner.store, runner.plan, setting.limits
        self._clock, self._on_progress, self._stop = setting.clock, on_progress, runner.stop
        profile = profile_of(setting.place, self._plan.profile)
        options = EvaluationOptions(profile=profile, place=setting.place)
        self._evaluation = BatchEvaluation(self._store, options, runner.pricer)
        self._rules = StopRules(setting.limits.most_crashes)
        self._outcomes: Counter[TrialOutcome] = Counter()
        self._started, self._running, self._before, self._ended = 0.0, 0, 0, 0
        self._left_out = 0

    async def run(self) -> SeriesEnd:
        """Run all open trials, and evaluate their submissions."""
        rooms = self._store.agent_trials
        rooms.finish_series(self._series, None)
        rooms.put_stopped(self._series, {})
        stored = rooms.trials(self._series)
        finished = [it for it in stored if it.is_finished]
        self._rules.add_earlier(stored)
        self._before, self._started = len(finished), self._clock.monotonic()
        self._evaluation.add(it.submission_id for it in finished if it.submission_id)
        ticking = asyncio.ensure_future(self._tick())
        try:
            await self._work(self._runnable(stored))
        finally:
            ticking.cancel()
            await self._evaluation.finish()
        self._tell()
        if self._runner.judges.refusal:
            self._store_stopped()
        if not self._has_open():
            rooms.finish_series(self._series, self._clock.now_utc())
        return SeriesEnd(
            unevaluated=self._evaluation.waiting,
            removed=self._runner.workspaces.removed,
        )

    def _has_open(self) -> bool:
        stored = self._store.agent_trials.trials(self._series)
        return any(True for _ in self._runnable(stored))

    def _runnable(self, stored: Sequence[AgentTrial]) -> Iterator[TrialKey]:
        return runnable_keys(self._store, self._plan, self._series, stored)

    async def _work(self, keys: Iterator[TrialKey]) -> None:
        """Run trials in parallel until none is left, or for a while after a stop."""
        drawing = [asyncio.ensure_future(self._draw(keys)) for _ in range(self._plan.jobs)]
        every = asyncio.ensure_future(_all_done(drawing))
        stopping = asyncio.ensure_future(self._until_stopped())
        try:
            await asyncio.wait({every, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not every.done():
                await asyncio.wait({every}, timeout=self._limits.drain_s)
            if every.done():
                every.result()
        finally:
            if self._runner.gateway is not None:
                self._runner.gateway.interrupt()
            for one in (stopping, every, *drawing):
                one.cancel()
            await asyncio.gather(stopping, every, *drawing, return_exceptions=True)

    async def _until_stopped(self) -> None:
        await self._stop.wait()

    async def _draw(self, keys: Iterator[TrialKey]) -> None:
        for key in keys:
            if self._stop.is_set():
                return
            if self._is_left_out(key):
                self._left_out += 1
                continue
            await self._run(key)

    def _is_left_out(self, key: TrialKey) -> bool:
        if self._runner.judges.refusal:
            return True
        gateway, system = self._runner.gateway, self._runner.system(key)
        if gateway is not None and system.model and gateway.refusal:
            return True
        return key.system in self._rules.stopped

    async def _run(self, key: TrialKey) -> None:
        self._running += 1
        self._tell()
        try:
            trial = await self._runner.run(key)
        finally:
            self._running -= 1
        if self._take(trial):
            await self._runner.steps.call(self._store_stopped)
        self._tell()

    def _store_stopped(self) -> None:
        refusal = self._runner.judges.refusal
        of_all = {EVERY_SYSTEM: f"The judges can't be paid: {refusal}."} if refusal else {}
        self._store.agent_trials.put_stopped(self._series, self._rules.stopped | of_all)

    def _take(self, trial: AgentTrial) -> bool:
        """Count the end of a trial; True if its system is stopped for it."""
        if trial.outcome is not None:
            self._outcomes[trial.outcome] += 1
        self._ended += trial.is_finished
        if self._runner.is_over and not trial.is_finished:
            return False
        if trial.is_finished and trial.submission_id:
            self._evaluation.add([trial.submission_id])
        return self._rules.add(trial)

    async def _tick(self) -> None:
        while self._on_progress is not None:
            self._tell()
            await asyncio.sleep(_TICK_S)

    def _tell(self) -> None:
        if self._on_progress is None:
            return
        elapsed = self._clock.monotonic() - self._started
        rate = self._ended / elapsed if elapsed > 0 else 0.0
        done = self._before + self._ended
        left = max(0, self._plan.trial_count - done - self._left_out)
        gateway = self._runner.gateway
        self._on_progress(
            SeriesProgress(
                series=self._series,
                planned=self._plan.trial_count,
                done=done,
                running=self._running,
                rate=rate,
                seconds_left=left / rate if rate else None if left else 0.0,
                outcomes=dict(self._outcomes),
                cost_usd=None if gateway is None else gateway.spending.agents_usd,
                unknown_costs=0 if gateway is None else gateway.spending.unknown_costs,
                judge_usd=self._runner.judges.spent_usd,
                judge_unknown_costs=self._runner.judges.unknown_costs,
                stopped=dict(self._rules.stopped),
            )
        )


async def _all_done(tasks: Sequence["asyncio.Task[None]"]) -> None:
    """Wait for all tasks; raise the first error."""
    await asyncio.gather(*tasks)
