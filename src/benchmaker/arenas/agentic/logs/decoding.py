"""Decodes untrusted JSON into our own types.

Minor faults are repaired: NaN and numbers out of range become texts, which counts do not accept;
lone surrogates and bytes that are not UTF-8 become ``?`` or ``�``. Invalid JSON, other shapes and
excessive nesting are refused.
"""

import json
import math
import re
from itertools import accumulate
from typing import Generic, TypeVar

import msgspec

from benchmaker.structs import resolve_type

T = TypeVar("T")

_NOT_STRUCTURE = bytes(set(range(256)) - set(b"{}[]"))
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_MOST_DIGITS = 18


class DecodingError(Exception):
    """The text is not of the expected form; the message explains why."""


class Decoder(Generic[T]):
    """Decodes texts of one type.

    >>> Decoder(dict).decode(b'{"tokens": NaN}')
    {'tokens': 'NaN'}
    """

    __slots__ = ("_decode", "_max_depth")

    def __init__(self, kind: type[T], *, max_depth: int = 200) -> None:
        self._decode = msgspec.json.Decoder(resolve_type(kind)).decode
        self._max_depth = max_depth

    def decode(self, text: bytes) -> T:
        """Return the value; otherwise raise Refused with a one-line reason."""
        if text.count(b"{") + text.count(b"[") > self._max_depth:
            _refuse_depth(text, self._max_depth)
        try:
            return self._decode(text)
        except RecursionError as exc:
            raise DecodingError("nested too deeply") from exc
        except msgspec.ValidationError as exc:
            if "out of range" not in str(exc):
                raise DecodingError(f"another shape than expected: {exc}") from exc
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # it may be merely odd: what can't be mended either is refused below
        return self._decode_leniently(text)

    def _decode_leniently(self, text: bytes) -> T:
        try:
            loaded = json.loads(
                text.decode("utf-8", "replace"),
                parse_constant=str,
                parse_float=_float,
                parse_int=_int,
            )
            return self._decode(json.dumps(loaded, ensure_ascii=False).encode("utf-8", "replace"))
        except RecursionError as exc:
            raise DecodingError("nested too deeply") from exc
        except msgspec.ValidationError as exc:
            raise DecodingError(f"another shape than expected: {exc}") from exc
        except ValueError as exc:
            raise DecodingError(_reason(text)) from exc


def _reason(text: bytes) -> str:
    start = text.lstrip()[:1]
    if start not in (b"{", b"["):
        return "not JSON"
    is_closed = text.rstrip()[-1:] in (b"}", b"]")
    return "damaged JSON" if is_closed else "cut off in the middle"


def _float(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _int(text: str) -> int | str:
    return int(text) if len(text) <= _MOST_DIGITS else text


def _refuse_depth(text: bytes, max_depth: int) -> None:
    structure = _STRING.sub(b"", text).translate(None, _NOT_STRUCTURE)
    if max(accumulate(map(_STEPS.__getitem__, structure)), default=0) > max_depth:
        raise DecodingError(f"nested more than {max_depth} deep")
