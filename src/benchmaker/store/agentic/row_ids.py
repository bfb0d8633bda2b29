"""Submissions by the ids of table rows."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from benchmaker.store.database.database import Room
from benchmaker.store.database.driver import execute_among
from benchmaker.store.database.escaping import unescape, unescape_or_none
from benchmaker.store.database.tables import IS_NEWEST, older_tables, submissions

_AT_ONCE: Final = 500
_NAMESAKES: Final = (
    "SELECT seq, row_id, id, task_id, harness FROM submissions WHERE is_newest + 0 = 1 AND row_id"
)


class Namesake(NamedTuple):
    """A stored submission that is a row with a given id."""

    row_id: str
    id: str
    task_id: str | None
    tool: str

    @property
    def place(self) -> str:
        """Its task and tool, for messages."""
        return f"{self.task_id or 'no task'}, {self.tool}"


def namesakes(connection: Connection, row_ids: Sequence[str]) -> list[Namesake]:
    """Return the stored submissions with these row ids, in order of arrival."""
    rows = execute_among(connection, _NAMESAKES, row_ids).fetchall()
    return [
        Namesake(unescape(row_id), unescape(name), unescape_or_none(task), unescape(tool))
        for _, row_id, name, task, tool in sorted(rows)
    ]


class RowIdStore(Room):
    """Submissions by the ids of table rows."""

    def namesakes(self, ids: Sequence[str]) -> Iterator[Namesake]:
        """Yield the stored table rows with these ids."""
        for part in _parts(ids):
            with self.database.read() as connection:
                yield from namesakes(connection, part)

    def has_row(self, row_id: str) -> bool:
        """True if any submission is a table row with that id."""
        return any(self.namesakes([row_id]))

    def older_sources(self, importer: str) -> tuple[str, ...]:
        """Return the hashes of tables whose rows were stored when rows were identified by file."""
        wanted = select(older_tables.c.source_sha256).where(older_tables.c.importer == importer)
        with self.database.read() as connection:
            return tuple(connection.scalars(wanted.order_by(older_tables.c.seq)))

    def sort_by_arrival(self, submission_ids: Sequence[str]) -> list[str]:
        """Return the stored ones of these ids, in order of arrival."""
        found: list[tuple[int, str]] = []
        for part in _parts(submission_ids):
            own = submissions.c.id.in_(part)
            wanted = select(submissions.c.seq, submissions.c.id).where(own, IS_NEWEST)
            with self.database.read() as connection:
                found += [(row.seq, row.id) for row in connection.execute(wanted)]
        return [name for _, name in sorted(found)]

    def row_ids(self, submission_ids: Sequence[str]) -> dict[str, str]:
        """Return the row ids of those of these submissions that are table rows with an id."""
        found: dict[str, str] = {}
        for part in _parts(submission_ids):
            own = submissions.c.id.in_(part)
            wanted = select(submissions.c.id, submissions.c.row_id).where(
                own, IS_NEWEST, submissions.c.row_id.is_not(None)
            )
            with self.database.read() as connection:
                rows = connection.execute(wanted).all()
            found |= {row.id: row.row_id for row in rows}
        return found


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(names), _AT_ONCE):
        yield names[at : at + _AT_ONCE]
