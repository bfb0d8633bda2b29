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
    help="""Add teams, list them, and say who is what in them.

    Each team has a data folder and a store of its own, and sees nothing of the others. The team
    main has what was there before there were teams.
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
@click.option("--admin", metavar="USER", help="Who is its first admin.")
def create_team(context: Context, *, team: str, title: str, admin: str | None) -> None:
    """Add a team.

    TEAM is its short name, in addresses and folders: 2 to 31 small letters and digits, a letter
    first, hyphens between them. TITLE is what people read.
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
        told = _team_data(accounts, made)
    if context.use_json:
        say_json(told)
        return
    say(f"Added {team}: {made.title}.")
    if first is None:
        tell(f"Give it an admin: {context.line('team', 'role', team, 'USER', 'admin')}")


@declare("list", examples=("benchmaker team list", "benchmaker team list --json"))
def list_teams(context: Context) -> None:
    """List the teams with their people, by short name."""
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
    """Set what a person is in a team; none takes them out of it.

    A viewer looks. A member runs, votes, labels, hands in. An admin also changes settings, people
    and secrets, and reads the audit log. A team's last admin stays one.
    """
    from benchmaker.record.account import Role

    with writable_accounts(context) as accounts, accounts.write_transaction():
        named_team(accounts, team)
        person = named_user(accounts, user)
        accounts.set_role(team, person.id, None if role == "none" else Role(role))
        note(accounts, "team.role", user, role, team=team)
        told = _team_data(accounts, named_team(accounts, team))
    if context.use_json:
        say_json(told)
    elif role == "none":
        say(f"{user} is not in {team}.")
    else:
        say(f"{user} is {role} of {team}.")


_switch = click.argument("switch", metavar="on|off", type=click.Choice(("on", "off")))


@declare("public", examples=("benchmaker team public main on",))
@click.argument("team")
@_switch
def set_public(context: Context, *, team: str, switch: str) -> None:
    """Show the boards of a team to everybody, or to the team alone.

    Nobody needs to sign in to read public boards; what the answers say stays the team's.
    """
    with writable_accounts(context) as accounts, accounts.write_transaction():
        named_team(accounts, team)
        made = accounts.set_team(team, is_public=switch == "on")
        note(accounts, "team.public", team, switch, team=team)
        told = _team_data(accounts, made)
    whom = "everybody" if made.is_public else "the team alone"
    say_json(told) if context.use_json else say(f"The boards of {team} are shown to {whom}.")


@declare("moderated", examples=("benchmaker team moderated main on",))
@click.argument("team")
@_switch
def set_moderated(context: Context, *, team: str, switch: str) -> None:
    """Let what is handed in wait for an admin, or count at once.

    Where it is on, submissions of whoever is no admin of the team wait for one; see
    benchmaker moderate. What waits when it is switched off goes on waiting.
    """
    with writable_accounts(context) as accounts, accounts.write_transaction():
        named_team(accounts, team)
        made = accounts.set_team(team, is_moderated=switch == "on")
        note(accounts, "team.moderated", team, switch, team=team)
        told = _team_data(accounts, made)
    what = "waits for an admin" if made.is_moderated else "counts at once"
    say_json(told) if context.use_json else say(f"What is handed in to {team} {what}.")


for _one in (create_team, list_teams, role, set_public, set_moderated):
    command.add_command(_one)


def _team_data(accounts: "AccountStore", team: "Team") -> dict[str, Any]:
    """A team with its people, as JSON says it."""
    from msgspec.structs import asdict

    people = [{"user": it.user_name, "role": it.role} for it in accounts.members(team.slug)]
    return {**asdict(team), "members": people}


def _visibility(told: dict[str, Any]) -> str:
    return "public" if told["is_public"] else "the team's"


def _people(told: dict[str, Any]) -> str:
    return ", ".join(f"{it['user']} ({it['role']})" for it in told["members"]) or "nobody"
