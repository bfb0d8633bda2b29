"""Copying a tree that is not trusted: bounded, by file descriptors, never through a link."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from benchmaker.errors import SandboxError

_CHUNK = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LINK_BYTES = 4096

Wanted = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of copying; sizes are apparent ones, so a sparse file counts in full."""

    total_bytes: int
    file_bytes: int
    entries: int
    depth: int = 64


@dataclass(slots=True)
class CopyReport:
    """The copied files, and the skipped ones with the reason."""

    files: int = 0
    entries: int = 0
    total_bytes: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)


def copy_tree(
    source: int,
    target: int,
    *,
    bounds: Bounds,
    wanted: Wanted | None = None,
    owner: tuple[int, int] | None = None,
) -> CopyReport:
    """Copy the content of one open folder into another.

    Regular files, folders and inner links are copied; devices, pipes, sockets and links to the
    outside are skipped. Of the mode only "executable" is kept, of the times only the modification
    time. ``wanted`` is a predicate of paths like ``a/b.txt`` for files and links; a folder without
    any is then not created. ``owner`` is the uid and gid of the copies.

    Raises:
        SandboxError: the content exceeds the bounds.
    """
    copier = _Copier(bounds, wanted, owner)
    copier.folder(source, _Target(target), "", 0)
    return copier.copied


class _Target:
    """A folder that is made when the first thing in it is."""

    def __init__(self, fd: int = -1, above: "_Target | None" = None, name: str = "") -> None:
        self._fd = fd
        self._above = above
        self._name = name

    def fd(self, copier: "_Copier") -> int:
        if self._fd < 0 and self._above is not None:
            above = self._above.fd(copier)
            copier.count(self._name)
            os.mkdir(self._name, 0o755, dir_fd=above)
            self._fd = os.open(self._name, _FOLDER, dir_fd=above)
            copier.chown(self._fd)
        return self._fd

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)


class _Copier:
    def __init__(
        self, bounds: Bounds, wanted: Wanted | None, owner: tuple[int, int] | None
    ) -> None:
        self.bounds = bounds
        self.wanted = wanted
        self.owner = owner
        self.copied = CopyReport()

    def folder(self, source: int, target: _Target, path: str, depth: int) -> None:
        if depth > self.bounds.depth:
            raise SandboxError(f"folders are nested deeper than {self.bounds.depth}.", where=path)
        if self.wanted is None:
            target.fd(self)
        for name in _names(source, self.bounds.entries):
            inner = f"{path}/{name}" if path else name
            try:
                self._entry(source, target, name, inner)
            except FileExistsError:
                self._leave_out(inner, "an entry with that name exists")
            except PermissionError:
                self._leave_out(inner, "permission denied")
            except FileNotFoundError:
                self._leave_out(inner, "vanished meanwhile")

    def _entry(self, source: int, target: _Target, name: str, path: str) -> None:
        mode = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            self._subfolder(source, target, name, path)
        elif self.wanted is not None and not self.wanted(path):
            return
        elif stat.S_ISREG(mode):
            self._file(source, target, name, path)
        elif stat.S_ISLNK(mode):
            self._link(source, target, name, path)
        else:
            self._leave_out(path, "not a file, folder or link")

    def _subfolder(self, source: int, target: _Target, name: str, path: str) -> None:
        opened = os.open(name, _FOLDER, dir_fd=source)
        below = _Target(above=target, name=name)
        try:
            self.folder(opened, below, path, path.count("/") + 1)
        finally:
            os.close(opened)
            below.close()

    def _file(self, source: int, target: _Target, name: str, path: str) -> None:
        opened = os.open(name, _READ, dir_fd=source)
        try:
            found = os.fstat(opened)
            if not stat.S_ISREG(found.st_mode):
                self._leave_out(path, "changed during reading")
                return
            self._check_size(found.st_size, path)
            self.count(path)
            mode = 0o755 if found.st_mode & 0o100 else 0o644
            written = os.open(name, _WRITE, mode, dir_fd=target.fd(self))
            try:
                self._pour(opened, written, path)
                self.chown(written)
                os.utime(written, ns=(found.st_mtime_ns, found.st_mtime_ns))
            finally:
                os.close(written)
            self.copied.files += 1
        finally:
            os.close(opened)

    def _pour(self, source: int, target: int, path: str) -> None:
        size = 0
        while chunk := os.read(source, _CHUNK):
            size += len(chunk)
            self._check_size(size, path)
            view = memoryview(chunk)
            while view:
                view = view[os.write(target, view) :]
        self.copied.total_bytes += size

    def _link(self, source: int, target: _Target, name: str, path: str) -> None:
        leads = os.readlink(name, dir_fd=source)
        if not stays_inside(leads, path):
            self._leave_out(path, "a link out of the folder")
            return
        self.count(path)
        into = target.fd(self)
        os.symlink(leads, name, dir_fd=into)
        if self.owner:
            os.chown(name, *self.owner, dir_fd=into, follow_symlinks=False)

    def _check_size(self, size: int, path: str) -> None:
        if size > self.bounds.file_bytes:
            raise SandboxError(
                f"a file is larger than {self.bounds.file_bytes:,} bytes.", where=path
            )
        if self.copied.total_bytes + size > self.bounds.total_bytes:
            raise SandboxError(
                f"the files are larger than {self.bounds.total_bytes:,} bytes.", where=path
            )

    def count(self, path: str) -> None:
        self.copied.entries += 1
        if self.copied.entries > self.bounds.entries:
            raise SandboxError(f"there are more than {self.bounds.entries:,} entries.", where=path)

    def chown(self, fd: int) -> None:
        if self.owner:
            os.fchown(fd, *self.owner)

    def _leave_out(self, path: str, reason: str) -> None:
        if len(self.copied.left_out) < self.bounds.entries:
            self.copied.left_out.append((path, reason))


def stays_inside(leads: str, path: str) -> bool:
    """True if a link at ``path`` in a tree stays inside, regardless of other such links.

    ``..`` is only allowed at the beginning: after a name it would be resolved at the target of
    another link.

    >>> stays_inside("../b", "a/link"), stays_inside("../../b", "a/link")
    (True, False)
    """
    if leads.startswith("/") or len(leads) > _LINK_BYTES:
        return False
    parts = PurePosixPath(leads).parts
    ups = next((at for at, part in enumerate(parts) if part != ".."), len(parts))
    return ups <= path.count("/") and ".." not in parts[ups:]


def _names(folder: int, bound: int) -> Iterator[str]:
    """The names in order, so that two copies of a tree are made alike."""
    names = []
    with os.scandir(folder) as found:
        for entry in found:
            names.append(entry.name)
            if len(names) > bound:
                raise SandboxError(f"a folder has more than {bound:,} entries.")
    return iter(sorted(names))
