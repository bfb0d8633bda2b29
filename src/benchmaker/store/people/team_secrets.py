"""Secrets of teams, encrypted by the caller: rows in, rows out."""

from typing import NamedTuple

from sqlalchemy import Delete, delete, insert, select

from benchmaker.store.database.account_tables import team_secrets
from benchmaker.store.database.database import Room


class SecretName(NamedTuple):
    """A secret without its value: its author and its time."""

    name: str
    by: str
    at: str


class SecretStore(Room):
    """Secrets of teams, encrypted."""

    def put_secret(self, team: str, name: str, ciphertext: bytes, *, by: str, at: str = "") -> None:
        """Store a secret under its name, replacing an earlier one.

        Raises:
            Conflict: unknown team.
        """
        at = at or self.database.now_utc()
        place = {"team": team, "name": name}
        with self.database.write() as connection:
            connection.execute(_delete_secret(team, name))
            row = {**place, "ciphertext": ciphertext, "by": by, "at": at}
            connection.execute(insert(team_secrets).values(**row))

    def secret_names(self, team: str) -> tuple[SecretName, ...]:
        """Return a team's secrets without their values, by name."""
        columns = (team_secrets.c.name, team_secrets.c.by, team_secrets.c.at)
        wanted = select(*columns).where(team_secrets.c.team == team)
        with self.database.read() as connection:
            rows = connection.execute(wanted).all()
        return tuple(sorted(SecretName(name, by, at) for name, by, at in rows))

    def secrets(self, team: str) -> dict[str, bytes]:
        """Return the encrypted secrets of a team by name."""
        wanted = select(team_secrets.c.name, team_secrets.c.ciphertext).where(
            team_secrets.c.team == team
        )
        with self.database.read() as connection:
            rows = connection.execute(wanted).all()
        return {name: bytes(ciphertext) for name, ciphertext in rows}

    def drop_secret(self, team: str, name: str) -> bool:
        """Delete a secret; False if it does not exist."""
        with self.database.write() as connection:
            return connection.execute(_delete_secret(team, name)).rowcount == 1


def _delete_secret(team: str, name: str) -> Delete:
    return delete(team_secrets).where(team_secrets.c.team == team, team_secrets.c.name == name)
