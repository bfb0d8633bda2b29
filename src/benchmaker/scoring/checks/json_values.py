"""JSON in answers: the whole answer, or the values inside it."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

_SPACE = " \t\r\n"
_START = re.compile(r"[\[{]")


class NotJson(ValueError):
    """A text that is no JSON; the message names the place and the reason."""


def read_json(text: str) -> Any:  # noqa: ANN401  JSON
    """Return the value of a text that is JSON as a whole, as RFC 8259 defines it.

    ``NaN`` and ``Infinity`` are no JSON. Of equal keys the last counts.

    Raises:
        NotJson: it is no JSON, or nested too deeply.
    """
    try:
        return _DECODER.decode(text.strip(_SPACE))
    except json.JSONDecodeError as exc:
        raise NotJson(f"line {exc.lineno}, column {exc.colno}: {exc.msg}") from exc
    except RecursionError as exc:
        raise NotJson("it is nested too deeply") from exc
    except ValueError as exc:
        raise NotJson(str(exc)) from exc


def json_inside(text: str) -> Iterator[Any]:
    """Yield the objects and lists inside a text, outermost ones only.

    Failed attempts draw on a budget, so that time is linear in the length of the text.
    """
    at, budget = 0, 8 * len(text) + 1024
    while budget > 0 and (found := _START.search(text, at)):
        start = found.start()
        try:
            value, at = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as exc:
            budget -= exc.pos - start + len(text) // 32 + 64
            at = start + 1
        except (RecursionError, ValueError):
            budget -= len(text) - start
            at = start + 1
        else:
            yield value


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _read_int(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return float(digits)


_DECODER = json.JSONDecoder(parse_constant=_reject_constant, parse_int=_read_int)
