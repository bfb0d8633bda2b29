"""Runs, and the series they belong to."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    delete,
    insert,
    literal,
    select,
    update,
)

from benchmaker.errors import Conflict, StoreError
from benchmaker.record import Run, RunState, Series
from benchmaker.store.database.database import Database, Room, retry_reads
from benchmaker.store.database.inserts import insert_one
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.leases import is_free
from benchmaker.store.database.tables import leases, run_models, runs, series, suites
from benchmaker.store.queues.outbox import Message, put_in
from benchmaker.store.suites.suites import suite_number

RUN_LEASE = "run "
"""The name of a run's lease, before the id."""


class RunNumber(NamedTuple):
    """The reference of trials to their run: its row number, and each model's rank in it."""

    seq: int
    ranks: dict[str, int]
    models: tuple[str, ...]
    suite_seq: int


class RunStore(Room):
    """Runs and their series."""

    def add_series(self, series: Series) -> None:
        """Store a series.

        Raises:
            StoreError: its suite is not stored.
            Conflict: there is one of that id.
        """
        with self.database.write() as connection:
            _insert_series(connection, self.database, series)

    @retry_reads
    def series(self, series_id: str) -> Series:
        """Return the series with that id."""
        wanted = select(series, suites.c.hash).join(suites).where(series.c.id == series_id)
        with self.database.read() as connection:
            row = connection.execute(wanted).mappings().first()
        if row is None:
            raise StoreError(f"there is no series {series_id!r}.", where=str(self.database.address))
        return Series(
            id=row["id"],
            suite_hash=row["hash"],
            runs=row["runs"],
            created_at=row["created_at"],
            actor=row["actor"],
        )

    def add_run(self, run: Run) -> None:
        """Store a run.

        Raises:
            StoreError: its suite or its series is not stored.
            Conflict: a run with that id exists, or a model is named twice.
        """
        with self.database.write() as connection:
            row = {
                "id": run.id,
                "suite_seq": suite_number(connection, self.database, run.suite_hash),
                "series_seq": _series_number(connection, self.database, run.series_id),
                "number": run.number,
                "state": run.state.value,
                "planned": run.planned,
                "started_at": run.started_at,
                "finished_at": None if run.finished_at is None else run.finished_at,
                "actor": run.actor,
                "body": encode(run),
            }
            number = insert_one(connection, runs, row)
            _insert_models(connection, number, run.models, first=0)

    @retry_reads
    def run(self, run_id: str) -> Run:
        """Return the run with that id."""
        with self.database.read() as connection:
            return load_run(connection, self.database, run_id)

    @retry_reads
    def stored_state(self, run_id: str) -> RunState:
        """Return the state that a run was left in, also if its process died."""
        with self.database.read() as connection:
            found = connection.scalar(select(runs.c.state).where(runs.c.id == run_id))
        if found is None:
            raise no_run(self.database, run_id)
        return RunState(found)

    @retry_reads
    def runs(
        self,
        *,
        limit: int | None = None,
        series_id: str | None = None,
        suite_hash: str | None = None,
        suite_name: str | None = None,
    ) -> tuple[Run, ...]:
        """Return runs, latest first; ``suite_name`` selects all versions of a suite."""
        wanted = _rows().order_by(runs.c.seq.desc()).limit(limit)
        if series_id is not None:
            wanted = wanted.join(series).where(series.c.id == series_id)
        if suite_hash is not None or suite_name is not None:
            wanted = wanted.join(suites, suites.c.seq == runs.c.suite_seq)
        if suite_hash is not None:
            wanted = wanted.where(suites.c.hash == suite_hash)
        if suite_name is not None:
            wanted = wanted.where(suites.c.name == suite_name)
        with self.database.read() as connection:
            rows = connection.execute(wanted).mappings().all()
            return runs_of_rows(connection, self.database, rows)

    @retry_reads
    def set_run_state(
        self,
        run_id: str,
        state: RunState,
        *,
        finished_at: str | None = None,
        announce: Message | None = None,
    ) -> None:
        """Set the state of the run, with its announcement in the same transaction.

        Raises:
            StoreError: unknown run.
        """
        ended = None if finished_at is None else finished_at
        with self.database.write() as connection:
            _change(connection, self.database, run_id, {"state": state.value, "finished_at": ended})
            if announce is not None:
                put_in(connection, announce, self.database.now_utc())

    def amend_run(self, run: Run) -> None:
        """Replace the attributes of a run, such as profile, start and notes.

        Its plan and state are kept; for the state see :func:`set_run_state`.

        Raises:
            StoreError: there is no such run.
            Conflict: another suite, series, number or other models, on which its trials depend.
        """
        fixed = {"suite_hash", "series_id", "number", "models"}
        values = {
            "started_at": run.started_at,
            "actor": run.actor,
            "body": encode(run),
        }
        with self.database.write() as connection:
            known = load_run(connection, self.database, run.id)
            differing = sorted(name for name in fixed if getattr(known, name) != getattr(run, name))
            if differing:
                raise Conflict(
                    f"run {run.id} can't change its {', '.join(differing)}.",
                    where=str(self.database.address),
                    hint="Start a new run.",
                )
            _change(connection, self.database, run.id, values)

    def extend_run(self, run: Run, *, series: Series | None = None) -> None:
        """Add models to a run, with their plan, or make it part of a new series.

        The run becomes ``interrupted``, since there are more requests to send; its trials are kept.

        Raises:
            StoreError: there is no such run.
            Conflict: another suite, number or series, or the models do not begin with the present
                ones.
        """
        with self.database.write() as connection:
            known = load_run(connection, self.database, run.id)
            if not _continues(run, known, series):
                raise Conflict(
                    f"run {run.id} can only be extended by models, or added to a series.",
                    where=str(self.database.address),
                    hint="Start a new run.",
                )
            if series is not None:
                _insert_series(connection, self.database, series)
            values = {
                "series_seq": _series_number(connection, self.database, run.series_id),
                "state": RunState.INTERRUPTED.value,
                "finished_at": None,
                "planned": run.planned,
                "body": encode(run),
            }
            _change(connection, self.database, run.id, values)
            before = run_number(connection, self.database, run.id)
            number = len(before.models)
            _insert_models(connection, before.seq, run.models[number:], first=number)

    def enlarge_import(self, run: Run) -> None:
        """Replace an imported run by one with more cases or models, whose suite begins as before.

        Its trials are kept, since the positions of their cases are unchanged.

        Raises:
            StoreError: no such run, or its suite is not stored.
            Conflict: it was not imported, or the models do not begin with the present ones.
        """
        with self.database.write() as connection:
            known = load_run(connection, self.database, run.id)
            first = run.models[: len(known.models)]
            if known.imported_from is None or first != known.models:
                raise Conflict(
                    f"run {run.id} can't take further rows.",
                    where=str(self.database.address),
                    hint="Import the file into another store with --home.",
                )
            suite_seq = suite_number(connection, self.database, run.suite_hash)
            values = {
                "suite_seq": suite_seq,
                "series_seq": _series_number(connection, self.database, run.series_id),
                "planned": run.planned,
                "body": encode(run),
            }
            _change(connection, self.database, run.id, values)
            if run.series_id is not None:
                own = series.c.id == run.series_id
                connection.execute(update(series).where(own).values(suite_seq=suite_seq))
            before = run_number(connection, self.database, run.id)
            number = len(before.models)
            _insert_models(connection, before.seq, run.models[number:], first=number)

    def raise_runs(self, series_id: str, number: int) -> None:
        """Raise the number of runs of a series.

        Raises:
            StoreError: unknown series.
            Conflict: it already has more.
        """
        wanted = update(series).where(series.c.id == series_id, series.c.runs <= number)
        with self.database.write() as connection:
            if connection.execute(wanted.values(runs=number)).rowcount == 1:
                return
            if _series_number(connection, self.database, series_id) is not None:
                raise Conflict(
                    f"series {series_id} has more than {number} runs already.",
                    where=str(self.database.address),
                )

    @retry_reads
    def delete_run(self, run_id: str) -> None:
        """Delete the run with its trials, completions, attempts and scores.

        A series is deleted with its last run. The suite is kept until the store is vacuumed.

        Raises:
            StoreError: there is no such run.
        """
        with self.database.write() as connection:
            wanted = select(runs.c.seq, runs.c.series_seq).where(runs.c.id == run_id)
            row = connection.execute(wanted).first()
            if row is None:
                raise no_run(self.database, run_id)
            connection.execute(delete(runs).where(runs.c.seq == row.seq))
            rest = select(runs.c.seq).where(runs.c.series_seq == row.series_seq)
            if row.series_seq is not None and connection.execute(rest.limit(1)).first() is None:
                connection.execute(delete(series).where(series.c.seq == row.series_seq))


