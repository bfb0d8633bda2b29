"""Tasks made out of commits and sessions, and written for Harbor."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json, say_wrapped, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.tasks.from_commit import CommitOptions, MadeTask


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingOptions:
    """The options of the command that makes a task."""

    form: str
    out: Path | None
    instruction: Path | None
    run: str | None
    repository: Path | None


def export_task(
    context: Context, folder: str | None, out: str | None, options: MakingOptions
) -> None:
    """Write a task as a folder of Harbor, and print what its reward leaves out."""
    from benchmaker.arenas.agentic.tasks.harbor_export import export_to_harbor
    from benchmaker.arenas.agentic.verify.stored_tasks import find_folder

    if folder is None or out is None:
        hint = "Example: benchmaker task export river-gauges harbor/river-gauges"
        raise SpecError("task or folder missing.", hint=hint)
    task = find_folder(folder)
    if task is None:
        hint = "List tasks with: benchmaker task list"
        raise SpecError(f"no task folder and no bundled task {folder!r}.", hint=hint)
    writers = {"harbor": export_to_harbor}
    made = writers[options.form](task, Path(out))
    if context.use_json:
        facts = {"task": task.task.id, "version": task.version, "folder": out}
        say_json({**facts, "left_out": list(made.left_out)})
        return
    say(f"{task.task.id} {task.version}: exported to {out}")
    if made.left_out:
        say_wrapped(f"The reward leaves out: {', '.join(made.left_out)}")


def make_from_commit(
    context: Context, repository: str | None, commit: str | None, options: MakingOptions
) -> None:
    """Make a task out of a commit, and print its trials."""
    from benchmaker.arenas.agentic.tasks.from_commit import task_from_commit

    if repository is None or commit is None:
        hint = "Example: benchmaker task from-commit . HEAD --out fix-parser"
        raise SpecError("repository or commit missing.", hint=hint)
    _say_made(context, task_from_commit(repository, commit, options.out, _commit_options(options)))


def make_from_session(
    context: Context, what: str | None, _: str | None, options: MakingOptions
) -> None:
    """Make a task out of the last commit of a session, and print its trials."""
    from benchmaker.arenas.agentic.tasks.from_session import task_from_session

    if what is None:
        hint = "Example: benchmaker task from-session session.jsonl"
        raise SpecError("log or submission missing.", hint=hint)
    made = task_from_session(
        what,
        options.out,
        _commit_options(options),
        repository=options.repository,
        home=context.home,
        store=context.store_url,
    )
    _say_made(context, made)


def _commit_options(options: MakingOptions) -> "CommitOptions":
    from benchmaker.arenas.agentic.tasks.from_commit import CommitOptions
    from benchmaker.spec.documents.files import read_text
    from benchmaker.spec.documents.limits import Limits

    limits = Limits()
    file = options.instruction
    text = read_text(file, limits=limits, cap=limits.document_bytes) if file else None
    return CommitOptions(instruction=text, run=options.run)


def _say_made(context: Context, made: "MadeTask") -> None:
    task = made.task
    if context.use_json:
        say_json(
            {
                "task": task.task.id,
                "version": task.version,
                "folder": str(task.folder),
                "commit": made.commit,
                "left_out": list(made.left_out),
                "trials": [
                    {"name": trial.name, "wanted": trial.wanted, "found": trial.found}
                    for trial in made.checked.trials
                ],
            }
        )
        return
    say(f"{task.task.id} {task.version}: made in {task.folder}")
    for trial in made.checked.trials:
        say_wrapped(f"  {trial.name}: {trial.found} ({trial.why.partition(': ')[0]})")
    if made.left_out:
        say_wrapped(f"  Links and submodules are not in its start: {', '.join(made.left_out)}")
    tell(f"Read its prompt, and edit it: {task.folder / 'task.yaml'}")


MAKING: Final[dict[str, Callable[[Context, str | None, str | None, MakingOptions], None]]] = {
    "export": export_task,
    "from-commit": make_from_commit,
    "from-session": make_from_session,
}
"""Each action that makes a folder of a task."""
