"""Commands to a run, applied by the process that holds it.

Commands are read twice a second, in the writer's thread, and applied in order. Each is first obeyed
in memory, so that a command is acknowledged only once it has taken effect; then its lasting effect
and the acknowledgement become durable in one transaction, under the run's lease.
"""

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from msgspec.structs import replace

from benchmaker.engine.executors.base import ActiveJob
from benchmaker.engine.judges.judge_client import JudgeClient
from benchmaker.engine.judges.judge_makers import EMBEDDINGS
from benchmaker.engine.requests.budget import Budget, refuse_unpriced
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.runs.lock import LeaseLock
from benchmaker.errors import PrerequisiteError
from benchmaker.providers.base import Provider
from benchmaker.record import Run, RunState
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.record.run import BudgetEnd
from benchmaker.record.run_command import DROPPED, CommandState, ControlAction, RunCommand
from benchmaker.store import Store, Writer
from benchmaker.store.runs.retries import FailedTrial

LOOK_S = 0.5
"""Seconds between two looks for commands."""

_WAIT_S = 0.25
"""How long a look waits for the writer; a busy one answers the next look."""

BEFORE = "paused before this process started"
"""The reason of a pause that this process found."""

NO_EFFECT = "no effect"


@dataclass(slots=True)
class RunSettings:
    """The limits that commands can change, shared by the runs of a series in one process."""

    limits: RunLimits
    budget: Budget | None = None
    hold: LeaseLock | None = None
    """The lease on the series."""

    def renew_in_time(self) -> None:
        """Renew the lease on the series; Conflict if another process took over."""
        if self.hold is not None:
            self.hold.renew_in_time()

    @property
    def refusal(self) -> str:
        """The reason why the budget allows no further request; empty while it does."""
        return self.budget.refusal if self.budget is not None else ""

    @property
    def budget_end(self) -> BudgetEnd | None:
        """The budget with that reason; None while it allows a request."""
        if self.budget is None or not self.budget.refusal:
            return None
        return BudgetEnd(usd=self.budget.most_usd, reason=self.budget.refusal)


class Effect(NamedTuple):
    """The result of a command, with its lasting effect on the store."""

    result: str
    store: Callable[[], object] = tuple
    state: CommandState = CommandState.APPLIED


def runs_of(store: Store, run_id: str) -> tuple[Run, ...]:
    """Return the run, or all runs of its series by number."""
    run = store.run(run_id)
    if run.series_id is None:
        return (run,)
    return tuple(sorted(store.runs(series_id=run.series_id), key=lambda one: one.number))


def store_budget(store: Store, run_id: str, most_usd: float) -> None:
    """Record the budget of a run, or of all runs of its series."""
    for run in runs_of(store, run_id):
        options = run.options | {"max_cost_usd": most_usd}
        store.amend_run(replace(run, options=options, budget_end=None))


def store_dropped(store: Store, run_id: str, models: Sequence[str]) -> None:
    """Record the dropped setups of a run, or of all runs of its series."""
    for run in runs_of(store, run_id):
        new = [model for model in models if model in run.models and model not in run.dropped]
        if new:
            store.amend_run(replace(run, dropped=(*run.dropped, *new)))


def setups_of(run: Run, name: str) -> list[str]:
    """Return the setups of that name, or of the model of that name."""
    if name in run.models:
        return [name]
    return [setup for setup in run.models if run.setup(setup).model == name]


