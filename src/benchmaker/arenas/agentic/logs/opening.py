"""Opening logs: regular files, plain or gzipped, bounded; they may grow while they are read."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import open_regular
from benchmaker.spec.documents.limits import Limits


def opened_log(
    path: Path, options: Options, *, cap: int | None = None
) -> AbstractContextManager[BinaryIO]:
    """Open a log's decoded bytes, at most ``cap`` (default ``options.max_file_bytes``) of them.

    UTF-16 text with a byte order mark, as written by Excel and PowerShell, is converted to UTF-8.

    SpecError if it is missing, unreadable, not a regular file, too large, or a damaged gzip file.
    """
    size = options.max_file_bytes if cap is None else cap
    return open_regular(path, limits=Limits(data_bytes=size), may_change=True, takes_utf16=True)


def reason(error: SpecError) -> str:
    """Return the reason why a file could not be read, without its name."""
    return error.findings[0].message if error.findings else error.message
