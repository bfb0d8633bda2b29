"""Checks for JavaScript assertions whose meaning is sure, such as ``output.includes('x')``.

A condition on the text of the answer becomes a check of text, one on ``JSON.parse(output)`` a
JSON Schema. A condition that throws in JavaScript fails here as well.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmaker.arenas.standard.conversion.promptfoo.javascript import (
    Node,
    NotUnderstood,
    parse_expression,
)
from benchmaker.arenas.standard.conversion.promptfoo.javascript_regex import python_pattern
from benchmaker.arenas.standard.conversion.promptfoo.javascript_values import evaluate_expression

Check = dict[str, Any]
Path = tuple[str | int, ...]

ALWAYS: Check = {"type": "regex", "pattern": r"\A"}
"""A check that every answer passes."""
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TYPES = {"string": "string", "number": "number", "boolean": "boolean"}
_NOT_NULL = ["object", "array", "string", "number", "boolean"]
_MOST_LENGTH = 1_000_000


@dataclass(frozen=True, slots=True)
class AnswerView:
    """How an expression sees the answer: as a text, or as the object that its JSON holds.

    ``variables`` are those of the test; one with several values becomes a template.
    """

    is_object: bool = False
    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Json:
    """A value inside the answer's JSON."""

    path: Path = ()


@dataclass(frozen=True, slots=True)
class _Text:
    """The answer as a text, after filters."""

    filters: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class _Length:
    """The length of a text or a JSON value."""

    of: _Json | _Text


def filters_of(source: str) -> list[Any]:
    """Return the filters that do what a transform of the output does.

    Raises:
        NotUnderstood: there are none for it.

    >>> filters_of("output.replace(/[^0-9]/g, '')")
    [{'replace': '[^0-9]'}]
    >>> filters_of("JSON.parse(output).items[0]")
    [{'path': ['items', 0]}]
    """
    found = _subject(parse_expression(source), AnswerView())
    if isinstance(found, _Text):
        return list(found.filters)
    if isinstance(found, _Json):
        return [{"path": list(found.path)}] if found.path else ["json"]
    raise NotUnderstood("it is no text of the answer")


def check_of(source: str, view: AnswerView, *, threshold: float | None = None) -> Check:
    r"""Return the check that decides as a JavaScript assertion with this source does.

    ``threshold`` is that of the assertion, for expressions that give numbers.

    Raises:
        NotUnderstood: the meaning of the expression is not sure.

    >>> check_of("output.length < 5", AnswerView())
    {'type': 'regex', 'pattern': '(?s)\\A.{0,4}\\Z'}
    """
    node = parse_expression(source)
    if node.kind == "condition":
        return _grade_check(node, view, threshold)
    return _check(node, view)


def _grade_check(node: Node, view: AnswerView, threshold: float | None) -> Check:
    """A condition between two scores: ``C ? 1 : 0.5``."""
    condition, *sides = node.parts
    if not all(_is_share(it) or _is_truth(it) for it in sides):
        raise NotUnderstood("a condition between others than two shares")
    yes, no = (float(it.value) for it in sides)
    check = _check(condition, view)
    if _is_truth(sides[0]) != _is_truth(sides[1]) or yes == no:
        raise NotUnderstood("both sides of a condition are alike, or of two kinds")
    if yes < no:
        check, yes, no = _not(check), no, yes
    if (yes, no) == (1.0, 0.0) and threshold is None:
        return check
    parts = [(no, ALWAYS), (yes - no, check), (1 - yes, _not(ALWAYS))]
    limit = threshold if threshold is not None else (yes if no == 0 else 0.0)
    checks = [{**it, "weight": round(weight, 12)} for weight, it in parts if weight > 0]
    return {"type": "set", "threshold": limit, "checks": checks}


def _is_share(node: Node) -> bool:
    is_number = node.kind == "literal" and type(node.value) in {int, float}
    return is_number and 0 <= node.value <= 1


def _is_truth(node: Node) -> bool:
    return node.kind == "literal" and isinstance(node.value, bool)


def _check(node: Node, view: AnswerView) -> Check:
    if not _reads_answer(node):
        return _constant(node, view)
    if node.kind == "unary" and node.value == "!":
        return _negate(node.parts[0], view)
    if node.kind == "binary" and node.value in {"&&", "||"}:
        return _join(node, view)
    if node.kind == "binary":
        return _comparison(node, view)
    if node.kind == "call":
        return _call_check(node, view)
    raise NotUnderstood(f"{node.kind} is no condition")


