"""One attempt of a series: its lease, its registration, and its tries."""

import asyncio
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from benchmaker.arenas.agentic.evaluation.registered_attempts import register_trial
from benchmaker.arenas.agentic.gateway.gateway import Gateway
from benchmaker.arenas.agentic.running.agent_run import TRIAL_LIMITS
from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.arenas.agentic.running.steps import TrialSteps
from benchmaker.arenas.agentic.running.trial import TrialOrder, run_trial
from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan, PlannedSystem
from benchmaker.arenas.agentic.series.series_judges import SeriesJudges
from benchmaker.arenas.agentic.series.used_caps import trial_caps, used_cap
from benchmaker.arenas.agentic.series.workspaces import KeptWorkspaces
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.engine.runs.lock import LeaseLock, lock_trial
from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import BenchmakerError, PrerequisiteError, StoreError
from benchmaker.record.agent_trial import (
    AgentTrial,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    TryEnd,
)
from benchmaker.record.submissions.submission import LOCAL
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store

T = TypeVar("T")

_RENEWALS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesLimits:
    """The limits of a series besides its caps.

    An attempt that fails by infrastructure has ``further_tries``, the first after ``pause_s``
    seconds, each later one after twice as long. A system whose first ``most_crashes`` trials all
    crashed, or ended without a score, is stopped. Interrupted trials have ``drain_s`` seconds to
    end. Leases are valid for ``lease_s`` seconds. ``kept_mb`` megabytes of workspaces are kept.
    """

    further_tries: int = 2
    pause_s: float = 5.0
    most_crashes: int = 3
    drain_s: float = 30.0
    lease_s: float = 60.0
    kept_mb: float = 2_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRunner:
    """Runs attempts of a series; ``agents`` and ``tasks`` are by system and by task.

    A replay registers no attempts, since its trials are none of their system. After ``stop`` no
    further try is started.
    """

    store: Store
    plan: AgentSeriesPlan
    tasks: Mapping[str, TaskFolder]
    agents: Mapping[str, Agent]
    gateway: Gateway | None
    steps: TrialSteps
    pricer: Pricer
    workspaces: KeptWorkspaces
    search_path: str
    limits: SeriesLimits
    clock: Clock
    judges: SeriesJudges
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    submitter: str = LOCAL
    is_replay: bool = False

    async def run(self, key: TrialKey) -> AgentTrial:
        """Run an attempt from this try on, until it has an outcome or no further try.

        Raises:
            Conflict: another process runs it.
        """
        with lock_trial(self.store, key, clock=self.clock, ttl_s=self.limits.lease_s) as lock:
            return await under_lease(lock, self._run_tries(key))

    async def _run_tries(self, first: TrialKey) -> AgentTrial:
        if not self._is_replay(first):
            await self.steps.call(lambda: register_trial(self.store, first, by=self.submitter))
        trial = await self._try(first)
        pause_s = self.limits.pause_s
        for _ in range(self.limits.further_tries):
            following = trial.key._replace(attempt_try=trial.tries + 1)
            if trial.is_finished or self.is_over or self._used_cap(following):
                break
            if await self._is_stopped_within(pause_s):
                break
            pause_s *= 2
            trial = await self._try(following)
        return trial

    async def _is_stopped_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stop.wait()
        return self.stop.is_set()

    def _is_replay(self, key: TrialKey) -> bool:
        return self.is_replay and bool(self.system(key).model)

    def _used_cap(self, key: TrialKey) -> str:
        return used_cap(self.store, self.plan, key)

    @property
    def is_over(self) -> bool:
        """True if the budget of the series pays no further request of an agent, or no judge."""
        is_spent = self.gateway is not None and bool(self.gateway.refusal)
        return is_spent or bool(self.judges.refusal)

    async def _try(self, key: TrialKey) -> AgentTrial:
        left = self.workspaces.new_folder(key)
        order = await self.steps.call(lambda: replace(self._order(key), keep=left))
        if reason := await self.steps.call(lambda: self._used_cap(key)):
            return await self._put_unrun(order, TrialOutcome.GATEWAY_ERROR, reason)
        try:
            made = await run_trial(
                self.store, order, pricer=self.pricer, gateway=self.gateway, steps=self.steps
            )
        except (PrerequisiteError, StoreError):
            raise
        except Exception as exc:  # noqa: BLE001  a fault in one trial does not end the others
            is_known = isinstance(exc, BenchmakerError)
            detail = str(exc) if is_known else f"{type(exc).__name__}: {exc}"
            made = await self._put_unrun(order, TrialOutcome.SETUP_FAILED, detail)
        if made.is_finished:
            await self.steps.call(lambda: self.workspaces.keep(key, left))
        else:
            await self.steps.call(lambda: self.workspaces.drop(left))
        return made

    def _order(self, key: TrialKey) -> TrialOrder:
        system = self.system(key)
        wall_s = self.plan.caps.wall_s
        return TrialOrder(
            key=key,
            task=self.tasks[key.task],
            agent=self.agents[key.system],
            search_path=self.search_path,
            model=system.model,
            effort=system.effort,
            version=system.version,
            submitter=self.submitter,
            attempts=self.plan.attempts,
            caps=trial_caps(self.plan),
            earlier=earlier_meters(self.store, key),
            earlier_ends=earlier_ends(self.store, key),
            jury=self.judges.jury_for(key, self.tasks[key.task]),
            isolation=self.plan.isolation,
            is_replay=self._is_replay(key),
            limits=TRIAL_LIMITS if wall_s is None else replace(TRIAL_LIMITS, wall_s=wall_s),
        )

    def system(self, key: TrialKey) -> PlannedSystem:
        """The system of a trial."""
        return next(it for it in self.plan.systems if it.id == key.system)

    async def _put_unrun(self, order: TrialOrder, outcome: TrialOutcome, detail: str) -> AgentTrial:
        """Store a try that could not be run to its end."""
        trial = AgentTrial(
            key=order.key,
            task_hash=order.task.digest,
            agent=order.agent.name,
            model=order.model,
            agent_version=order.version,
            effort=order.effort,
            outcome=outcome,
            meter=TrialMeter.of(self.store.agent_trials.requests(order.key)),
            earlier_meters=order.earlier,
            earlier_ends=order.earlier_ends,
            judge_unknowns=order.judge_unknowns,
            detail=detail,
            finished_at=self.clock.now_utc(),
        )
        await self.steps.call(lambda: self.store.agent_trials.put_trial(trial))
        return trial


