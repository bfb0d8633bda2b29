"""The chunk of columns of a row of figures; lightweight, for writers of rows."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, delete, text

from benchmaker.store.database.agentic_tables import metric_chunks

ROWS: Final = 4_096
"""Number of row numbers in a chunk."""


def forget(connection: Connection, numbers: Iterable[int]) -> None:
    """Drop the chunks of these row numbers, whose rows change in the current transaction."""
    chunks = sorted({number // ROWS for number in numbers})
    if chunks:
        connection.execute(delete(metric_chunks).where(metric_chunks.c.number.in_(chunks)))


def lock(connection: Connection) -> None:
    """Lock the figures against concurrent changes; SQLite has a single writer anyway."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(6276365)"))
