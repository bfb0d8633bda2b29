"""Series of agent trials, their trials, and the requests of agents at the gateway."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    RowMapping,
    Select,
    Table,
    func,
    select,
    update,
)

from benchmaker.errors import StoreError
from benchmaker.record.agent_trial import (
    AgentSeries,
    AgentTrial,
    GatewayRequest,
    TrialKey,
    TrialOutcome,
    UnknownCosts,
    Wire,
)
from benchmaker.record.usage import Usage
from benchmaker.store.database.agent_tables import agent_series, agent_trials, gateway_requests
from benchmaker.store.database.database import Database
from benchmaker.store.database.inserts import insert_for, insert_new
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.retry import WRITER_S, persist

_KEY = ("series", "task_id", "system", "attempt", "attempt_try")
_KINDS = (
    "input_tokens", "cache_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens",
    "output_tokens", "reasoning_tokens",
)  # fmt: skip
_PLAIN = (
    "number", "model", "requested_model", "endpoint", "started_at", "status", "sends", "cost_usd",
    "most_usd", "most_tokens", "latency_s", "first_byte_s", "refused", "request_sha256",
    "response_sha256",
)  # fmt: skip
"""The columns that hold a field of a request as it is."""

_UNSCORED = tuple(it.value for it in TrialOutcome if it.is_infrastructure)

_plain = attrgetter(*_PLAIN)


class AgentTrials:
    """Series of agent trials: adding and reading them, their trials and requests."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_series(self, series: AgentSeries) -> bool:
        """Store a series; False if its id is taken."""
        row = {**msgspec.structs.asdict(series), "plan": encode(series.plan), "stopped": None}
        with self._database.write() as connection:
            return insert_new(connection, agent_series, row)

    def finish_series(self, series_id: str, finished_at: str | None) -> None:
        """Store the end of a series; None opens it again."""
        self._change(series_id, finished_at=finished_at)

    def put_stopped(self, series_id: str, stopped: Mapping[str, str]) -> None:
        """Store the systems that a stop rule ended, with the reasons, in place of earlier ones."""
        self._change(series_id, stopped=encode(dict(stopped)) if stopped else None)

    def add_judge_cost(self, series_id: str, usd: float) -> None:
        """Add to the cost of the judges of a series."""
        sum_usd = func.coalesce(agent_series.c.judge_usd, 0.0) + usd
        self._change(series_id, judge_usd=sum_usd)

    def put_judge_unknowns(self, key: TrialKey, unknowns: UnknownCosts) -> None:
        """Store the requests to judges of unknown cost of a trial, in place of earlier ones."""
        table = agent_trials
        own = [table.c[name] == value for name, value in list(_key_columns(key).items())[:4]]
        with self._database.write_transaction():
            for row in self._rows(select(table.c.body).where(*own)):
                trial = decode(row["body"], AgentTrial)
                body = encode(msgspec.structs.replace(trial, judge_unknowns=unknowns))
                with self._database.write() as connection:
                    connection.execute(update(table).where(*own).values(body=body))

    def change_plan(self, series_id: str, plan: dict[str, Any]) -> None:
        """Replace the plan of a series."""
        self._change(series_id, plan=encode(plan))

    def _change(self, series_id: str, **values: str | ColumnElement[float] | None) -> None:
        own = agent_series.c.id == series_id
        with self._database.write() as connection:
            connection.execute(update(agent_series).where(own).values(**values))

    def series(self, series_id: str) -> AgentSeries:
        """Return a series; StoreError if unknown."""
        wanted = select(agent_series).where(agent_series.c.id == series_id)
        for row in self._rows(wanted):
            return series_of(row)
        raise StoreError(
            f"there is no series of agent trials {series_id!r}.",
            where=str(self._database.address),
            hint="Check the id.",
        )

    def every_series(self) -> tuple[AgentSeries, ...]:
        """Return all series, newest first."""
        wanted = select(agent_series).order_by(agent_series.c.seq.desc())
        return tuple(map(series_of, self._rows(wanted)))

    def put_trial(self, trial: AgentTrial) -> bool:
        """Store the state of a trial, unless a later try is stored; return True if stored.

        An end is durable when this returns. A power cut may lose the start of a trial, and then
        loses all that was stored after it.
        """
        row = {
            **_key_columns(trial.key),
            "outcome": None if trial.outcome is None else trial.outcome.value,
            "submission_id": trial.submission_id,
            "updated_at": self._database.now_utc(),
            "body": encode(trial),
        }

        database = self._database
        begin = database.write_unsynced if trial.outcome is None else database.write

        def write() -> bool:
            with begin() as connection:
                return _upsert(connection, _put_trial(connection.dialect.name), [row]) == 1

        return persist(write, within_s=WRITER_S)

    def trials(self, series_id: str) -> tuple[AgentTrial, ...]:
        """Return the trials of a series, in the order in which they were first stored."""
        table = agent_trials
        wanted = select(table.c.body).where(table.c.series == series_id).order_by(table.c.seq)
        return tuple(decode(row["body"], AgentTrial) for row in self._rows(wanted))

    def trial(self, key: TrialKey) -> AgentTrial | None:
        """Return the newest try of an attempt; None if it was not started."""
        table = agent_trials
        own = [table.c[name] == value for name, value in list(_key_columns(key).items())[:4]]
        rows = self._rows(select(table.c.body).where(*own))
        return next((decode(row["body"], AgentTrial) for row in rows), None)

    def unscored_keys(self) -> tuple[TrialKey, ...]:
        """Return the trials of all series that an infrastructure failure ended."""
        table = agent_trials
        wanted = select(table).where(table.c.outcome.in_(_UNSCORED)).order_by(table.c.seq)
        rows = self._rows(wanted)
        return tuple(TrialKey(*(row[name] for name in _KEY)) for row in rows)

    def begin_requests(self, requests: Sequence[GatewayRequest]) -> None:
        """Store requests that are about to be sent, without waiting for the disk.

        A killed process loses none of them. A power cut may lose those of the last moments that
        were not answered yet; the row of an answer, stored by :meth:`put_requests`, is durable.
        """
        persist(lambda: self._upsert_requests(requests, synced=False), within_s=WRITER_S)

    def put_requests(self, requests: Sequence[GatewayRequest]) -> None:
        """Store requests; they are durable when this returns.

        A row of a request in progress is replaced; a finished one is kept. So the call can be
        repeated.
        """
        persist(lambda: self._upsert_requests(requests, synced=True), within_s=WRITER_S)

    def _upsert_requests(self, requests: Sequence[GatewayRequest], *, synced: bool) -> None:
        rows = list(map(_request_columns, requests))
        begin = self._database.write if synced else self._database.write_unsynced
        with begin() as connection:
            _upsert(connection, _put_request(connection.dialect.name), rows)

    def requests(self, key: TrialKey) -> tuple[GatewayRequest, ...]:
        """Return the requests of one try of a trial, in order of their numbers."""
        table = gateway_requests
        own = (table.c[name] == value for name, value in _key_columns(key).items())
        wanted = select(table).where(*own).order_by(table.c.number)
        return tuple(map(request_of, self._rows(wanted)))

    def series_requests(self, series_id: str) -> Iterator[GatewayRequest]:
        """Yield the requests of all tries of a series, in the order in which they began."""
        table = gateway_requests
        wanted = select(table).where(table.c.series == series_id).order_by(table.c.seq)
        return map(request_of, self._rows(wanted))

    def _rows(self, wanted: Select[Any]) -> Sequence[RowMapping]:
        def read() -> Sequence[RowMapping]:
            with self._database.read() as connection:
                return connection.execute(wanted).mappings().all()

        return self._database.retry(read)


