"""Rows on their way into the store: sorted and made unique in a temporary file."""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import le
from typing import Any, Literal, NamedTuple

_BATCH = 1_000
_TABLES = """
CREATE TABLE cases (number INTEGER PRIMARY KEY, id TEXT, digest BLOB, sort TEXT, body BLOB,
    rank INTEGER DEFAULT 9007199254740992, UNIQUE (id, digest));
CREATE TABLE texts (number INTEGER, prompt TEXT, text TEXT, PRIMARY KEY (number, prompt))
    WITHOUT ROWID;
CREATE TABLE rows (seq INTEGER PRIMARY KEY, key INTEGER UNIQUE, number INTEGER, setup INTEGER,
    body BLOB);
CREATE TABLE keys (key INTEGER PRIMARY KEY);
CREATE TABLE batches (number INTEGER PRIMARY KEY, keys BLOB, body BLOB, cases BLOB, answers BLOB);
"""


class NewCase(NamedTuple):
    """A case: its id and a digest of its question, by which it is known; ``sort`` orders it."""

    id: str
    digest: bytes
    sort: str
    body: bytes


class NewRow(NamedTuple):
    """A row, known by its key, of the case of a number."""

    key: int
    case: int
    setup: int
    body: bytes


FoundCase = tuple[int, str, bytes, bytes]
"""Number, id, digest and body of a case; cases with one id are neighbours, stored ones first."""

FoundRow = tuple[int, int, int, bytes]
"""The key of a row, the numbers of its case and setup, and its body."""


