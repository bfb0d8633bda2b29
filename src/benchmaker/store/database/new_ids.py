"""Ids that the store gives to new users, tokens, sign-ins and attempts."""

import secrets
from collections.abc import Callable

from benchmaker.store.database.database import Database, Room

NewId = Callable[[str], str]
"""Returns a new unique id for a kind of object (``u``, ``t``, ``s``, ``a``)."""


def random_id(kind: str) -> str:
    """Return an id such as ``u-4f0c29be71a3``."""
    return f"{kind}-{secrets.token_hex(6)}"


class IdRoom(Room):
    """Base of operations on records that get their ids from the store."""

    def __init__(self, database: Database, *, new_id: NewId = random_id) -> None:
        super().__init__(database)
        self._new_id = new_id
