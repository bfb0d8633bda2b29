"""Secrets of teams, encrypted by the caller: rows in, rows out."""

from typing import NamedTuple

from sqlalchemy import Delete, delete, insert, select

from benchmaker.store.database.account_tables import team_secrets
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, unescape


class SecretName(NamedTuple):
    """A secret without its value: its author and its time."""

    name: str
    by: str
    at: str


def put_secret(
    database: Database, team: str, name: str, ciphertext: bytes, *, by: str, at: str
) -> None:
    """Keep a secret under its name, instead of an earlier one.

    Raises:
        Conflict: there is no such team.
    """
    place = {"team": escape(team), "name": escape(name)}
    with database.write() as connection:
        connection.execute(_delete_secret(team, name))
        row = {**place, "ciphertext": ciphertext, "by": escape(by), "at": at}
        connection.execute(insert(team_secrets).values(**row))


def secret_names(database: Database, team: str) -> tuple[SecretName, ...]:
    """The names of a team's secrets, in their order."""
    columns = (team_secrets.c.name, team_secrets.c.by, team_secrets.c.at)
    wanted = select(*columns).where(team_secrets.c.team == escape(team))
    with database.read() as connection:
        rows = connection.execute(wanted).all()
    return tuple(sorted(SecretName(unescape(name), unescape(by), at) for name, by, at in rows))


def read_secrets(database: Database, team: str) -> dict[str, bytes]:
    """The encrypted secrets of a team by name."""
    wanted = select(team_secrets.c.name, team_secrets.c.ciphertext).where(
        team_secrets.c.team == escape(team)
    )
    with database.read() as connection:
        rows = connection.execute(wanted).all()
    return {unescape(name): bytes(ciphertext) for name, ciphertext in rows}


def drop_secret(database: Database, team: str, name: str) -> bool:
    """Delete a secret; False if it does not exist."""
    with database.write() as connection:
        return connection.execute(_delete_secret(team, name)).rowcount == 1


def _delete_secret(team: str, name: str) -> Delete:
    return delete(team_secrets).where(
        team_secrets.c.team == escape(team), team_secrets.c.name == escape(name)
    )
