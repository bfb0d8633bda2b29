"""OpenCode: its database, exports, and the output of ``run --format json``."""

from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import FileHead
from benchmaker.arenas.agentic.importers.opencode_format.database import kind_of
from benchmaker.arenas.agentic.importers.opencode_format.reader import (
    Reader,
    is_export,
    printed_in,
)
from benchmaker.plugins import importer


@importer(id="opencode", version="1")
class OpenCode(Reader):
    """Sessions of OpenCode, from its database, exports and prints.

    Based on files of release 1.18.33. Requests for titles are in none of them. Prints contain
    neither prompts nor the model.
    """

    id: ClassVar[str] = "opencode"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "OpenCode"
    harness: ClassVar[str] = "opencode"

    def sniff(self, head: FileHead) -> float:
        """By the tables of the database, the keys of an export, or the lines of a print."""
        if kind_of(head.path, head.start) == "opencode":
            return 0.95
        return 0.95 if printed_in(head.start) or is_export(head.start) else 0.0
