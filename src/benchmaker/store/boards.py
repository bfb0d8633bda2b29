"""Boards as they were settled: rows in, rows out."""

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select

from benchmaker.store.agentic_tables import boards
from benchmaker.store.body import decode, encode
from benchmaker.store.database import Database
from benchmaker.store.text import escape, unescape


class StoredBoard(NamedTuple):
    """A board as plain data, under the name of its scope, value and window."""

    profile: str
    name: str
    body: dict[str, Any]


def put_boards(database: Database, made: Iterable[StoredBoard]) -> int:
    """Keep boards under their names, instead of earlier ones; returns how many had changed.

    Earlier ones can be made again from the figures; kept, each submission would add hundreds.
    """
    with database.write() as connection:
        now = database.now_utc()
        return sum(_put(connection, board, now) for board in made)


def _put(connection: Connection, board: StoredBoard, now: str) -> bool:
    own = (boards.c.profile == escape(board.profile), boards.c.board == escape(board.name))
    body = encode(board.body)
    digest = hashlib.sha256(body.encode()).hexdigest()
    newest = select(boards.c.hash).where(*own, boards.c.is_newest == 1)
    if connection.scalar(newest) == digest:
        return False
    connection.execute(delete(boards).where(*own))
    row = {
        "profile": escape(board.profile),
        "board": escape(board.name),
        "hash": digest,
        "is_newest": 1,
        "created_at": now,
        "body": body,
    }
    connection.execute(insert(boards).values(**row))
    return True


def find_board(database: Database, profile: str, name: str) -> dict[str, Any] | None:
    """The newest of that name; None where there is none."""
    wanted = select(boards.c.body).where(
        boards.c.profile == escape(profile), boards.c.board == escape(name), boards.c.is_newest == 1
    )
    with database.read() as connection:
        body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, dict[str, Any])


def find_hashes(database: Database, profile: str, names: Iterable[str]) -> dict[str, str]:
    """The hashes of the newest of these names, out of one look; without what is not there."""
    wanted = select(boards.c.board, boards.c.hash).where(
        boards.c.profile == escape(profile),
        boards.c.board.in_([escape(name) for name in names]),
        boards.c.is_newest == 1,
    )
    with database.read() as connection:
        return {unescape(name): digest for name, digest in connection.execute(wanted)}


def find_hash(database: Database, profile: str, name: str) -> str | None:
    """The hash of the newest of that name, without reading it; None where there is none."""
    wanted = select(boards.c.hash).where(
        boards.c.profile == escape(profile), boards.c.board == escape(name), boards.c.is_newest == 1
    )
    with database.read() as connection:
        digest: str | None = connection.scalar(wanted)
    return digest
