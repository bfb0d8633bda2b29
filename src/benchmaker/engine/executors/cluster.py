"""The executor on a Ray cluster: the one place that knows Ray."""

import os
import socket
import time
from collections.abc import Awaitable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit
from uuid import uuid4

from benchmaker.engine.executors.base import Job, Working
from benchmaker.engine.executors.batches import Batch, Fault, News, Order, Replies
from benchmaker.engine.executors.quota import Quota, Report, Trade, Wish
from benchmaker.engine.executors.sending import Asked, Marking, WorkerLost
from benchmaker.engine.executors.slices import Hints
from benchmaker.engine.executors.worker import Worker
from benchmaker.engine.limits import Limits
from benchmaker.engine.pace import PaceState
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.record import Trial

NAMESPACE = "benchmaker"

_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Nothing phones home, and nothing is warned of that a later Ray will do otherwise."""

_KNOCK_S = 5.0

_STORE_BYTES = 200_000_000
"""Memory for what is sent between processes; batches are small."""


def _ray() -> Any:  # noqa: ANN401  a foreign module
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray  # noqa: PLC0415  who runs here needs none of it
    except ImportError as exc:
        raise PrerequisiteError(
            "Ray is not installed.", hint="Install it with: pip install 'benchmaker[ray]'"
        ) from exc
    return ray


class Cluster:
    """Carries jobs out in the workers of a Ray cluster; to be entered before the first one.

    ``address`` is that of a cluster. Without one, that of RAY_ADDRESS is joined, and
    otherwise one is started on this machine for as long as it is needed.
    """

    def __init__(self, address: str | None = None) -> None:
        self._address = address or os.environ.get("RAY_ADDRESS") or None
        self._ray = _ray()
        self._is_ours = False
        self._name = f"quota-{uuid4().hex[:12]}"
        self._keeper: Any = None
        self._workers: list[RayWorker] = []
        self._hired = 0

    @property
    def size(self) -> int:
        """How many workers there may be: one for each CPU."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    async def __aenter__(self) -> Self:
        if not self._ray.is_initialized():
            self._join()
            self._is_ours = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in list(self._workers):
            worker.end()
        if self._keeper is not None:
            self._ray.kill(self._keeper)
        if self._is_ours:
            self._ray.shutdown()

    def begin(self, job: Job) -> Working:
        """The job: recorded answers are marked in workers, live models are asked from there.

        Raises:
            SpecError: judges would be asked beside the models, or the provider can't be made anew.
        """
        if not job.is_live:
            return Marking(job, self)
        if job.are_judges_live:
            raise SpecError(
                "models and judges can't both be asked live by way of a cluster: they would not"
                " share their limits.",
                hint="Run it without --executor, or judge from a file with --recorded-judge.",
            )
        return Asked(job, self)

    def hire(self) -> "RayWorker":
        """A new worker, on whichever node has a CPU free."""
        self._hired += 1
        name = f"worker-{self._hired}"
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
        actor = self._ray.remote(Worker).options(scheduling_strategy="SPREAD", **options)
        lender = _Lender(self._keeper) if self._keeper is not None else None
        worker = RayWorker(self._ray, actor.remote(name, lender), name, self)
        self._workers.append(worker)
        return worker

    async def fund(self, job: Job) -> None:
        """See to it that somebody keeps the limits, and knows the budget."""
        if not job.is_live:
            return
        if self._keeper is None:
            actor = self._ray.remote(QuotaKeeper).options(**self._here())
            self._keeper = actor.remote(job.limits)
        budget = job.budget
        most_usd = budget.most_usd if budget is not None else None
        await self._keeper.fund.remote(most_usd, budget.spent_usd if budget is not None else 0.0)

    async def account(self, job: Job) -> None:
        """Take over into the job's budget what was spent."""
        if job.budget is not None and self._keeper is not None:
            job.budget.spent_usd, refusal = await self._keeper.account.remote()
            job.budget.refusal = job.budget.refusal or refusal

    async def states(self) -> Mapping[str, PaceState]:
        """How the endpoints' paces stand, by the endpoints' names."""
        states: Mapping[str, PaceState] = await self._keeper.states.remote()
        return states

    def forget(self, worker: "RayWorker") -> None:
        """A worker is dead: what it had of the limits comes back."""
        self._workers.remove(worker)
        if self._keeper is not None:
            self._keeper.forget.remote(worker.name)

    def _join(self) -> None:
        """Join the cluster, or start one that listens to this machine alone as far as Ray can."""
        quiet = {"log_to_driver": False, "configure_logging": False, "namespace": NAMESPACE}
        if self._address is not None:
            _refuse_silent(self._address)
        try:
            self._ray.init(address=self._address or "local", **quiet, **self._own())
        except ImportError as exc:
            raise PrerequisiteError(
                f"{self._address} needs Ray's client: {exc}.",
                hint="Install it with: pip install 'ray[client]'",
            ) from exc
        except ConnectionError as exc:
            raise PrerequisiteError(
                f"no Ray cluster answers at {self._address}.",
                hint="Start one with: ray start --head",
            ) from exc

    def _own(self) -> dict[str, Any]:
        """How a cluster of this run alone is started."""
        if self._address is not None:
            return {}
        return {
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
            "_node_ip_address": "127.0.0.1",
        }

    def _here(self) -> dict[str, Any]:
        """The keeper of the limits lives where the run does: no other node takes it away."""
        from ray.util.scheduling_strategies import (  # noqa: PLC0415  see above
            NodeAffinitySchedulingStrategy,
        )

        node = self._ray.get_runtime_context().get_node_id()
        strategy = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        return {"num_cpus": 0, "name": self._name, "scheduling_strategy": strategy}


