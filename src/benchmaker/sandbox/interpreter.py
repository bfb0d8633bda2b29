"""The Python that runs us, as something a command may read and run."""

import sys
from collections.abc import Mapping
from pathlib import Path

_VISIBLE = Path("/usr")


def interpreter_reads() -> Mapping[str | Path, str]:
    """Return the folders of this Python, packages included, for :attr:`Command.reads`.

    They have the same paths inside as outside, so that ``sys.executable`` works there. Folders
    below ``/usr`` are visible anyway.
    """
    found = dict.fromkeys(
        Path(path).resolve() if path == sys.base_prefix else Path(path)
        for path in (sys.base_prefix, sys.prefix)
    )
    return {path: str(path) for path in found if not path.is_relative_to(_VISIBLE)}


def base_interpreter() -> str:
    """The path of this Python itself, outside of any virtual environment."""
    return str(Path(sys.executable).resolve())


def base_reads() -> Mapping[str | Path, str]:
    """Return the folder that :func:`base_interpreter` needs, without our own packages."""
    base = Path(sys.base_prefix).resolve()
    return {} if base.is_relative_to(_VISIBLE) else {base: str(base)}
