"""Commands to runs: added by any process, applied in order by the one that holds the run.

The commands of a series are those of its runs. A command is applied in the transaction that
acknowledges it, under the run's lease, so that it takes effect exactly once.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, or_, select, update

from benchmaker.errors import StoreError
from benchmaker.record import RunState
from benchmaker.record.run_command import CommandState, ControlAction, RunCommand
from benchmaker.store.database.database import Database
from benchmaker.store.database.inserts import insert_one
from benchmaker.store.database.job_tables import run_commands
from benchmaker.store.database.leases import Lease, refuse_lost
from benchmaker.store.database.tables import runs, series
from benchmaker.store.runs.runs import no_run

Value = int | float | str | None
"""The value of a command."""


class RunCommands:
    """Commands to runs: adding, reading and acknowledging them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, run_id: str, action: ControlAction, value: Value = None, *, actor: str = "local"
    ) -> RunCommand:
        """Store a command to a run, or to the series of a run.

        Commands to one run or series are numbered in the order in which they become visible.

        Raises:
            StoreError: there is no such run.
        """
        with self._database.write() as connection:
            wanted = select(runs.c.seq, runs.c.series_seq).where(runs.c.id == run_id)
            run = connection.execute(wanted).first()
            if run is None:
                raise no_run(self._database, run_id)
            _lock(connection, run.seq, run.series_seq)
            row = {
                "run_seq": run.seq if run.series_seq is None else None,
                "series_seq": run.series_seq,
                "action": action.value,
                "value": None if value is None else str(value),
                "actor": actor,
                "created_at": self._database.now_utc(),
                "state": CommandState.PENDING.value,
                "result": "",
            }
            return _load(connection, insert_one(connection, run_commands, row))

    def find(self, number: int) -> RunCommand:
        """Return the command of that number; StoreError if unknown."""
        with self._database.read() as connection:
            return _load(connection, number)

    def pending(self, run_id: str) -> tuple[RunCommand, ...]:
        """Return the commands to a run and its series that wait to be applied, in order."""
        return self._commands(run_id, run_commands.c.state == CommandState.PENDING.value)

    def of_run(self, run_id: str) -> tuple[RunCommand, ...]:
        """Return all commands to a run and its series, in order."""
        return self._commands(run_id)

    def is_paused(self, target: str) -> bool:
        """True if the run of that id, or a run of the series of that id, is paused."""
        named = or_(runs.c.id == target, series.c.id == target)
        wanted = select(runs.c.seq).outerjoin(series).where(named, runs.c.state == RunState.PAUSED)
        with self._database.read() as connection:
            return connection.execute(wanted.limit(1)).first() is not None

    def acknowledge(
        self, number: int, state: CommandState, result: str, *, lease: Lease | None = None
    ) -> bool:
        """Store the result of a command; False if it has one already.

        Raises:
            Conflict: the lease is no longer held.
        """
        values = {
            "state": state.value,
            "result": result,
            "applied_at": self._database.now_utc(),
        }
        waits = run_commands.c.state == CommandState.PENDING.value
        with self._database.write() as connection:
            if lease is not None:
                refuse_lost(connection, lease)
            changed = update(run_commands).where(run_commands.c.seq == number, waits)
            return connection.execute(changed.values(**values)).rowcount == 1

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make a command's effects and its acknowledgement durable together, or none of them."""
        with self._database.write_transaction():
            yield

    def _commands(self, run_id: str, *conditions: ColumnElement[bool]) -> tuple[RunCommand, ...]:
        def read() -> Sequence[RowMapping]:
            with self._database.read() as connection:
                seq, series_seq = _numbers(connection, run_id)
                mine = _is_to(seq, series_seq)
                wanted = _select().where(mine, *conditions).order_by(run_commands.c.seq)
                return connection.execute(wanted).mappings().all()

        return tuple(map(_command_of, self._database.retry(read)))


def _numbers(connection: Connection, run_id: str) -> tuple[int, int | None]:
    """The row numbers of a run and its series; those of no run, if it was deleted."""
    wanted = select(runs.c.seq, runs.c.series_seq).where(runs.c.id == run_id)
    row = connection.execute(wanted).first()
    return (0, None) if row is None else (row.seq, row.series_seq)


def _is_to(run_seq: int, series_seq: int | None) -> ColumnElement[bool]:
    """The condition of commands to a run or its series; a run without one shares none."""
    to_run = run_commands.c.run_seq == run_seq
    return to_run if series_seq is None else or_(to_run, run_commands.c.series_seq == series_seq)


def _lock(connection: Connection, run_seq: int, series_seq: int | None) -> None:
    """Let one command to a run or series be added at a time; SQLite has one writer anyway."""
    table, seq = (runs, run_seq) if series_seq is None else (series, series_seq)
    connection.execute(select(table.c.seq).where(table.c.seq == seq).with_for_update())


def _select() -> Select[Any]:
    return (
        select(run_commands, runs.c.id.label("run_id"), series.c.id.label("series_id"))
        .outerjoin(runs, runs.c.seq == run_commands.c.run_seq)
        .outerjoin(series, series.c.seq == run_commands.c.series_seq)
    )


def _load(connection: Connection, number: int) -> RunCommand:
    row = connection.execute(_select().where(run_commands.c.seq == number)).mappings().first()
    if row is None:
        raise StoreError(f"there is no command {number}.", hint="Its run may have been deleted.")
    return _command_of(row)


def _command_of(row: RowMapping) -> RunCommand:
    return RunCommand(
        number=row["seq"],
        run_id=row["run_id"],
        series_id=row["series_id"],
        action=ControlAction(row["action"]),
        value=_value(ControlAction(row["action"]), row["value"]),
        actor=row["actor"],
        created_at=row["created_at"],
        applied_at=row["applied_at"],
        state=CommandState(row["state"]),
        result=row["result"],
    )


def _value(action: ControlAction, text: str | None) -> Value:
    """The value of a command, as the type of its action."""
    if text is None:
        return None
    match action:
        case ControlAction.CONCURRENCY:
            return int(text)
        case ControlAction.MAX_COST:
            return float(text)
        case _:
            return text
