"""Notes on trials: adding, reading and deleting them."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Row, delete, insert, select

from benchmaker.errors import SpecError, StoreError
from benchmaker.record.label import LONGEST_NOTE, TrialNote
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.tables import runs, trial_notes, trials
from benchmaker.store.runs.runs import run_number
from benchmaker.store.runs.trials import no_trial


class TrialNotes(Room):
    """Notes of people on trials; deleted with their run."""

    def add(self, note: TrialNote) -> TrialNote:
        """Store a note; return it with its number and its time.

        Raises:
            SpecError: it is empty or too long.
            StoreError: there is no such trial.
        """
        text = note.text.strip()
        if not text:
            raise SpecError("the note is empty.", where="text", hint="Write something.")
        if len(text) > LONGEST_NOTE:
            raise SpecError(
                f"the note has {len(text):,} characters; at most {LONGEST_NOTE:,} are stored.",
                where="text",
                hint="Shorten it.",
            )
        created_at = note.created_at or self.database.now_utc()
        with self.database.write() as connection:
            run = run_number(connection, self.database, note.run_id)
            found = connection.scalar(
                select(trials.c.seq).where(
                    trials.c.run_seq == run.seq,
                    trials.c.case_id == escape(note.case_id),
                    trials.c.model_rank == run.ranks.get(note.model, -1),
                )
            )
            if found is None:
                raise no_trial(self.database, note.run_id, note.model, note.case_id)
            row = {
                "run_seq": run.seq,
                "case_id": note.case_id,
                "model": note.model,
                "author": note.author,
                "created_at": created_at,
                "text": text,
            }
            made = connection.execute(insert(trial_notes).values(**row)).inserted_primary_key
        number = int(made[0]) if made else 0
        return replace(note, text=text, created_at=created_at, number=number)

    @retry_reads
    def of_runs(
        self, run_ids: Sequence[str], *, case_id: str | None = None, model: str | None = None
    ) -> tuple[TrialNote, ...]:
        """Return the notes of these runs, of one case and model if named, oldest first."""
        wanted = (
            select(trial_notes, runs.c.id)
            .join(runs, runs.c.seq == trial_notes.c.run_seq)
            .where(runs.c.id.in_(run_ids))
            .order_by(trial_notes.c.seq)
        )
        if case_id is not None:
            wanted = wanted.where(trial_notes.c.case_id == case_id)
        if model is not None:
            wanted = wanted.where(trial_notes.c.model == model)
        with self.database.read() as connection:
            return tuple(_note(row) for row in connection.execute(wanted))

    @retry_reads
    def find(self, run_id: str, number: int) -> TrialNote:
        """Return a note of a run by its number; StoreError if there is none."""
        wanted = (
            select(trial_notes, runs.c.id)
            .join(runs, runs.c.seq == trial_notes.c.run_seq)
            .where(runs.c.id == run_id, trial_notes.c.seq == number)
        )
        with self.database.read() as connection:
            row = connection.execute(wanted).first()
        if row is None:
            raise StoreError(
                f"run {run_id} has no note {number}.", hint="It may have been deleted."
            )
        return _note(row)

    def delete(self, note: TrialNote) -> None:
        """Delete a note; nothing happens if it is deleted already."""
        with self.database.write() as connection:
            connection.execute(delete(trial_notes).where(trial_notes.c.seq == note.number))


def _note(row: Row[Any]) -> TrialNote:
    return TrialNote(
        run_id=row.id,
        case_id=row.case_id,
        model=row.model,
        text=row.text,
        author=row.author,
        created_at=row.created_at,
        number=row.seq,
    )
