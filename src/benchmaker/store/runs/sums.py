"""The size of the store's content: a few sums over the whole store."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, select, text

from benchmaker.record.judgment import EMBEDDING
from benchmaker.store.database.database import Database, Room
from benchmaker.store.database.job_tables import jobs
from benchmaker.store.database.tables import attempts, completions, judgments, outbox, trials
from benchmaker.store.runs.costs import IS_OURS

_TOKENS: Final = {
    "input": "input_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write_5m": "cache_write_5m_tokens",
    "cache_write_1h": "cache_write_1h_tokens",
    "output": "output_tokens",
    "reasoning": "reasoning_tokens",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over the store.

    ``jobs`` counts by kind and state, ``trials`` by outcome. ``tokens`` are those of answers,
    ``judge_tokens`` those of judges and ``embedding_tokens`` those of embeddings, by kind as
    providers report them. Costs are known costs, in dollars. ``notices`` counts undelivered ones.
    ``size_bytes`` is the size of the database.
    """

    jobs: Mapping[tuple[str, str], int]
    trials: Mapping[str, int]
    tokens: Mapping[str, int]
    judge_tokens: Mapping[str, int]
    cost_usd: float
    judge_cost_usd: float
    embedding_tokens: Mapping[str, int]
    embedding_cost_usd: float
    notices: int
    size_bytes: int


class TotalStore(Room):
    """Sums over the whole store."""

    def totals(self) -> Totals:
        """Return the current sums of the store."""
        with self.database.read() as connection:
            return Totals(
                jobs=_jobs(connection),
                trials=_counts(connection, trials.c.outcome),
                tokens=_tokens(connection),
                judge_tokens=_judge_tokens(connection, judgments.c.purpose != EMBEDDING),
                embedding_tokens=_judge_tokens(connection, judgments.c.purpose == EMBEDDING),
                cost_usd=_sum(connection, attempts.c.cost_usd, IS_OURS),
                judge_cost_usd=_sum(
                    connection, judgments.c.cost_usd, judgments.c.purpose != EMBEDDING
                ),
                embedding_cost_usd=_sum(
                    connection, judgments.c.cost_usd, judgments.c.purpose == EMBEDDING
                ),
                notices=_notices(connection),
                size_bytes=_size(self.database, connection),
            )


def _jobs(connection: Connection) -> dict[tuple[str, str], int]:
    statement = select(jobs.c.kind, jobs.c.state, func.count()).group_by(jobs.c.kind, jobs.c.state)
    return {(kind, state): n for kind, state, n in connection.execute(statement)}


def _counts(connection: Connection, column: Any) -> dict[str, int]:  # noqa: ANN401  a column
    rows = connection.execute(select(column, func.count()).group_by(column))
    return {str(value): n for value, n in rows}


def _tokens(connection: Connection) -> dict[str, int]:
    sums = [func.sum(completions.c[name]) for name in _TOKENS.values()]
    row = connection.execute(select(*sums)).one()
    return {kind: int(value or 0) for kind, value in zip(_TOKENS, row, strict=True)}


def _judge_tokens(connection: Connection, where: ColumnElement[bool]) -> dict[str, int]:
    sums = (func.sum(judgments.c.input_tokens), func.sum(judgments.c.output_tokens))
    row = connection.execute(select(*sums).where(where)).one()
    return {"input": int(row[0] or 0), "output": int(row[1] or 0)}


def _sum(connection: Connection, column: Any, *where: ColumnElement[bool]) -> float:  # noqa: ANN401  a column
    return float(connection.scalar(select(func.sum(column)).where(*where)) or 0.0)


def _notices(connection: Connection) -> int:
    waiting = select(func.count()).select_from(outbox).where(outbox.c.delivered_at.is_(None))
    return int(connection.scalar(waiting) or 0)


def _size(database: Database, connection: Connection) -> int:
    path = database.address.path
    if path is None:
        return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
    beside = (path, *(Path(f"{path}{end}") for end in ("-wal", "-shm")))
    return sum(one.stat().st_size for one in beside if one.exists())
