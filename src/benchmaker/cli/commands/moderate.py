"""``benchmaker moderate``: submissions waiting for a moderator, and decisions."""

from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.server.audit_log import write_down
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.submissions.moderation import ModerationRow


@declare(
    "moderate",
    examples=(
        "benchmaker moderate",
        "benchmaker moderate accept claude_code-3f2a",
        "benchmaker moderate reject claude_code-3f2a --note 'the tests were changed'",
    ),
)
@click.argument("action", type=click.Choice(("list", "accept", "reject")), default="list")
@click.argument("submission", required=False)
@click.option(
    "--state",
    type=click.Choice(("waiting", "accepted", "rejected", "all")),
    default="waiting",
    help="list: only this state.",
)
@click.option("--note", default="", metavar="TEXT", help="accept, reject: reason for the decision.")
@click.option(
    "--actor", default="local", metavar="NAME", help="accept, reject: name of the decider."
)
@click.option("--team", metavar="TEAM", default="main", help="Team. Default: main.")
def command(
    context: Context,
    *,
    action: str,
    submission: str | None,
    state: str,
    note: str,
    actor: str,
    team: str,
) -> None:
    """List, accept or reject submissions that await moderation.

    In a moderated team, a submission by anybody but its admins counts nowhere until an admin
    accepts it. A rejected submission never counts. It stays listed, and every step is kept. Both
    decisions can be changed.
    """
    if action == "list":
        _list(context, state, team)
        return
    if submission is None:
        raise SpecError(
            "no submission given.",
            hint=f"Use: benchmaker moderate {action} SUBMISSION --note WHY",
        )
    _decide(context, submission, f"{action}ed", note=note, actor=actor, team=team)


def _list(context: Context, state: str, team: str) -> None:
    from benchmaker.arenas.agentic.submissions.moderation import moderation_rows
    from benchmaker.cli.server.accounts import team_home
    from benchmaker.record.submissions.evaluation import ModerationState
    from benchmaker.store import Store

    wanted = None if state == "all" else ModerationState(state)
    with Store.open(team_home(context, team).address, read_only=True) as store:
        found = list(moderation_rows(store, wanted))
    if context.use_json:
        say_json({"moderation": [one.to_dict() for one in found]})
        return
    for one in found:
        _say(one)
    if not found:
        say("No submission waits for a moderator." if state == "waiting" else f"None is {state}.")
    elif state == "waiting":
        line = context.line("moderate", "accept", "SUBMISSION")
        tell(f"Decide, also with reject and --note WHY: {line}")


def _say(row: "ModerationRow") -> None:
    data = row.to_dict()
    by = f" by {data['actor']}" if data["actor"] else ""
    note = f": {data['note']}" if data["note"] else ""
    say(f"{data['submission_id']}  {data['state']}{by}{note}")
    say(f"  task {data['task_id'] or 'none'}, {data['system'] or 'deleted'}")
    say(f"  submitted by {data['by']}")
    figures = data["figures"]
    shown = [f"{name} {value}" for name, value in figures.items() if value is not None]
    if shown:
        say(f"  {', '.join(shown)}")
    say()


def _decide(
    context: Context, submission: str, state: str, *, note: str, actor: str, team: str
) -> None:
    from benchmaker.arenas.agentic.submissions.moderation import moderate
    from benchmaker.cli.server.accounts import team_home

    place = team_home(context, team)
    made = moderate(submission, state, note=note, actor=actor, home=place.home, store=place.url)
    name = made.step.submission_id
    write_down(context, "moderation.decide", name, state, team=team)
    if context.use_json:
        say_json({"moderation": made.step, "settled": made.settled})
        return
    say(f"{name} is {state}.")
    if made.settled:
        say(f"Its task settled again under {', '.join(made.settled)}.")
