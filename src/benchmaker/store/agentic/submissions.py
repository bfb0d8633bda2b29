"""Submissions and their traces: rows in, rows out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Connection, Select, bindparam, delete, func, select, tuple_, update

from benchmaker.errors import SpecError, StoreError
from benchmaker.record.submissions.submission import SourceFile, Submission
from benchmaker.store.agentic.merging import absorb, gather, is_held
from benchmaker.store.agentic.row_ids import namesakes
from benchmaker.store.database.database import Database, Room, retry_reads
from benchmaker.store.database.driver import execute_among
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.inserts import insert_named, insert_rows
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import IS_NEWEST, submissions, traces

Parts: TypeAlias = Mapping[str, Iterable[bytes]]
"""The chunks of a trace by the name of their part."""

_NAMED = select(submissions.c.seq, submissions.c.body).where(submissions.c.id == bindparam("named"))
_NEWEST = _NAMED.where(IS_NEWEST)
"""Built once: building a statement takes longer than running it."""

_NEWEST_OF: Final = "SELECT id, seq, body FROM submissions WHERE is_newest + 0 = 1 AND id"

_PAGE = 200
_ALIKE = 5
_LISTED = 20
_SMALL_TRACE_BYTES: Final = 32 * 2**10
"""Traces up to this size are read together."""

_TRACE_BYTES: Final = 2**20
"""Maximum size of traces per statement."""


class PutStatus(StrEnum):
    """The result of storing a submission."""

    NEW = "new"
    REVISED = "revised"
    UNCHANGED = "unchanged"
    WAITING = "waiting"


class Origin(NamedTuple):
    """The origin of a stored submission."""

    id: str
    session_id: str
    source_sha256: str


class NewSubmission(NamedTuple):
    """A submission to store, with the parts of its trace.

    With ``is_claimed``, a submission with that id from another importer is unchanged. With
    ``is_row``, its file is irrelevant. ``older`` are other ids under which the same row is stored:
    those submissions become revisions of this one. ``without_texts`` names the parts without texts:
    texts in the stored parts are removed. ``superseded`` are the ids of submissions that hold a
    part or a copy of this session: they become its earlier revisions.
    """

    submission: Submission
    parts: Parts | None = None
    is_claimed: bool = False
    is_row: bool = False
    older: tuple[str, ...] = ()
    without_texts: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()


class _StoredRevision(NamedTuple):
    seq: int
    submission: Submission


class SubmissionStore(Room):
    """Submissions with the parts of their traces."""

    def put_submission(self, submission: Submission, parts: Parts | None = None) -> PutStatus:
        """Store a submission with the parts of its trace; existing data is kept.

        If another revision is stored, this becomes the next. Without ``parts`` it inherits those of
        the previous revision.
        """
        return SubmissionBatches(self.database).put_submissions([NewSubmission(submission, parts)])[
            0
        ]

    @retry_reads
    def submission(self, submission_id: str, *, revision: int | None = None) -> Submission:
        """Return the submission with that id.

        Raises:
            StoreError: unknown id or revision.
        """
        wanted: Select[Any] = _NEWEST
        if revision is not None:
            wanted = _NAMED.where(submissions.c.revision == revision)
        with self.database.read() as connection:
            row = connection.execute(wanted, {"named": submission_id}).first()
        if row is None:
            raise _no_submission(submission_id, self.database)
        return decode(row.body, Submission)

    @retry_reads
    def find_submission(self, text: str) -> str:
        """Return the id for a prefix, or ``latest`` for the last stored submission.

        The full id of a row in its own table is also accepted.

        Raises:
            SpecError: no submission matches, or several do.
        """
        newest = select(submissions.c.id).where(submissions.c.is_newest == 1)
        if text == "latest":
            wanted = newest.order_by(submissions.c.seq.desc()).limit(1)
        else:
            begins = submissions.c.id.startswith(text, autoescape=True)
            shortest_first = func.length(submissions.c.id), submissions.c.id
            wanted = newest.where(begins).order_by(*shortest_first).limit(_ALIKE)
        with self.database.read() as connection:
            found = list(connection.scalars(wanted))
            rows = [] if text in found else namesakes(connection, [text])
        if text in found:
            return text
        names = [it.id for it in rows] or found
        if not names:
            raise SpecError(
                f"no submission {text!r}.", hint="List them with: benchmaker usage --by session"
            )
        if len(names) > 1:
            listed = [f"{it.id} ({it.place})" for it in rows] or found
            raise _ambiguous_id_error(
                text,
                listed,
                hint="Use one of these ids." if rows else "Type more characters of the id.",
            )
        return names[0]

    def trace(self, submission_id: str, part: str) -> Iterator[bytes]:
        """Yield the chunks of one part of the latest revision's trace."""
        number = 0
        while True:
            wanted = (
                select(traces.c.body)
                .join(submissions, submissions.c.seq == traces.c.submission_seq)
                .where(
                    submissions.c.id == submission_id,
                    IS_NEWEST,
                    traces.c.part == part,
                    traces.c.number == number,
                )
            )
            found = self.database.rows(wanted)
            if not found:
                return
            yield bytes(found[0].body)
            number += 1

    def trace_parts(self, part: str) -> Iterator[tuple[Origin, bytes]]:
        """Yield the chunks of one part of every submission's latest revision, with its origin."""
        columns = (submissions.c.id, submissions.c.session_id, submissions.c.source_sha256)
        wanted = (
            select(submissions.c.seq, traces.c.number, *columns, traces.c.body)
            .join(traces, traces.c.submission_seq == submissions.c.seq)
            .where(submissions.c.is_newest == 1, traces.c.part == part)
            .order_by(submissions.c.seq, traces.c.number)
            .limit(_PAGE)
        )
        last: tuple[int, int] = (0, -1)
        while True:
            beyond = tuple_(submissions.c.seq, traces.c.number) > last
            rows = self.database.rows(wanted.where(beyond))
            for row in rows:
                yield (
                    Origin(row.id, row.session_id, row.source_sha256),
                    row.body,
                )
            if len(rows) < _PAGE:
                return
            last = (rows[-1].seq, rows[-1].number)


