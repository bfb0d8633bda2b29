"""Claude Code: session logs with their subagents, and ``--output-format stream-json``."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from benchmaker.arenas.agentic.decoding import Refused
from benchmaker.arenas.agentic.events import Event
from benchmaker.arenas.agentic.importers.base import Head, Options, SessionRef
from benchmaker.arenas.agentic.importers.claude.layout import agent_of, agents_beside, session_of
from benchmaker.arenas.agentic.importers.claude.rows import ROWS, Message
from benchmaker.arenas.agentic.importers.claude.transcript import Transcript
from benchmaker.arenas.agentic.loose import Loose, loose_lines
from benchmaker.plugins import importer

_ROW_TYPES = {"file-history-snapshot", "queue-operation", "summary"}


class _Sign(msgspec.Struct, rename="camel"):
    """What tells a row of Claude Code from other lines of JSON."""

    type: str | None = None
    session_id: str | None = None
    project_hash: str | None = None
    uuid: str | None = None
    subtype: str | None = None
    message: Message | str | list[msgspec.Raw] | None = None
    stream_session_id: str | None = msgspec.field(default=None, name="session_id")
    leaf_uuid: str | None = None
    message_id: str | None = None


_SIGNS = Loose(_Sign)


@importer(id="claude_code", version="1")
class ClaudeCode:
    """Session logs of Claude Code, with what its subagents did."""

    id: ClassVar[str] = "claude_code"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Claude Code"

    def sniff(self, head: Head) -> float:
        """By the first rows; a log may begin with rows that are no messages."""
        return max((_likeness(line) for line in head.start.split(b"\n")[:20]), default=0.0)

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The session, with the files of its subagents."""
        session = session_of(root)
        agents = () if agent_of(root) else tuple(agents_beside(root))
        yield SessionRef(importer=self.id, id=session, files=(root, *agents))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """File by file, the main one first."""
        transcript = Transcript(options, ref.id)
        for number, path in enumerate(ref.files):
            agent = agent_of(path)
            for line, row in loose_lines(path, options, ROWS):
                yield from transcript.events(row, line=line, file=number, agent=agent)
        yield from transcript.closing()


def _likeness(line: bytes) -> float:
    try:
        sign, _ = _SIGNS.decode(line)
    except Refused:
        return 0.0
    if sign.project_hash:
        return 0.0
    if sign.session_id and (sign.uuid or isinstance(sign.message, Message)):
        return 0.95
    if sign.stream_session_id and (sign.subtype == "init" or isinstance(sign.message, Message)):
        return 0.9
    if sign.type in _ROW_TYPES and (sign.leaf_uuid or sign.message_id or sign.session_id):
        return 0.6
    return 0.0
