"""``benchmaker results``: the table of a run or a series."""

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context


@declare("results", examples=("benchmaker results", "benchmaker results s-20261120-7f3k2m --json"))
@click.argument("run", metavar="[RUN]", default="latest")
def command(context: Context, *, run: str) -> None:
    """Print the scores of a run or a series.

    RUN is a run's id, the beginning of one, a series, or latest, which is the default.
    """
    from benchmaker.cli.shown import say_summary, stored_result  # noqa: PLC0415  loads the store

    say_summary(context, stored_result(context, run).summary)
