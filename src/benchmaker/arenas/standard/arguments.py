"""Validation of the arguments of a Python call against the function's annotations."""

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from benchmaker.engine.requests.option_declaration import Option
from benchmaker.errors import SpecError
from benchmaker.spec.documents.messages import kind
from benchmaker.spec.suites.case_form import unfit_inside

P = ParamSpec("P")
T = TypeVar("T")

_WORDS: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "text",
    Path: "a path",
    Sequence: "a list",
    Mapping: "a mapping",
    Callable: "a function",
}


def validated_call(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function validate its arguments against its annotations.

    Annotations in quotes are not checked.

    Raises:
        SpecError: arguments have a wrong type; the message names all of them.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        refuse_wrong(function.__name__, function, args, kwargs)
        return function(*args, **kwargs)

    return call


def refuse_wrong(
    name: str, function: Callable[..., object], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Check the arguments of a call of ``function``, which messages call ``name``.

    Raises:
        TypeError: a parameter is unknown or missing.
        SpecError: a value has a wrong type, or can't be stored.
    """
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as exc:
        message = f"{name}() {exc}"
        raise TypeError(message) from None
    wrong = [
        one
        for parameter, value in given.items()
        for one in objections(parameter, value, signature.parameters[parameter].annotation)
    ]
    if wrong:
        raise SpecError(" ".join(wrong), where=f"{name}()")


def objections(name: str, value: Any, wanted: Any) -> list[str]:  # noqa: ANN401  any argument
    """Return the faults of an argument; empty if there are none."""
    if not _fits(value, wanted):
        return [f"{name} must be {_annotation_words(wanted)}, not {kind(value)}."]
    if Path in get_args(wanted):
        return []
    return [f"{name}: {message}" for _, message in unfit_inside((), value)]


def option_objections(declared: Option, value: Any, wanted: Any) -> list[str]:  # noqa: ANN401  any
    """Return the faults of an option's value: of its type, its minimum and its choices."""
    if wrong := objections(declared.name, value, wanted):
        return wrong
    is_number = isinstance(value, int | float)
    if is_number and declared.least is not None and not value >= declared.least:  # NaN is refused
        return [f"{declared.name} must be at least {declared.least:g}, not {value:g}."]
    if declared.choices and value not in (*declared.choices, declared.default):
        return [f"{declared.name} must be {_either(declared.choices)}, not {kind(value)}."]
    return []


def _either(choices: Iterable[object]) -> str:
    return " or ".join(map(repr, choices))


def _fits(value: Any, wanted: Any) -> bool:  # noqa: ANN401, PLR0911  any argument, a table
    """True if a value and its items match an annotation."""
    origin, parts = get_origin(wanted) or wanted, get_args(wanted)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in parts)
    if origin in (int, float):
        return isinstance(value, (int, origin)) and not isinstance(value, bool)
    if origin is Literal:
        return value in parts
    if origin is Sequence:
        is_list = isinstance(value, Collection) and not isinstance(value, (str, bytes, Mapping))
        return is_list and all(_fits(one, parts[0]) for one in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(key, parts[0]) and _fits(one, parts[1]) for key, one in value.items()
        )
    if origin is Any or not isinstance(origin, type) or getattr(origin, "_is_protocol", False):
        return True
    return isinstance(value, origin)


def _annotation_words(wanted: Any) -> str:  # noqa: ANN401  any annotation
    """Return the permitted values of an annotation, in words: ``text or a path``."""
    if get_origin(wanted) in (Union, UnionType):
        several = [one for one in get_args(wanted) if one is not NoneType]
        return " or ".join(dict.fromkeys(map(_annotation_words, several)))
    origin = get_origin(wanted) or wanted
    if origin is Literal:
        return _either(get_args(wanted))
    return _WORDS.get(origin, f"a {getattr(origin, '__name__', origin)}")
