"""A worker in a process of a cluster: scores replies, and queries models by the engine's code.

A worker writes nothing. Scored trials wait until they are fetched and confirmed durable; until then
their requesters take nothing new, as in a single process.
"""

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory

from benchmaker.engine.executors.batches import (
    Batch,
    BatchPlan,
    News,
    RemoteError,
    Replies,
    WorkerSetup,
)
from benchmaker.engine.executors.limit_shares import (
    Hints,
    LimitShares,
    SharedBudget,
    most_tokens,
)
from benchmaker.engine.executors.outbox import Outbox
from benchmaker.engine.executors.quota import PermitReport, PermitRequest, Trade
from benchmaker.engine.requests.progress import Meter
from benchmaker.engine.requests.recording import TrialRecorder
from benchmaker.engine.requests.request_loop import LiveRequests
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.question import Questions, models_of
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import BenchmakerError, PrerequisiteError
from benchmaker.providers.base import Provider
from benchmaker.record import Trial
from benchmaker.spec import profile
from benchmaker.version import __version__

TELL_S = 0.25
"""Seconds after which a worker without news responds."""

Lender = Callable[[str, Sequence[PermitReport], Hints, Sequence[PermitRequest]], Awaitable[Trade]]
"""Trades for the holder of the given name."""


class Worker:
    """One worker of a run, from :meth:`open` on; ``lender`` lends it its part of the limits."""

    def __init__(self, name: str, lender: Lender | None = None) -> None:
        self._name = name
        self._lender = lender
        self._clock = SystemClock()
        self._order: WorkerSetup | None = None
        self._provider: Provider | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._session: BatchSession | None = None

    async def open(self, order: WorkerSetup) -> RemoteError | None:
        """Set up for a run; an error is returned."""
        await self.close()
        try:
            check_version(order.version)
            if order.recipe is not None:
                if order.recipe.files is not None:
                    self._folder = TemporaryDirectory(prefix="benchmaker-")
                folder = Path(self._folder.name if self._folder is not None else os.devnull)
                self._provider = order.recipe.build(os.environ, folder)
                prepare = getattr(self._provider, "prepare", None)
                if order.has_budget and prepare is not None:
                    await asyncio.to_thread(prepare)
            self._order = order
            self._marker()
        except Exception as exc:  # noqa: BLE001  it is raised where the order came from
            return fault_of(exc)
        return None

    async def score(self, replies: Replies) -> tuple[Trial, ...] | RemoteError:
        """The trials of answers that are there already."""
        try:
            outbox = Outbox()
            order = self._required_setup
            keeper, questions = self._keeper(outbox), Questions(order.run, order.suite)
            for task, answer in replies.pairs:
                await keeper.keep(task, questions.question_for(task.case, task.model), answer)
            return outbox.fetch()
        except Exception as exc:  # noqa: BLE001  as above
            return fault_of(exc)

    async def begin(self, batch: Batch) -> RemoteError | None:
        """Start querying; :meth:`news` returns the progress."""
        try:
            self._session = self._begin_batch(batch)
        except Exception as exc:  # noqa: BLE001  as above
            return fault_of(exc)
        return None

    async def news(self, durable: int, stopped: dict[str, str], *, stop: bool = False) -> News:
        """Return the events since the last call; ``durable`` rows of this batch are stored.

        The models in ``stopped`` were given up elsewhere; after ``stop`` no new request is made.
        """
        if self._session is None:
            return News(is_ended=True)
        return await self._session.news(durable, stopped, stop=stop)

    async def close(self) -> None:
        """Let go of everything."""
        if self._session is not None:
            await self._session.close()
        closing = getattr(self._provider, "close", None)
        closed = closing() if closing is not None else None
        if inspect.isawaitable(closed):
            await closed
        if self._folder is not None:
            self._folder.cleanup()
        self._session = self._provider = self._folder = self._order = None

    def _begin_batch(self, batch: Batch) -> "BatchSession":
        if self._provider is None or self._lender is None:
            raise PrerequisiteError("this worker has no provider.")
        outbox = Outbox()
        return BatchSession(
            self._name,
            batch,
            self._required_setup,
            self._provider,
            outbox=outbox,
            keeper=self._keeper(outbox),
            clock=self._clock,
            lender=self._lender,
        )

    @property
    def _required_setup(self) -> WorkerSetup:
        if self._order is None:
            raise PrerequisiteError("the worker received no task.")
        return self._order

    def _marker(self) -> TrialScorer:
        order = self._required_setup
        return TrialScorer(
            order.suite,
            profile(order.run.profile_id),
            run=order.run,
            redactor=getattr(self._provider, "redactor", None),
            judge=order.judge,
            weights=order.run.judge.get("weights", {}),
        )

    def _keeper(self, outbox: Outbox) -> TrialRecorder:
        run = self._required_setup.run
        meter = Meter(run, clock=self._clock, before=0)
        return TrialRecorder(
            run, marker=self._marker(), writer=outbox, meter=meter, clock=self._clock
        )


