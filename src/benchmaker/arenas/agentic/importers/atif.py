"""ATIF trajectories, v1.0 to v1.8, as harbor and others write them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.atif_format.document import DOCUMENTS, Document
from benchmaker.arenas.agentic.importers.atif_format.layout import continues, run_at
from benchmaker.arenas.agentic.importers.atif_format.trajectory import Trajectory, totals_of
from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import loose_document
from benchmaker.plugins import importer

_VERSION = re.compile(rb'"schema_version"\s*:\s*"ATIF-')
_SEGMENTS = "segments"
_STEPS = {"steps", "steps[].step_id", "steps[].source"}


@importer(id="atif", version="1")
class Atif:
    """Trajectories in the interchange format, with their continuations and subagents.

    The final metrics of a run contain its subagents', and each continuation repeats those of the
    run: the last segment's count, else the sum of the steps.
    """

    id: ClassVar[str] = "atif"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "ATIF trajectory"

    def sniff(self, head: FileHead) -> float:
        """By the version of the schema, which may come after the steps."""
        fields = outline(head.start)
        if "schema_version" in fields and _VERSION.search(head.start):
            return 0.95
        return 0.6 if fields >= _STEPS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The run, with the files of its continuations and subagents."""
        run = run_at(root, Options(skip=lambda _: None))
        yield SessionRef(
            importer=self.id,
            id=run.id,
            files=(*run.segments, *run.children),
            hints={_SEGMENTS: str(len(run.segments))},
            threads=tuple(run.threads),
            unread=tuple(run.unread),
        )

    def with_thread(self, ref: SessionRef, thread: SessionRef) -> SessionRef:
        """The run with a subagent's files at the end, or those of its next segment."""
        segments, more = int(ref.hints[_SEGMENTS]), 0
        if continues(thread.id, ref.id):
            more = int(thread.hints[_SEGMENTS])
        files = (*ref.files[:segments], *thread.files[:more])
        return replace(
            ref,
            files=(*files, *ref.files[segments:], *thread.files[more:]),
            hints={_SEGMENTS: str(segments + more)},
            threads=(*ref.threads, *thread.threads),
            unread=(*(it for it in ref.unread if it != thread.id), *thread.unread),
        )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Segment by segment, then the subagents."""
        yield from run_events(ref.files, int(ref.hints[_SEGMENTS]), ref.id, options)


def run_events(
    files: tuple[Path, ...], segments: int, run: str, options: Options, *, first: int = 0
) -> Iterator[Event]:
    """The events of a run whose files begin at number ``first`` of the session's."""
    reader = Trajectory(options, run)
    newest: Document | None = None
    for number, path in enumerate(files):
        document = loose_document(path, options, DOCUMENTS)
        if document is None:
            continue
        is_segment = number < segments
        agent = "" if is_segment else document.session_id or path.stem
        newest = document if is_segment else newest
        reader.path = path
        yield from reader.events(document, file=first + number, agent=agent)
    if newest is not None:
        yield from totals_of(newest.final_metrics)
