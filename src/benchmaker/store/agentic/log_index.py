"""An index of the answers in append-only logs: the offset and the content of each file.

It is a separate file in the data folder, which can be rebuilt from the logs at any time. The module
loads little beyond sqlite3, so that a status line can query it at every prompt.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker.errors import StoreError

FILE = "answers.db"
"""The file in the data folder."""

_VERSION = 1
WAIT_S = 2.0
"""Seconds to wait for another process that is writing."""
_TABLES = """
CREATE TABLE files (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, session TEXT NOT NULL,
    device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, done INTEGER NOT NULL, tail BLOB NOT NULL
);
CREATE TABLE answers (
    key TEXT NOT NULL, file INTEGER NOT NULL, at REAL, model TEXT,
    input INTEGER, cache_read INTEGER, cache_write_5m INTEGER, cache_write_1h INTEGER,
    output INTEGER, reported_usd REAL, computed_usd REAL, is_priced INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (key, file)
) WITHOUT ROWID;
CREATE INDEX answers_by_time ON answers (at);
CREATE INDEX answers_by_file ON answers (file, at);
CREATE TABLE rates (model TEXT NOT NULL, day TEXT NOT NULL, body TEXT, PRIMARY KEY (model, day));
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_COLUMNS = (
    "at, model, input, cache_read, cache_write_5m, cache_write_1h, output, reported_usd, "
    "computed_usd"
)


class IndexedFile(NamedTuple):
    """The state of a log that was read up to ``done``; ``tail`` is the end of that part."""

    path: str
    session: str
    device: int
    inode: int
    size: int
    modified_ns: int
    done: int
    tail: bytes


class IndexedAnswer(NamedTuple):
    """An answer of a model: its time, model, tokens by kind, and cost."""

    at: float | None
    model: str | None
    input: int | None
    cache_read: int | None
    cache_write_5m: int | None
    cache_write_1h: int | None
    output: int | None
    reported_usd: float | None = None
    computed_usd: float | None = None

    @property
    def kinds(self) -> tuple[int | None, ...]:
        """Its tokens: input, cache read, cache writes for 5 minutes and an hour, output."""
        return (
            self.input,
            self.cache_read,
            self.cache_write_5m,
            self.cache_write_1h,
            self.output,
        )

    @property
    def tokens(self) -> int:
        """All of its tokens."""
        return sum(n or 0 for n in self.kinds)

    @property
    def usd(self) -> float | None:
        """The reported cost, or else the computed one."""
        return self.computed_usd if self.reported_usd is None else self.reported_usd

    def merge(self, other: "IndexedAnswer") -> "IndexedAnswer":
        """Combine two rows of one answer: the larger one, completed from the other."""
        large, small = sorted((self, other), key=_size, reverse=True)
        times = [at for at in (large.at, small.at) if at is not None]
        costs = [usd for usd in (large.reported_usd, small.reported_usd) if usd is not None]
        return large._replace(
            at=min(times, default=None),
            model=large.model or small.model,
            reported_usd=max(costs, default=None),
        )


