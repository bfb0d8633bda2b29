"""Log uploads: an intake queue for each workbench, and a temporary file for the body."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from benchmaker.arenas.agentic.submissions.queue import IntakeQueue
from benchmaker.errors import BenchmakerError, StoreError
from benchmaker.web.agentic.staging import fit_name
from benchmaker.web.workbench import Workbench

_PREFIX: Final = "in-"
_DAY_S: Final = 86_400

_DESKS: "WeakKeyDictionary[Workbench, IntakeQueue]" = WeakKeyDictionary()
_LOCK = Lock()


def intake_queue_of(bench: Workbench) -> IntakeQueue:
    """Return the workbench's intake queue, which stops with the server."""
    with _LOCK:
        queue = _DESKS.get(bench)
        if queue is None:
            settings = bench.settings
            is_usual = settings.clock is time.time  # another process has no other clock
            queue = IntakeQueue(
                lambda: bench.store,
                bench.home,
                settings.clock,
                address=settings.address if is_usual else None,
            )
            _DESKS[bench] = queue
            bench.on_leave.append(queue.stop_soon)
        return queue


@contextmanager
def running_intake(bench: Workbench) -> Iterator[None]:
    """Resume submissions of a killed server on entry.

    On exit the current ones are finished within a few seconds.
    """
    _sweep(bench.home / "uploads")
    if bench.settings.works:
        intake_queue_of(bench).look_back()
    try:
        yield
    finally:
        with _LOCK:
            queue = _DESKS.pop(bench, None)
        if queue is not None:
            queue.leave()


@contextmanager
def sent_file(bench: Workbench, name: str, body: bytes) -> Iterator[Path]:
    """Provide the upload as a temporary file of that name; errors do not reveal its path."""
    place = None
    try:
        place, path = _write_upload(bench.home / "uploads", name, body)
        yield path
    except BenchmakerError as error:
        error.where = (error.where or "").replace(str(bench.home), "")
        raise
    finally:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)


def _write_upload(folder: Path, name: str, body: bytes) -> tuple[Path, Path]:
    """A new folder and the file in it."""
    place = None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
        path = place / fit_name(name)
        path.write_bytes(body)
    except OSError as exc:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
        raise StoreError(
            f"the upload could not be written ({exc.strerror or exc}).",
            hint="Free disk space on the server, then upload it again. Nothing was saved.",
        ) from exc
    return place, path


def _sweep(folder: Path) -> None:
    """Drop what servers that were killed have left there."""
    for one in folder.glob(f"{_PREFIX}*"):
        if time.time() - one.stat().st_mtime > _DAY_S:
            shutil.rmtree(one, ignore_errors=True)
