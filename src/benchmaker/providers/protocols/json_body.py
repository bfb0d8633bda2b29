"""Decodes JSON from a provider into typed values: fast if valid, strict otherwise."""

import json
from typing import Any, Generic, TypeVar

import msgspec

from benchmaker.errors import BadResponse
from benchmaker.structs import resolve_type

Shape = TypeVar("Shape")

_MARK = b"\xef\xbb\xbf"


class Body(Generic[Shape]):
    """Decodes bodies of one shape; other fields are ignored.

    ``once`` are keys that occur at most once in a valid body. If there seem to be more, or if the
    fast decoder refuses it (NaN, a lone surrogate, numbers beyond 64 bits), it is read again by a
    slower one that distinguishes duplicate keys from repeated words.
    """

    def __init__(self, shape: type[Shape], *, once: tuple[str, ...] = ()) -> None:
        self._shape = shape
        self._once = tuple(f'"{key}"'.encode() for key in once)
        self._decode = msgspec.json.Decoder(resolve_type(shape)).decode

    def decode(self, data: bytes) -> Shape:
        """The value in the data.

        Raises:
            BadResponse: it is not JSON, not of this shape, too deep, or doubles a key.
        """
        for key in self._once:
            if data.count(key) > 1:
                return self._decode_strictly(data)
        try:
            return self._decode(data)
        except UnicodeDecodeError as exc:
            raise BadResponse("the reply is not UTF-8.") from exc
        except (msgspec.DecodeError, RecursionError):
            return self._decode_strictly(data)

    def _decode_strictly(self, data: bytes) -> Shape:
        value = decode_plain(data)
        try:
            return msgspec.convert(value, self._shape)
        except msgspec.ValidationError as exc:
            raise BadResponse(f"unexpected format of the reply: {exc}.") from exc


def decode_plain(data: bytes) -> Any:  # noqa: ANN401  any JSON
    """The plain value in the data; NaN and lone surrogates pass, doubled keys do not.

    Raises:
        BadResponse: it is not JSON, too deep, or doubles a key.
    """
    try:
        return json.loads(data.removeprefix(_MARK).decode(), object_pairs_hook=_object)
    except UnicodeDecodeError as exc:
        raise BadResponse("the reply is not UTF-8.") from exc
    except RecursionError as exc:
        raise BadResponse("the reply is nested too deeply.") from exc
    except _DoubledKeyError as exc:
        raise BadResponse(str(exc)) from exc
    except ValueError as exc:
        raise BadResponse(f"the reply is not JSON: {exc}.") from exc


class _DoubledKeyError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DoubledKeyError("the reply has a duplicate key.")
    return value
