"""Install the newest release of a tool into a folder of its own with npm or pip."""

import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drift.tool import Tool

_TRIES = 12
"""How many of the newest releases to try."""


class NotInstalledError(Exception):
    """The tool could not be installed; the message is that of npm, pip or the tool."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed tool: its version, its program, and the folders that it needs.

    ``note`` names newer releases that can't be installed.
    """

    version: str
    program: Path
    python: Path
    folders: tuple[Path, ...]
    note: str = ""


def installed(
    tool: Tool, folder: Path, *, pythons: Sequence[str], is_kept: bool = False
) -> Installed:
    """Install the newest release, or with ``is_kept`` use the installed one.

    The environment of a tool from PyPI uses the first of ``pythons`` that the tool runs on.

    Raises:
        NotInstalledError: the package does not exist, or something that it needs is missing.
    """
    place = folder / tool.package.replace("/", "+")
    place.mkdir(parents=True, exist_ok=True)
    if tool.index == "npm":
        return _from_npm(tool, place, is_kept=is_kept)
    return _from_pip(tool, place, pythons, is_kept=is_kept)


def installed_pinned(
    index: str, packages: Sequence[str], folder: Path, *, python: str, is_kept: bool = False
) -> Path:
    """Install pinned packages, the first of which names the place; the folder of its programs.

    Raises:
        NotInstalledError: as :func:`installed`.
    """
    name = re.split(r"==|(?<=.)@", packages[0])[0]
    place = folder / name.replace("/", "+")
    place.mkdir(parents=True, exist_ok=True)
    programs = place / ("bin" if index == "pip" else "node_modules/.bin")
    if is_kept and programs.exists():
        return programs
    if index == "npm":
        install = ["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund"]
        _run([*install, *packages], place)
    else:
        _run([python, "-m", "venv", str(place)], place)
        _run([str(programs / "python"), "-m", "pip", "install", "--quiet", *packages], place)
    return programs


def _from_npm(tool: Tool, place: Path, *, is_kept: bool) -> Installed:
    modules = place / "node_modules"
    note = place / "note.txt"
    if not (is_kept and modules.exists()):
        note.write_text(_newest(tool, place), encoding="utf-8")
    found = json.loads((modules / tool.package / "package.json").read_text(encoding="utf-8"))
    program = modules / ".bin" / tool.program
    told = note.read_text(encoding="utf-8") if note.exists() else ""
    return Installed(found["version"], program, Path(), (place,), told)


def _newest(tool: Tool, place: Path) -> str:
    """Install the newest release that can be installed; return a note if it is not the newest.

    A release may be listed before all packages that it needs.
    """
    told = _run(["npm", "view", tool.package, "version", "versions", "--json"], place)
    data = json.loads(told)
    newest, every = data["version"], data["versions"]
    stable = [it for it in every[: every.index(newest) + 1] if "-" not in it or it == newest]
    failed = []
    for version in reversed(stable[-_TRIES:]):
        packages = [f"{tool.package}@{version}", *(f"{it}@latest" for it in tool.packages[1:])]
        install = ["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund"]
        try:
            _run([*install, *packages], place)
        except NotInstalledError as exc:
            failed.append((version, exc))
            continue
        return f"{', '.join(it for it, _ in failed)} can't be installed" if failed else ""
    raise failed[0][1]


def _from_pip(tool: Tool, place: Path, pythons: Sequence[str], *, is_kept: bool) -> Installed:
    inside = place / "bin" / "python"
    if not (is_kept and inside.exists()):
        _run([_fitting(tool, pythons), "-m", "venv", str(place)], place)
        install = [str(inside), "-m", "pip", "install", "--quiet", "--upgrade"]
        _run([*install, *tool.packages], place)
    told = "import sys, importlib.metadata as m; print(sys.base_prefix, m.version(sys.argv[1]))"
    prefix, version = _run([str(inside), "-c", told, tool.package], place).split()
    return Installed(version, place / "bin" / tool.program, inside, (place, Path(prefix)))


def _fitting(tool: Tool, pythons: Sequence[str]) -> str:
    """The first interpreter that the tool runs on."""
    least, too_new = tool.pythons
    for python in pythons:
        told = _run([python, "-c", "import sys; print(*sys.version_info[:2])"], Path.cwd())
        major, minor = map(int, told.split())
        if least <= (major, minor) < too_new:
            return python
    raise NotInstalledError(
        f"needs Python {'.'.join(map(str, least))} to below {'.'.join(map(str, too_new))}; "
        "name one with --python"
    )


def _run(command: Sequence[str], cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, env=os.environ.copy(), check=False, text=True
    )
    if done.returncode:
        raise NotInstalledError(_reason(done.stderr) or f"{command[0]}: status {done.returncode}")
    return done.stdout


def _reason(said: str) -> str:
    r"""The most telling line of the output: the first error, else the last line.

    >>> _reason("npm warn old\nnpm error code E404\nnpm error a log of this run")
    'npm error code E404'
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.casefold()]
    return (errors or lines[-1:] or [""])[0][:200]
