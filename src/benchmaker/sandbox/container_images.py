"""Images of containers: built, pulled, and read."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
        lines = "".join(f"\n  {line}" for line in said[-_SAID:])
        raise PrerequisiteError(
            f"{name} can't be built (status {done.returncode}):{lines}",
            hint=f"Try it with: {Path(program).name} build, in the folder of that file.",
        )


def image_config(program: str, image: str) -> dict[str, object]:
    """The configuration of an image: ``Env``, ``WorkingDir``, ``User`` and more.

    Raises:
        SandboxError: the image is not there.
    """
    done = call(program, "image", "inspect", image, seconds=_LOOK_S)
    if done.returncode != 0:
        raise SandboxError(f"the image {image} can't be read: {last_line(done)}")
    try:
        config = json.loads(done.stdout)[0]["Config"]
    except (ValueError, LookupError, TypeError) as exc:
        raise SandboxError(f"the image {image} has no readable configuration.") from exc
    return config if isinstance(config, dict) else {}


@cache
def image_path(program: str, image: str) -> str:
    """The ``PATH`` of an image; empty if it sets none."""
    env = image_config(program, image).get("Env")
    variables = (str(one).partition("=") for one in (env if isinstance(env, list) else ()))
    return next((value for name, _, value in variables if name == "PATH"), "")


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
