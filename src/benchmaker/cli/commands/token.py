"""``benchmaker token``: credentials of programs."""

import re
from datetime import UTC, datetime, timedelta
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
    writable_accounts,
)
from benchmaker.cli.server.audit_log import note
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record.account import ApiToken
    from benchmaker.store.people.accounts import AccountStore

SCOPES = ("read", "submit", "write", "admin")

_SPAN = re.compile(r"([1-9][0-9]{0,4})([hd])")


class TokenGroup(Subgroup):
    """The group."""

    examples = (
        "benchmaker token add ada ci --scope submit",
        "benchmaker token revoke t-4f0c29be71a3",
    )


command = TokenGroup(
    "token",
    help="""Manage tokens for programs.

    A token acts for a user within one team, within its scopes and the user's role. The scope read
    allows reading, submit allows submitting, write allows all actions of a member, and admin allows
    everything.
    """,
)


@declare(
    "add",
    examples=(
        "benchmaker token add ada ci --scope submit",
        "benchmaker token add ada reports --team vision --scope read --expires 365d",
    ),
)
@click.argument("user")
@click.argument("name")
@click.option("--team", metavar="TEAM", default="main", help="Team of the token. Default: main.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="Scope of the token. Default: read. Repeatable.",
)
@click.option(
    "--expires",
    metavar="WHEN",
    default="90d",
    help="Lifetime in days or hours (90d, 12h), a date (2030-01-31), or never. Default: 90d.",
)
def create_token(
    context: Context, *, user: str, name: str, team: str, scopes: tuple[str, ...], expires: str
) -> None:
    """Create a token for a user and print its secret.

    NAME describes its purpose. The secret is printed only once, alone on stdout; the store keeps a
    hash of it. Programs send it as: Authorization: Bearer SECRET
    """
    from benchmaker.accounts.tokens import hash_secret, new_secret
    from benchmaker.store.people.tokens import scopes_of

    secret = new_secret()
    with writable_accounts(context) as accounts, accounts.write_transaction():
        owner = named_user(accounts, user)
        named_team(accounts, team)
        if accounts.role(owner.id, team) is None or not owner.is_enabled:
            why = f"is not in team {team!r}" if owner.is_enabled else "is disabled"
            raise SpecError(f"{user} {why}.", hint=f"See: {context.line('user', 'list')}")
        made = accounts.add_token(
            owner.id,
            team,
            name=name,
            scopes=scopes_of(scopes or ("read",)),
            secret_hash=hash_secret(secret),
            expires_at=_end(expires, accounts.now_utc()),
        )
        note(accounts, "token.add", made.id, _token_label(made, user), team=team)
    if context.use_json:
        say_json({**_token_data(made, user), "secret": secret})
        return
    say(secret)
    until = f"until {local_time(made.expires_at)}" if made.expires_at else "for ever"
    tell(f"{made.id}: {_token_label(made, user)}, in team {team}, {until}.")
    tell("Save the secret now. It is not shown again.")


@declare("list", examples=("benchmaker token list", "benchmaker token list --user ada --json"))
@click.option("--user", metavar="USER", help="Only tokens of this user.")
@click.option("--team", metavar="TEAM", help="Only tokens for this team.")
def list_tokens(context: Context, *, user: str | None, team: str | None) -> None:
    """List tokens, newest first, including expired and revoked ones."""
    with existing_accounts(context) as accounts:
        found, now = ([], "") if accounts is None else _find_tokens(accounts, user=user, team=team)
    if context.use_json:
        say_json({"tokens": [_token_data(*pair) for pair in found]})
        return
    if not found:
        say("No tokens.")
        return
    from benchmaker.cli.output.table import format_table

    heads = ["token", "user", "name", "team", "scopes", "until", "last used", "state"]
    for line in format_table(heads, [_row(token, owner, now) for token, owner in found]):
        say(line)


@declare("revoke", examples=("benchmaker token revoke t-4f0c29be71a3",))
@click.argument("token")
def revoke(context: Context, *, token: str) -> None:
    """Revoke a token.

    TOKEN is its id or, if the token has leaked, its secret.
    """
    from benchmaker.accounts.tokens import hash_secret, is_secret

    with writable_accounts(context) as accounts, accounts.write_transaction():
        found = accounts.token_by_hash(hash_secret(token)) if is_secret(token) else None
        if found is None and is_secret(token):
            raise SpecError("no active token has this secret.", hint="Nothing to do.")
        made = accounts.revoke_token(found.id if found else token)
        owner = accounts.user_by_id(made.user_id)
        user = owner.name if owner else made.user_id
        note(accounts, "token.revoke", made.id, _token_label(made, user), team=made.team)
    if context.use_json:
        say_json(_token_data(made, user))
    else:
        say(f"{made.id} ({made.name} of {user}) is revoked.")


for _one in (create_token, list_tokens, revoke):
    command.add_command(_one)


def _find_tokens(
    accounts: "AccountStore", *, user: str | None, team: str | None
) -> "tuple[list[tuple[ApiToken, str]], str]":
    """The tokens, each with the name of its person, and the time by the store's clock."""
    owner = named_user(accounts, user).id if user else None
    slug = named_team(accounts, team).slug if team else None
    names = {it.id: it.name for it in accounts.users()}
    tokens = accounts.tokens(team=slug, user_id=owner)
    return [(it, names[it.user_id]) for it in tokens], accounts.now_utc()


def _token_data(token: "ApiToken", user: str) -> dict[str, Any]:
    from msgspec.structs import asdict

    return {**asdict(token), "user": user}


def _token_label(token: "ApiToken", user: str) -> str:
    return f"{token.name} of {user}: {' '.join(token.scopes)}"


def _row(token: "ApiToken", user: str, now: str) -> list[str]:
    until = local_time(token.expires_at) or "never"
    used = local_time(token.last_used_at) or "never"
    state = "revoked" if token.revoked_at else "" if token.works_at(now) else "expired"
    return [token.id, user, token.name, token.team, " ".join(token.scopes), until, used, state]


def _end(text: str, now: str) -> str | None:
    """The end that was meant, UTC, ISO 8601 with milliseconds; None for never."""
    from benchmaker.record.timestamps import iso_timestamp

    if text == "never":
        return None
    span = _SPAN.fullmatch(text)
    try:
        if span:
            length = int(span[1]) * (timedelta(days=1) if span[2] == "d" else timedelta(hours=1))
            end = datetime.fromisoformat(now) + length
        else:
            end = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as exc:
        hint = "Use days or hours (90d, 12h), a date (2030-01-31), or never."
        raise SpecError(f"invalid expiry {text!r}.", hint=hint) from exc
    stamp = iso_timestamp(end)
    if stamp <= now:
        raise SpecError(f"{text!r} is in the past.", hint="Use a future time.")
    return stamp
