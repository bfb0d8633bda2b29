"""``benchmaker convert``: suites and tasks of other tools as suites."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmaker.arenas.standard.conversion.tool_names import TOOLS
from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import say, say_beside, say_json, say_wrapped
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.standard.conversion.converting import Conversion

_SHOWN = 20


@declare(
    "convert",
    examples=(
        "benchmaker convert promptfooconfig.yaml --output suite.yaml",
        "benchmaker convert gsm8k.yaml --output gsm8k-suite.yaml --json",
        "benchmaker convert data.jsonl --from inspect --output suite.yaml",
    ),
)
@click.argument("file", metavar="FILE", type=FILE)
@click.option("--output", metavar="FILE", type=FILE, help="Suite file to write. Default: stdout.")
@click.option(
    "--from",
    "tool",
    type=click.Choice(TOOLS),
    help="Tool of the file. Default: recognised by its keys.",
)
def command(context: Context, *, file: Path, output: Path | None, tool: str | None) -> ExitCode:
    """Convert a suite or task of another tool into a suite.

    The file is a promptfoo configuration, an lm-eval task or group, an Inspect dataset, goldens of
    DeepEval, or entries of the OpenAI evals registry. Files that it names are read from its folder.
    JavaScript and Python are never run.

    The suite has a comment with the original at each value that is not carried over, and the
    command lists them. A case whose check is not carried over has no score.
    """
    from benchmaker.arenas.standard.conversion.converting import convert_file

    if output is None and context.use_json:
        raise SpecError(
            "--json and the suite both write to stdout.",
            hint="Add --output FILE, or remove --json.",
        )
    made = convert_file(file, tool)
    if output is None:
        say(made.text.removesuffix("\n"))
        return ExitCode.OK
    _write(made, output)
    if context.use_json:
        say_json(
            {
                "output": str(output),
                "tool": made.tool,
                "cases": made.cases,
                "not_translated": [one._asdict() for one in made.omissions],
                "notes": list(made.notes),
            }
        )
    else:
        _report(made, output)
    return ExitCode.OK


def _write(made: "Conversion", output: Path) -> None:
    from benchmaker.report.formats.atomic import open_atomic

    with open_atomic(output) as stream:
        stream.write(made.text.encode("utf-8"))


def _report(made: "Conversion", output: Path) -> None:
    from benchmaker.record.counts import count

    say(f"Written: {output} ({count(made.cases, 'case')}, from {made.tool})")
    for note in made.notes:
        say_wrapped(note)
    if not made.omissions:
        return
    say(f"Not carried over: {count(len(made.omissions), 'value')}, each a comment in the suite.")
    for one in made.omissions[:_SHOWN]:
        say_beside("  ", f"{one.where}:{one.line}: {one.what}")
    if len(made.omissions) > _SHOWN:
        say(f"  … and {len(made.omissions) - _SHOWN} more; --json lists all.")
