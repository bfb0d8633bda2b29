"""JSON Schema and JSONPath, as they are evaluated inside the timed worker.

The worker starts with the standard library alone; the first element of a request's payload are the
folders in which jsonschema and python-jsonpath are installed.
"""

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import isfinite
from typing import Any

_KEPT = 200
_ERRORS = 5
_NODES = 10_000
_LENGTH = 300


def evaluate_rule(request: list[Any]) -> list[Any]:
    """Answer ``[verb, folders, rule, value]``; the value is absent where the rule alone is checked.

    ``["schema", folders, schema, value]`` gives ``["ok", errors]``, ``["path", folders, path,
    value]`` gives ``["ok", nodes]``; without a value, ``["ok", []]``. An invalid rule gives
    ``["bad", message]``.
    """
    verb, folders, rule, *values = request
    sys.path += [folder for folder in folders if folder not in sys.path]
    return _validate(rule, values) if verb == "schema" else _select(rule, values)


def _validate(schema: Any, values: list[Any]) -> list[Any]:  # noqa: ANN401  JSON
    from jsonschema import SchemaError  # noqa: PLC0415  found in the folders of the request
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  as above

    try:
        validator = _validator(json.dumps(schema))
    except SchemaError as exc:
        return ["bad", f"{exc.json_path}: {exc.message[:_LENGTH]}"]
    try:
        found = [islice(validator.iter_errors(value), _ERRORS) for value in values or [None]]
        return ["ok", [_error_text(error) for errors in found for error in errors]]
    except Unresolvable as exc:
        return ["bad", f"the reference can't be resolved: {str(exc)[:_LENGTH]}"]


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
    return exact(schema, format_checker=kind.FORMAT_CHECKER, registry=Registry())


def _multiple_of(validator: Any, step: float, value: Any, _schema: Any) -> Iterator[Any]:  # noqa: ANN401  JSON
    """Yield an error unless a number is a multiple, both as the decimals that are written."""
    from jsonschema import ValidationError  # noqa: PLC0415  found in the folders of the request

    if not validator.is_type(value, "number"):
        return
    if not isfinite(value) or Fraction(repr(value)) % Fraction(repr(step)):
        yield ValidationError(f"{value!r} is not a multiple of {step!r}")


def _error_text(error: Any) -> str:  # noqa: ANN401  jsonschema's ValidationError
    return f"{error.json_path}: {error.message[:_LENGTH]}"


def _select(path: str, values: list[Any]) -> list[Any]:
    from jsonpath import JSONPathError  # noqa: PLC0415  found in the folders of the request

    if not path.startswith("$"):
        return ["bad", "it must start with $, as $.items[0] does"]
    try:
        query = _query(path)
    except (JSONPathError, RecursionError) as exc:
        return ["bad", str(exc.args[0])[:_LENGTH]]
    nodes = [islice(query.finditer(value), _NODES) for value in values]
    return ["ok", [node.obj for found in nodes for node in found]]


@lru_cache(maxsize=_KEPT)
def _query(path: str) -> Any:  # noqa: ANN401  a query of jsonpath
    from jsonpath import JSONPathEnvironment  # noqa: PLC0415  found in the folders of the request

    return JSONPathEnvironment(strict=True).compile(path)
