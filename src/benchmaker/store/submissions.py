"""Submissions and their traces: rows in, rows out."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Connection, Select, bindparam, delete, func, insert, select, tuple_, update

from benchmaker.errors import SpecError, StoreError
from benchmaker.record.submission import Submission
from benchmaker.store.body import decode, encode
from benchmaker.store.database import Database
from benchmaker.store.inserts import insert_one
from benchmaker.store.tables import submissions, traces
from benchmaker.store.text import escape, escape_or_none, unescape

Parts: TypeAlias = Mapping[str, Iterable[bytes]]
"""The chunks of a trace by the name of their part."""

_IS_NEWEST = submissions.c.is_newest + 0 == 1
"""For look-ups by id: a sum, since SQLite would else search the index of all that are newest."""

_NAMED = select(submissions.c.seq, submissions.c.body).where(submissions.c.id == bindparam("named"))
_NEWEST = _NAMED.where(_IS_NEWEST)
"""Made once: making a statement takes longer than carrying it out."""

_PAGE = 200
_ALIKE = 5


class Kept(StrEnum):
    """What became of a submission that was put."""

    NEW = "new"
    REVISED = "revised"
    UNCHANGED = "unchanged"


class Origin(NamedTuple):
    """Where a stored submission comes from."""

    id: str
    session_id: str
    source_sha256: str


class _Newest(NamedTuple):
    seq: int
    submission: Submission


def put_submission(database: Database, submission: Submission, parts: Parts | None) -> Kept:
    """Keep it in one transaction, as a new one or as the next revision of what is there."""
    with database.write() as connection:
        before = _newest(connection, submission.id)
        if before is not None and _figures(before.submission) == _figures(submission):
            return Kept.UNCHANGED
        revision = before.submission.revision + 1 if before else 1
        if before is not None:
            connection.execute(
                update(submissions).where(submissions.c.seq == before.seq).values(is_newest=0)
            )
        kept = msgspec.structs.replace(submission, revision=revision)
        seq = insert_one(connection, submissions, _row(kept, database.now_utc()))
        _put_parts(connection, seq, parts, before.seq if before else None)
    return Kept.REVISED if before else Kept.NEW


def _figures(submission: Submission) -> Submission:
    """All of it but when it was read and how often."""
    return msgspec.structs.replace(submission, created_at="", revision=1)


def _row(submission: Submission, now: str) -> dict[str, Any]:
    system = submission.system
    return {
        "id": escape(submission.id),
        "revision": submission.revision,
        "is_newest": 1,
        "source_sha256": submission.source_sha256,
        "session_id": escape(submission.session_id),
        "task_id": escape_or_none(submission.task.id if submission.task else None),
        "harness": escape(system.harness),
        "model": escape_or_none(system.model),
        "effort": escape_or_none(system.effort),
        "started_at": submission.started_at,
        "finished_at": submission.finished_at,
        "importer": escape(submission.importer),
        "importer_version": escape(submission.importer_version),
        "created_at": submission.created_at or now,
        "body": encode(submission),
    }


def _put_parts(connection: Connection, seq: int, parts: Parts | None, before: int | None) -> None:
    if parts is None:
        if before is not None:
            moved = update(traces).where(traces.c.submission_seq == before)
            connection.execute(moved.values(submission_seq=seq))
        return
    if before is not None:
        connection.execute(delete(traces).where(traces.c.submission_seq == before))
    for part, chunks in parts.items():
        for number, body in enumerate(chunks):
            row = {"submission_seq": seq, "part": part, "number": number, "body": body}
            connection.execute(insert(traces), row)


def _newest(connection: Connection, submission_id: str) -> _Newest | None:
    row = connection.execute(_NEWEST, {"named": escape(submission_id)}).first()
    return _Newest(row.seq, decode(row.body, Submission)) if row else None


def read_submission(
    database: Database, submission_id: str, *, revision: int | None = None
) -> Submission:
    """The submission of that id.

    Raises:
        StoreError: there is none, or no such revision of it.
    """
    wanted: Select[Any] = _NEWEST
    if revision is not None:
        wanted = _NAMED.where(submissions.c.revision == revision)
    with database.read() as connection:
        row = connection.execute(wanted, {"named": escape(submission_id)}).first()
    if row is None:
        raise _absent(submission_id, database)
    return decode(row.body, Submission)


def list_submissions(
    database: Database,
    *,
    since: str | None = None,
    until: str | None = None,
    task_id: str | None = None,
) -> Iterator[Submission]:
    """The newest revision of each by start, then in the order of import, a page at a time.

    ``since`` and ``until`` are ISO 8601 in UTC; sessions without a start are in no such range.
    """
    wanted = select(submissions.c.seq).where(submissions.c.is_newest == 1)
    if since is not None:
        wanted = wanted.where(submissions.c.started_at >= since)
    if until is not None:
        wanted = wanted.where(submissions.c.started_at < until)
    if task_id is not None:
        wanted = wanted.where(submissions.c.task_id == escape(task_id))
    ordered = wanted.order_by(submissions.c.started_at.is_(None), submissions.c.started_at)
    with database.read() as connection:
        numbers = list(connection.scalars(ordered.order_by(submissions.c.seq)))
    for at in range(0, len(numbers), _PAGE):
        yield from _page(database, numbers[at : at + _PAGE])


def _page(database: Database, numbers: list[int]) -> list[Submission]:
    wanted = select(submissions.c.seq, submissions.c.body).where(submissions.c.seq.in_(numbers))
    with database.read() as connection:
        bodies = {row.seq: row.body for row in connection.execute(wanted)}
    return [decode(bodies[seq], Submission) for seq in numbers if seq in bodies]


def find_submission(database: Database, text: str) -> str:
    """The id that a person meant: in full, by its beginning, or ``latest`` for the last one put.

    Raises:
        SpecError: no submission is meant by it, or several are.
    """
    newest = select(submissions.c.id).where(submissions.c.is_newest == 1)
    if text == "latest":
        wanted = newest.order_by(submissions.c.seq.desc()).limit(1)
    else:
        begins = submissions.c.id.startswith(escape(text), autoescape=True)
        shortest_first = func.length(submissions.c.id), submissions.c.id
        wanted = newest.where(begins).order_by(*shortest_first).limit(_ALIKE)
    with database.read() as connection:
        found = [unescape(it) for it in connection.scalars(wanted)]
    if text in found:
        return text
    if len(found) != 1:
        what = f"{text!r} may be any of {', '.join(found)}" if found else f"no submission {text!r}"
        raise SpecError(f"{what}.", hint="List them with: benchmaker usage --by session")
    return found[0]


def read_trace(database: Database, submission_id: str, part: str) -> Iterator[bytes]:
    """The chunks of a part, one in memory at a time; none where nothing was kept."""
    number = 0
    while True:
        wanted = (
            select(traces.c.body)
            .join(submissions, submissions.c.seq == traces.c.submission_seq)
            .where(
                submissions.c.id == escape(submission_id),
                _IS_NEWEST,
                traces.c.part == part,
                traces.c.number == number,
            )
        )
        with database.read() as connection:
            body: bytes | None = connection.scalar(wanted)
        if body is None:
            return
        yield bytes(body)
        number += 1


def read_parts(database: Database, part: str) -> Iterator[tuple[Origin, bytes]]:
    """The chunks of that part of every submission, with where it comes from."""
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
        with database.read() as connection:
            rows = connection.execute(wanted.where(beyond)).all()
        for row in rows:
            yield Origin(unescape(row.id), unescape(row.session_id), row.source_sha256), row.body
        if len(rows) < _PAGE:
            return
        last = (rows[-1].seq, rows[-1].number)


def _absent(submission_id: str, database: Database) -> StoreError:
    return StoreError(
        f"there is no submission {submission_id!r}.",
        where=str(database.address),
        hint="List them with: benchmaker usage --by session",
    )