class SubmissionBatches(Room):
    """Several submissions at a time, and the parts of their traces."""

    def put_submissions(self, given: Sequence[NewSubmission]) -> list[PutStatus]:
        """Store several submissions: all of them, or none."""
        kept = [PutStatus.UNCHANGED] * len(given)
        with self.database.write() as connection:
            for places in _rounds(given):
                made = _put(connection, [given[place] for place in places], self.database.now_utc())
                for place, one in zip(places, made, strict=True):
                    kept[place] = one
        return kept

    def put_part(self, submission_id: str, part: str, chunks: Iterable[bytes]) -> None:
        """Store a part of the newest revision's trace, replacing any that is there."""
        with self.database.write() as connection:
            known = connection.execute(_NEWEST, {"named": submission_id}).first()
            if known is None:
                return
            own = (traces.c.submission_seq == known.seq, traces.c.part == part)
            connection.execute(delete(traces).where(*own))
            rows = ((known.seq, part, number, body) for number, body in enumerate(chunks))
            _put_traces(connection, rows)

    def put_sources(self, submission_id: str, sources: tuple[SourceFile, ...]) -> None:
        """Replace the files of a submission's newest revision, which have the same content."""
        with self.database.write() as connection:
            for known in _newest_revisions(connection, [submission_id]).values():
                moved = msgspec.structs.replace(known.submission, sources=sources)
                own = submissions.c.seq == known.seq
                connection.execute(update(submissions).where(own).values(body=encode(moved)))

    def held_submissions(self, ids: Sequence[str]) -> frozenset[str]:
        """Return those that are verified, reviewed or registered, and so are not merged."""
        with self.database.read() as connection:
            return frozenset(one for one in ids if is_held(connection, one))

    def submissions_of(self, ids: Sequence[str]) -> list[Submission]:
        """Return the latest revisions of these ids, in the order given; unknown ids are skipped."""
        with self.database.read() as connection:
            found = _newest_revisions(connection, ids) if ids else {}
        return [found[one].submission for one in ids if one in found]

    def traces(self, ids: Sequence[str], part: str) -> Mapping[str, Iterable[bytes]]:
        """Return the chunks of a part of each submission's trace, for those that have the part."""
        numbers = (
            select(
                submissions.c.id,
                traces.c.submission_seq,
                func.sum(func.length(traces.c.body)).label("size"),
            )
            .join(traces, submissions.c.seq == traces.c.submission_seq)
            .where(submissions.c.id.in_(ids), IS_NEWEST)
            .where(traces.c.part == part)
            .group_by(submissions.c.id, traces.c.submission_seq)
        )
        sizes = {row.id: (row.submission_seq, row.size) for row in self.database.rows(numbers)}
        small = [seq for seq, size in sizes.values() if size <= _SMALL_TRACE_BYTES]
        chunks = _chunks(self.database, small, part)
        return {
            name: chunks[seq] if seq in chunks else SubmissionStore(self.database).trace(name, part)
            for name, (seq, _) in sizes.items()
        }


