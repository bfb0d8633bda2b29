"""Submissions by the ids that rows have in their own tables."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from benchmaker.store.database import Database
from benchmaker.store.tables import older_tables, submissions
from benchmaker.store.text import escape, unescape

_AT_ONCE: Final = 500

_IS_NEWEST = submissions.c.is_newest + 0 == 1
"""A sum, so that SQLite looks for the ids and not for all that are newest."""


class Namesake(NamedTuple):
    """A stored submission whose row has a certain id."""

    row_id: str
    id: str
    task_id: str | None
    tool: str

    @property
    def place(self) -> str:
        """Its task and its tool, in words."""
        return f"{self.task_id or 'no task'}, {self.tool}"


def namesakes(connection: Connection, row_ids: Sequence[str]) -> list[Namesake]:
    """What is stored under these ids of rows, in the order in which it came in."""
    columns = submissions.c["row_id", "id", "task_id", "harness"]
    own = submissions.c.row_id.in_([escape(one) for one in row_ids])
    wanted = select(*columns).where(own, _IS_NEWEST).order_by(submissions.c.seq)
    return [
        Namesake(
            unescape(row.row_id),
            unescape(row.id),
            None if row.task_id is None else unescape(row.task_id),
            unescape(row.harness),
        )
        for row in connection.execute(wanted)
    ]


def stored_namesakes(database: Database, row_ids: Sequence[str]) -> Iterator[Namesake]:
    """The same of any number of ids."""
    for part in _parts(row_ids):
        with database.read() as connection:
            yield from namesakes(connection, part)


def row_ids_of(database: Database, submission_ids: Sequence[str]) -> dict[str, str]:
    """The id that the row of each of these submissions has, for those that are rows with one."""
    found: dict[str, str] = {}
    for part in _parts(submission_ids):
        own = submissions.c.id.in_([escape(one) for one in part])
        wanted = select(submissions.c.id, submissions.c.row_id).where(
            own, _IS_NEWEST, submissions.c.row_id.is_not(None)
        )
        with database.read() as connection:
            rows = connection.execute(wanted).all()
        found |= {unescape(row.id): unescape(row.row_id) for row in rows}
    return found


def older_sources(database: Database, importer: str) -> tuple[str, ...]:
    """The hashes of the tables whose rows were stored when a row was known by its file."""
    wanted = select(older_tables.c.source_sha256).where(older_tables.c.importer == escape(importer))
    with database.read() as connection:
        return tuple(connection.scalars(wanted.order_by(older_tables.c.seq)))


def in_order(database: Database, submission_ids: Sequence[str]) -> list[str]:
    """Those of these submissions that are stored, the first that came in first."""
    found: list[tuple[int, str]] = []
    for part in _parts(submission_ids):
        own = submissions.c.id.in_([escape(one) for one in part])
        wanted = select(submissions.c.seq, submissions.c.id).where(own, _IS_NEWEST)
        with database.read() as connection:
            found += [(row.seq, unescape(row.id)) for row in connection.execute(wanted)]
    return [name for _, name in sorted(found)]


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(names), _AT_ONCE):
        yield names[at : at + _AT_ONCE]
