"""A cache of answers for repeated requests."""

from sqlalchemy import select

from benchmaker.record import Completion
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import cached_answers


class AnswerCache(Room):
    """Answers by a digest of their whole request."""

    @retry_reads
    def find_cached(self, key: str) -> Completion | None:
        """Return the answer stored under this key; None if there is none."""
        wanted = select(cached_answers.c.body).where(cached_answers.c.key == key)
        with self.database.read() as connection:
            body: str | None = connection.scalar(wanted)
        return None if body is None else decode(body, Completion)
