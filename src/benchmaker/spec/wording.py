"""What a validator objects to, in words for the person who wrote the file."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from benchmaker.spec.nearest import did_you_mean
from benchmaker.spec.places import Path

_SHOWN = 60


class Fault(NamedTuple):
    """One objection: the value's path, whether its key is meant, what was found, what to do."""

    path: Path
    is_key: bool
    message: str
    hint: str


def faults(
    error: ValidationError, model: type[BaseModel], parts: Mapping[str, type[BaseModel]]
) -> Iterator[Fault]:
    """The objections of one validation.

    ``model`` is what was validated; ``parts`` are the models of values inside it by field name,
    for naming the fields that exist there.
    """
    for detail in error.errors(include_url=False):
        yield _fault(detail, model, parts)


def _fault(
    detail: ErrorDetails, model: type[BaseModel], parts: Mapping[str, type[BaseModel]]
) -> Fault:
    path: Path = tuple(detail["loc"])
    if detail["type"] == "extra_forbidden":
        owner = next((parts[str(step)] for step in reversed(path[:-1]) if step in parts), model)
        return Fault(path, True, f"unknown field {_shown(path[-1])}.", _known(str(path[-1]), owner))
    if detail["type"] == "missing":
        return Fault(path[:-1], False, f"{path[-1]} is missing.", f"Add a field '{path[-1]}'.")
    name = _named(path)
    message = _objection(detail, name)
    return Fault(path, False, f"{message}.", _HINTS.get(path[-1] if path else "", ""))


def _known(word: str, owner: type[BaseModel]) -> str:
    fields = list(owner.model_fields)
    return did_you_mean(word, fields) or f"Known fields: {', '.join(fields)}."


def _named(path: Path) -> str:
    """A value's name for a sentence: ``tags[2]``, ``parameters.top_p``."""
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else str(step)
    return name or "this"


def _objection(detail: ErrorDetails, name: str) -> str:
    given, rule = detail["input"], detail["type"]
    context: dict[str, Any] = detail.get("ctx", {})
    if rule == "value_error" and not detail["loc"]:
        return _question(given)
    if rule in _BOUNDS:
        words, bound = _BOUNDS[rule]
        return f"{name} must be {words} {context[bound]:g}, not {_shown(given)}"
    if rule in _LENGTHS:
        return f"{name} {_LENGTHS[rule].format(**context)}"
    wanted = _WANTED.get(rule, "").format(**context)
    return f"{name} must be {wanted}, not {kind(given)}" if wanted else f"{name}: {detail['msg']}"


def _question(given: Any) -> str:  # noqa: ANN401  what stands in the file
    has_both = isinstance(given, Mapping) and given.get("prompt") is not None
    if has_both:
        return "both prompt and messages are given; keep one of them"
    return "prompt is missing; give prompt or messages"


_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("greater than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}
_LENGTHS = {
    "string_too_short": "must not be empty",
    "string_too_long": "is longer than {max_length} characters",
}
_WANTED = {
    "literal_error": "{expected}",
    "finite_number": "a finite number",
    "string_type": "text",
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_HINTS: dict[str | int, str] = {
    "weight": "A weight is a number from 0 up.",
    "scorer": "Write a scorer's name, or {id: name, parameter: value}.",
    "messages": "Write a list of {role, content}.",
}


def kind(value: Any) -> str:  # noqa: ANN401  what stands in the file
    """What a value is, for a sentence: ``a list``, ``'abc'``."""
    match value:
        case None:
            return "nothing"
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case _:
            return _shown(value)


def _shown(value: Any) -> str:  # noqa: ANN401  what stands in the file
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, (str, int, float)) else kind(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
