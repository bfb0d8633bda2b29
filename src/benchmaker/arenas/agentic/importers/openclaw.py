"""OpenClaw: session files, which are Pi's with additional rows."""

from typing import ClassVar

from benchmaker.arenas.agentic.importers.pi import Pi
from benchmaker.plugins import importer


@importer(id="openclaw", version="2")
class OpenClaw(Pi):
    """Sessions of OpenClaw.

    Based on ccusage's open reader (June 2026): its files are Pi's with a row ``model-snapshot``.
    A file without one among its first rows is taken for Pi's.
    """

    id: ClassVar[str] = "openclaw"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "OpenClaw"
    harness: ClassVar[str] = "openclaw"
