"""Time that passes at once: an event loop whose clock jumps to the next thing to do."""

import asyncio
import selectors

from benchmaker.engine.requests.recording import TrialRecorder

_PATIENCE_S = 0.0005
"""How long threads are given before the clock jumps."""

_COMMIT_S = 10.0
"""How long the store is given: no time passes while a worker waits for its row."""


class _Selector(selectors.SelectSelector):
    def __init__(self):
        super().__init__()
        self.now = 0.0
        self.waits_for_the_store = bool

    def select(self, timeout=None):
        if timeout is None:
            return super().select(None)
        patience_s = _COMMIT_S if timeout and self.waits_for_the_store() else _PATIENCE_S
        events = super().select(patience_s if timeout else 0)
        if not events:
            self.now += max(0.0, timeout)
        return events


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Sleeps take no time, and yet the clock says that they did."""

    def __init__(self):
        self._simulated = _Selector()
        super().__init__(self._simulated)
        self._simulated.waits_for_the_store = self._has_unstored

    def time(self):
        return self._simulated.now

    def _has_unstored(self):
        return any(
            TrialRecorder.until_durable.__name__ in _calls(task) for task in asyncio.all_tasks(self)
        )


def _calls(task):
    """The names of the coroutines that a task is in."""
    inner = task.get_coro()
    while inner is not None:
        yield getattr(inner, "__name__", "")
        inner = getattr(inner, "cr_await", None)


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
