"""``benchmaker rank``: models by strength, from the scores of a suite or from votes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from benchmaker.cli.base_command import FILE
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import Number, WholeNumber
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
    help="Rank from votes: a CSV or JSON Lines file with a, b and winner, and optionally voter, "
    "prompt, at and weight.",
)
@click.option(
    "--model", "models", metavar="NAME", multiple=True, help="Only these models. Repeatable."
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="bradley_terry",
    help="Rating method. Default: bradley_terry, with ties as half wins. The methods elo and "
    "glicko2 depend on the order of battles.",
)
@click.option(
    "--cluster",
    type=click.Choice(["auto", "voter", "prompt", "both", "none"]),
    default="auto",
    help="Unit of dependent battles. Default: voter and prompt, if known.",
)
@click.option(
    "--style",
    metavar="NAME",
    multiple=True,
    help="Control for a feature, given by the columns NAME_a and NAME_b of the votes, by its "
    "relative difference. Repeatable.",
)
@click.option(
    "--prior",
    metavar="WEIGHT",
    type=Number(0),
    default=0.0,
    help="Number of added ties between each model and an average one, which put all models on one "
    "scale.",
)
@click.option(
    "--top",
    metavar="K",
    type=WholeNumber(1),
    default=1,
    help="Show the probability of a rank among the first K. Default: 1.",
)
@click.option(
    "--marginal", is_flag=True, help="Use rank intervals that hold individually, not jointly."
)
@click.option(
    "--level",
    metavar="SHARE",
    type=Number(0.5, 1, max_open=True),
    default=0.95,
    help="Confidence level of intervals. Default: 0.95.",
)
@metric_option
@click.option("--explain", "form", flag_value="explain", help="Add methods and notes.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
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
    metric: str | None,
    form: str | None,
) -> None:
    """Rank models from scores or votes.

    RUN is a run id, a prefix of one, a series, or latest (the default). For a suite, every case is
    a round: of any two models, the higher score wins. Ranks come with intervals. There are no ranks
    below five cases, prompts or voters (if votes are clustered by voter), or if battles do not
    connect the models.
    """
    from benchmaker.cli.actions.rank_tables import Rankable
    from benchmaker.cli.options.run_selection import reasons_in_hint

    if form in ("csv", "markdown") and context.use_json:
        raise SpecError("stdout can't hold both.", hint=f"Give --json or --{form}.")
    subject = Rankable.of(context, runs, votes, models=models, style=style)
    with reasons_in_hint(context, subject.stored_runs):
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
