"""Submitted archives: unpacked within bounds, regular files only."""

import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, cast

from benchmaker.errors import SpecError
from benchmaker.sandbox import Bounds

SUFFIXES: Final = (".tar.gz", ".tgz", ".tar", ".zip")
_CHUNK: Final = 1 << 20
_MOST_AT_ONCE: Final = 64 << 20
_HEADERS: Final = 4096
_ENCRYPTED: Final = 0x1
_EXECUTABLE: Final = 0o100
_DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)


class Unfit(Exception):
    """The submission cannot be graded, by its own fault."""


@dataclass(slots=True)
class Unpacking:
    """An archive being unpacked into a folder; skipped parts are listed with the reason."""

    into: Path
    bounds: Bounds
    left_out: list[tuple[str, str]] = field(default_factory=list)
    _entries: int = 0
    _bytes: int = 0

    def unpack(self, archive: Path) -> None:
        """Write the regular files of the archive.

        Raises:
            Unfit: it is damaged, or holds more than the bounds allow.
            SpecError: it is no archive of a known kind.
        """
        if not archive.name.lower().endswith(SUFFIXES):
            hint = f"Use a folder, or a file with one of these endings: {', '.join(SUFFIXES)}."
            raise SpecError("not a readable archive.", where=str(archive), hint=hint)
        is_zip = archive.name.lower().endswith(".zip")
        try:
            with _open_archive(archive) as stream:
                (self._zip if is_zip else self._tar)(stream)
        except FileExistsError as exc:
            raise Unfit("the archive has a file where it also has a folder") from exc
        except _DAMAGED as exc:
            raise Unfit(f"the archive is damaged: {exc}") from exc

    def _zip(self, stream: IO[bytes]) -> None:
        with zipfile.ZipFile(stream) as archive:
            for part in archive.infolist():
                kind = stat.S_IFMT(part.external_attr >> 16)
                if part.is_dir():
                    self._count()
                elif part.flag_bits & _ENCRYPTED:
                    self.left_out.append((part.filename, "encrypted"))
                elif kind not in (0, stat.S_IFREG):
                    self.left_out.append((part.filename, "not a regular file"))
                else:
                    with archive.open(part) as content:
                        self._write(part.filename, content, mode=part.external_attr >> 16)

    def _tar(self, stream: IO[bytes]) -> None:
        is_packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        plain = gzip.GzipFile(fileobj=stream) if is_packed else stream
        most = self.bounds.total_bytes + _HEADERS * self.bounds.entries
        counted = cast(
            "IO[bytes]", _BoundedStream(cast("IO[bytes]", plain), most)
        )  # read() is enough
        with tarfile.open(fileobj=counted, mode="r|") as archive:
            for part in archive:
                content = archive.extractfile(part) if part.isreg() else None
                if content is not None:
                    self._write(part.name, content, mode=part.mode)
                elif part.isdir():
                    self._count()
                else:
                    self.left_out.append((part.name, "not a regular file"))

    def _write(self, name: str, content: IO[bytes], *, mode: int) -> None:
        self._count()
        path = _safe_path(name, self.bounds.depth)
        if path is None:
            self.left_out.append((name, "is outside the archive"))
            return
        place = self.into / path
        place.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        try:
            opened = os.open(place, flags, 0o755 if mode & _EXECUTABLE else 0o644)
        except FileExistsError:
            self.left_out.append((name, "an entry with that name exists"))
            return
        with os.fdopen(opened, "wb") as file:
            size = 0
            while chunk := content.read(_CHUNK):
                size += len(chunk)
                self._check(name, size, len(chunk))
                file.write(chunk)

    def _check(self, name: str, size: int, more: int) -> None:
        self._bytes += more
        if size > self.bounds.file_bytes:
            raise Unfit(f"{name[:200]!r} is larger than {self.bounds.file_bytes:,} bytes")
        if self._bytes > self.bounds.total_bytes:
            raise Unfit(f"the archive holds more than {self.bounds.total_bytes:,} bytes")

    def _count(self) -> None:
        self._entries += 1
        if self._entries > self.bounds.entries:
            raise Unfit(f"the archive has more than {self.bounds.entries:,} entries")


class _BoundedStream(io.RawIOBase):
    """A stream that ends a bomb, whatever its headers say."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream = stream
        self._left = most

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _MOST_AT_ONCE:
            raise Unfit("an archive header is too large")
        found = self._stream.read(size)
        self._left -= len(found)
        if self._left < 0:
            raise Unfit("the unpacked archive exceeds its limits")
        return found


@contextmanager
def _open_archive(archive: Path) -> Iterator[IO[bytes]]:
    opened = os.open(archive, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(opened, "rb") as stream:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise SpecError("not a regular file.", where=str(archive))
        yield stream


def _safe_path(name: str, depth: int) -> Path | None:
    """The path of a part, or None where it would leave the folder."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    is_odd = name.startswith(("/", "\\")) or ".." in parts or "\0" in name or ":" in parts[:1]
    return None if is_odd or not parts or len(parts) > depth else Path(*parts)
