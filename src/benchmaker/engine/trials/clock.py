"""Time as an argument: the clock of a run."""

import time
from typing import Protocol


class Clock(Protocol):
    """Wall time for the record, monotonic time for durations."""

    def now_utc(self) -> str:
        """The wall time as ISO 8601 in UTC, with milliseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        ...


class SystemClock:
    """The machine's own clock.

    >>> SystemClock().now_utc().endswith("Z")
    True
    """

    def __init__(self) -> None:
        self._said = (0, "")  # a second since 1970, and how it is written

    def now_utc(self) -> str:
        """The wall time as ISO 8601 in UTC, with milliseconds."""
        second, rest = divmod(time.time_ns() // 1_000_000, 1000)
        known, said = self._said
        if second != known:
            said = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
            self._said = (second, said)
        return f"{said}.{rest:03}Z"

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        return time.monotonic()
