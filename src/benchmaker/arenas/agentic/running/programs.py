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
from benchmaker.sandbox import (
    CommandResult,
    ResourceLimits,
    SandboxCommand,
    arun_sandboxed,
    require,
)
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
    """An installed program: its file, the paths to show inside, and its folders on ``PATH``.

    ``image_path`` is the ``PATH`` of the image that it runs in; None for a namespace. A program of
    the image itself has a name in place of a file.
    """

    file: Path
    reads: tuple[Path, ...]
    folders: tuple[str, ...]
    image_path: str | None = None

    @property
    def search_path(self) -> str:
        """The value of ``PATH`` inside."""
        system = (self.image_path or SYSTEM_PATH).split(os.pathsep)
        return os.pathsep.join(dict.fromkeys((*self.folders, *system)))

    def visible_reads(self) -> dict[str | Path, str]:
        """The paths to show inside under their own names; in a namespace with certificates."""
        more = () if self.image_path is not None else (CERTIFICATES,)
        return {path: str(path) for path in (*self.reads, *more) if path.exists()}


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


def program_in_image(name: str, search_path: str, image_path: str) -> Program:
    """The program as a container has it: mounted from this machine, or the image's own.

    Programs in the system folders of this machine are not mounted, except those that come with a
    folder of their own: packages of npm, and virtual environments.
    """
    found = _which(name, search_path)
    parts: list[Program] = []
    if found is not None:
        file = Path(found).resolve()
        parts = [
            _own(Path(found), in_image=True),
            *_interpreters(file, search_path, in_image=True),
        ]
    mounted = [part for part in parts if part.reads]
    is_own = not parts or not parts[0].reads
    return Program(
        Path(name) if is_own else parts[0].file,
        tuple(dict.fromkeys(path for part in mounted for path in part.reads)),
        tuple(dict.fromkeys(folder for part in mounted for folder in part.folders)),
        image_path or SYSTEM_PATH,
    )


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
    return _version_in(await version_run(adapter, program))


async def version_run(adapter: AgentAdapter, program: Program, image: str = "") -> CommandResult:
    """Run the command that prints a version, in a namespace or in a container of an image."""
    command = SandboxCommand(
        (str(program.file), *adapter.version[1:]),
        env={**adapter.variables({}), "PATH": program.search_path, "CI": "1"},
        reads=program.visible_reads(),
        image=image,
    )
    level = require(Isolation.CONTAINER if image else Isolation.NAMESPACE)
    return await arun_sandboxed(command, isolation=level, limits=_VERSION_LIMITS)


def _version_in(ended: CommandResult) -> str:
    said = (ended.stdout + ended.stderr).decode("utf-8", "replace")
    found = _VERSION.search(said) if ended.is_clean else None
    return found[0] if found else ""


def _which(name: str, search_path: str) -> str | None:
    """The file of a program; shims of version managers, which need the manager, come last."""
    folders = search_path.split(os.pathsep)
    real = [folder for folder in folders if Path(folder).name != _SHIMS]
    return shutil.which(name, path=os.pathsep.join(real)) or shutil.which(name, path=search_path)


def _own(found: Path, *, in_image: bool = False) -> Program:
    """The file itself with the folder that it belongs to."""
    file = found.resolve()
    reads = tuple(_homes(file, in_image=in_image))
    return Program(file, reads, (str(file.parent), str(found.parent)))


def _homes(file: Path, *, in_image: bool = False) -> Iterator[Path]:
    """The paths that a file needs: its environment, its packages, or itself."""
    is_system = any(file.is_relative_to(folder) for folder in _VISIBLE)
    if is_system and not in_image:
        return
    environment = next((it for it in file.parents if (it / "pyvenv.cfg").is_file()), None)
    if environment is not None:
        yield environment
        yield from _base_python(environment)
    elif "node_modules" in file.parts:
        yield Path(*file.parts[: file.parts.index("node_modules") + 1])
    elif not is_system:
        yield file
        if file.parent.name == "bin" and (library := file.parent.parent / "lib").is_dir():
            yield library


def _base_python(environment: Path) -> Iterator[Path]:
    base = (environment / "bin" / "python").resolve().parent.parent
    if not any(base.is_relative_to(folder) for folder in _VISIBLE):
        yield base


def _interpreters(file: Path, search_path: str, *, in_image: bool = False) -> Iterator[Program]:
    """The interpreter that a script names by ``env``."""
    with file.open("rb") as stream:
        named = _ENV.match(stream.read(_HEAD_BYTES))
    found = _which(named[1].decode(), search_path) if named else None
    if found:
        yield _own(Path(found), in_image=in_image)
