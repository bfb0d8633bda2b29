"""Suites by their content hash, cases included."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, RowMapping, delete, func, select, text

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.spec import Case, Suite
from benchmaker.spec.suites.case_file import CaseFile
from benchmaker.spec.suites.suite import ContentHasher
from benchmaker.store.database.database import Database, Room, retry_reads
from benchmaker.store.database.inserts import insert_columns, insert_one
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.new_ids import random_id
from benchmaker.store.database.tables import suite_cases, suites
from benchmaker.store.suites.case_blocks import PAGE, CaseBlock, case_blocks

NEWEST_FIRST = (suites.c.created_at.desc(), suites.c.seq.desc())
"""The order of versions."""


@dataclass(frozen=True, slots=True)
class StoredSuite:
    """A suite in the store, without its cases; ``cases`` is their number."""

    hash: str
    name: str
    cases: int
    source: str | None
    created_at: str


class SuiteStore(Room):
    """Suites and their cases."""

    def put_suite(self, suite: Suite) -> str:
        """Store the suite, unless it exists; return its content hash.

        Cases of its file kept in memory are released, since the store has them.

        Raises:
            Conflict: the suite's file changed while it was read.
        """
        content = suite.content_hash
        with self.database.read() as connection:
            is_there = _number_of(connection, content) is not None
        if not is_there:
            with self.database.write() as connection:
                if _number_of(connection, content) is None:
                    _insert(connection, suite, self.database.now_utc())
        elif suite.places is not None and Path(source := _source_of(suite) or "").is_absolute():
            self._renew_source(content, source)
        if isinstance(suite.cases, CaseFile):
            suite.cases.release()
        return content

    def put_case_blocks(self, suite: Suite, blocks: Iterable[CaseBlock]) -> str:
        """Store a suite whose cases are read once, unless it exists; return its content hash.

        ``blocks`` are all cases of the suite. The suite knows its hash afterwards.
        """
        hasher = suite.content_hasher()
        with self.database.write() as connection:
            row = _suite_row(connection, suite, random_id("unfinished"), self.database.now_utc())
            number = insert_one(connection, suites, row)
            count = _insert_blocks(connection, number, blocks, hasher)
            hasher.keep()
            own = suites.c.seq == number
            if _number_of(connection, suite.content_hash) is None:
                values = {"hash": suite.content_hash, "cases": count}
                connection.execute(suites.update().where(own).values(**values))
            else:
                connection.execute(delete(suite_cases).where(suite_cases.c.suite_seq == number))
                connection.execute(delete(suites).where(own))
        return suite.content_hash

    def _renew_source(self, content_hash: str, source: str) -> None:
        """Note the file from which a suite was read last: its functions are beside it."""
        is_it = suites.c.hash == content_hash
        with self.database.read() as connection:
            if connection.scalar(select(suites.c.source).where(is_it)) == source:
                return
        with self.database.write() as connection:
            connection.execute(suites.update().where(is_it).values(source=source))

    def renew_suite(self, content_hash: str) -> None:
        """Make a stored version the latest of its suite, as if it were stored now.

        Raises:
            StoreError: unknown version.
        """
        with self.database.write() as connection:
            number = suite_number(connection, self.database, content_hash)
            name = connection.scalar(select(suites.c.name).where(suites.c.seq == number))
            of_name = select(suites.c.seq).where(suites.c.name == name)
            if connection.scalar(of_name.order_by(*NEWEST_FIRST).limit(1)) == number:
                return
            now = _stamp(connection, str(name), self.database.now_utc())
            connection.execute(suites.update().where(suites.c.seq == number).values(created_at=now))

    @contextmanager
    def one_editor(self) -> Iterator[None]:
        """Admit one editor of suites at a time, so that writes are based on the state read."""
        with self.database.write_transaction():
            if not self.database.is_sqlite:
                with self.database.write() as connection:
                    connection.execute(text("SELECT pg_advisory_xact_lock(6276366)"))
            yield

    @retry_reads
    def suite(self, content_hash: str) -> Suite:
        """Return the suite with that hash; its cases are read from the store at each pass.

        Raises:
            StoreError: unknown hash.
        """
        with self.database.read() as connection:
            row = (
                connection.execute(select(suites).where(suites.c.hash == content_hash))
                .mappings()
                .first()
            )
        if row is None:
            raise _no_suite(self.database, content_hash)
        return _suite_of(self.database, row)

    @retry_reads
    def case(self, content_hash: str, position: int) -> Case:
        """Return one case of a suite by its position, from 0.

        Raises:
            StoreError: unknown suite or position.
        """
        with self.database.read() as connection:
            number = suite_number(connection, self.database, content_hash)
            found = select(suite_cases.c.body).where(
                suite_cases.c.suite_seq == number, suite_cases.c.position == position
            )
            body = connection.scalar(found)
        if body is None:
            raise StoreError(
                f"suite {content_hash[:12]} has no case at position {position}.",
                where=str(self.database.address),
            )
        return case_of_body(body)

    @retry_reads
    def find_suites(self) -> tuple[StoredSuite, ...]:
        """Return every suite, latest first."""
        with self.database.read() as connection:
            rows = connection.execute(select(suites).order_by(*NEWEST_FIRST)).mappings().all()
        return tuple(
            StoredSuite(
                hash=row["hash"],
                name=row["name"],
                cases=row["cases"],
                source=row["source"],
                created_at=row["created_at"],
            )
            for row in rows
        )


def suite_number(connection: Connection, database: Database, content: str) -> int:
    """Return the suite's row number; StoreError if unknown."""
    number = _number_of(connection, content)
    if number is None:
        raise _no_suite(database, content)
    return number


