"""Conditions on the lines of a foreign file, such as ``filter=strict-match``."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from benchmaker.spec.documents.source_map import as_text

Condition = Callable[[Mapping[str, Any]], bool]

_FORM = re.compile(r"(?P<path>[^=!\s][^=!]*?)\s*(?P<sign>!?=)\s*(?P<values>.*)", re.DOTALL)


@lru_cache(maxsize=64)
def condition(text: str) -> Condition:
    """Return a test of lines: ``PATH=VALUE``, or ``PATH!=VALUE``; ``|`` separates several values.

    A path goes through lists and mappings, as in other fields. Values are compared as texts, and
    truth values are ``true`` and ``false``. A missing value is the empty text.

    Raises:
        ValueError: another form.

    >>> strict = condition("meta.filter=strict|exact")
    >>> strict({"meta": {"filter": "strict"}}), strict({"meta": {}})
    (True, False)
    >>> condition("ok!=true")({"ok": False})
    True
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        msg = f"{text!r} is not a condition; use PATH=VALUE or PATH!=VALUE"
        raise ValueError(msg)
    path, values = found["path"], frozenset(found["values"].split("|"))
    wants_it = found["sign"] == "="
    return lambda line: (_text_at(line, path) in values) is wants_it


def _text_at(line: Mapping[str, Any], path: str) -> str:
    value: Any = line.get(path)
    if value is None:
        value = line
        for step in path.split("."):
            value = _step(value, step)
    if value is None or isinstance(value, (dict, list)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return as_text(value)


def _step(value: Any, step: str) -> Any:  # noqa: ANN401  any JSON
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list) and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return None
