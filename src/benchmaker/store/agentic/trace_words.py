"""Find pieces of traces that may contain given words, newest first, by their filters.

Every filter is tested; together they are a fiftieth of the size of the texts. With SQLite they are
tested in this process, with PostgreSQL by the server.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection

from benchmaker.store.database.database import Database
from benchmaker.store.database.driver import execute
from benchmaker.store.database.escaping import escape, unescape

WORDS = "words"
"""The part of a trace with a filter for each chunk of its events."""

MayHold = Callable[[bytes], bool]
Probes = Collection[tuple[int, int]]

_PAGE = 500
_FROM = (
    "FROM traces t JOIN submissions s ON s.seq = t.submission_seq "
    "WHERE t.part = 'words' AND s.is_newest = 1"
)
_BEFORE = " AND (t.submission_seq < ? OR (t.submission_seq = ? AND t.number < ?))"
_ORDER = " ORDER BY t.submission_seq DESC, t.number DESC"


class Piece(NamedTuple):
    """A chunk of a submission's events, ``number``, with the submission's row number and id."""

    submission_seq: int
    submission_id: str
    number: int


def _where_clause(
    tools: Collection[str] | None, since: str | None, before: tuple[int, int] | None
) -> tuple[str, list[Any]]:
    where, values = "", list[Any]()
    if tools is not None:
        places = ", ".join("?" * len(tools)) or "NULL"
        where += f" AND (s.harness IN ({places}) OR s.importer IN ({places}))"
        values += [*map(escape, tools)] * 2
    if since:
        where += " AND coalesce(s.finished_at, s.started_at) >= ?"
        values.append(since)
    if before:
        where, values = where + _BEFORE, [*values, before[0], *before]
    return where, values


def _filter_locally(
    connection: Connection, may_hold: MayHold, where: str, values: Sequence[Any]
) -> Iterator[tuple[int, str, int]]:
    statement = f"SELECT t.submission_seq, s.id, t.number, t.body {_FROM}{where}{_ORDER}"
    cursor = execute(connection, statement, values)
    try:
        while rows := cursor.fetchmany(_PAGE):
            for seq, name, number, body in rows:
                if may_hold(body):
                    yield seq, name, number
    finally:
        cursor.close()


def _filter_in_database(  # noqa: PLR0917  what a query is made of
    connection: Connection,
    probes: Probes,
    probes_each: int,
    where: str,
    values: Sequence[Any],
    limit: int,
) -> Sequence[tuple[int, str, int]]:
    bits = "nullif(octet_length(t.body) * 8, 0)"
    places = [start + number * step for start, step in probes for number in range(probes_each)]
    tests = "".join(f" AND get_bit(t.body, (?::bigint %% {bits})::int) = 1" for _ in places)
    statement = f"SELECT t.submission_seq, s.id, t.number {_FROM}{where}{tests}{_ORDER} LIMIT ?"
    found: Sequence[tuple[int, str, int]] = execute(
        connection, statement, [*values, *places, limit]
    ).fetchall()
    return found


class TraceWords:
    """Pieces of traces that may contain given words, and their chunks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pieces_with(
        self,
        may_hold: MayHold,
        probes: Probes,
        probes_each: int,
        *,
        tools: Collection[str] | None = None,
        since: str | None = None,
        before: tuple[int, int] | None = None,
        limit: int = 50,
    ) -> list[Piece]:
        """Return the newest pieces whose filters may contain all words.

        Args:
            may_hold: tests a filter.
            probes: a start and a step for each word, for a server that tests filters itself.
            probes_each: number of bits that a word sets in a filter.
            tools: only sessions whose tool or importer has one of these names.
            since: only sessions active from then on, ISO 8601 in UTC.
            before: only pieces older than this one: the row number of its submission, its own
                number.
            limit: maximum number of pieces.
        """
        where, values = _where_clause(tools, since, before)
        with self._database.read() as connection:
            if self._database.is_sqlite:
                rows = list(islice(_filter_locally(connection, may_hold, where, values), limit))
            else:
                rows = list(
                    _filter_in_database(connection, probes, probes_each, where, values, limit)
                )
        return [Piece(seq, unescape(name), number) for seq, name, number in rows]

    def is_stored_again(self, seq: int, session_id: str, source_sha256: str | None = None) -> bool:
        """True if a later submission of the same session has texts.

        Args:
            seq: the row number of the earlier submission.
            session_id: the session's id in its log.
            source_sha256: the content of the session, if its id alone does not identify it.
        """
        where, values = "", [escape(session_id), seq]
        if source_sha256 is not None:
            where, values = " AND s.source_sha256 = ?", [*values, source_sha256]
        statement = (
            "SELECT 1 FROM submissions s WHERE s.session_id = ? AND s.seq > ? "  # noqa: S608  words of ours
            "AND s.is_newest + 0 = 1 AND EXISTS "
            "(SELECT 1 FROM traces t WHERE t.submission_seq = s.seq AND t.part = 'words')"
            f"{where} LIMIT 1"
        )
        with self._database.read() as connection:
            return execute(connection, statement, values).fetchone() is not None

    def chunk_of(self, piece: Piece, part: str) -> bytes | None:
        """Return the chunk with that number of a part; None if it was deleted."""
        statement = "SELECT body FROM traces WHERE submission_seq = ? AND part = ? AND number = ?"
        with self._database.read() as connection:
            place = (piece.submission_seq, part, piece.number)
            row = execute(connection, statement, place).fetchone()
        return None if row is None else bytes(row[0])

    def without_words(self, events: str) -> list[str]:
        """Return the ids of submissions with events but without filters."""
        statement = (
            "SELECT DISTINCT s.id FROM submissions s JOIN traces t ON t.submission_seq = s.seq "
            "WHERE s.is_newest = 1 AND t.part = ? AND NOT EXISTS (SELECT 1 FROM traces w "
            "WHERE w.submission_seq = s.seq AND w.part = 'words')"
        )
        with self._database.read() as connection:
            rows = execute(connection, statement, (events,)).fetchall()
        return [unescape(row[0]) for row in rows]
