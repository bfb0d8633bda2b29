"""Applying filters to an answer, as it happens inside the timed worker; standard library alone.

Sources of ``find``, ``option`` and ``map``: the filters ``regex``, ``multi_choice_regex`` and
``map`` of lm-evaluation-harness 0.4.13 (lm_eval/filters), whose results these reproduce.
"""

import json
import re
import sys
import unicodedata
from functools import cache
from typing import Any

Filter = dict[str, Any] | str
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class NotFiltered(ValueError):
    """The answer is not what a filter reads, such as no JSON."""


def handle_request(request: list[Any]) -> list[Any]:
    """Answer ``[filters, text]`` with ``["ok", text]``, ``["none", reason]`` or ``["bad", fault]``.

    ``none`` means that a filter cannot read this answer, ``bad`` that a pattern is invalid.
    """
    filters, text = request
    try:
        return ["ok", apply_filters(filters, text)]
    except NotFiltered as exc:
        return ["none", str(exc)]
    except (re.error, OverflowError, RecursionError) as exc:
        return ["bad", str(exc)[:300]]


def apply_filters(filters: list[Filter], text: str) -> str:
    """Return the text after all filters in their order.

    >>> apply_filters([{"find": r"is (-?[0-9]+)", "otherwise": "none"}], "It is 42.")
    '42'
    >>> apply_filters(["trim", {"replace": "[.,]"}, "lower"], " A.B, ")
    'ab'
    """
    for one in filters:
        text = _bare(one, text) if isinstance(one, str) else _with_parameters(one, text)
    return text


def _bare(name: str, text: str) -> str:
    match name:
        case "trim":
            return text.strip()
        case "lower":
            return text.lower()
        case "upper":
            return text.upper()
        case _:
            return _as_text(_read_json(text))


def _with_parameters(given: dict[str, Any], text: str) -> str:
    if "find" in given:
        found = _choose_match(re.findall(given["find"], text), given.get("match", 0))
        return str(given.get("otherwise", "")) if found is None else found
    if "replace" in given:
        substitute = str(given.get("with", ""))
        return re.sub(given["replace"], lambda _: substitute, text, count=given.get("count", 0))
    if "option" in given:
        return _option(given, text) or str(given.get("otherwise", ""))
    if "map" in given:
        return str(given["map"].get(text, given.get("otherwise", "")))
    return _as_text(_value_at(_read_json(text), given["path"]))


def _choose_match(matches: list[Any], number: int) -> str | None:
    """The match of that number, of several groups the first that is not empty; None without."""
    if not -len(matches) <= number < len(matches):
        return None
    found = matches[number]
    if isinstance(found, tuple):
        found = next(filter(None, found), None)
    return None if found is None else str(found).strip()


def _option(given: dict[str, Any], text: str) -> str:
    """A match of the pattern, else the letter of an option that the text contains, else ""."""
    number = given.get("match", 0)
    if found := _choose_match(re.findall(given["option"], text), number):
        return found
    choices = [_ignoring(it.strip(), given) for it in given.get("choices", ())][: len(_LETTERS)]
    letters = {text: f"({letter})" for text, letter in zip(choices, _LETTERS, strict=False)}
    by_length = "|".join(sorted(map(re.escape, choices), key=len, reverse=True))
    if found := _choose_match(re.findall(by_length, _ignoring(text, given)), number):
        return letters.get(found, found)
    either = "|".join(_LETTERS[: len(choices)])
    found = _choose_match(re.findall(rf":[\s]*({either})", text), number)
    return f"({found})" if found else ""


def _ignoring(text: str, given: dict[str, Any]) -> str:
    for pattern in given.get("ignore", ()):
        text = re.sub(pattern, "", text)
    if given.get("ignore_case"):
        text = text.lower()
    return text.translate(_punctuation()) if given.get("ignore_punctuation") else text


@cache
def _punctuation() -> dict[int, None]:
    """All characters of Unicode's categories of punctuation."""
    every = range(sys.maxunicode)
    return dict.fromkeys(it for it in every if unicodedata.category(chr(it)).startswith("P"))


def _read_json(text: str) -> Any:  # noqa: ANN401  JSON
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as exc:
        raise NotFiltered(f"the answer is no JSON: {exc}") from exc


def _refuse_constant(name: str) -> None:
    raise NotFiltered(f"the answer is no JSON: {name} is no value")


def _value_at(value: Any, path: list[str | int]) -> Any:  # noqa: ANN401  JSON
    for step in path:
        is_key = isinstance(value, dict) and isinstance(step, str) and step in value
        is_index = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not (is_key or is_index):
            raise NotFiltered(f"the answer has no value at {'.'.join(map(str, path))}")
        value = value[step]
    return value


def _as_text(value: Any) -> str:  # noqa: ANN401  JSON
    """A text as it is, any other value as JSON without spaces."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
