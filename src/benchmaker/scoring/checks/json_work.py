"""JSON Schema and JSONPath, as they are evaluated inside the timed worker.

The worker starts with the standard library alone; a request names the folders in which this
package, jsonschema and python-jsonpath are installed.
"""

import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import isfinite
from typing import Any

_KEPT = 200
_ERRORS = 5
_FIRST = 3
_LENGTH = 300
_INCURABLE = frozenset({
    None, "type", "additionalProperties", "propertyNames", "maxProperties", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format", "minLength",
    "maxLength", "minItems", "maxItems", "uniqueItems",
})  # fmt: skip
"""Keywords that refuse a value for what it has, and not for what it lacks; None is ``false``."""
_ENDLESS = "a reference leads back to itself without end"
_TOO_DEEP = "the answer is nested too deeply, or a reference leads back to itself without end"


def evaluate_rule(request: list[Any]) -> list[Any]:
    """Answer ``[verb, folders, rule, values, *wanted]``; without values the rule alone is checked.

    ``["schema", folders, schema, values]`` gives ``["ok", errors]``: none if one of the values
    fits, else those of the first. ``["part", folders, schema, values]`` gives only errors that
    further keys of mappings cannot cure. ``["path", folders, path, values, *wanted]`` gives
    ``["ok", selected, first, is_found]``: the number of selected values, the first ones as texts,
    and whether one equals ``wanted``. An invalid rule gives ``["bad", message]``, and one that
    can't be evaluated ``["failed", message]``.
    """
    verb, folders, rule, values, *wanted = request
    sys.path += [folder for folder in folders if folder not in sys.path]
    try:
        if verb == "path":
            return _select(rule, values, wanted)
        return _validate(rule, values, _cannot_be_cured if verb == "part" else _counts)
    except RecursionError:
        return ["failed", _TOO_DEEP] if values else ["bad", _ENDLESS]


def _validate(schema: Any, values: list[Any], counts: Callable[[Any], bool]) -> list[Any]:  # noqa: ANN401  JSON
    from jsonschema import SchemaError  # noqa: PLC0415  found in the folders of the request
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  as above

    try:
        validator = _validator(json.dumps(schema))
    except SchemaError as exc:
        return ["bad", f"{exc.json_path}: {exc.message[:_LENGTH]}"]
    try:
        errors = (filter(counts, validator.iter_errors(value)) for value in values)
        if any(next(one, None) is None for one in errors):
            return ["ok", []]
        found = islice(filter(counts, validator.iter_errors((values or [None])[0])), _ERRORS)
        return ["ok", [_error_text(error) for error in found]]
    except Unresolvable as exc:
        return ["bad", f"the reference can't be resolved: {str(exc)[:_LENGTH]}"]


def _counts(_: Any) -> bool:  # noqa: ANN401  an error
    return True


def _cannot_be_cured(error: Any) -> bool:  # noqa: ANN401  jsonschema's ValidationError
    """True if a value remains refused, whatever keys its mappings have besides."""
    if {"then", "else"} & set(error.absolute_schema_path):
        return False
    if error.validator in {"anyOf", "oneOf"}:
        branches: dict[Any, bool] = {}
        for one in error.context:
            at = one.schema_path[0]
            branches[at] = branches.get(at, False) or _cannot_be_cured(one)
        return bool(branches) and all(branches.values())
    if error.validator in {"enum", "const"}:
        return not isinstance(error.instance, dict)
    return error.validator in _INCURABLE


@lru_cache(maxsize=_KEPT)
def _validator(text: str) -> Any:  # noqa: ANN401  a class of jsonschema
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415  as above
    from referencing import Registry  # noqa: PLC0415  as above

    schema = json.loads(text)
    kind = validators.validator_for(schema, Draft202012Validator)
    kind.check_schema(schema)
    if isinstance(schema, dict):
        schema.pop("$schema", None)  # it would lead from a reference to # back to the plain class
    exact = validators.extend(kind, {"multipleOf": _multiple_of})  # type: ignore[no-untyped-call]  # the package has no types
    formats = _formats(kind.FORMAT_CHECKER)
    return exact(schema, format_checker=formats, registry=Registry())


def _formats(of_draft: Any) -> Any:  # noqa: ANN401  jsonschema's FormatChecker
    """The same formats on every machine, whatever packages for further ones are installed."""
    from jsonschema import FormatChecker  # noqa: PLC0415  as above

    from benchmaker.scoring.checks.json_formats import OF_JSONSCHEMA, OWN  # noqa: PLC0415  as above

    known = {name: it for name, it in of_draft.checkers.items() if name in OF_JSONSCHEMA}
    made = FormatChecker(formats=())
    made.checkers = {**known, **{name: (_of_texts(it), ()) for name, it in OWN.items()}}
    return made


def _of_texts(check: Any) -> Any:  # noqa: ANN401  a function
    """A format allows every value that is no text."""
    return lambda value: not isinstance(value, str) or check(value)


def _multiple_of(validator: Any, step: float, value: Any, _schema: Any) -> Iterator[Any]:  # noqa: ANN401  JSON
    """Yield an error unless a number is a multiple, both as the decimals that are written."""
    from jsonschema import ValidationError  # noqa: PLC0415  found in the folders of the request

    if not validator.is_type(value, "number"):
        return
    if not isfinite(value) or Fraction(repr(value)) % Fraction(repr(step)):
        yield ValidationError(f"{value!r} is not a multiple of {step!r}")


def _error_text(error: Any) -> str:  # noqa: ANN401  jsonschema's ValidationError
    return f"{error.json_path}: {error.message[:_LENGTH]}"


def _select(path: str, values: list[Any], wanted: list[Any]) -> list[Any]:
    from jsonpath import JSONPathError  # noqa: PLC0415  found in the folders of the request

    from benchmaker.scoring.checks.json_values import is_same_json  # noqa: PLC0415  as above

    if not path.startswith("$"):
        return ["bad", "it must start with $, as $.items[0] does"]
    try:
        query = _query(path)
    except (JSONPathError, RecursionError) as exc:
        return ["bad", str(exc.args[0])[:_LENGTH]]
    first: list[str] = []
    selected, is_found = 0, False
    for node in (node for value in values for node in query.finditer(value)):
        selected += 1
        if len(first) < _FIRST:
            first.append(repr(node.obj)[:_LENGTH])
        is_found = is_found or any(is_same_json(node.obj, it) for it in wanted)
    return ["ok", selected, first, is_found]


@lru_cache(maxsize=_KEPT)
def _query(path: str) -> Any:  # noqa: ANN401  a query of jsonpath
    from jsonpath import JSONPathEnvironment  # noqa: PLC0415  found in the folders of the request

    return JSONPathEnvironment(strict=True).compile(path)
