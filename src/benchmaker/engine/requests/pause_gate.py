"""A gate that holds workers during a pause."""

import asyncio


class PauseGate:
    """Holds those who wait while it is paused.

    >>> gate = PauseGate()
    >>> gate.pause()
    >>> gate.is_paused
    True
    """

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()

    @property
    def is_paused(self) -> bool:
        """True while workers are held."""
        return not self._open.is_set()

    def pause(self) -> None:
        """Hold workers from now on."""
        self._open.clear()

    def unpause(self) -> None:
        """Release all workers."""
        self._open.set()

    async def wait(self) -> None:
        """Wait for the end of a pause; return at once without one."""
        await self._open.wait()
