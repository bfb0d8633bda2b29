"""``benchmaker rank``: models by strength, from the scores of a suite or from votes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import Number
from benchmaker.cli.options.options import metric_option
from benchmaker.cli.output.output import say_json
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis.ratings.battles import Cluster
    from benchmaker.analysis.ratings.ranking import Method

METHODS = ("bradley_terry", "davidson", "rao_kupper", "win_rate", "newman", "elo", "glicko2")


@declare(
    "rank",
    examples=(
        "benchmaker rank",
        "benchmaker rank latest --top 3 --json",
        "benchmaker rank --votes votes.csv",
        "benchmaker rank --votes votes.jsonl --method davidson --cluster voter",
    ),
)
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option(
    "--votes",
    metavar="FILE",
    type=FILE,
    help="Rank from votes: CSV or JSON Lines with a, b, winner; also voter, prompt, at, weight.",
)
@click.option(
    "--model", "models", metavar="NAME", multiple=True, help="Only these models; repeatable."
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="bradley_terry",
    help="Default bradley_terry, ties as half wins; elo and glicko2 depend on the order.",
)
@click.option(
    "--cluster",
    type=click.Choice(["auto", "voter", "prompt", "both", "none"]),
    default="auto",
    help="Battles that may move together; by default as far as voter and prompt are known.",
)
@click.option(
    "--style",
    metavar="NAME",
    multiple=True,
    help="Hold a feature equal, given by the columns NAME_a and NAME_b of the votes; repeatable.",
)
@click.option(
    "--prior",
    metavar="WEIGHT",
    type=Number(0),
    default=0.0,
    help="Let each model tie so often with an average one; puts everybody on one scale.",
)
@click.option(
    "--top",
    metavar="K",
    type=click.IntRange(1),
    default=1,
    help="Show the chance to be among the first K; default 1.",
)
@click.option(
    "--marginal", is_flag=True, help="Rank intervals that hold each by itself, not all together."
)
@click.option(
    "--level",
    metavar="SHARE",
    type=Number(0.5, 1, max_open=True),
    default=0.95,
    help="Of the intervals; default 0.95.",
)
@metric_option
@click.option("--explain", "form", flag_value="explain", help="Add methods and notes.")
@click.option("--csv", "form", flag_value="csv", help="Print a table for spreadsheets.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
def command(
    context: Context,
    *,
    runs: tuple[str, ...],
    votes: Path | None,
    models: tuple[str, ...],
    method: "Method",
    cluster: 'Cluster | Literal["auto"]',
    style: tuple[str, ...],
    prior: float,
    top: int,
    marginal: bool,
    level: float,
    metric: Literal["mean", "strict"] | None,
    form: str | None,
) -> None:
    """Rank models from scores or votes.

    RUN is a run's id, the beginning of one, a series, or latest, which is the default. Of a suite,
    every case is a round: of each two models the higher score wins. A rank comes with its
    interval; below five cases, or where battles do not connect the models, there is none.
    """
    from benchmaker.cli.actions.rank_tables import Rankable

    if form in ("csv", "markdown") and context.use_json:
        raise SpecError("stdout can't hold both.", hint=f"Give --json or --{form}.")
    subject = Rankable.of(context, runs, votes, models=models, style=style)
    made = subject.rank(
        models=models,
        method=method,
        cluster=cluster,
        style=style,
        prior=prior,
        top=top,
        simultaneous=not marginal,
        level=level,
        metric=metric,
    )
    if context.use_json:
        say_json(made.to_dict() | {"complete": subject.is_complete})
    elif sys.stdout is not None:
        subject.write(made, sys.stdout, form=form or "text")
