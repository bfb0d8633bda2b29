"""``benchmaker audit``: actors, changes, and times."""

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import WholeNumber
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
@click.option("--actor", metavar="NAME", help="Only actions of this user, or of cli.")
@click.option(
    "--action",
    metavar="ACTION",
    help="Only this action, such as run.start; run. matches all actions on runs.",
)
@click.option("--team", metavar="TEAM", help="Only actions that concern this team.")
@click.option(
    "--before", metavar="NUMBER", type=WholeNumber(1), help="Only entries before this number."
)
@click.option(
    "--limit",
    metavar="N",
    type=WholeNumber(1, 10_000),
    default=50,
    help="Maximum number of entries. Default: 50.",
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
    """Print the audit log, newest entry first.

    The log records changes and their authors: people, tokens, runs, votes, decisions. The database
    refuses to change or delete entries. Times are local; in JSON, they are UTC.
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
        say("No recorded changes match.")
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
        tell(f"Older entries: {context.line('audit', '--before', found[-1].number)}")
