"""``benchmaker user``: who may sign in."""

from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.accounts import (
    asked_password,
    changing,
    local_time,
    named_team,
    named_user,
    note,
    reading,
)
from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.group import Subgroup
from benchmaker.cli.output import say, say_json, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record.account import User
    from benchmaker.store.accounts import AccountStore

ROLES = ("viewer", "member", "admin")


class UserGroup(Subgroup):
    """The group."""

    examples = ("benchmaker user add ada", "benchmaker user disable ada")


command = UserGroup(
    "user",
    help="""Add people, list them, and let them in or not.

    As long as there is nobody, the workbench is yours alone, on this machine. With the first
    user, everybody has to sign in; the first is an admin of the team main.
    """,
)

_stdin = click.option(
    "--password-stdin", "from_stdin", is_flag=True, help="Read the password from stdin, one line."
)


@declare(
    "add",
    examples=(
        "benchmaker user add ada",
        "benchmaker user add max --team main --role member --password-stdin < password.txt",
    ),
)
@click.argument("name")
@_stdin
@click.option("--team", metavar="TEAM", help="Put them into this team, too.")
@click.option("--role", type=click.Choice(ROLES), default="member", help="There; default member.")
def add(
    context: Context,
    *,
    name: str,
    from_stdin: bool,
    team: str | None,
    role: str,
) -> None:
    """Add a person.

    NAME is what they sign in with: 2 to 40 small letters, digits, dots, underscores and hyphens.
    The password is asked for twice; it has 12 characters or more.
    """
    from benchmaker.store.users import refuse_odd  # noqa: PLC0415  --help needs none of it

    refuse_odd(name)
    with changing(context) as accounts:
        _refuse_taken(accounts, name)
        if team is not None and team != "main":
            named_team(accounts, team)
        user = accounts.add_user(name, asked_password(name, from_stdin=from_stdin))
        note(accounts, "user.add", name)
        if team is not None:
            _put_into(accounts, user, team, role)
        told = _told(accounts, user)
    if context.use_json:
        say_json(told)
        return
    say(f"Added {name} ({user.id}), {_places(told)}.")
    if not told["teams"]:
        tell(f"Put them into a team: {context.line('team', 'role', 'TEAM', name, 'member')}")


@declare("list", examples=("benchmaker user list", "benchmaker user list --json"))
def list_(context: Context) -> None:
    """List everybody with their teams, by name."""
    with reading(context) as accounts:
        found = [] if accounts is None else [_told(accounts, it) for it in accounts.users()]
    if context.use_json:
        say_json({"users": found})
        return
    if not found:
        say("Nobody: the workbench is yours alone, on this machine.")
        return
    from benchmaker.cli.table import table  # noqa: PLC0415

    rows = [[it["name"], _places(it), local_time(it["made_at"]), _state(it)] for it in found]
    for line in table(["user", "teams", "added", "state"], rows):
        say(line)


@declare("password", examples=("benchmaker user password ada",))
@click.argument("name")
@_stdin
def password(context: Context, *, name: str, from_stdin: bool) -> None:
    """Set a person's password; wherever they are signed in, they are signed out.

    Tokens go on working.
    """
    with changing(context) as accounts:
        user = named_user(accounts, name)
        accounts.set_password(user.id, asked_password(name, from_stdin=from_stdin))
        ended = accounts.revoke_sessions(user.id)
        note(accounts, "user.password", name)
    if context.use_json:
        say_json({"name": name, "signed_out": ended})
        return
    from benchmaker.report.numbers import count  # noqa: PLC0415  --help needs none of it

    say(f"{name} has a new password, and was signed out in {count(ended, 'browser')}.")


@declare("disable", examples=("benchmaker user disable ada",))
@click.argument("name")
def disable(context: Context, *, name: str) -> None:
    """Let a person in no more.

    They are signed out, and their tokens are revoked for good. What they did stays under their
    name. The last admin of a team can't be disabled.
    """
    with changing(context) as accounts:
        user = named_user(accounts, name)
        accounts.disable(user.id)
        note(accounts, "user.disable", name)
        told = _told(accounts, named_user(accounts, name))
    say_json(told) if context.use_json else say(f"{name} is let in no more.")


@declare("enable", examples=("benchmaker user enable ada",))
@click.argument("name")
def enable(context: Context, *, name: str) -> None:
    """Let a person in again, with the roles they had; they need new tokens."""
    with changing(context) as accounts:
        user = named_user(accounts, name)
        accounts.enable(user.id)
        note(accounts, "user.enable", name)
        told = _told(accounts, named_user(accounts, name))
    say_json(told) if context.use_json else say(f"{name} may sign in again.")


for _one in (add, list_, password, disable, enable):
    command.add_command(_one)


def _refuse_taken(accounts: "AccountStore", name: str) -> None:
    """Before a password is asked for."""
    if accounts.user(name) is not None:
        raise SpecError(
            f"there is a user {name!r} already.",
            hint=f"Set the password with: benchmaker user password {name}",
        )


def _put_into(accounts: "AccountStore", user: "User", team: str, role: str) -> None:
    from benchmaker.record.account import Role  # noqa: PLC0415  --help needs none of it

    if accounts.role(user.id, team) is not Role.ADMIN:
        accounts.set_role(team, user.id, Role(role))
        note(accounts, "team.role", user.name, role, team=team)


def _told(accounts: "AccountStore", user: "User") -> dict[str, Any]:
    """A person with their teams, as JSON says it."""
    from msgspec.structs import asdict  # noqa: PLC0415  --help needs none of it

    roles = [{"team": team.slug, "role": role} for team, role in accounts.teams_of(user.id)]
    return {**asdict(user), "teams": roles}


def _places(told: dict[str, Any]) -> str:
    return ", ".join(f"{it['role']} of {it['team']}" for it in told["teams"]) or "in no team"


def _state(told: dict[str, Any]) -> str:
    disabled = told["disabled_at"]
    return f"disabled {local_time(disabled)}" if disabled else ""
