"""Verification: a task's criteria over a submission's workspace."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.verify.criteria.table import CHECKS
from benchmaker.arenas.agentic.verify.criterion_context import GradingClock, GradingContext, Jury
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    clip,
    error_with,
    fail_with,
    join_some,
    tail,
)
from benchmaker.arenas.agentic.verify.solution import proxy_to_hosts, require_for, with_reasons
from benchmaker.arenas.agentic.verify.task_images import with_images
from benchmaker.arenas.agentic.verify.unpacking import Unfit
from benchmaker.arenas.agentic.verify.workspace import Prepared, prepare_workspace
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.errors import BenchmakerError, PrerequisiteError, ScorerTimeout, SpecError
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import CriterionResult, Submission
from benchmaker.sandbox import Isolation
from benchmaker.sandbox.isolation_check import require_exactly
from benchmaker.spec.tasks.criterion import Criterion
from benchmaker.spec.tasks.task import Task, TaskFolder
from benchmaker.version import __version__

UNSAFE_RISK = (
    "Submitted code runs as a process of this machine. It can read your files and use the "
    "network, and its reports can't be fully trusted."
)
"""The risk accepted with ``unsafe_local``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _GradeOptions:
    isolation: Isolation | None
    unsafe_local: bool
    repeats: int


async def averify(
    task: TaskFolder,
    workspace: str | Path,
    *,
    submission: Submission | None = None,
    isolation: Isolation | None = None,
    unsafe_local: bool = False,
    jury: Jury | None = None,
    repeats: int = 1,
    clock: GradingClock | None = None,
    actor: str = "local",
) -> Verification:
    """Check every criterion of a task over a workspace, a folder or an archive of it.

    Only the task's named outputs are taken from the workspace, onto a fresh copy of the task's
    initial files; its tests are copied over. Each criterion that runs something gets a fresh copy
    of that, in isolation. A criterion whose state differs between ``repeats`` is flaky: an error.

    Args:
        task: the task with its folder, from ``load_task``.
        workspace: the workspace: a folder, or a ``.tar.gz``, ``.tgz``, ``.tar`` or ``.zip``.
        submission: the session, for ``no_errors``; its id is stored with the result.
        isolation: the exact level to use; never below that of the task.
        unsafe_local: allow a process without isolation if the task allows ``process``.
        jury: the judges of rubrics; without them rubrics are skipped.
        repeats: number of checks of each criterion that runs something.
        clock: the clock.
        actor: the requester.

    Raises:
        PrerequisiteError: this machine has no sufficient isolation; nothing was run.
        SpecError: unknown workspace, or a weaker isolation was requested.
    """
    clock = clock or SystemClock()
    options = _GradeOptions(isolation=isolation, unsafe_local=unsafe_local, repeats=max(1, repeats))
    levels = isolation_by_criterion(
        task.task, isolation=options.isolation, unsafe_local=options.unsafe_local
    )
    started = clock.now_utc()
    if Isolation.CONTAINER in levels.values():
        task = await asyncio.to_thread(with_images, task)
    try:
        with prepare_workspace(task, Path(workspace)) as ready, proxy_to_hosts(task.task) as proxy:
            place = GradingContext(
                task=task,
                prepared=ready,
                isolation=Isolation.NONE,
                clock=clock,
                submission=submission,
                jury=jury,
                proxy=proxy,
            )
            results = [
                await _result(one, replace(place, isolation=levels[one.id]), options)
                for one in task.task.criteria
            ]
            taken = ready.sha256
    except Unfit as exc:
        finding = fail_with(f"the submission can't be graded: {exc}")
        results = [_to_result(one, finding, None, Isolation.NONE) for one in task.task.criteria]
        taken = ""
    ran_in = [levels[one.id] for one in task.task.criteria if one.runs_code]
    weakest = min(ran_in, key=lambda level: level.rank, default=Isolation.NONE)
    return _with_id(
        Verification(
            id="",
            submission_id=submission.id if submission else "",
            task_id=task.task.id,
            task_digest=task.digest,
            isolation=isolation_label(weakest, task.task),
            results=tuple(results),
            workspace_sha256=taken,
            started_at=started,
            finished_at=clock.now_utc(),
            package_version=__version__,
            actor=actor,
        )
    )


def isolation_label(level: Isolation, task: Task) -> str:
    """The isolation of a verification in words, with the network that the task allows."""
    if not task.network or level is Isolation.NONE:
        return str(level)
    return f"{level}, network: {', '.join(task.hosts) or 'public'}"


