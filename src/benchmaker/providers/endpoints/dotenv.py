"""Variables from a ``.env`` file, never put into the process's environment."""

import re
from pathlib import Path

from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.limits import Limits

_BYTES = 2**20
_LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*
    (?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)'|(?P<plain>[^\n\r]*))""",
    re.MULTILINE | re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")


def read_dotenv(path: Path | None) -> dict[str, str]:
    """Return the variables of the file; empty if it does not exist.

    Raises:
        SpecError: not a regular file, too large, or not UTF-8.
    """
    if path is None or not path.exists():
        return {}
    return parse_dotenv(read_text(path, limits=Limits(), cap=_BYTES))


def parse_dotenv(text: str) -> dict[str, str]:
    r"""Return the variables of a text; the last of equal names counts.

    Supported are ``NAME=value``, an ``export`` before it, comments, single quotes (verbatim) and
    double quotes (with ``\n``, ``\"`` and the like; over several lines too). ``$NAME`` is not
    expanded. Other lines are skipped.

    >>> parse_dotenv("export A='1 2' # two\nB=3 # three")
    {'A': '1 2', 'B': '3'}
    """
    return {match["name"]: _value(match) for match in _LINE.finditer(text)}


def _value(match: re.Match[str]) -> str:
    if match["double"] is not None:
        return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), match["double"])
    if match["single"] is not None:
        return match["single"]
    return _COMMENT.sub("", match["plain"]).strip()
