"""Series of agent trials from Python: plan, run, resume, and look at results."""

import asyncio
import os
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import SystemRandom
from typing import Any, TypeVar

from benchmaker.arenas.agentic.evaluation.evaluate import profile_of
from benchmaker.arenas.agentic.running.agents import Agent, find_agent
from benchmaker.arenas.agentic.running.task_isolation import wanted_isolation
from benchmaker.arenas.agentic.series.attempt import SeriesLimits
from benchmaker.arenas.agentic.series.container_readiness import (
    prepare_containers,
    runs_in_container,
)
from benchmaker.arenas.agentic.series.members import agents_of, tasks_of
from benchmaker.arenas.agentic.series.plan import (
    AgentSeriesPlan,
    PlannedCaps,
    planned_systems,
    planned_tasks,
)
from benchmaker.arenas.agentic.series.readiness import (
    Missing,
    agent_versions,
    missing_bounds,
    missing_parts,
    refuse_missing,
    unknown_wires,
    unread_variables,
)
from benchmaker.arenas.agentic.series.series_judges import wanted_jury
from benchmaker.arenas.agentic.series.series_results import (
    AgentSeriesResult,
    series_result,
)
from benchmaker.arenas.agentic.series.series_run import (
    OnSeriesProgress,
    SeriesEnd,
    SeriesSetting,
    run_series,
)
from benchmaker.arenas.agentic.verify.stored_tasks import find_folder, named_task, stored_form
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import AgentSeries
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.agentic_profile import OPENING
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.store import Store
from benchmaker.store.home import Home

T = TypeVar("T")

_PREFIX = "agents-"
LATEST = "latest"


@dataclass(frozen=True, slots=True)
class SeriesProposal:
    """A plan before it is run, what is missing for it, and what is unknown, in sentences.

    ``hints`` are on variables that are set, but not read.
    """

    plan: AgentSeriesPlan
    missing: tuple[Missing, ...]
    tasks: tuple[TaskFolder, ...]
    unknown: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def isolation(self) -> dict[str, str]:
        """The isolation of the agents by task; agents without a program need none."""
        return {
            it.task.id: "container" if runs_in_container(it, self.plan.isolation) else "namespace"
            for it in self.tasks
        }


def run_agents(
    tasks: Sequence[str | Path] | str | Path,
    agents: Sequence[str] | str,
    *,
    models: Sequence[str] | str = (),
    efforts: Sequence[str] | str = (),
    attempts: int = 1,
    budget: float | None = None,
    trial_budget: float | None = None,
    caps: PlannedCaps | None = None,
    jobs: int = 1,
    executor: str = "local",
    isolation: str | None = None,
    judges: Sequence[str] | str = (),
    profile: str = OPENING,
    home: str | Path | None = None,
    store: str | None = None,
    environ: Mapping[str, str] | None = None,
    dotenv: str | Path | None = None,
    limits: SeriesLimits | None = None,
    record: str | Path | None = None,
    replay: str | Path | None = None,
    on_progress: OnSeriesProgress | None = None,
    stop: asyncio.Event | None = None,
) -> AgentSeriesResult:
    """Run agents on tasks, verify and evaluate the results, and return their figures.

    Every agent × model × effort tries every task ``attempts`` times, in the sandbox, with a
    metering gateway to the model as its only network. Each trial is stored as a submission. An
    interrupted series is continued by :func:`resume_agents`.

    Args:
        tasks: task folders, or ids of bundled or stored tasks.
        agents: bundled agents by name, adapter files, ``command:LINE``, ``harbor:NAME``,
            ``oracle``, ``nop``, ``cheat``.
        models: models as ``endpoint/model``.
        efforts: reasoning efforts, as the agents name them.
        attempts: attempts of each system at each task.
        budget: maximum cost of the series in dollars.
        trial_budget: maximum cost of each trial in dollars, over all its tries.
        caps: further caps of each trial: requests, tokens, context, seconds.
        jobs: number of parallel trials.
        executor: ``local`` (this process), ``ray``, or the address of a Ray cluster on this
            machine.
        isolation: ``namespace`` or ``container``; by default a namespace where the task allows it,
            else a container. Agents of harbor need a container, and so do all beside them.
        judges: the models that judge by rubrics. Their cost counts under ``budget``, and never as
            that of a system.
        profile: the profile of the evaluations.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.
        environ: the variables: keys, base URLs, PATH; default ``os.environ``.
        dotenv: a file of further variables.
        limits: further tries, pauses, stop rules, kept workspaces.
        record: a folder that the replies of models are recorded to.
        replay: a folder of recorded replies, which are given in place of a model's; no key is
            needed, and no request leaves this machine.
        on_progress: called with each snapshot.
        stop: set it to end the series early.

    Raises:
        SpecError: unknown tasks, agents, models or efforts.
        PrerequisiteError: a program, a key, the isolation, or a price under a budget is missing.
        StoreError: the store is unusable.
    """
    setting = setting_of(home, store, environ, dotenv, limits, record=record, replay=replay)
    made = propose(
        setting,
        tasks=tasks,
        agents=agents,
        models=models,
        efforts=efforts,
        attempts=attempts,
        budget=budget,
        trial_budget=trial_budget,
        caps=caps,
        jobs=jobs,
        executor=executor,
        isolation=isolation,
        judges=judges,
        profile=profile,
    )
    refuse_missing(made.missing)
    _prepare(made.plan, made.tasks, setting)
    with setting.place.open_store() as opened:
        series = add_series(opened, made)
        return _run(opened, series.id, setting, on_progress, stop)


