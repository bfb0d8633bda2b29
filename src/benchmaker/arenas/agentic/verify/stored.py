"""Tasks on their way into the store."""

from typing import Any

from benchmaker.arenas.agentic.verify.stored_tasks import stored_form
from benchmaker.spec.tasks.task import Task, TaskFolder
from benchmaker.store.agentic.tasks import StoredTask


def body_of(task: Task) -> dict[str, Any]:
    """A task as plain data, in the form of its file."""
    return task.model_dump(mode="json", by_alias=True)


def stored_task(task: TaskFolder) -> StoredTask:
    """The task as the store keeps it; its files stay where they are."""
    return stored_form(task)
