"""``benchmaker trend``: a suite's scores over time, and the changes that are more than noise."""

import sys
from typing import TYPE_CHECKING, TextIO

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import Number, WholeNumber
from benchmaker.cli.output.output import say_json
from benchmaker.cli.output.table_formats import (
    evaluated_store,
    explain_option,
    form_options,
    profile_option_with,
    tell_all,
)
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis import Trend


@declare(
    "trend",
    examples=(
        "benchmaker trend",
        "benchmaker trend my-suite",
        "benchmaker trend my-suite --model gpt --baseline RUN",
        "benchmaker trend RUN-A RUN-B RUN-C --json",
        "benchmaker trend --systems --metric success",
    ),
)
@click.argument("names", metavar="[SUITE|RUN|SYSTEM]...", nargs=-1)
@click.option(
    "--model", "models", metavar="NAME", multiple=True, help="Only these models. Repeatable."
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="Compare all others with this run or series, instead of with the previous one.",
)
@click.option(
    "--level",
    metavar="SHARE",
    type=Number(0.5, 1, max_open=True),
    default=0.95,
    help="Confidence level of intervals. Default: 0.95.",
)
@click.option("--systems", is_flag=True, help="Track coding agents instead; optionally name them.")
@profile_option_with("With --systems: scoring profile. Default: robust.")
@click.option(
    "--metric",
    metavar="NAME",
    help="For runs: mean, strict, or a metric of checks. Default: the suite's metric. "
    "With --systems: overall (default), success, resolved, dollars, seconds, tokens …",
)
@click.option(
    "--days",
    metavar="N",
    type=WholeNumber(1, 366),
    default=7,
    help="With --systems: width of a window in days. Default: 7.",
)
@explain_option
@form_options
def command(
    context: Context,
    *,
    names: tuple[str, ...],
    models: tuple[str, ...],
    baseline: str | None,
    level: float,
    systems: bool,
    profile: str,
    metric: str | None,
    days: int,
    form: str | None,
) -> None:
    """Track the scores of a suite, or of coding agents, over time.

    Name a suite for all of its runs, or name the runs; a series is one point. The default is the
    suite of the latest run. Steps are compared
    case by case, with p-values adjusted by Holm's method over all steps. A new version of
    the suite is compared over the cases that are equal in both. A change of the profile is marked
    and not tested.

    With --systems, each system is followed over the tasks that all of its windows share. Changes of
    the tool's version are marked; changes of its results are detected from 20 submissions on.
    """
    if systems:
        _say_systems(context, names, profile, metric or "overall", days, level, form)
        return
    if form == "html":
        raise SpecError(
            "--html works only with --systems.",
            hint="For runs, use: benchmaker export --format html",
        )
    from benchmaker.analysis.trends.trends import trend
    from benchmaker.cli.actions.suite_runs import first_run_id, read_run_sets

    if form and form != "explain" and context.use_json:
        raise SpecError("stdout can't hold both.", hint=f"Give --json or --{form}.")
    base = None if baseline is None else first_run_id(context, baseline)
    made = trend(
        read_run_sets(context, names), models=models, baseline=base, level=level, metric=metric
    )
    if context.use_json:
        say_json(made.to_dict())
    elif sys.stdout is not None:
        _write(made, sys.stdout, form)


def _say_systems(  # noqa: PLR0917  private, called once
    context: Context,
    names: tuple[str, ...],
    profile: str,
    metric: str,
    days: int,
    level: float,
    form: str | None,
) -> None:
    from benchmaker.arenas.agentic.boards.trending import system_trends
    from benchmaker.report.arenas import agent_trends as told

    with evaluated_store(context) as store:
        made = system_trends(store, profile, value=metric, days=days, systems=names, level=level)
    tell_all(
        context,
        lambda: told.agent_trends_report(
            made.trends, profile=made.profile, value=metric, window_days=days
        ),
        form=form,
        data=made.to_dict,
        csv=lambda stream: told.write_agent_trends_csv(made.trends, stream),
    )


def _write(made: "Trend", stream: TextIO, form: str | None) -> None:
    from benchmaker.report.runs import trend as told
    from benchmaker.report.tables.width import width_of

    if form == "csv":
        told.write_trend_csv(made, stream)
    elif form == "markdown":
        stream.write(told.trend_markdown(made))
    else:
        explain = form == "explain"
        stream.write(told.trend_text(made, explain=explain, width=width_of(stream)))
