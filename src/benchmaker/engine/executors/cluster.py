"""The executor on a Ray cluster: the one place that knows Ray."""

import os
import socket
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit
from uuid import uuid4

from benchmaker.engine.executors.actors import Lender, QuotaActor, RayTaskRunner, RayWorker
from benchmaker.engine.executors.base import ActiveJob, ExecutorJob
from benchmaker.engine.executors.dispatch import RemoteReplay, RemoteRequests
from benchmaker.engine.executors.task import TaskRunner
from benchmaker.engine.executors.worker import Worker
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.errors import PrerequisiteError, SpecError

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
    """Executes jobs in the workers of a Ray cluster; enter it before the first one.

    ``address`` is that of a cluster. The default is that of RAY_ADDRESS; otherwise a cluster is
    started on this machine for as long as needed.

    Raises:
        SpecError: the address is one for Ray's client.
        PrerequisiteError: Ray is not installed.
    """

    def __init__(self, address: str | None = None) -> None:
        self._address = address or os.environ.get("RAY_ADDRESS") or None
        _refuse_client(self._address)
        self._ray = _ray()
        self._is_ours = False
        self._name = f"quota-{uuid4().hex[:12]}"
        self._keeper: Any = None
        self._workers: dict[RayWorker, str] = {}
        self._runners: set[RayTaskRunner] = set()
        self._hired = 0

    @property
    def size(self) -> int:
        """The maximum number of workers: one per CPU."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @property
    def hosts(self) -> frozenset[str]:
        """The names of the machines that are alive."""
        return frozenset(it["NodeManagerHostname"] for it in self._ray.nodes() if it["Alive"])

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
        for one in (*self._workers, *self._runners):
            one.end()
        if self._keeper is not None:
            self._ray.kill(self._keeper)
        if self._is_ours:
            self._ray.shutdown()

    def begin(self, job: ExecutorJob) -> ActiveJob:
        """Start the job: workers score recorded answers, or query live models.

        Raises:
            SpecError: judges would be queried during the run, or the provider has no recipe.
        """
        if not job.is_live:
            return RemoteReplay(job, self)
        if job.are_judges_live:
            raise SpecError(
                "a cluster can't query models live together with judges or embeddings, because they"
                " would not share their limits.",
                hint="Run without --executor, or judge from a file with --recorded-judge.",
            )
        return RemoteRequests(job, self)

    def start_worker(self) -> RayWorker:
        """A new worker, on whichever node has a CPU free."""
        self._hired += 1
        name = f"worker-{self._hired}"
        lender = Lender(self._keeper) if self._keeper is not None else None
        actor = self._actor(Worker, num_cpus=1).remote(name, lender)
        worker = RayWorker(self._ray, actor, self._remove_worker)
        self._workers[worker] = name
        return worker

    def start_task_runner(self, *, is_beside: bool) -> RayTaskRunner:
        """Start a task runner on any node with a free CPU.

        With ``is_beside``, for use with a run's workers, which may hold all CPUs, it takes none of
        those that Ray counts.
        """
        actor = self._actor(TaskRunner, num_cpus=0 if is_beside else 1).remote()
        runner = RayTaskRunner(self._ray, actor, self._runners.discard)
        self._runners.add(runner)
        return runner

    async def fund(self, job: ExecutorJob) -> None:
        """Ensure that the limits are managed, and set the budget."""
        if not job.is_live:
            return
        if self._keeper is None:
            actor = self._ray.remote(QuotaActor).options(**self._pin_to_node())
            self._keeper = actor.remote(job.limits)
        budget = job.budget
        most_usd = budget.most_usd if budget is not None else None
        await self._keeper.fund.remote(most_usd, budget.spent_usd if budget is not None else 0.0)

    async def account(self, job: ExecutorJob) -> None:
        """Add the spending to the job's budget."""
        if job.budget is not None and self._keeper is not None:
            job.budget.spent_usd, refusal = await self._keeper.account.remote()
            job.budget.refusal = job.budget.refusal or refusal

    async def states(self) -> Mapping[str, RateLimiterState]:
        """Return the endpoints' limiters, by endpoint name."""
        states: Mapping[str, RateLimiterState] = await self._keeper.states.remote()
        return states

    def _remove_worker(self, worker: RayWorker) -> None:
        """Remove a dead worker; its limits are returned."""
        name = self._workers.pop(worker)
        if self._keeper is not None:
            self._keeper.forget.remote(name)

    def _actor(self, kind: type, *, num_cpus: int) -> Any:  # noqa: ANN401  a class of Ray's
        options = {"num_cpus": num_cpus, "max_restarts": 0, "max_task_retries": 0}
        return self._ray.remote(kind).options(scheduling_strategy="SPREAD", **options)

    def _join(self) -> None:
        """Join the cluster, or start one that listens only on this machine as far as possible."""
        quiet = {"log_to_driver": False, "configure_logging": False, "namespace": NAMESPACE}
        if self._address is not None:
            _refuse_silent(self._address)
        try:
            self._ray.init(address=self._address or "local", **quiet, **self._start_options())
        except ConnectionError as exc:
            raise PrerequisiteError(
                f"no Ray cluster at {self._address}.",
                hint="Start one with: ray start --head",
            ) from exc

    def _start_options(self) -> dict[str, Any]:
        """Return the start options of a cluster for this run alone."""
        if self._address is not None:
            return {}
        return {
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
            "_node_ip_address": "127.0.0.1",
        }

    def _pin_to_node(self) -> dict[str, Any]:
        """The keeper of the limits lives where the run does: no other node takes it away."""
        from ray.util.scheduling_strategies import (  # noqa: PLC0415  see above
            NodeAffinitySchedulingStrategy,
        )

        node = self._ray.get_runtime_context().get_node_id()
        strategy = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        return {"num_cpus": 0, "name": self._name, "scheduling_strategy": strategy}


def _refuse_client(address: str | None) -> None:
    """Ray's client would put who keeps the limits on another machine than the one who writes."""
    if address is not None and address.startswith("ray://"):
        raise SpecError(
            f"{address} is a Ray client address, which is not supported.",
            hint="Use the host:port of the cluster's head, on a machine that is a node of it (join"
            " with: ray start --address HOST:PORT).",
        )


def _refuse_silent(address: str) -> None:
    """Refuse an unreachable address, for which Ray itself would wait for minutes."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 0), _KNOCK_S):
            return
    except (OSError, ValueError) as exc:
        raise PrerequisiteError(
            f"no Ray cluster at {address}.", hint="Start one with: ray start --head"
        ) from exc
