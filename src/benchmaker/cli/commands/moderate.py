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
    help="list: which.",
)
@click.option("--note", default="", metavar="TEXT", help="accept, reject: why.")
@click.option("--actor", default="local", metavar="NAME", help="accept, reject: who decides.")
@click.option("--team", metavar="TEAM", default="main", help="Whose; default main.")
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
    """List what waits for a moderator, accept it, or reject it.

    In a team that is moderated, what is handed in by somebody who is no admin of it counts nowhere
    until an admin accepts it. What is rejected never counts; it stays listed, and every step is
    kept. Either can be decided again.
    """
    if action == "list":
        _list(context, state, team)
        return
    if submission is None:
        raise SpecError(
            "a decision names a submission.",
            hint=f"benchmaker moderate {action} SUBMISSION --note WHY",
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
        say("Nothing waits for a moderator." if state == "waiting" else f"None is {state}.")
    elif state == "waiting":
        line = context.line("moderate", "accept", "SUBMISSION")
        tell(f"Decide: {line}, or reject SUBMISSION --note WHY")


def _say(row: "ModerationRow") -> None:
    told = row.to_dict()
    by = f" by {told['actor']}" if told["actor"] else ""
    note = f": {told['note']}" if told["note"] else ""
    say(f"{told['submission_id']}  {told['state']}{by}{note}")
    say(f"  task {told['task_id'] or 'none'}, {told['system'] or 'deleted'}")
    say(f"  handed in by {told['by']}")
    figures = told["figures"]
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
