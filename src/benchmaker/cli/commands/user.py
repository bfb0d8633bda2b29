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
        "benchmaker user add noa --oidc --identity noa@example.org",
    ),
)
@click.argument("name")
@_stdin
@click.option(
    "--oidc",
    "elsewhere",
    is_flag=True,
    help="Without a password: they sign in with the provider that serve names.",
)
@click.option(
    "--identity",
    metavar="VALUE",
    help="What the provider's claim says of them; default NAME. With --oidc.",
)
@click.option("--team", metavar="TEAM", help="Put them into this team, too.")
@click.option("--role", type=click.Choice(ROLES), default="member", help="There; default member.")
def create_user(
    context: Context,
    *,
    name: str,
    from_stdin: bool,
    elsewhere: bool,
    identity: str | None,
    team: str | None,
    role: str,
) -> None:
    """Add a person.

    NAME is what they sign in with: 2 to 40 small letters, digits, dots, underscores and hyphens.
    The password is asked for twice; it has 12 characters or more. With --oidc there is none: the
    account awaits the first sign-in of whom the provider says VALUE.
    """
    from benchmaker.store.people.users import check_user_name

    check_user_name(name)
    kept = _pending_identity(name, identity, elsewhere=elsewhere, from_stdin=from_stdin)
    with writable_accounts(context) as accounts:
        _refuse_taken(accounts, name)
        if team is not None and team != "main":
            named_team(accounts, team)
        hashed = None if elsewhere else prompt_password_hash(name, from_stdin=from_stdin)
        with accounts.write_transaction():
            user = accounts.add_user(name, hashed, oidc=kept)
            note(accounts, "user.add", name)
            if team is not None:
                _put_into(accounts, user, team, role)
        told = _user_data(accounts, user)
    if context.use_json:
        say_json(told)
        return
    say(f"Added {name} ({user.id}), {_roles_text(told)}.")
    if elsewhere:
        say(f"The account awaits {identity or name}.")
    if not told["teams"]:
        tell(f"Put them into a team: {context.line('team', 'role', 'TEAM', name, 'member')}")


@declare("list", examples=("benchmaker user list", "benchmaker user list --json"))
def list_users(context: Context) -> None:
    """List everybody with their teams, by name."""
    with existing_accounts(context) as accounts:
        found = [] if accounts is None else [_user_data(accounts, it) for it in accounts.users()]
    if context.use_json:
        say_json({"users": found})
        return
    if not found:
        say("Nobody: the workbench is yours alone, on this machine.")
        return
    from benchmaker.cli.output.table import format_table

    rows = [[it["name"], _roles_text(it), local_time(it["made_at"]), _state(it)] for it in found]
    for line in format_table(["user", "teams", "added", "state"], rows):
        say(line)


@declare("password", examples=("benchmaker user password ada",))
@click.argument("name")
@_stdin
def password(context: Context, *, name: str, from_stdin: bool) -> None:
    """Set a person's password; wherever they are signed in, they are signed out.

    Tokens go on working.
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
    from benchmaker.report.tables.numbers import count

    say(f"{name} has a new password, and was signed out in {count(ended, 'browser')}.")


@declare(
    "identity",
    examples=(
        "benchmaker user identity max max@example.org",
        "benchmaker user identity max --none",
    ),
)
@click.argument("name")
@click.argument("value", required=False)
@click.option("--none", "ends", is_flag=True, help="By nobody's; the password is left alone.")
def identity(context: Context, *, name: str, value: str | None, ends: bool) -> None:
    """Say by whose identity at the provider a person is known.

    The account awaits the first sign-in of whom the provider's claim says VALUE, in place of
    whoever it was before. They are signed out wherever they are.
    """
    if (value is None) is not ends:
        raise SpecError("say whom the account awaits, or --none.", hint="Give VALUE or --none.")
    kept = _pending_identity(name, value, elsewhere=not ends, from_stdin=False)
    with writable_accounts(context) as accounts, accounts.write_transaction():
        user = named_user(accounts, name)
        accounts.set_oidc(user.id, kept)
        accounts.revoke_sessions(user.id)
        note(accounts, "user.identity", name, value or "none")
        told = _user_data(accounts, named_user(accounts, name))
    if context.use_json:
        say_json(told)
    else:
        say(f"The account of {name} awaits {value or 'nobody'}.")


@declare("disable", examples=("benchmaker user disable ada",))
@click.argument("name")
def disable(context: Context, *, name: str) -> None:
    """Let a person in no more.

    They are signed out, and their tokens are revoked for good. What they did stays under their
    name. The last admin of a team can't be disabled.
    """
    with writable_accounts(context) as accounts, accounts.write_transaction():
        user = named_user(accounts, name)
        accounts.disable(user.id)
        note(accounts, "user.disable", name)
        told = _user_data(accounts, named_user(accounts, name))
    say_json(told) if context.use_json else say(f"{name} is let in no more.")


@declare("enable", examples=("benchmaker user enable ada",))
@click.argument("name")
def enable(context: Context, *, name: str) -> None:
    """Let a person in again, with the roles they had; they need new tokens."""
    with writable_accounts(context) as accounts, accounts.write_transaction():
        user = named_user(accounts, name)
        accounts.enable(user.id)
        note(accounts, "user.enable", name)
        told = _user_data(accounts, named_user(accounts, name))
    say_json(told) if context.use_json else say(f"{name} may sign in again.")


for _one in (create_user, list_users, password, identity, disable, enable):
    command.add_command(_one)


def _pending_identity(name: str, identity: str | None, *, elsewhere: bool, from_stdin: bool) -> str:
    """Return the stored pending identity of an account; empty for one with a password."""
    from benchmaker.accounts.identities import is_claim_value, pending_identity

    if elsewhere and from_stdin:
        raise SpecError("there is no password with --oidc.", hint="Say one of the two.")
    if identity is not None and not elsewhere:
        raise SpecError("--identity goes with --oidc.", hint="Add --oidc, or leave it away.")
    value = name if identity is None else identity
    if not is_claim_value(value):
        raise SpecError(
            f"{value[:80]!r} can't be what a claim says.", hint="Give 1 to 255 characters."
        )
    return pending_identity(value) if elsewhere else ""


def _refuse_taken(accounts: "AccountStore", name: str) -> None:
    """Refuse a taken name before the password prompt."""
    if accounts.user(name) is not None:
        raise SpecError(
            f"there is a user {name!r} already.",
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


def _roles_text(told: dict[str, Any]) -> str:
    return ", ".join(f"{it['role']} of {it['team']}" for it in told["teams"]) or "in no team"


def _state(told: dict[str, Any]) -> str:
    from benchmaker.accounts.identities import awaited_value

    disabled, kept = told["disabled_at"], told["oidc"]
    if disabled:
        return f"disabled {local_time(disabled)}"
    if value := awaited_value(kept):
        return f"awaits {value}"
    return "signs in elsewhere" if kept else ""
