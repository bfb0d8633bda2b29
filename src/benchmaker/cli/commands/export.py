"""``benchmaker export``: a run or a series as a file."""

import sys
from pathlib import Path

import click

from benchmaker.cli.command import FILE, run_argument
from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output import say, say_json
from benchmaker.errors import SpecError

FORMATS = ("csv", "json", "jsonl", "markdown", "html", "junit")


@declare(
    "export",
    examples=(
        "benchmaker export latest --format html --output report.html",
        "benchmaker export latest --format jsonl | head -n 1",
        "benchmaker export latest --format json --output run.json",
    ),
)
@run_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    required=True,
    help="json holds everything and can be imported; csv and jsonl have a row a trial.",
)
@click.option(
    "--output", metavar="FILE", type=FILE, help="Where to; without it, or with -, to stdout."
)
def command(context: Context, *, run: str, form: str, output: Path | None) -> None:
    """Write a run or a series as a file.

    The file is there whole or not at all. RUN is a run's id, the beginning of one, a series, or
    latest.
    """
    from benchmaker.cli.exporting import exported, exported_to  # noqa: PLC0415  loads the store
    from benchmaker.cli.shown import stored_result  # noqa: PLC0415

    to_stdout = output is None or str(output) == "-"
    if to_stdout and context.use_json:
        raise SpecError("stdout can't hold both.", hint="With --json, name a file: --output FILE")
    result = stored_result(context, run)
    if output is None or to_stdout:
        exported_to(context, result, form, sys.stdout)
    else:
        exported(context, result, form, output)
        _say_written(context, output, form, result.run_ids)


def _say_written(context: Context, path: Path, form: str, run_ids: tuple[str, ...]) -> None:
    if context.use_json:
        say_json({"written": str(path), "format": form, "run_ids": list(run_ids)})
        return
    from benchmaker.cli.sizes import readable  # noqa: PLC0415

    say(f"Written: {path} ({readable(path.stat().st_size)})")
