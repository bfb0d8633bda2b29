"""Series, and runs without one, a page at a time: what lists of results have a row for."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Subquery, case, func, select

from benchmaker.errors import SpecError
from benchmaker.record import Run, RunState
from benchmaker.store.database.database import Database
from benchmaker.store.database.paging import encode_cursor, select_page
from benchmaker.store.database.tables import runs, suites
from benchmaker.store.runs.run_filters import FAILED, STOPPED, RunFilter, listed_state
from benchmaker.store.runs.run_pages import SORTABLE
from benchmaker.store.runs.runs import lost_runs, runs_of_rows

TARGET_STATES = (
    RunState.RUNNING,
    RunState.PAUSED,
    RunState.INTERRUPTED,
    STOPPED,
    FAILED,
    RunState.FINISHED,
)
"""The state of a series is the first of these that one of its runs has."""

Target = tuple[Run, ...]
"""The runs of a series in their order, or a run without a series."""

_EVERYTHING = RunFilter()
_TARGET = func.coalesce(-runs.c.series_seq, runs.c.seq).label("target")


class TargetPage(NamedTuple):
    """Series and runs, and the cursor of the next page; "" at the end."""

    rows: tuple[Target, ...]
    after: str = ""


class TargetPages:
    """Series, and runs without one, a page at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
        *,
        sort: str = "started",
        descending: bool = True,
        after: str = "",
        limit: int = 50,
        filters: RunFilter = _EVERYTHING,
    ) -> TargetPage:
        """Return one page of the series of which a run matches the filters, each with all runs.

        A series is as old as its last run; its state is the first of :data:`TARGET_STATES` that
        one of its runs has, and so is the state in the filters.

        Raises:
            SpecError: an unknown order.
        """
        with self._database.read() as connection:
            lost = lost_runs(connection, self._database)
            grouped = _group(sort, lost, filters.state)
            wanted = select(grouped.c.target, grouped.c.by, grouped.c.newest)
            if filters.state:
                wanted = wanted.where(grouped.c.state == _rank(filters.state))
            if any(rest := filters._replace(state="")):
                matching = select(_TARGET).join(suites, suites.c.seq == runs.c.suite_seq)
                matching = matching.where(*rest.conditions(connection, lost))
                wanted = wanted.where(grouped.c.target.in_(matching))
            wanted = select_page(
                wanted, grouped.c.by, grouped.c.newest,
                descending=descending, after=after, limit=limit,
            )  # fmt: skip
            found = connection.execute(wanted).mappings().all()
            by_target = self._runs(connection, [row["target"] for row in found[:limit]])
        last = found[limit - 1] if len(found) > limit else None
        return TargetPage(
            tuple(by_target[row["target"]] for row in found[:limit]),
            encode_cursor(last["by"], last["newest"]) if last else "",
        )

    def latest_of_suites(self, names: Sequence[str], limit: int) -> dict[str, tuple[Target, ...]]:
        """Return the latest series and runs of the suites of these names, the oldest first."""
        newest = func.max(runs.c.seq)
        place = func.row_number().over(partition_by=suites.c.name, order_by=newest.desc())
        ranked = (
            select(_TARGET, suites.c.name, newest.label("newest"), place.label("place"))
            .join(suites, suites.c.seq == runs.c.suite_seq)
            .where(suites.c.name.in_(names))
            .group_by(_TARGET, suites.c.name)
            .subquery()
        )
        columns = (ranked.c.name, ranked.c.target)
        wanted = select(*columns).where(ranked.c.place <= limit).order_by(ranked.c.newest)
        with self._database.read() as connection:
            rows = connection.execute(wanted).all()
            by_target = self._runs(connection, [row.target for row in rows])
        found: dict[str, list[Target]] = {name: [] for name in names}
        for row in rows:
            found[row.name].append(by_target[row.target])
        return {name: tuple(targets) for name, targets in found.items()}

    def _runs(self, connection: Connection, targets: Sequence[int]) -> Mapping[int, Target]:
        series = [-one for one in targets if one < 0]
        alone = [one for one in targets if one > 0]
        wanted = _rows().where(runs.c.series_seq.in_(series) | runs.c.seq.in_(alone))
        wanted = wanted.order_by(_TARGET, runs.c.number, runs.c.seq)
        rows = connection.execute(wanted).mappings().all()
        read = runs_of_rows(connection, self._database, rows)
        pairs = zip((row["target"] for row in rows), read, strict=True)
        groups = groupby(pairs, key=itemgetter(0))
        return {target: tuple(run for _, run in group) for target, group in groups}


def _rows() -> Select[Any]:
    return select(runs.c.state, runs.c.planned, runs.c.finished_at, runs.c.body, _TARGET)


def _group(sort: str, lost: frozenset[str], state: str) -> Subquery:
    """Every series with the value it is sorted by, and its state where this is needed."""
    if sort not in SORTABLE:
        hint = f"Choose {', '.join(SORTABLE)}."
        raise SpecError(f"series can't be sorted by {sort!r}.", hint=hint)
    rank = func.min(_state_rank(lost)) if state or sort == "state" else func.min(0)
    values: dict[str, ColumnElement[Any]] = {
        "started": func.max(runs.c.started_at),
        "suite": func.min(suites.c.name),
        "state": rank,
        "planned": func.sum(runs.c.planned),
    }
    columns = (values[sort].label("by"), func.max(runs.c.seq).label("newest"), rank.label("state"))
    wanted = select(_TARGET, *columns).join(suites, suites.c.seq == runs.c.suite_seq)
    return wanted.group_by(_TARGET).subquery()


def _state_rank(lost: frozenset[str]) -> ColumnElement[int]:
    ranks = {str(state): rank for rank, state in enumerate(TARGET_STATES)}
    return case(ranks, value=listed_state(lost), else_=len(ranks))


def _rank(state: str) -> int:
    return [str(one) for one in TARGET_STATES].index(state)