def earlier_meters(store: Store, key: TrialKey) -> tuple[TrialMeter, ...]:
    """The meters of the tries before this one, oldest first, from their stored requests."""
    tries = (key._replace(attempt_try=number) for number in range(1, key.attempt_try))
    return tuple(TrialMeter.of(store.agent_trials.requests(one)) for one in tries)


def earlier_ends(store: Store, key: TrialKey) -> tuple[TryEnd, ...]:
    """The stored ends of the tries before this one, oldest first."""
    stored = store.agent_trials.trial(key)
    if stored is None:
        return ()
    return stored.ends if stored.tries < key.attempt_try else stored.earlier_ends


async def under_lease(lock: LeaseLock, work: Awaitable[T]) -> T:
    """Do the work while a lease is renewed; it is cancelled if the lease is lost.

    Raises:
        Conflict: another process took over.
    """
    working = asyncio.ensure_future(work)
    renewing = asyncio.ensure_future(_renew(lock))
    try:
        await asyncio.wait({working, renewing}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            renewing.result()  # raises: the lease is lost
        return await working
    finally:
        for task in (working, renewing):
            task.cancel()
        await asyncio.gather(working, renewing, return_exceptions=True)


async def _renew(lock: LeaseLock) -> None:
    while True:
        await asyncio.sleep(lock.lease.ttl_s / _RENEWALS)
        await asyncio.to_thread(lock.renew_in_time)
