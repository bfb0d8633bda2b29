"""Tasks in the store: taken in from their folders, and found again by id."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_ids, shipped_task
from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import is_there
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.spec.tasks.task import TaskFolder, TaskWeights
from benchmaker.spec.tasks.task_file import load_task
from benchmaker.store import Store
from benchmaker.store.agentic.tasks import StoredTask

TEST_FILES = "test_files"
"""The test files with their paths in a workspace, stored beside the fields of a task's file."""

_READ_ONLY = frozenset({"llm_rubric", "human_review", "output_match"})


def stored_form(folder: TaskFolder) -> StoredTask:
    """A task as the store keeps it."""
    task = folder.task
    tests = sorted(
        one.relative_to(folder.tests).as_posix()
        for one in folder.tests.rglob("*")
        if one.is_file() and one.name != "__init__.py"
    )
    body = {**task.to_document(), TEST_FILES: tests}
    return StoredTask(task.id, folder.digest, body, task.category, task.difficulty)


def find_folder(text: str) -> TaskFolder | None:
    """Return the task in that folder or file, or the bundled one with that id; None if unknown."""
    if is_there(text):
        return load_task(Path(text))
    return shipped_task(text) if text in shipped_ids() else None


def named_task(store: Store, text: str) -> tuple[str, TaskFolder | None]:
    """Return the id of the named task, and its folder if available, which is stored.

    Raises:
        SpecError: no folder, no bundled or stored task, and no submission with that id.
    """
    rooms = store.agentic
    folder = find_folder(text)
    if folder is not None:
        rooms.put_task(stored_form(folder))
        return folder.task.id, folder
    known = {one.id for one in rooms.tasks()} | set(rooms.metric_tasks())
    if text not in known:
        near = did_you_mean(text, known) or "Give a stored task, or the folder with task.yaml."
        hint = f"{near} List tasks with: benchmaker task list"
        raise SpecError(f"there is no task {text!r}.", hint=hint)
    return text, None


@dataclass(slots=True)
class Tasks:
    """The tasks of a store, each read once."""

    store: Store
    _found: dict[str, StoredTask | None] = field(default_factory=dict)

    def find(self, task_id: str) -> StoredTask | None:
        """The newest task of that id."""
        if task_id not in self._found:
            self._found[task_id] = self.store.agentic.task(task_id)
        return self._found[task_id]

    def read(self, task_ids: Iterable[str]) -> None:
        """Read these tasks together."""
        wanted = set(task_ids) - self._found.keys()
        if wanted:
            found = self.store.agentic.tasks_of(sorted(wanted))
            self._found |= {name: found.get(name) for name in wanted}

    def weights(self) -> dict[str, TaskWeights]:
        """The weights of the tasks that have their own, or name a profile that has them."""
        own = {one.id: own_weights(one.body) for one in self.store.agentic.tasks()}
        return {name: weights for name, weights in own.items() if weights is not None}


def own_weights(body: dict[str, Any]) -> TaskWeights | None:
    """The weights that a stored task brings along."""
    if body.get("weights"):
        return TaskWeights.model_validate(body["weights"])
    named = BUILT_IN.get(body.get("profile") or "")
    return named.weights if named else None


def wants_files(body: dict[str, Any]) -> bool:
    """True if a stored task cannot be solved without output files."""
    criteria: Iterable[dict[str, Any]] = body.get("criteria", ())
    return any(
        one["type"] not in _READ_ONLY and one.get("required", False) for one in criteria
    ) or any(one["type"] == "file_exists" for one in criteria)
