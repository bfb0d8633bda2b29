"""Custom scoring profiles: rows in, rows out."""

from typing import Any, NamedTuple

from sqlalchemy import insert, select, update

from benchmaker.store.database.agentic_tables import profiles
from benchmaker.store.database.database import Room
from benchmaker.store.database.json_values import decode, encode


class StoredProfile(NamedTuple):
    """A profile's document as plain data, with its state."""

    name: str
    state: str
    document: dict[str, Any]


class ProfileStore(Room):
    """Profiles that users added."""

    def put_profile(self, profile: StoredProfile) -> None:
        """Store a profile under its name, replacing an earlier one."""
        name = profile.name
        row = {"state": profile.state, "body": encode(profile.document)}
        with self.database.write() as connection:
            stamped = row | {"updated_at": self.database.now_utc()}
            own = update(profiles).where(profiles.c.name == name)
            if not connection.execute(own.values(**stamped)).rowcount:
                connection.execute(insert(profiles).values(name=name, **stamped))

    def own_profiles(self) -> tuple[StoredProfile, ...]:
        """Return all stored profiles, including dropped ones, oldest first."""
        wanted = select(profiles).order_by(profiles.c.seq)
        with self.database.read() as connection:
            return tuple(
                StoredProfile(row["name"], row["state"], decode(row["body"], dict[str, Any]))
                for row in connection.execute(wanted).mappings()
            )
