"""Class labels of Hugging Face datasets: numbers whose names are in the types of the columns."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.source_map import SourceLocation

METADATA_KEY = "huggingface"
"""The key of a Parquet file's metadata under which the library ``datasets`` stores the types."""

_LISTS = frozenset({"List", "LargeList", "Sequence"})
_UNLABELLED = -1
"""The number of a row without a label, as in the test split of a competition."""

Convert = Callable[[Any], Any]


def features_of_metadata(text: str | None) -> Mapping[str, Any]:
    """Return the types of the columns from a file's metadata; empty if they cannot be read.

    >>> features_of_metadata('{"info": {"features": {"n": {"dtype": "int32"}}}}')
    {'n': {'dtype': 'int32'}}
    """
    try:
        known = json.loads(text or "{}")
        features = known["info"]["features"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    return features if isinstance(features, Mapping) else {}


def name_labels(
    rows: Iterable[tuple[int, dict[str, Any]]], features: Mapping[str, Any], file: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield numbered rows with the names of class labels in place of their numbers.

    A row without a label, which has the number -1, has None. ``features`` are types of columns as
    ``Features.to_dict()`` of the library ``datasets`` returns them.

    Raises:
        SpecError: a number without a name, with its row.
    """
    found = {name: _converter(feature) for name, feature in features.items()}
    convert = {name: one for name, one in found.items() if one is not None}
    for number, row in rows:
        for name in convert.keys() & row.keys():
            try:
                row[name] = convert[name](row[name])
            except _UnnamedError as exc:
                message = f"column {name!r} has the class label {exc}."
                raise refusal(SourceLocation(file, number), message) from None
        yield number, row


class _UnnamedError(Exception):
    """A number of a class label without a name."""


def _converter(feature: object) -> Convert | None:
    """The conversion of a column's values; None if no class label is in its type."""
    match feature:
        case {"_type": "ClassLabel", "names": [*names]} if names:
            return partial(_name, tuple(map(str, names)))
        case {"_type": str(kind), "feature": inner} if kind in _LISTS:
            return _of_list(inner)
        case {"_type": str()}:
            return None
        case [inner]:
            return _of_list(inner)
        case Mapping():
            return _of_struct(feature)
        case _:
            return None


def _of_list(inner: object) -> Convert | None:
    """The conversion of a list; a list of structs may be stored as a struct of lists."""
    convert = _converter(inner)
    if convert is None:
        return None
    fields = inner if isinstance(inner, Mapping) else {}
    columns = _of_struct({name: [one] for name, one in fields.items() if name != "_type"})
    return partial(_convert_list, convert, columns or convert)


def _of_struct(features: Mapping[str, Any]) -> Convert | None:
    found = {name: one for name, it in features.items() if (one := _converter(it)) is not None}
    return partial(_convert_struct, found) if found else None


def _name(names: tuple[str, ...], value: object) -> object:
    if value == _UNLABELLED:
        return None
    if not isinstance(value, int):
        return value
    if not 0 <= value < len(names):
        raise _UnnamedError(f"{value}, but only 0 to {len(names) - 1} have names")
    return names[value]


def _convert_list(convert: Convert, columns: Convert, value: object) -> object:
    if isinstance(value, dict):
        return columns(value)
    return [convert(one) for one in value] if isinstance(value, (list, tuple)) else value


def _convert_struct(fields: Mapping[str, Convert], value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {name: fields[name](it) if name in fields else it for name, it in value.items()}
