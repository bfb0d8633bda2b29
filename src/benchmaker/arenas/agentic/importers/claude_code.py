"""Claude Code: session logs with their subagents, and ``--output-format stream-json``."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.claude.layout import (
    agent_of,
    agents_beside,
    named_in,
    printed_in,
    session_of,
)
from benchmaker.arenas.agentic.importers.claude.rows import ROWS, Message
from benchmaker.arenas.agentic.importers.claude.transcript import Transcript
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import line_beginnings
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Loose, loose_lines
from benchmaker.arenas.agentic.logs.sources import is_unique
from benchmaker.plugins import importer

_ROW_TYPES = {"file-history-snapshot", "queue-operation", "summary"}


class _Sign(msgspec.Struct, rename="camel"):
    """The fields that tell a row of Claude Code from other lines of JSON."""

    type: str | None = None
    session_id: str | None = None
    project_hash: str | None = None
    uuid: str | None = None
    subtype: str | None = None
    message: Message | str | list[msgspec.Raw] | None = None
    is_sidechain: bool | None = None
    user_type: str | None = None
    leaf_uuid: str | None = None
    message_id: str | None = None
    stream_session_id: str | None = msgspec.field(default=None, name="session_id")
    permission_mode: str | None = None
    api_key_source: str | None = None
    total_cost_usd: Amount | None = msgspec.field(default=None, name="total_cost_usd")
    claude_code_version: str | None = msgspec.field(default=None, name="claude_code_version")

    @property
    def is_row(self) -> bool:
        """True if it is a row of a session's log."""
        message = self.message if isinstance(self.message, Message) else Message()
        is_message = message.content is not None or message.usage is not None
        return is_message or self.is_sidechain is not None or bool(self.uuid and self.user_type)

    @property
    def is_line(self) -> bool:
        """True if it is a line of printed output; in Qwen Code's, message and line share an id."""
        if self.subtype == "init":
            return bool(self.claude_code_version or self.permission_mode or self.api_key_source)
        if self.type == "result":
            return self.total_cost_usd is not None
        message = self.message if isinstance(self.message, Message) else Message()
        return message.id is not None and message.id != self.uuid


_SIGNS = Loose(_Sign)


@importer(id="claude_code", version="3")
class ClaudeCode:
    """Session logs of Claude Code, including subagents."""

    id: ClassVar[str] = "claude_code"
    version: ClassVar[str] = "3"
    title: ClassVar[str] = "Claude Code"

    def sniff(self, head: FileHead) -> float:
        """By the first rows; a log may begin with rows that are not messages."""
        return max((_likeness(line) for line in head.start.split(b"\n")[:20]), default=0.0)

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The session, with the files of its subagents."""
        if session := printed_in(root):
            yield SessionRef(self.id, session, (root,), session=session, form="print")
            return
        agents = () if agent_of(root) else tuple(agents_beside(root))
        yield SessionRef(
            importer=self.id,
            id=session_of(root),
            files=(root, *agents),
            session=named_in(root),
        )

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the session's own file, if its id is not unique."""
        return () if is_unique(ref.session or ref.id) else line_beginnings(ref.files[0], options)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """File by file, the main one first."""
        transcript = Transcript(options, ref.id)
        for number, path in enumerate(ref.files):
            agent = agent_of(path)
            for line, row in loose_lines(path, options, ROWS):
                yield from transcript.events(row, line=line, file=number, agent=agent)
        yield from transcript.finish()


def _likeness(line: bytes) -> float:
    try:
        sign, _ = _SIGNS.decode(line)
    except DecodingError:
        return 0.0
    if sign.project_hash:
        return 0.0
    if sign.session_id and sign.is_row:
        return 0.95
    if sign.stream_session_id and sign.is_line:
        return 0.9
    if sign.type in _ROW_TYPES and (sign.leaf_uuid or sign.message_id or sign.session_id):
        return 0.6
    return 0.0
