"""Struct types: resolved for threads that decode them, and made of other objects' fields.

msgspec resolves the fields of a struct when the struct is first decoded. A second thread that
decodes it at that moment sees half of them, and the process dies with SIGSEGV (msgspec 0.22). So
types that several threads may decode first are resolved here, under a lock.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from operator import attrgetter
from threading import Lock
from typing import Any, Final, TypeVar

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


def shared_fields(kind: type, source: Any) -> dict[str, Any]:  # noqa: ANN401  any object with fields
    """Return the fields of a class that another object declares by the same names.

    Args:
        kind: the class to be made: a struct or a dataclass.
        source: a struct, a dataclass, a named tuple or a pydantic model.

    >>> Place = msgspec.defstruct("Place", ["name", "x"])
    >>> Point = msgspec.defstruct("Point", ["x", "y"])
    >>> shared_fields(Point, Place("here", 1))
    {'x': 1}
    """
    names, values_of = _shared_names(kind, source.__class__)
    return dict(zip(names, values_of(source), strict=True))


def further_fields(value: msgspec.Struct, known: Container[str]) -> dict[str, Any]:
    """Return the fields of a struct by name, without those that are known.

    >>> Point = msgspec.defstruct("Point", ["x", "y"])
    >>> further_fields(Point(1, 2), {"x"})
    {'y': 2}
    """
    fields = msgspec.structs.asdict(value)
    return {name: held for name, held in fields.items() if name not in known}


@cache
def _shared_names(kind: type, source: type) -> tuple[Sequence[str], Callable[[Any], Sequence[Any]]]:
    """The names, and a function from a source to their values."""
    declared = dict.fromkeys(_declared_names(source))
    names = [name for name in _declared_names(kind) if name in declared]
    if len(names) > 1:
        return names, attrgetter(*names)
    return names, lambda value: [getattr(value, name) for name in names]


def _declared_names(kind: type) -> Iterator[str]:
    """The annotated names of a class, those of its bases first."""
    for base in reversed(kind.__mro__):
        yield from vars(base).get("__annotations__", ())
