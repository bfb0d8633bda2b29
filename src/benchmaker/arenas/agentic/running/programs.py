"""Installed programs: where an agent's program is, and the folders that it needs to run."""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.running.agents import Agent
from benchmaker.errors import PrerequisiteError
from benchmaker.sandbox import ResourceLimits, SandboxCommand, arun_sandboxed, require
from benchmaker.sandbox.isolation import Isolation
from benchmaker.spec.agents.adapter import AgentAdapter

SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
CERTIFICATES: Final = Path("/etc/ssl/certs")
"""Some agents don't start without certificates, even if they use none."""

_VISIBLE: Final = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib64")))
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+(?:[-+.]?[A-Za-z]+[\w.]*)?")
_ENV: Final = re.compile(rb"#!\s*\S*/env(?:\s+-S)?\s+(\S+)")
_HEAD_BYTES: Final = 256
_SHIMS: Final = "shims"
_VERSION_LIMITS: Final = ResourceLimits(
    wall_s=60, cpu_s=60, memory_mb=4_000, processes=400, open_files=4_096, disk_mb=256
)


@dataclass(frozen=True, slots=True)
class Program:
    """An installed program: its file, the paths to show inside, and its folders on ``PATH``."""

    file: Path
    reads: tuple[Path, ...]
    folders: tuple[str, ...]

    @property
    def search_path(self) -> str:
        """The value of ``PATH`` inside."""
        return os.pathsep.join(dict.fromkeys((*self.folders, *SYSTEM_PATH.split(os.pathsep))))

    def visible_reads(self) -> dict[str | Path, str]:
        """The paths to show inside under their own names, certificates among them."""
        return {path: str(path) for path in (*self.reads, CERTIFICATES) if path.exists()}


def find_program(name: str, search_path: str) -> Program | None:
    """Find a program on the search path; None if it is not installed."""
    found = _which(name, search_path)
    if found is None:
        return None
    file = Path(found).resolve()
    parts = [_own(Path(found)), *_interpreters(file, search_path)]
    reads = dict.fromkeys(path for part in parts for path in part.reads)
    folders = dict.fromkeys(folder for part in parts for folder in part.folders)
    return Program(file, tuple(reads), tuple(folders))


def program_of(agent: Agent, search_path: str) -> Program:
    """The program of an agent.

    Raises:
        PrerequisiteError: it is not installed; the hint is the command that installs it.
    """
    adapter = agent.adapter
    found = find_program(adapter.argv[0], search_path) if adapter else None
    if adapter is None or found is None:
        name = adapter.argv[0] if adapter else agent.name
        hint = adapter.install if adapter else ""
        raise PrerequisiteError(f"the program {name!r} is not installed.", hint=hint)
    return found


async def installed_version(adapter: AgentAdapter, program: Program) -> str:
    """The version that the program prints, found behind walls; empty if it prints none."""
    if not adapter.version:
        return ""
    argv = (str(program.file), *adapter.version[1:])
    command = SandboxCommand(
        argv,
        env={**adapter.variables({}), "PATH": program.search_path, "CI": "1"},
        reads=program.visible_reads(),
    )
    ended = await arun_sandboxed(
        command, isolation=require(Isolation.NAMESPACE), limits=_VERSION_LIMITS
    )
    said = (ended.stdout + ended.stderr).decode("utf-8", "replace")
    found = _VERSION.search(said) if ended.is_clean else None
    return found[0] if found else ""


def _which(name: str, search_path: str) -> str | None:
    """The file of a program; shims of version managers, which need the manager, come last."""
    folders = search_path.split(os.pathsep)
    real = [folder for folder in folders if Path(folder).name != _SHIMS]
    return shutil.which(name, path=os.pathsep.join(real)) or shutil.which(name, path=search_path)


def _own(found: Path) -> Program:
    """The file itself with the folder that it belongs to."""
    file = found.resolve()
    return Program(file, tuple(_homes(file)), (str(file.parent), str(found.parent)))


def _homes(file: Path) -> Iterator[Path]:
    """The paths that a file needs: its environment, its packages, or itself."""
    if any(file.is_relative_to(folder) for folder in _VISIBLE):
        return
    environment = next((it for it in file.parents if (it / "pyvenv.cfg").is_file()), None)
    if environment is not None:
        yield environment
        yield from _base_python(environment)
    elif "node_modules" in file.parts:
        yield Path(*file.parts[: file.parts.index("node_modules") + 1])
    else:
        yield file
        if file.parent.name == "bin" and (library := file.parent.parent / "lib").is_dir():
            yield library


def _base_python(environment: Path) -> Iterator[Path]:
    base = (environment / "bin" / "python").resolve().parent.parent
    if not any(base.is_relative_to(folder) for folder in _VISIBLE):
        yield base


def _interpreters(file: Path, search_path: str) -> Iterator[Program]:
    """The interpreter that a script names by ``env``."""
    with file.open("rb") as stream:
        named = _ENV.match(stream.read(_HEAD_BYTES))
    found = _which(named[1].decode(), search_path) if named else None
    if found:
        yield _own(Path(found))
