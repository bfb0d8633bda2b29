"""``benchmaker reprice``: stored submissions at other prices."""

from datetime import date, datetime
from math import fsum
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json
from benchmaker.cli.output.table import format_table
from benchmaker.cli.server.audit_log import written_down
from benchmaker.report.tables.optional_figures import dollars

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.submissions.repricing import Repriced

_HEADS = ("id", "model", "reported", "computed before", "computed now")
_SHOWN = 30


@declare(
    "reprice",
    examples=(
        "benchmaker reprice",
        "benchmaker reprice --as-of 2026-02-01 --dry-run",
        "benchmaker reprice claude_code-3f2a --json",
    ),
)
@click.argument("submissions", metavar="[SUBMISSION]...", nargs=-1)
@click.option(
    "--as-of",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Use the prices of this day. Default: the day of each request.",
)
@click.option("--dry-run", is_flag=True, help="Store nothing.")
def command(
    context: Context, *, submissions: tuple[str, ...], as_of: datetime | None, dry_run: bool
) -> None:
    """Recalculate the prices of stored submissions; no log is read.

    Prices come from your prices.yaml, then from the list of the installed genai-prices. Changed
    submissions get a new revision; the old one is kept. Figures reported by the tool are never
    changed.
    """
    from benchmaker.arenas.agentic.submissions.repricing import reprice
    from benchmaker.cli.database import refuse_without_store

    refuse_without_store(context)
    day: date | None = as_of.date() if as_of else None
    action = "" if dry_run else "submission.reprice"
    with written_down(context, action, ", ".join(submissions) or "all") as ids:
        done = reprice(
            submissions, as_of=day, dry_run=dry_run, home=context.home, store=context.store_url
        )
        changed = [it for it in done if it.before.cost != it.after.cost]
        ids.extend(it.id for it in changed)
    if context.use_json:
        say_json({"repriced": [_repriced_data(it) for it in done]})
        return
    rows = [
        (
            it.id,
            it.after.system.model or "",
            dollars(it.after.cost.reported_usd),
            dollars(it.before.cost.computed_usd),
            dollars(it.after.cost.computed_usd),
        )
        for it in changed[:_SHOWN]
    ]
    for line in format_table(_HEADS, rows, right=(2, 3, 4)) if rows else ():
        say(line)
    total = fsum(it.after.cost.computed_usd or 0 for it in done)
    say(f"{len(changed):,} of {len(done):,} changed; total computed: {dollars(total)}")


def _repriced_data(repriced: "Repriced") -> dict[str, Any]:
    after = repriced.after.cost
    return {
        "id": repriced.id,
        "reported_usd": after.reported_usd,
        "computed_before_usd": repriced.before.cost.computed_usd,
        "computed_usd": after.computed_usd,
        "rate_card": after.rate_card,
        "as_of": after.as_of,
        "unpriced": after.unpriced,
        "stored": repriced.stored,
    }
