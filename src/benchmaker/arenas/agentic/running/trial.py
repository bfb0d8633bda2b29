"""One agent trial: start folder, agent behind walls, logs, verification, submission, evaluation."""

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions, evaluate_submissions
from benchmaker.arenas.agentic.running.agent_run import TRIAL_LIMITS, AgentOrder, AgentRun
from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.arenas.agentic.running.harbor.logs import converted_logs
from benchmaker.arenas.agentic.running.harbor.trial_command import LOGS
from benchmaker.arenas.agentic.running.measured import TrialFacts, measured_submission
from benchmaker.arenas.agentic.running.outcomes import Verdict, early_verdict, verdict_of
from benchmaker.arenas.agentic.running.start_folder import PROJECT_NAME, lay_stand_in
from benchmaker.arenas.agentic.running.steps import LocalSteps, TrialSteps
from benchmaker.arenas.agentic.running.task_isolation import agent_isolation, wanted_isolation
from benchmaker.arenas.agentic.running.trial_log import TrialLog, read_log
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury
from benchmaker.arenas.agentic.verify.solution import proxy_to_hosts
from benchmaker.arenas.agentic.verify.stored_tasks import stored_form
from benchmaker.arenas.agentic.verify.task_images import with_images
from benchmaker.errors import SandboxError, SpecError
from benchmaker.record.agent_trial import (
    AgentTrial,
    GatewayRequest,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    TryEnd,
    UnknownCosts,
)
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import LOCAL, Status, Submission, TaskRef
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.sandbox import Isolation, ResourceLimits
from benchmaker.sandbox.limits import longest_s
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store
from benchmaker.store.agentic.submissions import NewSubmission

GRACE_S: Final = 9.0
"""Seconds between a refusal for a cap and the end of the agent, which is gone within 10 s."""


class Grant(Protocol):
    """The admission of a trial at the gateway.

    ``token`` is the key that the agent uses, ``socket`` the Unix socket on which the gateway serves
    the trial. ``refused`` is set when a request was refused for a cap. ``fault`` is a failure that
    is not the agent's; empty if there was none. ``pause_file`` states the time in which the gateway
    held requests, ``paused_s`` is that time in seconds, ``given_up_s`` the part of the last request
    if the agent gave that up meanwhile; 0 if it did not.
    """

    token: str
    socket: Path
    refused: asyncio.Event
    fault: str

    @property
    def pause_file(self) -> Path | None: ...  # noqa: D102  as above
    @property
    def paused_s(self) -> float: ...  # noqa: D102
    @property
    def given_up_s(self) -> float: ...  # noqa: D102


