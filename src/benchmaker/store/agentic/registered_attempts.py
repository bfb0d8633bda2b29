"""Attempts registered before their results are known: rows in, rows out; never deleted."""

from sqlalchemy import RowMapping, select, update

from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import RegisteredAttempt
from benchmaker.store.database.account_tables import registered_attempts as table
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, unescape, unescape_or_none
from benchmaker.store.database.inserts import insert_one


def register_attempt(
    database: Database, attempt_id: str, *, team: str, task_id: str, system: str, by: str
) -> str:
    """Announce an attempt; returns its id."""
    texts = {"id": attempt_id, "team": team, "task_id": task_id, "system": system, "by": by}
    row = {name: escape(text) for name, text in texts.items()}
    with database.write() as connection:
        insert_one(connection, table, {**row, "made_at": database.now_utc()})
    return attempt_id


def list_attempts(
    database: Database,
    task_id: str,
    system: str,
    *,
    team: str | None = None,
) -> tuple[RegisteredAttempt, ...]:
    """The attempts of a system at a task, of any team or of one, the first first."""
    wanted = (
        select(table)
        .where(table.c.task_id == escape(task_id), table.c.system == escape(system))
        .order_by(table.c.seq)
    )
    with database.read() as connection:
        rows = connection.execute(wanted).mappings().all()
    counted: dict[str, int] = {}
    found = [_attempt_of(row, counted) for row in rows]
    return tuple(it for it in found if team is None or it.team == team)


def all_attempts(database: Database) -> tuple[RegisteredAttempt, ...]:
    """Every attempt, the first first; each numbered among those of its system at its task."""
    with database.read() as connection:
        rows = connection.execute(select(table).order_by(table.c.seq)).mappings().all()
    counted: dict[tuple[str, str], dict[str, int]] = {}
    return tuple(
        _attempt_of(row, counted.setdefault((row["task_id"], row["system"]), {})) for row in rows
    )


def bind_attempt(database: Database, attempt_id: str, submission_id: str) -> bool:
    """Store the result of an attempt; False if it is already stored.

    Raises:
        SpecError: unknown attempt.
        Conflict: it has another result.
    """
    own = table.c.id == escape(attempt_id)
    with database.write() as connection:
        found = connection.execute(select(table.c.submission_id).where(own).with_for_update())
        row = found.first()
        if row is None:
            raise SpecError(f"there is no attempt {attempt_id!r}.", hint="Register it first.")
        if row.submission_id not in {None, escape(submission_id)}:
            raise Conflict(
                f"attempt {attempt_id} has a submission already.",
                hint="Register another attempt for this one.",
            )
        bound = update(table).where(own).values(submission_id=escape(submission_id))
        connection.execute(bound)
        return row.submission_id is None


def free_attempt(database: Database, attempt_id: str, submission_id: str) -> None:
    """Remove this submission as the result of an attempt, since it was not stored."""
    own = table.c.id == escape(attempt_id), table.c.submission_id == escape(submission_id)
    with database.write() as connection:
        connection.execute(update(table).where(*own).values(submission_id=None))


def _attempt_of(row: RowMapping, counted: dict[str, int]) -> RegisteredAttempt:
    team = unescape(row["team"])
    counted[team] = counted.get(team, 0) + 1
    return RegisteredAttempt(
        id=row["id"],
        team=team,
        task_id=unescape(row["task_id"]),
        system=unescape(row["system"]),
        by=unescape(row["by"]),
        made_at=row["made_at"],
        number=counted[team],
        submission_id=unescape_or_none(row["submission_id"]),
    )
