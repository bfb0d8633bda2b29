"""Validation errors as messages for the author of the file."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from benchmaker.errors import SpecError
from benchmaker.redact import Redactor
from benchmaker.spec.documents.foreign_files import FOREIGN_KEYS, MEANT
from benchmaker.spec.documents.source_map import Path, SourceMark, value_name
from benchmaker.spec.documents.suggestions import nearest_name

_SHOWN = 60
_redactor = Redactor()


class FieldFault(NamedTuple):
    """One validation fault: the path, if the key is at fault, the value found, the remedy."""

    path: Path
    is_key: bool
    message: str
    hint: str


def faults(
    error: ValidationError, model: type[BaseModel], parts: Mapping[str, type[BaseModel]]
) -> Iterator[FieldFault]:
    """Yield the faults of one validation; a mistyped field is not also reported as missing.

    ``model`` is the validated model; ``parts`` are the models of nested values by field name, used
    to list their fields.
    """
    details = error.errors(include_url=False)
    meant = {
        (*detail["loc"][:-1], intended_field(str(detail["loc"][-1]), owner))
        for detail in details
        if (owner := _owner(detail, model, parts))
    }
    for detail in details:
        if detail["type"] != "missing" or detail["loc"] not in meant:
            yield _fault(detail, model, parts)


def refused_fields(
    error: ValidationError, model: type[BaseModel], given: Mapping[str, Any]
) -> frozenset[str]:
    """Return the fields of ``model`` with refused values, which need no further report.

    A mistyped field counts under the name that it probably meant, unless that is given as well.
    """
    names = set()
    for detail in error.errors(include_url=False):
        name = str(detail["loc"][0]) if detail["loc"] else ""
        if _owner(detail, model, {}) and len(detail["loc"]) == 1:
            meant = intended_field(name, model)
            names.add(meant if meant and meant not in given else "")
        else:
            names.add(name)
    return frozenset(name for name in names if name in model.model_fields)


def _owner(
    detail: ErrorDetails, model: type[BaseModel], parts: Mapping[str, type[BaseModel]]
) -> type[BaseModel] | None:
    """Return the model with the unknown field; None for other faults."""
    if detail["type"] != "extra_forbidden":
        return None
    steps = reversed(detail["loc"][:-1])
    return next((parts[str(step)] for step in steps if step in parts), model)


def _fault(
    detail: ErrorDetails, model: type[BaseModel], parts: Mapping[str, type[BaseModel]]
) -> FieldFault:
    path: Path = tuple(_without_branches(detail["loc"]))
    if owner := _owner(detail, model, parts):
        return FieldFault(
            path,
            True,
            f"unknown field {_short_repr(path[-1])}.",
            _suggest_parameter(str(path[-1]), detail["input"], owner)
            or _suggest_field(str(path[-1]), owner),
        )
    if detail["type"] == "missing":
        return FieldFault(path[:-1], False, f"{path[-1]} is missing.", f"Add a field '{path[-1]}'.")
    name = value_name(path) or "this"
    message = _objection(detail, name)
    return FieldFault(path, False, f"{message}.", _hint(path, detail["input"]))


def _hint(path: Path, value: object) -> str:
    if path[-1:] == ("threshold",) and "{{" in str(value):
        return "Variables are for texts. Use a share from 0 to 1."
    if path[-1:] == ("weight",) and "checks" in path:
        return "A weight of 0 only reports."
    return _HINTS.get(path[-1] if path else "", "")


def _suggest_parameter(word: str, value: Any, owner: type[BaseModel]) -> str:  # noqa: ANN401  any
    """Return where a parameter of requests belongs; empty for another field."""
    field = owner.model_fields.get("parameters")
    kinds = (field.annotation, *get_args(field.annotation)) if field else ()
    models = [it for it in kinds if isinstance(it, type) and issubclass(it, BaseModel)]
    if not any(word in it.model_fields for it in models):
        return ""
    return f"Write parameters: {{{word}: {_short_repr(value)}}}."


def _suggest_field(word: str, owner: type[BaseModel]) -> str:
    if foreign := FOREIGN_KEYS.get(word):
        return f"{word!r} is {foreign.tool}. {foreign.hint}"
    meant = intended_field(word, owner)
    if meant is None:
        return f"Known fields: {', '.join(_written_fields(owner))}."
    is_foreign = MEANT.get(word.casefold()) == meant
    return f"Use {meant!r} instead." if is_foreign else f"Did you mean {meant!r}?"


def intended_field(word: str, owner: type[BaseModel]) -> str | None:
    """Return the field a wrong name probably stands for: another tool's name, or the nearest."""
    named = MEANT.get(word.casefold())
    return named if named in owner.model_fields else nearest_name(word, _written_fields(owner))


