"""``benchmaker usage``: tokens, cost and time of coding tools."""

from datetime import UTC
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import SECONDS
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from datetime import tzinfo

_VIEWS = {"daily": "day", "weekly": "week", "monthly": "month", "session": "session"}
_BYS = ("day", "week", "month", "tool", "model", "project", "session")
_WEEKDAYS = ("monday", "sunday")


@declare(
    "usage",
    examples=(
        "benchmaker usage --since 7d",
        "benchmaker usage monthly --breakdown",
        "benchmaker usage blocks --active",
        "benchmaker usage --by project --json",
        "benchmaker usage statusline",
    ),
)
@click.argument(
    "view",
    required=False,
    type=click.Choice((*_VIEWS, "blocks", "statusline")),
    metavar="[daily|weekly|monthly|session|blocks|statusline]",
)
@click.option("--by", type=click.Choice(_BYS), help="Grouping. Default: day.")
@click.option(
    "--since", metavar="DATE|7d", help="Only answers since this day; 7d means seven days ago."
)
@click.option("--until", metavar="DATE", help="Only answers before this day.")
@click.option("--task", metavar="TASK", help="Only sessions of this task.")
@click.option(
    "--project", metavar="TEXT", help="Only sessions whose folder contains TEXT, ignoring case."
)
@click.option("--tool", metavar="NAME", help="Only sessions of this tool, such as claude-code.")
@click.option("--breakdown", is_flag=True, help="Add a row for each model below each row.")
@click.option("--active", is_flag=True, help="Only active blocks.")
@click.option(
    "--benchmarks", is_flag=True, help="Summarise imported benchmarks and tables instead."
)
@click.option("--timezone", metavar="NAME", help="Time zone of days. Default: this machine's.")
@click.option("--utc", is_flag=True, help="Use days in UTC.")
@click.option(
    "--start-of-week",
    type=click.Choice(_WEEKDAYS),
    default="monday",
    help="First day of the week. Default: monday.",
)
@click.option("--stored", is_flag=True, help="Summarise stored sessions only; read no new logs.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--live", is_flag=True, help="Print again after every change, until Ctrl-C.")
@click.option(
    "--interval",
    metavar="SECONDS",
    type=SECONDS,
    default=5.0,
    help="Seconds between the checks of --live. Default: 5.",
)
def command(
    context: Context,
    *,
    view: str | None,
    by: str | None,
    since: str | None,
    until: str | None,
    task: str | None,
    project: str | None,
    tool: str | None,
    breakdown: bool,
    active: bool,
    benchmarks: bool,
    timezone: str | None,
    utc: bool,
    start_of_week: str,
    stored: bool,
    as_csv: bool,
    live: bool,
    interval: float,
) -> None:
    """Summarise tokens, cost and time of coding tools.

    New and grown logs are imported first, from the folders of the tools. Tokens and cost count at
    the time of each answer, so a session of three days is split. Costs are those reported by the
    tool, else calculated per request; tokens without a known price are listed. A block is five
    hours of one tool, with its burn rate and projection.

    Imported benchmarks, leaderboards and tables are never added to your own sessions; their number
    is printed below the totals. Use statusline to print a status line for Claude Code, which sends
    its data on stdin.
    """
    if view == "statusline":
        from benchmaker.cli.actions.status_line import say_statusline

        say_statusline(context, zone=_zone(timezone, utc=utc))
        return
    _refuse_together(context, view, by=by, active=active, breakdown=breakdown)
    if as_csv and context.use_json:
        raise SpecError("stdout can't hold both.", hint="Give --json or --csv.")
    from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery
    from benchmaker.cli.actions.usage_report import UsageReport, follow

    query = UsageQuery(
        by=by or _VIEWS.get(view or "", "day"),  # type: ignore[arg-type]  # one of the choices
        since=since,
        until=until,
        zone=_zone(timezone, utc=utc),
        task=task,
        project=project,
        tool=tool,
        week_begins=6 * _WEEKDAYS.index(start_of_week),
        benchmarks=benchmarks,
    )
    report = UsageReport(
        context,
        query,
        has_blocks=view == "blocks",
        active_only=active,
        breakdown=breakdown,
        as_csv=as_csv,
        collects=not stored,
    )
    if live:
        follow(report, interval)
    else:
        report.say()


def _refuse_together(
    context: Context, view: str | None, *, by: str | None, active: bool, breakdown: bool
) -> None:
    """Refuse options that do not fit the view."""
    if by and view:
        raise SpecError(f"{view} already sets the grouping.", hint=f"Remove {view} or --by.")
    if active and view != "blocks":
        raise SpecError(
            "--active works only with blocks.",
            hint=f"Use: {context.line('usage', 'blocks', '--active')}",
        )
    if breakdown and view == "blocks":
        raise SpecError("blocks have no breakdown.", hint="Remove --breakdown.")


def _zone(name: str | None, *, utc: bool) -> "tzinfo | None":
    """The chosen time zone; None for this machine's."""
    if name and utc:
        raise SpecError("--timezone and --utc exclude each other.", hint="Remove one of them.")
    if not name:
        return UTC if utc else None
    from benchmaker.analysis.usage.days import zone_named

    return zone_named(name)
