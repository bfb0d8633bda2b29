"""Failed trials that are requested again while their run goes on."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import or_, select, update

from benchmaker.record import INFRASTRUCTURE, MODEL_STOPPED, RETRY_REQUESTED, Outcome
from benchmaker.store.database.database import Room
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import trials
from benchmaker.store.runs.runs import run_number


class FailedTrial(NamedTuple):
    """A trial that failed because of infrastructure."""

    case_id: str
    model: str
    outcome: Outcome
    weight: float
    finished_at: str

    @property
    def key(self) -> tuple[str, str]:
        """Case id and setup."""
        return self.case_id, self.model


class RetryStore(Room):
    """Failed trials that are requested again while their run goes on."""

    def request_retries(self, run_id: str, models: Collection[str]) -> tuple[FailedTrial, ...]:
        """Flag the failed trials of these setups as incomplete, and return them.

        Those that are flagged already, or that stopped their model, are left out. A trial loses the
        flag when a later one replaces it.

        Raises:
            StoreError: unknown run.
        """
        with self.database.write() as connection:
            run = run_number(connection, self.database, run_id)
            flagged = [trials.c.flags.like(f'%"{it}"%') for it in (MODEL_STOPPED, RETRY_REQUESTED)]
            wanted = select(
                trials.c.seq, trials.c.case_id, trials.c.model_rank, trials.c.outcome,
                trials.c.weight, trials.c.finished_at, trials.c.flags,
            ).where(
                trials.c.run_seq == run.seq,
                trials.c.outcome.in_([outcome.value for outcome in INFRASTRUCTURE]),
                trials.c.model_rank.in_([run.ranks[it] for it in models if it in run.ranks]),
                or_(trials.c.flags.is_(None), ~or_(*flagged)),
            )  # fmt: skip
            rows = connection.execute(wanted.order_by(trials.c.seq)).all()
            for row in rows:
                known = decode(row.flags, tuple[str, ...]) if row.flags else ()
                flags = encode((*known, RETRY_REQUESTED))
                connection.execute(
                    update(trials).where(trials.c.seq == row.seq).values(flags=flags)
                )
        return tuple(
            FailedTrial(
                unescape(row.case_id),
                run.models[row.model_rank],
                Outcome(row.outcome),
                row.weight,
                row.finished_at,
            )
            for row in rows
        )
