"""Opening untrusted files: regular, bounded in size, inside their folder."""

import codecs
import errno
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile
from typing import BinaryIO, NamedTuple

from benchmaker.errors import SpecError
from benchmaker.spec.documents.findings import refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.sizes import readable_limit
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.documents.suggestions import did_you_mean, nearest_name

_BUFFER = 2**18
_MOST_NAMES = 1000
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32 (little-endian)"),
    (b"\0\0\xfe\xff", "UTF-32 (big-endian)"),
    (b"\xff\xfe", "UTF-16 (little-endian)"),
    (b"\xfe\xff", "UTF-16 (big-endian)"),
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Signature(NamedTuple):
    """The size and times that show if a file has changed since it was read."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class Line(NamedTuple):
    """One line of a file: its number from 1, the bytes before it, and its own with their end."""

    number: int
    offset: int
    data: bytes


def is_there(name: str | Path) -> bool:
    """True if the path exists; False for names too long for the file system."""
    try:
        return Path(name).exists()
    except OSError as exc:
        if exc.errno != errno.ENAMETOOLONG:
            raise
        return False


def resolve_inside(folder: Path, name: str, place: SourceLocation) -> Path:
    """The file of that name, which must lie in the folder, links followed.

    SpecError at ``place`` for absolute names, for names that leave the folder, and for NUL.
    """
    hint = "Use a file in the folder of the suite."
    if "\0" in name or not name.strip():
        raise refusal(place, f"{name!r} is not a file name.", hint)
    if PurePosixPath(name).is_absolute() or Path(name).is_absolute():
        raise refusal(place, f"{name!r} is an absolute path.", hint)
    path = folder / name
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            raise refusal(place, f"{name!r} is outside the folder of the suite.", hint)
    except (OSError, RuntimeError) as exc:
        raise refusal(place, f"{name!r} can't be opened: {_reason(exc)}.", hint) from exc
    return path


def existing_inside(folder: Path, name: str, place: SourceLocation) -> Path:
    """Like :func:`resolve_inside`; SpecError at ``place`` also if there is no such file."""
    path = resolve_inside(folder, name, place)
    if not is_there(path):
        hint = nearest_file(path) or "Check the name."
        raise refusal(place, f"no file {name!r} in the suite's folder.", hint)
    return path


def nearest_file(path: Path) -> str:
    """The suggestion of a file of the same folder for a missing one; empty if none is similar."""
    try:
        with os.scandir(path.parent) as entries:
            names = [it.name for it in islice(entries, _MOST_NAMES)]
    except OSError:
        return ""
    alike = [name for name in sorted(names) if nearest_name(path.stem, [Path(name).stem])]
    return did_you_mean(path.name, alike)


def signature(path: Path) -> Signature:
    """Return the file's current signature; SpecError if the file does not exist."""
    try:
        return _signature(path.stat())
    except (OSError, ValueError) as exc:
        raise _unreadable_error(path, exc) from exc


