"""Values of typed columns as plain data, as a JSON file would hold them."""

import math
from datetime import date, time
from importlib import import_module
from typing import Any

from benchmaker.errors import PrerequisiteError

EXACT = 2**53
"""Whole numbers below this are exact as floats."""

_PLAIN = (type(None), bool, int, float, str)


def plain_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as plain data; missing values are None, and absent inside structs.

    >>> from decimal import Decimal
    >>> plain_row({"a": Decimal("1.50"), "b": {"c": None, "d": float("nan")}})
    {'a': '1.50', 'b': {}}
    """
    return {name: plain_value(value) for name, value in row.items()}


def plain_value(value: Any) -> Any:  # noqa: ANN401  any value of a typed column
    """Return one value as plain data: decimals and dates as text, NaN as None.

    A float without a fraction is a whole number, as in a sheet: columns of whole numbers with
    missing values are often stored as floats. ValueError for bytes that are not UTF-8.
    """
    match value:
        case float() if not math.isfinite(value):
            return None if math.isnan(value) else str(value)
        case float() if value.is_integer() and abs(value) < EXACT:
            return int(value)
        case dict():
            inner = ((str(name), plain_value(one)) for name, one in value.items())
            return {name: one for name, one in inner if one is not None}
        case list() | tuple():
            return [plain_value(one) for one in value]
        case bytes():
            return value.decode()
        case _:
            return value if isinstance(value, _PLAIN) else _text(value)


def _text(value: Any) -> str:  # noqa: ANN401  a value that JSON has no type for
    return value.isoformat() if isinstance(value, (date, time)) else str(value)


def load_library(module: str, name: str, command: str) -> Any:  # noqa: ANN401  a foreign module
    """Import an optional library when it is used.

    Raises:
        PrerequisiteError: it is not installed; the hint is the command.
    """
    try:
        return import_module(module)
    except ImportError as exc:
        raise PrerequisiteError(
            f"{name} is not installed.", hint=f"Install it with: {command}"
        ) from exc


DATA_EXTRA = "pip install 'benchmaker[data]'"
"""The command that installs the readers of Parquet files and Excel sheets."""
