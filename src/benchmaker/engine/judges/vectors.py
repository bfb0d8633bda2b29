"""Embeddings as bytes: their keys, and their validation on arrival."""

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from math import isfinite
from sys import byteorder
from typing import Any

import msgspec

from benchmaker.errors import BadResponse
from benchmaker.scoring.base import EmbeddingQuery

SCHEMA_VERSION = "1"  # of what the keys are made of; it changes whenever that does

_ROUTE = ("base_url", "function", "kind", "model")
"""The facts of a provider's description that decide which embedding a text has."""

_encode = msgspec.json.Encoder(order="deterministic").encode
_INFINITE = "an embedding contains a number that is not finite in single precision"
_SINGLE = 4
"""Bytes of a number in single precision."""


def vector_key(text: str, query: EmbeddingQuery, description: Mapping[str, Any]) -> str:
    """Return the SHA-256 of endpoint, model, dimensions and text; 64 digits."""
    routes = description.get("models")
    route = routes.get(query.model, {}) if isinstance(routes, dict) else description
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    sent = {
        "version": SCHEMA_VERSION,
        "to": {name: route.get(name) for name in _ROUTE},
        "model": query.model,
        "dimensions": query.dimensions,
        "text": digest,
    }
    return hashlib.sha256(_encode(sent)).hexdigest()


def pack(numbers: "Sequence[float]") -> bytes:
    """Return numbers in single precision, little-endian."""
    packed = array("f", numbers)
    if byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def unpack(body: bytes) -> "array[float]":
    """Return the numbers in stored bytes.

    >>> unpack(pack([0.5, -2.0])).tolist()
    [0.5, -2.0]
    """
    numbers = array("f")
    numbers.frombytes(body)
    if byteorder == "big":
        numbers.byteswap()
    return numbers


def length_of(body: bytes) -> int:
    """Return the number of numbers in stored bytes."""
    return len(body) // _SINGLE


def read_reply(text: str, number: int) -> list[bytes | BadResponse]:
    """Return the embedding of each of ``number`` texts, or the fault of the reply.

    The objects of the reply may be in any order; each names its text by ``index``, from 0.

    Raises:
        BadResponse: the whole reply is no list of embeddings.
    """
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as exc:
        raise BadResponse(f"the embeddings are not JSON: {exc}.", is_retryable=False) from exc
    if not isinstance(data, list):
        raise BadResponse("the reply holds no list of embeddings.", is_retryable=False)
    found: dict[int, bytes | BadResponse] = {}
    for one in data:
        at = one.get("index") if isinstance(one, dict) else None
        if type(at) is not int or not 0 <= at < number:
            raise _fault(f"an embedding has the index {at!r}, for {number} texts")
        found[at] = (
            _fault(f"two embeddings have the index {at}")
            if at in found
            else _read_vector(one.get("embedding"))
        )
    return [
        found.get(at, _fault("the reply lacks the embedding of a text")) for at in range(number)
    ]


def _read_vector(numbers: object) -> bytes | BadResponse:
    if not isinstance(numbers, list) or not numbers:
        return _fault("an embedding is not a list of numbers")
    if not all(type(it) in (int, float) for it in numbers):
        return _fault("an embedding contains a value that is not a number")
    try:
        packed = array("f", numbers)
    except OverflowError:
        return _fault(_INFINITE)
    if not all(map(isfinite, packed)):
        return _fault(_INFINITE)
    if not any(packed):
        return _fault("an embedding contains only zeros, so it has no direction")
    return pack(packed)


def _fault(message: str) -> BadResponse:
    return BadResponse(f"{message}.", is_retryable=False)
