"""Qwen Code: chats, and the output of ``-o stream-json``."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.qwen.chat import Chat
from benchmaker.arenas.agentic.importers.qwen.rows import LINES, ROWS
from benchmaker.arenas.agentic.importers.qwen.stream import Stream
from benchmaker.arenas.agentic.importers.sniffing import file_start, first_rows
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import loose_lines
from benchmaker.plugins import importer

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

    def sniff(self, head: FileHead) -> float:
        """By rows with Qwen's parts or payloads, or by lines that only its output has."""
        return 0.95 if _output_session(head.start) or _chat_session(head.start) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one session of the file."""
        start = file_start(root)
        if printed := _output_session(start):
            yield SessionRef(self.id, printed, (root,), session=printed, form="print")
        else:
            session = _chat_session(start)
            yield SessionRef(self.id, session or root.stem, (root,), session=session)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Row by row."""
        path = ref.files[0]
        if ref.form == "print":
            stream = Stream(options)
            yield stream.session(ref.session)
            for number, line in loose_lines(path, options, LINES):
                yield from stream.events(line, number)
            return
        chat = Chat(options)
        for number, row in loose_lines(path, options, ROWS):
            yield from chat.events(row, number)
        yield from chat.finish()


def _output_session(start: bytes) -> str:
    """The session whose printed output the file is; empty if it is none."""
    own = (line for line in first_rows(start, LINES) if line.is_own)
    return next((line.session_id for line in own if line.session_id), "")


def _chat_session(start: bytes) -> str:
    """The session whose chat the file is; empty if it is none."""
    if not any(sign in start for sign in _SIGNS):
        return ""
    for row in first_rows(start, ROWS):
        is_message = row.message is not None and row.message.parts is not None
        is_own = is_message or row.usage_metadata or row.system_payload
        if row.session_id and row.uuid and is_own:
            return row.session_id
    return ""
