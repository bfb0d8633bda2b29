"""Changes of runs as they happen: the cells of a grid of cases and models by row sequence."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from statistics import fmean
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, Select, and_, func, select

from benchmaker.record import AWAITING_JUDGE, Outcome, Run
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import unescape_or_none
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.schema import ROWS
from benchmaker.store.database.tables import (
    attempts,
    completions,
    counters,
    run_models,
    runs,
    scores,
    trials,
)
from benchmaker.store.runs.costs import IS_OURS

MOST = 2_000
"""Maximum number of rows read at once."""

_RECENT_NAMES = 500
"""Maximum number of names of setups from which models are listed."""


_PACED = 200
"""Number of the latest trials that make a rate."""

_RECENT_S = 60.0
_LEAST_SPAN_S = 2.0

_LAST = select(counters.c.value).where(counters.c.name == ROWS)


class Cell(NamedTuple):
    """One trial in a grid.

    ``seq`` is the number of the last row that changed it. ``awaits`` is true if it still waits for
    a judge.
    """

    seq: int
    run: int
    position: int
    rank: int
    outcome: Outcome
    score: float | None
    awaits: bool
    attempts: int
    error_type: str | None = None
    error: str | None = None

    @property
    def place(self) -> tuple[int, int, int]:
        """The position of the cell: run, case, model."""
        return self.run, self.position, self.rank


class CellChanges(NamedTuple):
    """Changed cells, and the row number up to which they are complete."""

    cells: tuple[Cell, ...]
    upto: int


class RequestPace(NamedTuple):
    """The requests of runs so far: the number of retries, and the median response time."""

    retries: int
    median_latency_s: float | None


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def _median(connection: Connection, known: Select[tuple[float]]) -> float | None:
    """Return the median of one column, sorted by the database; equal to that in results."""
    number = connection.scalar(select(func.count()).select_from(known.subquery())) or 0
    if not number:
        return None
    column = known.selected_columns[0]
    middle = known.order_by(column).offset((number - 1) // 2).limit(2 - number % 2)
    return fmean(connection.scalars(middle))


class ChangeFeed:
    """The changes of runs as they happen, with the pace of requests."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest_row_number(self) -> int:
        """Return the number of the last written row."""
        with self._database.read() as connection:
            return connection.scalar(_LAST) or 0

    def changes_after(self, run_ids: Sequence[str], after: int, *, most: int = MOST) -> CellChanges:
        """Return the changes after a row number: new trials, and rescored ones.

        Continuing from ``upto`` misses nothing; at most ``most`` rows of each kind are read.
        """
        with self._database.read() as connection:
            mine = trials.c.run_seq.in_(_numbers(connection, run_ids))
            upto = connection.scalar(_LAST) or 0
            found: dict[tuple[int, int, int], Cell] = {}
            for number in (trials.c.seq, scores.c.seq):
                wanted = _cells(mine, number > after, number <= upto).add_columns(
                    number.label("at")
                )
                rows = connection.execute(wanted.order_by(number).limit(most)).mappings().all()
                found |= {cell.place: cell for cell in map(_cell_of, rows)}
                if len(rows) == most:
                    upto = min(upto, rows[-1]["at"])
        return CellChanges(tuple(found.values()), upto)

    def cells_between(self, run_id: str, first_position: int, last_position: int) -> list[Cell]:
        """Return the cells of the cases between two positions, both included."""
        with self._database.read() as connection:
            numbers = _numbers(connection, [run_id])
            rows = connection.execute(
                _cells(
                    trials.c.run_seq.in_(numbers),
                    trials.c.position.between(first_position, last_position),
                )
            )
            return list(map(_cell_of, rows.mappings()))

    def request_pace(self, run_ids: Sequence[str]) -> RequestPace:
        """Return the retries and the median response time of runs."""
        with self._database.read() as connection:
            numbers = _numbers(connection, run_ids)
            mine = trials.c.run_seq.in_(numbers)
            again = (
                select(func.count())
                .select_from(attempts.join(trials, trials.c.seq == attempts.c.trial_seq))
                .where(mine, attempts.c.number > 1)
            )
            known = (
                select(completions.c.latency_s)
                .join(trials, trials.c.seq == completions.c.trial_seq)
                .where(mine, completions.c.latency_s.is_not(None))
            )
            return RequestPace(connection.scalar(again) or 0, _median(connection, known))

    def recent_rate(self, run_ids: Sequence[str], now: str, *, since: str = "") -> float | None:
        """Return the trials a second of runs in the last minute before ``now``, in UTC.

        Trials that ended before ``since``, if given, do not count: the end of a pause. None with
        fewer than two trials, or if they ended within two seconds.
        """
        with self._database.read() as connection:
            mine = trials.c.run_seq.in_(_numbers(connection, run_ids))
            newest = select(trials.c.finished_at).where(mine).order_by(trials.c.seq.desc())
            times = [_seconds(at) for at in connection.scalars(newest.limit(_PACED)) if at]
        first = max(_seconds(now) - _RECENT_S, _seconds(since) if since else 0.0)
        recent = [at for at in times if first <= at <= _seconds(now)]
        span = max(recent) - min(recent) if recent else 0.0
        return (len(recent) - 1) / span if span >= _LEAST_SPAN_S else None

    def latency_of(self, model: str, *, most: int = 200) -> float | None:
        """Return the mean latency of a model's latest answers, in seconds; None without any."""
        wanted = (
            select(completions.c.latency_s)
            .select_from(
                completions.join(trials, trials.c.seq == completions.c.trial_seq).join(
                    run_models,
                    and_(
                        run_models.c.run_seq == trials.c.run_seq,
                        run_models.c.rank == trials.c.model_rank,
                    ),
                )
            )
            .where(run_models.c.model == model, completions.c.latency_s.is_not(None))
            .order_by(trials.c.seq.desc())
            .limit(most)
        ).subquery()
        with self._database.read() as connection:
            return connection.scalar(select(func.avg(wanted.c.latency_s)))

    def models_used(self, text: str = "", *, most: int = 50) -> list[str]:
        """Return used models whose name contains the text, latest first."""
        newest = func.max(run_models.c.run_seq)
        wanted = select(run_models.c.model).group_by(run_models.c.model).order_by(newest.desc())
        if text:
            wanted = wanted.where(run_models.c.model.icontains(text, autoescape=True))
        with self._database.read() as connection:
            names = connection.scalars(wanted.limit(most)).all()
        return [name or "" for name in names]

    def recent_models(self) -> "RecentModels":
        """Return the models of recent runs by the names that providers get, latest first.

        A setup of a model with a prompt or an effort counts as its model.
        """
        newest = func.max(run_models.c.run_seq).label("run_seq")
        wanted = select(run_models.c.model, newest).group_by(run_models.c.model)
        with self._database.read() as connection:
            found = connection.execute(wanted.order_by(newest.desc()).limit(_RECENT_NAMES)).all()
            known = _runs_by_number(connection, {row.run_seq for row in found})
            names = {row.model for row in found if _is_recorded(known[row.run_seq])}
            earlier = select(run_models.c.run_seq).where(run_models.c.model.in_(names)).distinct()
            latest = earlier.order_by(run_models.c.run_seq.desc()).limit(_RECENT_NAMES)
            older = set(connection.scalars(latest)) if names else set()
            known |= _runs_by_number(connection, older - known.keys())
        models = dict.fromkeys(known[row.run_seq].setup(row.model or "").model for row in found)
        live = {
            run.setup(name).model
            for run in known.values()
            if not _is_recorded(run)
            for name in run.models
        }
        return RecentModels(
            tuple(model for model in models if model in live),
            tuple(model for model in models if model not in live),
        )


