"""The versions of a trial's score; re-scoring appends one, the old ones stay."""

from sqlalchemy import select

from benchmaker.record import Score
from benchmaker.store.body import decode
from benchmaker.store.database import Database
from benchmaker.store.runs import run_number
from benchmaker.store.tables import scores, trials
from benchmaker.store.text import escape
from benchmaker.store.trials import no_trial


def score_versions(database: Database, run_id: str, model: str, case_id: str) -> list[Score]:
    """Every version, the first first; empty for a trial that was never scored.

    Raises:
        StoreError: there is no such trial.
    """
    with database.read() as connection:
        run = run_number(connection, database, run_id)
        trial = connection.scalar(
            select(trials.c.seq).where(
                trials.c.run_seq == run.seq,
                trials.c.case_id == escape(case_id),
                trials.c.model_rank == run.ranks.get(model, -1),
            )
        )
        if trial is None:
            raise no_trial(database, run_id, model, case_id)
        bodies = connection.scalars(
            select(scores.c.body).where(scores.c.trial_seq == trial).order_by(scores.c.version)
        ).all()
    return [decode(body, Score) for body in bodies]
