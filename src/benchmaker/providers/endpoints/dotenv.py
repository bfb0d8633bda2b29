"""Variables out of a ``.env`` file; they are never put into the process's environment."""

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
    """The variables of the file; none where there is no file.

    Raises:
        SpecError: the file is no regular file, too large, or not UTF-8.
    """
    if path is None or not path.exists():
        return {}
    return parse_dotenv(read_text(path, limits=Limits(), cap=_BYTES))


def parse_dotenv(text: str) -> dict[str, str]:
    r"""The variables of a text, the last one of a name counting.

    Read are ``NAME=value``, an ``export`` before it, comments, single quotes (as they stand) and
    double quotes (with ``\n``, ``\"`` and the like; over several lines too). ``$NAME`` stays as it
    is. Other lines are passed over.

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
