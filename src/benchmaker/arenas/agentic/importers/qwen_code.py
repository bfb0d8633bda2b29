"""Qwen Code: chats, and the output of ``-o stream-json``."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import Head, Options, SessionRef
from benchmaker.arenas.agentic.importers.qwen.chat import Chat
from benchmaker.arenas.agentic.importers.qwen.rows import LINES, ROWS
from benchmaker.arenas.agentic.importers.qwen.stream import Stream
from benchmaker.arenas.agentic.importers.sniffing import beginning
from benchmaker.arenas.agentic.logs.decoding import Refused
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import loose_lines
from benchmaker.plugins import importer

_FIRST_ROWS = 20
_SIGNS = (b'"parts"', b'"usageMetadata"', b'"systemPayload"')


@importer(id="qwen_code", version="2")
class QwenCode:
    """Sessions of Qwen Code, from its chats and its printed output.

    Based on files of release 0.15.10. Printed output contains neither times nor prompts nor
    reasoning tokens.
    """

    id: ClassVar[str] = "qwen_code"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Qwen Code"

    def sniff(self, head: Head) -> float:
        """By rows with Qwen's parts or payloads, or by the first line of its printed output."""
        return 0.95 if _printed(head.start) or _chatted(head.start) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one session of the file."""
        start = beginning(root)
        if printed := _printed(start):
            yield SessionRef(self.id, printed, (root,), session=printed, form="print")
        else:
            session = _chatted(start)
            yield SessionRef(self.id, session or root.stem, (root,), session=session)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Row by row."""
        path = ref.files[0]
        if ref.form == "print":
            stream = Stream(options)
            for number, line in loose_lines(path, options, LINES):
                yield from stream.events(line, number)
            return
        chat = Chat(options)
        for number, row in loose_lines(path, options, ROWS):
            yield from chat.events(row, number)
        yield from chat.closing()


def _printed(start: bytes) -> str:
    """The session whose printed output the file is; empty if it is none."""
    if b"qwen_code_version" not in start:
        return ""
    for text in start.split(b"\n")[:_FIRST_ROWS]:
        try:
            line, _ = LINES.decode(text)
        except Refused:
            continue
        if line.type == "system" and line.qwen_code_version:
            return line.session_id or ""
    return ""


def _chatted(start: bytes) -> str:
    """The session whose chat the file is; empty if it is none."""
    if not any(sign in start for sign in _SIGNS):
        return ""
    for text in start.split(b"\n")[:_FIRST_ROWS]:
        try:
            row, _ = ROWS.decode(text)
        except Refused:
            continue
        is_message = row.message is not None and row.message.parts is not None
        is_own = is_message or row.usage_metadata or row.system_payload
        if row.session_id and row.uuid and is_own:
            return row.session_id
    return ""
