"""Reading logs from Python: one call from a path to submissions in the store."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.cleaning import Finding
from benchmaker.arenas.agentic.importers.base import Importer
from benchmaker.arenas.agentic.intake import Intake, Reading, is_empty
from benchmaker.arenas.agentic.options import Options, Skipped
from benchmaker.arenas.agentic.pricing import Pricer
from benchmaker.arenas.agentic.reduce import GAP_LIMIT_S, Reduced, Reducer
from benchmaker.arenas.agentic.scan import Found, importers, scan
from benchmaker.arenas.agentic.skips import Skips
from benchmaker.arenas.agentic.stored_usage import packed_parts
from benchmaker.arenas.agentic.times import iso
from benchmaker.arenas.agentic.traces import (
    EVENTS,
    KEYS,
    PRINT,
    REQUESTS,
    USAGE,
    Spool,
    packed,
    packed_keys,
    unpacked_keys,
)
from benchmaker.errors import StoreError
from benchmaker.providers.prices import Prices
from benchmaker.record.evaluation import ModerationState
from benchmaker.record.submission import Submission
from benchmaker.store import Store
from benchmaker.store.place import Place
from benchmaker.store.submissions import Given, Kept, Parts, put_submissions
from benchmaker.store.trace_words import WORDS

Put = Callable[[Store, Given], Kept]
"""Keeps a submission in a store."""


def put_alone(store: Store, given: Given) -> Kept:
    """Keep a submission in a transaction of its own."""
    return put_submissions(store.database, [given])[0]


def put_by(guest: str) -> Put:
    """Keeps what somebody hands in whose submissions wait for a moderator."""

    def put(store: Store, given: Given) -> Kept:
        state = store.agentic.put_waiting(given, by=guest)
        return Kept.WAITING if state is ModerationState.WAITING else Kept.UNCHANGED

    return put


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read.

    ``skipped_lines`` lists what could not be read, at most 100 of a file; ``skipped`` counts all
    of it. ``notes`` are worth saying, though nothing is missing. ``copies`` are sessions all of
    whose answers belong to another session, ``repeats`` files that are the same to the byte as
    another, ``empty`` logs in which nothing was done, ``refused`` those of which nothing is left
    but what could not be read, ``unknown`` files that are no logs.
    ``kept`` says for each submission what became of it in the store: ``new``, ``revised``,
    ``unchanged``, or ``waiting`` for a moderator; it is empty where nothing was stored.
    ``secrets`` says by submission what was taken out, by kind and line.
    """

    submissions: tuple[Submission, ...] = ()
    skipped_lines: tuple[Skipped, ...] = ()
    skipped: int = 0
    notes: tuple[Skipped, ...] = ()
    copies: tuple[Path, ...] = ()
    repeats: tuple[Path, ...] = ()
    empty: tuple[Path, ...] = ()
    refused: tuple[Path, ...] = ()
    unknown: tuple[Path, ...] = ()
    kept: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, tuple[Finding, ...]] = field(default_factory=dict)

    @property
    def counting(self) -> list[str]:
        """The ids of those that do not wait for a moderator."""
        return [one.id for one in self.submissions if self.kept.get(one.id) != Kept.WAITING]

    @property
    def is_refused(self) -> bool:
        """Whether nothing was taken in, since none of it could be read."""
        return not self.submissions and self.is_partial

    @property
    def is_partial(self) -> bool:
        """Whether something could not be read."""
        return bool(self.skipped or self.refused)

    @property
    def counts(self) -> dict[str, int]:
        """How many submissions are new, revised, unchanged and waiting."""
        return dict(Counter(self.kept.values()))


