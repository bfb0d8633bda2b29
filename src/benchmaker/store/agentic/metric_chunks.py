"""The figures of all submissions as columns, cached in chunks for fast reading.

A chunk holds the rows of a range of row numbers. A change of one of its rows drops the chunk in the
same transaction; the next read of all figures rebuilds it from the rows. So a new submission costs
one chunk, never all rows.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from benchmaker.errors import Corrupt
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metric_joining import concatenate
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.store.database.agentic_tables import metric_chunks, metric_rows
from benchmaker.store.database.chunk_numbers import ROWS, lock
from benchmaker.store.database.database import Database
from benchmaker.store.database.json_values import decode, encode

Sizes: TypeAlias = list[tuple[str, str, int]]

_FORMAT: Final = 1
_AT_ONCE: Final = 32
_MOST_ROWS: Final = 2 * ROWS
_FIELDS: Final = sorted(part.name for part in fields(MetricColumns))


class _ChunkHeader(msgspec.Struct):
    """The header of a chunk: names, ids, flags, and the type and size of each column."""

    format: int
    fields: list[str]
    names: dict[str, list[str]]
    flags: list[tuple[int, list[str]]]
    numbers: Sizes


def read_chunks(database: Database) -> Iterator[MetricColumns]:
    """Yield all figures in chunks; missing ones are built, and stored where possible."""
    with database.read() as connection:
        last = connection.scalar(select(func.max(metric_rows.c.seq)))
    yield from _read(database, range(0 if last is None else last // ROWS + 1))


def read_tasks(database: Database, task_ids: Collection[str]) -> MetricColumns:
    """Return the figures of these tasks: from chunks if there are many, else from the rows."""
    own = metric_rows.c.task_id.in_(task_ids)
    with database.read() as connection:
        many = connection.scalar(select(func.count()).where(own)) or 0
    if many <= _MOST_ROWS:
        return _columns_from_rows(database, own)
    wanted = select(metric_rows.c.seq // ROWS).where(own).distinct()
    with database.read() as connection:
        numbers = sorted(connection.scalars(wanted))
    names = set(task_ids)
    return concatenate([_select_tasks(part, names) for part in _read(database, numbers)])


def _columns_from_rows(database: Database, own: ColumnElement[bool]) -> MetricColumns:
    with database.read() as connection:
        bodies = connection.scalars(select(metric_rows.c.body).where(own)).all()
    return MetricColumns.of(decode(body, Metrics) for body in bodies)


def _select_tasks(part: MetricColumns, task_ids: Collection[str]) -> MetricColumns:
    """Return only the rows of these tasks."""
    codes = [code for code, task in enumerate(part.tasks) if task in task_ids]
    return part if len(codes) == len(part.tasks) else part.take(np.isin(part.task, codes))


def _read(database: Database, numbers: Sequence[int]) -> Iterator[MetricColumns]:
    """Yield chunks by number; missing ones are built, and stored where possible."""
    for start in range(0, len(numbers), _AT_ONCE):
        wanted = numbers[start : start + _AT_ONCE]
        kept = _stored_chunks(database, wanted)
        for number in wanted:
            found = _unpack(kept[number]) if number in kept else None
            yield _build_chunk(database, number) if found is None else found


def _stored_chunks(database: Database, wanted: Sequence[int]) -> dict[int, bytes]:
    own = metric_chunks.c.number.in_(wanted)
    with database.read() as connection:
        rows = connection.execute(select(metric_chunks).where(own))
        return {row.number: bytes(row.body) for row in rows}


def _build_chunk(database: Database, number: int) -> MetricColumns:
    """Build a chunk from its rows; it is stored in the transaction that read them."""
    if database.read_only:
        with database.read() as connection:
            return _columns(connection, number)
    with database.write() as connection:
        lock(connection)
        columns = _columns(connection, number)
        connection.execute(delete(metric_chunks).where(metric_chunks.c.number == number))
        connection.execute(insert(metric_chunks).values(number=number, body=_pack(columns)))
    return columns


def _columns(connection: Connection, number: int) -> MetricColumns:
    """Return the rows of a chunk, ordered by submission id."""
    own = metric_rows.c.seq.between(number * ROWS, (number + 1) * ROWS - 1)
    bodies = connection.scalars(select(metric_rows.c.body).where(own))
    rows: Iterable[Metrics] = (decode(body, Metrics) for body in bodies)
    return MetricColumns.of(sorted(rows, key=lambda row: row.submission_id))


def _pack(columns: MetricColumns) -> bytes:
    """Return the encoded chunk: names as stored text, then the bytes of each column."""
    names: dict[str, list[str]] = {}
    numbers: Sizes = []
    parts: list[bytes] = []
    for name in _FIELDS:
        value: Any = getattr(columns, name)
        if isinstance(value, np.ndarray):
            numbers.append((name, value.dtype.newbyteorder("<").str, value.nbytes))
            parts.append(value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes())
        elif name != "flags":
            names[name] = list(value)
    flags = [(row, list(kinds)) for row, kinds in columns.flags.items()]
    head = encode(_ChunkHeader(_FORMAT, _FIELDS, names, flags, numbers)).encode()
    return b"".join((len(head).to_bytes(4, "little"), head, *parts))


def _unpack(body: bytes) -> MetricColumns | None:
    """Return the columns; None if another version of Benchmaker packed them."""
    at = 4 + int.from_bytes(body[:4], "little")
    try:
        head = decode(body[4:at].decode(), _ChunkHeader)
    except (Corrupt, UnicodeDecodeError):
        return None
    if head.format != _FORMAT or head.fields != _FIELDS:
        return None
    made: dict[str, Any] = {}
    for name, kind, size in head.numbers:
        column: NDArray[Any] = np.frombuffer(body, kind, size // np.dtype(kind).itemsize, at)
        made[name] = column
        at += size
    for name, texts in head.names.items():
        made[name] = texts if name == "ids" else tuple(texts)
    return MetricColumns(**made, flags={row: tuple(kinds) for row, kinds in head.flags})
