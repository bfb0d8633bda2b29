"""Tasks: rows in, rows out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import RowMapping, insert, select, update

from benchmaker.store.database.agentic_tables import tasks
from benchmaker.store.database.database import Room
from benchmaker.store.database.json_values import decode, encode


class StoredTask(NamedTuple):
    """A stored task; ``body`` is its file as plain data."""

    id: str
    digest: str
    body: dict[str, Any]
    category: str | None = None
    difficulty: str | None = None
    created_at: str = ""


class TaskStore(Room):
    """Tasks by id and content."""

    def put_task(self, task: StoredTask) -> bool:
        """Store a task as the latest of its id; False if it was already stored."""
        own = tasks.c.id == task.id
        with self.database.write() as connection:
            here = select(tasks.c.is_newest).where(tasks.c.digest == task.digest)
            known = connection.scalar(here)
            if known == 1:
                return False
            connection.execute(update(tasks).where(own).values(is_newest=0))
            if known is None:
                connection.execute(insert(tasks).values(**_row(task, self.database.now_utc())))
            else:
                again = update(tasks).where(tasks.c.digest == task.digest)
                connection.execute(again.values(is_newest=1))
        return True

    def task(self, task_id: str, *, digest: str | None = None) -> StoredTask | None:
        """Return the latest task with that id, or the one with that content; None if unknown."""
        wanted = select(tasks).where(tasks.c.id == task_id)
        is_it = tasks.c.is_newest == 1 if digest is None else tasks.c.digest == digest
        with self.database.read() as connection:
            row = connection.execute(wanted.where(is_it)).mappings().first()
        return _task(row) if row else None

    def tasks_of(self, task_ids: Sequence[str]) -> dict[str, StoredTask]:
        """Return the latest task of each of these ids that has one."""
        wanted = select(tasks).where(tasks.c.id.in_(task_ids), tasks.c.is_newest == 1)
        with self.database.read() as connection:
            found = [_task(row) for row in connection.execute(wanted).mappings()]
        return {one.id: one for one in found}

    def tasks(self) -> tuple[StoredTask, ...]:
        """Return the latest task of each id, by id."""
        wanted = select(tasks).where(tasks.c.is_newest == 1).order_by(tasks.c.id)
        with self.database.read() as connection:
            return tuple(map(_task, connection.execute(wanted).mappings()))


def _row(task: StoredTask, now: str) -> dict[str, Any]:
    return {
        "digest": task.digest,
        "id": task.id,
        "is_newest": 1,
        "category": task.category,
        "difficulty": task.difficulty,
        "created_at": task.created_at or now,
        "body": encode(task.body),
    }


def _task(row: RowMapping) -> StoredTask:
    return StoredTask(
        id=row["id"],
        digest=row["digest"],
        body=decode(row["body"], dict[str, Any]),
        category=row["category"],
        difficulty=row["difficulty"],
        created_at=row["created_at"],
    )
