"""``benchmaker compare``: the leading model, the difference, and its certainty."""

import sys
from typing import TYPE_CHECKING, Literal

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import Number
from benchmaker.cli.options.options import metric_option
from benchmaker.cli.output.output import say_json
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis.comparison.groups import GroupBy
    from benchmaker.analysis.effects.dimensions import Dimension

CORRECTIONS = ("holm", "bh", "by", "max_t", "none")


@declare(
    "compare",
    examples=(
        "benchmaker compare",
        "benchmaker compare latest --model gpt --model llama --margin 2",
        "benchmaker compare RUN-A RUN-B --reference gpt --json",
        "benchmaker compare latest --by prompt",
        "benchmaker compare latest --by category",
    ),
)
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option(
    "--model", "models", metavar="NAME", multiple=True, help="Only these models. Repeatable."
)
@click.option("--reference", metavar="NAME", help="Only pairs with this model.")
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    help="Adjustment for the number of pairs. Default: holm. With max_t, all intervals hold "
    "jointly.",
)
@click.option(
    "--margin",
    metavar="POINTS",
    type=Number(0, 100, min_open=True),
    help="Margin in points (0–100): smaller differences count as equivalent. Also finds the "
    "cheapest model or setup that is not worse than the best by more than this.",
)
@click.option(
    "--level",
    metavar="SHARE",
    type=Number(0.5, 1, max_open=True),
    default=0.95,
    help="Confidence level of intervals. Default: 0.95.",
)
@metric_option
@click.option(
    "--by",
    type=click.Choice(["model", "prompt", "effort", "category", "difficulty", "tag"]),
    help="model, prompt or effort: compare these, each averaged over the others. category, "
    "difficulty or tag: compare within each group of cases.",
)
@click.option("--explain", "form", flag_value="explain", help="Add methods and notes.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option(
    "--table",
    type=click.Choice(["pairs", "models"]),
    default="pairs",
    help="Table printed by --csv. Default: pairs.",
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
    metric: str | None,
    by: "Dimension | GroupBy | None",
    form: str | None,
    table: Literal["pairs", "models"],
) -> None:
    """Compare models case by case.

    RUN is a run id, a prefix of one, a series, or latest (the default). Several runs of one suite
    are joined, so models may come from different runs. Several versions of a suite are compared on
    the cases that are identical in all. The scores of a pair determine its test; p-values are
    adjusted for the number of pairs.
    """
    from benchmaker.cli.actions.comparing import Settings, compare_runs
    from benchmaker.cli.options.run_selection import reasons_in_hint, select_runs

    if form in ("csv", "markdown") and context.use_json:
        raise SpecError("stdout can't hold both.", hint=f"Give --json or --{form}.")
    settings = Settings.of(
        models, reference, correction=correction, margin=margin, level=level, metric=metric
    )
    found = select_runs(context, runs, with_cases=by in ("category", "difficulty", "tag"))
    with reasons_in_hint(context, found.stored):
        made = compare_runs(found, settings, by=by)
    if context.use_json:
        say_json(made.to_dict() | {"complete": found.is_complete})
    elif sys.stdout is not None:
        made.write(found.stored, sys.stdout, form=form or "text", table=table)
