"""The objects and lists inside a text, found in time linear in its length."""

import re
from collections.abc import Iterator
from typing import Final

_TOKEN = re.compile(
    r"[ \t\r\n]*+(?:"
    r'(?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|(?P<plain>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:))"
)
_START = re.compile(r"[\[{]")
_CLOSED_BY: Final = {"[": "]", "{": "}"}

_VALUE = frozenset({"string", "plain", "open"})
_FIRST_ITEM = _VALUE | {"close"}
_KEY = frozenset({"string"})
_FIRST_KEY = _KEY | {"close"}
_COLON = frozenset({"colon"})
_AFTER = frozenset({"comma", "close"})


def spans_inside(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each object and list in a text, outermost ones only.

    A bracket that was open when an attempt failed starts no value, so that it is not tried again.
    Only values that were closed before and brackets in the texts of that attempt are left, so that
    each character is read three times at most.

    >>> text = 'so [1, {"a": 2}] or {"b"}'
    >>> [text[start:end] for start, end in spans_inside(text)]
    ['[1, {"a": 2}]']
    >>> text = '[[1], ["[2]", x'
    >>> [text[start:end] for start, end in spans_inside(text)]
    ['[1]', '[2]']
    """
    failed = bytearray(len(text))
    at = 0
    while found := _START.search(text, at):
        start = found.start()
        end = None if failed[start] else _end_of_value(text, start, failed)
        if end is None:
            at = start + 1
        else:
            yield start, end
            at = end


def _end_of_value(text: str, start: int, opened: bytearray) -> int | None:
    """The end of the value that starts with a bracket; None if there is none.

    The brackets that are still open at the fault are marked in ``opened``.
    """
    stack: list[int] = []
    expected = _VALUE
    at = start
    while (found := _TOKEN.match(text, at)) and found.lastgroup in expected:
        at = found.end()
        match found.lastgroup:
            case "open":
                stack.append(at - 1)
                opened[at - 1] = 1
                expected = _FIRST_ITEM if text[at - 1] == "[" else _FIRST_KEY
            case "close":
                if _CLOSED_BY[text[stack[-1]]] != text[at - 1]:
                    return None
                opened[stack.pop()] = 0
                if not stack:
                    return at
                expected = _AFTER
            case "comma":
                expected = _VALUE if text[stack[-1]] == "[" else _KEY
            case "colon":
                expected = _VALUE
            case "string":
                expected = _COLON if expected <= _FIRST_KEY else _AFTER
            case _:
                expected = _AFTER
    return None
