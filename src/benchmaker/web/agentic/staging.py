"""Logs that were sent and not yet kept: one folder each, gone when decided or a day old."""

import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from benchmaker.errors import Conflict
from benchmaker.web.faults import Missing

_TOKEN: Final = re.compile(r"[0-9a-f]{32}")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")
_DAY_S: Final = 86_400
_MOST: Final = 20
_LONGEST: Final = 100


class Staging:
    """The folder ``uploads`` of a data folder."""

    def __init__(self, home: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = home / "uploads"
        self._clock = clock

    def put(self, name: str, body: bytes) -> str:
        """Keep a file for a while; returns the word that it is found by.

        Raises:
            Conflict: too many wait already.
        """
        self._sweep()
        if sum(1 for _ in self._entries()) >= _MOST:
            raise Conflict(
                f"{_MOST} uploaded logs wait for a decision.",
                hint="Submit or discard one of them first.",
            )
        token = secrets.token_hex(16)
        place = self._folder / token
        place.mkdir(parents=True, mode=0o700)
        try:
            (place / fit_name(name)).write_bytes(body)
        except OSError:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return token

    def path(self, token: str) -> Path:
        """The file that waits under that word.

        Raises:
            Missing: none does.
        """
        place = self._folder / token
        found = next(iter(place.iterdir()), None) if self._is_there(token) else None
        if found is None:
            raise Missing("this preview has expired.", hint="Upload the log again.")
        return found

    def drop(self, token: str) -> None:
        """Forget it."""
        if self._is_there(token):
            shutil.rmtree(self._folder / token, ignore_errors=True)

    def _is_there(self, token: str) -> bool:
        return _TOKEN.fullmatch(token) is not None and (self._folder / token).is_dir()

    def _entries(self) -> Iterator[Path]:
        if self._folder.is_dir():
            yield from (one for one in self._folder.iterdir() if _TOKEN.fullmatch(one.name))

    def _sweep(self) -> None:
        for one in list(self._entries()):
            with suppress(OSError):
                if self._clock() - one.stat().st_mtime > _DAY_S:
                    shutil.rmtree(one, ignore_errors=True)


def fit_name(name: str) -> str:
    """The last part of a name, of plain characters; importers may look at its ending."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return _UNFIT.sub("_", last).strip("._")[-_LONGEST:] or "log"
