"""Codex CLI: rollout files with the threads that they sent out."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.codex_cli.history import inherited_lines
from benchmaker.arenas.agentic.importers.codex_cli.rollout import Rollout
from benchmaker.arenas.agentic.importers.codex_cli.rows import ROWS, Payload
from benchmaker.arenas.agentic.importers.codex_cli.threads import (
    Thread,
    first_thread,
    sent_out_by,
    thread_of,
)
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import loose_lines
from benchmaker.plugins import importer

_ROW_TYPES = {"session_meta", "turn_context", "event_msg", "response_item", "compacted"}
_NO_THREAD = "no row names the thread; counted as a session of its own"


@importer(id="codex", version="2")
class Codex:
    """Rollout files of Codex CLI, and of the Codex app and editors' extensions."""

    id: ClassVar[str] = "codex"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Codex CLI"

    def sniff(self, head: FileHead) -> float:
        """By the envelope of the first rows."""
        return max((_likeness(line) for line in head.start.split(b"\n")[:5]), default=0.0)

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The thread, with the files of those that it sent out."""
        thread = first_thread(root)
        session = thread.id if thread and thread.id else root.name.removesuffix(".jsonl")
        started = tuple(sent_out_by(root))
        yield SessionRef(
            importer=self.id,
            id=session,
            files=(root, *started),
            session=thread.id if thread else "",
            threads=tuple(it.id for path in started if (it := first_thread(path))),
            parent=(thread.parent or "") if thread else "",
        )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """File by file, the main one first."""
        for number, path in enumerate(ref.files):
            thread = first_thread(path)
            if thread is None:
                options.skip(Skipped(path, 0, _NO_THREAD, is_note=True))
            yield from _parse_file(path, number, thread or _unknown_thread(ref, number), options)


def _parse_file(path: Path, number: int, thread: Thread, options: Options) -> Iterator[Event]:
    inherited = inherited_lines(path, thread, options)
    rollout = Rollout(thread, options, file=number, inherited=inherited, is_main=number == 0)
    opened = False
    for line, row in loose_lines(path, options, ROWS):
        if not opened:
            is_meta = row.type == "session_meta" and row.payload is not None
            yield from rollout.begin(row.payload if is_meta and row.payload else Payload())
            opened = True
        yield from rollout.events(row, line)
    yield from rollout.finish()


def _unknown_thread(ref: SessionRef, number: int) -> Thread:
    """A file whose first row is lost."""
    return thread_of(Payload(id=ref.id if number == 0 else f"{ref.id}-{number}"))


def _likeness(line: bytes) -> float:
    try:
        row, _ = ROWS.decode(line)
    except DecodingError:
        return 0.0
    return 0.95 if row.type in _ROW_TYPES and row.payload is not None else 0.0
