"""``benchmaker results``: the scores of a run or a series."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say_json, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.analysis.comparison.groups import GroupBy
    from benchmaker.analysis.judges.label_map import MapName


@declare(
    "results",
    examples=(
        "benchmaker results",
        "benchmaker results latest --explain",
        "benchmaker results latest --by category",
        "benchmaker results s-20261120-7f3k2m --json",
    ),
)
@click.argument("run", metavar="[RUN]", default="latest")
@click.option(
    "--by",
    type=click.Choice(["category", "difficulty", "tag"]),
    help="Show the mean of each group of cases.",
)
@click.option(
    "--label-map",
    type=click.Choice(["linear", "isotonic"]),
    help="Map scores to people's scale before labels correct the means: linear, from 50 labels, "
    "or isotonic, from 200.",
)
@click.option("--explain", is_flag=True, help="Add methods, settings, costs and notes.")
def command(
    context: Context,
    *,
    run: str,
    explain: bool,
    by: Literal["category", "difficulty", "tag"] | None,
    label_map: Literal["linear", "isotonic"] | None,
) -> None:
    """Print the scores of a run or a series.

    RUN is a run id, a prefix of one, a series, or latest (the default).
    """
    if by is None:
        _say_summary(context, run, label_map, explain=explain)
    elif label_map:
        raise SpecError(
            "--label-map applies only to the whole run.", hint="Use either --by or --label-map."
        )
    else:
        _say_groups(context, run, by)


def _say_summary(context: Context, run: str, label_map: "MapName | None", *, explain: bool) -> None:
    from benchmaker.cli.output.next_step import next_step
    from benchmaker.cli.output.stored_result import say_result, stored_result

    result = stored_result(context, run)
    summary = result.summary
    if label_map:
        from benchmaker.analysis.judges.correction import corrected_means

        summary = replace(summary, corrected=corrected_means(result, label_map=label_map))
    say_result(context, result, summary=summary, detail="full" if explain else "brief")
    if step := next_step(context, result):
        tell(step)


def _say_groups(context: Context, run: str, by: "GroupBy") -> None:
    from benchmaker.analysis import summarise_by
    from benchmaker.cli.options.run_selection import select_runs
    from benchmaker.report.runs.groups import groups_text
    from benchmaker.report.tables.width import width_of

    found = select_runs(context, (run,), with_cases=True)
    made = summarise_by(found, found.cases, by)
    if context.use_json:
        groups = {label: [one.to_dict() for one in each.models] for label, each in made.items()}
        say_json({"scale": "0-1", "by": by, "groups": groups})
    elif sys.stdout is not None:
        compared_by = context.line("compare", "--by", by)
        sys.stdout.write(groups_text(made, by, compared_by=compared_by, width=width_of(sys.stdout)))
