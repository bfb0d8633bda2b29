"""``benchmaker compare``: the leading model, the difference, and its certainty."""

import sys
from typing import Literal

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import Number
from benchmaker.cli.options.options import metric_option
from benchmaker.cli.output.output import say_json
from benchmaker.errors import SpecError

CORRECTIONS = ("holm", "bh", "by", "max_t", "none")


@declare(
    "compare",
    examples=(
        "benchmaker compare",
        "benchmaker compare latest --model gpt --model llama --margin 2",
        "benchmaker compare RUN-A RUN-B --reference gpt --json",
        "benchmaker compare latest --by category",
    ),
)
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option(
    "--model", "models", metavar="NAME", multiple=True, help="Only these models; repeatable."
)
@click.option("--reference", metavar="NAME", help="Show the pairs with this model alone.")
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    help="For the number of pairs; default holm. max_t holds for all intervals together.",
)
@click.option(
    "--margin",
    metavar="POINTS",
    type=Number(0, 100, min_open=True),
    help="A difference, in points of 100, that does not matter: call smaller ones equivalent.",
)
@click.option(
    "--level",
    metavar="SHARE",
    type=Number(0.5, 1, max_open=True),
    default=0.95,
    help="Of the intervals; default 0.95.",
)
@metric_option
@click.option(
    "--by",
    type=click.Choice(["category", "difficulty", "tag"]),
    help="Compare within each group of cases.",
)
@click.option("--csv", "form", flag_value="csv", help="Print a table for spreadsheets.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option(
    "--table",
    type=click.Choice(["pairs", "models"]),
    default="pairs",
    help="Which table --csv prints; default pairs.",
)
def command(
    context: Context,
    *,
    runs: tuple[str, ...],
    models: tuple[str, ...],
    reference: str | None,
    correction: str,
    margin: float | None,
    level: float,
    metric: Literal["mean", "strict"] | None,
    by: Literal["category", "difficulty", "tag"] | None,
    form: str | None,
    table: Literal["pairs", "models"],
) -> None:
    """Compare models case by case.

    RUN is a run's id, the beginning of one, a series, or latest, which is the default. Several runs
    of one suite are joined, so that models may have been asked in different runs; several versions
    of it are compared over the cases that are the same in all. Each pair gets the test that suits
    its scores; p-values are adjusted for the number of pairs.
    """
    from benchmaker.cli.actions.comparing import Settings, compare_runs
    from benchmaker.cli.options.run_selection import select_runs

    if form and context.use_json:
        raise SpecError("stdout can't hold both.", hint=f"Give --json or --{form}.")
    asked = Settings.of(
        models, reference, correction=correction, margin=margin, level=level, metric=metric
    )
    found = select_runs(context, runs, with_cases=by is not None)
    made = compare_runs(found, asked, by=by)
    if context.use_json:
        say_json(made.to_dict() | {"complete": found.is_complete})
    elif sys.stdout is not None:
        made.write(found.stored, sys.stdout, form=form or "text", table=table)
