"""Outgoing messages, stored until they are delivered.

A message is put in the transaction of the change it announces: both are stored, or neither. Each
``dedupe_key`` is used only once, so that a repeated change is announced once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select, update

from benchmaker.errors import StoreError
from benchmaker.store.database.database import Database, Room, retry_reads
from benchmaker.store.database.inserts import insert_all, insert_new
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import outbox


@dataclass(frozen=True, slots=True)
class Message:
    """An announcement; ``body`` is plain data."""

    topic: str
    dedupe_key: str
    body: Mapping[str, Any] = field(default_factory=dict)
    actor: str = "local"


@dataclass(frozen=True, slots=True)
class PendingMessage:
    """A message that is not delivered yet; ``attempts`` counts the failed attempts."""

    seq: int
    message: Message
    created_at: str
    attempts: int
    last_error: str | None


def put_in(connection: Connection, message: Message, now: str) -> bool:
    """Put a message into the current transaction; False if its key is taken."""
    return insert_new(connection, outbox, _row(message, now))


def put_all_in(connection: Connection, messages: Iterable[Message], now: str) -> int:
    """Add messages to the current transaction; return the number with a new key."""
    return insert_all(connection, outbox, [_row(one, now) for one in messages])


def _row(message: Message, now: str) -> dict[str, Any]:
    return {
        "dedupe_key": message.dedupe_key,
        "topic": message.topic,
        "body": encode(dict(message.body)),
        "actor": message.actor,
        "created_at": now,
        "attempts": 0,
    }


class MessageStore(Room):
    """Messages waiting for delivery."""

    def put_message(self, message: Message) -> bool:
        """Add a message in its own transaction; False if its key was used before."""
        with self.database.write() as connection:
            return put_in(connection, message, self.database.now_utc())

    @retry_reads
    def pending_messages(self, limit: int = 100, *, after: int = 0) -> tuple[PendingMessage, ...]:
        """Return the waiting messages with a number above ``after``, oldest first."""
        waiting = select(outbox).where(outbox.c.delivered_at.is_(None), outbox.c.seq > after)
        with self.database.read() as connection:
            rows = connection.execute(waiting.order_by(outbox.c.seq).limit(limit)).mappings().all()
        return tuple(
            PendingMessage(
                seq=row["seq"],
                message=Message(
                    topic=row["topic"],
                    dedupe_key=row["dedupe_key"],
                    body=decode(row["body"], dict[str, Any]),
                    actor=row["actor"],
                ),
                created_at=row["created_at"],
                attempts=row["attempts"],
                last_error=row["last_error"],
            )
            for row in rows
        )

    def mark_delivered(self, seq: int) -> None:
        """Mark a message as delivered; it is never pending again.

        Raises:
            StoreError: there is no such message.
        """
        _note(self.database, seq, {"delivered_at": self.database.now_utc()})

    def mark_failed(self, seq: int, error: str) -> None:
        """Record a failed attempt; the message remains pending.

        Raises:
            StoreError: there is no such message.
        """
        _note(self.database, seq, {"attempts": outbox.c.attempts + 1, "last_error": error})


def _note(database: Database, seq: int, values: Mapping[str, Any]) -> None:
    with database.write() as connection:
        noted = connection.execute(update(outbox).where(outbox.c.seq == seq).values(**values))
    if noted.rowcount != 1:
        raise StoreError(f"there is no message {seq}.", where=str(database.address))
