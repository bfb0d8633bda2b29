"""SQLite databases that a tool on this machine writes, opened so that nothing in them changes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from benchmaker.arenas.agentic.importers.base import Head

_MAGIC = b"SQLite format 3\0"
_MOST_BYTES = 64 * 2**20
_BUSY_S = 1.0


def is_database(head: Head) -> bool:
    """Whether a file is a database, and not a compressed one."""
    return head.start.startswith(_MAGIC)


@contextmanager
def opened_database(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, which may be in use; values in it may have 64 MiB.

    Where a journal can't be opened beside it, as in a folder that can't be written, the file is
    read as it stands.
    """
    with closing(_connected(path)) as base:
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
        base.execute("PRAGMA trusted_schema = OFF")
        yield base


def _connected(path: Path) -> sqlite3.Connection:
    for how in ("mode=ro", "immutable=1"):
        base = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=_BUSY_S)
        try:
            base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.OperationalError:
            base.close()
            continue
        return base
    raise sqlite3.OperationalError("the database can't be opened")
