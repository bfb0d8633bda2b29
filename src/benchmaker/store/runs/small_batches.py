"""A few new trials with all their rows, written by one statement of SQLite.

The driver releases the GIL at each statement, and a busy thread delays it twice each time. A commit
for every few answers needs nine statements; this is one, which is its own transaction.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from sqlalchemy import Table

from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.leases import Lease
from benchmaker.store.database.schema import ROWS
from benchmaker.store.database.tables import attempts, completions, scores, trials
from benchmaker.store.runs.batch import ENGINE, Item
from benchmaker.store.runs.trial_rows import Row, TrialRows

MOST = 32
"""Maximum number of trials per statement."""


def _columns(table: Table, after: int = 1) -> list[str]:
    """Return the columns of a table without the first ones, which are not part of a row."""
    return [f'"{column.name}"' for column in tuple(table.c)[after:]]


def _names(table: Table, after: int = 1) -> list[str]:
    """Return the names of these columns in the view."""
    return [f"{table.name}_{column.name}" for column in tuple(table.c)[after:]]


def _new_values(table: Table, after: int = 1) -> str:
    return ", ".join(f"NEW.{name}" for name in _names(table, after))


def _insert_into(
    table: Table, *, own: Sequence[str], values: Sequence[str], when: str = "1"
) -> str:
    """Return the statement that inserts a row of this table; ``own`` are its additional columns."""
    names = ", ".join((*own, *_columns(table, len(own))))
    taken = ", ".join((*values, _new_values(table, len(own))))
    return f"INSERT INTO {table.name} ({names}) SELECT {taken} WHERE {when};"


_SCORED = "(NEW.scores_body IS NOT NULL)"
_LAST = f"(SELECT value FROM counters WHERE name = '{ROWS}')"  # noqa: S608  a name of ours
_TRIAL = f"{_LAST} - {_SCORED}"
_OF_SCORE = ("seq", "trial_seq", "version", "created_at", "actor")

_ALL = (
    *_names(trials),
    *_names(completions),
    *_names(attempts),
    *_names(scores, len(_OF_SCORE)),
    "now",
    "lease",
    "fence",
)
_NO_COMPLETION = (None,) * len(_names(completions))
_NO_ATTEMPT = (None,) * len(_names(attempts))
_NO_SCORE = (None,) * len(_names(scores, len(_OF_SCORE)))

_VIEW = f"""
CREATE TEMP VIEW IF NOT EXISTS arrivals AS SELECT {", ".join(f"NULL AS {name}" for name in _ALL)}
"""
_TRIGGER = f"""
CREATE TEMP TRIGGER IF NOT EXISTS arrive INSTEAD OF INSERT ON arrivals BEGIN
  SELECT RAISE(ABORT, 'the lease is lost') WHERE NEW.lease IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM leases WHERE name = NEW.lease AND fence = NEW.fence AND holder IS NOT NULL);
  UPDATE counters SET value = value + 1 + {_SCORED} WHERE name = '{ROWS}';
  {_insert_into(trials, own=("seq",), values=(_TRIAL,))}
  {
    _insert_into(
        completions,
        own=("trial_seq",),
        values=(_TRIAL,),
        when="NEW.completions_finish IS NOT NULL",
    )
}
  {
    _insert_into(
        attempts, own=("trial_seq",), values=(_TRIAL,), when="NEW.attempts_number IS NOT NULL"
    )
}
  {
    _insert_into(
        scores,
        own=_OF_SCORE,
        values=(_LAST, _TRIAL, "1", "NEW.now", f"'{ENGINE}'"),
        when=_SCORED,
    )
}
END
"""  # noqa: S608  names of our own tables


class SmallBatchWriter:
    """Writes small batches of new trials, over its own connection; close it.

    Row numbers are drawn as in :func:`benchmaker.store.runs.batch.write_batch`, from the counter
    whose row the transaction keeps locked.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: sqlite3.Connection | None = None
        self._most = MOST if database.is_sqlite and _takes_many_values() else 0

    def write(self, batch: Sequence[Item], *, lease: Lease | None, now: str) -> bool:
        """Write the whole batch as new rows; False, with nothing written, if that is impossible.

        Possible reasons are an item other than a trial, a trial with several requests, a taken key,
        or a lost lease. The regular path then gives the result.
        """
        rows = [item for item in batch if isinstance(item, TrialRows) and len(item.attempts) < 2]  # noqa: PLR2004  one or none
        if not len(rows) == len(batch) <= self._most:
            return False
        end = (now, None, None) if lease is None else (now, escape(lease.name), lease.fence)
        values = tuple(chain.from_iterable(_flatten(rows, end)))
        with self._database.translate_errors():
            try:
                self._connect().executemany(_insert(len(rows)), (values,))
            except sqlite3.IntegrityError:
                return False
        self._database.refuse_another_file()
        return True

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> sqlite3.Connection:
        """Return the connection; the file is checked when it is opened, and after each batch."""
        if self._connection is None:
            with self._database.guard_writes():
                self._connection = self._database.open_connection()
            self._connection.execute(_VIEW)
            self._connection.execute(_TRIGGER)
        return self._connection


def _takes_many_values() -> bool:
    """True if a statement of SQLite accepts more than 999 values."""
    return sqlite3.sqlite_version_info >= (3, 32)


def _flatten(rows: Iterable[TrialRows], end: Row) -> Iterator[Row]:
    for one in rows:
        yield one.trial
        yield one.completion or _NO_COMPLETION
        yield one.attempts[0] if one.attempts else _NO_ATTEMPT
        yield one.score or _NO_SCORE
        yield end


@cache
def _insert(number: int) -> str:
    row = f"({', '.join('?' * len(_ALL))})"
    return f"INSERT INTO arrivals VALUES {', '.join([row] * number)}"  # noqa: S608  nothing but marks
