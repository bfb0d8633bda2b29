"""A hash over the contents of a store, the same in either database and in a backup."""

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec

Row = tuple[Any, ...]
"""The values of a row, in the order of its table's columns by name."""

_encode = msgspec.msgpack.Encoder().encode


class Kind(StrEnum):
    """The type of a column."""

    TEXT = "text"
    WHOLE = "whole"
    REAL = "real"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Shape:
    """The structure of a table: its columns by name, each with its type, and its key."""

    table: str
    columns: tuple[tuple[str, Kind], ...]
    key: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for name, _ in self.columns)

    def places(self, kind: Kind) -> tuple[int, ...]:
        """Return the positions of columns of this kind."""
        return tuple(at for at, (_, found) in enumerate(self.columns) if found is kind)


def row_normaliser(shape: Shape) -> Callable[[Sequence[Any]], Row]:
    """Return a function that normalises a row's values for either database.

    SQLite stores NaN as NULL and -0.0 as 0.0; drivers represent bytes in several ways.
    """
    reals, blobs = shape.places(Kind.REAL), shape.places(Kind.BYTES)
    if not reals and not blobs:
        return tuple

    def spell(given: Sequence[Any]) -> Row:
        values = list(given)
        for at in reals:
            values[at] = _normalise_real(values[at])
        for at in blobs:
            values[at] = None if values[at] is None else bytes(values[at])
        return tuple(values)

    return spell


def _normalise_real(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value) + 0.0


@dataclass(slots=True)
class _Table:
    columns: tuple[str, ...]
    rows: int = 0
    sum: Any = field(default_factory=hashlib.sha256)


class Digest:
    """SHA-256 over the rows of all tables, each table's in the order of its key.

    Texts are ordered by their code points, and a table's columns by name. The order of tables does
    not matter.
    """

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}

    def begin(self, shape: Shape) -> None:
        """Start a table, with or without rows."""
        self._tables[shape.table] = _Table(shape.names)

    def add(self, shape: Shape, rows: Iterable[Row]) -> None:
        """Add rows of the table, normalised by :func:`row_normaliser`."""
        table = self._tables[shape.table]
        for row in rows:
            table.sum.update(_encode(row))
            table.rows += 1

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of each table."""
        return {name: table.rows for name, table in self._tables.items()}

    @property
    def hash(self) -> str:
        """The hash so far, as ``sha256:`` and 64 hexadecimal digits."""
        lines = [
            (name, table.columns, table.rows, table.sum.digest())
            for name, table in sorted(self._tables.items())
        ]
        return f"sha256:{hashlib.sha256(_encode(lines)).hexdigest()}"
