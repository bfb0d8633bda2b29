"""What every page works with: the store, the settings, the clock."""

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Annotated

from fastapi import Depends, Request

from benchmaker.arenas.standard.working import Standard
from benchmaker.errors import BenchmakerError
from benchmaker.providers.endpoint_file import endpoints_of
from benchmaker.providers.endpoints import table
from benchmaker.providers.keys import Keys
from benchmaker.redact import Redactor
from benchmaker.store import Store
from benchmaker.web.live.watching import Watch
from benchmaker.web.settings import Settings
from benchmaker.web.tickets import Tickets


class Workbench:
    """One data folder, opened when the first page asks for it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = Lock()
        self._store: Store | None = None
        self.watch = Watch()
        self.tickets = Tickets()
        self.is_leaving = False
        self.worker_seen: Callable[[], float | None] = lambda: None
        self.on_leave: list[Callable[[], object]] = [self.watch.leave]
        self.standard = Standard(
            settings.home, settings.store_url, settings.environ, settings.dotenv
        )

    @property
    def home(self) -> Path:
        """The data folder."""
        return self.settings.home

    @property
    def store(self) -> Store:
        """The store; its connections are pooled, so that any thread may use it."""
        with self._lock:
            if self._store is None:
                self._store = Store.open(self.settings.address, clock=self.settings.clock)
            return self._store

    def leave(self) -> None:
        """The server is about to end: pages are let go, and the worker puts its job back."""
        self.is_leaving = True
        for told in self.on_leave:
            told()

    @cached_property
    def redactor(self) -> Redactor:
        """Takes the keys of this environment out of whatever is shown."""
        return Redactor(self._secrets())

    def _secrets(self) -> Iterator[str]:
        settings = self.settings
        try:
            known = list(endpoints_of(settings.home).values())
            keys = Keys(settings.environ, settings.dotenv)
        except (BenchmakerError, OSError):  # refused by whoever needs the file
            known, keys = list(table().values()), Keys(settings.environ)
        return iter(keys.without_keys({}, known)[1])

    def close(self) -> None:
        """Close the store, if it was opened."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None


def _of(request: Request) -> Workbench:
    bench: Workbench = request.app.state.bench
    return bench


Bench = Annotated[Workbench, Depends(_of)]
"""The workbench, as an argument of a page."""
