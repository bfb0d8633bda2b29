"""Runs a page at a time, sorted and filtered by the database."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, select

from benchmaker.errors import SpecError
from benchmaker.record import Run
from benchmaker.store.database.database import Database
from benchmaker.store.database.paging import encode_cursor, select_page
from benchmaker.store.database.tables import run_models, runs, suites, trials
from benchmaker.store.runs.run_filters import RunFilter, count_trials, listed_state
from benchmaker.store.runs.runs import lost_runs, runs_of_rows
from benchmaker.store.runs.trials import is_ended

SORTABLE = ("started", "suite", "state", "planned")
"""The sort keys of runs."""

_EVERYTHING = RunFilter()


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
        filters: RunFilter = _EVERYTHING,
    ) -> RunPage:
        """Return one page of runs that match everything given.

        ``text`` is matched with suite names and prefixes of ids, ``model`` is a whole name;
        ``filters`` take parts of names. ``state`` is one of
        :data:`~benchmaker.store.runs.run_filters.LISTED_STATES`.
        """
        with self._database.read() as connection:
            lost = lost_runs(connection, self._database)
            by, done = _sort_value(sort, lost), count_trials(is_ended())
            columns = (runs.c.seq, runs.c.state, runs.c.planned, runs.c.finished_at, runs.c.body)
            wanted = select(*columns, by.label("by"), done.label("done"))
            wanted = wanted.join(suites, suites.c.seq == runs.c.suite_seq)
            wanted = wanted.where(*_conditions(text, state, model, lost))
            wanted = wanted.where(*filters.conditions(connection, lost))
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
        yield listed_state(lost) == state
    if model:
        runs_of_model = select(run_models.c.run_seq).where(run_models.c.model == model)
        yield runs.c.seq.in_(runs_of_model)


def _sort_value(sort: str, lost: frozenset[str]) -> ColumnElement[Any]:
    """Return the value that runs are sorted by."""
    values: dict[str, ColumnElement[Any]] = {
        "started": runs.c.started_at,
        "suite": suites.c.name,
        "state": listed_state(lost),
        "planned": runs.c.planned,
    }
    if sort not in values:
        hint = f"Choose {', '.join(SORTABLE)}."
        raise SpecError(f"runs can't be sorted by {sort!r}.", hint=hint)
    return values[sort]
