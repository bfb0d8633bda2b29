"""Reading the sessions that were found into submissions."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count
from pathlib import Path
from types import MappingProxyType

import msgspec

from benchmaker.arenas.agentic.importers.base import SessionRef, SnapshotImporter, TableImporter
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    LlmCall,
    RowIdentity,
    SessionPart,
    ToolCall,
)
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.plain_row import PlainRow
from benchmaker.arenas.agentic.logs.skips import Skips
from benchmaker.arenas.agentic.logs.sources import (
    row_submission_id,
    source_file,
    source_hash,
    submission_id,
)
from benchmaker.arenas.agentic.secrets.scan import holds_secret
from benchmaker.arenas.agentic.sessions.assembling import completeness_of
from benchmaker.arenas.agentic.sessions.cleaning import Cleaner, cleaner
from benchmaker.arenas.agentic.sessions.memory_tables import CountedAnswer
from benchmaker.arenas.agentic.sessions.plain_rows import facts_of, submission_of_row
from benchmaker.arenas.agentic.sessions.reduce import Reduced, Reducer
from benchmaker.arenas.agentic.sessions.scan import FoundSession
from benchmaker.arenas.agentic.sessions.stored_events import Recorder, ShortRecorder, Spool
from benchmaker.arenas.agentic.sessions.tally import Tally
from benchmaker.record.submissions.metrics import FIGURES_REFUSED
from benchmaker.record.submissions.submission import LOCAL, SourceFile, Status, Submission, TaskRef

LEAST_CALLS = 3
"""Minimum number of tool calls for recognizing a session; fewer may be the same in two."""


class Footprint:
    """Records the footprint of one session from its passing events."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=16)
        self._calls = 0

    def add(self, event: Event) -> None:
        """Count an event in."""
        if isinstance(event, ToolCall):
            self._calls += 1
            self._digest.update(f"call {event.digest or event.name}\n".encode("utf-8", "replace"))
        elif isinstance(event, LlmCall) and event.usage is not None:
            usage = event.usage
            numbers = (usage.input_uncached, usage.cache_read, usage.output)
            self._digest.update(f"answer {numbers}\n".encode())

    def chunks(self) -> Iterator[bytes]:
        """The hash as the only chunk of a part; none where too little was done."""
        if self._calls >= LEAST_CALLS:
            yield self._digest.digest()


@dataclass(slots=True)
class SessionReading:
    """One session that was read; its submission is made when all are."""

    found: FoundSession
    tally: Tally
    sources: tuple[SourceFile, ...]
    source: str
    recorder: Recorder | ShortRecorder
    cleaner: Cleaner
    footprint: Footprint = field(default_factory=Footprint)
    line: int = 0
    impossible: int = 0
    """Figures in it that are negative or not finite."""
    has_failed: bool = False
    is_untouched: bool = True
    is_part: bool = False
    """True if the session is one of several in its file, which then states their tasks."""
    plain: PlainRow | None = None
    """The row that it is all of, instead of events."""
    parts: set[str] = field(default_factory=set)
    """The ids of stored submissions that hold a part or a copy of it."""
    unread_parts: set[str] = field(default_factory=set)
    """Those whose files it was read without; they are parts if its log's totals contain theirs."""
    is_part_of_stored: bool = False
    """True if a stored session was read from all its files and more, or from a later state."""
    beginnings: tuple[bytes, ...] = ()
    """The digests of its beginnings, if its log states no unique session id."""

    @property
    def row(self) -> RowIdentity | None:
        """Its identity if it is a row of a table."""
        return self.found.ref.row

    @property
    def session_id(self) -> str:
        """The id in its log; empty without one."""
        return self.tally.facts.get("session_id") or ""

    @property
    def stated_task(self) -> str | None:
        """The task that its log or row names, as opposed to the name of its file."""
        said = self.tally.facts.get("task_id")
        return said or (self.found.ref.task_id if self.is_part else None)

    def take(self, event: Event) -> None:
        """Clean, count and keep an event; mere moments are only counted."""
        self.is_untouched = False
        if isinstance(event, Activity):
            self.tally.add(event)
            return
        clean = self.cleaner.event(event)
        self.tally.add(clean)
        self.recorder.add(clean)
        self.footprint.add(clean)


