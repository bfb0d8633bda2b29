"""Digests of tool calls, and of the beginnings of a log."""

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from benchmaker.arenas.agentic.logs.lenient_json import quiet_options
from benchmaker.arenas.agentic.logs.lines import text_lines, unfinished_line
from benchmaker.arenas.agentic.logs.options import Options

BEGINNING_BYTES = 8


def call_digest(name: str, arguments: str | bytes) -> str:
    """The digest of a tool's name and its arguments as the log has them: 16 hex digits.

    >>> call_digest("Bash", '{"command": "ls"}') == call_digest("Bash", b'{"command": "ls"}')
    True
    """
    raw = arguments if isinstance(arguments, bytes) else arguments.encode("utf-8", "replace")
    return blake2b(name.encode("utf-8", "replace") + b"\0" + raw, digest_size=8).hexdigest()


def beginnings(start: Iterable[bytes], answers: Iterable[bytes]) -> tuple[bytes, ...]:
    """The digest of each beginning of a log that ends after ``start``; that of all of it is last.

    >>> short, longer = beginnings([b"task"], [b"a"]), beginnings([b"task"], [b"a", b"b"])
    >>> longer[0] == short[-1]
    True
    """
    digest = blake2b(digest_size=BEGINNING_BYTES)
    for one in start:
        _update(digest, one)
    return tuple(_update(digest, one) for one in answers)


def line_beginnings(path: Path, options: Options) -> tuple[bytes, ...]:
    """The digest of each beginning of a log that grows line by line, without an unfinished line."""
    quiet = quiet_options(options)
    return finished_beginnings(text_lines(path, quiet), unfinished=unfinished_line(path, quiet))


def finished_beginnings(
    lines: Iterable[tuple[int, bytes]], *, unfinished: int
) -> tuple[bytes, ...]:
    """As :func:`line_beginnings`, for numbered lines and the number of the unfinished one."""
    return beginnings((), (line for number, line in lines if number != unfinished))


def _update(digest: blake2b, item: bytes) -> bytes:
    digest.update(len(item).to_bytes(8) + item)
    return digest.copy().digest()
