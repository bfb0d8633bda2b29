"""The tasks that ship with the package."""

import shutil
from importlib.resources import files
from pathlib import Path

from benchmaker.errors import SpecError
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.tasks.task import TaskFolder
from benchmaker.spec.tasks.task_file import TASK_FILE, load_task


def shipped_ids() -> tuple[str, ...]:
    """The ids of the tasks that ship, in order."""
    return tuple(sorted(one.parent.name for one in _folder().glob(f"*/{TASK_FILE}")))


def shipped_tasks() -> tuple[TaskFolder, ...]:
    """The tasks that ship, in the order of their ids."""
    return tuple(map(shipped_task, shipped_ids()))


def shipped_task(task_id: str) -> TaskFolder:
    """A task that ships, by its id.

    Raises:
        SpecError: none has that id.
    """
    ids = shipped_ids()
    if task_id not in ids:
        hint = did_you_mean(task_id, ids) or f"Built-in tasks: {', '.join(ids)}."
        raise SpecError(f"no built-in task {task_id!r}.", hint=hint)
    return load_task(_folder() / task_id)


def copy_task(task_id: str, folder: str | Path, *, only_start: bool = False) -> TaskFolder:
    """Copy a bundled task into a new folder.

    With ``only_start`` it is the tool's initial state: the files of ``start``, without tests,
    hidden criteria and solutions.

    Raises:
        SpecError: no bundled task has that id, or the folder is not empty.
    """
    task, target = shipped_task(task_id), Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        hint = "Choose a new or empty folder."
        raise SpecError("the folder is not empty.", where=str(target), hint=hint)
    source = task.start if only_start else task.folder
    compiled = shutil.ignore_patterns("__pycache__")
    try:
        shutil.copytree(source, target, ignore=compiled, dirs_exist_ok=True)
    except OSError as exc:
        what = f"the task can't be copied: {exc.strerror or exc}."
        raise SpecError(what, where=str(target), hint="Choose a writable folder.") from exc
    return task


def _folder() -> Path:
    return Path(str(files("benchmaker").joinpath("resources", "tasks")))
