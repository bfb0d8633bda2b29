"""Database errors as StoreError: fault, place, remedy."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlalchemy.exc import TimeoutError  # noqa: A004  the pool's own

from benchmaker.errors import Conflict, Corrupt, InvalidValue, StoreError, Unreachable

_KEPT = "All acknowledged data is stored."
_RESTORE = (
    "Stop using it. Replace it with a backup (benchmaker.db.bak-… or your own), "
    "or check it with: benchmaker doctor"
)


class _Fault(NamedTuple):
    kind: type[StoreError]
    message: str
    hint: str


_FULL = _Fault(
    StoreError,
    "the disk is full, or a size limit was reached.",
    f"Free space, then resume. {_KEPT}",
)
_LOCKED = _Fault(
    Conflict,
    "the store is locked: another process has been writing for longer than the time we wait.",
    f"Find what holds it (such as: fuser FILE), let it end, then resume. {_KEPT}",
)
_DENIED = _Fault(
    StoreError,
    "the store can't be opened or written.",
    "Check who owns the file and its folder, and that both can be written; "
    "or name another folder with --home.",
)
_READ_ONLY = _Fault(
    StoreError,
    "the store can't be written: its file, its folder or its disk is read-only.",
    f"Make them writable, or name another folder with --home. {_KEPT}",
)
_DAMAGED = _Fault(Corrupt, "the store is damaged.", _RESTORE)
_NOT_OURS = _Fault(
    Corrupt, "the file is not a Benchmaker store.", "Use another path, or move the file."
)
_IO = _Fault(
    StoreError,
    "disk error while reading or writing.",
    f"Check the disk and the system log, then resume. {_KEPT}",
)
_TOO_BIG = _Fault(
    InvalidValue, "a value is too large for the database.", "Shorten the text, then try again."
)
_INVALID = _Fault(InvalidValue, "a value is not valid in the database.", "")
_CHANGED = _Fault(
    Conflict,
    "this is already stored, or the record it belongs to was deleted in the meantime.",
    "List runs with: benchmaker runs",
)
_UNREACHABLE = _Fault(
    Unreachable,
    "the database is unreachable or closed the connection.",
    f"Check that the server runs and that the address is right, then resume. {_KEPT}",
)
_BUSY = _Fault(
    StoreError,
    "all database connections are in use.",
    "Try again in a moment.",
)
_ENDED = _Fault(
    StoreError,
    "a database statement exceeded the time limit of the server.",
    "Raise statement_timeout for this user, or request less data at once.",
)
_REFUSED = _Fault(
    StoreError,
    "the database rejected the login.",
    "Check the user, password and database name in the address.",
)

_SQLITE: Mapping[int, _Fault] = {
    3: _DENIED,  # SQLITE_PERM
    5: _LOCKED,  # SQLITE_BUSY
    6: _LOCKED,  # SQLITE_LOCKED
    8: _READ_ONLY,  # SQLITE_READONLY
    10: _IO,  # SQLITE_IOERR
    11: _DAMAGED,  # SQLITE_CORRUPT
    13: _FULL,  # SQLITE_FULL
    14: _DENIED,  # SQLITE_CANTOPEN
    18: _TOO_BIG,  # SQLITE_TOOBIG
    19: _CHANGED,  # SQLITE_CONSTRAINT
    26: _NOT_OURS,  # SQLITE_NOTADB
}

# Classes (two characters) and codes (five) of SQLSTATE; the longer match counts.
_POSTGRESQL: Mapping[str, _Fault] = {
    "08": _UNREACHABLE,
    "22": _INVALID,
    "23": _CHANGED,
    "25006": _READ_ONLY,
    "28": _REFUSED,
    "3D": _REFUSED,
    "42501": _DENIED,
    "40": _LOCKED,
    "53": _FULL,
    "53300": _UNREACHABLE,
    "54": _TOO_BIG,
    "55P03": _LOCKED,
    "57": _UNREACHABLE,
    "57014": _ENDED,
    "57P04": _REFUSED,
    "58": _IO,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}

_UNANSWERED: Mapping[str, _Fault] = {"OperationalError": _UNREACHABLE, "DataError": _INVALID}
"""Errors of the driver itself, before or without an answer of the server."""


Translate = Callable[[BaseException], StoreError | None]
"""Converts a driver's error to ours; None if it is not a database error."""


def translator(where: str) -> Translate:
    """Return a function from a driver's error to ours, for the store at ``where``.

    It returns None for other errors.
    """

    def translate(error: BaseException) -> StoreError | None:
        if isinstance(error, sqlite3.Error):
            return _to_store_error(_sqlite_fault(error), error, where)
        if type(error).__module__.partition(".")[0] == "psycopg":
            return _to_store_error(_postgresql_fault(error), error, where)
        if isinstance(error, TimeoutError):
            return _to_store_error(_BUSY, error, where)
        return None

    return translate


def foreign_store_error(where: str) -> StoreError:
    """Return the error for a database with other content than a store."""
    return Corrupt(_NOT_OURS.message, where=where, hint=_NOT_OURS.hint)


def _sqlite_fault(error: sqlite3.Error) -> _Fault | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)  # absent on the driver's own errors
    return None if code is None else _SQLITE.get(code & 0xFF)


def _postgresql_fault(error: BaseException) -> _Fault | None:
    state: str | None = getattr(error, "sqlstate", None)  # absent where no server answered
    if state is None:
        return _UNANSWERED.get(type(error).__name__)
    return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2])


def _to_store_error(fault: _Fault | None, error: BaseException, where: str) -> StoreError:
    said = " ".join(str(error).split()).rstrip(".")
    if fault is None:
        return StoreError(f"database error: {said}.", where=where)
    return fault.kind(f"{fault.message} Database error: {said}.", where=where, hint=fault.hint)
