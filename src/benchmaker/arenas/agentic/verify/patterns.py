"""Names of files by pattern, as tasks write them."""

import os
import re
from collections.abc import Callable, Iterable

Matches = Callable[[str], bool]

_SIGNS = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}


def matcher(patterns: Iterable[str]) -> Matches:
    """Return a matcher for paths like ``a/b.txt`` by any of the patterns.

    ``*`` and ``?`` stay in a folder, ``**`` goes through all; a folder's name matches everything in
    it.

    >>> named = matcher(["src/**/*.py", "data"])
    >>> [named(path) for path in ("src/a.py", "src/b/c.py", "data/x/y", "a.py")]
    [True, True, True, False]
    """
    compiled = [re.compile(_expression(pattern)) for pattern in patterns]
    return lambda path: any(one.fullmatch(path) for one in compiled)


def is_pattern(name: str) -> bool:
    """True if a name may match several files."""
    return "*" in name or "?" in name


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", os.path.normpath(pattern))
    return "(?s:" + "".join(_SIGNS.get(part) or re.escape(part) for part in parts) + r"(?:/.*)?)"
