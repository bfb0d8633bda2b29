"""Types that threads may decode at once.

msgspec resolves the fields of a struct when the struct is first decoded. A second thread that
decodes it meanwhile sees half of them, and the process ends by SIGSEGV (msgspec 0.22). So a type
that several threads may be the first to decode is resolved here, one thread at a time.
"""

from threading import Lock
from typing import Final, TypeVar

import msgspec

T = TypeVar("T")

_RESOLVED: Final[set[object]] = set()
_resolving: Final = Lock()


def resolved(kind: T) -> T:
    """The type, once its fields are resolved; any type that msgspec decodes.

    >>> msgspec.json.decode(b"[1, 2]", type=resolved(list[int]))
    [1, 2]
    """
    if kind not in _RESOLVED:
        with _resolving:
            msgspec.json.Decoder(kind)
            _RESOLVED.add(kind)
    return kind
