"""Runs, and the series they belong to."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import Connection, RowMapping, Select, delete, insert, select, update

from benchmaker.errors import Conflict, StoreError
from benchmaker.record import Run, RunState, Series
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.store.database.inserts import insert_one
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import run_models, runs, series, suites
from benchmaker.store.queues.outbox import Message, put_in
from benchmaker.store.suites.suites import suite_number


class RunNumber(NamedTuple):
    """The reference of trials to their run: its row number, and each model's rank in it."""

    seq: int
    ranks: dict[str, int]
    models: tuple[str, ...]
    suite_seq: int


def add_series(database: Database, new: Series) -> None:
    """Keep a series.

    Raises:
        StoreError: its suite is not stored.
        Conflict: there is one of that id.
    """
    with database.write() as connection:
        _insert_series(connection, database, new)


def _insert_series(connection: Connection, database: Database, new: Series) -> None:
    row = {
        "id": escape(new.id),
        "suite_seq": suite_number(connection, database, new.suite_hash),
        "runs": new.runs,
        "created_at": escape(new.created_at),
        "actor": escape(new.actor),
    }
    connection.execute(insert(series).values(row))


def add_run(database: Database, run: Run) -> None:
    """Keep a run.

    Raises:
        StoreError: its suite or its series is not stored.
        Conflict: there is one of that id, or a model is named twice.
    """
    with database.write() as connection:
        row = {
            "id": escape(run.id),
            "suite_seq": suite_number(connection, database, run.suite_hash),
            "series_seq": _series_number(connection, database, run.series_id),
            "number": run.number,
            "state": run.state.value,
            "planned": run.planned,
            "started_at": escape(run.started_at),
            "finished_at": None if run.finished_at is None else escape(run.finished_at),
            "actor": escape(run.actor),
            "body": encode(run),
        }
        number = insert_one(connection, runs, row)
        _insert_models(connection, number, run.models, first=0)


def _insert_models(
    connection: Connection, number: int, models: Sequence[str], *, first: int
) -> None:
    rows = [
        {"run_seq": number, "rank": rank, "model": escape(model)}
        for rank, model in enumerate(models, first)
    ]
    if rows:
        connection.execute(insert(run_models), rows)


def find_run(database: Database, run_id: str) -> Run:
    """Return the run with that id; StoreError if unknown."""
    with database.read() as connection:
        return _load_run(connection, database, run_id)


def list_runs(
    database: Database,
    *,
    limit: int | None = None,
    series_id: str | None = None,
    suite_hash: str | None = None,
    suite_name: str | None = None,
) -> tuple[Run, ...]:
    """Runs, the one added last first; ``suite_name`` is for all versions of a suite."""
    wanted = _rows().order_by(runs.c.seq.desc()).limit(limit)
    if series_id is not None:
        wanted = wanted.join(series).where(series.c.id == escape(series_id))
    if suite_hash is not None or suite_name is not None:
        wanted = wanted.join(suites, suites.c.seq == runs.c.suite_seq)
    if suite_hash is not None:
        wanted = wanted.where(suites.c.hash == suite_hash)
    if suite_name is not None:
        wanted = wanted.where(suites.c.name == escape(suite_name))
    with database.read() as connection:
        return tuple(map(run_of, connection.execute(wanted).mappings()))


def find_series(database: Database, series_id: str) -> Series:
    """Return the series with that id; StoreError if unknown."""
    wanted = select(series, suites.c.hash).join(suites).where(series.c.id == escape(series_id))
    with database.read() as connection:
        row = connection.execute(wanted).mappings().first()
    if row is None:
        raise StoreError(f"there is no series {series_id!r}.", where=str(database.address))
    return Series(
        id=unescape(row["id"]),
        suite_hash=row["hash"],
        runs=row["runs"],
        created_at=unescape(row["created_at"]),
        actor=unescape(row["actor"]),
    )


