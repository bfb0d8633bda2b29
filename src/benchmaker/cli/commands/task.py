"""``benchmaker task``: write tasks, show them, test that they can be graded by, store them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.actions.made_tasks import MAKING, MakingOptions
from benchmaker.cli.actions.task_folders import copy_shipped, list_tasks
from benchmaker.cli.base_command import FILE, FOLDER
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import one_line, say, say_beside, say_json, say_wrapped, tell
from benchmaker.cli.output.table_formats import profile_option_with
from benchmaker.cli.server.audit_log import write_down, written_down
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.verify import Checked, SolutionTrial
    from benchmaker.sandbox import Isolation
    from benchmaker.store.agentic.tasks import StoredTask

_ACTIONS = (
    *("list", "copy", "new", "check", "show", "add", "answer", "schema"),
    *("export", "from-commit", "from-session"),
)
_WITH_TWO = frozenset({"copy", "answer", "export", "from-commit"})
_LEVELS = ("namespace", "container", "process")
_LONGEST_REASON = 160
_CHECK_HEADS = ("check", "solution", "verdict", "time", "reason")
_SOLUTIONS = {"{}": "empty JSON: {}"}


@declare(
    "task",
    examples=(
        "benchmaker task list",
        "benchmaker task copy river-gauges work --start",
        "benchmaker task new sum-of-numbers",
        "benchmaker task check sum-of-numbers",
        "benchmaker task show sum-of-numbers",
        "benchmaker task add sum-of-numbers",
        "benchmaker task answer claude_code-3f2a kind-words --holds --note polite",
        "benchmaker task schema > task.schema.json",
        "benchmaker task export river-gauges harbor/river-gauges",
        "benchmaker task from-commit . HEAD --out fix-parser",
        "benchmaker task from-session session.jsonl --out fix-parser",
    ),
)
@click.argument("action", type=click.Choice(_ACTIONS))
@click.argument("target", metavar="[FOLDER|TASK|SUBMISSION|LOG]", required=False)
@click.argument("into", metavar="[FOLDER|CRITERION|COMMIT]", required=False)
@click.option(
    "--isolation", type=click.Choice(_LEVELS), help="check: isolation. Default: namespace."
)
@click.option(
    "--unsafe-local", is_flag=True, help="check: run without isolation, if the task allows it."
)
@click.option("--start", is_flag=True, help="copy: only the files that a tool starts with.")
@click.option("--holds/--fails", "holds", default=None, help="answer: your verdict.")
@click.option("--note", default="", metavar="TEXT", help="answer: reason for the verdict.")
@click.option("--by", "actor", default="local", metavar="NAME", help="answer: your name.")
@profile_option_with("answer: also recalculate under this profile. Default: robust.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("harbor",)),
    default="harbor",
    help="export: the form of the folder. Default: harbor.",
)
@click.option("--out", metavar="FOLDER", type=FOLDER, help="from-…: a new or empty folder.")
@click.option(
    "--instruction", metavar="FILE", type=FILE, help="from-…: the prompt, instead of the usual one."
)
@click.option("--run", "run_tests", metavar="COMMAND", help="from-…: command that runs the tests.")
@click.option(
    "--repository", metavar="FOLDER", type=FOLDER, help="from-session: the session's repository."
)
@click.option("--hidden", is_flag=True, help="show: include hidden criteria.")
def command(
    context: Context,
    *,
    action: str,
    target: str | None,
    into: str | None,
    isolation: str | None,
    unsafe_local: bool,
    start: bool,
    holds: bool | None,
    note: str,
    actor: str,
    profile: str,
    form: str,
    out: Path | None,
    instruction: Path | None,
    run_tests: str | None,
    repository: Path | None,
    hidden: bool,
) -> int | None:
    """Write, show, test and store tasks.

    Use list for the bundled and stored tasks. Use copy TASK FOLDER to copy a bundled task and print
    its prompt; with --start, only the files that a tool starts with are copied.

    Use new to write a small working task, and check to test one. The task's reference must pass;
    the empty solution, the untouched start, {} and every cheat must fail. Otherwise, the exit code
    is 1.

    Use show to print a task from its folder, the store or the bundled ones, or all stored tasks if
    you name none. Use add to store a task, and schema to print the JSON Schema of task.yaml.

    Use export TASK FOLDER to write a task as a folder of Harbor, with a grader that needs only
    Python. Folders of Harbor are read wherever a task folder is.

    Use from-commit REPOSITORY COMMIT to make a task out of a commit with tests: its parent is the
    start, its tests are hidden, and its message is the prompt. Use from-session with a log or a
    submission to make one out of the session's last commit. A commit that gives no sound task is
    refused with the reason.

    Use answer SUBMISSION CRITERION with --holds or --fails to answer a human_review of a verified
    submission. Its task is then recalculated under --profile, and its row is printed.
    """
    if into is not None and action not in _WITH_TWO:
        raise SpecError(
            f"{action} accepts no second folder.", hint=f"benchmaker task {action} --help"
        )
    if action in MAKING:
        options = MakingOptions(
            form=form, out=out, instruction=instruction, run=run_tests, repository=repository
        )
        MAKING[action](context, target, into, options)
    elif action == "schema":
        _say_schema()
    elif action == "list":
        list_tasks(context)
    elif action == "copy":
        copy_shipped(context, target, into, only_start=start)
    elif action == "answer":
        _answer(context, target, into, holds=holds, note=note, actor=actor, profile=profile)
    elif action == "show":
        _show(context, target, hidden=hidden)
    elif target is None:
        what = "a name" if action == "new" else "the task's folder"
        raise SpecError(f"{what} is missing.", hint=f"benchmaker task {action} my-task")
    elif action == "check":
        return _check(context, Path(target), isolation, unsafe_local=unsafe_local)
    else:
        (_create if action == "new" else _add)(context, Path(target))
    return None


def _say_schema() -> None:
    from benchmaker.cli.commands.schema import task_schema_text

    say(task_schema_text().rstrip("\n"))


def _answer(
    context: Context,
    submission: str | None,
    criterion: str | None,
    *,
    holds: bool | None,
    note: str,
    actor: str,
    profile: str,
) -> None:
    from benchmaker.arenas.agentic.submissions.human_review import answer
    from benchmaker.cli.actions.evaluations import Printer
    from benchmaker.cli.database import refuse_without_store

    if submission is None or criterion is None or holds is None:
        raise SpecError(
            "an answer needs a submission, a criterion, and either --holds or --fails.",
            hint="Example: benchmaker task answer SUBMISSION CRITERION --holds --note WHY",
        )
    refuse_without_store(context)
    with written_down(context, "task.answer", submission, criterion):
        made, evaluated = answer(
            submission,
            criterion,
            holds=holds,
            note=note,
            actor=actor,
            profile=profile,
            home=context.home,
            store=context.store_url,
        )
    if context.use_json:
        say_json(evaluated.to_dict())
        return
    say(f"{made.submission_id}: {criterion} {'holds' if holds else 'fails'}, says {actor}.")
    say(f"Its task settled again: {made.task_id}")
    say()
    printer = Printer(context, evaluated.profile)
    printer.task(evaluated.rows)
    printer.end(evaluated)


def _create(context: Context, folder: Path) -> None:
    from benchmaker.arenas.agentic.verify import new_task

    written = new_task(folder)
    if context.use_json:
        say_json({"task": folder.name, "files": [str(path) for path in written]})
        return
    for path in written:
        say(str(path))
    tell(f"Next: {context.line('task', 'check', folder)}")


def _check(
    context: Context, folder: Path, isolation: str | None, *, unsafe_local: bool
) -> ExitCode:
    import asyncio

    from benchmaker.arenas.agentic.verify import UNSAFE_RISK, acheck
    from benchmaker.spec.tasks.task_file import load_task

    if unsafe_local:
        tell(f"--unsafe-local: {UNSAFE_RISK}")
    level = _level(isolation)
    checked = asyncio.run(acheck(load_task(folder), isolation=level, unsafe_local=unsafe_local))
    if context.use_json:
        say_json(_check_data(checked))
    else:
        _say_checked(checked)
    return ExitCode.OK if checked.is_sound else ExitCode.THRESHOLD_MISSED


def _level(isolation: str | None) -> "Isolation | None":
    from benchmaker.sandbox import Isolation

    return Isolation(isolation) if isolation else None


def _say_checked(checked: "Checked") -> None:
    from benchmaker.cli.output.table import format_table

    rows = [
        ["as expected" if trial.is_sound else "WRONG", _SOLUTIONS.get(trial.name, trial.name),
         trial.found, f"{trial.seconds:.2f} s", trial.why]
        for trial in checked.trials
    ]  # fmt: skip
    lines = format_table(_CHECK_HEADS, rows, right=[3], gives_way=[3])
    say("\n".join(lines))
    for line, trial in zip(lines[1:], checked.trials, strict=False):
        if line.endswith("…") and not trial.is_sound:
            say_wrapped(f"{trial.name}: {one_line(trial.why, _LONGEST_REASON)}")
    for missing in checked.missing:
        say_wrapped(f"WRONG: {missing}")
    wrong = sum(not trial.is_sound for trial in checked.trials) + len(checked.missing)
    verdict = "sound" if checked.is_sound else f"not sound: {wrong} of its trials failed"
    say(f"{checked.task_id} {checked.version}: {verdict}")


def _check_data(checked: "Checked") -> dict[str, Any]:
    return {
        "task": checked.task_id,
        "version": checked.version,
        "ok": checked.is_sound,
        "missing": checked.missing,
        "trials": [_plain_trial(trial) for trial in checked.trials],
    }


def _plain_trial(trial: "SolutionTrial") -> dict[str, Any]:
    return {
        "name": trial.name,
        "wanted": trial.wanted,
        "found": trial.found,
        "ok": trial.is_sound,
        "why": trial.why,
        "seconds": trial.seconds,
        "isolation": trial.verification.isolation,
        "criteria": trial.verification.results,
    }


def _add(context: Context, folder: Path) -> None:
    from benchmaker.arenas.agentic.verify.stored_tasks import stored_form
    from benchmaker.cli.database import home_of
    from benchmaker.spec.tasks.task_file import load_task

    task = load_task(folder)
    with home_of(context).open_store() as store:
        is_new = store.agentic.put_task(stored_form(task))
    if is_new:
        write_down(context, "task.add", task.task.id, task.version)
    if context.use_json:
        say_json({"task": task.task.id, "version": task.version, "new": is_new})
        return
    told = "stored" if is_new else "was already stored"
    say(f"{task.task.id} {task.version}: {told}")


def _show(context: Context, target: str | None, *, hidden: bool) -> None:
    from benchmaker.spec.tasks.criterion import is_hidden

    if target is None:
        _say_stored(context)
        return
    body, version = _find_task(context, target)
    shown = [it for it in body["criteria"] if hidden or not is_hidden(it)]
    number = len(body["criteria"]) - len(shown)
    body["criteria"] = shown
    if context.use_json:
        say_json({"task": body, "version": version})
        return
    _say_task(body, version)
    if number:
        word = "criterion" if number == 1 else "criteria"
        say(f"  {number} hidden {word} not shown: --hidden")


def _find_task(context: Context, target: str) -> tuple[dict[str, Any], str]:
    """A task as plain data and its version: from its folder, the store, or those that ship."""
    from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_ids, shipped_task
    from benchmaker.cli.database import existing_store
    from benchmaker.spec.documents.files import is_there
    from benchmaker.spec.tasks.task_file import load_task

    if is_there(target):
        task = load_task(target)
        return task.task.to_document(), task.version
    store = existing_store(context)
    stored = None
    if store is not None:
        with store:
            stored = store.agentic.task(target)
    if stored is None and target in shipped_ids():
        task = shipped_task(target)
        return task.task.to_document(), task.version
    if stored is None:
        hint = "List tasks with: benchmaker task list"
        raise SpecError(f"no task folder and no stored task {target!r}.", hint=hint)
    return stored.body, stored.digest[:12]


def _say_stored(context: Context) -> None:
    from benchmaker.cli.database import existing_store

    store = existing_store(context)
    found: tuple[StoredTask, ...] = ()
    if store is not None:
        with store:
            found = store.agentic.tasks()
    if context.use_json:
        say_json({"tasks": [{**it._asdict(), "version": it.digest[:12]} for it in found]})
        return
    if not found:
        say("No stored tasks. Add one: benchmaker task add FOLDER")
    for it in found:
        title = one_line(it.body.get("title", ""), 60)
        told = "  ".join(part for part in (it.category, it.difficulty, title) if part)
        say(f"{it.id}  {it.digest[:12]}  {told}")


def _say_task(body: dict[str, Any], version: str) -> None:
    from benchmaker.cli.output.table import format_table
    from benchmaker.spec.tasks.criterion import is_hidden

    say_beside(f"{body['id']} {version}  ", body["title"])
    for name in ("category", "difficulty", "isolation"):
        if body[name]:
            say(f"{name:<10}  {body[name]}")
    say_beside("outputs     ", ", ".join(body["outputs"]))
    say()
    say_beside("", body["prompt"].rstrip())
    say()
    rows = []
    for one in body["criteria"]:
        notes = [f"weight {one['weight']:g}", *(["required"] if one["required"] else [])]
        notes += ["hidden"] if is_hidden(one) else []
        rows.append([one["id"], one["type"], ", ".join(notes)])
    for line in format_table(("criterion", "type", "weight"), rows):
        say(line)