def resume_agents(
    series: str = LATEST,
    *,
    jobs: int | None = None,
    budget: float | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    environ: Mapping[str, str] | None = None,
    dotenv: str | Path | None = None,
    limits: SeriesLimits | None = None,
    record: str | Path | None = None,
    replay: str | Path | None = None,
    on_progress: OnSeriesProgress | None = None,
    stop: asyncio.Event | None = None,
) -> AgentSeriesResult:
    """Run the trials of a series that are not finished, and return all its figures.

    A killed trial is the next try of the same attempt, under what is left of its caps. The cost of
    earlier trials counts under its budget.

    Args:
        series: its id, the start of it, or ``latest``.
        jobs: another number of parallel trials.
        budget: another maximum cost of the series in dollars, earlier trials included.
        home: as in :func:`run_agents`.
        store: likewise.
        environ: likewise.
        dotenv: likewise.
        limits: likewise.
        record: likewise.
        replay: likewise; a replayed series is always replayed, by default from the same folder.
        on_progress: likewise.
        stop: likewise.

    Raises:
        SpecError: unknown series; a task or an agent has changed or is missing.
        Conflict: another process runs the series.
        PrerequisiteError, StoreError: as in :func:`run_agents`.
    """
    setting = setting_of(home, store, environ, dotenv, limits, record=record, replay=replay)
    with setting.place.open_store() as opened:
        found = find_series(opened, series)
        plan = AgentSeriesPlan.of(found)
        setting = _as_planned(setting, plan)
        changed = replace_plan(plan, jobs=jobs, budget_usd=budget)
        missing = _run_blocking(_missing_now(changed, setting))
        has_budget = changed.budget_usd is not None
        refuse_missing((*missing, *(missing_bounds(opened, found.id) if has_budget else ())))
        if changed != plan:
            opened.agent_trials.change_plan(found.id, changed.to_dict())
        _prepare(changed, tuple(tasks_of(changed).values()), setting)
        return _run(opened, found.id, setting, on_progress, stop)


def agent_series(
    series: str = LATEST, *, home: str | Path | None = None, store: str | None = None
) -> AgentSeriesResult:
    """Return the results of a stored series so far.

    Args:
        series: its id, the start of it, or ``latest``.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.

    Raises:
        SpecError: unknown series.
    """
    with Home.of(home, store).open_store() as opened:
        return series_result(opened, find_series(opened, series))


def setting_of(
    home: str | Path | None,
    store: str | None,
    environ: Mapping[str, str] | None,
    dotenv: str | Path | None,
    limits: SeriesLimits | None,
    *,
    record: str | Path | None = None,
    replay: str | Path | None = None,
) -> SeriesSetting:
    """The surroundings out of the arguments of a call.

    Raises:
        SpecError: both a recording and a replay.
    """
    if record is not None and replay is not None:
        raise _both_ways()
    given = os.environ if environ is None else environ
    return SeriesSetting(
        place=Home.of(home, store),
        environ=dict(given),
        dotenv=None if dotenv is None else Path(dotenv),
        search_path=given.get("PATH") or os.defpath,
        limits=limits or SeriesLimits(),
        record=None if record is None else Path(record),
        replay=None if replay is None else Path(replay),
    )


