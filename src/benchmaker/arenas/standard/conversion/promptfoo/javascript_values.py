"""The value of a JavaScript expression over known data: variables that are written in a file.

Only what has one sure meaning is evaluated; everything else is not understood.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from benchmaker.arenas.standard.conversion.promptfoo.javascript import Node, NotUnderstood
from benchmaker.arenas.standard.conversion.promptfoo.javascript_regex import python_pattern

_UNDEFINED = object()
_MOST_CHARACTERS = 1_000_000


def evaluate_expression(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON
    """Return the value of an expression over ``known`` names.

    Raises:
        NotUnderstood: it has none, or needs more than this evaluates.

    >>> from benchmaker.arenas.standard.conversion.promptfoo.javascript import parse_expression
    >>> known = {"vars": {"city": " Rome"}}
    >>> evaluate_expression(parse_expression("{...vars, city: vars.city.trim()}"), known)
    {'city': 'Rome'}
    """
    found = _value(node, known)
    if found is _UNDEFINED:
        raise NotUnderstood("it is undefined")
    if isinstance(found, str) and len(found) > _MOST_CHARACTERS:
        raise NotUnderstood("the text is too long")
    return found


def _value(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    if node.kind in _VALUES:
        return _VALUES[node.kind](node, known)
    raise NotUnderstood(f"{node.kind} has no value here")


def _lookup(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    if node.value not in known:
        raise NotUnderstood(f"unknown name {node.value!r}")
    return known[node.value]


def _inner(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return _member(_value(node.parts[0], known), _key(node, known))


def _condition(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    chosen = 1 if _is_true(_value(node.parts[0], known)) else 2
    return _value(node.parts[chosen], known)


def _template(node: Node, known: Mapping[str, Any]) -> str:
    return "".join(_text(_value(it, known)) for it in node.parts)


def _key(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return node.value if node.kind == "member" else _value(node.parts[1], known)


def _member(owner: Any, key: Any) -> Any:  # noqa: ANN401
    if isinstance(owner, dict):
        return owner.get(str(key), _UNDEFINED)
    if isinstance(owner, (str, list)):
        if key == "length":
            return len(owner)
        if isinstance(key, int) and 0 <= key < len(owner):
            return owner[key]
        return _UNDEFINED
    raise NotUnderstood("a member of no object")


def _object(node: Node, known: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, part in zip(node.value, node.parts, strict=True):
        value = _value(part, known)
        if key is not None:
            made[key] = value
        elif isinstance(value, dict):
            made |= value
        else:
            raise NotUnderstood("a spread of no object")
    return {key: it for key, it in made.items() if it is not _UNDEFINED}


def _array(node: Node, known: Mapping[str, Any]) -> list[Any]:
    made: list[Any] = []
    for part in node.parts:
        if part.kind == "spread":
            made.extend(_value(part.parts[0], known))
        else:
            made.append(_value(part, known))
    return made


def _call(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    called, given = node.parts[0], node.parts[1:]
    if called.kind == "name":
        return _global_call(called.value, [_value(it, known) for it in given])
    if called.kind != "member":
        raise NotUnderstood("a call of no function")
    owner = called.parts[0]
    if owner.kind == "name" and owner.value in {"JSON", "Array"}:
        values = [_value(it, known) for it in given]
        return _global_call(f"{owner.value}.{called.value}", values)
    patterns = [it.value if it.kind == "regex" else _value(it, known) for it in given]
    return _method(_value(owner, known), called.value, patterns)


def _global_call(name: str, given: list[Any]) -> Any:  # noqa: ANN401
    match name, given:
        case "String", [value]:
            return _text(value)
        case "Boolean", [value]:
            return _is_true(value)
        case "Array.isArray", [value]:
            return isinstance(value, list)
        case "JSON.stringify", [value]:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        case "JSON.parse", [str() as text]:
            try:
                return json.loads(text)
            except ValueError as exc:
                raise NotUnderstood("JSON.parse of no JSON") from exc
        case _:
            raise NotUnderstood(f"{name} is not evaluated")


def _method(owner: Any, name: str, given: list[Any]) -> Any:  # noqa: ANN401
    if isinstance(owner, str) and not given and name in _OF_TEXTS:
        return _OF_TEXTS[name](owner)
    match owner, name, given:
        case str(), "split", [str() as by] if by:
            return owner.split(by)
        case list(), "join", [str() as by]:
            return by.join(map(_text, owner))
        case (str(), "includes", [str() as part]) | (list(), "includes", [part]):
            return part in owner
        case str(), "startsWith", [str() as part]:
            return owner.startswith(part)
        case str(), "replace", [old, str() as by] if "$" not in by:
            return _replace(owner, old, by)
    raise NotUnderstood(f"the method {name} is not evaluated")


def _replace(text: str, old: Any, by: str) -> str:  # noqa: ANN401  a text, or a pattern with flags
    if isinstance(old, str):
        return text.replace(old, by, 1)
    source, flags = old
    return re.sub(python_pattern(source, flags), lambda _: by, text, count=0 if "g" in flags else 1)


_OF_TEXTS: dict[str, Callable[[str], str]] = {
    "trim": str.strip,
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "toString": str,
}


def _binary(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    left = _value(node.parts[0], known)
    if node.value in {"&&", "||", "??"}:
        is_left = {
            "&&": not _is_true(left),
            "||": _is_true(left),
            "??": left is not None and left is not _UNDEFINED,
        }[node.value]
        return left if is_left else _value(node.parts[1], known)
    right = _value(node.parts[1], known)
    if node.value in {"===", "!=="}:
        are_numbers = all(type(it) in {int, float} for it in (left, right))
        is_same = (are_numbers or type(left) is type(right)) and left == right
        return is_same == (node.value == "===")
    if node.value == "+" and isinstance(left, str):
        return left + _text(right)
    if node.value == "+" and isinstance(right, str):
        return _text(left) + right
    raise NotUnderstood(f"the operator {node.value} is not evaluated")


def _unary(node: Node, known: Mapping[str, Any]) -> Any:  # noqa: ANN401
    value = _value(node.parts[0], known)
    if node.value == "!":
        return not _is_true(value)
    if node.value == "-" and isinstance(value, (int, float)):
        return -value
    raise NotUnderstood(f"the operator {node.value} is not evaluated")


def _is_true(value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, (dict, list)):
        return True
    return value is not _UNDEFINED and bool(value)


def _text(value: Any) -> str:  # noqa: ANN401
    match value:
        case bool():
            return str(value).lower()
        case str():
            return value
        case int():
            return str(value)
        case float() if value.is_integer():
            return str(int(value))
        case float():
            return repr(value)
        case None:
            return "null"
        case _:
            raise NotUnderstood("an object as text")


_VALUES: dict[str, Callable[[Node, Mapping[str, Any]], Any]] = {
    "literal": lambda node, _: node.value,
    "undefined": lambda _node, _lookup: _UNDEFINED,
    "name": _lookup,
    "member": _inner,
    "index": _inner,
    "condition": _condition,
    "object": _object,
    "array": _array,
    "template": _template,
    "call": _call,
    "binary": _binary,
    "unary": _unary,
}
