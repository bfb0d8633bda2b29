"""Pi: session files, which hold a tree of messages."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.pi_format.rows import (
    ROWS,
    kind_of,
    later_kind_of,
    session_in,
)
from benchmaker.arenas.agentic.importers.pi_format.tree import Tree
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import loose_lines
from benchmaker.plugins import importer


@importer(id="pi", version="2")
class Pi:
    """Sessions of Pi, the coding agent.

    Based on session files in the tool's own tests (December 2025) and on one of release 0.87. Rows
    that a branch copies from its parent count once.
    """

    id: ClassVar[str] = "pi"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Pi"
    harness: ClassVar[str] = "pi"

    def sniff(self, head: FileHead) -> float:
        """By the first row and those after it."""
        return 0.95 if kind_of(head.start) == self.harness else 0.0

    def is_later_part(self, head: FileHead) -> bool:
        """Recognise a message."""
        return later_kind_of(head.start) == self.harness

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one session of the file."""
        session = session_in(file_start(root))
        yield SessionRef(self.id, session or root.stem, (root,), session=session)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Row by row."""
        tree = Tree(ref.files[0], self.harness, options)
        for number, row in loose_lines(ref.files[0], options, ROWS):
            yield from tree.events(row, number)
        yield from tree.finish()
