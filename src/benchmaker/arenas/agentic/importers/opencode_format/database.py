"""The database of OpenCode's kind, opened for reading only."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.decoding import Refused
from benchmaker.arenas.agentic.importers.base import Head as Beginning
from benchmaker.arenas.agentic.importers.opencode_format.rows import (
    INFOS,
    MODELS,
    PARTS,
    Head,
    Info,
    Message,
    Model,
    Part,
)
from benchmaker.arenas.agentic.options import Options, Skipped
from benchmaker.arenas.agentic.sqlite import is_database, opened_database

_TABLES = {"session", "message", "part"}
_KILO = "recall_part_search_idx"
"""An index that Kilo Code's version of the schema has, and OpenCode's has not."""

_SESSIONS = "SELECT id FROM session WHERE {} ORDER BY id"
_OF_PERSONS = "parent_id IS NULL OR parent_id NOT IN (SELECT id FROM session)"
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"


def kind_of(head: Beginning) -> str:
    """Whose database a file is, ``opencode`` or ``kilo``; empty where it is neither's."""
    if not is_database(head):
        return ""
    try:
        with opened_database(head.path) as base:
            names = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
            columns = {row[1] for row in base.execute("PRAGMA table_info(message)")}
    except sqlite3.Error:
        return ""
    if not names >= _TABLES or not columns >= {"session_id", "data"}:
        return ""
    return "kilo" if _KILO in names else "opencode"


def sessions_in(path: Path) -> list[str]:
    """The sessions that a person began."""
    with opened_database(path) as base:
        return [name for (name,) in base.execute(_SESSIONS.format(_OF_PERSONS))]


@contextmanager
def opened_store(path: Path, options: Options) -> Iterator["Store"]:
    """The store in a file; what can't be read of it goes to ``options.skip``."""
    with opened_database(path) as base:
        yield Store(base, path, options)


class Store:
    """Sessions and messages of an open database."""

    def __init__(self, base: sqlite3.Connection, path: Path, options: Options) -> None:
        self._base = base
        self._path = path
        self._options = options

    def head(self, session: str) -> Head:
        """The session itself."""
        query = "SELECT directory, version, model FROM session WHERE id = ?"
        row = self._base.execute(query, (session,)).fetchone()
        if row is None:
            return Head(id=session)
        directory, version, model = row
        return Head(session, directory, version, _model(model))

    def below(self, session: str) -> Iterator[str]:
        """The sessions that it sent out, and those that they sent out in turn."""
        query = "SELECT id FROM session WHERE parent_id = ? ORDER BY id"
        waiting, known = [session], {session}
        while waiting:
            found = self._base.execute(query, (waiting.pop(0),)).fetchall()
            new = [name for (name,) in found if name not in known]
            known.update(new)
            waiting += new
            yield from new

    def messages(self, session: str) -> Iterator[Message]:
        """Its messages with their parts, in the order in which they were begun."""
        with closing(self._base.execute(_MESSAGES, (session,))) as rows:
            for name, data in rows:
                try:
                    info, left_out = INFOS.decode(_bytes(data))
                except Refused as refused:
                    self._options.skip(Skipped(self._path, 0, f"message {name}: {refused}"))
                    continue
                self._tell(name, left_out)
                yield Message(_named(info, name), list(self._parts(name)))

    def _parts(self, message: str) -> Iterator[Part]:
        with closing(self._base.execute(_PARTS, (message,))) as rows:
            for name, data in rows:
                try:
                    part, left_out = PARTS.decode(_bytes(data))
                except Refused as refused:
                    self._options.skip(Skipped(self._path, 0, f"part {name}: {refused}"))
                    continue
                self._tell(name, left_out)
                part.id = part.id or name
                yield part

    def _tell(self, name: str, left_out: tuple[str, ...]) -> None:
        for complaint in left_out:
            self._options.skip(Skipped(self._path, 0, f"{name}: left out {complaint}"))


def _named(info: Info, name: str) -> Info:
    return msgspec.structs.replace(info, id=info.id or name)


def _model(text: object) -> Model | None:
    if not isinstance(text, str):
        return None
    try:
        return MODELS.decode(text.encode())[0]
    except Refused:
        return Model(id=text)


def _bytes(data: object) -> bytes:
    return data.encode("utf-8", "replace") if isinstance(data, str) else bytes(data or b"")  # type: ignore[call-overload]  # a text or a blob
