"""``benchmaker user``: people with accounts."""

from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.group import Subgroup
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.server.accounts import (
    existing_accounts,
    local_time,
    named_team,
    named_user,
    prompt_password_hash,
    writable_accounts,
)
from benchmaker.cli.server.audit_log import note
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record.account import User
    from benchmaker.store.people.accounts import AccountStore

ROLES = ("viewer", "member", "admin")


class UserGroup(Subgroup):
    """The group."""

    examples = ("benchmaker user add ada", "benchmaker user disable ada")


command = UserGroup(
    "user",
    help="""Manage users.

    Without users, the workbench is yours alone, on this machine. With the first user, everybody
    must sign in. The first user is an admin of the team main.
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
        "benchmaker user add noa --oidc --identity noa@example.org",
    ),
)
@click.argument("name")
@_stdin
@click.option(
    "--oidc",
    "uses_oidc",
    is_flag=True,
    help="No password; the user signs in with the provider configured in benchmaker serve.",
)
@click.option(
    "--identity",
    metavar="VALUE",
    help="With --oidc: value of the provider's claim. Default: NAME.",
)
@click.option("--team", metavar="TEAM", help="Also add the user to this team.")
@click.option(
    "--role", type=click.Choice(ROLES), default="member", help="Role in that team. Default: member."
)
def create_user(
    context: Context,
    *,
    name: str,
    from_stdin: bool,
    uses_oidc: bool,
    identity: str | None,
    team: str | None,
    role: str,
) -> None:
    """Add a user.

    NAME is the sign-in name: 2 to 40 lowercase letters, digits, dots, underscores and hyphens. You
    enter the password twice; it needs at least 12 characters. With --oidc, there is no password:
    the account awaits the first sign-in of the person whose claim at the provider is VALUE.
    """
    from benchmaker.store.people.users import check_user_name

    check_user_name(name)
    kept = _pending_identity(name, identity, uses_oidc=uses_oidc, from_stdin=from_stdin)
    with writable_accounts(context) as accounts:
        _refuse_taken(accounts, name)
        if team is not None and team != "main":
            named_team(accounts, team)
        hashed = None if uses_oidc else prompt_password_hash(name, from_stdin=from_stdin)
        with accounts.write_transaction():
            user = accounts.add_user(name, hashed, oidc=kept)
            note(accounts, "user.add", name)
            if team is not None:
                _put_into(accounts, user, team, role)
        data = _user_data(accounts, user)
    if context.use_json:
        say_json(data)
        return
    say(f"Added {name} ({user.id}), {_roles_text(data)}.")
    if uses_oidc:
        say(f"The account waits for the sign-in of {identity or name}.")
    if not data["teams"]:
        tell(f"Add the user to a team: {context.line('team', 'role', 'TEAM', name, 'member')}")


@declare("list", examples=("benchmaker user list", "benchmaker user list --json"))
def list_users(context: Context) -> None:
    """List all users with their teams, by name."""
    with existing_accounts(context) as accounts:
        found = [] if accounts is None else [_user_data(accounts, it) for it in accounts.users()]
    if context.use_json:
        say_json({"users": found})
        return
    if not found:
        say("No users: the workbench is open to you alone, on this machine.")
        return
    from benchmaker.cli.output.table import format_table

    rows = [[it["name"], _roles_text(it), local_time(it["made_at"]), _state(it)] for it in found]
    for line in format_table(["user", "teams", "added", "state"], rows):
        say(line)


@declare("password", examples=("benchmaker user password ada",))
@click.argument("name")
@_stdin
def password(context: Context, *, name: str, from_stdin: bool) -> None:
    """Set a user's password and end all of their sessions.

    Tokens remain valid.
    """
    with writable_accounts(context) as accounts:
        user = named_user(accounts, name)
        hashed = prompt_password_hash(name, from_stdin=from_stdin)
        with accounts.write_transaction():
            accounts.set_password(user.id, hashed)
            ended = accounts.revoke_sessions(user.id)
            note(accounts, "user.password", name)
    if context.use_json:
        say_json({"name": name, "signed_out": ended})
        return
    from benchmaker.record.counts import count

    say(f"{name} has a new password and was signed out in {count(ended, 'browser')}.")


@declare(
    "identity",
    examples=(
        "benchmaker user identity max max@example.org",
        "benchmaker user identity max --none",
    ),
)
@click.argument("name")
@click.argument("value", required=False)
@click.option("--none", "ends", is_flag=True, help="Remove the identity. The password is kept.")
def identity(context: Context, *, name: str, value: str | None, ends: bool) -> None:
    """Set a user's identity at the provider.

    The account awaits the first sign-in of the person whose claim is VALUE, which replaces an
    earlier identity. All sessions of the user end.
    """
    if (value is None) is not ends:
        raise SpecError("identity missing.", hint="Give VALUE or --none.")
    kept = _pending_identity(name, value, uses_oidc=not ends, from_stdin=False)
    with writable_accounts(context) as accounts, accounts.write_transaction():
        user = named_user(accounts, name)
        accounts.set_oidc(user.id, kept)
        accounts.revoke_sessions(user.id)
        note(accounts, "user.identity", name, value or "none")
        data = _user_data(accounts, named_user(accounts, name))
    if context.use_json:
        say_json(data)
    else:
        say(
            f"The account of {name} waits for the sign-in of {value}."
            if value
            else f"The account of {name} waits for no sign-in."
        )


@declare("disable", examples=("benchmaker user disable ada",))
@click.argument("name")
def disable(context: Context, *, name: str) -> None:
    """Disable a user.

    Their sessions end, and their tokens are revoked permanently. Their work remains under their
    name. The last admin of a team can't be disabled.
    """
    with writable_accounts(context) as accounts, accounts.write_transaction():
        user = named_user(accounts, name)
        accounts.disable(user.id)
        note(accounts, "user.disable", name)
        data = _user_data(accounts, named_user(accounts, name))
    say_json(data) if context.use_json else say(f"{name} is disabled.")


@declare("enable", examples=("benchmaker user enable ada",))
@click.argument("name")
def enable(context: Context, *, name: str) -> None:
    """Enable a user again, with the same roles. New tokens are needed."""
    with writable_accounts(context) as accounts, accounts.write_transaction():
        user = named_user(accounts, name)
        accounts.enable(user.id)
        note(accounts, "user.enable", name)
        data = _user_data(accounts, named_user(accounts, name))
    say_json(data) if context.use_json else say(f"{name} may sign in again.")


for _one in (create_user, list_users, password, identity, disable, enable):
    command.add_command(_one)


def _pending_identity(name: str, identity: str | None, *, uses_oidc: bool, from_stdin: bool) -> str:
    """Return the stored pending identity of an account; empty for one with a password."""
    from benchmaker.accounts.identities import is_claim_value, pending_identity

    if uses_oidc and from_stdin:
        raise SpecError(
            "--oidc and --password-stdin exclude each other.", hint="Remove one of them."
        )
    if identity is not None and not uses_oidc:
        raise SpecError("--identity needs --oidc.", hint="Add --oidc, or remove --identity.")
    value = name if identity is None else identity
    if not is_claim_value(value):
        raise SpecError(f"{value[:80]!r} is not a valid identity.", hint="Use 1 to 255 characters.")
    return pending_identity(value) if uses_oidc else ""


def _refuse_taken(accounts: "AccountStore", name: str) -> None:
    """Refuse a taken name before the password prompt."""
    if accounts.user(name) is not None:
        raise SpecError(
            f"user {name!r} already exists.",
            hint=f"Set the password with: benchmaker user password {name}",
        )


def _put_into(accounts: "AccountStore", user: "User", team: str, role: str) -> None:
    from benchmaker.record.account import Role

    if accounts.role(user.id, team) is not Role.ADMIN:
        accounts.set_role(team, user.id, Role(role))
        note(accounts, "team.role", user.name, role, team=team)


def _user_data(accounts: "AccountStore", user: "User") -> dict[str, Any]:
    """A person with their teams, as JSON says it."""
    from msgspec.structs import asdict

    roles = [{"team": team.slug, "role": role} for team, role in accounts.teams_of(user.id)]
    return {**asdict(user), "teams": roles}


def _roles_text(data: dict[str, Any]) -> str:
    return ", ".join(f"{it['role']} of {it['team']}" for it in data["teams"]) or "in no team"


def _state(data: dict[str, Any]) -> str:
    from benchmaker.accounts.identities import awaited_value

    disabled, kept = data["disabled_at"], data["oidc"]
    if disabled:
        return f"disabled {local_time(disabled)}"
    if value := awaited_value(kept):
        return f"awaits {value}"
    return "external sign-in" if kept else ""
