"""harbor: the results of trials, with the trajectories beside them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.events import Ended, Event, Failure, LlmCall, Session, Totals
from benchmaker.arenas.agentic.importers.atif import run_events
from benchmaker.arenas.agentic.importers.atif_format.layout import run_at
from benchmaker.arenas.agentic.importers.base import Head, Options, SessionRef
from benchmaker.arenas.agentic.inclusive import disjoint
from benchmaker.arenas.agentic.loose import Amount, Count, Loose, loose_document, silenced
from benchmaker.arenas.agentic.times import seconds
from benchmaker.plugins import importer
from benchmaker.record.submission import CriterionResult, Status, TokenUsage

_KEYS = (b'"trial_name"', b'"task_name"', b'"agent_info"')
_SEGMENTS = "segments"
_TRAJECTORY = "trajectory"
_MOST_FILES = 1_000
_STATUS = {
    "AgentTimeoutError": Status.TIMEOUT,
    "ContextLengthExceededError": Status.BUDGET,
    "OutputLengthExceededError": Status.BUDGET,
    "BudgetExceededError": Status.BUDGET,
    "CancelledError": Status.CANCELLED,
    "KeyboardInterrupt": Status.CANCELLED,
    "NonZeroAgentExitCodeError": Status.FAILED,
}
_OUTSIDE = (
    "Environment",
    "Verifier",
    "Reward",
    "AgentSetup",
    "Docker",
    "Download",
    "Sandbox",
    "RateLimit",
    "Authentication",
    "APIConnection",
    "APIError",
    "InternalServer",
    "ServiceUnavailable",
)
"""How the names of exceptions begin that are nobody's fault who is ranked."""


class _ModelInfo(msgspec.Struct):
    name: str | None = None
    provider: str | None = None


class _AgentInfo(msgspec.Struct):
    name: str | None = None
    version: str | None = None
    model_info: _ModelInfo | None = None


class _AgentResult(msgspec.Struct):
    n_input_tokens: Count | None = None
    n_cache_tokens: Count | None = None
    n_output_tokens: Count | None = None
    cost_usd: Amount | None = None


class _Verified(msgspec.Struct):
    rewards: dict[str, float] | None = None
    reward: float | None = None


class _Raised(msgspec.Struct):
    exception_type: str | None = None
    exception_message: str | None = None


class _Phase(msgspec.Struct):
    started_at: Any = None  # a text, or a number in some
    finished_at: Any = None

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        begun, done = seconds(self.started_at), seconds(self.finished_at)
        return None if begun is None or done is None or done < begun else done - begun


class _Trial(msgspec.Struct):
    id: str | None = None
    task_name: str | None = None
    trial_name: str | None = None
    task_checksum: str | None = None
    source: str | None = None
    agent_info: _AgentInfo | None = None
    agent_result: _AgentResult | None = None
    verifier_result: _Verified | None = None
    exception_info: _Raised | None = None
    started_at: Any = None  # a text, or a number in some
    finished_at: Any = None
    environment_setup: _Phase | None = None
    agent_setup: _Phase | None = None
    agent_execution: _Phase | None = None
    verifier: _Phase | None = None


_TRIALS = Loose(_Trial)


@importer(id="harbor", version="1")
class Harbor:
    """Trials of harbor: outcome, times and tokens from the result, steps from the trajectory."""

    id: ClassVar[str] = "harbor"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "harbor trial"

    def sniff(self, head: Head) -> float:
        """By the keys of a trial; a job's result has others."""
        is_trial = head.is_object and all(key in head.start for key in _KEYS)
        return 0.97 if is_trial else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The trial; the logs of its agent, which tell the same again, belong to it."""
        quiet = Options(skip=lambda _: None)
        trial = loose_document(root, silenced(quiet), _TRIALS) or _Trial()
        trajectory = root.parent / "agent" / "trajectory.json"
        run = run_at(trajectory, quiet) if trajectory.is_file() else None
        parts = (*run.segments, *run.children) if run else ()
        hints = {_SEGMENTS: str(len(run.segments)), _TRAJECTORY: str(len(parts))} if run else {}
        others = [path for path in _logs_below(root.parent / "agent") if path not in parts]
        yield SessionRef(
            importer=self.id,
            id=trial.id or trial.trial_name or root.parent.name,
            files=(root, *parts, *others),
            task_id=trial.task_name,
            hints=hints,
        )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """What the result says first, then the steps, then the result's totals."""
        trial = loose_document(ref.files[0], options, _TRIALS)
        if trial is None:
            return
        yield _session(trial, ref.id, options)
        has_steps = _TRAJECTORY in ref.hints
        if has_steps:
            files = ref.files[1 : 1 + int(ref.hints[_TRAJECTORY])]
            segments = int(ref.hints[_SEGMENTS])
            yield from run_events(files, segments, ref.id, options, first=1)
        yield from _figures(trial, ref.id, has_steps=has_steps)
        yield from _end(trial)


