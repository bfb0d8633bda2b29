"""Maintenance of a store: integrity, size, and compaction."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select

from benchmaker.errors import StoreError
from benchmaker.record.counts import count
from benchmaker.store.database.column_types import metadata
from benchmaker.store.database.database import Database, Room
from benchmaker.store.database.schema import revision
from benchmaker.store.database.tables import runs, scores, series, suites, trials
from benchmaker.store.runs.renders import drop_unused

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """The result of a check; ``counts`` has the rows of each readable table."""

    problems: tuple[str, ...]
    counts: dict[str, int]
    revision: str | None
    size_bytes: int

    @property
    def is_ok(self) -> bool:
        """True if there are no faults."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class VacuumResult:
    """The space freed by vacuuming."""

    suites: int
    bytes_before: int
    bytes_after: int


class Maintenance(Room):
    """Checks of the whole store, and its free space."""

    def check(self, *, quick: bool = False) -> StoreCheck:
        """Read the whole store and report its faults; changes nothing, raises nothing.

        ``quick`` skips comparing indexes with their tables.
        """
        problems: list[str] = []
        counts: dict[str, int] = {}
        found: str | None = None
        size = 0
        try:
            with self.database.read() as connection:
                if self.database.is_sqlite:
                    problems += _sqlite_problems(connection, quick=quick)
                found = revision(connection)
                for table in metadata.sorted_tables:
                    counts[table.name] = (
                        connection.scalar(select(func.count()).select_from(table)) or 0
                    )
                problems += _dangling_scores(connection)
            size = size_bytes(self.database)
        except StoreError as exc:
            problems.append(str(exc))
        return StoreCheck(tuple(problems), counts, found, size)

    def vacuum(self) -> VacuumResult:
        """Delete unused suites, and reclaim the freed space."""
        before = size_bytes(self.database)
        with self.database.write() as connection:
            used = select(runs.c.suite_seq).union(select(series.c.suite_seq))
            dropped = connection.execute(delete(suites).where(suites.c.seq.not_in(used))).rowcount
            drop_unused(connection)
        with self.database.autocommit() as connection:
            connection.exec_driver_sql("VACUUM")
            if self.database.is_sqlite:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return VacuumResult(dropped, before, size_bytes(self.database))


def size_bytes(database: Database) -> int:
    """The size of the database, without its journal."""
    with database.read() as connection:
        if not database.is_sqlite:
            return connection.scalar(select(func.pg_database_size(func.current_database()))) or 0
        pages: int = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        size: int = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
        return pages * size


def _sqlite_problems(connection: Connection, *, quick: bool) -> list[str]:
    pragma = f"PRAGMA {'quick_check' if quick else 'integrity_check'}({_SHOWN})"
    said = connection.exec_driver_sql(pragma).scalars().all()
    problems = [] if list(said) == ["ok"] else [str(line) for line in said]
    dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(_SHOWN)
    problems += [f"{row[0]}: row {row[1]} refers to a missing row of {row[2]}" for row in dangling]
    return problems


def _dangling_scores(connection: Connection) -> list[str]:
    there = select(scores.c.seq).where(
        scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version
    )
    missing = connection.scalar(
        select(func.count()).select_from(trials).where(trials.c.score_version > 0, ~there.exists())
    )
    return (
        [f"{count(missing, 'trial')} {'names' if missing == 1 else 'name'} a score that is missing"]
        if missing
        else []
    )
