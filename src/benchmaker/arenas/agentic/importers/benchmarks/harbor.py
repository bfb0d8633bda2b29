"""harbor: the results of trials, with their trajectories."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.atif import run_events
from benchmaker.arenas.agentic.importers.atif_format.layout import run_at
from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.harbor_format.trial import (
    TRIALS,
    AgentInfo,
    ModelInfo,
    Phase,
    Trial,
    Verified,
)
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.events import (
    Event,
    Failure,
    LlmCall,
    Session,
    SessionEnd,
    Totals,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import loose_document, quiet_options
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import CriterionResult, Status, TokenUsage

_KEYS = {"trial_name", "task_name", "agent_info"}
_SEGMENTS = "segments"
_TRAJECTORY = "trajectory"
_MOST_FILES = 1_000
_STATUS = {
    "AgentTimeoutError": Status.TIMEOUT,
    "ContextLengthExceededError": Status.BUDGET,
    "OutputLengthExceededError": Status.BUDGET,
    "ContextWindowExceededError": Status.BUDGET,
    "OutputTokenExceededError": Status.BUDGET,
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
    "Api",
    "UnknownApi",
    "NetworkConnection",
    "InternalServer",
    "ServiceUnavailable",
    "Healthcheck",
    "MemoryLimit",
    "SSHAccess",
    "GKE",
    "AddTestsDir",
    "AgentAuthentication",
    "ModelNotFound",
)
"""How the names of exceptions begin that are not the agent's fault."""


@importer(id="harbor", version="2")
class Harbor:
    """Trials of harbor: outcome, times and tokens from the result, steps from the trajectory.

    Based on the schema of release 0.25. In a trial with several steps, tokens, cost and times are
    sums; the reward is harbor's own, else the mean over the graded steps, harbor's default.
    """

    id: ClassVar[str] = "harbor"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "harbor trial"

    def sniff(self, head: FileHead) -> float:
        """By the keys of a trial; a job's result has others."""
        return 0.97 if outline(head.start) >= _KEYS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """Yield the trial; the logs of its agent, which repeat it, belong to it."""
        quiet = Options(skip=lambda _: None)
        trial = loose_document(root, quiet_options(quiet), TRIALS) or Trial()
        folders = _folders(root.parent, trial)
        trajectories = (folder / "trajectory.json" for folder in folders)
        runs = [run_at(path, quiet) for path in trajectories if path.is_file()]
        parts = tuple(path for run in runs for path in (*run.segments, *run.children))
        hints = {
            _SEGMENTS: " ".join(str(len(run.segments)) for run in runs),
            _TRAJECTORY: " ".join(str(len(run.segments) + len(run.children)) for run in runs),
        }
        others = [path for folder in folders for path in _logs_below(folder) if path not in parts]
        yield SessionRef(
            importer=self.id,
            id=trial.id or trial.trial_name or root.parent.name,
            files=(root, *parts, *others),
            task_id=trial.task_name,
            hints=hints if runs else {},
            threads=(*map(str, folders), *(name for run in runs for name in run.threads)),
        )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The facts of the result, then the steps, then the result's totals."""
        trial = loose_document(ref.files[0], options, TRIALS)
        if trial is None:
            return
        yield _session(trial, ref.id, options)
        has_steps = _TRAJECTORY in ref.hints
        if has_steps:
            yield from _trajectories(ref, options)
        yield from _figures(trial, ref.id, has_steps=has_steps)
        yield from _end(trial)


def _folders(folder: Path, trial: Trial) -> list[Path]:
    """The folders of the agent's logs: the trial's, and one for each step."""
    names = [Path(step.step_name).name for step in trial.step_results or () if step.step_name]
    return [folder / "agent", *(folder / "steps" / name / "agent" for name in names)]


def _trajectories(ref: SessionRef, options: Options) -> Iterator[Event]:
    """The trajectories one after the other; each counts its steps from 1."""
    first = 1
    counts = zip(ref.hints[_TRAJECTORY].split(), ref.hints[_SEGMENTS].split(), strict=True)
    for number, (files, segments) in enumerate(counts):
        run = f"{ref.id}:{number}" if number else ref.id
        found = ref.files[first : first + int(files)]
        yield from run_events(found, int(segments), run, options, first=first)
        first += int(files)


def _logs_below(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    found = (path for path in sorted(folder.rglob("*.json*")) if not path.is_symlink())
    return [path for path in found if path.is_file()][:_MOST_FILES]


def _session(trial: Trial, name: str, options: Options) -> Session:
    agent = trial.agent_info or AgentInfo()
    model = agent.model_info or ModelInfo()
    began = trial.executions[0].started_at if trial.executions else trial.started_at
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


def _figures(trial: Trial, name: str, *, has_steps: bool) -> Iterator[Event]:
    """Yield tokens and times; without a trajectory one event represents all model calls."""
    used = trial.agent_usage
    usage = disjoint_usage(
        used.n_input_tokens, used.n_output_tokens, cache_read=used.n_cache_tokens
    )
    wall = _sum(*trial.executions)
    if has_steps:
        yield Totals(usage=usage if usage.total else None, cost_usd=used.cost_usd)
    elif usage.total or used.cost_usd:
        yield _whole_trial_call(trial, name, usage, used.cost_usd)
    yield Totals(
        wall_s=wall,
        active_s=wall,
        setup_s=_sum(trial.environment_setup, trial.agent_setup),
        verify_s=_sum(*(part.verifier for part in trial.parts)),
    )


def _whole_trial_call(trial: Trial, name: str, usage: TokenUsage, cost: float | None) -> LlmCall:
    info = trial.agent_info.model_info if trial.agent_info else None
    return LlmCall(
        id=f"harbor:{name}",
        model=info.name if info else None,
        usage=usage,
        cost_usd=cost,
        requests=None,
    )


def _sum(*phases: Phase | None) -> float | None:
    known = [took for phase in phases if phase and (took := phase.seconds) is not None]
    return sum(known) if known else None


def _end(trial: Trial) -> Iterator[Event]:
    done = trial.executions[-1].finished_at if trial.executions else trial.finished_at
    raised = trial.first_exception
    status, cause = status_of(raised.exception_type if raised else None)
    if raised and raised.exception_message:
        yield Failure(at=seconds(done), message=raised.exception_message[:1_000])
    is_valid = status not in (Status.INFRA_ERROR, Status.CANCELLED, Status.FAILED)
    reward = _reward(trial.verdict) if is_valid else None
    yield SessionEnd(
        at=seconds(done),
        status=status,
        exit_status=raised.exception_type if raised else None,
        failure_cause=cause,
        success=None if reward is None else reward >= 1,
        reward=reward,
        criteria=tuple(_criteria(trial)) if is_valid else (),
    )


def status_of(exception: str | None) -> tuple[Status, str | None]:
    """Return a trial's status, and the cause if it is not the agent's.

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


def _reward(verified: Verified | None) -> float | None:
    if verified is None:
        return None
    rewards = verified.rewards or {}
    if verified.reward is not None:
        return verified.reward
    return rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)


def _criteria(trial: Trial) -> Iterator[CriterionResult]:
    """The rewards beside the main one, and those of each step."""
    rewards = trial.verdict.rewards or {} if trial.verdict else {}
    yield from (_criterion(name, value) for name, value in rewards.items() if name != "reward")
    for step in trial.step_results or ():
        reward = _reward(step.verdict)
        if reward is not None:
            yield _criterion(f"step {step.step_name}", reward)


def _criterion(name: str, value: float) -> CriterionResult:
    return CriterionResult(id=name, result="pass" if value >= 1 else "fail", evidence=str(value))
