"""The typed dicts of documents, from which the schema of the API is made."""

from collections.abc import Mapping
from functools import cache
from inspect import getdoc
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from benchmaker.documents import Document, entries, scale_of


@cache
def shape_of(kind: Any) -> Any:  # noqa: ANN401  types of any kind
    """Return the JSON type of values of a type, every document within it as a typed dict."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is None:
        return _class_shape(kind)
    if origin in {Literal, NotRequired}:
        return kind
    if origin is Annotated:
        return shape_of(parts[0])
    return _container(origin, parts)[tuple(shape_of(part) for part in parts if part is not ...)]


def _document_shape(kind: type) -> Any:  # noqa: ANN401  a TypedDict made here
    """The typed dict of a document's keys; its description is the docstring."""
    hints = _hints(kind)
    keys: dict[str, Any] = {"scale": Literal[scale]} if (scale := scale_of(kind)) else {}
    for entry in entries(kind):
        shape = shape_of(hints[entry.attribute])
        if entry.key.is_inline:
            keys |= get_type_hints(shape, include_extras=True)  # keeps NotRequired
        elif entry.key.omit_if_empty:
            keys[entry.key.name] = NotRequired[shape]
        else:
            keys[entry.key.name] = shape | None if entry.key.null_if_empty else shape
    made = TypedDict(kind.__name__, keys)  # type: ignore[misc]  # made of a class on purpose
    made.__doc__, made.__module__ = getdoc(kind), kind.__module__
    return made


def _typed_dict_shape(kind: Any) -> Any:  # noqa: ANN401  a TypedDict
    """A typed dict whose documents are typed dicts, too."""
    hints = get_type_hints(kind, include_extras=True)
    shapes = {key: shape_of(hint) for key, hint in hints.items()}
    if shapes == hints:
        return kind
    made = TypedDict(kind.__name__, shapes)  # type: ignore[misc]  # as above
    made.__doc__, made.__module__ = getdoc(kind), kind.__module__
    return made


def _hints(kind: type) -> dict[str, Any]:
    """Return the types of a document's fields; those of omitted fields need not be imported."""
    kinds = {entry.attribute: entry.kind for entry in entries(kind)}
    listed = type(kind.__name__, (), {"__annotations__": kinds, "__module__": kind.__module__})
    return get_type_hints(listed, localns=_documents(), include_extras=True)


def _documents() -> dict[str, type]:
    """All documents by name, for fields whose type is imported for type checkers alone."""
    return {kind.__name__: kind for kind in Document.__subclasses__()}


def _container(origin: Any, parts: tuple[Any, ...]) -> Any:  # noqa: ANN401  types of any kind
    """Return a container's type in JSON: a tuple of fixed length is kept."""
    if origin in {Union, UnionType}:
        return Union
    if origin is tuple and parts[-1] is not ...:
        return tuple
    return dict if issubclass(origin, Mapping) else list


def _class_shape(kind: Any) -> Any:  # noqa: ANN401  types of any kind
    if is_typeddict(kind):
        return _typed_dict_shape(kind)
    if isinstance(kind, type) and issubclass(kind, Document):
        return _document_shape(kind)
    return kind
