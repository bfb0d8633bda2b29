"""Columns of figures out of tables: data frames, columns by name, rows."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast

import msgspec
import numpy as np

from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.record.submissions.metrics import FREE, NUMBERS, TOKENS, Metrics
from benchmaker.record.submissions.scored_figures import SCORED_FIGURES
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.structs import resolve_type

_KNOWN: Final = tuple(msgspec.structs.fields(Metrics))
_NAMES: Final = frozenset(field.name for field in _KNOWN)
_OTHER_NAMES: Final = {
    "task": "task_id",
    "id": "submission_id",
    "finished_at": "finished_us",
    "execution_time": "seconds",
    "estimated_cost": "cost",
    "harness": "tool",
}
_TEXTS: Final = (
    "submission_id", "task_id", "system", "category", "difficulty", "tool", "model", "effort",
    "submitter",
)  # fmt: skip
_US: Final = 1_000_000
_NEVER_0: Final = tuple(
    field
    for name, row in SCORED_FIGURES.items()
    if row.is_never_zero
    for field in (TOKENS.values() if name == "tokens" else (name,))
)
_YES_OR_NO: Final = ("required_passed", "success", "quarantined")
_SHOWN: Final = 40

Table = MetricColumns | Mapping[str, Sequence[Any]] | Iterable[Metrics | Mapping[str, Any]]


def columns_of(source: Any) -> MetricColumns:  # noqa: ANN401  frames of several libraries
    """The columns of whatever holds figures.

    Args:
        source: columns; a data frame of polars, pandas or pyarrow; columns by name; rows, as
            :class:`Metrics` or by name. Names are those of the fields of ``Metrics``; ``task``,
            ``id``, ``finished_at`` (a time, or ISO 8601), ``execution_time``, ``estimated_cost``
            and ``harness`` are understood, too. Only ``task_id``
            and ``system`` must be there; without ``submission_id`` rows are numbered. As in
            imported tables, 0 tokens, seconds, prompts and dollars are missing.

    Raises:
        SpecError: an unknown column, one that is missing, or a value that does not fit.
    """
    if isinstance(source, MetricColumns):
        return source
    if isinstance(source, Mapping):
        return _from_columns(source)
    if (table := _columns_by_name(source)) is not None:
        return _from_columns(table)
    rows = list(source)
    if all(isinstance(row, Metrics) for row in rows):
        return collect_columns(cast("list[Metrics]", rows))
    return _from_columns({name: [row.get(name) for row in rows] for name in _names_in(rows)})


def _columns_by_name(frame: Any) -> Mapping[str, Sequence[Any]] | None:  # noqa: ANN401  any library
    """A data frame as lists; None where it is none."""
    if hasattr(frame, "to_pydict"):
        return cast("Mapping[str, Sequence[Any]]", frame.to_pydict())
    if not hasattr(frame, "columns") or not hasattr(frame, "to_dict"):
        return None
    return {str(name): frame[name].to_list() for name in frame.columns}


def _names_in(rows: Sequence[Any]) -> list[str]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise SpecError(
                f"row {number} must be a row of figures, not {type(row).__name__}.",
                hint="Pass Metrics, mappings, columns by name, or a data frame.",
            )
    return list(dict.fromkeys(name for row in rows for name in row))


def _from_columns(table: Mapping[str, Sequence[Any]]) -> MetricColumns:
    _refuse_second_names(table)
    given = {_OTHER_NAMES.get(name, name): list(values) for name, values in table.items()}
    _refuse_unknown(given)
    sizes = {name: len(values) for name, values in given.items()}
    if len(set(sizes.values())) > 1:
        raise SpecError(f"the columns have different lengths: {sizes}.")
    size = max(sizes.values(), default=0)
    given.setdefault("submission_id", [f"{at:0{len(str(size))}d}" for at in range(size)])
    cleaned = {name: _clean_values(name, values) for name, values in given.items()}
    cleaned |= _without_zeros(cleaned)
    names = tuple(cleaned)
    return collect_columns(
        _row(names, values, number)
        for number, values in enumerate(zip(*cleaned.values(), strict=True), start=1)
    )


def _refuse_second_names(table: Mapping[str, object]) -> None:
    seen: dict[str, str] = {}
    for name in table:
        first = seen.setdefault(_OTHER_NAMES.get(name, name), name)
        if first != name:
            raise SpecError(f"{first!r} and {name!r} are the same figure.", hint="Keep one column.")


def _refuse_unknown(given: Mapping[str, object]) -> None:
    unknown = [name for name in given if name not in _NAMES]
    missing = [name for name in ("task_id", "system") if name not in given]
    if unknown or missing:
        what = f"unknown figure {unknown[0]!r}" if unknown else f"{missing[0]!r} is missing"
        near = did_you_mean(unknown[0], (*_NAMES, *_OTHER_NAMES)) if unknown else ""
        columns = f"Use columns from: {', '.join(sorted(_NAMES))}."
        raise SpecError(f"{what}.", hint=f"{near} {columns}".strip())


def _clean_values(name: str, values: Sequence[Any]) -> list[Any]:
    """Return values as ``Metrics`` takes them: None for missing ones, plain Python numbers."""
    found = [_to_plain(value) for value in values]
    if name in _TEXTS:
        default = {"tool": "", "submitter": "local"}.get(name)
        return [default if value is None else str(value) for value in found]
    if name in NUMBERS:
        return [float(value) if isinstance(value, int) else value for value in found]
    if name == "finished_us":
        return [_microseconds(value) for value in found]
    return found


def _without_zeros(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns in which 0 was not measured, with None in its place; a free model costs 0."""
    made = {
        name: [None if value == 0 else value for value in columns[name]]
        for name in _NEVER_0
        if name in columns
    }
    if "cost" in columns:
        flags = columns.get("flags") or [()] * len(columns["cost"])
        made["cost"] = [
            None if value == 0 and FREE not in (own or ()) else value
            for value, own in zip(columns["cost"], flags, strict=True)
        ]
    return made


def _to_plain(value: Any) -> Any:  # noqa: ANN401  a scalar of any library
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):
        return None
    return None if type(value).__name__ in {"NAType", "NaTType"} else value


def _microseconds(value: Any) -> int | None:  # noqa: ANN401  a time in any form
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        at = value if value.tzinfo else value.replace(tzinfo=UTC)
        return round(at.timestamp() * _US)
    return None if value is None else int(value)


def _row(names: tuple[str, ...], values: tuple[Any, ...], number: int) -> Metrics:
    known = {name: value for name, value in zip(names, values, strict=True) if value is not None}
    for name in _YES_OR_NO:
        if name in known and known[name] in (0, 1):
            known[name] = bool(known[name])
    try:
        return msgspec.convert(known, resolve_type(Metrics))
    except msgspec.ValidationError as exc:
        raise SpecError(f"row {number} is invalid: {_explain_mismatch(exc, known)}.") from exc


def _explain_mismatch(error: msgspec.ValidationError, row: Mapping[str, Any]) -> str:
    """Return the fault of a row, with the value that does not fit."""
    name = str(error).rpartition("$.")[2].rstrip("`")
    value = f"{name}: {str(row.get(name))[:_SHOWN]!r}"
    if name in NUMBERS:
        return f"{value} is not a number"
    return f"{value} is not true or false" if name in _YES_OR_NO else str(error)
