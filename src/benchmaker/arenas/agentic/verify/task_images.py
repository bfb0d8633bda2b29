"""The images of a task: built from its folder or pulled, and the files of their working folder."""

import atexit
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Final

from benchmaker.arenas.agentic.verify.workspace import lay
from benchmaker.errors import PrerequisiteError, SandboxError, SpecError
from benchmaker.sandbox.container_images import (
    build_image,
    folder_archive,
    has_image,
    image_config,
    pull_image,
)
from benchmaker.sandbox.container_program import program_found, remove_orphans
from benchmaker.sandbox.recipe import is_free_in_container
from benchmaker.spec.tasks.harbor.harbor_task import BUILT, ENVIRONMENT, TESTS, built_image
from benchmaker.spec.tasks.harbor.image_plan import DOCKERFILE
from benchmaker.spec.tasks.task import TaskFolder

_MIB: Final = 1 << 20
_lock: Final = Lock()
_present: Final[set[tuple[str, str]]] = set()
_completed: Final[dict[str, TaskFolder]] = {}


def images_of(task: TaskFolder) -> tuple[str, ...]:
    """The images of the solver and of the criteria, each once."""
    spec = task.task
    return tuple(dict.fromkeys(it for it in (spec.agent_image or spec.image, spec.image) if it))


def with_images(task: TaskFolder) -> TaskFolder:
    """Build or pull the images of a task; return it with the files of their working folder.

    A task of Harbor starts with the content of the image's working folder, and the files of a
    Dockerfile are part of that. Other tasks start with their own files. The containers of
    processes that were killed are removed.

    Raises:
        PrerequisiteError: an image can't be built or pulled.
        SpecError: the working folder of the image can't be used.
    """
    program = program_found()
    with _lock:
        if not _present:
            remove_orphans(program)
        for image in images_of(task):
            if (program, image) not in _present:
                _provide(program, image, task)
                _present.add((program, image))
        if not task.task.needs_container:
            return task
        key = f"{task.digest}:{task.folder}"
        if key not in _completed:
            made = _with_image_files(program, task)
            _completed[key] = _completed[f"{made.digest}:{made.folder}"] = made
        return _completed[key]


def _provide(program: str, image: str, task: TaskFolder) -> None:
    contexts = dict(_contexts(task))
    if has_image(program, image):
        return
    if image in contexts:
        context = contexts[image]
        name = f"task {task.task.id}: {context.name}/{DOCKERFILE}"
        build_image(program, image, context, name=name)
    elif image.startswith(f"{BUILT}:"):
        raise PrerequisiteError(
            f"the image {image} of task {task.task.id} is missing, and so is its Dockerfile.",
            hint="Add the task again from its folder.",
        )
    else:
        pull_image(program, image)


def _contexts(task: TaskFolder) -> Iterator[tuple[str, Path]]:
    """The build contexts of a task by the tags of their images."""
    for name in (ENVIRONMENT, TESTS):
        context = task.folder / name
        if (context / DOCKERFILE).is_file():
            yield built_image(context), context


def _with_image_files(program: str, task: TaskFolder) -> TaskFolder:
    image = images_of(task)[0]
    workdir = task.task.workdir or str(image_config(program, image).get("WorkingDir") or "")
    if not is_free_in_container(workdir):
        raise SpecError(
            f"the working folder {workdir or '/'} of image {image} can't be used.",
            where=task.task.id,
            hint="Set WORKDIR to a folder of its own, such as /app.",
        )
    folder = Path(tempfile.mkdtemp(prefix="benchmaker-image-task-"))
    folder.chmod(0o755)
    atexit.register(_remove, folder, os.getpid())
    shutil.copytree(task.folder, folder, symlinks=True, dirs_exist_ok=True)
    start = folder / "start"
    shutil.rmtree(start, ignore_errors=True)
    start.mkdir()
    limits = task.task.limits
    with folder_archive(program, image, workdir) as archive:
        if archive is not None:
            _unpack(archive, start, limits.disk_mb * _MIB, limits.files)
    if task.start.is_dir():
        lay(task.start, start)
    spec = task.task.model_copy(update={"workdir": workdir})
    return TaskFolder(spec, folder, task.digest)


def _unpack(archive: Path, into: Path, most_bytes: int, most_files: int) -> None:
    """Unpack files, folders and inner links; the first part of each path is the folder itself."""
    size = 0
    with tarfile.open(archive) as opened:
        for number, member in enumerate(opened):
            size += member.size
            if size > most_bytes or number > most_files:
                raise SandboxError(
                    f"the working folder of the image is larger than {most_bytes:,} bytes, or has "
                    f"more than {most_files:,} files."
                )
            member.name = member.name.lstrip("/").removeprefix("./").partition("/")[2]
            if member.islnk():
                member.linkname = member.linkname.lstrip("/").removeprefix("./").partition("/")[2]
            if member.name and not member.isdev():
                _extract(opened, member, into)


def _extract(opened: tarfile.TarFile, member: tarfile.TarInfo, into: Path) -> None:
    try:
        safe = tarfile.data_filter(member, str(into))
        opened.extract(safe, into, set_attrs=False, filter="fully_trusted")
    except (tarfile.FilterError, KeyError):
        return  # it leads out of the folder
    place = into / safe.name
    if safe.isreg():
        place.chmod(0o755 if member.mode & 0o100 else 0o644)


def _remove(folder: Path, process: int) -> None:
    """Remove a folder when the process ends that made it, not in a fork of it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
