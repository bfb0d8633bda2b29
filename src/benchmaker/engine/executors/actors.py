"""Actors in other processes of a Ray cluster, and their local handles."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from benchmaker.engine.executors.batches import Batch, News, RemoteError, Replies, WorkerSetup
from benchmaker.engine.executors.dispatch import WorkerLost
from benchmaker.engine.executors.limit_shares import Hints
from benchmaker.engine.executors.quota import PermitReport, PermitRequest, Quota, Trade
from benchmaker.engine.executors.task import ItemResult, TaskSpec
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.record import Trial


class QuotaActor:
    """The actor that keeps the limits of a run or series; see :class:`Quota`."""

    def __init__(self, limits: RunLimits) -> None:
        self._quota = Quota(limits)

    def fund(self, most_usd: float | None, spent_usd: float) -> None:
        """Set the budget, and the earlier spending."""
        self._quota.fund(most_usd, spent_usd)

    def trade(
        self,
        holder: str,
        reports: Sequence[PermitReport],
        hints: Hints,
        wishes: Sequence[PermitRequest],
    ) -> Trade:
        """Take returned permits, and lend free ones."""
        now = time.monotonic()
        return self._quota.trade(now, holder, reports=reports, hints=hints, wishes=wishes)

    def forget(self, holder: str) -> None:
        """A worker is dead."""
        self._quota.forget(time.monotonic(), holder)

    def states(self) -> Mapping[str, RateLimiterState]:
        """Return the state of each endpoint."""
        return self._quota.states(time.monotonic())

    def account(self) -> tuple[float, str]:
        """Return the amount spent, and the reason why the budget is closed."""
        return self._quota.spent_usd, self._quota.refusal


class Lender:
    """Trades with the keeper of the limits, from within a worker."""

    def __init__(self, keeper: Any) -> None:  # noqa: ANN401  a handle of Ray's
        self._keeper = keeper

    async def __call__(
        self,
        holder: str,
        reports: Sequence[PermitReport],
        hints: Hints,
        wishes: Sequence[PermitRequest],
    ) -> Trade:
        """See :meth:`QuotaActor.trade`."""
        trade: Trade = await self._keeper.trade.remote(
            holder, list(reports), list(hints), list(wishes)
        )
        return trade


class _Handle:
    """An actor in a process of the cluster; ``on_end`` is called when it ends."""

    def __init__(
        self,
        ray: Any,  # noqa: ANN401  a foreign module
        actor: Any,  # noqa: ANN401  a handle of Ray's
        on_end: Callable[[Any], None],
    ) -> None:
        self._ray = ray
        self._actor = actor
        self._on_end = on_end
        self._is_ended = False

    def end(self) -> None:
        """Kill it, if it still lives."""
        if not self._is_ended:
            self._is_ended = True
            self._ray.kill(self._actor)
            self._on_end(self)

    async def _translate_loss(self, reply: Awaitable[Any]) -> Any:  # noqa: ANN401  as the actor's methods say
        try:
            return await reply
        except self._ray.exceptions.RayTaskError:
            raise
        except self._ray.exceptions.RayError as exc:
            raise WorkerLost(str(exc).partition("\n")[0]) from exc


class RayTaskRunner(_Handle):
    """A :class:`TaskRunner` in a process of the cluster."""

    async def open(self, spec: TaskSpec) -> RemoteError | None:
        """See :meth:`TaskRunner.open`."""
        fault: RemoteError | None = await self._translate_loss(self._actor.open.remote(spec))
        return fault

    async def do(self, item: object) -> ItemResult | RemoteError:
        """See :meth:`TaskRunner.do`."""
        done: ItemResult | RemoteError = await self._translate_loss(self._actor.do.remote(item))
        return done

    async def close(self) -> None:
        """See :meth:`TaskRunner.close`."""
        await self._translate_loss(self._actor.close.remote())


class RayWorker(_Handle):
    """A :class:`Worker` in a process of the cluster."""

    async def open(self, order: WorkerSetup) -> RemoteError | None:
        """See :meth:`Worker.open`; the keys go there directly and nowhere else."""
        fault: RemoteError | None = await self._translate_loss(self._actor.open.remote(order))
        return fault

    async def score(self, replies: Replies) -> tuple[Trial, ...] | RemoteError:
        """See :meth:`Worker.mark`."""
        marked: tuple[Trial, ...] | RemoteError = await self._translate_loss(
            self._actor.score.remote(replies)
        )
        return marked

    async def begin(self, batch: Batch) -> RemoteError | None:
        """See :meth:`Worker.begin`."""
        fault: RemoteError | None = await self._translate_loss(self._actor.begin.remote(batch))
        return fault

    async def news(self, durable: int, stopped: dict[str, str], stop: bool) -> News:  # noqa: FBT001
        """See :meth:`Worker.news`."""
        news: News = await self._translate_loss(
            self._actor.news.remote(durable, stopped, stop=stop)
        )
        return news
