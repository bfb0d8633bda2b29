"""Secrets of API tokens and of cookies: long enough that a plain hash keeps them."""

import base64
import hashlib
import secrets
from collections.abc import Callable

PREFIX = "bm_"
"""The prefix of every token's secret, recognizable to people and secret scanners."""

_RANDOM, _SUM = 28, 4
_LENGTH = 43


def new_secret(random: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """Return a new secret: ``bm_``, 224 random bits and a checksum, 46 characters.

    >>> new_secret(bytes)
    'bm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIXLZdY'
    """
    drawn = random(_RANDOM)
    return PREFIX + base64.urlsafe_b64encode(drawn + _checksum(drawn)).decode().rstrip("=")


def is_secret(text: str) -> bool:
    """True if this has the form of a token's secret, without a store lookup.

    >>> is_secret(new_secret()), is_secret("bm_made-up")
    (True, False)
    """
    body = text.removeprefix(PREFIX)
    if len(body) != _LENGTH or body == text or not body.isascii():
        return False
    try:
        found = base64.urlsafe_b64decode(body + "=")
    except ValueError:
        return False
    return len(found) == _RANDOM + _SUM and _checksum(found[:_RANDOM]) == found[_RANDOM:]


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of a secret in hexadecimal digits, as kept in the store."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _checksum(drawn: bytes) -> bytes:
    return hashlib.sha256(PREFIX.encode() + drawn).digest()[:_SUM]
