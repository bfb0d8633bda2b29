"""Submissions by time, task and importer, and by session."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, exists, func, not_, or_, select

from benchmaker.record.submissions.submission import Submission
from benchmaker.store.database.database import Database, Room
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import IS_NEWEST, submissions, traces

OWN_FORM: Final = "table"
"""The importer of plain rows, and of submission files written by Benchmaker."""

_PAGE = 200


class SubmissionListing(Room):
    """Submissions by time, task and importer."""

    def submissions(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        task_id: str | None = None,
        importers: Collection[str] = (),
        but: Collection[str] = (),
        with_undated: bool = False,
    ) -> Iterator[Submission]:
        """Yield the latest revision of each by start, then in the order of import, page by page.

        ``since`` and ``until`` are ISO 8601 in UTC: a session active at any time between them is in
        that range; sessions without a start are listed only ``with_undated``. If ``importers`` are
        given, only their submissions are listed; those of importers in ``but`` never are. A
        submission from a Benchmaker file belongs to the importer that first read it.
        """
        wanted = select(submissions.c.seq).where(
            *_conditions(
                since=since,
                until=until,
                task_id=task_id,
                importers=importers,
                but=but,
                with_undated=with_undated,
            )
        )
        ordered = wanted.order_by(submissions.c.started_at.is_(None), submissions.c.started_at)
        numbers = [row.seq for row in self.database.rows(ordered.order_by(submissions.c.seq))]
        for at in range(0, len(numbers), _PAGE):
            yield from _page(self.database, numbers[at : at + _PAGE])


class SessionListing(Room):
    """Submissions by session, and their number."""

    def count_submissions(self, **wanted: Any) -> int:  # noqa: ANN401  as Store.submissions has them
        """Return the number of submissions :meth:`Store.submissions` lists with these arguments."""
        counted = select(func.count()).select_from(submissions).where(*_conditions(**wanted))
        with self.database.read() as connection:
            return int(connection.scalar(counted) or 0)

    def submissions_of_sessions(self, sessions: Sequence[str]) -> Iterator[Submission]:
        """Yield the latest revision of each submission whose log names one of these sessions."""
        for at in range(0, len(sessions), _PAGE):
            names = sessions[at : at + _PAGE]
            wanted = select(submissions.c.body).where(
                submissions.c.is_newest == 1, submissions.c.session_id.in_(names)
            )
            for row in self.database.rows(wanted.order_by(submissions.c.seq)):
                yield decode(row.body, Submission)

    def submissions_with_content(
        self, sources: Sequence[str], *, harness: str
    ) -> Iterator[Submission]:
        """Yield the latest revisions of a tool's submissions whose log has one of these hashes."""
        for at in range(0, len(sources), _PAGE):
            content = sources[at : at + _PAGE]
            wanted = select(submissions.c.body).where(
                submissions.c.harness == harness,
                IS_NEWEST,
                submissions.c.source_sha256.in_(content),
            )
            for row in self.database.rows(wanted.order_by(submissions.c.seq)):
                yield decode(row.body, Submission)

    def session_ids_without_part(self, part: str, *, harness: str) -> dict[str, str]:
        """Return the session ids of a tool's submissions whose trace lacks a part, by submission.

        Rows of tables are left out.
        """
        in_trace = traces.c.submission_seq == submissions.c.seq
        has_part = exists().where(in_trace, traces.c.part == part)
        wanted = select(submissions.c.id, submissions.c.session_id).where(
            submissions.c.harness == harness, IS_NEWEST, submissions.c.row_id.is_(None), ~has_part
        )
        rows = self.database.rows(wanted.order_by(submissions.c.seq))
        return {row.id: row.session_id for row in rows}

    def repeated_sessions(self) -> frozenset[str]:
        """Return the ids of sessions named by more than one stored revision."""
        name = submissions.c.session_id
        wanted = select(name).group_by(name).having(func.count() > 1)
        with self.database.read() as connection:
            return frozenset(connection.scalars(wanted))


def _conditions(
    *,
    since: str | None = None,
    until: str | None = None,
    task_id: str | None = None,
    importers: Collection[str] = (),
    but: Collection[str] = (),
    with_undated: bool = False,
) -> Iterator[ColumnElement[bool]]:
    yield submissions.c.is_newest == 1
    started = submissions.c.started_at
    also = (started.is_(None),) if with_undated else ()
    if since is not None:
        yield or_(func.coalesce(submissions.c.finished_at, started) >= since, *also)
    if until is not None:
        yield or_(started < until, *also)
    if task_id is not None:
        yield submissions.c.task_id == task_id
    if importers:
        yield _is_read_by(importers)
    if but:
        yield not_(_is_read_by(but))


def _is_read_by(importers: Collection[str]) -> ColumnElement[bool]:
    """Return a condition for these importers; for Benchmaker's own files, by the id."""
    own, names = submissions.c.importer == OWN_FORM, sorted(importers)
    begins = [submissions.c.id.startswith(f"{name}-", autoescape=True) for name in names]
    return or_(
        and_(not_(own), submissions.c.importer.in_(names)),
        and_(own, or_(*begins)),
    )


def _page(database: Database, numbers: list[int]) -> list[Submission]:
    wanted = select(submissions.c.seq, submissions.c.body).where(submissions.c.seq.in_(numbers))
    bodies = {row.seq: row.body for row in database.rows(wanted)}
    return [decode(bodies[seq], Submission) for seq in numbers if seq in bodies]
