"""``benchmaker delete``: a run, a series or a submission, gone for good."""

import time
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context, stdin_is_terminal
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import escape_controls, say, say_json, tell
from benchmaker.cli.server.audit_log import write_down, written_down
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmaker.store import Store


@declare(
    "delete",
    examples=(
        "benchmaker delete latest",
        "benchmaker delete s-20261120-7f3k2m --yes",
        "benchmaker delete claude_code-3f2a",
    ),
)
@click.argument("run", metavar="RUN|SUBMISSION")
@click.option("--yes", is_flag=True, help="Delete without confirmation.")
def command(context: Context, *, run: str, yes: bool) -> ExitCode:
    """Delete a run, all runs of a series, or a submission.

    A run is deleted with its answers and scores. A submission is deleted with its revisions, trace,
    figures, evaluations, verifications, flags, review and pending notice, in one step. Its task is
    then recalculated without it, and boards no longer count it. Baselines frozen with it keep their
    numbers. To shrink the file, run: benchmaker vacuum
    """
    from benchmaker.cli.actions.run_or_submission import find_submission_id
    from benchmaker.cli.database import open_store

    with open_store(context, read_only=False) as store:
        submission_id = find_submission_id(store, run)
        if submission_id is not None:
            return _delete_submission(context, store, submission_id, yes=yes)
        found = store.resolve(run)
        if not yes and not _confirmed(found.run_ids):
            say("Nothing deleted.")
            return ExitCode.OK
        for run_id in found.run_ids:
            store.delete_run(run_id)
            write_down(context, "run.delete", run_id)
    if context.use_json:
        say_json({"deleted": list(found.run_ids)})
    else:
        say(f"Deleted: {', '.join(found.run_ids)}")
    return ExitCode.OK


def _delete_submission(
    context: Context, store: "Store", submission_id: str, *, yes: bool
) -> ExitCode:
    if not yes and not _is_confirmed(
        f"submission {submission_id} with its trace and all verdicts, flags and evaluations"
    ):
        say("Nothing deleted.")
        return ExitCode.OK
    from benchmaker.arenas.agentic.submissions.deletion import delete_and_settle

    with written_down(context, "submission.delete", submission_id):
        made = delete_and_settle(store, submission_id, now_us=time.time_ns() // 1_000)
    if context.use_json:
        say_json(made.to_dict())
        return ExitCode.OK
    say(f"Deleted: {submission_id}")
    say(f"Removed: {_rows(made.removed)}")
    if made.task_id is not None:
        settled = ", ".join(made.settled) or "no profile"
        say(f"Task {made.task_id} rescored without it under {settled}; {_boards(made.boards)}")
    if made.left:
        tell(f"Not rescored (evaluate again with the profile file): {', '.join(made.left)}")
    return ExitCode.OK


def _rows(removed: "Mapping[str, int]") -> str:
    return ", ".join(f"{name} {count:,}" for name, count in removed.items() if count)


def _boards(count: int) -> str:
    return f"{count:,} boards changed." if count != 1 else "1 board changed."


def _confirmed(run_ids: tuple[str, ...]) -> bool:
    noun = "run" if len(run_ids) == 1 else f"{len(run_ids)} runs"
    return _is_confirmed(f"{noun} {', '.join(run_ids)} with all answers and scores")


def _is_confirmed(what: str) -> bool:
    if not stdin_is_terminal():
        raise SpecError("confirmation needs a terminal.", hint="Delete without confirmation: --yes")
    return click.confirm(escape_controls(f"Delete {what}?"), err=True)
