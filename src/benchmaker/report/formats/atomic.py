"""A file is there whole, or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from benchmaker.errors import SpecError


@contextlib.contextmanager
def open_atomic(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name when the block succeeds.

    An existing file is kept until then, and for good if the block fails. A device or pipe is
    written to directly.

    Raises:
        SpecError: the folder or the file is not writable.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield stream
            return
        with _temporary_file(path) as stream:
            yield stream
    except OSError as exc:
        if isinstance(exc, BrokenPipeError):
            raise
        raise SpecError(
            f"can't be written: {exc.strerror or exc}.",
            where=str(path),
            hint="Choose another file, or create its folder.",
        ) from exc


@contextlib.contextmanager
def _temporary_file(path: Path) -> Iterator[BinaryIO]:
    folder = path.resolve().parent
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
    try:
        with os.fdopen(number, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(_usual_mode())
        Path(name).replace(path.resolve())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
