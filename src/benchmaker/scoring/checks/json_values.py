"""JSON in answers: the whole answer, or the values inside it, and their equality."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

from benchmaker.scoring.checks.json_scan import spans_inside

_SPACE = " \t\r\n"
_TOO_DEEP = "it is nested too deeply"


class NotJson(ValueError):
    """A text that is no JSON; the message names the place and the reason."""


class NestedTooDeeply(NotJson):
    """JSON whose nesting exceeds the limit of Python's decoder, some thousand levels."""


def read_json(text: str) -> Any:  # noqa: ANN401  JSON
    """Return the value of a text that is JSON as a whole, as RFC 8259 defines it.

    ``NaN`` and ``Infinity`` are no JSON. Of equal keys the last counts.

    Raises:
        NotJson: it is no JSON.
        NestedTooDeeply: it is JSON that is nested too deeply to be read.
    """
    try:
        return _DECODER.decode(text.strip(_SPACE))
    except json.JSONDecodeError as exc:
        raise NotJson(f"line {exc.lineno}, column {exc.colno}: {exc.msg}") from exc
    except RecursionError as exc:
        is_json = next(spans_inside(text), (0, 0)) == _span_of(text)
        raise NestedTooDeeply(_TOO_DEEP) if is_json else NotJson(_TOO_DEEP) from exc
    except ValueError as exc:
        raise NotJson(str(exc)) from exc


def json_inside(text: str) -> Iterator[Any]:
    """Yield the objects and lists inside a text, outermost ones only, in linear time.

    Raises:
        NestedTooDeeply: one of them is nested too deeply.
    """
    for start, end in spans_inside(text):
        try:
            yield _DECODER.decode(text[start:end])
        except RecursionError as exc:
            raise NestedTooDeeply(_TOO_DEEP) from exc


def _span_of(text: str) -> tuple[int, int]:
    """Start and end of a text without the white space around it."""
    start = len(text) - len(text.lstrip(_SPACE))
    return start, start + len(text.strip(_SPACE))


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _read_int(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return float(digits)


_DECODER = json.JSONDecoder(parse_constant=_reject_constant, parse_int=_read_int)


def is_same_json(one: Any, other: Any) -> bool:  # noqa: ANN401  JSON
    """True if two JSON values are equal: ``1`` equals ``1.0``, but not ``true``.

    >>> is_same_json({"a": [1, 2.0]}, {"a": [1.0, 2]}), is_same_json(True, 1)
    (True, False)
    """
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs += [(value, b[key]) for key, value in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs += zip(a, b, strict=True)
        elif _kind(a) != _kind(b) or a != b:
            return False
    return True


def _kind(value: Any) -> type:  # noqa: ANN401  JSON
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float if is_number else type(value)
