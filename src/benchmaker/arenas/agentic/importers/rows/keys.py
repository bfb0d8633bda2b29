"""The keys of the rows in JSON text, which may be truncated anywhere."""

import re
from collections.abc import Iterator

_PIECE = re.compile(rb'"(?P<text>(?:[^"\\]|\\.)*+)"(?P<is_key>\s*:)?|(?P<bracket>[{}\[\]])')
_LISTED = "{submissions[{"
_PLACES = (_LISTED, "[{", "{")


def keys_of_rows(text: bytes) -> set[str]:
    """Return the keys of the rows, without nested keys.

    A row is the object itself, each of a list, or each in ``{"submissions": [...]}``.

    >>> sorted(keys_of_rows(b'[{"tool": "x", "usage": {"output": 1}}]'))
    ['tool', 'usage']
    """
    found: dict[str, set[str]] = {}
    for where, key in _keys(text):
        found.setdefault(where, set()).add(key)
    return next((found[place] for place in _PLACES if place in found), set())


def has_list(text: bytes) -> bool:
    """True if the first value is an object with its rows in a list.

    >>> has_list(b'{"submissions": [{"tool": "x"}]}'), has_list(b'{"tool": "x"}')
    (True, False)
    """
    return any(where == _LISTED for where, _ in _keys(text))


def _keys(text: bytes) -> Iterator[tuple[str, str]]:
    """Yield each key of the first value, with its enclosing brackets and keys."""
    inside: list[str] = []
    key = ""
    for piece in _PIECE.finditer(text):
        bracket = (piece["bracket"] or b"").decode()
        if piece["is_key"] and inside:
            key = piece["text"].decode("utf-8", "replace")
            yield "".join(inside), key
            continue
        if bracket in ("{", "["):
            inside.append(key + bracket)
        elif bracket and inside:
            inside.pop()
            if not inside:
                return
        key = ""