def _upsert(connection: Connection, statement: Insert, rows: list[dict[str, Any]]) -> int:
    """Insert or replace rows, one by one; return the number of changed ones."""
    counted = statement.execution_options(preserve_rowcount=True)
    return sum(connection.execute(counted, row).rowcount for row in rows)


@cache
def _put_trial(dialect: str) -> Insert:
    """Insert a trial; a later try replaces an earlier one."""
    insert = insert_for(agent_trials, dialect)
    is_older = agent_trials.c.attempt_try <= insert.excluded.attempt_try
    return _replacing(insert, agent_trials, _KEY[:4], is_older)


@cache
def _put_request(dialect: str) -> Insert:
    """Insert a request; a finished one replaces one in progress."""
    is_open = gateway_requests.c.status == 0
    insert = insert_for(gateway_requests, dialect)
    return _replacing(insert, gateway_requests, (*_KEY, "number"), is_open)


def _replacing(
    insert: Any,  # noqa: ANN401  one class for each database
    table: Table,
    key: tuple[str, ...],
    is_replaced: ColumnElement[bool],
) -> Insert:
    """Make one whose key is taken replace the old row where the condition holds."""
    names = [column.name for column in table.c if column.name not in (*key, "seq")]
    values = {name: insert.excluded[name] for name in names}
    made: Insert = insert.on_conflict_do_update(index_elements=key, set_=values, where=is_replaced)
    return made


def _key_columns(key: TrialKey) -> dict[str, Any]:
    return dict(zip(_KEY, key, strict=True))


def series_of(row: RowMapping) -> AgentSeries:
    """The series of a row."""
    return AgentSeries(
        id=row["id"],
        plan=decode(row["plan"], dict),
        created_at=row["created_at"],
        finished_at=row["finished_at"],
        actor=row["actor"],
        stopped=decode(row["stopped"], dict) if row["stopped"] else {},
        judge_usd=row["judge_usd"],
    )


def _request_columns(request: GatewayRequest) -> dict[str, Any]:
    usage = request.usage or Usage()
    return {
        **_key_columns(request.key),
        **dict(zip(_PLAIN, _plain(request), strict=True)),
        **{kind: getattr(usage, kind) for kind in _KINDS},
        "wire": request.wire.value,
        "usage_flags": " ".join(usage.flags),
        "stream": int(request.stream),
        "was_cut": int(request.was_cut),
    }


def request_of(row: RowMapping) -> GatewayRequest:
    """The request of a row."""
    usage = Usage(**{kind: row[kind] for kind in _KINDS}, flags=tuple(row["usage_flags"].split()))
    return GatewayRequest(
        key=TrialKey(*(row[name] for name in _KEY)),
        **{name: row[name] for name in _PLAIN},
        wire=Wire(row["wire"]),
        usage=None if usage == Usage() else usage,
        stream=bool(row["stream"]),
        was_cut=bool(row["was_cut"]),
    )
