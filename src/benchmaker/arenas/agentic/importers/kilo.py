"""Kilo Code's command-line tool, which stores its sessions like OpenCode."""

from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import FileHead
from benchmaker.arenas.agentic.importers.opencode_format.database import kind_of
from benchmaker.arenas.agentic.importers.opencode_format.reader import Reader
from benchmaker.plugins import importer


@importer(id="kilo", version="1")
class Kilo(Reader):
    """Sessions of Kilo Code's command line tool, from its database.

    Based on the database in the tool's own tests (``kilo.db``, July 2026), which differs from
    OpenCode's by one index. An older one is taken for OpenCode's.
    """

    id: ClassVar[str] = "kilo"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Kilo Code"
    harness: ClassVar[str] = "kilo-code"

    def sniff(self, head: FileHead) -> float:
        """By the tables and the index of the database."""
        return 0.95 if kind_of(head.path, head.start) == "kilo" else 0.0
