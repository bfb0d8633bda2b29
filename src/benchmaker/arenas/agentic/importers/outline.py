"""The fields of a JSON document, from its beginning alone, by which formats are recognised."""

import re
from functools import lru_cache
from itertools import islice

from benchmaker.arenas.agentic.importers.sniffing import BLANK

_DEEPEST = 4
_MOST_TOKENS = 4_000
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[{}\[\]:]', re.DOTALL)
"""Strings, of which the last may be cut off; brackets; colons."""
_OPENING = (b"{", b"[")


@lru_cache(maxsize=16)
def outline(start: bytes) -> frozenset[str]:
    """Return the paths of the fields in the visible head of a document.

    ``[]`` stands for a list. Empty if the text begins with neither an object nor a list.

    >>> sorted(outline(b'{"info": {"n": 1}, "rows": [{"id": 1}, {"id"'))
    ['info', 'info.n', 'rows', 'rows[].id']
    """
    if not start.lstrip(BLANK).startswith(_OPENING):
        return frozenset()
    found: set[str] = set()
    places: list[str] = []
    key = last = ""
    for match in islice(_TOKEN.finditer(start), _MOST_TOKENS):
        token = match[0]
        if token[:1] == b'"':
            last = token[1:-1].decode("utf-8", "replace")
        elif token == b":":
            key = _join_path(places, last)
            if len(places) <= _DEEPEST:
                found.add(key)
        elif token in _OPENING:
            inside = key if places and not places[-1].endswith("[]") else "".join(places[-1:])
            places.append(inside + "[]" if token == b"[" else inside)
            if token == b"{" and inside.endswith("[]"):
                places[-1] = inside + "."
        elif places:
            places.pop()
    return frozenset(found)


def _join_path(places: list[str], name: str) -> str:
    place = places[-1].removesuffix(".") if places else ""
    return f"{place}.{name}" if place else name