def _as_planned(setting: SeriesSetting, plan: AgentSeriesPlan) -> SeriesSetting:
    """The surroundings with the replay of a plan, unless they have one.

    Raises:
        SpecError: a recording of a replay.
    """
    if setting.replay is not None or not plan.replay:
        return setting
    if setting.record is not None:
        raise _both_ways()
    return replace(setting, replay=Path(plan.replay))


def _both_ways() -> SpecError:
    return SpecError("a series can't be recorded and replayed at once.", hint="Choose one.")


def propose(
    setting: SeriesSetting,
    *,
    tasks: Sequence[str | Path] | str | Path,
    agents: Sequence[str] | str,
    models: Sequence[str] | str = (),
    efforts: Sequence[str] | str = (),
    attempts: int = 1,
    budget: float | None = None,
    trial_budget: float | None = None,
    caps: PlannedCaps | None = None,
    jobs: int = 1,
    executor: str = "local",
    isolation: str | None = None,
    judges: Sequence[str] | str = (),
    profile: str = OPENING,
) -> SeriesProposal:
    """Return the plan for these arguments, with what is missing; nothing is run or paid for."""
    _refuse_numbers(attempts, jobs, budget, trial_budget)
    _refuse_remote_judges(judges, executor)
    profile_of(setting.place, profile)
    folders = tuple(_folder(setting.place, str(it)) for it in _several(tasks))
    chosen = [find_agent(str(it)) for it in _several(agents)]
    names = [str(it) for it in _several(models)]
    wanted = wanted_isolation(chosen, _isolation(isolation))
    is_needed = any(not runs_in_container(it, wanted) for it in folders)
    versions, missing = _run_blocking(
        agent_versions(chosen, setting.search_path, in_namespace=is_needed)
    )
    plan = AgentSeriesPlan(
        tasks=planned_tasks(folders),
        systems=planned_systems(versions, names, [str(it) for it in _several(efforts)]),
        attempts=attempts,
        jobs=jobs,
        budget_usd=budget,
        trial_budget_usd=trial_budget,
        caps=caps or PlannedCaps(),
        executor=executor,
        network=", ".join(dict.fromkeys(host for it in folders for host in it.task.hosts)) or "off",
        isolation=wanted,
        profile=profile,
        judges=tuple(str(it) for it in _several(judges)),
        replay=str(setting.replay.absolute()) if setting.replay else "",
    )
    more = _missing(plan, folders, chosen, setting)
    unknown = unknown_wires(chosen, plan.models, setting.environ, setting.place.home)
    hints = unread_variables(plan.models, setting.environ, setting.place.home)
    return SeriesProposal(plan, (*missing, *more), folders, unknown, hints)


def add_series(store: Store, made: SeriesProposal) -> AgentSeries:
    """Store a new series with its tasks."""
    clock = SystemClock()
    series = AgentSeries(
        id=f"{_PREFIX}{new_run_id(clock, SystemRandom())}",
        plan=made.plan.to_dict(),
        created_at=clock.now_utc(),
    )
    for task in made.tasks:
        store.agentic.put_task(stored_form(task))
    store.agent_trials.add_series(series)
    return series


def find_series(store: Store, text: str) -> AgentSeries:
    """Return the series with this id, or the only one whose id starts so; ``latest`` is the newest.

    Raises:
        SpecError: there is none, or several.
    """
    every = store.agent_trials.every_series()
    if not every:
        raise SpecError(
            "there is no series of agent trials.", hint="Start one with: benchmaker agents run"
        )
    if text == LATEST:
        return every[0]
    found = [it for it in every if it.id.startswith((text, f"{_PREFIX}{text}"))]
    exact = [it for it in found if it.id == text]
    if len(exact or found) != 1:
        number = f"{len(found)} series start" if found else "no series starts"
        raise SpecError(f"{number} with {text!r}.", hint="List them with: benchmaker agents show")
    return (exact or found)[0]