def _rounds(given: Sequence[NewSubmission]) -> list[list[int]]:
    """Return their positions in rounds without a repeated id."""
    rounds: list[list[int]] = []
    seen = Counter[str]()
    for place, one in enumerate(given):
        number = seen[one.submission.id]
        seen[one.submission.id] += 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(place)
    return rounds


def _put(connection: Connection, given: Sequence[NewSubmission], now: str) -> list[PutStatus]:
    for one in given:
        if one.older:
            gather(connection, one.submission.id, one.older)
        if one.superseded:
            absorb(connection, one.submission.id, one.superseded)
    given = [_load_parts(one) if one.without_texts else one for one in given]
    before = _newest_revisions(connection, [one.submission.id for one in given])
    kept = [_put_status(connection, one, before.get(one.submission.id)) for one in given]
    fresh = [one for one, fate in zip(given, kept, strict=True) if fate is not PutStatus.UNCHANGED]
    older = [before[one.submission.id].seq for one in fresh if one.submission.id in before]
    if older:
        connection.execute(
            update(submissions).where(submissions.c.seq.in_(older)).values(is_newest=0)
        )
    rows = [row_of(_with_revision(one.submission, before), now) for one in fresh]
    numbers = insert_named(connection, submissions, sorted(rows, key=_id_of), key="id")
    for one in fresh:
        _supersede(connection, one, before, numbers)
    _put_traces(connection, _trace_rows(fresh, numbers))
    return kept


def _load_parts(given: NewSubmission) -> NewSubmission:
    return given._replace(parts={name: list(it) for name, it in (given.parts or {}).items()})


def _put_status(
    connection: Connection, given: NewSubmission, before: _StoredRevision | None
) -> PutStatus:
    if before is None:
        return PutStatus.NEW
    is_another = given.is_claimed and before.submission.importer != given.submission.importer
    if is_another:
        return PutStatus.UNCHANGED
    is_known = is_same(before.submission, given) and not _removes_texts(connection, given, before)
    return PutStatus.UNCHANGED if is_known else PutStatus.REVISED


def _removes_texts(connection: Connection, given: NewSubmission, before: _StoredRevision) -> bool:
    """True if the stored trace has texts that this one omits, and so another size."""
    if not given.without_texts:
        return False
    parts, names = given.parts or {}, given.without_texts
    stored = select(func.coalesce(func.sum(func.length(traces.c.body)), 0)).where(
        traces.c.submission_seq == before.seq, traces.c.part.in_(names)
    )
    return connection.scalar(stored) != sum(len(it) for name in names for it in parts.get(name, ()))


def is_same(known: Submission, given: NewSubmission) -> bool:
    """True if they differ only in reading time, place of the files and, for a row, the file."""
    same: dict[str, Any] = {"created_at": known.created_at, "revision": known.revision}
    if given.is_row:
        same |= {"source_sha256": known.source_sha256, "sources": known.sources}
    elif _contents(given.submission) == _contents(known):
        same["sources"] = known.sources
    return msgspec.structs.replace(given.submission, **same) == known


def _contents(submission: Submission) -> list[SourceFile]:
    """The files without their paths."""
    return [msgspec.structs.replace(source, path="") for source in submission.sources]


def _with_revision(submission: Submission, before: Mapping[str, _StoredRevision]) -> Submission:
    known = before.get(submission.id)
    revision = known.submission.revision + 1 if known else 1
    if submission.revision == revision:
        return submission
    return msgspec.structs.replace(submission, revision=revision)


