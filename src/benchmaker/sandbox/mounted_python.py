"""This machine's Python, mounted into a container whose image may have none.

It is started by its own loader with its own libraries, so that it depends on nothing of the image,
not even on its C library.
"""

import os
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from benchmaker.errors import SandboxError
from benchmaker.sandbox.interpreter import base_interpreter

_FOLDER: Final = "/run/benchmaker/python"
_MODULES: Final = ("_socket", "select")
"""The modules of the relay that may be shared libraries."""

_ANSWER_S: Final = 10


@cache
def mounted_python() -> tuple[tuple[str, ...], dict[str | Path, str]]:
    """Return the words that start the Python inside, and the paths to mount for it.

    Raises:
        SandboxError: the libraries of this Python can't be listed.
    """
    python, library = base_interpreter(), Path(os.__file__).resolve().parent
    inside = f"{_FOLDER}/bin/{Path(python).name}"
    reads: dict[str | Path, str] = {
        Path(python): inside,
        library: f"{_FOLDER}/lib/{library.name}",
    }
    libraries = [path for file in (python, *_module_files()) for path in _libraries(file)]
    if not libraries:
        return (inside,), reads
    places = {Path(path): f"{_FOLDER}/so/{Path(path).name}" for path in libraries}
    loader = next((it for path, it in places.items() if path.name.startswith("ld-")), None)
    if loader is None:
        raise SandboxError("the loader of this Python was not found.", where=python)
    return (loader, "--library-path", f"{_FOLDER}/so", inside), reads | dict(places)


def _module_files() -> list[str]:
    specs = [find_spec(name) for name in _MODULES]
    return [it.origin for it in specs if it is not None and it.origin and it.has_location]


def _libraries(file: str) -> list[str]:
    """The shared libraries of a program and its loader; none if it is linked statically."""
    try:
        done = subprocess.run(  # noqa: S603  our own interpreter
            ["ldd", file],  # noqa: S607  of the system
            capture_output=True,
            timeout=_ANSWER_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise SandboxError(f"ldd can't list the libraries of Python: {exc}.") from exc
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    words = [line.split() for line in lines]
    found = [line[2] if line[1:2] == ["=>"] else line[0] for line in words if len(line) > 1]
    return [path for path in found if path.startswith("/")]