def _insert_series(connection: Connection, database: Database, new: Series) -> None:
    row = {
        "id": new.id,
        "suite_seq": suite_number(connection, database, new.suite_hash),
        "runs": new.runs,
        "created_at": new.created_at,
        "actor": new.actor,
    }
    connection.execute(insert(series).values(row))


def _insert_models(
    connection: Connection, number: int, models: Sequence[str], *, first: int
) -> None:
    rows = [
        {"run_seq": number, "rank": rank, "model": model}
        for rank, model in enumerate(models, first)
    ]
    if rows:
        connection.execute(insert(run_models), rows)


def _continues(run: Run, known: Run, series: Series | None) -> bool:
    """True if the run is the known one with additions."""
    same = all(getattr(known, name) == getattr(run, name) for name in ("suite_hash", "number"))
    joins = known.series_id is None and series is not None and run.series_id == series.id
    stays = run.series_id == known.series_id and series is None
    return same and (joins or stays) and run.models[: len(known.models)] == known.models


def run_number(connection: Connection, database: Database, run_id: str) -> RunNumber:
    """Return the run's number and its models' ranks; StoreError if unknown."""
    row = connection.execute(
        select(runs.c.seq, runs.c.suite_seq).where(runs.c.id == run_id)
    ).first()
    if row is None:
        raise no_run(database, run_id)
    models = connection.scalars(
        select(run_models.c.model)
        .where(run_models.c.run_seq == row.seq)
        .order_by(run_models.c.rank)
    )
    names = tuple(models)
    return RunNumber(row.seq, {name: rank for rank, name in enumerate(names)}, names, row.suite_seq)


