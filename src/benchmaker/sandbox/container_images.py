"""Images of containers: built, pulled, and read."""

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Final

from benchmaker.errors import PrerequisiteError, SandboxError
from benchmaker.sandbox.container_program import (
    OWNER,
    call,
    end,
    last_line,
    new_name,
    owner,
)

BUILD_S: Final = 1_800.0
PULL_S: Final = 1_800.0
_LOOK_S: Final = 60.0
_COPY_S: Final = 600.0
_SAID: Final = 5
_NUMBERED: Final = re.compile(r"^Dockerfile:(\d+)$", re.MULTILINE)
"""The place of a fault as docker's BuildKit prints it."""

_STEP: Final = re.compile(r'(?:STEP "|S(?:TEP|tep) \d+(?:/\d+)? ?: )([^"\n]+)')
"""A step as podman prints it, and docker without BuildKit."""


def has_image(program: str, image: str) -> bool:
    """True if the image is on this machine."""
    return call(program, "image", "inspect", image, seconds=_LOOK_S).returncode == 0


def pull_image(program: str, image: str) -> None:
    """Pull an image from its registry.

    Raises:
        PrerequisiteError: it can't be pulled, with the last lines of the program.
    """
    done = call(program, "pull", "--quiet", image, seconds=PULL_S)
    if done.returncode != 0:
        name = Path(program).name
        raise PrerequisiteError(
            f"the image {image} can't be pulled: {last_line(done)}",
            hint=f"Try it with: {name} pull {image}",
        )


def build_image(program: str, image: str, context: Path, *, name: str) -> None:
    """Build an image from the ``Dockerfile`` of a folder, with the network.

    ``name`` is the file as messages call it.

    Raises:
        PrerequisiteError: the build fails, with its last lines.
    """
    file = context / "Dockerfile"
    words = ("build", "--tag", image, "--file", str(file), str(context))
    done = call(program, *words, seconds=BUILD_S)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
        number = failed_line(said, file.read_text(encoding="utf-8", errors="replace"))
        lines = "".join(f"\n  {line}" for line in said.splitlines()[-_SAID:])
        place = f"{name}:{number}" if number else name
        raise PrerequisiteError(
            f"{place} can't be built (status {done.returncode}):{lines}",
            hint=f"Try it with: {Path(program).name} build, in the folder of that file.",
        )


def failed_line(said: str, dockerfile: str) -> int:
    """The line at which a build failed, from what podman or docker printed; 0 if it is unknown.

    >>> failed_line('Error: building at STEP "RUN make": exit status 2', "RUN make")
    1
    """
    if found := _NUMBERED.findall(said):
        return int(found[-1])
    steps = _STEP.findall(said)
    step = " ".join(steps[-1].split()) if steps else ""
    lines = (" ".join(line.rstrip("\\").split()) for line in dockerfile.splitlines())
    return next((at for at, line in enumerate(lines, 1) if line and step.startswith(line)), 0)


def commit_image(program: str, container: str, image: str) -> None:
    """Keep the files of a container as an image.

    Raises:
        SandboxError: the engine fails.
    """
    done = call(program, "commit", container, image, seconds=_COPY_S)
    if done.returncode != 0:
        raise SandboxError(f"the image {image} can't be made: {last_line(done)}")


def image_id(program: str, image: str) -> str:
    """The id of an image, which changes with its content.

    Raises:
        SandboxError: the image is not there.
    """
    return str(_inspect(program, image).get("Id") or "")


def image_config(program: str, image: str) -> dict[str, object]:
    """The configuration of an image: ``Env``, ``WorkingDir``, ``User`` and more.

    Raises:
        SandboxError: the image is not there.
    """
    config = _inspect(program, image).get("Config")
    return config if isinstance(config, dict) else {}


def _inspect(program: str, image: str) -> dict[str, object]:
    done = call(program, "image", "inspect", image, seconds=_LOOK_S)
    if done.returncode != 0:
        raise SandboxError(f"the image {image} can't be read: {last_line(done)}")
    try:
        found = json.loads(done.stdout)[0]
    except (ValueError, LookupError, TypeError) as exc:
        raise SandboxError(f"the image {image} has no readable configuration.") from exc
    return found if isinstance(found, dict) else {}


@cache
def image_path(program: str, image: str) -> str:
    """The ``PATH`` of an image; empty if it sets none."""
    env = image_config(program, image).get("Env")
    variables = (str(one).partition("=") for one in (env if isinstance(env, list) else ()))
    return next((value for name, _, value in variables if name == "PATH"), "")


@dataclass(frozen=True, slots=True)
class BuildContainer:
    """A running container in which an image is made, with the network and as root."""

    program: str
    name: str

    def execute(self, *argv: str, seconds: float) -> None:
        """Execute a command in it.

        Raises:
            SandboxError: the command fails, or the engine does.
        """
        words = ("exec", "--user", "0:0", self.name, *argv)
        done = call(self.program, *words, seconds=seconds)
        if done.returncode != 0:
            raise SandboxError(f"{argv[0]} failed in the container: {last_line(done)}")


@contextmanager
def build_container(program: str, image: str) -> Iterator[BuildContainer]:
    """A container of an image that waits for commands; it is removed at the end.

    Raises:
        SandboxError: it can't be started.
    """
    name = new_name()
    try:
        words = ("--detach", "--name", name, "--label", f"{OWNER}={owner()}", "--user", "0:0")
        start = ("--pull", "never", "--entrypoint", "sleep", image, f"{BUILD_S:.0f}")
        made = call(program, "run", *words, *start, seconds=_COPY_S)
        if made.returncode != 0:
            raise SandboxError(f"a container of {image} can't be started: {last_line(made)}")
        yield BuildContainer(program, name)
    finally:
        end(program, name)


@contextmanager
def folder_archive(program: str, image: str, path: str) -> Iterator[Path | None]:
    """A tar file of a folder of an image, itself included; None if it is not there.

    The container for it is created and never started, so nothing of the image runs.
    """
    name = new_name()
    with tempfile.TemporaryDirectory(prefix="benchmaker-image-") as folder:
        archive = Path(folder, "image.tar")
        try:
            words = ("--name", name, "--label", f"{OWNER}={owner()}", "--network", "none")
            made = call(
                program, "create", *words, "--pull", "never", image, "/none", seconds=_COPY_S
            )
            if made.returncode != 0:
                raise SandboxError(f"the image {image} can't be read: {last_line(made)}")
            with archive.open("wb") as file:
                is_there = _copy(program, f"{name}:{path}", file)
            yield archive if is_there else None
        finally:
            end(program, name)


def _copy(program: str, source: str, file: IO[bytes]) -> bool:
    return call(program, "cp", source, "-", seconds=_COPY_S, stdout=file).returncode == 0
