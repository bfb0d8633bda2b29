"""Runs a page at a time, sorted and filtered by the database."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, literal, not_, or_, select

from benchmaker.errors import SpecError
from benchmaker.record import INFRASTRUCTURE, Run, RunState
from benchmaker.store.database.database import Database
from benchmaker.store.database.paging import encode_cursor, select_page
from benchmaker.store.database.tables import run_models, runs, suites, trials
from benchmaker.store.runs.runs import lost_runs, runs_of_rows
from benchmaker.store.runs.trials import is_ended

SORTABLE = ("started", "suite", "state", "planned")
"""The sort keys of runs."""


STOPPED, FAILED = "stopped", "failed"
LISTED_STATES = (*map(str, RunState), STOPPED, FAILED)
"""The states of runs in lists, which split finished ones by the outcomes of their trials."""

_IMPORTED, _NOT_RUN = '%"imported_from":"%', '%"not_run":["%'


class RunRow(NamedTuple):
    """A run, and its number of completed trials: with a score, or finally without one."""

    run: Run
    done: int


class RunPage(NamedTuple):
    """Runs, and the cursor of the next page; "" at the end."""

    rows: tuple[RunRow, ...]
    after: str = ""


class RunPages:
    """Runs page by page, with their numbers of completed trials."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count_ended(self, run_ids: Sequence[str]) -> dict[str, int]:
        """Return each run's number of completed trials: with a score, or finally without one."""
        wanted = (
            select(runs.c.id, func.count().label("ended"))
            .join(trials, trials.c.run_seq == runs.c.seq)
            .where(runs.c.id.in_(run_ids), is_ended())
            .group_by(runs.c.id)
        )
        with self._database.read() as connection:
            found: dict[str, int] = {row.id: row.ended for row in connection.execute(wanted)}
        return {one: found.get(one, 0) for one in run_ids}

    def latest_targets(self, limit: int) -> tuple[tuple[Run, ...], ...]:
        """Return the runs of the latest series, in their order, and each run without a series.

        The one with the latest run comes first; ``limit`` is the number of series and such runs.
        """
        target = func.coalesce(-runs.c.series_seq, runs.c.seq).label("target")
        newest = func.max(runs.c.seq).label("newest")
        latest = select(target, newest).group_by(target).order_by(newest.desc()).limit(limit)
        found = latest.subquery()
        columns = (runs.c.state, runs.c.planned, runs.c.finished_at, runs.c.body)
        wanted = (
            select(*columns, found.c.target)
            .join(found, found.c.target == target)
            .order_by(found.c.newest.desc(), runs.c.number, runs.c.seq)
        )
        with self._database.read() as connection:
            rows = connection.execute(wanted).mappings().all()
            found_runs = runs_of_rows(connection, self._database, rows)
        pairs = zip((row["target"] for row in rows), found_runs, strict=True)
        groups = groupby(pairs, key=itemgetter(0))
        return tuple(tuple(run for _, run in group) for _, group in groups)

    def page(
        self,
        *,
        sort: str = "started",
        descending: bool = True,
        after: str = "",
        limit: int = 50,
        text: str = "",
        state: str = "",
        model: str = "",
    ) -> RunPage:
        """Return one page of runs; ``text`` is matched with suite names and prefixes of ids.

        ``state`` is one of :data:`LISTED_STATES`.
        """
        with self._database.read() as connection:
            lost = lost_runs(connection, self._database)
            by, done = _sort_value(sort, lost), _count_trials(is_ended())
            columns = (runs.c.seq, runs.c.state, runs.c.planned, runs.c.finished_at, runs.c.body)
            wanted = select(*columns, by.label("by"), done.label("done"))
            wanted = wanted.join(suites, suites.c.seq == runs.c.suite_seq)
            wanted = wanted.where(*_conditions(text, state, model, lost))
            wanted = select_page(
                wanted, by, runs.c.seq, descending=descending, after=after, limit=limit
            )
            found = connection.execute(wanted).mappings().all()
            listed = runs_of_rows(connection, self._database, found[:limit])
        rows = tuple(RunRow(run, row["done"]) for run, row in zip(listed, found, strict=False))
        last = found[limit - 1] if len(found) > limit else None
        return RunPage(rows, encode_cursor(last["by"], last["seq"]) if last else "")


def _conditions(
    text: str, state: str, model: str, lost: frozenset[str]
) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of the given filters."""
    if text:
        name = suites.c.name.icontains(text, autoescape=True)
        yield name | runs.c.id.startswith(text, autoescape=True)
    if state:
        yield _listed_state(lost) == state
    if model:
        runs_of_model = select(run_models.c.run_seq).where(run_models.c.model == model)
        yield runs.c.seq.in_(runs_of_model)


def _count_trials(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return the number of a run's trials for which the condition holds."""
    counted = select(func.count()).where(trials.c.run_seq == runs.c.seq, condition)
    return counted.scalar_subquery()


def _sort_value(sort: str, lost: frozenset[str]) -> ColumnElement[Any]:
    """Return the value that runs are sorted by."""
    values: dict[str, ColumnElement[Any]] = {
        "started": runs.c.started_at,
        "suite": suites.c.name,
        "state": _listed_state(lost),
        "planned": runs.c.planned,
    }
    if sort not in values:
        hint = f"Choose {', '.join(SORTABLE)}."
        raise SpecError(f"runs can't be sorted by {sort!r}.", hint=hint)
    return values[sort]


def _listed_state(lost: frozenset[str]) -> ColumnElement[str]:
    """Return the state of a run in lists, one of :data:`LISTED_STATES`.

    ``lost`` are the runs that are stored as running without a process.
    """
    is_lost = and_(runs.c.state == RunState.RUNNING, runs.c.id.in_(lost))
    is_ours = and_(runs.c.body.not_like(_IMPORTED), runs.c.body.not_like(_NOT_RUN))
    done = _count_trials(is_ended())
    failed = _count_trials(trials.c.outcome.in_(INFRASTRUCTURE))
    return case(
        (is_lost, literal(str(RunState.INTERRUPTED))),
        (or_(runs.c.state != RunState.FINISHED, not_(is_ours)), runs.c.state),
        (done < runs.c.planned, STOPPED),
        (and_(failed > 0, failed >= done), FAILED),
        else_=runs.c.state,
    )
