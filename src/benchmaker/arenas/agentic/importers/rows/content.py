"""The content of a row, independent of the format of its table: numbers may come as texts."""

import math
import re
from ast import literal_eval
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final

import msgspec

_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_WHOLE_AS_FLOAT: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,14})\.0")
_LARGE: Final = 10**18
"""Whole numbers from this size on become texts, as in our JSON decoder."""
_LONGEST_LIST: Final = 100_000
_WORDS: Final = {"true": True, "false": False}


def coerce(value: Any) -> Any:  # noqa: ANN401  any JSON
    """Return the number or boolean for a text, since CSV has only texts.

    >>> coerce("7"), coerce("0.5"), coerce("True"), coerce("007"), coerce(" fine ")
    (7, 0.5, True, '007', 'fine')
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _LARGE else value
    if type(value) is int and abs(value) >= _LARGE:
        return str(value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return _WORDS.get(text.lower(), text)
    return coerce(number) if repr(number) == text and math.isfinite(number) else text


def whole_id(text: str | None) -> str | None:
    """The id of a row, a whole number without its ``.0``: so pandas writes a column with gaps.

    >>> whole_id("1.0"), whole_id("1.10"), whole_id("v1.0"), whole_id("1.0.0")
    ('1', '1.10', 'v1.0', '1.0.0')
    """
    return text[:-2] if text and _WHOLE_AS_FLOAT.fullmatch(text) else text


def is_absent(value: Any) -> bool:  # noqa: ANN401  any JSON
    """True if a field is null or an empty cell."""
    return value is None or (isinstance(value, str) and not value.strip())


def listed(cell: str) -> list[Any]:
    """The list in a cell of a table: as JSON or Python writes it, else separated by semicolons.

    >>> listed('["a.py", "b.py"]'), listed("['a.py']"), listed("a.py; b.py"), listed("[]")
    (['a.py', 'b.py'], ['a.py'], ['a.py', 'b.py'], [])
    """
    text = cell.strip()
    if text.startswith("[") and len(text) <= _LONGEST_LIST:
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(text, type=list[Any])
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return [it for it in literal_eval(text) if isinstance(it, str)]
    return [part.strip() for part in text.split(";") if part.strip()]


def content_digest(fields: Mapping[str, Any]) -> str:
    """A digest of the content of a row, whatever the order of its fields and its format.

    >>> content_digest({"a": 1, "b": ""}) == content_digest({"a": "1"})
    True
    """
    said = {name: coerce(value) for name, value in fields.items() if not is_absent(value)}
    text = msgspec.json.encode(said, order="deterministic")
    return sha256(text).hexdigest()
