"""Series of agent trials, their trials and requests as pages show them."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    RowMapping,
    Table,
    func,
    select,
    tuple_,
)

from benchmaker.errors import SpecError
from benchmaker.record.agent_trial import AgentSeries, AgentTrial, GatewayRequest, TrialKey
from benchmaker.store.agentic.agent_trials import request_of, series_of
from benchmaker.store.database.agent_tables import agent_series, agent_trials, gateway_requests
from benchmaker.store.database.database import Database
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.paging import decode_cursor, encode_cursor

_ATTEMPT = ("series", "task_id", "system", "attempt")


class SeriesPage(NamedTuple):
    """Series, and the cursor of the next page; "" at the end."""

    rows: tuple[AgentSeries, ...]
    after: str = ""


class NumberedTrial(NamedTuple):
    """A trial with its row number, which names it in addresses."""

    number: int
    trial: AgentTrial


class RequestPage(NamedTuple):
    """Requests, and the cursor of the next page; "" at the end."""

    rows: tuple[GatewayRequest, ...]
    after: str = ""


class SeriesSpending(NamedTuple):
    """The sums over all requests of a series that were sent, those in progress included.

    ``cost_usd`` is the sum of the known costs; ``unknown_costs`` counts the requests without one.
    """

    requests: int = 0
    cost_usd: float = 0.0
    unknown_costs: int = 0


class SeriesMark(NamedTuple):
    """Counts of a series that differ after each change of its trials or requests."""

    trials: int
    outcomes: int
    tries: int
    requests: int
    ended_requests: int


class AgentTrialPages:
    """Reads series of agent trials for pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def series(self, *, after: str = "", limit: int) -> SeriesPage:
        """Return series, newest first.

        Raises:
            SpecError: not an issued cursor.
        """
        place = decode_cursor(after)
        wanted = select(agent_series)
        if place is not None:
            wanted = wanted.where(agent_series.c.seq < place[1])
        rows = self._rows(wanted.order_by(agent_series.c.seq.desc()).limit(limit + 1))
        more = encode_cursor("", rows[limit - 1]["seq"]) if len(rows) > limit else ""
        return SeriesPage(tuple(map(series_of, rows[:limit])), more)

    def numbered_trials(self, series_id: str) -> tuple[NumberedTrial, ...]:
        """Return the trials of a series with their numbers, in the order of their starts."""
        table = agent_trials
        wanted = select(table).where(table.c.series == series_id).order_by(table.c.seq)
        return tuple(map(_numbered_of, self._rows(wanted)))

    def find(self, number: int) -> NumberedTrial | None:
        """Return the trial with this number."""
        found = self._rows(select(agent_trials).where(agent_trials.c.seq == number))
        return _numbered_of(found[0]) if found else None

    def number_of(self, submission_id: str) -> int | None:
        """Return the number of the trial with this submission; None if there is none."""
        table = agent_trials
        found = self._rows(select(table.c.seq).where(table.c.submission_id == submission_id))
        return int(found[0]["seq"]) if found else None

    def requests(self, key: TrialKey, *, after: str = "", limit: int) -> RequestPage:
        """Return the requests of all tries of an attempt, newest first.

        Raises:
            SpecError: not an issued cursor.
        """
        table = gateway_requests
        wanted = select(table).where(*_of_attempt(table, key))
        if after:
            last_try, last = _place_of(after)
            place = tuple_(table.c.attempt_try, table.c.number)
            wanted = wanted.where(place < tuple_(last_try, last))
        ordered = wanted.order_by(table.c.attempt_try.desc(), table.c.number.desc())
        rows = self._rows(ordered.limit(limit + 1))
        more = ""
        if len(rows) > limit:
            last_row = rows[limit - 1]
            more = encode_cursor(last_row["attempt_try"], last_row["number"])
        return RequestPage(tuple(map(request_of, rows[:limit])), more)

    def spending(self, series_id: str) -> SeriesSpending:
        """Return the sums over all requests of a series."""
        table = gateway_requests
        sums = select(
            func.count().label("requests"),
            func.coalesce(func.sum(table.c.cost_usd), 0.0).label("cost_usd"),
            func.count(table.c.cost_usd).label("known"),
        ).where(table.c.series == series_id, table.c.refused == "")
        row = self._rows(sums)[0]
        number = int(row["requests"])
        return SeriesSpending(number, float(row["cost_usd"]), number - int(row["known"]))

    def mark(self, series_id: str) -> SeriesMark:
        """Return the counts by which a change of the series is noticed."""
        table, sent = agent_trials, gateway_requests
        of_trials = select(
            func.count().label("trials"),
            func.count(table.c.outcome).label("outcomes"),
            func.coalesce(func.sum(table.c.attempt_try), 0).label("tries"),
        ).where(table.c.series == series_id)
        of_requests = select(
            func.count().label("requests"),
            func.count(func.nullif(sent.c.status, 0)).label("ended"),
        ).where(sent.c.series == series_id)
        trials, requests = self._rows(of_trials)[0], self._rows(of_requests)[0]
        return SeriesMark(*map(int, (*trials.values(), *requests.values())))

    def _rows(self, wanted: Executable) -> Sequence[RowMapping]:
        def read() -> Sequence[RowMapping]:
            with self._database.read() as connection:
                return _all(connection, wanted)

        return self._database.retry(read)


def _all(connection: Connection, wanted: Executable) -> Sequence[RowMapping]:
    return connection.execute(wanted).mappings().all()


def _numbered_of(row: RowMapping) -> NumberedTrial:
    return NumberedTrial(row["seq"], decode(row["body"], AgentTrial))


def _of_attempt(table: Table, key: TrialKey) -> list[ColumnElement[bool]]:
    return [table.c[name] == value for name, value in zip(_ATTEMPT, key, strict=False)]


def _place_of(after: str) -> tuple[int, int]:
    """The try and the number of a cursor."""
    place = decode_cursor(after)
    if place is None or not isinstance(place[0], (int, float)):
        raise SpecError("after is not a position in this list.", hint="Start at the first page.")
    return int(place[0]), place[1]
