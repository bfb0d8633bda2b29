"""The kinds of values in the columns of files and data frames."""

from collections.abc import Iterable, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin


class ColumnKind(Enum):
    """The values of a column; each may be missing."""

    TEXT = "text"
    INTEGER = "whole numbers"
    NUMBER = "numbers"
    BOOLEAN = "true or false"
    TEXTS = "lists of texts"


_SCALARS: dict[Any, ColumnKind] = {
    str: ColumnKind.TEXT,
    int: ColumnKind.INTEGER,
    float: ColumnKind.NUMBER,
    bool: ColumnKind.BOOLEAN,
}


_POLARS = {ColumnKind.INTEGER: "Int64", ColumnKind.NUMBER: "Float64", ColumnKind.BOOLEAN: "Boolean"}


def kind_of_type(annotation: Any) -> ColumnKind | None:  # noqa: ANN401  any annotation
    """Return the kind of values that an annotation allows; None if it is not a single one.

    >>> kind_of_type(float | None), kind_of_type(tuple[str, ...]), kind_of_type(dict[str, int])
    (<ColumnKind.NUMBER: 'numbers'>, <ColumnKind.TEXTS: 'lists of texts'>, None)
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of_type(parts[0])
    if origin in (Union, UnionType):
        found = {kind_of_type(one) for one in parts if one is not NoneType}
        return found.pop() if len(found) == 1 else None
    if origin is Literal:
        return ColumnKind.TEXT if all(isinstance(one, str) for one in parts) else None
    if origin in (tuple, list):
        return ColumnKind.TEXTS if parts[:1] == (str,) else None
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return ColumnKind.TEXT
    return _SCALARS.get(annotation)


def kind_of_values(values: Iterable[Any]) -> ColumnKind:
    """Return the kind of plain values; text if all are missing or they differ.

    >>> kind_of_values([1, None, 2.5]), kind_of_values([{"a": 1}])
    (<ColumnKind.NUMBER: 'numbers'>, <ColumnKind.TEXT: 'text'>)
    """
    types = {type(one) for one in values if one is not None}
    if types == {int, float}:
        return ColumnKind.NUMBER
    if types == {list}:
        return ColumnKind.TEXTS if _are_texts(values) else ColumnKind.TEXT
    return _SCALARS.get(types.pop(), ColumnKind.TEXT) if len(types) == 1 else ColumnKind.TEXT


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(it, str) for one in values for it in one or ())


def polars_schema(polars: Any, kinds: Mapping[str, ColumnKind]) -> dict[str, Any]:  # noqa: ANN401  a foreign module
    """Return the types of polars for the columns of a table."""
    texts = polars.List(polars.String)
    return {
        name: texts if kind is ColumnKind.TEXTS else getattr(polars, _POLARS.get(kind, "String"))
        for name, kind in kinds.items()
    }
