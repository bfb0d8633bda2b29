"""``benchmaker resume``: go on with a run that was interrupted."""

from functools import partial
from pathlib import Path

import click

from benchmaker.cli.command import FILE, run_argument
from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.database import refuse_without_store
from benchmaker.cli.exit_codes import ExitCode


@declare("resume", examples=("benchmaker resume latest", "benchmaker resume 20261120-7f3k2m"))
@run_argument
@click.option(
    "--recorded", metavar="FILE", type=FILE, help="Where the recorded answers lie now, if moved."
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
    run: str,
    recorded: Path | None,
    threshold: float | None,
    concurrency: int | None,
    quiet: bool,
) -> ExitCode:
    """Go on with an interrupted run.

    What is stored is not asked again. RUN is a run's id, the beginning of one, a series, or latest.
    """
    from benchmaker.arenas.standard import resume  # noqa: PLC0415  loads the engine
    from benchmaker.cli.live import performed  # noqa: PLC0415

    refuse_without_store(context)
    again = partial(resume, run, recorded=recorded, concurrency=concurrency)
    return performed(context, again, threshold=threshold, quiet=quiet)