class BatchSession:
    """One batch of live models under way."""

    def __init__(
        self,
        name: str,
        batch: Batch,
        order: WorkerSetup,
        provider: Provider,
        *,
        outbox: Outbox,
        keeper: TrialRecorder,
        clock: SystemClock,
        lender: Lender,
    ) -> None:
        async def trade(
            reports: Sequence[PermitReport], hints: Hints, wishes: Sequence[PermitRequest]
        ) -> Trade:
            return await lender(name, reports, hints, wishes)

        limits = replace(order.limits, concurrency=order.share)
        plan = BatchPlan(batch.tasks)
        questions = Questions(order.run, order.suite)
        self._models = plan.models
        self._outbox = outbox
        self._meter = Meter(order.run, clock=clock, before=0)
        self._meter.stopped.update(batch.stopped)
        self._stop = asyncio.Event()
        self._slices = LimitShares(provider, limits, clock=clock, trading=trade, on_halt=self._halt)
        _set_bounds(self._slices, plan, provider, questions, has_budget=order.has_budget)
        self._asking = LiveRequests(
            plan,
            provider,
            plan.models,
            keeper=keeper,
            questions=questions,
            meter=self._meter,
            limits=limits,
            clock=clock,
            random=SystemRandom(),
            limiters=self._slices,
            budget=SharedBudget(self._slices) if order.has_budget else None,
            stream=order.stream,
            sharing=models_of(order.run),
        )
        self._trade = asyncio.ensure_future(self._slices.trade())
        workers = (self._asking.work(self._stop) for _ in range(order.share))
        self._work = asyncio.ensure_future(self._run_workers(*workers))

    async def news(self, durable: int, stopped: dict[str, str], *, stop: bool) -> News:
        """Return the events since the last call; waits a moment for one."""
        self._outbox.confirm_durable(durable)
        for model in (stopped.keys() & set(self._models)) - self._meter.stopped.keys():
            self._asking.drop(model, stopped[model])
        if stop:
            self._stop.set()
            self._asking.wake()
        if not self._work.done():
            await self._outbox.wait(TELL_S)
        trials = self._outbox.fetch()
        is_ended = self._work.done() and self._outbox.is_empty
        return News(
            trials=trials,
            is_ended=is_ended or self._fault() is not None,
            flying=self._asking.in_flight,
            stopped=dict(self._meter.stopped),
            halted=self._slices.halted,
            fault=self._fault(),
        )

    async def close(self) -> None:
        """Stop querying, and return borrowed permits."""
        self._work.cancel()
        await asyncio.gather(self._work, return_exceptions=True)
        await self._settle_shares()

    async def _run_workers(self, *workers: Awaitable[None]) -> None:
        parts = [asyncio.ensure_future(worker) for worker in workers]
        try:
            await asyncio.gather(*parts)
        finally:
            for part in parts:
                part.cancel()
            await asyncio.gather(*parts, return_exceptions=True)
            await self._settle_shares()
            self._outbox.notify()

    async def _settle_shares(self) -> None:
        self._slices.end()
        await asyncio.gather(self._trade, return_exceptions=True)
        with suppress(Exception):  # whoever lends is gone, and with it all that was lent
            await self._slices.settle()

    def _fault(self) -> RemoteError | None:
        if self._slices.lost is not None:
            cause = str(self._slices.lost).strip().rpartition("\n")[2]
            return RemoteError(
                "PrerequisiteError", f"the process that keeps the limits was lost: {cause}"
            )
        if not self._work.done() or self._work.cancelled():
            return None
        exc = self._work.exception()
        return fault_of(exc) if exc is not None else None

    def _halt(self) -> None:
        self._asking.wake()
        self._outbox.notify()


def fault_of(exc: BaseException) -> RemoteError:
    """An error as data, since not every error can be sent."""
    if isinstance(exc, BenchmakerError):
        return RemoteError(type(exc).__name__, exc.message, exc.where, exc.hint)
    return RemoteError(type(exc).__name__, str(exc))


def check_version(version: str) -> None:
    """See to it that the same code is on both sides.

    Raises:
        PrerequisiteError: this process has another version.
    """
    if version != __version__:
        raise PrerequisiteError(
            f"a worker of the cluster has Benchmaker {__version__}, but this is {version}.",
            hint="Install the same version on every node.",
        )


def _set_bounds(
    slices: LimitShares,
    plan: BatchPlan,
    provider: Provider,
    questions: Questions,
    *,
    has_budget: bool,
) -> None:
    """Set the maximum tokens and cost of a batch's requests, model by model."""
    most_usd = getattr(provider, "most_usd", None) if has_budget else None
    for model in plan.models:
        requests = [
            questions.question_for(task.case, task.model).request_for(model)
            for task in plan.tasks_of(model)
        ]
        costs = [most_usd(request) or 0.0 for request in requests] if most_usd else []
        tokens = max(most_tokens(request) for request in requests)
        slices.set_bound(model, tokens=float(tokens), worst_usd=max(costs, default=0.0))
