"""``benchmaker power``: the number of cases a comparison needs."""

import sys
from collections.abc import Iterator
from dataclasses import replace

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import Number, WholeNumber
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
@click.option("--n", metavar="CASES", type=WholeNumber(2), help="Number of cases.")
@click.option(
    "--delta", metavar="POINTS", type=_POINTS, help="Difference to detect, in points (0–100)."
)
@click.option(
    "--power",
    metavar="SHARE",
    type=Number(0, 1, min_open=True, max_open=True),
    help="Statistical power. Default: 0.8, or calculated if --n and --delta are given.",
)
@click.option(
    "--sd",
    metavar="POINTS",
    type=Number(0, min_open=True),
    help="Standard deviation of the difference over cases, in points (0–100).",
)
@click.option(
    "--from", "pilot", metavar="RUN", help="Estimate the standard deviation from this run."
)
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help="Model of the run in --from; two of them, or one. Default: the best two. Repeatable.",
)
@click.option(
    "--runs",
    metavar="K",
    type=WholeNumber(1),
    default=1,
    help="Number of runs per case. Default: 1.",
)
@click.option(
    "--tests",
    metavar="M",
    type=WholeNumber(1),
    default=1,
    help="Number of pairs to test. Default: 1.",
)
@click.option(
    "--judged",
    is_flag=True,
    help="Calculate the number of runs too, since judges give the scores. Implied if the run in "
    "--from is judged.",
)
@click.option(
    "--level",
    metavar="SHARE",
    type=Number(0.5, 1, max_open=True),
    default=0.95,
    help="Confidence level of the later comparison. Default: 0.95.",
)
@click.option(
    "--metric",
    metavar="NAME",
    help="With --from: mean, strict (exactly right), or a metric of checks. Default: the suite's "
    "metric.",
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
    metric: str | None,
) -> None:
    """Calculate the number of cases a comparison needs.

    Give two of --n, --delta and --power; the third is calculated. Without --sd and --from, both
    models are assumed to be right in half of the cases, independently: the worst case for scores of
    0 and 1. For judged suites, the number of runs is calculated too, from the run in --from or else
    by the published guideline.
    """
    from benchmaker.analysis.comparison import planning
    from benchmaker.cli.options.run_selection import judge_noise_in, select_runs
    from benchmaker.report.runs.planning import plan_text
    from benchmaker.report.tables.width import width_of

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
    made = replace(made, warnings=(*made.warnings, *_share_notes(delta=delta, sd=sd)))
    if context.use_json:
        say_json(made.to_dict())
    elif sys.stdout is not None:
        sys.stdout.write(plan_text(made, width=width_of(sys.stdout)))


def _check(
    n: int | None, delta: float | None, pilot: str | None, *, models: tuple[str, ...]
) -> None:
    if models and not pilot:
        raise SpecError("--model needs a run.", hint="Add the run with --from RUN.")
    if n is None and delta is None and not pilot:
        raise SpecError(
            "--n or --delta is missing.",
            hint="Add --delta POINTS to get the number of cases, or --n CASES to get the "
            "detectable difference.",
        )


def _share_notes(**options: float | None) -> Iterator[str]:
    """Yield a note for each number of points below 1, which may be meant as a share."""
    for name, value in options.items():
        if value is not None and value < 1:
            meant = f"{100 * value:g}"
            yield f"{value:g} points; did you mean {meant} points (--{name} {meant})?"