def verify(
    task: TaskFolder,
    workspace: str | Path,
    *,
    submission: Submission | None = None,
    isolation: Isolation | None = None,
    unsafe_local: bool = False,
    jury: Jury | None = None,
    repeats: int = 1,
    clock: GradingClock | None = None,
    actor: str = "local",
) -> Verification:
    """As :func:`averify`, for code that is not asynchronous."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(
            averify(
                task,
                workspace,
                submission=submission,
                isolation=isolation,
                unsafe_local=unsafe_local,
                jury=jury,
                repeats=repeats,
                clock=clock,
                actor=actor,
            )
        )
    raise SpecError(
        "verify() can't be called while an event loop is running.",
        hint="Await averify(...) instead of verify(...).",
    )


def with_answer(
    verification: Verification, criterion_id: str, *, holds: bool, note: str, actor: str, at: str
) -> Verification:
    """Return the verification with a person's answer to an open criterion.

    It is a new verification with its own id; the previous one is unchanged.

    Raises:
        SpecError: no open criterion has that id.
    """
    waiting = [it.id for it in verification.results if it.type == "human_review"]
    if criterion_id not in waiting:
        hint = (
            f"Open reviews: {join_some(waiting)}."
            if waiting
            else "The task has no human_review criterion."
        )
        raise SpecError(f"no open review of {criterion_id!r}.", hint=hint)
    evidence = tail(f"{actor}: {note}" if note else f"answered by {actor}")
    results = tuple(
        msgspec.structs.replace(it, result="pass" if holds else "fail", evidence=evidence)
        if it.id == criterion_id
        else it
        for it in verification.results
    )
    changed = msgspec.structs.replace(verification, results=results, actor=actor, finished_at=at)
    return _with_id(changed)


def isolation_by_criterion(
    task: Task, *, isolation: Isolation | None = None, unsafe_local: bool = False
) -> dict[str, Isolation]:
    """Return the isolation of each criterion by its id, with the arguments of :func:`averify`.

    Raises:
        PrerequisiteError: this machine has no sufficient isolation.
        SpecError: a weaker isolation was requested.
    """
    options = _GradeOptions(isolation=isolation, unsafe_local=unsafe_local, repeats=1)
    return {one.id: _level(one, task, options) for one in task.criteria}


def _level(criterion: Criterion, task: Task, options: _GradeOptions) -> Isolation:
    """Return a criterion's isolation; insufficient levels are refused before anything runs."""
    if not criterion.runs_code:
        return Isolation.NONE
    least = max(
        (Isolation(one) for one in (task.isolation, criterion.isolation) if one),
        key=lambda level: level.rank,
    )
    if options.isolation is None:
        return require_for(task, least, allow_unsafe=options.unsafe_local)
    if options.isolation.rank < least.rank:
        error = PrerequisiteError(
            f"nothing was run: {criterion.id} needs isolation by {least}, not {options.isolation}.",
            hint=f"Use isolation by {least}, or lower the isolation in the task.",
        )
        raise with_reasons(error, task)
    if options.isolation is Isolation.PROCESS and not options.unsafe_local:
        raise SpecError(
            "isolation by process does not protect this machine.",
            hint="Confirm with --unsafe-local.",
        )
    require_exactly(options.isolation)
    return options.isolation


async def _result(
    criterion: Criterion, place: GradingContext, options: _GradeOptions
) -> CriterionResult:
    began = place.clock.monotonic()
    times = options.repeats if criterion.runs_code else 1
    found = [await _finding(criterion, place) for _ in range(times)]
    finding = found[0]
    if len({one.state for one in found}) > 1:
        states = ", ".join(one.state for one in found)
        finding = error_with(f"flaky: {states}\n{found[-1].evidence}")
    if criterion.runs_code and finding.state != "skipped":
        finding = _with_removals(finding, place.prepared)
    seconds = round(place.clock.monotonic() - began, 3)
    return _to_result(criterion, finding, seconds, place.isolation)


async def _finding(criterion: Criterion, place: GradingContext) -> Finding:
    check: Callable[[Criterion, GradingContext], Awaitable[Finding]] = CHECKS[kind_of(criterion)]
    try:
        return await check(criterion, place)
    except ScorerTimeout as exc:
        return fail_with(f"a pattern takes too long on the submitted text: {exc}")
    except BenchmakerError as exc:
        return error_with(str(exc))
    except (OSError, MemoryError, RecursionError) as exc:
        return error_with(f"{type(exc).__name__}: {exc}")


def kind_of(criterion: Criterion) -> str:
    """The name of its kind."""
    return str(type(criterion).model_fields["type"].default)


def _with_removals(finding: Finding, ready: Prepared) -> Finding:
    if not ready.not_taken:
        return finding
    names = join_some([f"{path} ({why})" for path, why in ready.not_taken])
    return replace(finding, evidence=f"{finding.evidence}\nExcluded: {names}".strip())


def _to_result(
    criterion: Criterion, finding: Finding, seconds: float | None, isolation: Isolation
) -> CriterionResult:
    return CriterionResult(
        id=criterion.id,
        result=finding.state,
        weight=criterion.weight,
        required=criterion.required,
        evidence=clip(finding.evidence),
        type=kind_of(criterion),
        hidden=criterion.visibility == "hidden",
        wall_s=seconds,
        isolation=isolation,
    )


def _with_id(made: Verification) -> Verification:
    """With an id made of its content: the same verification twice is one."""
    digest = hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(made, id="")))
    return msgspec.structs.replace(made, id=f"v-{digest.hexdigest()[:16]}")
