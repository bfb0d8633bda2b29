"""A cache of answers for repeated requests."""

from sqlalchemy import select

from benchmaker.record import Completion
from benchmaker.store.database.database import Database
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import cached_answers


def find_cached(database: Database, key: str) -> Completion | None:
    """Return the answer under the key; None if there is none."""
    wanted = select(cached_answers.c.body).where(cached_answers.c.key == key)
    with database.read() as connection:
        body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, Completion)
