"""The missing parts of a series, found before anything is paid for."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmaker.arenas.agentic.gateway.gateway import check_priced
from benchmaker.arenas.agentic.running.agents import COMMAND, Agent
from benchmaker.arenas.agentic.running.programs import installed_version, program_of
from benchmaker.arenas.agentic.running.task_isolation import agent_isolation
from benchmaker.arenas.agentic.series.container_readiness import runs_in_container
from benchmaker.arenas.agentic.verify.rubric_judges import WantedJury, check_judges, has_rubrics
from benchmaker.arenas.agentic.verify.solution import has_solution
from benchmaker.errors import BenchmakerError, PrerequisiteError, SpecError
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import Endpoint, resolve_model, unread_base_url
from benchmaker.providers.forwarding import Forwarding
from benchmaker.record.counts import count
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.criterion import HumanReview, LlmRubric
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store

_INTERPRETERS = frozenset({"sh", "bash", "python", "python3"})


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
            if agent.harbor is not None:
                version = agent.harbor.title
            elif agent.adapter is not None:
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
    judges: WantedJury = WantedJury(),  # noqa: B008  frozen
) -> tuple[Missing, ...]:
    """Keys, prices under a budget, protocols, isolation, solutions and judges that are missing.

    Raises:
        SpecError: an invalid model.
    """
    return (
        *_missing_isolation(tasks, isolation),
        *_missing_solutions(tasks, agents),
        *_missing_scripts(tasks, agents, isolation),
        *_missing_deciders(tasks, judges),
        *_missing_judges(tasks, judges, has_budget=has_budget),
        *_missing_wires(agents, models, environ, home),
        *_missing_for_models(
            models, environ, dotenv, home, has_budget=has_budget, needs_keys=needs_keys
        ),
    )


def missing_bounds(store: Store, series: str) -> tuple[Missing, ...]:
    """Earlier requests of a series that may have cost any amount, so that no budget can be kept."""
    rows = store.agent_trials.series_requests(series)
    number = sum(not it.refused and (it.cost_usd, it.most_usd) == (None, None) for it in rows)
    judged = [it.judge_unknowns for it in store.agent_trials.trials(series)]
    number += sum(it.requests for it in judged if it.most_usd is None)
    if not number:
        return ()
    verb = "has" if number == 1 else "have"
    return (
        Missing(
            f"{count(number, 'earlier request')} of the series {verb} neither a known cost nor a "
            "known maximum, so a budget can't be enforced.",
            "Resume without --budget, or start another series.",
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


def _missing_scripts(
    tasks: Sequence[TaskFolder], agents: Sequence[Agent], wanted: Isolation | None
) -> Iterator[Missing]:
    """Scripts of commands that are in no folder; an image of a container may have them."""
    for agent in agents:
        words = agent.adapter.argv if agent.adapter and agent.name.startswith(COMMAND) else ()
        if len(words) < 2 or words[0] not in _INTERPRETERS or words[1].startswith(("-", "/", "{")):  # noqa: PLR2004
            continue
        script, folder = words[1], agent.folder or Path.cwd()
        for task in tasks:
            is_there = (task.start / script).exists() or (folder / script).exists()
            if not is_there and not runs_in_container(task, wanted):
                yield Missing(
                    f"{agent.name}: there is no file {(folder / script).absolute()}, and no "
                    f"{script} in the start folder of task {task.task.id}.",
                    "Correct the path.",
                )


def _missing_deciders(tasks: Sequence[TaskFolder], judges: WantedJury) -> Iterator[Missing]:
    """Required criteria that no trial can decide, since a person or a missing judge does."""
    for task in tasks:
        for one in task.task.criteria:
            is_judged = isinstance(one, LlmRubric)
            if one.required and isinstance(one, (LlmRubric, HumanReview)):
                if is_judged and judges.is_named:
                    continue
                by = "a judge" if is_judged else "a person"
                name = "Name a judge with --judge MODEL. Or make" if is_judged else "Make"
                yield Missing(
                    f"task {task.task.id}: the required criterion {one.id} is decided by {by}, so "
                    "no trial would have a verdict.",
                    f"{name} it optional, and require a criterion that runs or reads files.",
                )


def _missing_judges(
    tasks: Sequence[TaskFolder], judges: WantedJury, *, has_budget: bool
) -> tuple[Missing, ...]:
    """Keys of judges, and their prices under a budget."""
    if not judges.is_named:
        return ()
    judged = [it.task for it in tasks if has_rubrics(it.task)]
    if not judged:
        return (Missing("no criterion of the tasks uses a judge.", "Remove --judge."),)
    found: list[Missing] = []
    for task in judged:
        try:
            check_judges(judges, task, has_budget=has_budget)
        except PrerequisiteError as exc:
            found.append(Missing.of(exc))
    return tuple(dict.fromkeys(found))


def _missing_wires(
    agents: Sequence[Agent], models: Sequence[str], environ: Mapping[str, str], home: Path
) -> Iterator[Missing]:
    """Agents whose protocol an endpoint does not have, as far as it is known."""
    for agent, wire, endpoint in _wires(agents, models, environ, home):
        possible = (*endpoint.wires, *endpoint.unsure_wires)
        if endpoint.wires and wire not in possible:
            known = ", ".join(endpoint.wires)
            yield Missing(
                f"{agent.name} uses the protocol {wire}, which {endpoint.name} does not have.",
                f"Use an agent with another protocol ({known}), or another endpoint.",
            )


def unknown_wires(
    agents: Sequence[Agent], models: Sequence[str], environ: Mapping[str, str], home: Path
) -> tuple[str, ...]:
    """Sentences on agents of which it is unknown whether an endpoint has their protocol."""
    found = (
        f"It is unknown whether {endpoint.name} has the protocol {wire}, which {agent.name} uses."
        for agent, wire, endpoint in _wires(agents, models, environ, home)
        if not endpoint.wires or wire in endpoint.unsure_wires
    )
    return tuple(dict.fromkeys(found))


def unread_variables(
    models: Sequence[str], environ: Mapping[str, str], home: Path
) -> tuple[str, ...]:
    """Hints on base URLs of the models' endpoints that are set by names which are not read."""
    endpoints = endpoints_of(home)
    found = (resolve_model(model, endpoints, environ)[0] for model in models)
    return tuple(dict.fromkeys(filter(None, (unread_base_url(it, environ) for it in found))))


def _wires(
    agents: Sequence[Agent], models: Sequence[str], environ: Mapping[str, str], home: Path
) -> Iterator[tuple[Agent, str, Endpoint]]:
    """The agents with a protocol, at each endpoint of the models."""
    endpoints = endpoints_of(home)
    for model in models:
        endpoint, _ = resolve_model(model, endpoints, environ)
        for agent in agents:
            if agent.adapter and agent.adapter.wire:
                yield agent, agent.adapter.wire, endpoint


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
