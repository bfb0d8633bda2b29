"""A limit over time: filled at a steady rate, and drawn from."""

from math import inf


class TokenBucket:
    """Holds at most ``capacity``, gains ``gain`` a second, and starts full without a ``level``.

    The level may become negative, and then has to recover first.

    >>> bucket = TokenBucket(2.0, 1.0)
    >>> bucket.take(0.0, 1.0)
    >>> bucket.ready_at(0.0, 1.0)
    0.5
    """

    __slots__ = ("_at", "_gain", "_level", "_most")

    def __init__(
        self, gain: float, most: float, *, level: float | None = None, at: float = -inf
    ) -> None:
        self._gain = gain
        self._most = most
        self._level = most if level is None else level
        self._at = at

    @property
    def capacity(self) -> float:
        """The capacity."""
        return self._most

    def level(self, now: float) -> float:
        """Return the current level."""
        if self._level >= self._most:
            return self._level
        return min(self._most, self._level + max(0.0, now - self._at) * self._gain)

    def ready_at(self, now: float, amount: float) -> float:
        """Return the time at which ``amount`` is available, or the bucket full if it never fits."""
        short = min(amount, self._most) - self.level(now)
        if short <= 0.0:
            return now
        return now + short / self._gain if self._gain > 0.0 else inf

    def take(self, now: float, amount: float) -> None:
        """Take ``amount`` out, or return it if negative."""
        self._level = min(self._most, self.level(now) - amount)
        self._at = now
