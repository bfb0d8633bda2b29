"""``benchmaker explain``: the arithmetic of one score."""

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.command import run_argument
from benchmaker.cli.context import Context
from benchmaker.cli.output import say, say_json


@declare(
    "explain",
    examples=(
        "benchmaker explain latest capital-france --model illustrative-b",
        "benchmaker explain 20261120-7f3k2m eggs-sold --json",
    ),
)
@run_argument
@click.argument("case", metavar="CASE")
@click.option("--model", metavar="NAME", help="The model; not needed where there is one alone.")
def command(context: Context, *, run: str, case: str, model: str | None) -> None:
    """Print how one score came about, and compute it again.

    RUN is a run's id, the beginning of one, a series, or latest.
    """
    from benchmaker.cli.explaining import explanations  # noqa: PLC0415  loads the store
    from benchmaker.cli.hiding import redactor_of  # noqa: PLC0415

    found = explanations(context, run, case, model=model)
    hide = redactor_of(context)
    if context.use_json:
        told = [one.to_dict(redactor=hide) for one in found]
        say_json(told[0] if len(told) == 1 else {"scale": "0-1", "explanations": told})
        return
    for number, one in enumerate(found):
        if number:
            say()
        say(one.text(redactor=hide).rstrip("\n"))
