"""Text search in tasks, flags and ids of submissions, in limited parts.

Nothing here reads a whole large table: ids are looked up by prefix, names are enumerated without
their rows, and the rest is read in parts. So a page may have few rows or none, and still have a
cursor.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, Table, or_, select, type_coerce

from benchmaker.record.submissions.evaluation import Flag
from benchmaker.store.database.agentic_tables import flags, metric_rows, tasks
from benchmaker.store.database.column_types import EscapedText
from benchmaker.store.database.database import Database
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.store.database.tables import IS_NEWEST, submissions

_NAMES = 2_000
"""Maximum number of names searched for one page."""

_ROWS = 10_000
"""Maximum number of rows searched for one page."""

_LAST = "\U0010ffff"


class NamePage(NamedTuple):
    """Names, and the cursor of the next page; "" at the end."""

    rows: tuple[str, ...]
    after: str = ""


class FlagPage(NamedTuple):
    """Flags, and the cursor of the next page; "" at the end."""

    rows: tuple[Flag, ...]
    after: str = ""


class SubmissionMatch(NamedTuple):
    """The row number and the id of a submission."""

    number: int
    id: str


def _distinct_values(column: ColumnElement[str], last: str, most: int) -> Select[Any]:
    """Select the distinct values after one, each found through the index by its predecessor."""
    first = select(column.label("name")).where(column > last).order_by(column).limit(1)
    names = first.subquery("first").select().cte("names", recursive=True)
    following = (
        select(column).where(column > names.c.name).order_by(column).limit(1).scalar_subquery()
    )
    further = select(following.label("name")).select_from(names).where(names.c.name.is_not(None))
    return select(names.union_all(further).c.name).limit(most)


class SubmissionSearch:
    """Submissions, tasks and flags found by a text."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def submissions_beginning(self, text: str, limit: int) -> tuple[SubmissionMatch, ...]:
        """Return the submissions whose id begins with the text, by id; none for an empty text."""
        if not text:
            return ()
        own, start = submissions.c.id, text
        wanted = select(submissions.c.seq, own).where(IS_NEWEST)
        if self._database.is_sqlite:  # texts are in the order of characters; LIKE takes no index
            wanted = wanted.where(own >= start, own < start + _LAST)
        else:
            wanted = wanted.where(own.startswith(start, autoescape=True))
        with self._database.read() as connection:
            found = connection.execute(wanted.order_by(own).limit(limit)).all()
        return tuple(SubmissionMatch(row.seq, row.id) for row in found)

    def tasks_called(self, text: str, *, after: str = "", limit: int = 50) -> NamePage:
        """Return tasks with figures whose id contains the text, by id; reads at most 2,000."""
        place, wanted = decode_cursor(after), text.casefold()
        names = _distinct_values(metric_rows.c.task_id, str(place[0]) if place else "", _NAMES)
        with self._database.read() as connection:
            seen = [one for one in connection.scalars(names) if one is not None]
        found = [one for one in seen if wanted in one.casefold()]
        last = found[limit - 1] if len(found) > limit else seen[-1] if len(seen) == _NAMES else None
        rows = tuple(found[:limit])
        return NamePage(rows, "" if last is None else encode_cursor(last, 0))

    def tasks_saying(self, text: str, *, after: str = "", limit: int = 50) -> NamePage:
        """Return tasks whose file contains the text, latest first; reads at most 10,000."""
        own = tasks.c.is_newest == 1
        found, place = _search_rows(self._database, tasks, ("id", "body"), text, after, limit, own)
        bodies = {row.id: decode(row.body, dict[str, Any]) for row in found}
        wanted = text.casefold()
        names = tuple(one for one, body in bodies.items() if _says((one, body), wanted))
        return NamePage(names, place)

    def flags_saying(self, text: str, *, after: str = "", limit: int = 50) -> FlagPage:
        """Return flags whose kind, source or evidence contains the text, latest first.

        At most 10,000 are read.
        """
        found, place = _search_rows(
            self._database, flags, ("kind", "source", "body"), text, after, limit
        )
        made, wanted = (decode(row.body, Flag) for row in found), text.casefold()
        rows = (one for one in made if _says((one.kind, one.source, one.evidence), wanted))
        return FlagPage(tuple(rows), place)


def _says(value: Any, wanted: str) -> bool:  # noqa: ANN401  plain data
    """Return True if a text in the value contains the wanted one; field names do not count."""
    if isinstance(value, str):
        return wanted in value.casefold()
    if isinstance(value, dict):
        value = value.values()
    return isinstance(value, Iterable) and any(_says(one, wanted) for one in value)


def _search_rows(  # noqa: PLR0917  what a part of a table is
    database: Database,
    table: Table,
    columns: Sequence[str],
    text: str,
    after: str,
    limit: int,
    *own: ColumnElement[bool],
) -> tuple[Sequence[Row[Any]], str]:
    """Return the rows with the text in one of these columns, latest first, and a cursor."""
    newest = select(table.c.seq, *(table.c[name] for name in columns)).where(*own)
    if place := decode_cursor(after):
        newest = newest.where(table.c.seq < place[1])
    newest = newest.order_by(table.c.seq.desc())
    looked = newest.limit(_ROWS).subquery("looked")
    texts = (type_coerce(looked.c[name], EscapedText) for name in columns)
    holds = (column.icontains(text, autoescape=True) for column in texts)
    wanted = select(looked).where(or_(*holds)).order_by(looked.c.seq.desc()).limit(limit + 1)
    with database.read() as connection:
        found = connection.execute(wanted).all()
        if len(found) > limit:
            return found[:limit], encode_cursor("", found[limit - 1].seq)
        last = newest.with_only_columns(table.c.seq).offset(_ROWS - 1).limit(1)
        number = connection.scalar(last)
    return found, "" if number is None else encode_cursor("", number)
