"""Struct types that several threads can decode safely.

msgspec resolves the fields of a struct when the struct is first decoded. A second thread that
decodes it at that moment sees half of them, and the process dies with SIGSEGV (msgspec 0.22). So
types that several threads may decode first are resolved here, under a lock.
"""

from threading import Lock
from typing import Final, TypeVar

import msgspec

T = TypeVar("T")

_RESOLVED: Final[set[object]] = set()
_resolving: Final = Lock()


def resolve_type(kind: T) -> T:
    """Return a type that msgspec decodes, once its fields are resolved.

    >>> msgspec.json.decode(b"[1, 2]", type=resolve_type(list[int]))
    [1, 2]
    """
    if kind not in _RESOLVED:
        with _resolving:
            msgspec.json.Decoder(kind)
            _RESOLVED.add(kind)
    return kind