@dataclass(frozen=True, slots=True)
class StoredCases:
    """The cases of one stored suite; each pass reads them again, a page at a time."""

    database: Database
    suite_seq: int
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Case]:
        for first in range(0, self.count, PAGE):
            bodies = self.database.retry(partial(self._page, first))
            yield from map(case_of_body, bodies)

    def _page(self, first: int) -> Sequence[str]:
        wanted = (
            select(suite_cases.c.body)
            .where(
                suite_cases.c.suite_seq == self.suite_seq,
                suite_cases.c.position >= first,
                suite_cases.c.position < first + PAGE,
            )
            .order_by(suite_cases.c.position)
        )
        with self.database.read() as connection:
            return connection.scalars(wanted).all()


def _number_of(connection: Connection, content: str) -> int | None:
    return connection.scalar(select(suites.c.seq).where(suites.c.hash == content))


def _insert(connection: Connection, suite: Suite, now: str) -> None:
    row = _suite_row(connection, suite, suite.content_hash, now)
    number = insert_one(connection, suites, row)
    hasher = suite.content_hasher()
    blocks = case_blocks(suite, (case.model_dump() for case in suite.cases))
    count = _insert_blocks(connection, number, blocks, hasher)
    if hasher.hexdigest() != suite.content_hash:
        raise Conflict(
            f"suite {suite.name!r} changed during storing.",
            where=suite.source or "",
            hint="Try again without changing the file.",
        )
    connection.execute(suites.update().where(suites.c.seq == number).values(cases=count))


def _suite_row(connection: Connection, suite: Suite, content: str, now: str) -> dict[str, Any]:
    return {
        "hash": content,
        "name": suite.name,
        "cases": 0,
        "source": _source_of(suite),
        "created_at": _stamp(connection, suite.name, now),
        "header": encode(suite.header()),
    }


def _source_of(suite: Suite) -> str | None:
    """The file of a suite, with its folder if it is there, so that it can be found again."""
    path = Path(suite.source) if suite.source else None
    return str(path.absolute()) if path and path.is_file() else suite.source


def _stamp(connection: Connection, name: str, now: str) -> str:
    """Return the time, but at least the moment after the latest version of that name."""
    last = connection.scalar(select(func.max(suites.c.created_at)).where(suites.c.name == name))
    if last is None or last < now:
        return now
    return iso_timestamp(datetime.fromisoformat(last) + timedelta(milliseconds=1))


def _insert_blocks(
    connection: Connection, number: int, blocks: Iterable[CaseBlock], hasher: ContentHasher
) -> int:
    """Insert the cases of a suite and add them to its hash; return their number."""
    count = 0
    for block in blocks:
        hasher.add_encoded(block.content)
        count += insert_columns(connection, suite_cases, block.columns(number, count))
    return count


def case_of_body(body: str) -> Case:
    """Return the case that a row of the store holds."""
    try:
        return Case.model_validate_json(body)
    except ValidationError:  # no plain JSON: the body says what JSON can't
        return Case.model_validate(decode(body, dict[str, Any]))


def _suite_of(database: Database, row: RowMapping) -> Suite:
    header = decode(row["header"], dict[str, Any])
    cases = StoredCases(database, row["seq"], row["cases"])
    suite = Suite.of_header(header, cases, source=row["source"])
    # The hash it is stored under names it, whatever fields later versions add to a case.
    suite.__dict__["content_hash"] = row["hash"]
    return suite


def _no_suite(database: Database, content: str) -> StoreError:
    return StoreError(
        f"there is no suite {content[:12]!r}.",
        where=str(database.address),
        hint="Store the suite first.",
    )
