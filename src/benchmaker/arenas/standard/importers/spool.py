"""Rows between reading and storing: in a temporary database, in the order of their cases."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedRow,
    question_digest,
    row_key,
)

_BATCH = 1_000
_DIGITS = re.compile(r"\d+")
_TABLES = """
CREATE TABLE cases (number INTEGER PRIMARY KEY, id TEXT, digest BLOB, sort TEXT, body BLOB,
    rank INTEGER DEFAULT 9007199254740992, UNIQUE (id, digest));
CREATE TABLE texts (number INTEGER, prompt TEXT, text TEXT, PRIMARY KEY (number, prompt))
    WITHOUT ROWID;
CREATE TABLE rows (seq INTEGER PRIMARY KEY, key INTEGER UNIQUE, number INTEGER, setup INTEGER,
    epoch INTEGER, body BLOB);
"""
_PLACES = "CREATE INDEX IF NOT EXISTS places ON rows (number, setup, seq)"

_pack = msgspec.msgpack.Encoder().encode
_unpack_row = msgspec.msgpack.Decoder(ImportedRow).decode
_unpack_case = msgspec.msgpack.Decoder(ImportedCase).decode
_BARE = ImportedCase(id="")


class SetupName(NamedTuple):
    """What a tool compares: a model, with a prompt if there are several."""

    model: str
    prompt: str | None


class SpooledRow(NamedTuple):
    """A row with its key, the number of its case and that of its setup."""

    key: int
    case: int
    setup: int
    row: ImportedRow


class SpooledCase(NamedTuple):
    """A case with its number, and the text sent for it with each prompt."""

    number: int
    case: ImportedCase
    texts: dict[str, str]


class Spool:
    """The rows of one evaluation, each once, with their cases and setups.

    Rows with one key are one row: the scores that only one of them has are added. Cases with one
    id and different questions get different ids. Memory does not grow with the number of rows.
    """

    def __init__(self, tool: str, *, has_prompts: bool) -> None:
        self.setups: dict[SetupName, int] = {}
        self.lines = self._ranked = 0
        self._tool, self._has_prompts = tool, has_prompts
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLES)
        self._database.execute("PRAGMA journal_mode=OFF")
        self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete the temporary file."""
        self._database.close()

    def add_all(self, rows: Iterable[ImportedRow]) -> None:
        """Add rows; those that are there already are merged."""
        following = iter(rows)
        while some := list(islice(following, _BATCH)):
            self.lines += sum(row.lines for row in some)
            self._add_cases(some)
            self._add_rows(some)

    def add_stored_case(self, case: ImportedCase, texts: Mapping[str, str]) -> None:
        """Add a case of an earlier import, with the texts sent for it by prompt."""
        self._insert_cases([case])
        known = (case.id, self._digest(case))
        self._ranked += 1
        self._database.execute(
            "UPDATE cases SET rank = ?3 WHERE id = ?1 AND digest = ?2", (*known, self._ranked)
        )
        self._insert_texts((*known, prompt, text) for prompt, text in texts.items())

    def _add_cases(self, rows: Sequence[ImportedRow]) -> None:
        self._insert_cases([row.case for row in rows])
        if not self._has_prompts:
            return
        self._insert_texts(
            (row.case.id, self._digest(row.case), row.prompt, row.case.messages[0][1])
            for row in rows
            if row.prompt is not None and row.case.messages
        )

    def _insert_texts(self, texts: Iterable[tuple[str, bytes, str, str]]) -> None:
        self._database.executemany(
            "INSERT OR IGNORE INTO texts"
            " SELECT number, ?3, ?4 FROM cases WHERE id = ?1 AND digest = ?2",
            texts,
        )

    def _insert_cases(self, cases: Sequence[ImportedCase]) -> None:
        self._database.executemany(
            "INSERT OR IGNORE INTO cases (id, digest, sort, body) VALUES (?, ?, ?, ?)",
            [(case.id, self._digest(case), _sort_key(case.id), _pack(case)) for case in cases],
        )

    def _add_rows(self, rows: Sequence[ImportedRow]) -> None:
        values = [self._values(row) for row in rows]
        before = self._database.total_changes
        self._database.executemany(
            "INSERT OR IGNORE INTO rows (key, number, setup, epoch, body)"
            " SELECT ?1, number, ?4, ?5, ?6 FROM cases WHERE id = ?2 AND digest = ?3",
            values,
        )
        if self._database.total_changes - before < len(rows):
            for value, row in zip(values, rows, strict=True):
                self._merge(value[0], row)

    def _values(self, row: ImportedRow) -> tuple[Any, ...]:
        name = SetupName(row.model, row.prompt)
        setup = self.setups.setdefault(name, len(self.setups))
        body = _pack(msgspec.structs.replace(row, case=_BARE))
        key = row_key(self._tool, row)
        return key, row.case.id, self._digest(row.case), setup, row.epoch, body

    def _merge(self, key: int, row: ImportedRow) -> None:
        """Add the scores that the stored row of this key lacks."""
        (body,) = self._database.execute("SELECT body FROM rows WHERE key = ?", (key,)).fetchone()
        known = _unpack_row(body)
        if row.scores.keys() <= known.scores.keys():
            return
        merged = merge_rows(known, row)
        self._database.execute("UPDATE rows SET body = ? WHERE key = ?", (_pack(merged), key))

    def _digest(self, case: ImportedCase) -> bytes:
        return question_digest(case, has_prompts=self._has_prompts)

    def keys(self) -> Iterator[list[int]]:
        """Yield the keys of all rows, some at a time; rows may be removed meanwhile."""
        last, page = 0, "SELECT seq, key FROM rows WHERE seq > ? ORDER BY seq LIMIT ?"
        while some := self._database.execute(page, (last, _BATCH)).fetchall():
            last = some[-1][0]
            yield [key for _, key in some]

    def row_of(self, key: int) -> ImportedRow:
        """Return the row of a key, without its case."""
        (body,) = self._database.execute("SELECT body FROM rows WHERE key = ?", (key,)).fetchone()
        return _unpack_row(body)

    def remove(self, keys: Iterable[int]) -> None:
        """Remove rows by their keys."""
        self._database.executemany("DELETE FROM rows WHERE key = ?", [(key,) for key in keys])

    @property
    def is_empty(self) -> bool:
        """True without rows."""
        return self._database.execute("SELECT 1 FROM rows LIMIT 1").fetchone() is None

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        (number,) = self._database.execute("SELECT COUNT(*) FROM cases").fetchone()
        return int(number)

    def rows(self) -> Iterator[SpooledRow]:
        """Yield all rows in the order of cases and setups, each with the number of its case."""
        self._database.execute(_PLACES)
        found = self._database.execute(
            "SELECT rows.key, rows.number, rows.setup, rows.body FROM cases"
            " JOIN rows ON rows.number = cases.number"
            " ORDER BY cases.sort, cases.id, cases.rank, cases.number, rows.setup, rows.seq"
        )
        for key, number, setup, body in found:
            yield SpooledRow(key, number, setup, _unpack_row(body))

    def cases(self) -> Iterator[SpooledCase]:
        """Yield the cases in natural order of their ids, which differ."""
        found = self._database.execute(
            "SELECT number, id, digest, body FROM cases ORDER BY sort, id, rank, number"
        )
        before, same = "", 0
        for number, name, digest, body in found:
            same = same + 1 if name == before else 0
            before = name
            case = _unpack_case(body)
            if same:
                case = msgspec.structs.replace(case, id=f"{name}~{digest.hex()[:6]}")
            yield SpooledCase(number, case, self._texts(number) if self._has_prompts else {})

    def _texts(self, number: int) -> dict[str, str]:
        return dict(
            self._database.execute("SELECT prompt, text FROM texts WHERE number = ?", (number,))
        )


def merge_rows(known: ImportedRow, other: ImportedRow) -> ImportedRow:
    """Return a row with the scores, and the fields kept verbatim, of both."""
    return msgspec.structs.replace(
        known, scores={**other.scores, **known.scores}, rest={**other.rest, **known.rest}
    )


def _sort_key(name: str) -> str:
    """Return a text that sorts numbers in ids by their value."""
    return _DIGITS.sub(lambda found: f"{len(found[0].lstrip('0')):03}{found[0].lstrip('0')}", name)
