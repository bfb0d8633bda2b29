"""The cases of a run: their ids, their neighbours, and the failures of the run's trials."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sqlalchemy import func, select

from benchmaker.record import Outcome, Score
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape, unescape, unescape_or_none
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import scores, suite_cases, trials
from benchmaker.store.runs.runs import run_number
from benchmaker.store.suites.suites import suite_number

_TOGETHER = 500
"""Maximum number of positions per query."""


class Neighbours(NamedTuple):
    """The positions of the previous and the next case; None at either end."""

    before: int | None
    after: int | None


class Failures(NamedTuple):
    """Trials of a model with the same failure, and the first case with it."""

    run_id: str
    model: str
    outcome: Outcome
    error_type: str | None
    trials: int
    first: int
    error: str | None = None


class ScoreVersion(NamedTuple):
    """One version of a score: its number, time, and author."""

    version: int
    created_at: str
    actor: str
    score: Score


def _failures(database: Database, run_id: str) -> Iterator[Failures]:
    kind = (trials.c.model_rank, trials.c.outcome, trials.c.error_type, trials.c.error)
    with database.read() as connection:
        run = run_number(connection, database, run_id)
        rows = connection.execute(
            select(*kind, func.count(), func.min(trials.c.position))
            .where(trials.c.run_seq == run.seq, trials.c.outcome != Outcome.SCORED.value)
            .group_by(*kind)
        ).all()
    for rank, outcome, error_type, error, count, first in rows:
        name, message = unescape_or_none(error_type), unescape_or_none(error)
        yield Failures(run_id, run.models[rank], Outcome(outcome), name, count, first, message)


class CasePages:
    """The cases of runs: their names, their neighbours, their failures and scores."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self, suite_hash: str, positions: Collection[int]) -> dict[int, str]:
        """Return the ids of the cases at these positions."""
        found: dict[int, str] = {}
        rest = iter(positions)
        with self._database.read() as connection:
            number = suite_number(connection, self._database, suite_hash)
            while part := list(islice(rest, _TOGETHER)):
                wanted = select(suite_cases.c.position, suite_cases.c.case_id).where(
                    suite_cases.c.suite_seq == number, suite_cases.c.position.in_(part)
                )
                found |= {place: unescape(name) for place, name in connection.execute(wanted)}
        return found

    def positions_like(self, suite_hash: str, text: str) -> list[int]:
        """Return the positions of the cases whose id contains the text, ignoring case, in order."""
        with self._database.read() as connection:
            number = suite_number(connection, self._database, suite_hash)
            wanted = (
                select(suite_cases.c.position)
                .where(
                    suite_cases.c.suite_seq == number,
                    suite_cases.c.case_id.icontains(escape(text), autoescape=True),
                )
                .order_by(suite_cases.c.position)
            )
            return list(connection.scalars(wanted))

    def neighbours(self, run_id: str, position: int) -> Neighbours:
        """Return the neighbouring cases of the run, in the order of the suite."""
        place = trials.c.position
        with self._database.read() as connection:
            of_run = trials.c.run_seq == run_number(connection, self._database, run_id).seq
            return Neighbours(
                connection.scalar(select(func.max(place)).where(of_run, place < position)),
                connection.scalar(select(func.min(place)).where(of_run, place > position)),
            )

    def failures(self, run_ids: Sequence[str]) -> tuple[Failures, ...]:
        """Return the failures of each run, by model, outcome and message; most frequent first."""
        found = [one for run_id in run_ids for one in _failures(self._database, run_id)]
        return tuple(sorted(found, key=lambda one: (-one.trials, one.first, one.model)))

    def score_versions_at(
        self, run_id: str, position: int, model_rank: int
    ) -> tuple[ScoreVersion, ...]:
        """Return every version of the score of one trial, latest first."""
        with self._database.read() as connection:
            run = run_number(connection, self._database, run_id)
            rows = connection.execute(
                select(scores.c.version, scores.c.created_at, scores.c.actor, scores.c.body)
                .join(trials, trials.c.seq == scores.c.trial_seq)
                .where(
                    trials.c.run_seq == run.seq,
                    trials.c.position == position,
                    trials.c.model_rank == model_rank,
                )
                .order_by(scores.c.version.desc())
            ).all()
        return tuple(
            ScoreVersion(row.version, row.created_at, unescape(row.actor), decode(row.body, Score))
            for row in rows
        )
