"""``benchmaker run``: a suite over models, and the table of what came out."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmaker.cli.command import FILE
from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.errors import SpecError

_NO_ANSWERS = "Name the file that holds them: --recorded answers.jsonl"


@declare(
    "run",
    examples=(
        "benchmaker run suite.yaml --recorded answers.jsonl",
        "benchmaker run suite.yaml --recorded answers.jsonl.gz --model my-model --limit 100",
        "benchmaker run suite.yaml --recorded wide.jsonl --fields id=question_id \\",
        "    --fields models.a=answer_a --fields models.b=answer_b",
        "benchmaker run suite.yaml --recorded answers.jsonl --threshold .8 --json",
    ),
)
@click.argument("suite", metavar="SUITE", type=FILE)
@click.option(
    "--recorded",
    metavar="FILE",
    type=FILE,
    help="The answers: a file (.jsonl, .csv, also gzipped) whose lines have model, id, output.",
)
@click.option(
    "--fields",
    "--field",
    "fields",
    metavar="NAME=PATH",
    multiple=True,
    help="Where a value stands in a line: output=answer.text, id={task}-{i}, models.NAME=PATH.",
)
@click.option(
    "--fields-file", metavar="FILE", type=FILE, help="The same mapping, written in a YAML file."
)
@click.option(
    "--model", "models", metavar="NAME", multiple=True, help="Only this model; repeatable."
)
@click.option(
    "--runs",
    metavar="N",
    type=click.IntRange(1),
    help="Make N runs; default: all recorded.",
)
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Only the first N cases.")
@click.option(
    "--category",
    "categories",
    metavar="NAME",
    multiple=True,
    help="Only cases of this category; repeatable.",
)
@click.option(
    "--tag",
    "tags",
    metavar="NAME",
    multiple=True,
    help="Only cases with this tag; repeatable.",
)
@click.option(
    "--profile",
    type=click.Choice(["classic", "robust"]),
    help="Score under this profile instead of the suite's own.",
)
@click.option(
    "--threshold",
    metavar="MEAN",
    type=click.FloatRange(0, 1),
    help="Exit with 1 when a model's mean is below this, from 0 to 1.",
)
@click.option(
    "--concurrency", metavar="N", type=click.IntRange(1), help="Trials at the same time; default 5."
)
@click.option("--quiet", is_flag=True, help="Show neither progress nor hints.")
def command(
    context: Context,
    *,
    suite: Path,
    recorded: Path | None,
    fields: tuple[str, ...],
    fields_file: Path | None,
    threshold: float | None,
    quiet: bool,
    **options: Any,  # noqa: ANN401  handed on by name
) -> ExitCode:
    """Run a suite over models and print their scores.

    Every answer and score is stored; Ctrl-C stops cleanly and says how to go on.
    The exit code is 1 when a threshold was missed, 4 when trials were left out of the mean.
    """
    if recorded is None:
        raise SpecError("there are no answers to score.", hint=_NO_ANSWERS)
    from benchmaker.arenas.standard import run  # noqa: PLC0415  loads the engine
    from benchmaker.cli.live import performed  # noqa: PLC0415
    from benchmaker.cli.mapping import answer_fields  # noqa: PLC0415

    mapping = answer_fields(fields, fields_file)
    return performed(
        context,
        partial(run, suite, recorded=recorded, fields=mapping, **options),
        threshold=threshold,
        quiet=quiet,
    )