def _logs_below(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    found = (path for path in sorted(folder.rglob("*.json*")) if not path.is_symlink())
    return [path for path in found if path.is_file()][:_MOST_FILES]


def _session(trial: _Trial, name: str, options: Options) -> Session:
    agent = trial.agent_info or _AgentInfo()
    model = agent.model_info or _ModelInfo()
    began = trial.agent_execution.started_at if trial.agent_execution else trial.started_at
    extra = {"trial": trial.trial_name, "task_checksum": trial.task_checksum}
    return Session(
        at=seconds(began),
        session_id=name,
        harness=agent.name,
        harness_version=agent.version,
        model=model.name or options.model,
        provider=model.provider,
        mode="headless",
        task_id=trial.task_name,
        extra={key: value for key, value in extra.items() if value},
    )


def _figures(trial: _Trial, name: str, *, has_steps: bool) -> Iterator[Event]:
    """Tokens and times; without steps one event of its own stands for all model calls."""
    used = trial.agent_result or _AgentResult()
    usage = disjoint(used.n_input_tokens, used.n_output_tokens, cache_read=used.n_cache_tokens)
    wall = trial.agent_execution.seconds if trial.agent_execution else None
    if has_steps:
        yield Totals(usage=usage if usage.total else None, cost_usd=used.cost_usd)
    elif usage.total or used.cost_usd:
        yield _whole(trial, name, usage, used.cost_usd)
    yield Totals(
        wall_s=wall,
        active_s=wall,
        setup_s=_sum(trial.environment_setup, trial.agent_setup),
        verify_s=trial.verifier.seconds if trial.verifier else None,
    )


def _whole(trial: _Trial, name: str, usage: TokenUsage, cost: float | None) -> LlmCall:
    info = trial.agent_info.model_info if trial.agent_info else None
    return LlmCall(
        id=f"harbor:{name}",
        model=info.name if info else None,
        usage=usage,
        cost_usd=cost,
        requests=None,
    )


def _sum(*phases: _Phase | None) -> float | None:
    known = [took for phase in phases if phase and (took := phase.seconds) is not None]
    return sum(known) if known else None


def _end(trial: _Trial) -> Iterator[Event]:
    done = trial.agent_execution.finished_at if trial.agent_execution else trial.finished_at
    raised = trial.exception_info
    status, cause = status_of(raised.exception_type if raised else None)
    if raised and raised.exception_message:
        yield Failure(at=seconds(done), message=raised.exception_message[:1_000])
    is_valid = status not in (Status.INFRA_ERROR, Status.CANCELLED, Status.FAILED)
    reward = _reward(trial.verifier_result) if is_valid else None
    yield Ended(
        at=seconds(done),
        status=status,
        exit_status=raised.exception_type if raised else None,
        failure_cause=cause,
        success=None if reward is None else reward >= 1,
        reward=reward,
        criteria=tuple(_criteria(trial.verifier_result)) if is_valid else (),
    )


def status_of(exception: str | None) -> tuple[Status, str | None]:
    """How a trial ended, and the cause where it is not the agent's.

    >>> status_of("RewardFileNotFoundError")[0].value
    'infra_error'
    """
    if exception is None:
        return Status.COMPLETED, None
    name = exception.rsplit(".", 1)[-1]
    if name in _STATUS:
        return _STATUS[name], name
    if "Refus" in name or "ContentPolicy" in name:
        return Status.REFUSED, name
    return (Status.INFRA_ERROR if name.startswith(_OUTSIDE) else Status.FAILED), name


def _reward(verified: _Verified | None) -> float | None:
    if verified is None:
        return None
    rewards = verified.rewards or {}
    if verified.reward is not None:
        return verified.reward
    return rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)


def _criteria(verified: _Verified | None) -> Iterator[CriterionResult]:
    """The rewards beside the main one."""
    for name, value in (verified.rewards or {} if verified else {}).items():
        if name != "reward":
            yield CriterionResult(
                id=name, result="pass" if value >= 1 else "fail", evidence=str(value)
            )