def intended_values(
    values: Mapping[str, Any], model: type[BaseModel], mark: SourceMark | None
) -> dict[str, Any]:
    """Return the values of mistyped fields by the fields that they probably mean.

    Fields that are given as well are left out. ``mark`` then locates each value under its new name,
    too.
    """
    meant: dict[str, Any] = {}
    for key, value in values.items():
        if key in model.model_fields or key in FOREIGN_KEYS:
            continue
        name = intended_field(key, model)
        if name is None or name in values or name in meant:
            continue
        meant[name] = value
        if mark is not None and key in mark.inside:
            mark.inside[name] = mark.inside[key]
    return meant


def _written_fields(owner: type[BaseModel]) -> list[str]:
    return [name for name, field in owner.model_fields.items() if not field.exclude]


def _without_branches(path: Path) -> Iterator[str | int]:
    """The path without the names that a union gives its branches."""
    for before, step in zip(("", *path), path, strict=False):
        if before not in _UNIONS or step not in _BRANCHES:
            yield step


_UNIONS = frozenset({"response_format"})
_BRANCHES = frozenset({"text", "mapping"})


def _objection(detail: ErrorDetails, name: str) -> str:
    given, rule = detail["input"], detail["type"]
    context: dict[str, Any] = detail.get("ctx", {})
    if not detail["loc"] and isinstance(own := context.get("error"), SpecError):
        return f"{own.message} {own.hint}".strip().rstrip(".")
    if rule == "value_error" and not detail["loc"]:
        return question(given)
    if rule == "value_error":
        return f"{name}: {context['error']}"
    if rule in _BOUNDS:
        words, bound = _BOUNDS[rule]
        return f"{name} must be {words} {context[bound]:g}, not {_short_repr(given)}"
    if rule in _LENGTHS:
        return f"{name} {_LENGTHS[rule].format(**context)}"
    wanted = _WANTED.get(rule, "").format(**context)
    return f"{name} must be {wanted}, not {kind(given)}" if wanted else f"{name}: {detail['msg']}"


def question(given: Any) -> str:  # noqa: ANN401  what stands in the file
    """Return the fault of a case without exactly one of prompt and messages."""
    has_both = isinstance(given, Mapping) and given.get("prompt") is not None
    if has_both:
        return "both prompt and messages are given; remove one of them"
    return "prompt is missing; add prompt or messages"


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
    "string_unicode": "text without lone surrogates",
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
    "max_tokens": "Use a number of at least 1; null sends no limit.",
    "weight": "A weight of 0 excludes a case.",
    "scorer": "Use the name of a scorer, or {id: name, parameter: value}.",
    "threshold": "Use a share from 0 to 1. For a gate: benchmaker run SUITE --threshold 80",
    "checks": "Use a list of checks, such as [{type: exact, value: Paris}].",
    "messages": "Use a list of {role, content}.",
    "choices": "Use a list of texts, such as [Rome, Paris]; they become A, B, … in order.",
}


def kind(value: Any) -> str:  # noqa: ANN401  what stands in the file
    """Return the kind of a value for a sentence: ``a list``, ``'abc'``."""
    match value:
        case None:
            return "an empty value"
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case str() | int() | float():
            return _short_repr(value)
        case _:
            name = type(value).__name__
            return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _short_repr(value: Any) -> str:  # noqa: ANN401  what stands in the file
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, (str, int, float)) else kind(value)
    text = _redactor.text(text)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
