"""Databases of OpenCode and its relatives, opened read-only."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

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
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.errors import StoreError
from benchmaker.store.database.foreign_databases import (
    MAGIC,
    ForeignDatabase,
    open_foreign_database,
)

_TABLES = {"session", "message", "part"}
_KILO = "recall_part_search_idx"
"""An index that only Kilo Code's version of the schema has."""


def kind_of(path: Path, start: bytes) -> str:
    """Return the tool of a database, ``opencode`` or ``kilo``; empty for neither."""
    if not start.startswith(MAGIC):
        return ""
    try:
        with open_foreign_database(path) as base:
            names, columns = base.names, base.columns("message")
    except StoreError:
        return ""
    if not names >= _TABLES or not columns >= {"session_id", "data"}:
        return ""
    return "kilo" if _KILO in names else "opencode"


def sessions_in(path: Path) -> list[str]:
    """The sessions that a person started."""
    with open_foreign_database(path) as base:
        parents = dict(base.rows("session", ("id", "parent_id"), order=("id",)))
    return [
        name for name, parent in parents.items() if isinstance(name, str) and parent not in parents
    ]


@contextmanager
def opened_store(path: Path, options: Options) -> Iterator["Store"]:
    """The store in a file; unreadable parts are reported to ``options.skip``."""
    with open_foreign_database(path) as base:
        yield Store(base, path, options)


class Store:
    """Sessions and messages of an open database."""

    def __init__(self, base: ForeignDatabase, path: Path, options: Options) -> None:
        self._base = base
        self._path = path
        self._options = options

    def head(self, session: str) -> Head:
        """Return the session itself."""
        columns = ("directory", "version", "model")
        known = [name for name in columns if name in self._base.columns("session")]
        row = next(self._base.rows("session", known, where={"id": session}), ())
        found = dict(zip(known, row, strict=False))
        model = _model(found.get("model"))
        return Head(session, _text(found.get("directory")), _text(found.get("version")), model)

    def subagent_sessions(self, session: str) -> Iterator[str]:
        """The sessions of its subagents, and of theirs in turn."""
        waiting, known = [session], {session}
        while waiting:
            of = {"parent_id": waiting.pop(0)}
            found = self._base.rows("session", ("id",), where=of, order=("id",))
            new = [name for (name,) in found if name not in known]
            known.update(new)
            waiting += new
            yield from new

    def messages(self, session: str) -> Iterator[Message]:
        """Its messages with their parts, by the time they were created."""
        of, order = {"session_id": session}, ("time_created", "id")
        for name, data in self._base.rows("message", ("id", "data"), where=of, order=order):
            try:
                info, left_out = INFOS.decode(_bytes(data))
            except DecodingError as refused:
                self._options.skip(Skipped(self._path, 0, f"message {name}: {refused}"))
                continue
            self._tell(name, left_out)
            yield Message(_with_id(info, name), list(self._parts(name)))

    def _parts(self, message: str) -> Iterator[Part]:
        of = {"message_id": message}
        for name, data in self._base.rows("part", ("id", "data"), where=of, order=("id",)):
            try:
                part, left_out = PARTS.decode(_bytes(data))
            except DecodingError as refused:
                self._options.skip(Skipped(self._path, 0, f"part {name}: {refused}"))
                continue
            self._tell(name, left_out)
            part.id = part.id or name
            yield part

    def _tell(self, name: str, left_out: tuple[str, ...]) -> None:
        for complaint in left_out:
            self._options.skip(Skipped(self._path, 0, f"{name}: skipped {complaint}"))


def _with_id(info: Info, name: str) -> Info:
    return msgspec.structs.replace(info, id=info.id or name)


def _model(text: object) -> Model | None:
    if not isinstance(text, str):
        return None
    try:
        return MODELS.decode(text.encode())[0]
    except DecodingError:
        return Model(id=text)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _bytes(data: object) -> bytes:
    """The JSON in a column, which SQLite lets be of any type."""
    if isinstance(data, str):
        return data.encode("utf-8", "replace")
    return data if isinstance(data, bytes) else b""