def replace_plan(
    plan: AgentSeriesPlan, *, jobs: int | None, budget_usd: float | None
) -> AgentSeriesPlan:
    """The plan with another number of jobs or another budget, if given."""
    _refuse_numbers(plan.attempts, plan.jobs if jobs is None else jobs, budget_usd, None)
    data = plan.to_dict()
    data |= {} if jobs is None else {"jobs": jobs}
    data |= {} if budget_usd is None else {"budget_usd": budget_usd}
    return AgentSeriesPlan.of(AgentSeries(id="", plan=data, created_at=""))


def _run(
    store: Store,
    series_id: str,
    setting: SeriesSetting,
    on_progress: OnSeriesProgress | None,
    stop: asyncio.Event | None,
) -> AgentSeriesResult:
    if on_begin := getattr(on_progress, "on_begin", None):
        on_begin(series_id)
    end = _run_blocking(run_series(store, series_id, setting, on_progress=on_progress, stop=stop))
    return _with_end(series_result(store, store.agent_trials.series(series_id)), end)


def _with_end(result: AgentSeriesResult, end: SeriesEnd) -> AgentSeriesResult:
    return replace(
        result,
        unevaluated=end.unevaluated,
        removed_workspaces=end.removed,
    )


async def _missing_now(plan: AgentSeriesPlan, setting: SeriesSetting) -> tuple[Missing, ...]:
    agents = list({it.name: it for it in agents_of(plan).values()}.values())
    folders = tuple(tasks_of(plan).values())
    is_needed = any(not runs_in_container(it, plan.isolation) for it in folders)
    _, missing = await agent_versions(agents, setting.search_path, in_namespace=is_needed)
    return (*missing, *_missing(plan, folders, agents, setting))


def _missing(
    plan: AgentSeriesPlan,
    folders: Sequence[TaskFolder],
    agents: Sequence[Agent],
    setting: SeriesSetting,
) -> tuple[Missing, ...]:
    return missing_parts(
        folders,
        agents,
        plan.models,
        environ=setting.environ,
        dotenv=setting.dotenv,
        home=setting.place.home,
        has_budget=(plan.budget_usd, plan.trial_budget_usd) != (None, None),
        needs_keys=setting.replay is None,
        isolation=plan.isolation,
        judges=wanted_jury(plan, dict(setting.environ), setting.dotenv, setting.place.home),
    )


def _prepare(plan: AgentSeriesPlan, folders: Sequence[TaskFolder], setting: SeriesSetting) -> None:
    """Build or pull the images of a plan, and check that the agents start in them."""
    agents = list(agents_of(plan).values())
    work = prepare_containers(folders, agents, setting.search_path, plan.isolation)
    _run_blocking(work)


def _isolation(text: str | None) -> Isolation | None:
    match text:
        case None:
            return None
        case "namespace":
            return Isolation.NAMESPACE
        case "container":
            return Isolation.CONTAINER
        case _:
            raise SpecError(
                f"agents can't run in isolation {text!r}.", hint="Choose namespace or container."
            )


def _folder(place: Home, text: str) -> TaskFolder:
    found = find_folder(text)
    if found is not None:
        return found
    with place.open_store() as store:
        task_id, _ = named_task(store, text)
    raise SpecError(
        f"agents need the folder of task {task_id!r}, which was not found.",
        hint="Give the folder with task.yaml as the task.",
    )


def _several(given: Sequence[str | Path] | str | Path) -> Sequence[str | Path]:
    return [given] if isinstance(given, (str, Path)) else given


def _refuse_remote_judges(judges: Sequence[str] | str, executor: str) -> None:
    if judges and executor != "local":
        raise SpecError("an executor can't query judges.", hint="Remove --executor.")


def _refuse_numbers(
    attempts: int, jobs: int, budget: float | None, trial_budget: float | None
) -> None:
    for name, number in (("attempts", attempts), ("jobs", jobs)):
        if number < 1:
            raise SpecError(f"{name} must be at least 1, not {number}.")
    for name, usd in (("budget", budget), ("budget of a trial", trial_budget)):
        if usd is not None and not 0 <= usd < float("inf"):
            raise SpecError(f"a {name} can't be {usd}.", hint="Give dollars, 0 or more.")


def _run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, in another thread if this one has a loop, as in notebooks."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
