"""Reading a session from the database, an export, or the output of ``run``."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.opencode_format.conversation import Conversation
from benchmaker.arenas.agentic.importers.opencode_format.database import (
    kind_of,
    opened_store,
    sessions_in,
)
from benchmaker.arenas.agentic.importers.opencode_format.rows import (
    EXPORTS,
    LINES,
    Export,
    Info,
    Line,
)
from benchmaker.arenas.agentic.importers.opencode_format.rows import Head as About
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.events import Event, UserTurn
from benchmaker.arenas.agentic.logs.lenient_json import loose_document, loose_lines
from benchmaker.arenas.agentic.logs.options import QUIET
from benchmaker.errors import StoreError

_FIRST_LINES = 5


class Reader:
    """The common part of the importers of OpenCode and Kilo Code."""

    id: ClassVar[str]
    harness: ClassVar[str]

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """Yield the sessions started by a person; subagents belong to them."""
        start = file_start(root)
        if kind_of(root, start):
            for session in sessions_in(root):
                yield SessionRef(self.id, session, (root,), part=session, session=session)
        elif session := printed_in(start):
            yield SessionRef(self.id, session, (root,), part=session, session=session, form="print")
        else:
            export = loose_document(root, QUIET, EXPORTS) or Export()
            session = (export.info or About()).id or root.stem
            yield SessionRef(
                self.id, session, (root,), part=session, session=session, form="export"
            )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The session with those of its subagents."""
        path = ref.files[0]
        match ref.form:
            case "log":
                try:
                    yield from self._from_database(path, ref.id, options)
                except StoreError as exc:
                    options.skip(Skipped(path, 0, exc.message))
            case "export":
                yield from self._from_export(path, options)
            case "print":
                yield from self._from_output(path, ref.id, options)

    def _from_database(self, path: Path, session: str, options: Options) -> Iterator[Event]:
        with opened_store(path, options) as store:
            main = Conversation(self.harness, options)
            yield main.begin(store.head(session))
            yield from main.messages(store.messages(session))
            for child in store.subagent_sessions(session):
                below = Conversation(self.harness, options, agent=child)
                yield from below.messages(store.messages(child))
            yield from main.finish()

    def _from_export(self, path: Path, options: Options) -> Iterator[Event]:
        found = loose_document(path, options, EXPORTS)
        if found is None:
            return
        conversation = Conversation(self.harness, options)
        yield conversation.begin(found.info or About())
        yield from conversation.messages(found.messages or ())
        yield from conversation.finish()

    def _from_output(self, path: Path, session: str, options: Options) -> Iterator[Event]:
        """The events of a run's output, which has neither its prompt nor its model."""
        conversation = Conversation(self.harness, options)
        yield conversation.begin(About(id=session), mode="headless")
        has_prompt = False
        for number, line in loose_lines(path, options, LINES):
            place = conversation.place(line.timestamp, number)
            if line.part is not None and not has_prompt:
                has_prompt = True
                yield UserTurn(**place, id=f"prompt before {line.part.id}")
            if line.part is not None:
                yield from conversation.part(line.part, place, Info())
            elif line.error is not None:
                yield from conversation.failure_events(line.error, place, f"{session}:{number}")
        yield from conversation.finish()


def printed_in(start: bytes) -> str:
    """Return the session of an output file; empty for other files."""
    if b'"sessionID"' not in start:
        return ""
    for text in start.split(b"\n")[:_FIRST_LINES]:
        try:
            line, _ = LINES.decode(text)
        except DecodingError:
            continue
        if _is_line(line):
            return line.session_id or ""
    return ""


def _is_line(line: Line) -> bool:
    is_part = line.part is not None and line.part.message_id is not None
    return bool(line.session_id and line.timestamp and is_part)


def is_export(start: bytes) -> bool:
    """True if a file is an export, by its first keys."""
    return outline(start) >= {"info", "info.projectID", "info.slug", "info.directory"}