class RunControl:
    """Reads the commands to one run, and applies them to its execution.

    ``add_workers`` starts further workers. ``settings`` holds what the next run of the series
    inherits.
    """

    def __init__(
        self,
        store: Store,
        run: Run,
        work: ActiveJob,
        hold: LeaseLock,
        *,
        writer: Writer,
        meter: Meter,
        settings: RunSettings,
        provider: Provider,
        judges: JudgeClient | None,
        add_workers: Callable[[int], None],
        begun_at: str,
    ) -> None:
        self._store = store
        self._run = run
        self._work = work
        self._hold = hold
        self._writer = writer
        self._meter = meter
        self._settings = settings
        self._provider = provider
        self._judges = judges
        self._add_workers = add_workers
        self._begun_at = begun_at
        self._spent_before = store.spent_usd([one.id for one in runs_of(store, run.id)])
        self._due = -inf
        self._reading: asyncio.Future[tuple[RunCommand, ...]] | None = None
        self._has_begun = False
        self._applying: asyncio.Future[None] | None = None

    async def begin(self) -> None:
        """Start the workers, which send nothing before the commands that wait are applied."""
        self._hold_requests()
        self._add_workers(self._work.worker_count)
        await self.look()
        self._has_begun = True
        self._release_requests()

    async def look(self, *, now: float = inf) -> None:
        """Apply the waiting commands, in their order; between two looks is some time."""
        if now < self._due:
            return
        reading = self._reading = self._reading or self._begin_reading()
        done, _ = await asyncio.wait({reading}, timeout=_WAIT_S if now < inf else None)
        if not done:
            return
        self._reading = None
        self._due = now + LOOK_S if now < inf else self._due
        for command in reading.result():
            self._applying = asyncio.ensure_future(self._apply(command))
            await asyncio.shield(self._applying)

    async def finish(self) -> None:
        """Acknowledge the command that was obeyed last, even if the run ended meanwhile."""
        if self._applying is not None and not self._applying.done():
            await self._applying

    def _begin_reading(self) -> "asyncio.Future[tuple[RunCommand, ...]]":
        read = self._writer.read(lambda: self._store.run_commands.pending(self._run.id))
        reading = asyncio.wrap_future(read)
        reading.add_done_callback(_note_error)
        return reading

    async def _apply(self, command: RunCommand) -> None:
        try:
            effect = await self._obey(command)
        except PrerequisiteError as exc:
            hint = f" {exc.hint}" if exc.hint else ""
            effect = Effect(f"{exc.message}{hint}", state=CommandState.REFUSED)
        failed = await asyncio.to_thread(self._acknowledge, command, effect)
        if failed:
            self._meter.retry(failed, since=self._begun_at)
            self._work.retry([one.key for one in failed])

    def _acknowledge(self, command: RunCommand, effect: Effect) -> tuple[FailedTrial, ...]:
        """Make the effect and its acknowledgement durable; return the trials to retry."""
        store = self._store
        failed: tuple[FailedTrial, ...] = ()
        with store.run_commands.transaction():
            if command.action is ControlAction.RETRY_FAILED and not effect.result:
                models = [it for it in self._run.models if it not in self._meter.stopped]
                failed = store.request_retries(self._run.id, models)
                effect = effect._replace(result=_retry_words(failed))
            effect.store()
            store.run_commands.acknowledge(
                command.number, effect.state, effect.result, lease=self._hold.lease
            )
        return failed

    async def _obey(self, command: RunCommand) -> Effect:
        match command.action:
            case ControlAction.PAUSE:
                return self._pause(command)
            case ControlAction.RESUME:
                return self._resume()
            case ControlAction.CONCURRENCY:
                return self._set_concurrency(int(command.value or 0))
            case ControlAction.MAX_COST:
                return await self._set_budget(float(command.value or 0.0))
            case ControlAction.DROP_MODEL:
                return self._drop(str(command.value))
            case ControlAction.RETRY_FAILED:
                self._work.retry(())
                return Effect("")

    def _pause(self, command: RunCommand) -> Effect:
        if self._meter.paused:
            return Effect(f"{NO_EFFECT}: the run is paused already")
        self._meter.paused = f"paused by command {command.number} of {command.actor}"
        self._hold_requests()
        flying = self._work.in_flight + (self._judges.in_flight if self._judges else 0)
        return Effect(
            f"paused; {count(flying, 'request')} in flight will finish",
            lambda: self._store.set_run_state(self._run.id, RunState.PAUSED),
        )

    def _hold_requests(self) -> None:
        self._work.pause()
        if self._judges is not None:
            self._judges.pause(is_paused=True)

    def _release_requests(self) -> None:
        if self._meter.paused or not self._has_begun:
            return
        self._work.unpause()
        if self._judges is not None:
            self._judges.pause(is_paused=False)

    def _resume(self) -> Effect:
        if not self._meter.paused:
            return Effect(f"{NO_EFFECT}: the run is not paused")
        self._meter.paused = ""
        self._release_requests()
        return Effect("resumed", lambda: self._store.set_run_state(self._run.id, RunState.RUNNING))

    def _set_concurrency(self, number: int) -> Effect:
        before = self._settings.limits.concurrency
        self._add_workers(self._work.set_concurrency(number))
        self._settings.limits = dataclasses.replace(self._settings.limits, concurrency=number)
        return Effect(f"{count(number, 'parallel request')} instead of {before:,}")

    async def _set_budget(self, most_usd: float) -> Effect:
        budget = self._settings.budget
        if budget is None:
            await asyncio.to_thread(self._refuse_unpriced)
            budget = Budget(most_usd, spent_usd=self._spent_before)
        self._work.limit_spending(budget)
        if self._judges is not None:
            self._judges.limit_spending(budget)
        budget.change(most_usd)
        self._settings.budget = budget
        return Effect(
            f"the budget is {dollars(most_usd)}; {dollars(budget.spent_usd)} spent",
            lambda: store_budget(self._store, self._run.id, most_usd),
        )

    def _refuse_unpriced(self) -> None:
        """Raise PrerequisiteError if the price of a model, judge or embedding is unknown."""
        run = self._run
        refuse_unpriced(self._provider, run.models)
        if self._judges is not None:
            embeddings = run.judge.get(EMBEDDINGS, {})
            self._judges.refuse_unpriced(run.judge.get("asked", ()), embeddings.get("models", ()))

    def _drop(self, name: str) -> Effect:
        setups = [it for it in setups_of(self._run, name) if it not in self._meter.stopped]
        if not setups:
            return Effect(f"{NO_EFFECT}: {name} is not queried any more")
        for setup in setups:
            self._work.drop(setup, DROPPED)
        return Effect(
            f"{name} is dropped; its remaining trials are not run",
            lambda: store_dropped(self._store, self._run.id, setups),
        )


def _note_error(reading: "asyncio.Future[tuple[RunCommand, ...]]") -> None:
    """Keep asyncio from reporting the error of a read for which the ended run did not wait."""
    if not reading.cancelled():
        reading.exception()


def _retry_words(failed: Sequence[FailedTrial]) -> str:
    if not failed:
        return f"{NO_EFFECT}: no failed trial of a model that is still queried"
    verb = "is" if len(failed) == 1 else "are"
    return f"{count(len(failed), 'failed trial')} {verb} requested again"