def _refuse_silent(address: str) -> None:
    """Ray itself would wait for minutes where nobody listens."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 0), _KNOCK_S):
            return
    except (OSError, ValueError) as exc:
        raise PrerequisiteError(
            f"no Ray cluster answers at {address}.", hint="Start one with: ray start --head"
        ) from exc


class QuotaKeeper:
    """The actor that keeps the limits of a run or series; see :class:`Quota`."""

    def __init__(self, limits: Limits) -> None:
        self._quota = Quota(limits)

    def fund(self, most_usd: float | None, spent_usd: float) -> None:
        """What may be spent, and what was."""
        self._quota.fund(most_usd, spent_usd)

    def trade(
        self, holder: str, reports: Sequence[Report], hints: Hints, wishes: Sequence[Wish]
    ) -> Trade:
        """Take back what came back, and lend what is free."""
        now = time.monotonic()
        return self._quota.trade(now, holder, reports=reports, hints=hints, wishes=wishes)

    def forget(self, holder: str) -> None:
        """A worker is dead."""
        self._quota.forget(time.monotonic(), holder)

    def states(self) -> Mapping[str, PaceState]:
        """How each endpoint stands."""
        return self._quota.states(time.monotonic())

    def account(self) -> tuple[float, str]:
        """What was spent, and why nothing more may be."""
        return self._quota.spent_usd, self._quota.refusal


class _Lender:
    """Trades with the keeper of the limits, from within a worker."""

    def __init__(self, keeper: Any) -> None:  # noqa: ANN401  a handle of Ray's
        self._keeper = keeper

    async def __call__(
        self, holder: str, reports: Sequence[Report], hints: Hints, wishes: Sequence[Wish]
    ) -> Trade:
        trade: Trade = await self._keeper.trade.remote(
            holder, list(reports), list(hints), list(wishes)
        )
        return trade


class RayWorker:
    """A :class:`Worker` in a process of the cluster."""

    def __init__(self, ray: Any, actor: Any, name: str, crew: Cluster) -> None:  # noqa: ANN401  foreign
        self.name = name
        self._ray = ray
        self._actor = actor
        self._crew = crew
        self._is_ended = False

    async def open(self, order: Order) -> Fault | None:
        """See :meth:`Worker.open`; the keys go there directly and nowhere else."""
        fault: Fault | None = await self._told(self._actor.open.remote(order))
        return fault

    async def mark(self, replies: Replies) -> tuple[Trial, ...] | Fault:
        """See :meth:`Worker.mark`."""
        marked: tuple[Trial, ...] | Fault = await self._told(self._actor.mark.remote(replies))
        return marked

    async def begin(self, batch: Batch) -> Fault | None:
        """See :meth:`Worker.begin`."""
        fault: Fault | None = await self._told(self._actor.begin.remote(batch))
        return fault

    async def news(self, durable: int, stopped: dict[str, str], stop: bool) -> News:  # noqa: FBT001
        """See :meth:`Worker.news`."""
        news: News = await self._told(self._actor.news.remote(durable, stopped, stop=stop))
        return news

    def end(self) -> None:
        """Kill it, if it still lives."""
        if not self._is_ended:
            self._is_ended = True
            self._ray.kill(self._actor)
            self._crew.forget(self)

    async def _told(self, reply: Awaitable[Any]) -> Any:  # noqa: ANN401  as the worker's methods say
        try:
            return await reply
        except self._ray.exceptions.RayTaskError:
            raise
        except self._ray.exceptions.RayError as exc:
            raise WorkerLost(str(exc).partition("\n")[0]) from exc
