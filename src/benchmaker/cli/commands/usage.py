"""``benchmaker usage``: tokens, cost and time of coding tools."""

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

import click

from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.figures import dollars, seconds, tokens
from benchmaker.cli.output import say, say_json, tell
from benchmaker.cli.table import table

if TYPE_CHECKING:
    from benchmaker.analysis.usage import UsageRow, UsageTable

_BYS = ("day", "tool", "model", "project", "session")
_HEADS = ("sessions", "cost", "active", "tokens", "input", "cache read", "cache write", "output")


@declare(
    "usage",
    examples=(
        "benchmaker usage --since 7d",
        "benchmaker usage --by model --since 2026-02-01",
        "benchmaker usage --by project --json",
    ),
)
@click.option("--by", type=click.Choice(_BYS), default="day", help="How to group; default day.")
@click.option("--since", metavar="DATE|7d", help="From that day on, or so many days back.")
@click.option("--until", metavar="DATE", help="Up to that day, which is not included.")
@click.option("--task", metavar="TASK", help="Only sessions of that task.")
@click.option("--utc", is_flag=True, help="Days of UTC; default is the time zone of this machine.")
def command(
    context: Context,
    *,
    by: str,
    since: str | None,
    until: str | None,
    task: str | None,
    utc: bool,
) -> None:
    """Sum up tokens, cost and time of coding tools.

    Import their logs first. A session counts for the day on which it began. Costs are those that
    the tool reported, else those computed request by request; what could not be priced is told.
    """
    from benchmaker.analysis.usage import start_of, usage  # noqa: PLC0415
    from benchmaker.cli.database import open_store  # noqa: PLC0415  loads the store

    zone = UTC if utc else _local()
    with open_store(context) as store:
        found = store.submissions(
            since=start_of(since, zone), until=start_of(until, zone), task_id=task
        )
        made = usage(found, by=by, zone=zone)  # type: ignore[arg-type]  # one of the choices
    if context.use_json:
        say_json(made.to_dict())
    else:
        _say(context, made)


def _local() -> tzinfo:
    return datetime.now().astimezone().tzinfo or UTC


def _say(context: Context, made: "UsageTable") -> None:
    if not made.rows:
        say("No sessions.")
        tell(f"Take some in: {context.line('import', 'PATH')}")
        return
    rows = [_row(row) for row in (*made.rows, made.total)]
    for line in table((made.by, *_HEADS), rows, right=range(1, len(_HEADS) + 1)):
        say(line)
    if made.total.sessions_unpriced:
        named = ", ".join(f"{name} ({tokens(n)} tokens)" for name, n in made.unpriced.items())
        tell(f"Without a known cost, not in the sums: {named}")
    if made.total.reported_usd is not None and made.total.computed_usd is not None:
        tell(
            f"Tools reported {dollars(made.total.reported_usd)}; "
            f"{dollars(made.total.computed_usd)} is computed, where each is known."
        )


def _row(row: "UsageRow") -> tuple[str, ...]:
    writes = [n for n in (row.usage.cache_write_5m, row.usage.cache_write_1h) if n is not None]
    return (
        row.key,
        tokens(row.sessions),
        dollars(row.cost_usd) + ("+" if row.sessions_unpriced and row.cost_usd is not None else ""),
        seconds(row.active_s),
        tokens(row.total_tokens),
        tokens(row.usage.input_uncached),
        tokens(row.usage.cache_read),
        tokens(sum(writes) if writes else None),
        tokens(row.usage.output),
    )
