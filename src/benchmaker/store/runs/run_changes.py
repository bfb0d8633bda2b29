"""Detection of changes in the records of runs."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select

from benchmaker.record import Run
from benchmaker.store.database.database import Database
from benchmaker.store.database.schema import ROWS
from benchmaker.store.database.tables import (
    calibrations,
    counters,
    judgments,
    labels,
    runs,
    scores,
    trials,
)
from benchmaker.store.runs.runs import load_run, run_number

_MANY = 2_000_000
"""Maximum number of new rows to search."""


class RunStamp(NamedTuple):
    """The state of some runs: their records, and the number of the last row of the whole store."""

    runs: tuple[Run, ...]
    number: int
    labels: tuple[int, int]
    calibrations: int


class RunChanges:
    """Detection of changes in the records of runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def stamp_of(self, run_ids: Sequence[str]) -> RunStamp:
        """Return the current state of these runs.

        Raises:
            StoreError: unknown run.
        """
        with self._database.read() as connection:
            numbers = [run_number(connection, self._database, run_id).seq for run_id in run_ids]
            rows = [load_run(connection, self._database, run_id) for run_id in run_ids]
            last = connection.scalar(select(counters.c.value).where(counters.c.name == ROWS)) or 0
            said = connection.execute(
                select(func.max(labels.c.seq), func.count()).where(labels.c.run_seq.in_(numbers))
            ).one()
            newest = connection.scalar(select(func.max(calibrations.c.seq))) or 0
        return RunStamp(tuple(rows), last, (said[0] or 0, said[1]), newest)

    def stamps_of(self, targets: Sequence[tuple[Run, ...]]) -> list[RunStamp]:
        """Return the current state of each of these groups of runs, as they were just read."""
        ids = [run.id for target in targets for run in target]
        said = (
            select(runs.c.id, func.max(labels.c.seq).label("last"), func.count().label("number"))
            .join(runs, runs.c.seq == labels.c.run_seq)
            .where(runs.c.id.in_(ids))
            .group_by(runs.c.id)
        )
        with self._database.read() as connection:
            last = connection.scalar(select(counters.c.value).where(counters.c.name == ROWS)) or 0
            newest = connection.scalar(select(func.max(calibrations.c.seq))) or 0
            labelled = {row.id: row for row in connection.execute(said)}
        return [RunStamp(target, last, _labels_of(target, labelled), newest) for target in targets]

    def written_since(self, number: int) -> frozenset[str]:
        """Return the ids of the runs with trials, scores or judgments above a row's number."""
        with self._database.read() as connection:
            return frozenset(
                run_id
                for one in _runs_written_since(number)
                for run_id in connection.scalars(
                    select(runs.c.id).where(
                        runs.c.seq.in_(select(one.limit(_MANY).subquery().c.run_seq).distinct())
                    )
                )
            )

    def has_changed(self, before: RunStamp, now: RunStamp) -> bool:
        """True if any record of the runs has changed; other runs do not count.

        Reads only the rows written in between.
        """
        if (before.runs, before.labels, before.calibrations) != (
            now.runs, now.labels, now.calibrations,
        ):  # fmt: skip
            return True
        if before.number == now.number:
            return False
        with self._database.read() as connection:
            numbers = [run_number(connection, self._database, run.id).seq for run in now.runs]
            return any(
                connection.scalar(select(new.c.run_seq).where(new.c.run_seq.in_(numbers)).limit(1))
                is not None
                for new in (
                    one.limit(_MANY).subquery() for one in _runs_written_since(before.number)
                )
            )


def _labels_of(target: tuple[Run, ...], labelled: Mapping[str, Any]) -> tuple[int, int]:
    """The last label of some runs, and the number of their labels."""
    found = [labelled[run.id] for run in target if run.id in labelled]
    return max((one.last for one in found), default=0), sum(one.number for one in found)


def _runs_written_since(since: int) -> tuple[Select[tuple[int]], ...]:
    """Select the runs of rows above a number, with a separate limit per table."""
    return (
        select(trials.c.run_seq).where(trials.c.seq > since),
        select(trials.c.run_seq)
        .join(scores, scores.c.trial_seq == trials.c.seq)
        .where(scores.c.seq > since),
        select(judgments.c.run_seq).where(judgments.c.seq > since),
    )
