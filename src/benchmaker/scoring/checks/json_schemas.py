"""JSON Schemas that no value can fit."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda it: it is None,
    "boolean": lambda it: isinstance(it, bool),
    "string": lambda it: isinstance(it, str),
    "array": lambda it: isinstance(it, list),
    "object": lambda it: isinstance(it, dict),
    "number": lambda it: isinstance(it, (int, float)) and not isinstance(it, bool),
    "integer": lambda it: _TYPES["number"](it) and float(it).is_integer(),
}
_BOUNDS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
}


def contradiction(schema: Any) -> str:  # noqa: ANN401  JSON
    """Return the reason why no JSON value fits a valid schema; empty if none is found.

    Only contradictions that a look at the schema shows are found, not all that there are.

    >>> contradiction({"type": "object", "required": ["a"], "properties": {"a": False}})
    "the required property 'a' can have no value"
    >>> contradiction({"type": "array", "minItems": 2})
    ''
    """
    if not isinstance(schema, dict):
        return "the schema is false" if schema is False else ""
    return next(_contradictions(schema), "")


def _contradictions(schema: dict[str, Any]) -> Iterator[str]:
    if schema.get("not") in (True, {}) and "not" in schema:
        yield "not excludes every value"
    for name in ("enum", "anyOf", "oneOf", "type"):
        if schema.get(name) == []:
            yield f"{name} is empty"
    types = _types_of(schema)
    given = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if types and isinstance(given, list) and given and not any(_fits(it, types) for it in given):
        yield f"{'enum' if 'enum' in schema else 'const'} has no value of type {' or '.join(types)}"
    parts = schema.get("allOf") or []
    yield from filter(None, map(contradiction, parts))
    for name in ("anyOf", "oneOf"):
        branches = [contradiction(one) for one in schema.get(name) or []]
        if branches and all(branches):
            yield f"no branch of {name} can be fitted: {branches[0]}"
    if why := _ambiguity(schema.get("oneOf") or []):
        yield why
    if len(types) == 1:
        yield from _contradictions_of(types[0], schema)


def _ambiguity(branches: list[Any]) -> str:
    """The reason why no value fits one of several branches alone; empty if none is found."""
    if sum(it is True or it == {} for it in branches) > 1:
        return "two branches of oneOf accept every value"
    texts = Counter(json.dumps(it, sort_keys=True) for it in branches if not contradiction(it))
    return "oneOf has only equal branches" if texts and min(texts.values()) > 1 else ""


def _contradictions_of(kind: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield the contradictions of a schema whose values are of one type."""
    low, high = (schema.get(name) for name in _BOUNDS.get(kind, ("", "")))
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
        first, second = _BOUNDS[kind]
        yield f"{first} {low:g} is above {second} {high:g}"
    if kind == "object":
        yield from _impossible_properties(schema)
    if (
        kind == "array"
        and schema.get("items") is False
        and (schema.get("minItems") or 0) > len(schema.get("prefixItems") or [])
    ):
        yield "minItems demands more items than are allowed"


def _impossible_properties(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the required properties that are forbidden or can have no value."""
    known = schema.get("properties") or {}
    is_closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
    for name in schema.get("required") or []:
        if name not in known and is_closed:
            yield f"the required property {name!r} is forbidden by additionalProperties"
        elif name in known and contradiction(known[name]):
            yield f"the required property {name!r} can have no value"


def _types_of(schema: dict[str, Any]) -> list[str]:
    given = schema.get("type")
    return [given] if isinstance(given, str) else list(given or ())


def _fits(value: Any, types: list[str]) -> bool:  # noqa: ANN401  JSON
    return any(one not in _TYPES or _TYPES[one](value) for one in types)
