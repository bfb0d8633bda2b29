"""The common part of commands on people, teams and tokens: the store, names, passwords."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

import click

from benchmaker.cli.context import Context, stdin_is_terminal
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record.account import Team, User
    from benchmaker.store.home import Home
    from benchmaker.store.people.accounts import AccountStore


@contextmanager
def writable_accounts(context: Context) -> Iterator["AccountStore"]:
    """Open the accounts for writing; the store is created if missing."""
    from benchmaker.cli.database import home_of
    from benchmaker.store import Store

    with Store.open(home_of(context).address) as store:
        yield store.accounts


@contextmanager
def existing_accounts(context: Context) -> Iterator["AccountStore | None"]:
    """Open the accounts for reading; None if nothing has been stored yet."""
    from benchmaker.cli.database import existing_store

    store = existing_store(context)
    if store is None:
        yield None
        return
    with store:
        yield store.accounts


def named_user(accounts: "AccountStore", name: str) -> "User":
    """Return the person with that name.

    Raises:
        SpecError: unknown name, with a suggestion.
    """
    found = accounts.user(name)
    if found is None:
        near = _suggestion(name, [user.name for user in accounts.users()])
        raise SpecError(f"there is no user {name!r}.{near}", hint="See: benchmaker user list")
    return found


def named_team(accounts: "AccountStore", slug: str) -> "Team":
    """Return the team with that short name.

    Raises:
        SpecError: unknown name, with a suggestion.
    """
    found = accounts.team(slug)
    if found is None:
        near = _suggestion(slug, [team.slug for team in accounts.teams()])
        raise SpecError(f"there is no team {slug!r}.{near}", hint="See: benchmaker team list")
    return found


def team_home(context: Context, slug: str, *, must_be_there: bool = True) -> "Home":
    """Return the location of a team's data; without accounts there is only ``main``.

    Raises:
        SpecError: unknown team, or nothing has been stored yet.
    """
    from benchmaker.cli.database import home_of, refuse_without_store
    from benchmaker.record.account import MAIN
    from benchmaker.store import Store
    from benchmaker.store.team_stores import team_place

    if must_be_there:
        refuse_without_store(context)
    place = home_of(context)
    if slug == MAIN:
        return place
    with Store.open(place.address, read_only=True) as store:
        named_team(store.accounts, slug)
    return team_place(place, slug)


def prompt_password_hash(name: str, *, from_stdin: bool) -> str:
    """Return the hash of a new password: prompted twice, or the first line of stdin.

    Raises:
        SpecError: no terminal, or an easily guessed password.
        PrerequisiteError: the package for hashing is not installed.
    """
    from benchmaker.accounts.passwords import LONGEST, hash_password, refuse_weak

    if from_stdin:
        password = sys.stdin.readline(LONGEST + 2).rstrip("\r\n")
    elif stdin_is_terminal():
        said = f"Password of {name}"
        password = click.prompt(said, hide_input=True, confirmation_prompt=True, err=True)
    else:
        raise SpecError(
            "no terminal to read a password from.",
            hint="Send the password on stdin, and add: --password-stdin",
        )
    refuse_weak(password, name)
    return hash_password(password)


def local_time(moment: str | None) -> str:
    """Return a time in the local time zone; empty for None."""
    if not moment:
        return ""
    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")


def _suggestion(word: str, known: list[str]) -> str:
    from benchmaker.spec.documents.suggestions import did_you_mean

    near = did_you_mean(word, known)
    return f" {near}" if near else ""
