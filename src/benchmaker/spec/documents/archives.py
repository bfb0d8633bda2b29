"""Untrusted zip archives: checked before anything is read.

Nothing is ever unpacked to the disk. An archive with a path outside itself, a link, duplicate
names, an encrypted part, or an excessive compression ratio is refused as a whole.
"""

import re
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import open_regular_raw
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.sizes import readable_limit

MOST_PARTS: Final = 100_000
MOST_RATIO: Final = 1000
GRACE_BYTES: Final = 2**20
"""Below this size a part may grow by any ratio."""

_ENCRYPTED = 0x1
_ZSTD = 93
_DRIVE = re.compile("[A-Za-z]:")
_DAMAGED: Final[tuple[type[Exception], ...]] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)


class ArchiveError(Exception):
    """The archive is damaged or unsafe; the message explains why."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A checked archive; parts are read one at a time."""

    names: tuple[str, ...]
    _file: zipfile.ZipFile
    _cap: int
    _errors: tuple[type[Exception], ...]

    def read(self, name: str) -> bytes:
        """Return the whole part; ArchiveError if missing, damaged or larger than declared."""
        try:
            with self._file.open(name) as part:
                text = part.read(self._cap + 1)
        except KeyError as exc:
            raise ArchiveError(f"{name!r} is missing in the archive") from exc
        except self._errors as exc:
            raise ArchiveError(f"{name!r} in the archive can't be read: {exc}") from exc
        if len(text) > self._cap:
            raise ArchiveError(
                f"{name!r} in the archive is larger than {readable_limit(self._cap)}"
            )
        return text


@contextmanager
def open_archive(path: Path, *, most_bytes: int, part_bytes: int) -> Iterator[Archive]:
    """Open the archive at the path; ArchiveError if it is not one, or unsafe.

    No part may exceed ``part_bytes``, nor all together ``most_bytes``.
    """
    with ExitStack() as stack:
        try:
            limits = Limits(data_bytes=most_bytes)
            stream = stack.enter_context(open_regular_raw(path, limits=limits))
            file = stack.enter_context(zipfile.ZipFile(stream))
        except SpecError as exc:
            raise ArchiveError(exc.findings[0].message if exc.findings else exc.message) from exc
        except _DAMAGED as exc:
            raise ArchiveError(f"damaged zip archive: {exc}") from exc
        parts = file.infolist()
        _refuse_tricks(parts, most_bytes, part_bytes)
        names = tuple(part.filename for part in parts if not part.is_dir())
        if any(part.compress_type == _ZSTD for part in parts):
            newer, errors = _with_zstd(stream)
            yield Archive(names, stack.enter_context(newer), part_bytes, (*_DAMAGED, *errors))
        else:
            yield Archive(names, file, part_bytes, _DAMAGED)


def _with_zstd(stream: BinaryIO) -> tuple[Any, tuple[type[Exception], ...]]:
    """The archive in a reader that supports Zstandard, and the errors of damaged parts.

    The standard library has one from Python 3.14 on. Any: before that, it is the backport's type.
    """
    if sys.version_info >= (3, 14):
        return zipfile.ZipFile(stream), (import_module("compression.zstd").ZstdError,)
    from backports.zstd import ZstdError  # noqa: PLC0415  lazily
    from backports.zstd import zipfile as newer  # noqa: PLC0415

    return newer.ZipFile(stream), (ZstdError, newer.BadZipFile)


def _refuse_tricks(parts: list[zipfile.ZipInfo], most_bytes: int, part_bytes: int) -> None:
    if len(parts) > MOST_PARTS:
        raise ArchiveError(f"the archive has more than {MOST_PARTS:,} parts")
    if sum(part.file_size for part in parts) > most_bytes:
        raise ArchiveError(f"the archive holds more than {readable_limit(most_bytes)}")
    names = [part.filename for part in parts]
    if len(set(names)) < len(names):
        raise ArchiveError("the archive has two entries with the same name")
    for part in parts:
        if why := _archive_hazard(part, part_bytes):
            raise ArchiveError(f"{part.filename[:100]!r} in the archive {why}")


def _archive_hazard(part: zipfile.ZipInfo, cap: int) -> str | None:
    """Return the hazard of a part; None if it is safe."""
    name = part.orig_filename
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in name or _DRIVE.match(name):
        return "leaves the archive"
    if stat.S_ISLNK(part.external_attr >> 16):
        return "is a link"
    if part.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if part.compress_type == zipfile.ZIP_LZMA:  # not every Python has the errors of its reader
        return "is compressed with LZMA, which is not supported"
    return _excess(part, cap)


def _excess(part: zipfile.ZipInfo, cap: int) -> str | None:
    """Return the excess of a part; None if it is within limits."""
    if part.file_size > cap:
        return f"is larger than {readable_limit(cap)}"
    grows = part.file_size > MOST_RATIO * max(part.compress_size, 1)
    if part.file_size > GRACE_BYTES and grows:
        return f"grows more than {MOST_RATIO} times"
    return None
