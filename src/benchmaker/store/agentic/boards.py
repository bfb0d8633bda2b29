"""Settled boards: rows in, rows out."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, delete, select

from benchmaker.store.database.agentic_tables import boards
from benchmaker.store.database.database import Room
from benchmaker.store.database.inserts import insert_all
from benchmaker.store.database.json_values import decode, encode

_AT_ONCE: Final = 200


class StoredBoard(NamedTuple):
    """A board as plain data, under the name of its scope, value and window."""

    profile: str
    name: str
    body: dict[str, Any]


class BoardStore(Room):
    """Boards by profile and name."""

    def put_boards(self, made: Iterable[StoredBoard]) -> int:
        """Store boards under their names, replacing earlier ones; return the number of changes.

        Earlier ones can be made from the figures; if kept, each submission would add hundreds.
        """
        left = iter(made)
        kept = 0
        with self.database.write() as connection:
            now = self.database.now_utc()
            while page := list(islice(left, _AT_ONCE)):
                kept += _put(connection, page, now)
        return kept

    def board(self, profile: str, name: str) -> dict[str, Any] | None:
        """Return the latest board of that name as plain data; None if it was never settled."""
        wanted = select(boards.c.body).where(
            boards.c.profile == profile,
            boards.c.board == name,
            boards.c.is_newest == 1,
        )
        with self.database.read() as connection:
            body: str | None = connection.scalar(wanted)
        return None if body is None else decode(body, dict[str, Any])

    def board_hash(self, profile: str, name: str) -> str | None:
        """Return the hash of the latest board of that name, without reading it; else None."""
        wanted = select(boards.c.hash).where(
            boards.c.profile == profile,
            boards.c.board == name,
            boards.c.is_newest == 1,
        )
        with self.database.read() as connection:
            digest: str | None = connection.scalar(wanted)
        return digest

    def board_hashes(self, profile: str, names: Iterable[str]) -> dict[str, str]:
        """Return the hashes of the latest of these boards in one query; omit missing boards."""
        wanted = select(boards.c.board, boards.c.hash).where(
            boards.c.profile == profile,
            boards.c.board.in_(names),
            boards.c.is_newest == 1,
        )
        with self.database.read() as connection:
            return {row.board: row.hash for row in connection.execute(wanted)}


def _put(connection: Connection, made: Sequence[StoredBoard], now: str) -> int:
    rows = {(row["profile"], row["board"]): row for row in (_row(one, now) for one in made)}
    before = _hashes(connection, rows)
    changed = {name: row for name, row in rows.items() if before.get(name) != row["hash"]}
    for profile in {profile for profile, _ in changed}:
        own = boards.c.board.in_([name for of, name in changed if of == profile])
        connection.execute(delete(boards).where(boards.c.profile == profile, own))
    return insert_all(connection, boards, list(changed.values()))


def _hashes(connection: Connection, names: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the hashes of the latest boards with these profiles and names."""
    columns = boards.c
    wanted = select(columns.profile, columns.board, columns.hash).where(
        columns.profile.in_({profile for profile, _ in names}),
        columns.board.in_({name for _, name in names}),
        columns.is_newest == 1,
    )
    return {(profile, name): found for profile, name, found in connection.execute(wanted)}


def _row(board: StoredBoard, now: str) -> dict[str, Any]:
    body = encode(board.body)
    return {
        "profile": board.profile,
        "board": board.name,
        "hash": hashlib.sha256(body.encode()).hexdigest(),
        "is_newest": 1,
        "created_at": now,
        "body": body,
    }
