"""Requests as JSON: constant parts are encoded once."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from benchmaker.providers.base import Image
from benchmaker.spec import Message, Parameters
from benchmaker.spec.suites.extra_fields import merge_fields

_encode = msgspec.json.Encoder().encode
_MOST_PARAMETERS = 256
"""A run has one object of parameters per setup."""

T = TypeVar("T")


def encode_json(value: Any) -> bytes:  # noqa: ANN401  plain data
    """Return compact JSON; a lone surrogate, invalid in UTF-8, is escaped."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def turns(
    messages: Iterable[Message],
    images: Sequence[Image] = (),
    written: Callable[[Image], dict[str, Any]] = lambda _: {},
) -> list[dict[str, Any]]:
    """Messages as both protocols write them; pictures, as ``written``, go into the last one."""
    plain: list[dict[str, Any]] = [
        {"role": turn.role, "content": turn.content} for turn in messages
    ]
    if images and plain:
        words = {"type": "text", "text": plain[-1]["content"]}
        plain[-1]["content"] = [words, *map(written, images)]
    return plain


class PerParameters(Generic[T]):
    """A value that depends on parameters alone, computed once for each object of them.

    Setups are interleaved, so that the parameters change with each request.
    """

    def __init__(self, compute: Callable[[Parameters], T]) -> None:
        self._compute = compute
        self._known: dict[int, tuple[Parameters, T]] = {}

    def __call__(self, parameters: Parameters) -> T:
        """Return the value for these parameters."""
        known = self._known.get(id(parameters))
        if known is None:
            if len(self._known) >= _MOST_PARAMETERS:
                self._known.clear()
            known = self._known[id(parameters)] = (parameters, self._compute(parameters))
        return known[1]


class EncodedParameters:
    """The end of every request's object: its parameters, encoded once per setup."""

    def __init__(self, fields: Callable[[Parameters], Mapping[str, Any]]) -> None:
        self._fields = fields
        self._tails: PerParameters[dict[Any, bytes]] = PerParameters(lambda _: {})

    def append_to(
        self, start: bytes, parameters: Parameters, extra: Mapping[str, Any], *, key: object
    ) -> bytes:
        """Return ``start`` (an object without its closing brace) with parameters and ``extra``.

        ``key`` identifies ``extra``: equal keys mean equal fields. The parameters' own
        ``extra_body`` is merged last.
        """
        tails = self._tails(parameters)
        tail = tails.get(key)
        if tail is None:
            known = {**self._fields(parameters), **extra}
            fields = encode_json(merge_fields(known, parameters.extra_body or {}))
            tail = tails[key] = b"," + fields[1:] if len(fields) > 2 else b"}"  # noqa: PLR2004  "{}"
        return start + tail
