"""The versions of a trial's score; rescoring appends one, and keeps the earlier ones."""

from collections.abc import Iterator, Sequence

from sqlalchemy import and_, distinct, func, select

from benchmaker.record import Score
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import runs, scores, trials
from benchmaker.store.runs.runs import run_number
from benchmaker.store.runs.trials import no_trial

_PAGE = 500


class Scores(Room):
    """Scores: all versions of one, the latest of runs, and those written after a row."""

    @retry_reads
    def versions(self, run_id: str, model: str, case_id: str) -> list[Score]:
        """Return all versions, oldest first; empty for a trial that was never scored.

        Raises:
            StoreError: unknown trial.
        """
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            trial = connection.scalar(
                select(trials.c.seq).where(
                    trials.c.run_seq == run.seq,
                    trials.c.case_id == escape(case_id),
                    trials.c.model_rank == run.ranks.get(model, -1),
                )
            )
            if trial is None:
                raise no_trial(self.database, run_id, model, case_id)
            bodies = connection.scalars(
                select(scores.c.body).where(scores.c.trial_seq == trial).order_by(scores.c.version)
            ).all()
        return [decode(body, Score) for body in bodies]

    def newest(self, run_ids: Sequence[str]) -> Iterator[tuple[int, Score]]:
        """Yield the latest score of each trial that has one, with the position of its case.

        They are in the order of runs, cases, models.

        Raises:
            StoreError: unknown run.
        """
        newest = and_(
            scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version
        )
        with self.database.read() as connection:
            for run_id in run_ids:
                run = run_number(connection, self.database, run_id)
                wanted = (
                    select(trials.c.position, scores.c.body)
                    .join(scores, newest)
                    .where(trials.c.run_seq == run.seq)
                    .order_by(trials.c.position, trials.c.model_rank)
                )
                streamed = connection.execution_options(yield_per=_PAGE)
                for position, body in streamed.execute(wanted):
                    yield position, decode(body, Score)

    def scored_after(self, run_id: str, number: int) -> frozenset[tuple[int, int]]:
        """Return the trials of a run scored after a row number, as positions and model ranks."""
        newest = (scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version)
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            wanted = select(trials.c.position, trials.c.model_rank).where(
                *newest, trials.c.run_seq == run.seq, scores.c.seq > number
            )
            return frozenset((row.position, row.model_rank) for row in connection.execute(wanted))

    def count_scored_after(self, run_ids: Sequence[str], number: int) -> int:
        """Return the number of trials of these runs with a score written after a row number."""
        wanted = (
            select(func.count(distinct(scores.c.trial_seq)))
            .select_from(
                scores.join(trials, trials.c.seq == scores.c.trial_seq).join(
                    runs, runs.c.seq == trials.c.run_seq
                )
            )
            .where(scores.c.seq > number, runs.c.id.in_(run_ids))
        )
        with self.database.read() as connection:
            return connection.scalar(wanted) or 0
