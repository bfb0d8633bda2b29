"""Gemini CLI: chat records in both shapes, and the output of ``-o json`` and ``stream-json``."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.gemini_cli.answer import answer_events
from benchmaker.arenas.agentic.importers.gemini_cli.chat import Conversation, is_header
from benchmaker.arenas.agentic.importers.gemini_cli.layout import (
    files_beside,
    is_agent,
    printed_in,
    session_of,
)
from benchmaker.arenas.agentic.importers.gemini_cli.records import (
    ANSWERS,
    CHATS,
    NAMES,
    RECORDS,
    Chat,
    Record,
)
from benchmaker.arenas.agentic.importers.gemini_cli.stream import (
    LINES,
    Stream,
    is_later_line,
    opening_of,
)
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.importers.sniffing import file_start, first_rows
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import loose_document, loose_lines, quiet_options
from benchmaker.plugins import importer

_KEYS = (b'"sessionId"', b'"projectHash"')
_STATS = {"stats", "stats.models", "stats.tools"}


@importer(id="gemini", version="5")
class Gemini:
    """Chats of Gemini CLI, including subagents."""

    id: ClassVar[str] = "gemini"
    version: ClassVar[str] = "5"
    title: ClassVar[str] = "Gemini CLI"

    def sniff(self, head: FileHead) -> float:
        """By the keys of a chat's header or of the sums."""
        if opening_of(head.start):
            return 0.95
        start = head.start[:4_096]
        if all(key in start for key in _KEYS):
            return 0.95
        return 0.9 if outline(head.start) >= _STATS else 0.0

    def is_later_part(self, head: FileHead) -> bool:
        """Recognise answers of a chat, or tool calls and sums of printed output."""
        is_chat = any(it.type == "gemini" and it.id for it in first_rows(head.start, RECORDS))
        return is_chat or any(map(is_later_line, first_rows(head.start, LINES)))

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The chat, with the files of its subagents."""
        if printed := printed_in(root):
            yield SessionRef(self.id, printed, (root,), session=printed, form="print")
            return
        session = session_of(root)
        files = (root, *files_beside(root, session))
        parent = root.parent.name if is_agent(root) else ""
        name = "" if parent else session
        yield SessionRef(importer=self.id, id=session, files=files, session=name, parent=parent)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """File by file, the main one first."""
        if ref.form == "print" and _is_stream(ref.files[0]):
            stream = Stream(options)
            for line, said in loose_lines(ref.files[0], options, LINES):
                yield from stream.events(said, line)
            return
        for number, path in enumerate(ref.files):
            agent = path.stem if number and is_agent(path) else ""
            chat = Conversation(options, file=number, agent=agent)
            if outline(file_start(path)) & {"messages", "stats"}:
                yield from _document(path, chat, options, ref.id)
            else:
                yield from _lines(path, chat, options)


def _is_stream(path: Path) -> bool:
    return opening_of(file_start(path)) is not None


def _lines(path: Path, chat: Conversation, options: Options) -> Iterator[Event]:
    """Each record where it was written last."""
    last = {named.id: line for line, named in loose_lines(path, quiet_options(options), NAMES)}
    for line, record in loose_lines(path, options, RECORDS):
        if is_header(record):
            yield from chat.header(record, line)
        elif record.id is not None and last.get(record.id) == line:
            yield from chat.events(record, line)


def _document(path: Path, chat: Conversation, options: Options, name: str) -> Iterator[Event]:
    """A whole chat, or the sums of one."""
    found = loose_document(path, options, CHATS)
    if found is None:
        return
    if found.messages is None:
        answer = loose_document(path, options, ANSWERS)
        if answer is not None:
            yield from answer_events(answer, name)
        return
    yield from _chat(found, chat)


def _chat(found: Chat, chat: Conversation) -> Iterator[Event]:
    yield from chat.header(found, 0)
    messages: dict[str, Record] = {}
    for number, record in enumerate(found.messages or ()):
        messages[record.id or str(number)] = record
    for record in messages.values():
        yield from chat.events(record, 0)
