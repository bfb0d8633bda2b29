"""Compiling and searching, as it happens inside the timed worker; standard library alone."""

import re
from collections import OrderedDict
from typing import Any

_KEPT = 200
_compiled: OrderedDict[tuple[str, int], re.Pattern[str]] = OrderedDict()


def handle_request(request: list[Any]) -> list[Any]:
    """Answer ``["compile", source, flags]`` or ``["search", source, flags, text]``.

    The reply is ``["bad", message]`` for an invalid pattern, ``["unknown"]`` for a search with a
    pattern not yet compiled (compiling has its own time limit), ``["ok", None]`` for a compilation
    or a search without a match, otherwise ``["ok", [spans, names]]``: start and end of the match
    and of each group, -1 for a non-participating group, and the groups' numbers by name.
    """
    key = (request[1], request[2])
    if request[0] == "compile":
        return _compile(key)
    pattern = _compiled.get(key)
    if pattern is None:
        return ["unknown"]
    _compiled.move_to_end(key)
    found = pattern.search(request[3])
    return ["ok", [list(found.regs), dict(pattern.groupindex)] if found else None]


def _compile(key: tuple[str, int]) -> list[Any]:
    try:
        _compiled[key] = re.compile(*key)
    except RecursionError:
        return ["bad", "nested too deeply"]
    except (re.error, OverflowError, ValueError) as exc:
        return ["bad", str(exc)[:300]]
    while len(_compiled) > _KEPT:
        _compiled.popitem(last=False)
    return ["ok", None]
