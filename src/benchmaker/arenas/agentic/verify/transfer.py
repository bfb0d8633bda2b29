"""Transfer of folders to another machine: only the files that a verification reads.

A submitted folder is untrusted. It is read without following links, and recreated unchanged, so
that the same rules apply there as here.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from benchmaker.arenas.agentic.verify.patterns import matcher
from benchmaker.errors import SpecError
from benchmaker.spec.tasks.task import Task, TaskFolder

MOST_BYTES: Final = 512 * 2**20
"""Maximum size of a workspace sent at once."""

MOST_ENTRIES: Final = 200_000
"""Maximum number of files, folders and links sent at once."""

_MIB: Final = 2**20
_MOST_HOLE: Final = 2**41
_DEEPEST: Final = 66
"""Deeper folders are refused where they are graded; what lies in them is not sent."""

_HINT: Final = "Verify without --executor."
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Unsendable(SpecError):
    """A workspace is too large to be sent."""


Kind = Literal["file", "folder", "link", "other"]


class Entry(NamedTuple):
    """One name in a folder; ``content`` is a link's target or a file's bytes.

    A file that nobody reads has only its size.
    """

    path: str
    kind: Kind
    mode: int = 0
    mtime_ns: int = 0
    size: int = 0
    content: bytes | None = None


class Parcel(NamedTuple):
    """A folder, or an archive with its name and bytes."""

    entries: tuple[Entry, ...] = ()
    name: str = ""
    archive: bytes = b""


class TaskParcel(NamedTuple):
    """A task with the parts of its folder needed for grading."""

    task: Task
    digest: str
    start: Parcel
    tests: Parcel


def packed_workspace(task: Task, workspace: Path) -> Parcel:
    """Pack a workspace for :func:`unpack_workspace`; files that are not outputs only by name.

    If the outputs exceed the task's limits, no content is sent, since refusal needs none.

    Raises:
        SpecError: unknown folder or archive.
        Unsendable: it is too large.
    """
    if workspace.is_dir():
        return Parcel(_entries(workspace, task))
    if not workspace.is_file():
        hint = "Use the folder in which the tool worked, or an archive of it."
        raise SpecError("workspace not found.", where=str(workspace), hint=hint)
    _refuse_large(workspace, workspace.stat().st_size)
    return Parcel(name=workspace.name, archive=workspace.read_bytes())


def packed_task(task: TaskFolder) -> TaskParcel:
    """A task for :func:`laid_task`; its solutions stay where they are."""
    parts = (
        Parcel(_entries(one, None)) if one.is_dir() else Parcel()
        for one in (task.start, task.tests)
    )
    return TaskParcel(task.task, task.digest, *parts)


def unpack_workspace(parcel: Parcel, folder: Path) -> Path:
    """The workspace as it was, within an empty folder of ours."""
    if parcel.name:
        place = folder / "archive" / Path(parcel.name).name
        place.parent.mkdir()
        place.write_bytes(parcel.archive)
        return place
    place = folder / "workspace"
    _lay(parcel, place)
    return place


def laid_task(parcel: TaskParcel, folder: Path) -> TaskFolder:
    """The task, within an empty folder of ours."""
    _lay(parcel.start, folder / "start")
    _lay(parcel.tests, folder / "tests")
    return TaskFolder(parcel.task, folder, parcel.digest)


def _entries(folder: Path, task: Task | None) -> tuple[Entry, ...]:
    most = task.limits.files + 1 if task is not None else MOST_ENTRIES
    found: list[Entry] = []
    for one in _walk(folder, "", most):
        found.append(one)
        if len(found) > MOST_ENTRIES:
            what = f"more than {MOST_ENTRIES:,} files, too many to send"
            raise Unsendable(f"{what}.", where=str(folder), hint=_HINT)
    is_read = matcher(task.outputs if task is not None else ("**",))
    known = [one if is_read(one.path) else one._replace(size=0) for one in found]
    size = sum(one.size for one in known)
    if task is not None and size > task.limits.disk_mb * _MIB:
        return tuple(known)
    _refuse_large(folder, size)
    return tuple(_fill(folder, one) if is_read(one.path) else one for one in known)


def _refuse_large(workspace: Path, size: int) -> None:
    if size > MOST_BYTES:
        what = f"{size:,} bytes, more than the limit of {MOST_BYTES:,}"
        raise Unsendable(f"{what}.", where=str(workspace), hint=_HINT)


def _walk(base: Path, path: str, most: int) -> Iterator[Entry]:
    """Yield the content of a folder, parents first; at most ``most`` names per folder."""
    names = []
    with os.scandir(base / path) as found:
        for one in found:
            names.append(one.name)
            if len(names) > most:
                break
    for name in sorted(names):
        inner = f"{path}/{name}" if path else name
        entry = _entry(base, inner)
        yield entry
        if entry.kind == "folder" and inner.count("/") < _DEEPEST:
            yield from _walk(base, inner, most)


def _entry(base: Path, path: str) -> Entry:
    place = base / path
    found = place.lstat()
    if stat.S_ISDIR(found.st_mode):
        return Entry(path, "folder" if os.access(place, os.R_OK | os.X_OK) else "other")
    if stat.S_ISLNK(found.st_mode):
        return Entry(path, "link", content=os.fsencode(place.readlink()))
    if stat.S_ISREG(found.st_mode) and os.access(place, os.R_OK):
        return Entry(path, "file", found.st_mode & 0o777, found.st_mtime_ns, found.st_size)
    return Entry(path, "other")


def _fill(base: Path, entry: Entry) -> Entry:
    """A file with its bytes, as many as it had when it was counted."""
    if entry.kind != "file":
        return entry
    opened = os.open(base / entry.path, _READ)
    with open(opened, "rb") as stream:  # noqa: PTH123  a descriptor that follows no link
        content = stream.read(entry.size)
    return entry._replace(size=len(content), content=content)


def _lay(parcel: Parcel, folder: Path) -> None:
    folder.mkdir()
    for one in parcel.entries:
        place = folder / one.path
        match one.kind:
            case "folder":
                place.mkdir()
            case "link":
                place.symlink_to(os.fsdecode(one.content or b""))
            case "other":
                os.mkfifo(place)
            case "file":
                _write(place, one)


def _write(place: Path, entry: Entry) -> None:
    with open(os.open(place, _WRITE, 0o600), "wb") as stream:  # noqa: PTH123  never over another
        if entry.content is not None:
            stream.write(entry.content)
        else:
            stream.truncate(min(entry.size, _MOST_HOLE))
    place.chmod(entry.mode)
    os.utime(place, ns=(entry.mtime_ns, entry.mtime_ns))
