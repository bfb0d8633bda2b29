"""What an importer is: it recognises a file, lists the sessions in it, and speaks events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, Protocol, runtime_checkable

from benchmaker.arenas.agentic.importers.sniffing import FileHead
from benchmaker.arenas.agentic.logs.events import Event, RowIdentity
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.plain_row import PlainRow

__all__ = ["FileHead", "Form", "Importer", "Options", "RowIdentity", "SessionRef", "Skipped"]

Form = Literal["log", "export", "print"]
"""How a session was recorded; where two forms say the same, the one listed first counts."""


@dataclass(frozen=True, slots=True)
class SessionRef:
    """One session that was found, before it is read.

    ``files`` are read in this order, the main one first; ``part`` tells several sessions of one
    file apart. Events name their file by its place in ``files``. ``task_id`` is given where the
    place tells it. ``row`` is given where the session is a row of a table. ``hints`` are the
    importer's own.

    ``session`` is the tool's own name of the session, the same in every form: files of one session
    are read together, even those of several importers. Forms are ``log``, ``export`` and ``print``,
    the output of the tool while it ran. A file without a session's name is read alone.
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

    ``version`` changes whenever the same file would give other figures: files that were read
    before are then read again as a new revision.
    """

    id: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str]

    def sniff(self, head: FileHead) -> float:
        """How sure it is that the file is its own, 0 to 1; it never raises."""
        ...

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The sessions that begin in this file, which :meth:`sniff` took for its own.

        It reads no more than beginnings, and names of files close by. Further files of a session
        (its subagents') are named in the reference of the main one; a walk over a folder drops
        the references that they would give on their own.
        """
        ...

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The session's events in the order of the log, streaming; bad lines go to ``skip``."""
        ...


@runtime_checkable
class TableImporter(Importer, Protocol):
    """An importer of tables that gives plain rows in one piece."""

    def plain_rows(self, ref: SessionRef, options: Options) -> Iterator[PlainRow | Event]:
        """As :meth:`parse`: plain rows, and the events of the others."""
        ...
