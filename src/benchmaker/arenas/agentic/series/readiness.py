"""The missing parts of a series, found before anything is paid for."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmaker.arenas.agentic.gateway.gateway import check_priced
from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.arenas.agentic.running.programs import installed_version, program_of
from benchmaker.arenas.agentic.running.task_isolation import agent_isolation
from benchmaker.arenas.agentic.verify.solution import has_solution
from benchmaker.errors import BenchmakerError, PrerequisiteError, SpecError
from benchmaker.providers.forwarding import Forwarding
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.criterion import HumanReview, LlmRubric
from benchmaker.spec.tasks.task import TaskFolder


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that is missing, and how to get it."""

    message: str
    hint: str

    @classmethod
    def of(cls, fault: BenchmakerError) -> "Missing":
        """That of an error."""
        return cls(fault.message, fault.hint)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


async def agent_versions(
    agents: Sequence[Agent], search_path: str, *, in_namespace: bool = True
) -> tuple[tuple[tuple[Agent, str], ...], tuple[Missing, ...]]:
    """The agents with their versions, empty if unknown; and those that are not installed.

    An agent that runs in containers only may be a program of their images.
    """
    found: list[tuple[Agent, str]] = []
    missing: list[Missing] = []
    for agent in agents:
        version = ""
        try:
            if agent.adapter is not None:
                program = await asyncio.to_thread(program_of, agent, search_path)
                version = await installed_version(agent.adapter, program)
        except PrerequisiteError as exc:
            what = PrerequisiteError(f"{agent.name}: {exc.message}", hint=exc.hint)
            missing += [Missing.of(what)] if in_namespace else []
        found.append((agent, version))
    return tuple(found), tuple(missing)


def missing_parts(
    tasks: Sequence[TaskFolder],
    agents: Sequence[Agent],
    models: Sequence[str],
    *,
    environ: Mapping[str, str],
    dotenv: Path | None,
    home: Path,
    has_budget: bool,
    needs_keys: bool = True,
    isolation: Isolation | None = None,
) -> tuple[Missing, ...]:
    """Keys, prices under a budget, isolation, solutions and judges of tasks that are missing.

    Raises:
        SpecError: an invalid model.
    """
    return (
        *_missing_isolation(tasks, isolation),
        *_missing_solutions(tasks, agents),
        *_missing_deciders(tasks),
        *_missing_for_models(
            models, environ, dotenv, home, has_budget=has_budget, needs_keys=needs_keys
        ),
    )


def refuse_missing(missing: Sequence[Missing]) -> None:
    """Raise one error for all that is missing.

    Raises:
        PrerequisiteError: something is.
    """
    if len(missing) == 1:
        raise PrerequisiteError(missing[0].message, hint=missing[0].hint)
    if missing:
        lines = "".join(f"\n- {it}" for it in missing)
        raise PrerequisiteError(f"{len(missing)} parts are missing:{lines}")


def _missing_isolation(
    tasks: Sequence[TaskFolder], wanted: Isolation | None
) -> tuple[Missing, ...]:
    """The reasons why tasks can't be run, each once."""
    found: list[Missing] = []
    for task in tasks:
        try:
            agent_isolation(task.task, wanted)
        except PrerequisiteError as exc:
            found.append(Missing.of(exc))
    return tuple(dict.fromkeys(found))


def _missing_solutions(tasks: Sequence[TaskFolder], agents: Sequence[Agent]) -> Iterator[Missing]:
    names = {agent.stand_in for agent in agents}
    for task in tasks:
        if "oracle" in names and not has_solution(task):
            yield Missing(f"oracle: task {task.task.id} has no reference solution.", "")
        if "cheat" in names and not task.cheats:
            yield Missing(f"cheat: task {task.task.id} has no cheats.", "")


def _missing_deciders(tasks: Sequence[TaskFolder]) -> Iterator[Missing]:
    """Required criteria that no trial can decide, since a judge or a person does."""
    for task in tasks:
        for one in task.task.criteria:
            if one.required and isinstance(one, (LlmRubric, HumanReview)):
                by = "a judge" if isinstance(one, LlmRubric) else "a person"
                yield Missing(
                    f"task {task.task.id}: the required criterion {one.id} is decided by {by}, so "
                    "no trial would have a verdict.",
                    "Make it optional, and require a criterion that runs or reads files.",
                )


def _missing_for_models(
    models: Sequence[str],
    environ: Mapping[str, str],
    dotenv: Path | None,
    home: Path,
    *,
    has_budget: bool,
    needs_keys: bool,
) -> Iterator[Missing]:
    for model in models:
        try:
            forwarding = Forwarding(
                [model], environ=environ, dotenv=dotenv, home=home, needs_keys=needs_keys
            )
            if has_budget:
                forwarding.prepare()
                check_priced([forwarding.route(model)])
        except SpecError:
            raise
        except PrerequisiteError as exc:
            yield Missing.of(exc)