@dataclass(slots=True)
class Intake:
    """Reads sessions one by one; byte-identical ones are read once.

    ``task`` is the task of sessions that name none; if it ``is_chosen``, of all logs.
    ``source`` is the name of the collection that rows come from.
    """

    reducer: Reducer
    options: Options
    skips: Skips
    spool: Spool
    task: str | None = None
    submitter: str | None = None
    source: str = ""
    is_chosen: bool = False
    readings: list[SessionReading] = field(default_factory=list)
    repeats: list[FoundSession] = field(default_factory=list)
    _files: dict[Path, SourceFile | None] = field(default_factory=dict)
    _known: set[tuple[str, str]] = field(default_factory=set)
    _beginnings: dict[tuple[Path, str], tuple[bytes, ...]] = field(default_factory=dict)
    _telling: dict[tuple[SourceFile, ...], bool] = field(default_factory=dict)
    _paths: dict[str, Path] = field(default_factory=dict)

    def without_parts(self, found: Sequence[FoundSession]) -> Iterator[FoundSession]:
        """The sessions without parts and earlier states of others, which are repeats."""
        yield from self._without_earlier_states(tuple(self._without_smaller(found)))

    def _without_smaller(self, found: Sequence[FoundSession]) -> Iterator[FoundSession]:
        """The sessions whose files are not all among those of a larger one."""
        larger: dict[str, list[frozenset[str]]] = {}
        for it in found:
            if len(it.ref.files) > 1 and not it.ref.part:
                files = self._digests(it)
                for digest in files:
                    larger.setdefault(digest, []).append(files)
        for it in found:
            files = self._digests(it) if larger and not it.ref.part else frozenset()
            if any(files < others for others in larger.get(next(iter(files), ""), ())):
                self.repeats.append(it)
            else:
                yield it

    def _without_earlier_states(self, found: Sequence[FoundSession]) -> Iterator[FoundSession]:
        """The sessions without those whose log another one begins with."""
        for it in found:
            if isinstance(it.importer, SnapshotImporter):
                self._beginnings[_place(it)] = self._read_beginnings(it.importer, it.ref)
        continued = {digest for known in self._beginnings.values() for digest in known[:-1]}
        for it in found:
            if continued.isdisjoint(self._beginnings.get(_place(it), ())[-1:]):
                yield it
            else:
                self.repeats.append(it)

    def _read_beginnings(self, reader: SnapshotImporter, ref: SessionRef) -> tuple[bytes, ...]:
        try:
            return reader.beginnings(ref, self.options)
        except Exception:  # noqa: BLE001  reading the session reports it
            return ()

    def _digests(self, found: FoundSession) -> frozenset[str]:
        """The digests of a session's readable files."""
        sources = map(self._source, found.ref.files)
        return frozenset(it.sha256 for it in sources if it)

    def read(self, found: FoundSession) -> None:
        """Read a session."""
        sources = tuple(it for path in found.ref.files if (it := self._source(path)))
        if not sources:
            return
        source = source_hash(sources, found.ref.part)
        if (found.importer.id, source) in self._known:
            self.repeats.append(found)
            return
        self._known.add((found.importer.id, source))
        reading = self._begin(found, sources)
        try:
            for event in self._parse(found):
                if isinstance(event, PlainRow):
                    reading = self._row(reading, event)
                elif isinstance(event, SessionPart):
                    reading = self._next_part(reading, event)
                else:
                    reading.take(event)
        except Exception as exc:  # noqa: BLE001  one file must not stop the others
            reading.has_failed = True
            why = f"{found.importer.id} stopped reading here: {type(exc).__name__}: {exc}"
            self.options.skip(Skipped(found.ref.files[0], 0, why[:500]))
        self._end(reading)

    def _parse(self, found: FoundSession) -> Iterator[PlainRow | Event]:
        if isinstance(found.importer, TableImporter):
            return found.importer.plain_rows(found.ref, self.options)
        return found.importer.parse(found.ref, self.options)

    def _begin(self, found: FoundSession, sources: tuple[SourceFile, ...]) -> SessionReading:
        return SessionReading(
            found,
            self.reducer.session(),
            sources,
            source_hash(sources, found.ref.part),
            Recorder(self.spool),
            cleaner(),
            impossible=-self.skips.impossible,
            is_part=found.ref.row is not None,
            beginnings=self._beginnings.get(_place(found), ()),
        )

    def _next_part(self, reading: SessionReading, part: SessionPart) -> SessionReading:
        """Start the session of the next part."""
        self._close(reading)
        begun = self._begin(_of_part(reading.found, part), reading.sources)
        begun.line, begun.is_part = part.line, True
        return begun

    def _row(self, reading: SessionReading, row: PlainRow) -> SessionReading:
        """The session of a plain row, which is complete."""
        self._close(reading)
        found = _of_part(reading.found, row.part)
        return SessionReading(
            found,
            Tally(-1, self.reducer.seen, facts=facts_of(row)),
            reading.sources,
            source_hash(reading.sources, found.ref.part),
            ShortRecorder(row.trace_events),
            cleaner(),
            line=row.part.line,
            impossible=-self.skips.impossible,
            is_untouched=False,
            is_part=True,
            plain=row,
        )

    def _close(self, reading: SessionReading) -> None:
        """End the session before the next part; it is dropped if it had no events."""
        if reading.is_untouched:
            self.reducer.tallies.pop()
        else:
            self._end(reading)

    def _end(self, reading: SessionReading) -> None:
        reading.impossible += self.skips.impossible
        reading.tally.end()
        reading.recorder.flush()
        self.readings.append(reading)

    def _source(self, path: Path) -> SourceFile | None:
        if path not in self._files:
            self._files[path] = source_file(path, self.options)
        return self._files[path]

    def ids(self) -> list[str]:
        """The id of each submission, in the order of reading.

        A row is identified by its own id or its content, and rows of one id are one submission. A
        session is identified by the id in its log, a second log of the same session by its
        content, a second part of the same name by its number.
        """
        ids: list[str] = []
        taken: set[str] = set()
        for reading in self.readings:
            name = self._free_name(reading, taken)
            ids.append(name)
            taken.add(name)
        return ids

    def _free_name(self, reading: SessionReading, taken: AbstractSet[str]) -> str:
        if reading.row is not None:
            return self.row_name(reading, reading.row)
        return next(it for it in self._names(reading) if it not in taken)

    def row_name(self, reading: SessionReading, row: RowIdentity) -> str:
        """The id of a row's submission."""
        return row_submission_id(
            reading.found.importer.id,
            row,
            task=self.task_of(reading) or "",
            tool=reading.tally.facts.get("harness") or "",
            submitter=self.submitter or "",
            source=self.source,
        )

    def _names(self, reading: SessionReading) -> Iterator[str]:
        if reading.tally.given is not None:
            yield reading.tally.given.id
        part = reading.found.ref.part
        yield self._id(reading, reading.session_id, part)
        yield self._id(reading, "", part)
        for number in count(2):
            yield self._id(reading, "", f"{part}#{number}")

    def _id(self, reading: SessionReading, session_id: str, part: str) -> str:
        return submission_id(
            reading.found.importer.id,
            session_id=session_id,
            source=reading.source,
            part=part,
            task=self.task_of(reading) or "",
            submitter=self.submitter or "",
        )

    def task_of(self, reading: SessionReading) -> str | None:
        """The task that a session worked on.

        One that only the file's name suggests comes last, after that of the import.
        """
        return self.stated_task(reading) or reading.found.ref.task_id

    def stated_task(self, reading: SessionReading) -> str | None:
        """The task that the log or the import names; None if only the file's name suggests one."""
        if self.is_chosen and self.task and reading.row is None:
            return self.task
        given = reading.tally.given
        said = given.task.id if given and given.task else reading.stated_task
        return said or self.task

    def submissions(
        self,
        ids: Sequence[str],
        *,
        now: str,
        counted: AbstractSet[int] = frozenset(),
        answers: Mapping[int, CountedAnswer] = MappingProxyType({}),
    ) -> Iterator[tuple[SessionReading, Reduced]]:
        """Each session with its submission, in the order of reading.

        ``counted`` and ``answers`` are what stored sessions count.
        """
        reduced = self.reducer.finish(counted, answers)
        names = {
            reading.tally.number: name for reading, name in zip(self.readings, ids, strict=True)
        }
        for reading, name in zip(self.readings, ids, strict=True):
            if reading.plain is not None:
                yield reading, self._of_row(reading, reading.plain, name=name, now=now)
                continue
            one = next(reduced)
            reading.parts |= {names[number] for number in one.copies}
            whole = msgspec.structs.replace(
                self._with_sources(one.submission, reading), id=name, created_at=now
            )
            one.submission = reading.cleaner.submission(whole)
            yield reading, one

    def _of_row(self, reading: SessionReading, row: PlainRow, *, name: str, now: str) -> Reduced:
        """The submission of a plain row; its own texts were looked through when it was read."""
        task = self.task_of(reading)
        whole = submission_of_row(
            row,
            self.reducer.pricer,
            id=name,
            created_at=now,
            gap_limit_s=self.reducer.gap_limit_s,
            is_partial=reading.has_failed,
            submitter=self.submitter or LOCAL,
            row_id=(reading.row.id if reading.row else "") or None,
            source=self.source,
            task=TaskRef(id=task) if task else None,
            importer=reading.found.importer.id,
            importer_version=reading.found.importer.version,
            source_sha256=reading.source,
            sources=self._with_skips(reading.sources),
            flags=_own_flags(reading),
        )
        own = holds_secret(name) or holds_secret(task or "")
        if own or self._tells_secret(reading.sources):
            whole = reading.cleaner.submission(whole)
        return Reduced(whole, (), array("Q"), is_copy=False)

    def _tells_secret(self, sources: tuple[SourceFile, ...]) -> bool:
        """True if the file's own metadata, shared by all its rows, contains a secret."""
        if sources not in self._telling:
            texts = (self.submitter or "", self.source, *_texts_of(sources))
            self._telling[sources] = any(map(holds_secret, texts))
        return self._telling[sources]

    def _with_sources(self, submission: Submission, reading: SessionReading) -> Submission:
        """The submission with its task, its sources and its completeness."""
        sources = self._with_skips(reading.sources)
        task, given, row = self.task_of(reading), reading.tally.given, reading.row
        is_damaged = row is None and any(it.skipped_lines for it in sources)
        is_partial = reading.has_failed or is_damaged
        named = given.task if given else None
        return msgspec.structs.replace(
            submission,
            submitter=self.submitter or submission.submitter,
            row_id=(row.id if row else submission.row_id) or None,
            source=self.source if row else submission.source,
            task=named if named and named.id == task else TaskRef(id=task) if task else None,
            completeness=given.completeness
            if given
            else completeness_of(submission, is_partial=is_partial),
            importer=reading.found.importer.id,
            importer_version=reading.found.importer.version,
            source_sha256=reading.source,
            sources=sources,
            flags=tuple(sorted({*submission.flags, *_own_flags(reading)})),
        )

    def _with_skips(self, sources: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
        """The sources, each with the number of lines that could not be read."""
        return tuple(self._with_skip(it) for it in sources)

    def _with_skip(self, source: SourceFile) -> SourceFile:
        skipped = self.skips.count_in(self._path(source.path))
        return msgspec.structs.replace(source, skipped_lines=skipped) if skipped else source

    def _path(self, name: str) -> Path:
        """The path of that name; that of a table with many rows is made once."""
        if name not in self._paths:
            self._paths[name] = Path(name)
        return self._paths[name]


def _place(found: FoundSession) -> tuple[Path, str]:
    return found.ref.files[0], found.ref.part


def _of_part(found: FoundSession, part: SessionPart) -> FoundSession:
    ref = found.ref.of_part(part.id, task_id=part.task_id, row=part.row)
    return FoundSession(ref, found.importer)


def _own_flags(reading: SessionReading) -> set[str]:
    """Return flags on the reading itself."""
    flags = {"reading_failed"} if reading.has_failed else set()
    return flags | {FIGURES_REFUSED} if reading.impossible else flags


def _texts_of(sources: Iterable[SourceFile]) -> Iterator[str]:
    for one in sources:
        yield one.path
        yield one.sha256


def is_empty(submission: Submission) -> bool:
    """True if a session has no activity and no known end."""
    counts = (
        submission.total_tokens,
        submission.usage.total,
        submission.llm_calls,
        submission.tool_calls,
        submission.iterations,
        submission.cost.usd,
    )
    ended = submission.outcome
    is_open = ended.success is None and ended.reward is None and ended.status is Status.UNKNOWN
    return is_open and not any(counts)
