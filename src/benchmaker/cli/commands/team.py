"""``benchmaker team``: the teams, their members, and public boards."""

from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.group import Subgroup
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.server.accounts import (
    existing_accounts,
    named_team,
    named_user,
    writable_accounts,
)
from benchmaker.cli.server.audit_log import note

if TYPE_CHECKING:
    from benchmaker.record.account import Team
    from benchmaker.store.people.accounts import AccountStore


class TeamGroup(Subgroup):
    """The group."""

    examples = (
        "benchmaker team add vision 'Vision group'",
        "benchmaker team role vision max member",
    )


command = TeamGroup(
    "team",
    help="""Manage teams and their members.

    Each team has its own data folder and store, and can't see those of other teams. The team main
    owns the data from before there were teams.
    """,
)


@declare(
    "add",
    examples=(
        "benchmaker team add vision 'Vision group'",
        "benchmaker team add vision --admin ada",
    ),
)
@click.argument("team")
@click.argument("title", default="")
@click.option("--admin", metavar="USER", help="First admin of the team.")
def create_team(context: Context, *, team: str, title: str, admin: str | None) -> None:
    """Add a team.

    TEAM is its short name in addresses and folders: 2 to 31 lowercase letters and digits, starting
    with a letter, with hyphens in between. TITLE is its display name.
    """
    from benchmaker.cli.database import home_of
    from benchmaker.record.account import Role
    from benchmaker.store.team_stores import make_team_place

    with writable_accounts(context) as accounts, accounts.write_transaction():
        first = named_user(accounts, admin) if admin else None
        made = accounts.add_team(team, title)
        make_team_place(home_of(context), team)
        note(accounts, "team.add", team, made.title, team=team)
        if first is not None:
            accounts.set_role(team, first.id, Role.ADMIN)
            note(accounts, "team.role", first.name, Role.ADMIN, team=team)
        data = _team_data(accounts, made)
    if context.use_json:
        say_json(data)
        return
    say(f"Added {team}: {made.title}.")
    if first is None:
        tell(f"Add an admin: {context.line('team', 'role', team, 'USER', 'admin')}")


@declare("list", examples=("benchmaker team list", "benchmaker team list --json"))
def list_teams(context: Context) -> None:
    """List teams with their members, by short name."""
    with existing_accounts(context) as accounts:
        found = [] if accounts is None else [_team_data(accounts, it) for it in accounts.teams()]
    if context.use_json:
        say_json({"teams": found})
        return
    if not found:
        say("No teams.")
        return
    from benchmaker.cli.output.table import format_table

    rows = [[it["slug"], it["title"], _visibility(it), _people(it)] for it in found]
    for line in format_table(["team", "title", "boards", "people"], rows):
        say(line)


@declare(
    "role",
    examples=("benchmaker team role vision max member", "benchmaker team role vision max none"),
)
@click.argument("team")
@click.argument("user")
@click.argument("role", type=click.Choice(("viewer", "member", "admin", "none")))
def role(context: Context, *, team: str, user: str, role: str) -> None:
    """Set a user's role in a team; none removes the user.

    A viewer reads. A member also runs, votes, labels and submits. An admin also changes settings,
    people and secrets, and reads the audit log. The last admin of a team keeps that role.
    """
    from benchmaker.record.account import Role

    with writable_accounts(context) as accounts, accounts.write_transaction():
        named_team(accounts, team)
        person = named_user(accounts, user)
        accounts.set_role(team, person.id, None if role == "none" else Role(role))
        note(accounts, "team.role", user, role, team=team)
        data = _team_data(accounts, named_team(accounts, team))
    if context.use_json:
        say_json(data)
    elif role == "none":
        say(f"{user} is not in {team}.")
    else:
        say(f"{user} has the role {role} in {team}.")


_switch = click.argument("switch", metavar="on|off", type=click.Choice(("on", "off")))


@declare("public", examples=("benchmaker team public main on",))
@click.argument("team")
@_switch
def set_public(context: Context, *, team: str, switch: str) -> None:
    """Make the boards of a team public or private.

    Nobody needs to sign in to read public boards. The contents of answers remain private.
    """
    with writable_accounts(context) as accounts, accounts.write_transaction():
        named_team(accounts, team)
        made = accounts.set_team(team, is_public=switch == "on")
        note(accounts, "team.public", team, switch, team=team)
        data = _team_data(accounts, made)
    whom = "everybody" if made.is_public else "the team only"
    say_json(data) if context.use_json else say(f"The boards of {team} are visible to {whom}.")


@declare("moderated", examples=("benchmaker team moderated main on",))
@click.argument("team")
@_switch
def set_moderated(context: Context, *, team: str, switch: str) -> None:
    """Turn moderation of submissions on or off.

    With moderation, a submission by anybody but the team's admins waits for an admin; see
    benchmaker moderate. Waiting submissions still wait after you turn it off.
    """
    with writable_accounts(context) as accounts, accounts.write_transaction():
        named_team(accounts, team)
        made = accounts.set_team(team, is_moderated=switch == "on")
        note(accounts, "team.moderated", team, switch, team=team)
        data = _team_data(accounts, made)
    what = "wait for an admin" if made.is_moderated else "count immediately"
    say_json(data) if context.use_json else say(f"Submissions to {team} {what}.")


for _one in (create_team, list_teams, role, set_public, set_moderated):
    command.add_command(_one)


def _team_data(accounts: "AccountStore", team: "Team") -> dict[str, Any]:
    """A team with its people, as JSON says it."""
    from msgspec.structs import asdict

    people = [{"user": it.user_name, "role": it.role} for it in accounts.members(team.slug)]
    return {**asdict(team), "members": people}


def _visibility(data: dict[str, Any]) -> str:
    return "public" if data["is_public"] else "the team's"


def _people(data: dict[str, Any]) -> str:
    return ", ".join(f"{it['user']} ({it['role']})" for it in data["members"]) or "nobody"
