"""The tasks and agents of a plan, found again where they were."""

from pathlib import Path

from benchmaker.arenas.agentic.running.agents import Agent, agent_of
from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan, PlannedTask
from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_ids, shipped_task
from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import is_there
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.spec.tasks.task_file import load_task


def tasks_of(plan: AgentSeriesPlan) -> dict[str, TaskFolder]:
    """The tasks of a plan by id.

    Raises:
        SpecError: a task is not there any more, or has changed since it was planned.
    """
    return {task.id: _task(task) for task in plan.tasks}


def agents_of(plan: AgentSeriesPlan) -> dict[str, Agent]:
    """The agents of a plan by system.

    Raises:
        SpecError: an agent is not there any more.
    """
    return {it.id: agent_of(it.agent, it.place) for it in plan.systems}


def _task(planned: PlannedTask) -> TaskFolder:
    found = _find(planned)
    if found.digest != planned.hash:
        raise SpecError(
            f"task {planned.id} has changed since the series was planned.",
            where=str(found.folder),
            hint="Restore its files, or start another series.",
        )
    return found


def _find(planned: PlannedTask) -> TaskFolder:
    if is_there(planned.folder):
        return load_task(Path(planned.folder))
    if planned.id in shipped_ids():
        return shipped_task(planned.id)
    raise SpecError(
        f"the folder of task {planned.id} is not there any more.",
        where=planned.folder,
        hint="Restore it, or start another series.",
    )
