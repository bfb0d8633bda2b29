"""Human labels of answers: rows in, rows out; nothing is overwritten."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, insert, select, update

from benchmaker.record.label import Label
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import labels, runs
from benchmaker.store.runs.runs import run_number


class LabelStore(Room):
    """Scores that people gave to answers."""

    def add_labels(self, new: Iterable[Label]) -> tuple[Label, ...]:
        """Store the labels, each as the next version of the person's label of the answer.

        A label equal to the stored one is skipped. Returns the stored ones, with their versions;
        all of them are durable, or none.

        Raises:
            StoreError: unknown run.
            Conflict: the same person labels the same answer concurrently.
        """
        with self.database.write() as connection:
            numbers: dict[str, int] = {}
            kept = []
            for label in new:
                if label.run_id not in numbers:
                    numbers[label.run_id] = run_number(connection, self.database, label.run_id).seq
                made = _add(connection, numbers[label.run_id], label, self.database.now_utc())
                kept += [made] if made else []
        return tuple(kept)

    @retry_reads
    def labels(
        self, run_ids: Sequence[str], *, actor: str | None = None, every_version: bool = False
    ) -> tuple[Label, ...]:
        """Return the latest labels of answers of these runs, in chronological order.

        Withdrawn labels are omitted; with ``every_version`` all versions are included.
        """
        wanted = (
            select(labels.c.body)
            .join(runs, runs.c.seq == labels.c.run_seq)
            .where(runs.c.id.in_(run_ids))
            .order_by(labels.c.seq)
        )
        if actor is not None:
            wanted = wanted.where(labels.c.actor == actor)
        if not every_version:
            wanted = wanted.where(labels.c.is_newest == 1, labels.c.score.is_not(None))
        with self.database.read() as connection:
            return tuple(decode(body, Label) for body in connection.scalars(wanted))


def _add(connection: Connection, run_seq: int, label: Label, now: str) -> Label | None:
    before = _newest_label(connection, run_seq, label)
    if before is not None and before.says_as(label):
        return None
    version = before.version + 1 if before else 1
    made = replace(label, version=version, created_at=label.created_at or now)
    if before is not None:
        older = update(labels).where(
            *_label_conditions(run_seq, label), labels.c.version == before.version
        )
        connection.execute(older.values(is_newest=0))
    connection.execute(insert(labels).values(**_row(run_seq, made)))
    return made


def _label_conditions(run_seq: int, label: Label) -> tuple[Any, ...]:
    """Return the conditions for one person's label of one answer."""
    return (
        labels.c.run_seq == run_seq,
        labels.c.blind_id == label.blind_id,
        labels.c.actor == label.actor,
    )


def _newest_label(connection: Connection, run_seq: int, label: Label) -> Label | None:
    wanted = select(labels.c.body).where(
        *_label_conditions(run_seq, label), labels.c.is_newest == 1
    )
    body: str | None = connection.scalar(wanted)
    return None if body is None else decode(body, Label)


def _row(run_seq: int, label: Label) -> dict[str, Any]:
    return {
        "run_seq": run_seq,
        "blind_id": label.blind_id,
        "actor": label.actor,
        "version": label.version,
        "is_newest": 1,
        "case_id": label.case_id,
        "model": label.model,
        "source": label.source,
        "score": label.score,
        "created_at": label.created_at,
        "body": encode(label),
    }
