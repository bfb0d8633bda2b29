"""The isolation of agents at a task."""

from benchmaker.arenas.agentic.verify.solution import require_for, with_reasons
from benchmaker.errors import PrerequisiteError
from benchmaker.sandbox import Isolation
from benchmaker.spec.tasks.task import Task


def agent_isolation(task: Task, wanted: Isolation | None = None) -> Isolation:
    """Return the isolation of agents at a task: a namespace where the task allows it.

    Raises:
        PrerequisiteError: this machine lacks it; or the wanted one is not possible, with the lines
            of the task that need a container.
    """
    needs_container = Isolation(task.isolation) is Isolation.CONTAINER
    if wanted is Isolation.NAMESPACE and needs_container:
        message = f"nothing was run: task {task.id} needs isolation by container, not namespace."
        raise with_reasons(PrerequisiteError(message), task)
    if wanted is Isolation.CONTAINER and not (task.agent_image or task.image):
        raise PrerequisiteError(
            f"nothing was run: task {task.id} has no image for a container.",
            hint="Add one to the task, such as: image: docker.io/library/python:3.12",
        )
    is_container = needs_container or wanted is Isolation.CONTAINER
    return require_for(task, Isolation.CONTAINER if is_container else Isolation.NAMESPACE)
