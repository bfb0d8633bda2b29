"""Reading logs from Python: one call from a path to submissions in the store."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmaker.arenas.agentic.importers.base import Importer
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.skips import Skips, answers_to_questions, calls_by_results
from benchmaker.arenas.agentic.sessions.cleaning import SecretFinding
from benchmaker.arenas.agentic.sessions.counted_before import counted_before
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.reduce import GAP_LIMIT_S, Reduced, Reducer
from benchmaker.arenas.agentic.sessions.scan import FoundSession, Scan, add_earlier, importers, scan
from benchmaker.arenas.agentic.sessions.session_intake import Intake, SessionReading, is_empty
from benchmaker.arenas.agentic.sessions.session_parts import (
    files_read_before,
    follow_moved_files,
    keep_stored_names,
    packed_beginnings,
    packed_files,
    packed_threads,
    relate_to_stored,
    states_more,
)
from benchmaker.arenas.agentic.sessions.stored_events import (
    BEGINNINGS,
    EVENTS,
    FILES,
    KEYS,
    PRINT,
    REQUESTS,
    THREADS,
    USAGE,
    Spool,
    pack_requests,
    packed_keys,
)
from benchmaker.arenas.agentic.sessions.stored_rows import (
    KnownRows,
    known_rows,
    other_identities,
    repeated_rows,
    tables_without_rows,
)
from benchmaker.arenas.agentic.sessions.stored_usage import packed_parts
from benchmaker.errors import StoreError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.evaluation import ModerationState
from benchmaker.record.submissions.submission import Submission
from benchmaker.record.timestamps import optional_timestamp
from benchmaker.store import Store
from benchmaker.store.agentic.submissions import (
    NewSubmission,
    Parts,
    PutStatus,
    is_same,
)
from benchmaker.store.agentic.trace_words import WORDS
from benchmaker.store.home import Home

Put = Callable[[Store, NewSubmission], PutStatus]
"""Stores a submission."""

_AT_ONCE = 200
"""The most submissions with small traces that are stored in one transaction."""

_SMALL_BYTES = 16 * 2**10


def put_by(guest: str) -> Put:
    """Return a function that stores submissions of a guest, which wait for a moderator."""

    def put(store: Store, given: NewSubmission) -> PutStatus:
        state = store.agentic.put_pending(given, by=guest)
        return PutStatus.WAITING if state is ModerationState.WAITING else PutStatus.UNCHANGED

    return put


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    ``skipped_lines`` lists unreadable parts, at most 100 per file; ``skipped`` counts all.
    ``notes`` are informational. ``copies`` are sessions whose answers all belong to another
    session, ``copied`` the stored submissions to which they belong, ``repeats`` files identical to
    another, ``empty`` logs without activity, ``refused`` files without any readable part,
    ``unknown`` files that are not logs. ``refused_rows`` counts refused rows of tables. ``kept`` is
    the state of each submission in the store: ``new``, ``revised``, ``unchanged``, or ``waiting``
    for a moderator; it is empty if nothing was stored. ``secrets`` lists the removed secrets by
    submission, with kind and line.
    """

    submissions: tuple[Submission, ...] = ()
    skipped_lines: tuple[Skipped, ...] = ()
    skipped: int = 0
    notes: tuple[Skipped, ...] = ()
    copies: tuple[Path, ...] = ()
    copied: tuple[str, ...] = ()
    repeats: tuple[Path, ...] = ()
    empty: tuple[Path, ...] = ()
    refused: tuple[Path, ...] = ()
    refused_rows: int = 0
    unknown: tuple[Path, ...] = ()
    kept: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, tuple[SecretFinding, ...]] = field(default_factory=dict)

    @property
    def counted_ids(self) -> list[str]:
        """The ids of those that do not wait for a moderator."""
        return [one.id for one in self.submissions if self.kept.get(one.id) != PutStatus.WAITING]

    @property
    def is_refused(self) -> bool:
        """True if nothing was imported because nothing was readable."""
        was_read = self.submissions or self.copies or self.repeats
        return self.is_partial and not was_read

    @property
    def is_partial(self) -> bool:
        """True if some part was unreadable."""
        return bool(self.skipped or self.refused)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of new, revised, unchanged and waiting submissions."""
        return dict(Counter(self.kept.values()))


def import_logs(
    path: str | Path | Sequence[str | Path],
    *,
    task: str | None = None,
    submitter: str | None = None,
    source: str = "",
    task_is_chosen: bool = False,
    model: str | None = None,
    importer: str | None = None,
    drop_content: bool = False,
    dry_run: bool = False,
    gap_limit_s: float = GAP_LIMIT_S,
    max_line_bytes: int = 64 * 2**20,
    keep_going: bool = False,
    wanted: Callable[[FoundSession], bool] | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Imported:
    """Import logs of coding tools, and store the submissions.

    Args:
        path: a log, a folder of logs, or several of them.
        task: the default task of the sessions.
        submitter: the submitter; default is ``local``, or that in a submission's own file.
        source: a name for the collection of the rows; rows with one id, task, tool and submitter
            are one submission within a source, and separate ones in different sources.
        task_is_chosen: ``task`` overrides the task in a log; a row keeps its own.
        model: the default model.
        importer: the id of the importer to use, instead of recognising the files.
        drop_content: store only numbers; no texts, arguments or outputs. Those stored by an earlier
            import of the same session are removed.
        dry_run: store nothing.
        gap_limit_s: longer gaps in seconds do not count as activity.
        max_line_bytes: longer lines are skipped.
        keep_going: report the only path as skipped if it is unreadable. Of several paths, those
            that are unreadable are always reported, and the others imported.
        wanted: true for the sessions to be read; by default all.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.

    Returns: The submissions with the provenance of every figure, and the unreadable parts. Sessions
        imported together count each answer once; answers already counted by a stored submission are
        not counted again.

    Raises:
        TranscriptError: the only path does not exist, or its format is not recognised.
        SpecError: unknown importer, or an invalid price file.
        StoreError: the store is unusable.
    """
    paths = [Path(it) for it in ([path] if isinstance(path, str | Path) else path)]
    place = Home.of(home, store)
    skips = Skips()
    options = Options(
        skip=skips, drop_content=drop_content, max_line_bytes=max_line_bytes, model=model
    )
    return take_in(
        paths,
        _store_of(place, dry_run=dry_run),
        readers=importers(importer),
        options=options,
        skips=skips,
        pricer=lambda: Pricer(Prices(place.home), now=clock()),
        task=task,
        submitter=submitter,
        source=source,
        task_is_chosen=task_is_chosen,
        gap_limit_s=gap_limit_s,
        earlier_files=True,
        keep_going=keep_going,
        wanted=wanted,
        clock=clock,
    )


def take_in(
    paths: Sequence[Path],
    opened: AbstractContextManager[Store | None],
    *,
    readers: Sequence[Importer],
    options: Options,
    skips: Skips,
    pricer: Callable[[], Pricer],
    task: str | None = None,
    submitter: str | None = None,
    source: str = "",
    task_is_chosen: bool = False,
    gap_limit_s: float = GAP_LIMIT_S,
    bare_names: bool = False,
    earlier_files: bool = False,
    keep_going: bool = False,
    put: Put | None = None,
    wanted: Callable[[FoundSession], bool] | None = None,
    on_read: Callable[[NewSubmission], None] | None = None,
    clock: Callable[[], float] = time.time,
) -> Imported:
    """Like :func:`import_logs`, with an open store and loaded importers.

    ``options`` reports unreadable parts to ``skips``. With ``earlier_files``, other files of the
    same sessions that were imported before are read again if they are still on this machine, so
    that the printed output of a session and its log can be imported in any order. With
    ``bare_names`` sources are recorded by file name, without their folder. ``put`` stores one
    submission and returns when it is durable; without it, submissions are stored in batches. Only
    sessions that are ``wanted`` are read. Without a store, ``on_read`` receives each submission
    with its trace, which is readable only meanwhile.
    """
    found = scan(paths, options, readers=readers, keep_going=keep_going)
    if wanted is not None:
        found.found = list(filter(wanted, found.found))
    now = clock()
    with closing(Spool()) as spool, opened as store:
        if store is not None and earlier_files:
            add_earlier(found, files_read_before(store, found), options, readers)
        intake = Intake(
            Reducer(pricer(), gap_limit_s),
            options,
            skips,
            spool,
            task=task,
            submitter=submitter,
            source=source,
            is_chosen=task_is_chosen,
        )
        for it in intake.without_parts(found.found):
            intake.read(it)
        keep_stored_names(store, intake)
        ids = intake.ids()
        for note in _notes_on_rows(store, intake, ids):
            skips(note)
        known = known_rows(store, intake, ids)
        parts = relate_to_stored(store, intake, ids)
        before = counted_before(store, intake, {*ids, *known.ids, *parts})
        taken = _ImportWriter(
            put,
            known,
            Counter(ids),
            bare_names=bare_names,
            without_texts=(EVENTS, WORDS) if options.drop_content else (),
            owners=before.owners,
            on_read=on_read,
        )
        for reading, reduced in intake.submissions(
            ids, now=optional_timestamp(now) or "", counted=before.keys, answers=before.answers
        ):
            taken.take(reading, reduced, store)
        if store is not None:
            taken.flush(store)
    for note in (*answers_to_questions(taken.submissions), *calls_by_results(taken.submissions)):
        skips(note)
    return _import_result(found, intake, taken, skips)


def _notes_on_rows(store: Store | None, intake: Intake, ids: Sequence[str]) -> Iterator[Skipped]:
    """Notes on tables without rows, rows that occur twice, and rows with another identity."""
    yield from tables_without_rows(intake)
    yield from repeated_rows(intake, ids)
    yield from other_identities(store, intake, ids)


def _import_result(found: Scan, intake: Intake, taken: "_ImportWriter", skips: Skips) -> Imported:
    return Imported(
        submissions=tuple(taken.submissions),
        skipped_lines=tuple(skips.listed),
        skipped=skips.total,
        notes=tuple(skips.notes),
        copies=tuple(taken.copies),
        copied=tuple(dict.fromkeys(taken.copied)),
        repeats=(*found.repeats, *(_main_file(it) for it in intake.repeats)),
        empty=tuple(path for path in taken.empty if not skips.count_in(path)),
        refused=tuple(_refused_files(taken.empty, skips)),
        refused_rows=len(skips.rows),
        unknown=tuple(found.unknown),
        kept=taken.kept,
        secrets=taken.secrets,
    )


@dataclass(slots=True)
class _ImportWriter:
    """Stores the sessions and records the outcome of each; of rows of one id the last counts."""

    put: Put | None
    known: KnownRows
    coming: Counter[str]
    bare_names: bool = False
    without_texts: tuple[str, ...] = ()
    on_read: Callable[[NewSubmission], None] | None = None
    submissions: list[Submission] = field(default_factory=list)
    owners: Mapping[int, str] = field(default_factory=dict)
    copies: list[Path] = field(default_factory=list)
    copied: list[str] = field(default_factory=list)
    empty: list[Path] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, tuple[SecretFinding, ...]] = field(default_factory=dict)
    _waiting: dict[str, list["_ReadSession"]] = field(default_factory=dict)
    _ready: list[NewSubmission] = field(default_factory=list)

    def take(self, reading: SessionReading, reduced: Reduced, store: Store | None) -> None:
        """Store a session's submission, unless it is a copy or empty."""
        identity = reduced.submission.id
        if self._counts(reading, reduced):
            read = self._read(reading, reduced, store)
            self._waiting.setdefault(identity, []).append(read)
        self.coming[identity] -= 1
        if not self.coming[identity] and identity in self._waiting:
            self._keep(self._waiting.pop(identity), store)

    def _counts(self, reading: SessionReading, reduced: Reduced) -> bool:
        if reduced.is_copy or reading.is_part_of_stored:
            self.copies.append(_main_file(reading.found))
            owner = self.owners.get(reading.tally.first_key or 0)
            self.copied += [owner] if owner else []
            return False
        is_named_row = reduced.submission.row_id and not reading.is_untouched
        if is_empty(reduced.submission) and not is_named_row:
            self.empty.append(_main_file(reading.found))
            return False
        return True

    def _read(
        self, reading: SessionReading, reduced: Reduced, store: Store | None
    ) -> "_ReadSession":
        submission = reduced.submission
        older = self.known.names(reading, submission, store)
        if older:
            submission = msgspec.structs.replace(submission, id=older[0])
        if self.bare_names:
            submission = _with_source_names(submission)
        parts = {
            EVENTS: reading.recorder.chunks(),
            WORDS: reading.recorder.filters(),
            REQUESTS: pack_requests(reduced.requests),
            KEYS: [packed_keys(reduced.keys, reduced.answers)] if reduced.keys else [],
            PRINT: reading.footprint.chunks(),
            USAGE: [packed_parts(submission, reduced.parts)] if reduced.parts else [],
            FILES: packed_files(reading),
            THREADS: packed_threads(reading),
            BEGINNINGS: packed_beginnings(reading),
        }
        is_claimed = reading.tally.given is not None
        is_row = is_claimed or reading.row is not None
        superseded = reading.parts | (reading.unread_parts if states_more(submission) else set())
        more = tuple(older[1:]), self.without_texts, tuple(sorted(superseded))
        return _ReadSession(reading, NewSubmission(submission, parts, is_claimed, is_row, *more))

    def _keep(self, read: list["_ReadSession"], store: Store | None) -> None:
        """Store the sessions of one id, the last of which counts; only that if it is unchanged."""
        last = read[-1]
        name = last.given.submission.id
        self.submissions.append(last.given.submission)
        if last.reading.cleaner.findings:
            self.secrets[name] = last.reading.cleaner.findings
        if store is None:
            if self.on_read is not None:
                self.on_read(last.given)
            return
        if len(read) > 1 and _is_stored(last.given, store):
            read = [last]
        self.kept.setdefault(name, "")  # its place among the others; filled in when it is kept
        for one in read:
            self._put(one, store)

    def _put(self, read: "_ReadSession", store: Store) -> None:
        """Store it, unless the file claims to be a stored submission that has its own log."""
        given, reading = read.reading.tally.given, read.reading
        is_another = given is not None and given.id != read.given.submission.id
        if is_another and given is not None and _is_there(given.id, reading, store):
            self._note(read.given, PutStatus.UNCHANGED)
        elif self.put is not None:
            self._note(read.given, self.put(store, read.given))
        else:
            self._wait(read.given, store)

    def _note(self, given: NewSubmission, fate: PutStatus) -> None:
        """Record the outcome; of several with one id, the first that changed anything counts."""
        name = given.submission.id
        if self.kept[name] in ("", PutStatus.UNCHANGED):
            self.kept[name] = fate.value

    def _wait(self, given: NewSubmission, store: Store) -> None:
        """Queue it for the next batch, which is stored when it is full or a trace is large."""
        parts, is_small = _buffer_small_parts(given.parts or {})
        self._ready.append(given._replace(parts=parts))
        if not is_small or len(self._ready) >= _AT_ONCE:
            self.flush(store)

    def flush(self, store: Store) -> None:
        """Store the queued submissions."""
        if self._ready:
            kept = list(zip(self._ready, store.agentic.put_submissions(self._ready), strict=True))
            for given, fate in kept:
                self._note(given, fate)
            same = [
                given.submission
                for given, fate in kept
                if fate is PutStatus.UNCHANGED and not given.is_row
            ]
            if same:
                follow_moved_files(store, same)
            self._ready = []


