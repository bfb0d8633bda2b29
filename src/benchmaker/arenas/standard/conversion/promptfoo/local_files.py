"""Files that a configuration names: in its folder or below, never a program."""

import re
from pathlib import Path

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated

FILE = "file://"
_GLOB = re.compile(r"[*?\[]")
_MOST_FILES = 1000


def files_at(name: str, folder: Path) -> list[Path]:
    """Return the files of a path or a pattern such as ``file://prompts/*.txt``, sorted.

    Raises:
        NotTranslated: there is none, or it lies outside the folder.

    >>> files_at("file://none.txt", Path("."))
    Traceback (most recent call last):
    ...
    benchmaker.arenas.standard.conversion.draft_suite.NotTranslated: no file none.txt
    """
    path = name.removeprefix(FILE)
    whole = folder / path
    is_glob = bool(_GLOB.search(path)) and not Path(path).is_absolute()
    found = sorted(folder.glob(path))[:_MOST_FILES] if is_glob else [whole]
    inside = [it for it in found if it.is_file()]
    if not inside:
        raise NotTranslated(f"no file {path}")
    if any(folder.resolve() not in it.resolve().parents for it in inside):
        raise NotTranslated(f"{path} lies outside the folder of the configuration")
    return inside