def set_run_state(
    database: Database,
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
    ended = None if finished_at is None else escape(finished_at)
    with database.write() as connection:
        _change(connection, database, run_id, {"state": state.value, "finished_at": ended})
        if announce is not None:
            put_in(connection, announce, database.now_utc())


def amend_run(database: Database, run: Run) -> None:
    """Replace the run's own record: profile, start, notes and the like.

    Its plan and state are unchanged; for the state see :func:`set_run_state`.

    Raises:
        StoreError: unknown run.
        Conflict: it has another suite, series, number or other models, which its trials depend on.
    """
    fixed = {"suite_hash", "series_id", "number", "models"}
    values = {
        "started_at": escape(run.started_at),
        "actor": escape(run.actor),
        "body": encode(run),
    }
    with database.write() as connection:
        known = _load_run(connection, database, run.id)
        differing = sorted(name for name in fixed if getattr(known, name) != getattr(run, name))
        if differing:
            raise Conflict(
                f"run {run.id} can't change its {', '.join(differing)}.",
                where=str(database.address),
                hint="Make a new run.",
            )
        _change(connection, database, run.id, values)


def extend_run(database: Database, run: Run, *, series: Series | None = None) -> None:
    """Add models to a run, with the extended plan, or make it one of a new series.

    It becomes ``interrupted``, since trials are left; existing data is kept.

    Raises:
        StoreError: unknown run.
        Conflict: it has another suite or number, is in another series, or the models do not begin
            with those it has.
    """
    with database.write() as connection:
        known = _load_run(connection, database, run.id)
        if not _continues(run, known, series):
            raise Conflict(
                f"run {run.id} can only get further models, or a series where it has none.",
                where=str(database.address),
                hint="Make a new run.",
            )
        if series is not None:
            _insert_series(connection, database, series)
        values = {
            "series_seq": _series_number(connection, database, run.series_id),
            "state": RunState.INTERRUPTED.value,
            "finished_at": None,
            "planned": run.planned,
            "body": encode(run),
        }
        _change(connection, database, run.id, values)
        before = run_number(connection, database, run.id)
        number = len(before.models)
        _insert_models(connection, before.seq, run.models[number:], first=number)


def _continues(run: Run, known: Run, series: Series | None) -> bool:
    """True if the run is the known one with additions."""
    same = all(getattr(known, name) == getattr(run, name) for name in ("suite_hash", "number"))
    joins = known.series_id is None and series is not None and run.series_id == series.id
    stays = run.series_id == known.series_id and series is None
    return same and (joins or stays) and run.models[: len(known.models)] == known.models


def raise_runs(database: Database, series_id: str, number: int) -> None:
    """Raise the number of runs of a series.

    Raises:
        StoreError: unknown series.
        Conflict: it already has more.
    """
    wanted = update(series).where(series.c.id == escape(series_id), series.c.runs <= number)
    with database.write() as connection:
        if connection.execute(wanted.values(runs=number)).rowcount == 1:
            return
        if _series_number(connection, database, series_id) is not None:
            raise Conflict(
                f"series {series_id} has more than {number} runs already.",
                where=str(database.address),
            )


def delete_run(database: Database, run_id: str) -> None:
    """Delete the run with its trials, completions, attempts and scores.

    A series goes with its last run. The suite stays until the store is vacuumed.

    Raises:
        StoreError: there is no such run.
    """
    with database.write() as connection:
        wanted = select(runs.c.seq, runs.c.series_seq).where(runs.c.id == escape(run_id))
        row = connection.execute(wanted).first()
        if row is None:
            raise no_run(database, run_id)
        connection.execute(delete(runs).where(runs.c.seq == row.seq))
        rest = select(runs.c.seq).where(runs.c.series_seq == row.series_seq)
        if row.series_seq is not None and connection.execute(rest.limit(1)).first() is None:
            connection.execute(delete(series).where(series.c.seq == row.series_seq))


def run_number(connection: Connection, database: Database, run_id: str) -> RunNumber:
    """The run's number and its models' ranks; StoreError when there is no such run."""
    row = connection.execute(
        select(runs.c.seq, runs.c.suite_seq).where(runs.c.id == escape(run_id))
    ).first()
    if row is None:
        raise no_run(database, run_id)
    models = connection.scalars(
        select(run_models.c.model)
        .where(run_models.c.run_seq == row.seq)
        .order_by(run_models.c.rank)
    )
    names = tuple(map(unescape, models))
    return RunNumber(row.seq, {name: rank for rank, name in enumerate(names)}, names, row.suite_seq)


def no_run(database: Database, run_id: str) -> StoreError:
    """Return the error for an unknown run."""
    return StoreError(
        f"there is no run {run_id!r}.",
        where=str(database.address),
        hint="List them with: benchmaker runs",
    )


def _load_run(connection: Connection, database: Database, run_id: str) -> Run:
    row = connection.execute(_rows().where(runs.c.id == escape(run_id))).mappings().first()
    if row is None:
        raise no_run(database, run_id)
    return run_of(row)


def _rows() -> Select[Any]:
    return select(runs.c.state, runs.c.planned, runs.c.finished_at, runs.c.body)


def run_of(row: RowMapping) -> Run:
    """Return the current run from its row."""
    ended = row["finished_at"]
    return replace(
        decode(row["body"], Run),
        state=RunState(row["state"]),
        planned=row["planned"],
        finished_at=None if ended is None else unescape(ended),
    )


def _series_number(connection: Connection, database: Database, wanted: str | None) -> int | None:
    if wanted is None:
        return None
    known = select(series.c.seq).where(series.c.id == escape(wanted))
    number: int | None = connection.scalar(known)
    if number is None:
        raise StoreError(f"there is no series {wanted!r}.", where=str(database.address))
    return number


def _change(
    connection: Connection, database: Database, run_id: str, values: dict[str, Any]
) -> None:
    changed = connection.execute(update(runs).where(runs.c.id == escape(run_id)).values(values))
    if changed.rowcount != 1:
        raise no_run(database, run_id)