def no_run(database: Database, run_id: str) -> StoreError:
    """Return the error for an unknown run."""
    return StoreError(
        f"there is no run {run_id!r}.",
        where=str(database.address),
        hint="List them with: benchmaker runs",
    )


def load_run(connection: Connection, database: Database, run_id: str) -> Run:
    """Return the run with that id; StoreError if unknown."""
    row = connection.execute(_rows().where(runs.c.id == run_id)).mappings().first()
    if row is None:
        raise no_run(database, run_id)
    (run,) = runs_of_rows(connection, database, [row])
    return run


def _rows() -> Select[Any]:
    return select(runs.c.state, runs.c.planned, runs.c.finished_at, runs.c.body)


def lost_runs(connection: Connection, database: Database) -> frozenset[str]:
    """Return the ids of runs that are stored as running, although no process works on them.

    Their lease is released or expired, or its process of this machine is dead.
    """
    columns = (leases.c.holder, leases.c.pid, leases.c.process, leases.c.host)
    wanted = (
        select(runs.c.id, *columns, leases.c.ttl_s, leases.c.heartbeat)
        .join(leases, leases.c.name == literal(RUN_LEASE) + runs.c.id)
        .where(runs.c.state == RunState.RUNNING.value)
    )
    rows, now = connection.execute(wanted).mappings().all(), database.clock()
    return frozenset(row["id"] for row in rows if is_free(row, now=now))


def runs_of_rows(
    connection: Connection, database: Database, rows: Sequence[RowMapping]
) -> tuple[Run, ...]:
    """Return the current runs from their rows; one whose process died is interrupted."""
    is_any_running = any(row["state"] == RunState.RUNNING for row in rows)
    lost = lost_runs(connection, database) if is_any_running else frozenset[str]()
    return tuple(_run_of(row, lost) for row in rows)


def _run_of(row: RowMapping, lost: frozenset[str]) -> Run:
    stored = decode(row["body"], Run)
    is_lost = row["state"] == RunState.RUNNING and stored.id in lost
    return replace(
        stored,
        state=RunState.INTERRUPTED if is_lost else RunState(row["state"]),
        planned=row["planned"],
        finished_at=row["finished_at"],
    )


def _series_number(connection: Connection, database: Database, wanted: str | None) -> int | None:
    if wanted is None:
        return None
    known = select(series.c.seq).where(series.c.id == wanted)
    number: int | None = connection.scalar(known)
    if number is None:
        raise StoreError(f"there is no series {wanted!r}.", where=str(database.address))
    return number


def _change(
    connection: Connection, database: Database, run_id: str, values: dict[str, Any]
) -> None:
    changed = connection.execute(update(runs).where(runs.c.id == run_id).values(values))
    if changed.rowcount != 1:
        raise no_run(database, run_id)
