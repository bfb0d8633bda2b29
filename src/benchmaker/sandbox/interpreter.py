"""The Python that runs us, as something a command may read and run."""

import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source
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


def script_file(script: str) -> Path:
    """The file to run for a script of ours: the compiled one where it is there and current.

    Python would compile a script again each time, and runs a compiled file as it is, however old.
    """
    source, compiled = Path(script), Path(cache_from_source(script))
    made = source.stat()
    stamp = struct.pack("<III", 0, int(made.st_mtime) & 0xFFFFFFFF, made.st_size & 0xFFFFFFFF)
    with suppress(OSError), compiled.open("rb") as file:
        if file.read(16) == MAGIC_NUMBER + stamp:
            return compiled
    return source
