"""``benchmaker audit``: actors, changes, and times."""

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.server.accounts import existing_accounts, local_time

_HEADS = ("number", "time", "who", "team", "action", "what", "more", "from")


@declare(
    "audit",
    examples=(
        "benchmaker audit",
        "benchmaker audit --action token. --limit 200 --json",
        "benchmaker audit --actor ada --team main",
    ),
)
@click.option("--actor", metavar="NAME", help="Only what this one did: a user's name, or cli.")
@click.option("--action", metavar="ACTION", help="Only this: run.start; run. is all of a kind.")
@click.option("--team", metavar="TEAM", help="Only what concerns this team.")
@click.option("--before", metavar="NUMBER", type=click.IntRange(1), help="Only lines before it.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=50,
    help="How many; default 50.",
)
def command(
    context: Context,
    *,
    actor: str | None,
    action: str | None,
    team: str | None,
    before: int | None,
    limit: int,
) -> None:
    """Print the audit log, the newest line first.

    It says who changed what: people, tokens, runs, votes, decisions. The database refuses to
    change or delete a line. Times are local; in JSON they are UTC.
    """
    with existing_accounts(context) as accounts:
        found = (
            ()
            if accounts is None
            else accounts.audit_entries(
                actor=actor, action=action, team=team, before=before, limit=limit
            )
        )
    if context.use_json:
        say_json({"entries": found})
        return
    if not found:
        say("No lines.")
        return
    from benchmaker.cli.output.table import format_table

    rows = [
        [str(it.number), local_time(it.at), it.actor, it.team, it.action, it.object, it.detail,
         it.address]
        for it in found
    ]  # fmt: skip
    for line in format_table(_HEADS, rows, right=[0]):
        say(line)
    if len(found) == limit and found[-1].number > 1:
        tell(f"Further back: {context.line('audit', '--before', found[-1].number)}")