def import_logs(
    path: str | Path | Sequence[str | Path],
    *,
    task: str | None = None,
    submitter: str | None = None,
    model: str | None = None,
    importer: str | None = None,
    drop_content: bool = False,
    dry_run: bool = False,
    gap_limit_s: float = GAP_LIMIT_S,
    max_line_bytes: int = 64 * 2**20,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Imported:
    """Read the logs that coding tools left behind, and keep the submissions.

    Args:
        path: a log, a folder of logs, or several of them.
        task: the task that the sessions worked on, where the logs don't say.
        submitter: who hands them in; default is ``local``, or what a submission's own file says.
        model: what to call the model where a log doesn't say.
        importer: the id of the importer to use, instead of recognising the files.
        drop_content: keep numbers only; no texts, arguments or outputs.
        dry_run: store nothing.
        gap_limit_s: gaps longer than this many seconds are no activity.
        max_line_bytes: longer lines are skipped.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, where it is not in the data folder.
        clock: gives seconds since 1970.

    Returns:
        The submissions with every figure labelled, and what could not be read. Sessions that are
        imported together count each answer once; answers that a stored submission counts already
        are not counted again.

    Raises:
        TranscriptError: a path does not exist, or no importer knows the file.
        SpecError: there is no such importer, or the price file is wrong.
        StoreError: the store can't be used.
    """
    paths = [Path(it) for it in ([path] if isinstance(path, str | Path) else path)]
    place = Place.of(home, store)
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
        gap_limit_s=gap_limit_s,
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
    gap_limit_s: float = GAP_LIMIT_S,
    bare_names: bool = False,
    put: Put = put_alone,
    wanted: Callable[[Found], bool] = lambda _: True,
    clock: Callable[[], float] = time.time,
) -> Imported:
    """The same with everything at hand: a store that is open, importers that are loaded.

    ``options`` tells ``skips`` what can't be read. With ``bare_names`` the sources are called by
    the names of their files, wherever these lie for the moment. ``put`` keeps a submission in the
    store; it returns when that is durable. Of the sessions only those that are ``wanted`` are read.
    """
    found = scan(paths, options, readers=readers)
    now = clock()
    with closing(Spool()) as spool, opened as store:
        intake = Intake(
            Reducer(pricer(), gap_limit_s), options, skips, spool, task=task, submitter=submitter
        )
        for it in filter(wanted, found.found):
            intake.read(it)
        taken = _Taken(put, bare_names=bare_names)
        for reading, reduced in intake.submissions(_elsewhere(store, intake), now=iso(now) or ""):
            taken.take(reading, reduced, store)
    return Imported(
        submissions=tuple(taken.submissions),
        skipped_lines=tuple(skips.listed),
        skipped=skips.total,
        notes=tuple(skips.notes),
        copies=tuple(taken.copies),
        repeats=tuple(_main_file(it) for it in intake.repeats),
        empty=tuple(path for path in taken.empty if not skips.of(path)),
        refused=tuple(path for path in taken.empty if skips.of(path)),
        unknown=tuple(found.unknown),
        kept=taken.kept,
        secrets=taken.secrets,
    )


@dataclass(slots=True)
class _Taken:
    """What becomes of the sessions."""

    put: Put
    bare_names: bool = False
    submissions: list[Submission] = field(default_factory=list)
    copies: list[Path] = field(default_factory=list)
    empty: list[Path] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, tuple[Finding, ...]] = field(default_factory=dict)

    def take(self, reading: Reading, reduced: Reduced, store: Store | None) -> None:
        """Store a session's submission, unless it is a copy or empty."""
        submission = reduced.submission
        if reduced.is_copy:
            self.copies.append(_main_file(reading.found))
            return
        if is_empty(submission):
            self.empty.append(_main_file(reading.found))
            return
        if self.bare_names:
            submission = _bare(submission)
        self.submissions.append(submission)
        if reading.cleaner.findings:
            self.secrets[submission.id] = reading.cleaner.findings
        if store is not None:
            parts = {
                EVENTS: reading.recorder.chunks(),
                WORDS: reading.recorder.filters(),
                REQUESTS: packed(reduced.requests),
                KEYS: [packed_keys(reduced.keys)] if reduced.keys else [],
                PRINT: reading.footprint.chunks(),
                USAGE: [packed_parts(submission, reduced.parts)] if reduced.parts else [],
            }
            self.kept[submission.id] = self._kept(reading, submission, parts, store).value

    def _kept(self, reading: Reading, submission: Submission, parts: Parts, store: Store) -> Kept:
        """Keep it, unless the file claims to be what is stored already, read from its own log."""
        given = reading.tally.given
        if given is not None and given.id != submission.id and _is_there(given.id, reading, store):
            return Kept.UNCHANGED
        return self.put(store, Given(submission, parts, is_claimed=given is not None))


def _is_there(claimed: str, reading: Reading, store: Store) -> bool:
    with suppress(StoreError):
        return store.submission(claimed).importer != reading.found.importer.id
    return False


def _bare(submission: Submission) -> Submission:
    """The submission with the names of its sources alone."""
    sources = (msgspec.structs.replace(it, path=Path(it.path).name) for it in submission.sources)
    return msgspec.structs.replace(submission, sources=tuple(sources))


def _main_file(found: Found) -> Path:
    return found.ref.files[0]


@contextmanager
def _store_of(place: Place, *, dry_run: bool) -> Iterator[Store | None]:
    if dry_run:
        yield None
        return
    with place.opened() as store:
        yield store


def _elsewhere(store: Store | None, intake: Intake) -> frozenset[int]:
    """The keys of what other stored submissions count; none where nothing could be among them."""
    if store is None or not intake.reducer.seen.has_common_ids:
        return frozenset()
    ids = intake.ids()
    sources = {reading.source for reading in intake.readings}
    keys: set[int] = set()
    for origin, chunk in store.trace_parts(KEYS):
        if origin.id not in ids and origin.source_sha256 not in sources:
            keys.update(unpacked_keys(chunk))
    return frozenset(keys)
