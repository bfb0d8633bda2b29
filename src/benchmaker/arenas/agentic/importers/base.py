"""The importer protocol: recognises a file, lists its sessions, and yields events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, Protocol, runtime_checkable

from benchmaker.arenas.agentic.importers.sniffing import FileHead
from benchmaker.arenas.agentic.logs.events import Event, RowIdentity
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.plain_row import PlainRow

__all__ = [
    "FileHead",
    "Form",
    "HeaderImporter",
    "Importer",
    "Options",
    "RowIdentity",
    "SessionRef",
    "Skipped",
    "SnapshotImporter",
    "ThreadImporter",
]

Form = Literal["log", "export", "print"]
"""The format of a recorded session; if two formats give the same data, the first listed counts."""


@dataclass(frozen=True, slots=True)
class SessionRef:
    """One session found by a scan, before it is read.

    ``files`` are read in this order, the main one first; ``part`` distinguishes several sessions of
    one file. Events refer to their file by its index in ``files``. ``task_id`` is set if the path
    contains it. ``row`` is set if the session is a row of a table. ``hints`` are private to the
    importer.

    ``session`` is the tool's own id of the session, the same in every form: files of one session
    are read together, even those of several importers. Forms are ``log``, ``export`` and ``print``,
    the output of the running tool. A file without a session id is read alone.

    ``threads`` are the ids of the sessions that this one started, and the paths of files or folders
    of its own, whether they are there or not. ``parent`` is the session that started this one.
    ``unread`` are the ids of sessions of its own whose files were not found by their paths.
    """

    importer: str
    id: str
    files: tuple[Path, ...]
    part: str = ""
    task_id: str | None = None
    row: RowIdentity | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    session: str = ""
    form: Form = "log"
    threads: tuple[str, ...] = ()
    parent: str = ""
    unread: tuple[str, ...] = ()

    def of_part(self, part: str, *, task_id: str | None, row: RowIdentity | None) -> "SessionRef":
        """One of the sessions in the same files."""
        return SessionRef(
            importer=self.importer,
            id=self.id,
            files=self.files,
            part=part,
            task_id=task_id,
            row=row,
            hints=self.hints,
            session=self.session,
            form=self.form,
        )


@runtime_checkable
class Importer(Protocol):
    """One kind of log; a plug-in of the group ``benchmaker.importers``.

    ``version`` changes whenever the same file would give other figures: files read earlier are then
    read again as a new revision.
    """

    id: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str]

    def sniff(self, head: FileHead) -> float:
        """Return the confidence that the file is of this format, 0 to 1; never raises."""
        ...

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """Yield the sessions that begin in this file, which :meth:`sniff` accepted.

        It reads only beginnings, and names of nearby files. Further files of a session (its
        subagents') are listed in the reference of the main one; a walk over a folder drops their
        separate references.
        """
        ...

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The session's events in the order of the log, streaming; bad lines go to ``skip``."""
        ...


@runtime_checkable
class HeaderImporter(Importer, Protocol):
    """An importer of logs that name their session only in the first row.

    The later part of such a log, in a file of its own, belongs to an unknown session: it is
    reported and not read.
    """

    def is_later_part(self, head: FileHead) -> bool:
        """Return True for rows of this format without the one that names the session."""
        ...


@runtime_checkable
class TableImporter(Importer, Protocol):
    """An importer of tables that returns plain rows as a whole."""

    def plain_rows(self, ref: SessionRef, options: Options) -> Iterator[PlainRow | Event]:
        """As :meth:`parse`: plain rows, and the events of the others."""
        ...


@runtime_checkable
class SnapshotImporter(Importer, Protocol):
    """An importer of growing logs whose earlier states ids do not reveal.

    They state no unique session id, or totals that replace the figures of their answers.
    """

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """Return the digest of each beginning of a session; that of all of it is last.

        It is empty if ids suffice, or if the log has nothing that others could not begin with.

        A log is an earlier state of another if its last digest is among the other's.
        """
        ...


@runtime_checkable
class ThreadImporter(Importer, Protocol):
    """An importer of logs that name further logs of their session by id."""

    def with_thread(self, ref: SessionRef, thread: SessionRef) -> SessionRef:
        """Return the session with the files of one that is among its ``unread``."""
        ...
