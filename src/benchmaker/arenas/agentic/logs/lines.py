"""Untrusted JSON lines: streaming, bounded, continuing after a bad line."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from benchmaker.arenas.agentic.logs.decoding import Decoder, DecodingError
from benchmaker.arenas.agentic.logs.opening import opened_log, reason
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.errors import SpecError
from benchmaker.spec.documents.sizes import readable_limit

T = TypeVar("T")

_UTF8_MARK = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\0"
_PIECE = 2**20


def json_lines(path: Path, options: Options, kind: type[T]) -> Iterator[tuple[int, T]]:
    """The lines of a file, plain or gzipped, as (number from 1, value of type ``kind``).

    ``kind`` is best a :class:`msgspec.Struct` of the fields that are needed; fields it does not
    name are passed over without being built. A line that is no JSON of this shape, too long or
    nested too deeply goes to ``options.skip``, a file that can't be read on as line 0; reading
    never raises. Empty lines are passed over. One line is in memory at a time.
    """
    decode = Decoder(kind, max_depth=options.max_depth).decode
    for number, line in text_lines(path, options):
        try:
            value = decode(line)
        except DecodingError as refused:
            options.skip(Skipped(path, number, str(refused)))
            continue
        yield number, value


def text_lines(path: Path, options: Options) -> Iterator[tuple[int, bytes]]:
    """Yield the non-empty lines of a file, as (number from 1, bytes without the line end).

    Lines that are too long or unreadable are reported to ``options.skip``, as in
    :func:`json_lines`.
    """
    number = 0
    try:
        with opened_log(path, options) as stream:
            for line in _lines(stream, options.max_line_bytes):
                number += 1
                if line is None:
                    size = readable_limit(options.max_line_bytes)
                    options.skip(Skipped(path, number, f"longer than {size}"))
                elif stripped := line.strip(_BLANK):
                    yield number, stripped
    except SpecError as exc:
        options.skip(Skipped(path, number + 1 if number else 0, reason(exc)))


def unfinished_line(path: Path, options: Options) -> int:
    """Return the number of the last line if it has no end; else, and for unreadable files, 0."""
    number, last = 1, b"\n"
    with suppress(SpecError), opened_log(path, options) as stream:
        while piece := stream.read(_PIECE):
            number += piece.count(b"\n")
            last = piece[-1:]
    return 0 if last == b"\n" else number


def _lines(stream: BinaryIO, cap: int) -> Iterator[bytes | None]:
    """Each line, None for one that is too long."""
    first = stream.readline(cap + 1)
    line = first.removeprefix(_UTF8_MARK)
    while line or first:
        if len(line) > cap and not line.endswith(b"\n"):
            _pass_over(stream)
            yield None
        else:
            yield line
        first = b""
        line = stream.readline(cap + 1)


def _pass_over(stream: BinaryIO) -> None:
    """Read on to the end of the line."""
    while (piece := stream.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass
