"""Ctrl-C while models are asked: once to end cleanly, twice to end at once."""

import asyncio
from collections.abc import Callable


class Stop(asyncio.Event):
    """The wish to stop; ``on_set`` is called when it is uttered for the first time."""

    def __init__(self, on_set: Callable[[], None]) -> None:
        super().__init__()
        self._on_set = on_set

    def set(self) -> None:
        """Wish it."""
        is_first = not self.is_set()
        super().set()
        if is_first:
            self._on_set()