class RowSpool:
    """Cases and rows in a temporary file, each once; memory does not grow with their number."""

    def __init__(self) -> None:
        self._ranked = 0
        self._has_order, self._last_case, self._last_row = True, ("", ""), (0, 0)
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLES)
        self._database.execute("PRAGMA journal_mode=OFF")
        self._database.execute("BEGIN")

    def close(self) -> None:
        """Delete the temporary file."""
        self._database.close()

    def add_cases(self, cases: Sequence[NewCase]) -> list[int]:
        """Add cases, unless they are there; return the number of each."""
        (last,) = self._database.execute("SELECT MAX(number) FROM cases").fetchone()
        before = self._database.total_changes
        self._database.executemany(
            "INSERT OR IGNORE INTO cases (id, digest, sort, body) VALUES (?, ?, ?, ?)", cases
        )
        if self._database.total_changes - before == len(cases):
            self._note_order(cases)
            first = (last or 0) + 1
            return list(range(first, first + len(cases)))
        numbers = [self._number_of(case) for case in cases]
        known = last or 0
        self._note_order([it for it, at in zip(cases, numbers, strict=True) if at > known])
        return numbers

    def _number_of(self, case: NewCase) -> int:
        found = self._database.execute(
            "SELECT number FROM cases WHERE id = ? AND digest = ?", (case.id, case.digest)
        ).fetchone()
        number: int = found[0]
        return number

    def _note_order(self, cases: Sequence[NewCase]) -> None:
        """Note if the numbers of the cases are no longer in their order."""
        if self._has_order:
            places = [self._last_case, *((case.sort, case.id) for case in cases)]
            self._last_case = places[-1]
            self._has_order = all(map(le, places, places[1:]))

    def rank_case(self, number: int) -> None:
        """Put a case before others of its id, and behind those ranked before."""
        self._ranked += 1
        self._has_order = False
        self._database.execute("UPDATE cases SET rank = ? WHERE number = ?", (self._ranked, number))

    def add_texts(self, texts: Iterable[tuple[int, str, str]]) -> None:
        """Add texts of cases by prompt: the number of the case, the prompt, the text."""
        self._database.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?, ?)", texts)

    def add_rows(self, rows: Sequence[NewRow]) -> list[NewRow]:
        """Add rows; return those whose key was taken, which are not."""
        (last,) = self._database.execute("SELECT MAX(seq) FROM rows").fetchone()
        before = self._database.total_changes
        self._database.executemany(
            "INSERT OR IGNORE INTO rows (key, number, setup, body) VALUES (?, ?, ?, ?)",
            rows,
        )
        if self._has_order:
            places = [self._last_row, *((row.case, row.setup) for row in rows)]
            self._last_row = places[-1]
            self._has_order = all(map(le, places, places[1:]))
        if self._database.total_changes - before == len(rows):
            return []
        found = self._database.execute("SELECT key FROM rows WHERE seq > ?", (last or 0,))
        added = {key for (key,) in found}
        left_out = []
        for row in rows:
            if row.key in added:
                added.remove(row.key)
            else:
                left_out.append(row)
        return left_out

    def add_batch(self, keys: Sequence[int], body: bytes) -> bool:
        """Add rows as one body; False, without it, if a key was in an earlier batch or twice."""
        before = self._database.total_changes
        self._database.executemany("INSERT OR IGNORE INTO keys VALUES (?)", [(it,) for it in keys])
        if self._database.total_changes - before < len(keys):
            return False
        packed = array("q", keys).tobytes()
        self._database.execute("INSERT INTO batches (keys, body) VALUES (?, ?)", (packed, body))
        return True

    def add_block(self, keys: Sequence[int], *, cases: bytes, answers: bytes) -> None:
        """Add rows as two bodies, which can be read apart; no other batch has their keys."""
        packed = array("q", keys).tobytes()
        self._database.execute(
            "INSERT INTO batches (keys, cases, answers) VALUES (?, ?, ?)", (packed, cases, answers)
        )

    def batches(self, *parts: Literal["cases", "answers"]) -> Iterator[tuple[Any, ...]]:
        """Yield the body of each batch in their order; for a block None, and these parts of it."""
        wanted = f"SELECT {', '.join(('body', *parts))} FROM batches ORDER BY number"  # noqa: S608  constants
        return self._database.execute(wanted)

    def batch_keys(self) -> Iterator[list[int]]:
        """Yield the keys of each batch."""
        for (packed,) in self._database.execute("SELECT keys FROM batches ORDER BY number"):
            yield array("q", packed).tolist()

    def body_of(self, key: int) -> bytes:
        """Return the body of the row of a key."""
        found = self._database.execute("SELECT body FROM rows WHERE key = ?", (key,)).fetchone()
        body: bytes = found[0]
        return body

    def replace_body(self, key: int, body: bytes) -> None:
        """Replace the body of the row of a key."""
        self._database.execute("UPDATE rows SET body = ? WHERE key = ?", (body, key))

    def remove(self, keys: Iterable[int]) -> None:
        """Remove rows by their keys."""
        self._database.executemany("DELETE FROM rows WHERE key = ?", [(key,) for key in keys])

    def key_pages(self) -> Iterator[list[int]]:
        """Yield the keys of all rows, some at a time; rows may be removed meanwhile."""
        last, page = 0, "SELECT seq, key FROM rows WHERE seq > ? ORDER BY seq LIMIT ?"
        while some := self._database.execute(page, (last, _BATCH)).fetchall():
            last = some[-1][0]
            yield [key for _, key in some]

    @property
    def is_empty(self) -> bool:
        """True without rows."""
        return self._database.execute("SELECT 1 FROM rows LIMIT 1").fetchone() is None

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        (number,) = self._database.execute("SELECT COUNT(*) FROM cases").fetchone()
        return int(number)

    def rows(self) -> Iterator[FoundRow]:
        """Yield all rows in the order of cases and setups."""
        if self._has_order:
            return self._database.execute("SELECT key, number, setup, body FROM rows ORDER BY seq")
        self._database.execute("CREATE INDEX IF NOT EXISTS places ON rows (number, setup, seq)")
        return self._database.execute(
            "SELECT rows.key, rows.number, rows.setup, rows.body FROM cases"
            " JOIN rows ON rows.number = cases.number"
            " ORDER BY cases.sort, cases.id, cases.rank, cases.number, rows.setup, rows.seq"
        )

    def cases(self) -> Iterator[FoundCase]:
        """Yield the cases in their order."""
        order = "number" if self._has_order else "sort, id, rank, number"
        return self._database.execute(
            f"SELECT number, id, digest, body FROM cases ORDER BY {order}"  # noqa: S608  constant
        )

    def texts(self, number: int) -> dict[str, str]:
        """Return the texts of a case by prompt."""
        return dict(
            self._database.execute("SELECT prompt, text FROM texts WHERE number = ?", (number,))
        )
