"""``benchmaker delete``: a run or a series, gone for good."""

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.command import run_argument
from benchmaker.cli.context import Context, stdin_is_terminal
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output import printable, say, say_json
from benchmaker.errors import SpecError


@declare(
    "delete", examples=("benchmaker delete latest", "benchmaker delete s-20261120-7f3k2m --yes")
)
@run_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(context: Context, *, run: str, yes: bool) -> ExitCode:
    """Delete a run, or all runs of a series.

    Their answers and scores go with them. The file shrinks with: benchmaker vacuum
    """
    from benchmaker.cli.database import open_store  # noqa: PLC0415  loads the store

    with open_store(context, read_only=False) as store:
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


def _confirmed(run_ids: tuple[str, ...]) -> bool:
    if not stdin_is_terminal():
        raise SpecError("nobody is there to be asked.", hint="Delete without asking: --yes")
    noun = "run" if len(run_ids) == 1 else f"{len(run_ids)} runs"
    listed = printable(", ".join(run_ids))
    return click.confirm(f"Delete {noun} {listed} with all answers and scores?", err=True)
