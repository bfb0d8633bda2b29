"""Runs that have generated pages, a page at a time."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, func, select

from benchmaker.record import Run
from benchmaker.store.database.code_tables import HAS_PAGE, artifacts, votes
from benchmaker.store.database.database import Database
from benchmaker.store.database.paging import encode_cursor, select_page
from benchmaker.store.database.tables import runs, suites
from benchmaker.store.runs.runs import runs_of_rows


class CodeRunRow(NamedTuple):
    """A run, its number of answers with a page, and its number of counted votes."""

    run: Run
    pages: int
    votes: int


class CodeRunPage(NamedTuple):
    """Runs, and the cursor of the next page; "" at the end."""

    rows: tuple[CodeRunRow, ...]
    after: str = ""


class CodePages:
    """Runs that have generated pages, a page at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
        *,
        descending: bool = True,
        after: str = "",
        limit: int = 50,
        text: str = "",
    ) -> CodeRunPage:
        """Return one page of the runs with generated pages, by start.

        ``text`` is matched with suite names and prefixes of ids.
        """
        by, pages = (
            runs.c.started_at,
            _count(artifacts, HAS_PAGE),
        )
        number_of_votes = _count(votes, votes.c.undone_at.is_(None))
        wanted = select(
            runs.c.seq, runs.c.state, runs.c.planned, runs.c.finished_at, runs.c.body,
            by.label("by"), pages.label("pages"), number_of_votes.label("votes"),
        ).join(suites, suites.c.seq == runs.c.suite_seq)  # fmt: skip
        wanted = wanted.where(_has_pages())
        if text:
            name = suites.c.name.icontains(text, autoescape=True)
            wanted = wanted.where(name | runs.c.id.startswith(text, autoescape=True))
        wanted = select_page(
            wanted, by, runs.c.seq, descending=descending, after=after, limit=limit
        )
        with self._database.read() as connection:
            found = connection.execute(wanted).mappings().all()
            listed = runs_of_rows(connection, self._database, found[:limit])
        rows = tuple(
            CodeRunRow(run, row["pages"], row["votes"])
            for run, row in zip(listed, found, strict=False)
        )
        last = found[limit - 1] if len(found) > limit else None
        return CodeRunPage(rows, encode_cursor(last["by"], last["seq"]) if last else "")

    def has_pages(self, run_id: str) -> bool:
        """Return True if the run has generated pages, so that :meth:`page` lists it."""
        wanted = select(runs.c.seq).where(runs.c.id == run_id, _has_pages())
        with self._database.read() as connection:
            return connection.scalar(wanted) is not None


def _has_pages() -> ColumnElement[bool]:
    return select(artifacts.c.seq).where(artifacts.c.run_seq == runs.c.seq).exists()


def _count(table: Table, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
    counted = select(func.count()).where(table.c.run_seq == runs.c.seq, *conditions)
    return counted.scalar_subquery()