class TrialGateway(Protocol):
    """A gateway as far as a trial needs it."""

    def grant(self, key: TrialKey, model: str, caps: Any, /) -> Any:  # noqa: ANN401  a Grant
        """Admit a trial to a model within caps."""
        ...

    async def revoke(self, grant: Any, /) -> TrialMeter:  # noqa: ANN401  a Grant
        """End the admission; the sums of its requests."""
        ...

    def requests(self, key: TrialKey, /) -> Sequence[GatewayRequest]:
        """The requests of a trial."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOrder:
    """The order of one trial.

    ``model`` is ``endpoint/model``, empty for agents without one. ``attempts`` is the number of
    attempts planned, ``version`` that of the agent. ``caps`` are passed to the gateway.
    ``earlier`` are the meters of earlier tries, ``earlier_ends`` their ends. With ``evaluation``
    the submission is evaluated at once. ``is_replay`` is true if the gateway replays recorded
    replies. ``keep`` is a new or empty folder for the workspace and the logs, which are otherwise
    removed.
    """

    key: TrialKey
    task: TaskFolder
    agent: Agent
    search_path: str
    model: str = ""
    effort: str = ""
    version: str = ""
    submitter: str = LOCAL
    attempts: int = 1
    caps: Any = None
    earlier: tuple[TrialMeter, ...] = ()
    earlier_ends: tuple[TryEnd, ...] = ()
    limits: ResourceLimits = TRIAL_LIMITS
    isolation: Isolation | None = None
    grace_s: float = GRACE_S
    jury: WantedJury | None = None
    evaluation: EvaluationOptions | None = None
    keep: Path | None = None
    is_replay: bool = False

    @property
    def judge_unknowns(self) -> UnknownCosts:
        """The requests to judges of unknown cost so far, over all tries."""
        return self.jury.unknown_costs() if self.jury else UnknownCosts()


async def run_trial(
    store: Store,
    order: TrialOrder,
    *,
    pricer: Pricer,
    gateway: TrialGateway | None = None,
    steps: TrialSteps | None = None,
    clock: Callable[[], float] = time.time,
) -> AgentTrial:
    """Run one try of an agent trial to its end.

    Its row is stored at the start, without an outcome, and at the end: together with the submission
    and its verification, unless the infrastructure failed. Each try of an attempt gives the same
    submission. ``steps`` executes what takes a processor, by default this process.

    Raises:
        PrerequisiteError: the agent or the isolation is not installed, or the task needs an image.
        SpecError: the agent needs a model, or a gateway is missing.
        StoreError: the store is unusable; Conflict if another process evaluates.
    """
    if order.agent.needs_model and gateway is None:
        raise SpecError(f"{order.agent.name} needs a gateway.")
    level = agent_isolation(order.task.task, wanted_isolation([order.agent], order.isolation))
    if level is Isolation.CONTAINER:
        order = replace(order, task=await asyncio.to_thread(with_images, order.task))
    started = iso_timestamp(clock())
    with _left_folder(order.keep) as left:
        trial = _Trial(store, order, pricer, steps or LocalSteps(), clock, left, started, level)
        await trial.begin()
        if order.agent.stand_in is not None:
            await trial.leave_stand_in()
        else:
            await trial.run(gateway)
        return await trial.conclude()


@dataclass(slots=True)
class _Trial:
    store: Store
    order: TrialOrder
    pricer: Pricer
    steps: TrialSteps
    clock: Callable[[], float]
    left: Path
    started: str
    level: Isolation
    run_of_agent: AgentRun | None = None
    meter: TrialMeter | None = None
    requests: Sequence[GatewayRequest] = ()
    fault: str = ""
    held_s: float | None = None
    early: Verdict | None = None
    isolation: Isolation = field(default=Isolation.NONE)

    async def begin(self) -> None:
        """Store the row of a trial that has started."""
        if self.order.agent.stand_in is None:
            self.isolation = self.level
        await self._put(self._row(None))

    async def leave_stand_in(self) -> None:
        """Lay the workspace of an agent without a program."""
        order = self.order
        try:
            workspace = self.left / PROJECT_NAME
            await self.steps.call(
                lambda: lay_stand_in(order.agent, order.task, workspace, attempt=order.key.attempt)
            )
        except SpecError as exc:
            self.early = Verdict(TrialOutcome.SETUP_FAILED, str(exc))

    async def run(self, gateway: TrialGateway | None) -> None:
        """Run the agent, with the gateway as its only way out."""
        try:
            with proxy_to_hosts(self.order.task.task) as proxy:
                async with self._admission(gateway) as (admitted, stop):
                    self.run_of_agent = await self.steps.run_agent(
                        replace(admitted, proxy=proxy),
                        self.left,
                        isolation=self.isolation,
                        limits=self.order.limits,
                        stop=stop,
                    )
        except SandboxError as exc:
            self.early = Verdict(TrialOutcome.SETUP_FAILED, str(exc))
            return
        self.early = early_verdict(self.run_of_agent.ended)

    @asynccontextmanager
    async def _admission(
        self, gateway: TrialGateway | None
    ) -> AsyncIterator[tuple[AgentOrder, asyncio.Event]]:
        """The order for the agent with its token, and the event that ends it."""
        given, stop = self.order, asyncio.Event()
        order = AgentOrder(
            agent=given.agent,
            task=given.task,
            search_path=given.search_path,
            model=given.model,
            effort=given.effort,
        )
        if gateway is None or not given.model:
            yield order, stop
            return
        grant = gateway.grant(given.key, given.model, given.caps)
        watch = asyncio.ensure_future(_stop_after(grant, stop, given.grace_s))
        try:
            yield _through(grant, order), stop
        finally:
            watch.cancel()
            self.meter = await gateway.revoke(grant)
            self.requests = tuple(gateway.requests(given.key))
            self.held_s = grant.paused_s
            self.fault = grant.fault or self._fault_of_holds(grant)

    def _fault_of_holds(self, grant: Grant) -> str:
        """The fault of a gateway that held requests for too long; empty if it did not."""
        if self.run_of_agent is None:
            return ""
        ended, held_s = self.run_of_agent.ended, grant.paused_s
        is_at_end = ended.wall_s >= longest_s(self.order.limits.wall_s)
        if ended.reason == "timeout" and is_at_end and held_s:
            return f"the gateway held its requests for {held_s:,.0f} s, until the time limit"
        if ended.reason == "exited" and (held_s := grant.given_up_s):
            return f"the agent gave up on its last request after {held_s:,.0f} s in the gateway"
        return ""

    async def conclude(self) -> AgentTrial:
        """Read the logs, verify the workspace, and store and evaluate the submission."""
        if self.early is not None:
            return await self._put(self._row(self.early))
        log = await self.steps.call(self._read_log)
        verification = await self._verify(log)
        verdict = self._verdict(log, verification)
        if verdict.outcome.is_infrastructure:
            return await self._put(self._row(verdict, verification))
        made = measured_submission(log, self._facts(verdict))
        row = self._row(verdict, verification, made)
        await self.steps.call(lambda: self._store(row, made, log, verification))
        return row

    async def _put(self, row: AgentTrial) -> AgentTrial:
        await self.steps.call(lambda: self.store.agent_trials.put_trial(row))
        return row

    def _read_log(self) -> TrialLog:
        run = self.run_of_agent
        if run is None:
            return TrialLog()
        log = read_log(run.logs(), self.pricer)
        harbor = self.order.agent.harbor
        if harbor is None or log.submission is not None:
            return log
        with converted_logs(harbor, run.home / LOGS) as made:
            return log if made is None else read_log([made], self.pricer)

    async def _verify(self, log: TrialLog) -> Verification:
        provisional = measured_submission(log, self._facts(Verdict(TrialOutcome.FAILED)))
        return await self.steps.verify(
            self.store,
            self.order.task,
            self.left / PROJECT_NAME,
            submission=provisional,
            wanted=self.order.jury,
            isolation=self.level if self.level is Isolation.CONTAINER else None,
        )

    def _verdict(self, log: TrialLog, verification: Verification) -> Verdict:
        read = log.submission
        return verdict_of(
            verification,
            self.run_of_agent.ended if self.run_of_agent else None,
            self.requests,
            fault=self.fault,
            adapter=self.order.agent.adapter,
            has_declined=read is not None and read.outcome.status is Status.REFUSED,
        )

    def _facts(self, verdict: Verdict) -> TrialFacts:
        order, task = self.order, self.order.task.task
        return TrialFacts(
            key=order.key,
            attempts=order.attempts,
            task=TaskRef(
                id=task.id,
                digest=order.task.digest,
                version=order.task.version,
                category=task.category,
                difficulty=task.difficulty,
            ),
            system=order.agent.system(order.model, order.effort, version=order.version),
            verdict=verdict,
            started_at=self.started,
            finished_at=iso_timestamp(self.clock()),
            meter=self.meter,
            requests=self.requests,
            unlogged=adapter.unlogged_requests if (adapter := order.agent.adapter) else 0,
            earlier_tries=sum(it.requests > 0 for it in order.earlier),
            wall_s=self.run_of_agent.ended.wall_s if self.run_of_agent else None,
            held_s=self.held_s,
            rate_card=self.pricer.version,
            submitter=order.submitter,
            is_replay=order.is_replay,
        )

    def _store(
        self, row: AgentTrial, made: Submission, log: TrialLog, verification: Verification
    ) -> None:
        """Store the end of the trial; a process that is killed meanwhile stores nothing of it."""
        rooms = self.store.agentic
        with self.store.write_transaction():
            rooms.put_task(stored_form(self.order.task))
            rooms.put_submissions([NewSubmission(made, log.parts)])
            rooms.add_verification(verification)
            self.store.agent_trials.put_trial(row)
        if (options := self.order.evaluation) is not None:
            stored = self.store.submission(made.id)
            evaluate_submissions(
                self.store, options, [stored], None, None, pricer=self.pricer, ids=[made.id]
            )

    def _row(
        self,
        verdict: Verdict | None,
        verification: Verification | None = None,
        made: Submission | None = None,
    ) -> AgentTrial:
        """The row of the trial; it has not ended without a verdict."""
        order = self.order
        is_scored = verdict is not None and not verdict.outcome.is_infrastructure
        return AgentTrial(
            key=order.key,
            task_hash=order.task.digest,
            agent=order.agent.name,
            model=order.model,
            agent_version=order.version,
            effort=order.effort,
            outcome=verdict.outcome if verdict else None,
            reward=_reward(verification) if verification and is_scored else None,
            submission_id=made.id if made else None,
            meter=self.meter or TrialMeter(),
            earlier_meters=order.earlier,
            earlier_ends=order.earlier_ends,
            judge_unknowns=order.judge_unknowns,
            isolation=str(self.isolation),
            network=", ".join(order.task.task.hosts) or "off",
            flags=made.flags if made else (),
            detail=verdict.detail if verdict else "",
            started_at=self.started,
            finished_at=iso_timestamp(self.clock()) if verdict else "",
        )


def _reward(verification: Verification) -> float | None:
    """1 if the task is solved, 0 if not; None without a verdict."""
    return None if verification.success is None else float(verification.success)


def _through(grant: Grant, order: AgentOrder) -> AgentOrder:
    """The order for an agent that has its gateway by this grant."""
    return replace(order, gateway=grant.socket, token=grant.token, pause_file=grant.pause_file)


async def _stop_after(grant: Grant, stop: asyncio.Event, grace_s: float) -> None:
    """End the agent some time after its first refusal."""
    await grant.refused.wait()
    await asyncio.sleep(grace_s)
    stop.set()


@contextmanager
def _left_folder(keep: Path | None) -> Iterator[Path]:
    """The folder for what the agent leaves; it is removed unless it is to be kept."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    folder = Path(tempfile.mkdtemp(prefix="benchmaker-left-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
