"""``benchmaker power``: the number of cases a comparison needs."""

import sys
from typing import Literal

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import Number
from benchmaker.cli.output.output import say_json
from benchmaker.errors import SpecError

_POINTS = Number(0, 100, min_open=True)


@declare(
    "power",
    examples=(
        "benchmaker power --delta 2",
        "benchmaker power --n 500 --sd 40",
        "benchmaker power --delta 3 --from latest --runs 3",
        "benchmaker power --n 200 --delta 5 --tests 10 --json",
        "benchmaker power --n 500 --delta 2 --judged",
    ),
)
@click.option("--n", metavar="CASES", type=click.IntRange(2), help="How many cases there will be.")
@click.option(
    "--delta", metavar="POINTS", type=_POINTS, help="The difference to be found, in points of 100."
)
@click.option(
    "--power",
    metavar="SHARE",
    type=Number(0, 1, min_open=True, max_open=True),
    help="The chance to find it; default 0.8, worked out where both others are given.",
)
@click.option(
    "--sd",
    metavar="POINTS",
    type=Number(0, min_open=True),
    help="The standard deviation over cases of the difference, in points of 100.",
)
@click.option("--from", "pilot", metavar="RUN", help="Take the spread from this run instead.")
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help="Of the run; two of them, or one. Default: the best two.",
)
@click.option(
    "--runs",
    metavar="K",
    type=click.IntRange(1),
    default=1,
    help="How often every case will be run; default 1.",
)
@click.option(
    "--tests",
    metavar="M",
    type=click.IntRange(1),
    default=1,
    help="How many pairs will be tested; default 1.",
)
@click.option(
    "--judged",
    is_flag=True,
    help="Judges will give the scores: say how many runs that takes. Known of the run in --from.",
)
@click.option(
    "--level",
    metavar="SHARE",
    type=Number(0.5, 1, max_open=True),
    default=0.95,
    help="Of the later comparison; default 0.95.",
)
@click.option(
    "--metric",
    type=click.Choice(["mean", "strict"]),
    help="With --from: count scores as they are, or exactly right ones; default as the suite says.",
)
def command(
    context: Context,
    *,
    n: int | None,
    delta: float | None,
    power: float | None,
    sd: float | None,
    pilot: str | None,
    models: tuple[str, ...],
    runs: int,
    tests: int,
    judged: bool,
    level: float,
    metric: Literal["mean", "strict"] | None,
) -> None:
    """Plan how many cases a comparison takes.

    Of --n, --delta and --power give two; the third is worked out. Without --sd and --from, two
    models are assumed that are each right in half of the cases, independently: the worst case for
    scores of 0 and 1. For judged suites it says, too, how many runs they take: out of the run in
    --from, else by the published guideline.
    """
    from benchmaker.analysis.comparison import planning
    from benchmaker.cli.options.run_selection import judge_noise_in, select_runs
    from benchmaker.report.runs.planning import plan_text
    from benchmaker.report.runs.text import width_of

    _check(n, delta, pilot, models=models)
    made = planning.power(
        select_runs(context, (pilot,)) if pilot else None,
        n=n,
        delta=None if delta is None else delta / 100,
        power=power,
        sd=None if sd is None else sd / 100,
        models=models,
        runs=runs,
        tests=tests,
        level=level,
        judged=judged or None,
        metric=metric,
        noise=judge_noise_in(context, pilot) if pilot else None,
    )
    if context.use_json:
        say_json(made.to_dict())
    elif sys.stdout is not None:
        sys.stdout.write(plan_text(made, width=width_of(sys.stdout)))


def _check(
    n: int | None, delta: float | None, pilot: str | None, *, models: tuple[str, ...]
) -> None:
    if models and not pilot:
        raise SpecError("--model is of a run.", hint="Name the run with --from RUN.")
    if n is None and delta is None and not pilot:
        raise SpecError(
            "Neither --n nor --delta is given.",
            hint="Give --delta POINTS for the cases it takes, or --n CASES for what they find.",
        )