def _reads_answer(node: Node) -> bool:
    return node == Node("name", "output") or any(map(_reads_answer, node.parts))


def _constant(node: Node, view: AnswerView) -> Check:
    """A check that passes always or never, for a condition on variables alone."""
    known = {"vars": dict(view.variables), "context": {"vars": dict(view.variables)}}
    value = evaluate_expression(node, known)
    if not isinstance(value, bool):
        raise NotUnderstood("a value that is not true or false")
    return ALWAYS if value else _not(ALWAYS)


def _negate(node: Node, view: AnswerView) -> Check:
    if node.kind == "unary" and node.value == "!":
        return _check(node.parts[0], view)
    if node.kind == "binary" and node.value in {"===", "!=="}:
        other = "!==" if node.value == "===" else "==="
        return _comparison(Node("binary", other, node.parts), view)
    made = _check(node, view)
    if reads_json(made):
        raise NotUnderstood("the opposite of a condition on JSON, which may throw")
    return _not(made)


def _join(node: Node, view: AnswerView) -> Check:
    left, right = (_check(it, view) for it in node.parts)
    if node.value == "&&":
        return {"type": "set", "checks": [*_members(left), *_members(right)]}
    if reads_json(left) and not _throw_alike(left, right):
        raise NotUnderstood("an alternative to a condition on JSON, which may throw")
    return _not({"type": "set", "checks": [_not(left), _not(right)]})


def _members(check: Check) -> list[Check]:
    is_plain = check["type"] == "set" and check.keys() == {"type", "checks"}
    return list(check["checks"]) if is_plain else [check]


def reads_json(check: Check) -> bool:
    """True if a check, or one within it, reads the answer as JSON."""
    return check["type"] == "json_schema" or any(map(reads_json, check.get("checks", ())))


def _throw_alike(left: Check, right: Check) -> bool:
    """True if both are conditions on direct members, which throw for the same answers."""
    return all(
        it["type"] == "json_schema" and not any("properties" in one for one in _below(it["value"]))
        for it in (left, right)
    )


