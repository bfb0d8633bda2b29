"""Time as an argument: what a run reads its clock from."""

import time
from datetime import UTC, datetime
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

    def now_utc(self) -> str:
        """The wall time as ISO 8601 in UTC, with milliseconds."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        return time.monotonic()
