"""Prices cached while the user's price file is unchanged."""

from pathlib import Path
from threading import Lock

from benchmaker.providers.prices.costs import Prices
from benchmaker.providers.prices.price_file import FILE


class KnownPrices:
    """The prices of a data folder, for repeated use."""

    def __init__(self, home: Path) -> None:
        self._home, self._file = home, home / FILE
        self._lock = Lock()
        self._known: tuple[object, Prices] | None = None

    def prices(self) -> Prices:
        """Return the current prices.

        Raises:
            SpecError: the user's file is invalid.
        """
        state = self._state()
        with self._lock:
            if self._known is None or self._known[0] != state:
                self._known = state, Prices(self._home)
            return self._known[1]

    def _state(self) -> object:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
