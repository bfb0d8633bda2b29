"""The newest release of a tool, in a folder of its own, by the index that npm or pip is set to."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drift.tool import Tool

_TRIES = 12
"""So many releases are tried at most, the newest first."""


class NotInstalledError(Exception):
    """The tool could not be installed; the message is the index's or the tool's own."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A tool that is there: its version, its program, and the folders that it is made of.

    ``note`` is what there is to say of newer releases.
    """

    version: str
    program: Path
    python: Path
    folders: tuple[Path, ...]
    note: str = ""


def installed(
    tool: Tool, folder: Path, *, pythons: Sequence[str], is_kept: bool = False
) -> Installed:
    """Install the newest release, or take with ``is_kept`` the one that is there.

    An environment is made of the first of ``pythons`` that the tool runs on.

    Raises:
        NotInstalledError: the index does not have it, or it needs something that is not here.
    """
    place = folder / tool.package.replace("/", "+")
    place.mkdir(parents=True, exist_ok=True)
    if tool.index == "npm":
        return _from_npm(tool, place, is_kept=is_kept)
    return _from_pip(tool, place, pythons, is_kept=is_kept)


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
    """Install the newest release that installs, and say so where it is not the newest of all.

    A release may be listed before all of its parts are, which makes it one that nobody can install.
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
    r"""The line of what was said that tells most: the first error, else the last line.

    >>> _reason("npm warn old\nnpm error code E404\nnpm error a log of this run")
    'npm error code E404'
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.casefold()]
    return (errors or lines[-1:] or [""])[0][:200]
