"""The page of the tasks that ship, from their files."""

from collections.abc import Iterator

from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_tasks
from benchmaker.spec.tasks.criterion import Criterion, TestsPass
from benchmaker.spec.tasks.task import Task, TaskFolder

HEAD = """\
# Tasks that ship

Six tasks are bundled: one for each category, and an advanced one. They require only Python 3.11,
and are original work.

```console
$ benchmaker task list
id              …
bookmark-shelf  …
…
$ benchmaker task copy river-gauges work --start
`data/readings.csv` holds …
…
```

The last command writes the starting files to `work` and prints the prompt. When the tool is done,
`benchmaker submit SESSION --task river-gauges --workspace work` grades the workspace.
`benchmaker task copy TASK FOLDER` copies a task with its tests, solution and cheats, for reading or
editing. The tests start the submitted program in a separate process and never import it;
[verification](../explanation/verification.md) explains how the verdict is protected from it.

| Task | Category | Difficulty | Goal |
|---|---|---|---|
"""


def page() -> str:
    """The page's Markdown."""
    found = shipped_tasks()
    return "".join([HEAD, *map(_row, found), *map(_section, found)])


def prompts() -> list[str]:
    """The prompts as the page quotes them."""
    return [_asked(folder.task) for folder in shipped_tasks()]


def _row(folder: TaskFolder) -> str:
    task = folder.task
    link = f"[`{task.id}`](#{task.id})"
    return f"| {link} | `{task.category}` | {task.difficulty} | {task.title} |\n"


def _section(folder: TaskFolder) -> str:
    task = folder.task
    cheats = ", ".join(f"`{one.name}`" for one in folder.cheats)
    return (
        f"\n## `{task.id}`\n\n{_asked(task)}\n\n"
        f"Graded: {', '.join(f'`{one}`' for one in task.outputs)}. Cheats: {cheats}.\n\n"
        "| Criterion | Type | Weight | |\n|---|---|---|---|\n"
        f"{''.join(map(_criterion, task.criteria))}"
    )


def _asked(task: Task) -> str:
    """The first paragraph of the prompt, which says what is wanted."""
    first = " ".join(task.prompt.split("\n\n")[0].split())
    return f"{first.removesuffix(':')}." if first.endswith(":") else first


def _criterion(one: Criterion) -> str:
    kind = str(getattr(one, "type"))  # noqa: B009  every kind has it, their base not
    return f"| `{one.id}` | `{kind}` | {one.weight:g} | {', '.join(_notes(one))} |\n"


def _notes(one: Criterion) -> Iterator[str]:
    if isinstance(one, TestsPass):
        yield f"{len(one.tests)} tests"
    if one.required:
        yield "required"
    if one.visibility == "hidden":
        yield "hidden"
