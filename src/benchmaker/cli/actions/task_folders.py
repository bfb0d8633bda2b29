"""Bundled tasks: listed, and copied for use."""

from typing import Any

from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.errors import SpecError

_FIELDS = ("id", "version", "category", "difficulty", "where", "title")
_GIVES_WAY = (1, 3, 2)


def list_tasks(context: Context) -> None:
    """Print the tasks that ship and those that are stored."""
    rows = sorted(
        [*_shipped_rows(), *_stored_rows(context)], key=lambda row: (row["id"], row["where"])
    )
    if context.use_json:
        say_json({"tasks": rows})
        return
    from benchmaker.cli.output.table import format_table

    cells = [[row[name] or "-" for name in _FIELDS] for row in rows]
    for line in format_table(_FIELDS, cells, gives_way=_GIVES_WAY):
        say(line)


def copy_shipped(
    context: Context, task_id: str | None, folder: str | None, *, only_start: bool
) -> None:
    """Copy a bundled task, with ``only_start`` only its initial files, and print its prompt."""
    from benchmaker.arenas.agentic.verify.shipped_tasks import copy_task

    if task_id is None or folder is None:
        hint = "Example: benchmaker task copy river-gauges work --start"
        raise SpecError("task or folder missing.", hint=hint)
    task = copy_task(task_id, folder, only_start=only_start)
    if context.use_json:
        prompt = task.task.prompt
        say_json({"task": task_id, "version": task.version, "folder": folder, "prompt": prompt})
        return
    if only_start:
        say(task.task.prompt.rstrip())
        tell(f"{folder} contains the starting files. Give the tool the prompt above.")
        return
    say(f"{task_id} {task.version}: copied to {folder}")
    tell(f"Next: {context.line('task', 'check', folder)}")


def _shipped_rows() -> list[dict[str, Any]]:
    from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_tasks

    return [
        {
            "id": it.task.id,
            "version": it.version,
            "category": it.task.category,
            "difficulty": it.task.difficulty,
            "title": it.task.title,
            "where": "shipped",
        }
        for it in shipped_tasks()
    ]


def _stored_rows(context: Context) -> list[dict[str, Any]]:
    from benchmaker.cli.database import existing_store

    store = existing_store(context)
    if store is None:
        return []
    with store:
        found = store.agentic.tasks()
    return [
        {
            "id": it.id,
            "version": it.digest[:12],
            "category": it.category,
            "difficulty": it.difficulty,
            "title": it.body.get("title", ""),
            "where": "stored",
        }
        for it in found
    ]
