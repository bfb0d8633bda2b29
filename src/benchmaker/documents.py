"""Results that serialise by declaration.

A frozen dataclass that inherits :class:`Document` becomes plain data field by field, in their
order, and the schema of the API is derived from the same declaration. If a document differs from
the class, the field or property declares it:

>>> @dataclass(frozen=True, slots=True)
... class Mean(Document):
...     value: float
...     method: NullIfEmpty = ""
...     is_weighted: Annotated[bool, Key("weighted")] = False
...     cases: Annotated[tuple[str, ...], OMITTED] = ()
...
...     @property
...     @listed(after="value")
...     def n_cases(self) -> int:
...         return len(self.cases)
>>> Mean(0.5, cases=("a", "b")).to_dict()
{'value': 0.5, 'n_cases': 2, 'method': None, 'weighted': False}
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cache
from types import NoneType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    NamedTuple,
    TypeVar,
    get_args,
    get_type_hints,
)

import msgspec

Getter = TypeVar("Getter", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Key:
    """The representation of a field in its document.

    Args:
        name: the key; empty for the field's own name.
        after: the key that it follows, or ``FIRST``; empty for its place in the class.
        is_inline: its fields are inserted in its place, without a separate key.
        null_if_empty: an empty text becomes null.
        omit_if_empty: without content, the key is left out.
        form: makes the value that stands in the document, unless the field is None; its return
            type is that of the document.
    """

    name: str = ""
    after: str = ""
    is_inline: bool = False
    null_if_empty: bool = False
    omit_if_empty: bool = False
    form: Callable[[Any], Any] | None = None


OMITTED: Final = "omitted from the document"
"""Marks a field that is left out of documents."""

INLINE: Final = Key(is_inline=True)
NullIfEmpty = Annotated[str, Key(null_if_empty=True)]
"""A text that is null in documents if it is empty."""


def listed(name: str = "", *, after: str = "") -> Callable[[Getter], Getter]:
    """Mark the function of a property that is part of the document; see :class:`Key`."""

    def mark(get: Getter) -> Getter:
        vars(get)["document_key"] = Key(name or get.__name__, after)
        return get

    return mark


class Document:
    """A frozen dataclass that becomes plain data as declared.

    Args:
        scale: the scale of its scores; first in the document, omitted if empty.
    """

    __slots__ = ()
    document_scale: ClassVar[str] = ""

    def __init_subclass__(cls, scale: str = "") -> None:
        if scale:
            cls.document_scale = scale

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: lists, dicts, texts, numbers and None."""
        return document_of(self)


def document_of(value: Any) -> dict[str, Any]:  # noqa: ANN401  any dataclass
    """Return the document of a dataclass, which need not be a :class:`Document`."""
    scale = scale_of(value.__class__)
    document: dict[str, Any] = {"scale": scale} if scale else {}
    for name, attribute, marked in _steps(value.__class__):
        held = getattr(value, attribute)
        if marked is None:
            document[name] = held if held.__class__ in _SCALARS else plain(held)
        elif marked.key.omit_if_empty and not held:
            continue
        elif marked.key.is_inline:
            document |= marked.plain(held)
        else:
            document[name] = marked.plain(held)
    return document


_SCALARS: Final = frozenset({NoneType, bool, int, float, str})
"""The types whose values are plain data as they are; most of a document's are of these."""


@cache
def _steps(kind: type) -> tuple[tuple[str, str, "DocumentEntry | None"], ...]:
    """Each key with its attribute, and with its entry where the entry changes the value."""
    return tuple(
        (one.key.name, one.attribute, one if one.is_marked else None) for one in entries(kind)
    )


def scale_of(kind: type) -> str:
    """Return the scale declared by a document; empty without one."""
    return getattr(kind, "document_scale", "")


class DocumentEntry(NamedTuple):
    """A key of a document: the attribute that holds its value, and the type in the document."""

    key: Key
    attribute: str
    kind: Any

    @property
    def is_marked(self) -> bool:
        """Whether its value is not simply the plain data of the attribute."""
        key = self.key
        is_conditional = key.null_if_empty or key.omit_if_empty
        return key.is_inline or is_conditional or key.form is not None

    def plain(self, value: Any) -> Any:  # noqa: ANN401  whatever the field holds
        """The value as plain data."""
        if self.key.form is not None and value is not None:
            return plain(self.key.form(value))
        return None if value == "" and self.key.null_if_empty else plain(value)


FIRST: Final = "the first key"
"""The position of an entry at the start of its document."""


@cache
def entries(kind: type) -> tuple[DocumentEntry, ...]:
    """The keys of a document in their order."""
    names: list[str] = []
    found = {entry.key.name: entry for entry in (*_fields(kind), *_properties(kind))}
    waiting = list(found)
    while waiting:
        placeable = [one for one in waiting if found[one].key.after in {"", FIRST, *names}]
        if not placeable:
            raise TypeError(f"{kind.__name__}: {', '.join(waiting)} follow no key of the document.")
        waiting.remove(placeable[0])
        after = found[placeable[0]].key.after
        at = 0 if after == FIRST else names.index(after) + 1 if after else len(names)
        names.insert(at, placeable[0])
    return tuple(found[name] for name in names)


def _fields(kind: type) -> Iterator[DocumentEntry]:
    for one in fields(kind):
        marks = getattr(one.type, "__metadata__", ())
        if OMITTED not in marks:
            key = next((mark for mark in marks if isinstance(mark, Key)), Key())
            held = one.type if key.form is None else _formed_type(one.type, key.form)
            yield DocumentEntry(replace(key, name=key.name or one.name), one.name, held)


def _formed_type(kind: Any, form: Callable[[Any], Any]) -> Any:  # noqa: ANN401  types of any kind
    """The type of a field's values once the form is applied, None where the field may be None."""
    made = get_type_hints(form)["return"]
    return made | None if NoneType in get_args(get_args(kind)[0]) else made


def _properties(kind: type) -> Iterator[DocumentEntry]:
    for base in reversed(kind.__mro__):
        for name, made in vars(base).items():
            key = getattr(getattr(made, "fget", None), "document_key", None)
            if key is not None:
                yield DocumentEntry(key, name, made.fget.__annotations__["return"])


def plain(value: Any) -> Any:  # noqa: ANN401  any value that a document holds
    """A value as plain data."""
    if value.__class__ in _SCALARS:
        return value
    if value.__class__ is tuple:
        return [plain(item) for item in value]
    if value.__class__ is dict:
        return {plain(key): plain(item) for key, item in value.items()}
    return _plain_by_kind(value)


def _plain_by_kind(value: Any) -> Any:  # noqa: ANN401  as above
    match value:
        case Enum():
            return value.value
        case int() | float() | str():
            return value
        case msgspec.Struct():
            return msgspec.to_builtins(value)
        case Mapping():
            return {plain(key): plain(item) for key, item in value.items()}
        case Iterable():
            return [plain(item) for item in value]
        case _:
            return value.to_dict() if hasattr(value, "to_dict") else document_of(value)