def _id_of(row: Mapping[str, Any]) -> str:
    """The sort key of insertion: a common order prevents deadlocks between processes."""
    name: str = row["id"]
    return name


def row_of(submission: Submission, now: str) -> dict[str, Any]:
    """Return a submission as the latest row of its id."""
    system = submission.system
    return {
        "id": submission.id,
        "revision": submission.revision,
        "is_newest": 1,
        "source_sha256": submission.source_sha256,
        "session_id": submission.session_id,
        "task_id": submission.task.id if submission.task else None,
        "harness": system.harness,
        "model": system.model,
        "effort": system.effort,
        "started_at": submission.started_at,
        "finished_at": submission.finished_at,
        "importer": submission.importer,
        "importer_version": submission.importer_version,
        "created_at": submission.created_at or now,
        "body": encode(submission),
        "row_id": submission.row_id,
    }


def _supersede(
    connection: Connection,
    given: NewSubmission,
    before: Mapping[str, _StoredRevision],
    numbers: Mapping[str, int],
) -> None:
    """Delete the previous revision's trace, or move it to the new one."""
    known = before.get(given.submission.id)
    if known is None:
        return
    own = traces.c.submission_seq == known.seq
    if given.parts is None:
        number = numbers[given.submission.id]
        connection.execute(update(traces).where(own).values(submission_seq=number))
    else:
        connection.execute(delete(traces).where(own))
    if given.without_texts:
        _drop_extra(connection, given.submission)


def _drop_extra(connection: Connection, submission: Submission) -> None:
    """Remove further fields from earlier revisions that the latest was stored without."""
    older = submissions.c.id == submission.id, submissions.c.is_newest == 0
    for row in connection.execute(select(submissions.c.seq, submissions.c.body).where(*older)):
        known = decode(row.body, Submission)
        left = {name: it for name, it in known.extra.items() if name in submission.extra}
        body = encode(msgspec.structs.replace(known, extra=left))
        own = submissions.c.seq == row.seq
        connection.execute(update(submissions).where(own).values(body=body))


def _trace_rows(
    given: Iterable[NewSubmission], numbers: Mapping[str, int]
) -> Iterator[tuple[int, str, int, bytes]]:
    for one in given:
        seq = numbers[one.submission.id]
        for part, chunks in (one.parts or {}).items():
            for number, body in enumerate(chunks):
                yield seq, part, number, body


def _put_traces(connection: Connection, rows: Iterable[tuple[int, str, int, bytes]]) -> None:
    """Insert traces: small ones in few statements, large ones one at a time."""
    waiting: list[tuple[int, str, int, bytes]] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row[-1])
        if size >= _TRACE_BYTES:
            insert_rows(connection, traces, waiting)
            waiting, size = [], 0
    insert_rows(connection, traces, waiting)


def _newest_revisions(connection: Connection, ids: Sequence[str]) -> dict[str, _StoredRevision]:
    """Return the latest stored revisions of these ids."""
    rows = execute_among(connection, _NEWEST_OF, ids).fetchall()
    return {
        unescape(name): _StoredRevision(seq, decode(body, Submission)) for name, seq, body in rows
    }


def _ambiguous_id_error(text: str, found: Sequence[str], *, hint: str) -> SpecError:
    more = f" and {len(found) - _LISTED:,} more" if len(found) > _LISTED else ""
    listed = ", ".join(found[:_LISTED])
    return SpecError(f"{text!r} may be any of {listed}{more}.", hint=hint)


def _chunks(database: Database, numbers: Sequence[int], part: str) -> dict[int, list[bytes]]:
    wanted = (
        select(traces.c.submission_seq, traces.c.body)
        .where(traces.c.submission_seq.in_(numbers), traces.c.part == part)
        .order_by(traces.c.submission_seq, traces.c.number)
    )
    found: dict[int, list[bytes]] = {}
    for row in database.rows(wanted):
        found.setdefault(row.submission_seq, []).append(bytes(row.body))
    return found


def _no_submission(submission_id: str, database: Database) -> StoreError:
    return StoreError(
        f"there is no submission {submission_id!r}.",
        where=str(database.address),
        hint="List them with: benchmaker usage --by session",
    )
