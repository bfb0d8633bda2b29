"""``benchmaker secret``: keys of a team's endpoints, entered once and never shown."""

import sys
from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context, stdin_is_terminal
from benchmaker.cli.group import Subgroup
from benchmaker.cli.output.output import say, say_json
from benchmaker.cli.server.accounts import (
    existing_accounts,
    local_time,
    named_team,
    writable_accounts,
)
from benchmaker.cli.server.audit_log import ACTOR, note
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.accounts.sealing import SecretSealer
    from benchmaker.store.people.accounts import AccountStore


class SecretGroup(Subgroup):
    """The group."""

    examples = (
        "benchmaker secret set OPENAI_API_KEY < key.txt",
        "benchmaker secret list --team vision",
    )


command = SecretGroup(
    "secret",
    help="""Manage a team's keys to endpoints.

    A secret has the name of the variable that an endpoint reads. It is stored encrypted, used for
    its team alone, and never shown again. The encryption key is in BENCHMAKER_SECRETS_KEY, else in
    the file secrets.key in the data folder, which no backup of the database contains.
    """,
)

_team = click.option("--team", metavar="TEAM", default="main", help="Team. Default: main.")


@declare(
    "set",
    examples=(
        "benchmaker secret set OPENAI_API_KEY < key.txt",
        "benchmaker secret set OPENAI_API_KEY --team vision",
    ),
)
@click.argument("name")
@_team
def set_(context: Context, *, name: str, team: str) -> None:
    """Set a secret, replacing an earlier one of that name.

    The secret is read from stdin or a hidden prompt, never from an argument, which others on this
    machine could read. A running server uses it at once.
    """
    from benchmaker.accounts.sealing import checked_secret, refuse_name

    refuse_name(name)
    with writable_accounts(context) as accounts:
        _refuse_without_team(accounts, team)
        sealing = _secret_sealer(context)
        sealed = sealing.seal(checked_secret(_prompt_secret(name)), team=team, name=name)
        with accounts.write_transaction():
            accounts.put_secret(team, name, sealed, by=ACTOR)
            note(accounts, "secret.set", name, team=team)
    say_json({"team": team, "name": name}) if context.use_json else say(f"{team} has {name}.")


@declare("list", examples=("benchmaker secret list", "benchmaker secret list --json"))
@_team
def list_secrets(context: Context, *, team: str) -> None:
    """List the names of a team's secrets, with their authors and dates."""
    with existing_accounts(context) as accounts:
        found = () if accounts is None else accounts.secret_names(team)
    rows = [{"name": it.name, "by": it.by, "at": it.at} for it in found]
    if context.use_json:
        say_json({"team": team, "secrets": rows})
        return
    if not rows:
        say(f"{team} has no secrets.")
        return
    from benchmaker.cli.output.table import format_table

    shown = [[it["name"], it["by"], local_time(it["at"])] for it in rows]
    for line in format_table(["secret", "by", "at"], shown):
        say(line)


@declare("drop", examples=("benchmaker secret drop OPENAI_API_KEY --team vision",))
@click.argument("name")
@_team
def drop(context: Context, *, name: str, team: str) -> None:
    """Delete a secret."""
    with writable_accounts(context) as accounts, accounts.write_transaction():
        if not accounts.drop_secret(team, name):
            hint = f"See: {context.line('secret', 'list', '--team', team)}"
            raise SpecError(f"{team} has no secret {name!r}.", hint=hint)
        note(accounts, "secret.drop", name, team=team)
    say_json({"team": team, "name": name}) if context.use_json else say(f"Dropped {name}.")


@declare("key", examples=("benchmaker secret key",))
def key(context: Context) -> None:
    """Print a new key for BENCHMAKER_SECRETS_KEY without storing it."""
    from benchmaker.accounts.sealing import new_key

    made = new_key()
    say_json({"key": made}) if context.use_json else say(made)


@declare("reseal", examples=("benchmaker secret reseal",))
def reseal(context: Context) -> None:
    """Encrypt every secret again with the first key.

    To replace a key, put the new one before the old one, separated by a comma, and restart the
    server. Run this command, then remove the old key. Secrets whose key is gone are listed and stay
    unchanged.
    """
    from benchmaker.errors import PrerequisiteError
    from benchmaker.record.counts import count

    done, left = 0, []
    with writable_accounts(context) as accounts, accounts.write_transaction():
        sealing = _secret_sealer(context)
        for team in accounts.teams():
            for name, sealed in accounts.secrets(team.slug).items():
                try:
                    fresh = sealing.reseal(sealed, team=team.slug, name=name)
                except PrerequisiteError:
                    left.append(f"{team.slug}/{name}")
                    continue
                _put_again(accounts, team.slug, name, fresh)
                done += 1
        note(accounts, "secret.reseal", "all teams", f"{done}")
    if context.use_json:
        say_json({"resealed": done, "left": left})
        return
    say(f"{count(done, 'secret')} resealed.")
    for one in left:
        say(f"Skipped, because its key is missing: {one}")


for _one in (set_, list_secrets, drop, key, reseal):
    command.add_command(_one)


def _put_again(accounts: "AccountStore", team: str, name: str, sealed: bytes) -> None:
    """Store it again with its author and time."""
    known = next(it for it in accounts.secret_names(team) if it.name == name)
    accounts.put_secret(team, name, sealed, by=known.by, at=known.at)


def _refuse_without_team(accounts: "AccountStore", team: str) -> None:
    if not accounts.has_users():
        raise SpecError(
            "secrets need accounts, and there are none.",
            hint="Set the variable in the environment, or create the first account: "
            "benchmaker user add NAME",
        )
    named_team(accounts, team)


def _secret_sealer(context: Context) -> "SecretSealer":
    from benchmaker.accounts.sealing import SecretSealer

    return SecretSealer.of(context.home, context.environ)


def _prompt_secret(name: str) -> str:
    """Return the secret from stdin; at a terminal, typed without echo."""
    if stdin_is_terminal():
        value: str = click.prompt(f"Value of {name}", hide_input=True, err=True)
        return value
    from benchmaker.accounts.sealing import LONGEST

    return sys.stdin.read(LONGEST + 3)
