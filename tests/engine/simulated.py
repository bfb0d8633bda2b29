"""Time that passes at once: an event loop whose clock jumps to the next thing to do."""

import asyncio
import selectors

_PATIENCE_S = 0.0005
"""How long threads are given before the clock jumps."""


class _Selector(selectors.SelectSelector):
    def __init__(self):
        super().__init__()
        self.now = 0.0

    def select(self, timeout=None):
        if timeout is None:
            return super().select(None)
        events = super().select(_PATIENCE_S if timeout else 0)
        if not events:
            self.now += max(0.0, timeout)
        return events


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Sleeps take no time, and yet the clock says that they did."""

    def __init__(self):
        self._simulated = _Selector()
        super().__init__(self._simulated)

    def time(self):
        return self._simulated.now


class SimulatedClock:
    """The clock of the running loop."""

    def now_utc(self):
        return f"2026-11-20T10:00:00.{int(self.monotonic()) % 1000:03}Z"

    def monotonic(self):
        return asyncio.get_running_loop().time()


def simulated(coroutine):
    """Run to the end in simulated time."""
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(coroutine)
