"""The plan of a series of agent trials: tasks × systems × attempts, in a fair order."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from benchmaker.arenas.agentic.evaluation.registered_attempts import refuse_invalid_names
from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import AgentSeries, AgentTrial, TrialKey
from benchmaker.record.counts import count
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.task import TaskFolder


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a plan."""


class PlannedTask(_Part, frozen=True, kw_only=True):
    """A task: its id, the hash of its content, and its folder."""

    id: str
    hash: str
    folder: str


class PlannedSystem(_Part, frozen=True, kw_only=True):
    """A system: an agent with a model and an effort, which are empty if it has none.

    ``model`` is ``endpoint/model``, ``version`` the agent's. ``place`` is the adapter file of an
    agent that has its own, the current folder of a command, and empty for others.
    """

    id: str
    agent: str
    model: str = ""
    effort: str = ""
    version: str = ""
    place: str = ""


class PlannedCaps(_Part, frozen=True, kw_only=True):
    """The caps of each trial; None for none. ``wall_s`` is the time limit of the agent."""

    requests: int | None = None
    tokens: int | None = None
    context_tokens: int | None = None
    wall_s: float | None = None


class AgentSeriesPlan(_Part, frozen=True, kw_only=True):
    """The plan of a series.

    ``jobs`` is the number of parallel trials. ``budget_usd`` caps the cost of the series,
    ``trial_budget_usd`` that of each trial. ``profile`` is that of the evaluations. ``isolation``
    is that of all agents; None for a namespace where the task allows it, else a container.
    ``judges`` are the models that judge by rubrics. ``replay`` is the folder of recorded replies
    that are given in place of a model's; empty for none. ``network`` has the hosts that agents may
    reach at some task besides the gateway; ``off`` for none.
    """

    tasks: tuple[PlannedTask, ...]
    systems: tuple[PlannedSystem, ...]
    attempts: int = 1
    jobs: int = 1
    budget_usd: float | None = None
    trial_budget_usd: float | None = None
    caps: PlannedCaps = PlannedCaps()
    executor: str = "local"
    network: str = "off"
    isolation: Isolation | None = None
    profile: str = "robust"
    judges: tuple[str, ...] = ()
    replay: str = ""

    def __post_init__(self) -> None:
        """Refuse plans in which two trials would be the same, and empty ones."""
        for noun, names in (
            ("task", [it.id for it in self.tasks]),
            ("system", [it.id for it in self.systems]),
        ):
            if not names:
                raise SpecError(f"a series needs a {noun}.")
            if twice := next((it for it in names if names.count(it) > 1), None):
                raise SpecError(f"two {noun}s have the same name, {twice}.", hint="Remove one.")

    @classmethod
    def of(cls, series: AgentSeries) -> "AgentSeriesPlan":
        """The plan of a stored series."""
        return msgspec.convert(series.plan, cls)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, as it is stored."""
        made: dict[str, Any] = msgspec.to_builtins(self)
        return made

    @property
    def trial_count(self) -> int:
        """The number of trials."""
        return len(self.tasks) * len(self.systems) * self.attempts

    @property
    def models(self) -> tuple[str, ...]:
        """The models of all systems, each once."""
        return tuple(dict.fromkeys(it.model for it in self.systems if it.model))

    @property
    def most_usd(self) -> float | None:
        """The most that the series may cost; None without a bound.

        The last request of a trial, or of the series, may exceed its cap.
        """
        paid = sum(bool(it.model) for it in self.systems) * len(self.tasks) * self.attempts
        if not paid:
            return 0.0
        each = None if self.trial_budget_usd is None else paid * self.trial_budget_usd
        bounds = [it for it in (each, self.budget_usd) if it is not None]
        return min(bounds, default=None)

    def sentence(self) -> str:
        """The size of the series in words."""
        parts = (
            count(len(self.tasks), "task"),
            count(len(self.systems), "system"),
            count(self.attempts, "attempt"),
        )
        return f"{count(self.trial_count, 'trial')}: {' × '.join(parts)}"

    def keys(self, series_id: str) -> Iterator[TrialKey]:
        """The first tries of all trials, in the order in which they start.

        All tasks and systems have their first attempt before any has its second, and all systems
        try a task before the next one. So in each prefix the attempts at any task by any system
        differ by one at most, and so do the attempts of any two systems.
        """
        for attempt in range(1, self.attempts + 1):
            for task in self.tasks:
                for system in self.systems:
                    yield TrialKey(series_id, task.id, system.id, attempt)


def open_keys(
    plan: AgentSeriesPlan, series_id: str, stored: Iterable[AgentTrial]
) -> Iterator[TrialKey]:
    """The next try of each trial that is not finished, in the order of the plan.

    A killed try, or one that ended without a score, is followed by the next try of the same
    attempt.
    """
    known = {trial.key._replace(attempt_try=1): trial for trial in stored}
    for key in plan.keys(series_id):
        trial = known.get(key)
        if trial is None:
            yield key
        elif not trial.is_finished:
            yield key._replace(attempt_try=trial.tries + 1)


def planned_tasks(folders: Sequence[TaskFolder]) -> tuple[PlannedTask, ...]:
    """Tasks as a plan has them."""
    return tuple(
        PlannedTask(id=it.task.id, hash=it.digest, folder=str(it.folder.absolute()))
        for it in folders
    )


def planned_systems(
    agents: Sequence[tuple[Agent, str]], models: Sequence[str], efforts: Sequence[str]
) -> tuple[PlannedSystem, ...]:
    """All agents × models × efforts; a stand-in, which queries no model, is one system.

    ``agents`` are given with their versions.

    Raises:
        SpecError: an agent needs a model, or takes no effort; or two systems have the same name.
    """
    made: dict[str, PlannedSystem] = {}
    for agent, version in agents:
        is_free = agent.stand_in is not None
        for model in ("",) if is_free else models or ("",):
            for effort in ("",) if is_free else efforts or ("",):
                system = agent.system(model, effort)
                refuse_invalid_names(system)
                if system.name in made:
                    raise SpecError(
                        f"two systems have the same name, {system.name}.",
                        hint="Use one endpoint for each model, and each agent once.",
                    )
                made[system.name] = PlannedSystem(
                    id=system.name,
                    agent=agent.name,
                    model=model,
                    effort=effort,
                    version=version,
                    place=str(agent.place) if agent.place else "",
                )
    return tuple(made.values())
