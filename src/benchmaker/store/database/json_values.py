"""Whole values as JSON text.

Plain JSON whenever possible. Otherwise (lone surrogates, NaN and infinities in a scorer's detail),
the text begins with U+001A, numbers are spelt as Python's ``json`` does, and every string inside
goes through :mod:`benchmaker.store.database.escaping`.
"""

import json
import math
import re
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from benchmaker.errors import Corrupt
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.structs import resolve_type

T = TypeVar("T")

MARK: Final = "\x1a"
"""The first character of a text that is not plain JSON."""

_encode = msgspec.json.Encoder().encode
_pack = msgspec.msgpack.Encoder().encode

_NOT_FINITE: Final = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
"""The first bytes of an infinite or NaN float in MessagePack (big-endian IEEE 754)."""


def encode(value: object) -> str:
    """Return the value as text for any database.

    Raises:
        TypeError: a value inside is not plain data.
    """
    try:
        data = _encode(value)
    except UnicodeEncodeError:
        return _encode_marked(value)
    # A null may stand for an infinity, which JSON can't say.
    is_odd = b"null" in data and _may_be_odd(value) and _is_odd(msgspec.to_builtins(value))
    return _encode_marked(value) if is_odd else data.decode()


def encode_all(values: Sequence[object]) -> list[str]:
    """As :func:`encode` for each value; plain ones are checked and decoded together.

    >>> encode_all([{"a": None}, 1.5]), encode_all([])
    (['{"a":null}', '1.5'], [])
    """
    try:
        data = b"\n".join(map(_encode, values))  # JSON has no line break in itself
        if not (b"null" in data and _may_be_odd(values)):
            return data.decode().split("\n") if values else []
    except UnicodeEncodeError:  # a lone surrogate
        pass
    return list(map(encode, values))


def decode(text: str, kind: type[T]) -> T:
    """Return the value of that type; Corrupt if the text has none."""
    try:
        if not text.startswith(MARK):
            value: T = _decoder(kind).decode(text)  # type: ignore[arg-type]  # types can be hashed
            return value
        return msgspec.convert(_map_texts(json.loads(text[1:]), unescape), resolve_type(kind))
    except (msgspec.MsgspecError, ValueError) as exc:
        raise Corrupt(
            f"a stored {kind.__name__} can't be read ({exc}).",
            hint="Check the store with: benchmaker doctor",
        ) from exc


@lru_cache(maxsize=64)
def _decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(resolve_type(kind))


def _encode_marked(value: object) -> str:
    plain = _map_texts(msgspec.to_builtins(value), escape)
    return MARK + json.dumps(plain, separators=(",", ":"))


def _may_be_odd(value: object) -> bool:
    """True if a number inside may be infinite or NaN; fast, and certain if False."""
    try:
        return _NOT_FINITE.search(_pack(value)) is not None
    except OverflowError:  # a whole number of more than 64 bits
        return True


def _is_odd(plain: Any) -> bool:  # noqa: ANN401  any JSON value
    """True if a number inside is infinite or NaN."""
    waiting = [plain]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is float:
            if not math.isfinite(one):
                return True
        elif kind is dict:
            waiting += [it for it in one.values() if type(it) in _WORTH_A_LOOK]
        elif kind in _LISTS:
            waiting += [it for it in one if type(it) in _WORTH_A_LOOK]
    return False


_LISTS = frozenset({list, tuple})
_WORTH_A_LOOK = _LISTS | {float, dict}


def _map_texts(plain: Any, change: Any) -> Any:  # noqa: ANN401  any JSON value
    match plain:
        case str():
            return change(plain)
        case list() | tuple():
            return [_map_texts(item, change) for item in plain]
        case dict():
            return {change(key): _map_texts(item, change) for key, item in plain.items()}
        case _:
            return plain
