"""Columns of figures out of parts: many rows at a time, in an order that depends on none."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import islice
from typing import Any, Final

import numpy as np

from benchmaker.record.submissions.metric_columns import (
    LABELS_AND_ISOLATION,
    NAMES_OF,
    Codes,
    MetricColumns,
)
from benchmaker.record.submissions.metrics import Metrics

_AT_ONCE: Final = 50_000


def collect_columns(rows: Iterable[Metrics]) -> MetricColumns:
    """Return the rows as columns sorted by submission id, independent of input order.

    Rows are turned into columns 50,000 at a time: memory is that of columns, not of row objects.
    """
    taken, parts = iter(rows), []
    while part := list(islice(taken, _AT_ONCE)):
        parts.append(MetricColumns.of(part))
    return sort_by_id(concatenate(parts) if parts else MetricColumns.of(()))


def concatenate(parts: Sequence[MetricColumns]) -> MetricColumns:
    """The rows of one part after those of the other; at least one part."""
    if len(parts) == 1:
        return parts[0]
    made: dict[str, Any] = {}
    for label in LABELS_AND_ISOLATION:
        names = tuple(sorted({name for part in parts for name in part.names(label)}))
        made[label] = np.concatenate([_recode(part, label, names) for part in parts])
        made[NAMES_OF[label]] = names
    for part in fields(MetricColumns):
        if part.name not in made and part.name not in {"ids", "flags"}:
            made[part.name] = np.concatenate([getattr(one, part.name) for one in parts])
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    flags = {
        start + row: flags
        for start, part in zip(starts, parts, strict=False)
        for row, flags in part.flags.items()
    }
    return MetricColumns(**made, ids=[one for part in parts for one in part.ids], flags=flags)


def sort_by_id(columns: MetricColumns) -> MetricColumns:
    """The same rows in the order of their submissions' ids."""
    ids = list(columns.ids)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return columns.take(np.array(order, np.int64))


def digest(columns: MetricColumns) -> str:
    """SHA-256 of all rows in their order: 64 hex digits."""
    found = hashlib.sha256()
    for part in fields(columns):
        value = getattr(columns, part.name)
        if isinstance(value, np.ndarray):
            found.update(np.ascontiguousarray(value).data)
        elif part.name == "flags":
            found.update(repr(sorted(value.items())).encode())
        else:
            found.update("\n".join(value).encode(errors="surrogatepass"))
        found.update(b"\0")
    return found.hexdigest()


def _recode(part: MetricColumns, label: str, names: tuple[str, ...]) -> Codes:
    """A part's codes into the names of all parts; -1 stays."""
    place = {name: at for at, name in enumerate(names)}
    own = [place[name] for name in part.names(label)]
    codes: Codes = np.array([*own, -1], np.int32)[getattr(part, label)]
    return codes