def _below(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [it for it in schema.get("properties", {}).values() if isinstance(it, dict)]


def _not(check: Check) -> Check:
    if check.get("not"):
        return {name: it for name, it in check.items() if name != "not"}
    return {**check, "not": True}


def _comparison(node: Node, view: AnswerView) -> Check:
    sign, (left, right) = node.value, node.parts
    if _is_value(left, view):
        sign, left, right = _MIRRORED.get(sign, sign), right, left
    if left.kind == "unary" and left.value == "typeof":
        return _type_check(sign, left.parts[0], _literal(right, view), view)
    subject, value = _subject(left, view), _literal(right, view)
    if isinstance(subject, _Length):
        return _length_check(sign, subject.of, value)
    if isinstance(subject, _Json):
        return _json_check(subject.path, *_json_condition(sign, value))
    if not isinstance(value, str) or sign not in {"===", "==", "!==", "!="}:
        raise NotUnderstood("a comparison of the answer with no text")
    made = _with_filters({"type": "equals", "value": value, "keep_spaces": True}, subject)
    return made if sign in {"===", "=="} else _not(made)


def _type_check(sign: str, node: Node, value: object, view: AnswerView) -> Check:
    subject = _subject(node, view)
    if not isinstance(subject, _Json) or not subject.path or value not in _TYPES or sign != "===":
        raise NotUnderstood("a type that is not compared")
    return _json_check(subject.path, {"type": _TYPES[str(value)]}, is_required=True)


def _length_check(sign: str, subject: _Json | _Text, value: object) -> Check:
    if type(value) is not int or not 0 <= value < _MOST_LENGTH:
        raise NotUnderstood("a length that is no whole number")
    least = {">": value + 1, ">=": value, "===": value, "==": value}.get(sign, 0)
    most = {"<": value - 1, "<=": value, "===": value, "==": value}.get(sign)
    if sign not in {"<", "<=", ">", ">=", "===", "=="} or (most is not None and most < 0):
        raise NotUnderstood("a comparison of a length")
    if isinstance(subject, _Json):
        return _json_check(subject.path, _size_schema(least, most), is_required=True)
    end = "" if most is None else r"\Z"
    count = f"{{{least},}}" if most is None else f"{{{least},{most}}}"
    return _with_filters({"type": "regex", "pattern": rf"(?s)\A.{count}{end}"}, subject)


def _size_schema(least: int, most: int | None) -> dict[str, Any]:
    """The schema of a text or a list of some length."""
    kinds = [("string", "Length"), ("array", "Items")]
    top = [{} if most is None else {f"max{it}": most} for _, it in kinds]
    sizes = [
        {"type": kind, f"min{it}": least, **upper}
        for (kind, it), upper in zip(kinds, top, strict=True)
    ]
    return {"anyOf": sizes}


def _json_condition(sign: str, value: object) -> tuple[dict[str, Any], bool]:
    """The schema of a member, and true if the member must be there."""
    bounds = {"<": "exclusiveMaximum", "<=": "maximum", ">": "exclusiveMinimum", ">=": "minimum"}
    if sign == "===":
        return {"const": value}, True
    if sign == "!==":
        return {"not": {"const": value}}, False
    if sign in bounds and type(value) in {int, float}:
        return {"type": "number", bounds[sign]: value}, True
    raise NotUnderstood(f"the operator {sign} on JSON")


def _json_check(path: Path, condition: dict[str, Any], is_required: bool) -> Check:  # noqa: FBT001  a part of a condition
    """A schema of the answer in which the value at the path meets the condition."""
    if not path:
        return {"type": "json_schema", "value": condition}
    schema = condition
    for place, step in reversed(list(enumerate(path))):
        if not isinstance(step, str):
            raise NotUnderstood("an index inside JSON")
        must_be = is_required or place < len(path) - 1
        outer: dict[str, Any] = {
            "type": "object" if must_be else _NOT_NULL,
            "properties": {step: schema},
        }
        if must_be:
            outer["required"] = [step]
        schema = outer
    return {"type": "json_schema", "value": schema}


def _call_check(node: Node, view: AnswerView) -> Check:
    called, given = node.parts[0], node.parts[1:]
    if called.kind != "member" or len(given) != 1:
        raise NotUnderstood("a call that is not understood")
    owner, method = called.parts[0], called.value
    if method == "isArray" and owner == Node("name", "Array"):
        return _array_check(_subject(given[0], view))
    if method == "test" and owner.kind == "regex":
        return _pattern_check(owner, _subject(given[0], view))
    if method == "includes" and owner.kind == "array":
        return _one_of(owner, _subject(given[0], view), view)
    subject = _subject(owner, view)
    if isinstance(subject, _Json):
        return _json_call(method, subject, _literal(given[0], view))
    value = _literal(given[0], view)
    if not isinstance(subject, _Text) or not isinstance(value, str):
        raise NotUnderstood(f"the method {method} of something else than the answer")
    return _text_call(method, subject, value)


def _array_check(subject: object) -> Check:
    if not isinstance(subject, _Json) or not subject.path:
        raise NotUnderstood("isArray of something else")
    return _json_check(subject.path, {"type": "array"}, is_required=True)


def _pattern_check(node: Node, subject: object) -> Check:
    if not isinstance(subject, _Text):
        raise NotUnderstood("a pattern on something else than the answer")
    return _with_filters({"type": "regex", "pattern": python_pattern(*node.value)}, subject)


def _one_of(node: Node, subject: object, view: AnswerView) -> Check:
    values = [_literal(it, view) for it in node.parts]
    if isinstance(subject, _Json):
        return _json_check(subject.path, {"enum": values}, is_required=True)
    if (
        not isinstance(subject, _Text)
        or not values
        or not all(isinstance(it, str) for it in values)
    ):
        raise NotUnderstood("a list that does not hold texts")
    return _with_filters({"type": "equals", "value": values, "keep_spaces": True}, subject)


def _json_call(method: str, subject: _Json, value: object) -> Check:
    if method != "includes":
        raise NotUnderstood(f"the method {method} on JSON")
    kinds: list[dict[str, Any]] = [{"type": "array", "contains": {"const": value}}]
    if isinstance(value, str):
        kinds.append({"type": "string", "pattern": re.escape(value)})
    return _json_check(subject.path, {"anyOf": kinds}, is_required=True)


def _text_call(method: str, subject: _Text, value: str) -> Check:
    if not value:
        raise NotUnderstood("an empty text, which every answer contains")
    match method:
        case "includes":
            return _contains(subject, value)
        case "startsWith":
            made = {"type": "starts_with", "value": value, "keep_spaces": True}
            return _with_filters(made, subject)
        case _:
            raise NotUnderstood(f"the method {method}")


def _contains(subject: _Text, value: str) -> Check:
    """A search of the answer; in lower case by the check's own option."""
    if subject.filters == ("lower",) and value == value.lower() and value.isascii():
        return {"type": "contains", "value": value, "ignore_case": True}
    return _with_filters({"type": "contains", "value": value}, subject)


def _with_filters(check: Check, subject: _Text) -> Check:
    return {**check, "filters": list(subject.filters)} if subject.filters else check


def _subject(node: Node, view: AnswerView) -> _Json | _Text | _Length:
    """The part of the answer that an expression names."""
    if node == Node("name", "output"):
        return _Json() if view.is_object else _Text()
    if node.kind == "call":
        return _call_subject(node, view)
    if node.kind not in {"member", "index"}:
        raise NotUnderstood("a condition on something else than the answer")
    owner = _subject(node.parts[0], view)
    key = node.value if node.kind == "member" else _plain(node.parts[1])
    if key == "length" and not isinstance(owner, _Length):
        return _Length(owner)
    if not isinstance(owner, _Json) or type(key) not in {str, int}:
        raise NotUnderstood(f"the member {key} of the answer")
    return _Json((*owner.path, key))


def _plain(node: Node) -> Any:  # noqa: ANN401  a literal of any type
    if node.kind != "literal":
        raise NotUnderstood("an index that is no literal")
    return node.value


def _call_subject(node: Node, view: AnswerView) -> _Json | _Text:
    called, given = node.parts[0], node.parts[1:]
    if called == Node("name", "String") and len(given) == 1:
        return _require_text(_subject(given[0], view))
    if called.kind != "member":
        raise NotUnderstood("a call that is not understood")
    if called.value == "parse" and called.parts[0] == Node("name", "JSON") and len(given) == 1:
        if _subject(given[0], view) != _Text():
            raise NotUnderstood("JSON.parse of something else than the output")
        return _Json()
    text = _require_text(_subject(called.parts[0], view))
    return _Text((*text.filters, _method_filter(called.value, given)))


def _require_text(found: object) -> _Text:
    if not isinstance(found, _Text):
        raise NotUnderstood("a method of a text on JSON")
    return found


def _method_filter(name: str, given: tuple[Node, ...]) -> Any:  # noqa: ANN401  a filter
    bare = {"trim": "trim", "toLowerCase": "lower", "toUpperCase": "upper"}
    if name in bare and not given:
        return bare[name]
    if name == "replace" and len(given) == 2 and given[1].kind == "literal":  # noqa: PLR2004
        return _replace_filter(given[0], given[1].value)
    raise NotUnderstood(f"the method {name}")


def _replace_filter(old: Node, new: object) -> dict[str, Any]:
    if not isinstance(new, str) or "$" in new:
        raise NotUnderstood("a replacement with groups")
    if old.kind == "regex":
        source, flags = old.value
        pattern, count = python_pattern(source, flags), 0 if "g" in flags else 1
    elif old.kind == "literal" and isinstance(old.value, str) and old.value:
        pattern, count = re.escape(old.value), 1
    else:
        raise NotUnderstood("a replacement of something else")
    made: dict[str, Any] = {"replace": pattern}
    return made | ({"with": new} if new else {}) | ({"count": count} if count else {})


def _is_value(node: Node, view: AnswerView) -> bool:
    try:
        _literal(node, view)
    except NotUnderstood:
        return False
    return True


def _literal(node: Node, view: AnswerView) -> Any:  # noqa: ANN401  any JSON
    """The value of a literal or of a variable of the test."""
    if node.kind == "literal":
        return node.value
    if node.kind == "unary" and node.value == "-" and type(_plain(node.parts[0])) in {int, float}:
        return -node.parts[0].value
    name = _variable(node)
    value = view.variables.get(name) if name else None
    if isinstance(value, str):
        if "{{" in value or "{%" in value:
            raise NotUnderstood("a variable that is a template")
        return value
    if type(value) in {int, float, bool}:
        return value
    raise NotUnderstood("an unknown value")


def _variable(node: Node) -> str:
    """The name in ``context.vars.name`` or ``vars.name``; empty for anything else."""
    if node.kind != "member":
        return ""
    owner = node.parts[0]
    context = Node("member", "vars", (Node("name", "context"),))
    return str(node.value) if owner in (context, Node("name", "vars")) else ""
