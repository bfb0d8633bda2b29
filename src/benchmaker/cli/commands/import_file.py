"""``benchmaker import``: runs that were exported elsewhere."""

from pathlib import Path

import click

from benchmaker.cli.command import FILE
from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output import say, say_json, tell


@declare("import", examples=("benchmaker import run.json",))
@click.argument("file", metavar="FILE", type=FILE)
def command(context: Context, *, file: Path) -> None:
    """Take in runs from a JSON export.

    They keep their ids, and say which file they came from. The whole file is checked first.
    """
    from benchmaker.cli.importing import take_in  # noqa: PLC0415  loads the store

    export, taken = take_in(context, file)
    run_ids, there = list(taken.run_ids), list(taken.already_there)
    if context.use_json:
        counts = {"cases": export.n_cases, "trials": export.n_trials}
        say_json({"run_ids": run_ids, "already_there": there, **counts})
        return
    if there:
        say(f"Stored already, with the same content: {', '.join(there)}")
    if new := [run_id for run_id in run_ids if run_id not in there]:
        say(f"Imported: {', '.join(new)}, {export.n_trials:,} trials of {export.suite.name}")
    if not export.suite_hash_kept:
        tell(
            "The suite is not to the letter the one that was run; it has a content hash of its own."
        )
    if export.redacted:
        tell(f"Secrets had been taken out of {export.redacted:,} lines before.")
    say(f"Look at it: {context.line('results', run_ids[0])}")
