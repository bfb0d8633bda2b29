"""``benchmaker leaderboard``: systems in the order of a score, or success against its cost."""

from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.name_lookup import refuse
from benchmaker.cli.output.table_formats import (
    evaluated_store,
    explain_option,
    form_options,
    profile_option,
    tell_all,
)

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.settling.board_keys import BoardKey
    from benchmaker.store import Store

METRICS = (
    "overall", "adjusted", "efficiency", "speed", "cost", "correctness", "success", "resolved",
    "tokens", "tool_calls", "iterations", "seconds", "dollars",
)  # fmt: skip
EVIDENCE = ("verified", "attested", "imported", "self-reported")
FRONT_FIGURES = ("dollars", "tokens", "seconds", "tool_calls", "iterations")


@declare(
    "leaderboard",
    examples=(
        "benchmaker leaderboard",
        "benchmaker leaderboard --metric success --window week --by tool",
        "benchmaker leaderboard --task fix-the-parser --policy best --json",
        "benchmaker leaderboard --pareto --html > front.html",
    ),
)
@profile_option
@click.option(
    "--metric",
    metavar="NAME",
    type=click.Choice(METRICS),
    help=f"Metric: {', '.join(METRICS)}. Default: overall, the composite. With --pareto: dollars, "
    "tokens, seconds, tool_calls or iterations.",
)
@click.option(
    "--by",
    type=click.Choice(("system", "tool", "model", "effort", "submitter")),
    default="system",
    help="Ranked unit. Default: system (tool, model and effort together).",
)
@click.option("--task", metavar="TASK", help="Only submissions to this task.")
@click.option("--category", metavar="NAME", help="Only tasks in this category.")
@click.option("--difficulty", metavar="NAME", help="Only tasks of this difficulty.")
@click.option("--system", metavar="NAME", help="Only this system.")
@click.option("--tool", metavar="NAME", help="Only this coding tool.")
@click.option("--model", metavar="NAME", help="Only this model.")
@click.option("--effort", metavar="NAME", help="Only this effort.")
@click.option("--submitter", metavar="NAME", help="Only submissions by this submitter.")
@click.option(
    "--window",
    type=click.Choice(("week", "month", "all")),
    default="all",
    help="Period of 7 or 30 days up to the newest submission. Default: all.",
)
@click.option(
    "--policy",
    type=click.Choice(("mean", "first", "last", "best")),
    help="Attempts that represent a system at a task. Default: the profile's policy.",
)
@click.option(
    "--evidence",
    type=click.Choice(EVIDENCE),
    help="Weakest evidence that is ranked. Default: the profile's level.",
)
@click.option(
    "--pareto", is_flag=True, help="Show success against cost, and the resources per success."
)
@explain_option
@form_options
def command(
    context: Context,
    *,
    profile: str,
    metric: str | None,
    by: str,
    window: str,
    policy: str | None,
    evidence: str | None,
    pareto: bool,
    form: str | None,
    **filters: str | None,
) -> None:
    """Rank coding agents.

    Ranks come with intervals; equal scores share a rank. A row or board below the profile's
    minimums is provisional. Rows with weaker evidence than the ranked level are listed without a
    rank.
    """
    from benchmaker.arenas.agentic.settling.board_keys import BoardKey

    value = "overall" if pareto else metric or "overall"
    key = BoardKey.of(value=value, by=by, window=window, filters=filters)
    with evaluated_store(context) as store:
        if pareto:
            _say_front(context, store, key, profile, metric, policy, evidence, form)
        else:
            _say_board(context, store, key, profile, policy, evidence, form)


def _say_board(  # noqa: PLR0917  private, called once
    context: Context,
    store: "Store",
    key: "BoardKey",
    profile: str,
    policy: str | None,
    evidence: str | None,
    form: str | None,
) -> None:
    from benchmaker.arenas.agentic.boards.leaderboard import stored_board
    from benchmaker.report.arenas.leaderboard import board_report, write_board_csv

    board = stored_board(store, key, profile, policy=policy, evidence=evidence)
    if not board.rows:
        _refuse_unknown_names(store, key)
    tell_all(
        context,
        lambda: board_report(board),
        form=form,
        data=board.to_dict,
        csv=lambda stream: write_board_csv(board, stream),
    )


def _say_front(  # noqa: PLR0917  private, called once
    context: Context,
    store: "Store",
    key: "BoardKey",
    profile: str,
    metric: str | None,
    policy: str | None,
    evidence: str | None,
    form: str | None,
) -> None:
    from benchmaker.arenas.agentic.boards.leaderboard import stored_front
    from benchmaker.errors import SpecError
    from benchmaker.report.arenas.fronts import fronts_report, write_fronts_csv

    figure = metric or "dollars"
    if figure not in FRONT_FIGURES:
        known = ", ".join(FRONT_FIGURES)
        raise SpecError(f"no front for {figure}.", hint=f"Choose one of {known}.")
    if policy is not None:
        raise SpecError(
            "--policy has no effect on a front, which counts all attempts.", hint="Remove --policy."
        )
    body = stored_front(store, key, profile, figure=figure, evidence=evidence)
    if not body["per_success"]:
        _refuse_unknown_names(store, key)
    tell_all(
        context,
        lambda: fronts_report(body),
        form=form,
        data=lambda: body,
        csv=lambda stream: write_fronts_csv(body, stream),
    )


def _refuse_unknown_names(store: "Store", key: "BoardKey") -> None:
    """Raise SpecError for a task, system or other filter that no submission has."""
    from benchmaker.arenas.agentic.unknown_names import unknown_in_board

    refuse(unknown_in_board(store, key))
