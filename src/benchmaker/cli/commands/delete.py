"""``benchmaker delete``: a run, a series or a submission, gone for good."""

from typing import TYPE_CHECKING

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context, stdin_is_terminal
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output import printable, say, say_json
from benchmaker.errors import SpecError

if TYPE_CHECKING:
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
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(context: Context, *, run: str, yes: bool) -> ExitCode:
    """Delete a run, all runs of a series, or a submission.

    Answers and scores go with a run, all revisions and the trace with a submission. The file
    shrinks with: benchmaker vacuum
    """
    from benchmaker.cli.database import open_store  # noqa: PLC0415  loads the store
    from benchmaker.cli.submissions import submission_meant  # noqa: PLC0415

    with open_store(context, read_only=False) as store:
        submission_id = submission_meant(store, run)
        if submission_id is not None:
            return _delete_submission(context, store, submission_id, yes=yes)
        found = store.resolve(run)
        if not yes and not _confirmed(found.run_ids):
            say("Nothing was deleted.")
            return ExitCode.OK
        for run_id in found.run_ids:
            store.delete_run(run_id)
    if context.use_json:
        say_json({"deleted": list(found.run_ids)})
    else:
        say(f"Deleted: {', '.join(found.run_ids)}")
    return ExitCode.OK


def _delete_submission(
    context: Context, store: "Store", submission_id: str, *, yes: bool
) -> ExitCode:
    if not yes and not _asked(f"submission {submission_id} with its trace"):
        say("Nothing was deleted.")
        return ExitCode.OK
    store.delete_submission(submission_id)
    if context.use_json:
        say_json({"deleted": [submission_id]})
    else:
        say(f"Deleted: {submission_id}")
    return ExitCode.OK


def _confirmed(run_ids: tuple[str, ...]) -> bool:
    noun = "run" if len(run_ids) == 1 else f"{len(run_ids)} runs"
    return _asked(f"{noun} {', '.join(run_ids)} with all answers and scores")


def _asked(what: str) -> bool:
    if not stdin_is_terminal():
        raise SpecError("nobody is there to be asked.", hint="Delete without asking: --yes")
    return click.confirm(printable(f"Delete {what}?"), err=True)