class _ReadSession(NamedTuple):
    """A session that was read, and the submission that it is."""

    reading: SessionReading
    given: NewSubmission


def _is_stored(given: NewSubmission, store: Store) -> bool:
    with suppress(StoreError):
        return is_same(store.submission(given.submission.id), given)
    return False


def _buffer_small_parts(parts: Parts) -> tuple[Parts, bool]:
    """The parts of a trace, in memory where they are small, and whether they are."""
    made: dict[str, Iterable[bytes]] = {}
    size = 0
    for name, chunks in parts.items():
        left, first = iter(chunks), []
        for chunk in left:
            first.append(chunk)
            size += len(chunk)
            if size > _SMALL_BYTES:
                break
        made[name] = chain(first, left)
    return made, size <= _SMALL_BYTES


def _is_there(claimed: str, reading: SessionReading, store: Store) -> bool:
    with suppress(StoreError):
        return store.submission(claimed).importer != reading.found.importer.id
    return False


def _with_source_names(submission: Submission) -> Submission:
    """The submission with the names of its sources alone."""
    sources = (msgspec.structs.replace(it, path=Path(it.path).name) for it in submission.sources)
    return msgspec.structs.replace(submission, sources=tuple(sources))


def _refused_files(empty: Sequence[Path], skips: Skips) -> Iterator[Path]:
    """The files of which nothing is left, without those whose rows are counted one by one."""
    rows = set(skips.rows)
    return (path for path in empty if skips.count_in(path) and path not in rows)


def _main_file(found: FoundSession) -> Path:
    return found.ref.files[0]


@contextmanager
def _store_of(place: Home, *, dry_run: bool) -> Iterator[Store | None]:
    if dry_run:
        yield None
        return
    with place.open_store() as store:
        yield store
