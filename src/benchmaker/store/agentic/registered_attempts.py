"""Attempts registered before their results are known: rows in, rows out; never deleted."""

from sqlalchemy import RowMapping, select, update

from benchmaker.errors import Conflict, SpecError
from benchmaker.record.account import RegisteredAttempt
from benchmaker.store.database.account_tables import registered_attempts as table
from benchmaker.store.database.database import Room
from benchmaker.store.database.inserts import insert_one
from benchmaker.store.database.new_ids import IdRoom


class AttemptStore(IdRoom):
    """Registered attempts of teams."""

    def register_attempt(self, team: str, task_id: str, *, system: str, by: str) -> str:
        """Register an attempt of a system at a task; return its id."""
        attempt_id = self._new_id("a")
        row = {"id": attempt_id, "team": team, "task_id": task_id, "system": system, "by": by}
        with self.database.write() as connection:
            insert_one(connection, table, {**row, "made_at": self.database.now_utc()})
        return attempt_id

    def attempts(
        self, task_id: str, system: str, *, team: str | None = None
    ) -> tuple[RegisteredAttempt, ...]:
        """Return the attempts of a system at a task, of any team or of one, oldest first."""
        wanted = (
            select(table)
            .where(table.c.task_id == task_id, table.c.system == system)
            .order_by(table.c.seq)
        )
        with self.database.read() as connection:
            rows = connection.execute(wanted).mappings().all()
        counted: dict[str, int] = {}
        found = [_attempt_of(row, counted) for row in rows]
        return tuple(it for it in found if team is None or it.team == team)

    def bind_attempt(self, attempt_id: str, submission_id: str) -> bool:
        """Store the result of an attempt; False if it is already stored.

        Raises:
            SpecError: unknown attempt.
            Conflict: it has another result.
        """
        own = table.c.id == attempt_id
        with self.database.write() as connection:
            found = connection.execute(select(table.c.submission_id).where(own).with_for_update())
            row = found.first()
            if row is None:
                raise SpecError(f"no attempt {attempt_id!r}.", hint="Register it first.")
            if row.submission_id not in {None, submission_id}:
                raise Conflict(
                    f"attempt {attempt_id} already has a submission.",
                    hint="Register another attempt for this submission.",
                )
            bound = update(table).where(own).values(submission_id=submission_id)
            connection.execute(bound)
            return row.submission_id is None

    def free_attempt(self, attempt_id: str, submission_id: str) -> None:
        """Remove this submission as the result of an attempt, since it was not stored."""
        own = table.c.id == attempt_id, table.c.submission_id == submission_id
        with self.database.write() as connection:
            connection.execute(update(table).where(*own).values(submission_id=None))


class AttemptListing(Room):
    """Registered attempts of all teams."""

    def attempts(self) -> tuple[RegisteredAttempt, ...]:
        """Return every attempt, oldest first, numbered per system and task."""
        with self.database.read() as connection:
            rows = connection.execute(select(table).order_by(table.c.seq)).mappings().all()
        counted: dict[tuple[str, str], dict[str, int]] = {}
        return tuple(
            _attempt_of(row, counted.setdefault((row["task_id"], row["system"]), {}))
            for row in rows
        )


def _attempt_of(row: RowMapping, counted: dict[str, int]) -> RegisteredAttempt:
    team = row["team"]
    counted[team] = counted.get(team, 0) + 1
    return RegisteredAttempt(
        id=row["id"],
        team=team,
        task_id=row["task_id"],
        system=row["system"],
        by=row["by"],
        made_at=row["made_at"],
        number=counted[team],
        submission_id=row["submission_id"],
    )