class RecentModels(NamedTuple):
    """The models that were requested at least once, and those of recorded answers alone."""

    requested: tuple[str, ...]
    recorded: tuple[str, ...]


def has_words(name: str, text: str) -> bool:
    """Return True if every word of the text occurs in the name, whatever the punctuation.

    >>> has_words("openrouter/anthropic/claude-sonnet-4.5", "claude4.5 router sonnet-4-5")
    False
    >>> has_words("openrouter/anthropic/claude-sonnet-4.5", "sonnet4 router sonnet-4-5")
    True
    """
    folded = name.lower()
    return all(
        word in folded or _loose_pattern(word).search(folded) for word in text.lower().split()
    )


_PUNCTUATION = r"(?:[^\w/]|_)"
"""A character of a name between its words; a slash divides it into parts and stays."""


@lru_cache(maxsize=64)
def _loose_pattern(word: str) -> re.Pattern[str]:
    """Return a pattern of a word: its punctuation as any, and any between its other characters."""
    chunks = re.split(f"{_PUNCTUATION}+", word)
    loose = (f"{_PUNCTUATION}*".join(map(re.escape, chunk)) for chunk in chunks)
    return re.compile(f"{_PUNCTUATION}+".join(loose))


def _runs_by_number(connection: Connection, numbers: set[int]) -> dict[int, Run]:
    bodies = select(runs.c.seq, runs.c.body).where(runs.c.seq.in_(numbers))
    return {row.seq: decode(row.body, Run) for row in connection.execute(bodies)}


def _is_recorded(run: Run) -> bool:
    return run.provider.get("kind") == "recorded"


def _numbers(connection: Connection, run_ids: Sequence[str]) -> list[int]:
    wanted = select(runs.c.seq).where(runs.c.id.in_(run_ids))
    return list(connection.scalars(wanted))


def _cells(*conditions: Any) -> Select[Any]:  # noqa: ANN401  conditions
    newest = and_(scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version)
    tried = (
        select(func.count()).where(attempts.c.trial_seq == trials.c.seq, IS_OURS).correlate(trials)
    ).scalar_subquery()
    return (
        select(
            trials.c.seq,
            scores.c.seq.label("score_seq"),
            runs.c.number.label("run"),
            trials.c.position,
            trials.c.model_rank,
            trials.c.outcome,
            trials.c.flags,
            trials.c.error_type,
            trials.c.error,
            scores.c.score,
            tried.label("tried"),
        )
        .select_from(trials.join(runs, runs.c.seq == trials.c.run_seq).outerjoin(scores, newest))
        .where(*conditions)
    )


def _cell_of(row: RowMapping) -> Cell:
    return Cell(
        seq=max(row["seq"], row["score_seq"] or 0),
        run=row["run"],
        position=row["position"],
        rank=row["model_rank"],
        outcome=Outcome(row["outcome"]),
        score=row["score"],
        awaits=AWAITING_JUDGE in (row["flags"] or ""),
        attempts=row["tried"],
        error_type=unescape_or_none(row["error_type"]),
        error=unescape_or_none(row["error"]),
    )