def _signature(info: os.stat_result) -> Signature:
    return Signature(info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


@contextmanager
def open_regular(
    path: Path,
    *,
    limits: Limits,
    cap: int | None = None,
    may_change: bool = False,
    takes_utf16: bool = False,
) -> Iterator[BinaryIO]:
    """The decoded bytes of a regular file, plain or gzipped, at most ``cap`` of them.

    With ``takes_utf16``, text with a UTF-16 byte order mark is returned as UTF-8. SpecError when
    the file is missing, unreadable, not a regular file, too large, changed while it was read unless
    it ``may_change``, or a damaged gzip file.
    """
    cap = limits.data_bytes if cap is None else cap
    with _open_without_waiting(path) as raw:
        before = os.fstat(raw.fileno())
        if before.st_size > cap:
            raise _too_large_error(path, cap)
        with io.BufferedReader(_BoundedStream(raw, path, limits, cap), _BUFFER) as decoded:
            yield _as_utf8(decoded, path) if takes_utf16 else decoded
            if not may_change and _signature(os.fstat(raw.fileno())) != _signature(before):
                raise refusal(
                    SourceLocation(str(path)), "the file changed during reading.", "Try again."
                )


@contextmanager
def open_regular_raw(path: Path, *, limits: Limits) -> Iterator[BinaryIO]:
    """The raw bytes of a regular file, gzipped or not; SpecError for any other file."""
    with _open_without_waiting(path) as raw:
        if os.fstat(raw.fileno()).st_size > limits.data_bytes:
            raise _too_large_error(path, limits.data_bytes)
        yield raw


def _open_without_waiting(path: Path) -> BinaryIO:
    """The file opened for reading; nothing that is no regular file is ever waited for."""
    try:
        _refuse_special(path, path.stat().st_mode)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        raw = os.fdopen(descriptor, "rb", buffering=_BUFFER)
    except (OSError, ValueError) as exc:
        raise _unreadable_error(path, exc) from exc
    try:
        _refuse_special(path, os.fstat(descriptor).st_mode)
    except BaseException:
        raw.close()
        raise
    return raw


def _unreadable_error(path: Path, exc: Exception) -> SpecError:
    hint = nearest_file(path) if isinstance(exc, FileNotFoundError) else ""
    return refusal(SourceLocation(str(path)), f"the file can't be read: {_reason(exc)}.", hint)


def _too_large_error(path: Path, cap: int) -> SpecError:
    return refusal(SourceLocation(str(path)), f"the file is larger than {readable_limit(cap)}.")


def _refuse_special(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kind = next((words for is_kind, words in _KINDS if is_kind(mode)), "not a regular file")
    raise refusal(SourceLocation(str(path)), f"this is {kind}.", "Use a regular file.")


def _reason(exc: Exception) -> str:
    number = exc.errno if isinstance(exc, OSError) else None
    known = {
        errno.ENOENT: "it does not exist",
        errno.EACCES: "permission denied",
        errno.ELOOP: "circular links",
        errno.ENAMETOOLONG: "its name is too long",
    }
    return known.get(number or 0) or (os.strerror(number) if number else str(exc))


class _BoundedStream(io.RawIOBase):
    """A stream that refuses to give more than it may; gzip is recognised by its first bytes."""

    def __init__(self, raw: BinaryIO, path: Path, limits: Limits, cap: int) -> None:
        self._raw, self._path, self._limits, self._cap = raw, path, limits, cap
        self._given = 0
        start = raw.read(len(_GZIP_MAGIC))
        raw.seek(0)
        self._is_gzip = start == _GZIP_MAGIC
        if path.suffix == ".gz" and start and not self._is_gzip:
            raise refusal(
                SourceLocation(str(path)),
                "the file name ends in .gz, but the file is not gzip-compressed.",
            )
        self._stream: BinaryIO = gzip.GzipFile(fileobj=raw) if self._is_gzip else raw  # type: ignore[assignment]  # GzipFile reads like a binary file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # what BufferedReader passes
        chunk = self._read(len(buffer))
        self._given += len(chunk)
        self._refuse_excess()
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except EOFError as exc:
            raise refusal(
                SourceLocation(str(self._path)), "unexpected end of the gzip file."
            ) from exc
        except (gzip.BadGzipFile, zlib.error) as exc:
            raise refusal(
                SourceLocation(str(self._path)), f"the gzip file is damaged: {exc}."
            ) from exc
        except OSError as exc:
            raise _unreadable_error(self._path, exc) from exc

    def _refuse_excess(self) -> None:
        given, limits = self._given, self._limits
        if given > self._cap:
            raise _too_large_error(self._path, self._cap)
        if not self._is_gzip or given <= limits.gzip_grace_bytes:
            return
        if given > limits.gzip_ratio * self._raw.tell():
            message = f"the gzip file decompresses to more than {limits.gzip_ratio} times its size."
            raise refusal(SourceLocation(str(self._path)), message)


class _Utf16(io.RawIOBase):
    """The UTF-8 of a UTF-16 text; SpecError where it is damaged or cut off."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._stream, self._path = stream, path
        self._decode = codecs.getincrementaldecoder("utf-16")().decode
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # what BufferedReader passes
        while not self._ready and (piece := self._stream.read(_BUFFER)):
            self._ready = self._utf8(piece)
        if not self._ready:
            self._utf8(b"", is_last=True)
        chunk, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _utf8(self, piece: bytes, *, is_last: bool = False) -> bytes:
        try:
            return self._decode(piece, is_last).encode()
        except UnicodeDecodeError as exc:
            message = f"the file is damaged UTF-16: {exc.reason}."
            raise refusal(SourceLocation(str(self._path)), message, SAVE_AS_UTF8) from exc


def _as_utf8(stream: "io.BufferedReader[_BoundedStream]", path: Path) -> BinaryIO:
    """The stream, decoded where it begins with the mark of UTF-16."""
    is_utf16 = is_marked_utf16(stream.peek(4)[:4])
    return io.BufferedReader(_Utf16(stream, path), _BUFFER) if is_utf16 else stream


def is_marked_utf16(start: bytes) -> bool:
    """True if the bytes begin with the UTF-16 byte order mark, but not with that of UTF-32.

    >>> is_marked_utf16("a".encode("utf-16")), is_marked_utf16("a".encode("utf-32"))
    (True, False)
    """
    return wide_encoding(start).startswith("UTF-16 (")


def wide_encoding(start: bytes) -> str:
    """Return the encoding of UTF-16 or UTF-32 text; empty for any other.

    >>> wide_encoding("a".encode("utf-16-le")), wide_encoding(b"a,b")
    ('UTF-16 or UTF-32 without a byte order mark', '')
    """
    named = next((name for mark, name in _WIDE_MARKS if start.startswith(mark)), "")
    has_nul = start[:1] == b"\0" or start[1:2] == b"\0"
    return named or ("UTF-16 or UTF-32 without a byte order mark" if has_nul else "")


def lines(stream: BinaryIO, path: Path, *, limits: Limits) -> Iterator[Line]:
    """The lines of a stream, the byte order mark taken off; SpecError where one is too long."""
    offset, number = 0, 0
    refuse_wide_text(stream, path)
    while data := stream.readline(limits.line_bytes + 1):
        number += 1
        if len(data) > limits.line_bytes:
            message = f"line longer than {readable_limit(limits.line_bytes)}."
            raise refusal(SourceLocation(str(path), number, 1), message)
        if number > limits.lines:
            raise refusal(
                SourceLocation(str(path), number, 1), f"more than {limits.lines:,} lines."
            )
        mark = len(_UTF8_MARK) if number == 1 and data.startswith(_UTF8_MARK) else 0
        yield Line(number, offset + mark, data[mark:])
        offset += len(data)


def refuse_wide_text(stream: BinaryIO, path: Path) -> None:
    """Raise SpecError for UTF-16 or UTF-32 text, detected by its byte order mark or NUL bytes."""
    start = bytes(stream.peek(4)[:4])  # type: ignore[attr-defined]  # always a BufferedReader
    if encoding := wide_encoding(start):
        raise refusal(
            SourceLocation(str(path)), f"the file is {encoding}, not UTF-8.", SAVE_AS_UTF8
        )


SAVE_AS_UTF8 = "Save it as UTF-8."


def decode_line(line: Line, path: Path) -> str:
    """A line's text; SpecError naming the byte that is not UTF-8."""
    try:
        return line.data.decode()
    except UnicodeDecodeError as exc:
        start = line.data.rfind(b"\n", 0, exc.start) + 1
        place = SourceLocation(
            str(path),
            line.number + line.data.count(b"\n", 0, start),
            len(line.data[start : exc.start].decode()) + 1,
        )
        byte, offset = line.data[exc.start], line.offset + exc.start
        message = f"invalid UTF-8: byte 0x{byte:02x} at offset {offset}."
        raise refusal(place, message, SAVE_AS_UTF8) from exc


def read_text(path: Path, *, limits: Limits, cap: int) -> str:
    """The whole text of a file of at most ``cap`` bytes; errors as in :func:`open_regular`."""
    with open_regular(path, limits=limits, cap=cap) as stream:
        refuse_wide_text(stream, path)
        data = stream.read()
    mark = len(_UTF8_MARK) if data.startswith(_UTF8_MARK) else 0
    return decode_line(Line(1, mark, data[mark:]), path)


def write_whole(path: Path, content: bytes) -> None:
    """Replace the content of a file atomically: a reader sees all of the old or all of the new."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        new = Path(file.name)
        try:
            file.write(content)
            file.close()
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