class AnswerIndex:
    """The index in a data folder, created on first use.

    Raises:
        StoreError: it cannot be opened, or another process holds it for longer than ``wait_s``.
    """

    def __init__(self, home: Path, *, wait_s: float = WAIT_S) -> None:
        home.mkdir(parents=True, exist_ok=True)
        path = home / FILE
        try:
            self._connection = _connect(path, wait_s)
        except sqlite3.OperationalError as exc:  # locked, or not ours to open
            raise StoreError(f"the index of answers can't be opened: {exc}.") from exc
        except sqlite3.DatabaseError:  # no database, or a broken one
            path.unlink(missing_ok=True)
            self._connection = _connect(path, wait_s)
        if self._version() != _VERSION:
            self._create_tables()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def write(self) -> Iterator[None]:
        """Open a transaction that locks out other writers.

        Raises:
            StoreError: another process holds the index for longer than ``wait_s``.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as exc:
            raise StoreError(f"the index of answers is in use ({exc}).") from exc
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def files(self) -> dict[str, tuple[int, IndexedFile]]:
        """Return every file by its path, with its number."""
        rows = self._connection.execute(
            "SELECT number, path, session, device, inode, size, modified_ns, done, tail FROM files"
        )
        return {row[1]: (row[0], IndexedFile(*row[1:])) for row in rows}

    def put_file(self, file: IndexedFile) -> int:
        """Store the read offset of a file; return its number."""
        row = self._connection.execute(
            "INSERT INTO files (path, session, device, inode, size, modified_ns, done, tail) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET "
            "session = excluded.session, device = excluded.device, inode = excluded.inode, "
            "size = excluded.size, modified_ns = excluded.modified_ns, done = excluded.done, "
            "tail = excluded.tail RETURNING number",
            file,
        ).fetchone()
        return int(row[0])

    def forget(self, number: int) -> None:
        """Delete a file and its answers."""
        self._connection.execute("DELETE FROM answers WHERE file = ?", (number,))
        self._connection.execute("DELETE FROM files WHERE number = ?", (number,))

    def add(self, file: int, answers: Mapping[str, IndexedAnswer]) -> None:
        """Add a file's answers by key; rows of the same answer are merged."""
        names = json.dumps(list(answers))
        known = self._connection.execute(
            f"SELECT key, {_COLUMNS} FROM answers "  # noqa: S608  our own columns
            "WHERE file = ? AND key IN (SELECT value FROM json_each(?))",
            (file, names),
        )
        merged = {**answers}
        for key, *row in known:
            merged[key] = IndexedAnswer(*row).merge(answers[key])
        self._connection.executemany(
            f"INSERT OR REPLACE INTO answers (key, file, {_COLUMNS}, is_priced) "  # noqa: S608
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0)",
            [(key, file, *answer[:8]) for key, answer in merged.items()],
        )

    def unpriced_answers(self) -> list[tuple[str, int, IndexedAnswer]]:
        """Return the answers without a computed cost: key, file, answer."""
        rows = self._connection.execute(
            f"SELECT key, file, {_COLUMNS} FROM answers WHERE is_priced = 0"  # noqa: S608
        )
        return [(key, file, IndexedAnswer(*row)) for key, file, *row in rows]

    def price(self, costs: Iterable[tuple[float | None, str, int]]) -> None:
        """Store computed costs: dollars, key, file."""
        self._connection.executemany(
            "UPDATE answers SET computed_usd = ?, is_priced = 1 WHERE key = ? AND file = ?", costs
        )

    def rates(self) -> dict[tuple[str, str], Any]:
        """Return the known prices by model and day."""
        rows = self._connection.execute("SELECT model, day, body FROM rates")
        return {(model, day): json.loads(body) for model, day, body in rows}

    def put_rates(self, rates: Mapping[tuple[str, str], Any]) -> None:
        """Store prices that were looked up."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO rates VALUES (?, ?, ?)",
            [(model, day, json.dumps(body)) for (model, day), body in rates.items()],
        )

    def use_prices(self, name: str) -> None:
        """Discard all computed costs if ``name``, which identifies the prices, has changed."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = 'prices'").fetchone()
        if row is not None and row[0] == name:
            return
        self._connection.execute("DELETE FROM rates")
        self._connection.execute("UPDATE answers SET computed_usd = NULL, is_priced = 0")
        self._connection.execute("INSERT OR REPLACE INTO facts VALUES ('prices', ?)", (name,))

    def answers_since(self, at: float) -> list[IndexedAnswer]:
        """Return the answers since a time, each once, earliest first."""
        rows = self._connection.execute(
            f"SELECT key, {_COLUMNS} FROM answers "  # noqa: S608  our own columns
            "WHERE key IN (SELECT key FROM answers WHERE at >= ?)",
            (at,),
        )
        return [one for one in _deduplicate(rows) if one.at is not None and one.at >= at]

    def times_until(self, at: float) -> Iterator[float]:
        """Yield the times of answers up to a time, latest first."""
        rows = self._connection.execute(
            "SELECT at FROM answers WHERE at <= ? ORDER BY at DESC", (at,)
        )
        return (row[0] for row in rows)

    def answers_of_session(self, session: str) -> list[IndexedAnswer]:
        """Return the answers in a session's files, each once, earliest first."""
        rows = self._connection.execute(
            f"SELECT key, {_COLUMNS} FROM answers "  # noqa: S608  our own columns
            "WHERE file IN (SELECT number FROM files WHERE session = ?)",
            (session,),
        )
        return _deduplicate(rows)

    def last_answer(self, path: str) -> IndexedAnswer | None:
        """Return the last answer in one file."""
        row = self._connection.execute(
            f"SELECT {_COLUMNS} FROM answers WHERE file = "  # noqa: S608  our own columns
            "(SELECT number FROM files WHERE path = ?) ORDER BY at DESC LIMIT 1",
            (path,),
        ).fetchone()
        return None if row is None else IndexedAnswer(*row)

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def _create_tables(self) -> None:
        """Create all tables, empty, unless another process just did."""
        with self.write():
            if self._version() == _VERSION:
                return
            names = self._connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            ).fetchall()
            for (name,) in names:
                self._connection.execute(f"DROP TABLE {name}")
            for statement in _TABLES.strip().split(";\n"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {_VERSION}")


def _size(answer: IndexedAnswer) -> tuple[int, ...]:
    """Sort by total tokens, then kind by kind."""
    return (answer.tokens, *(-1 if n is None else n for n in answer.kinds))


def _connect(path: Path, wait_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=wait_s, isolation_level=None)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _deduplicate(rows: Iterable[Sequence[Any]]) -> list[IndexedAnswer]:
    """Return each answer once, its rows merged, in order of time."""
    found: dict[str, IndexedAnswer] = {}
    for key, *row in rows:
        answer = IndexedAnswer(*row)
        known = found.get(key)
        found[key] = answer if known is None else known.merge(answer)
    return sorted(found.values(), key=lambda it: it.at or 0.0)
