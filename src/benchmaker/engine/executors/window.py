"""A limit that holds in every window of time, wherever that begins."""

from collections import deque


class WindowEntry:
    """Something that was taken out of a window; ``amount`` may turn out otherwise."""

    __slots__ = ("amount", "at")

    def __init__(self, at: float, amount: float) -> None:
        self.at = at
        self.amount = amount


class RateWindow:
    """No more than ``most`` in any ``span_s`` seconds.

    >>> window = RateWindow(2.0, 60.0)
    >>> _, second = window.take(0.0, 1.0), window.take(10.0, 1.0)
    >>> window.ready_at(11.0, 1.0)
    60.0
    >>> window.amend(second, 0.0)
    >>> window.ready_at(11.0, 1.0)
    11.0
    """

    __slots__ = ("_most", "_span_s", "_taken", "_used")

    def __init__(self, most: float, span_s: float) -> None:
        self._most = most
        self._span_s = span_s
        self._taken: deque[WindowEntry] = deque()
        self._used = 0.0

    def ready_at(self, now: float, amount: float) -> float:
        """Return the time at which ``amount`` fits; one that never fits waits until all is free."""
        self._forget(now)
        room = self._most - min(amount, self._most)
        used = self._used
        at = now
        for taken in self._taken:
            if used <= room:
                break
            used -= taken.amount
            at = taken.at + self._span_s
        return at

    def take(self, now: float, amount: float) -> WindowEntry:
        """Take ``amount`` out."""
        taken = WindowEntry(now, amount)
        self._taken.append(taken)
        self._used += amount
        return taken

    def amend(self, taken: WindowEntry, amount: float) -> None:
        """Correct the amount of an entry; entries outside the window no longer count."""
        if self._taken and taken.at >= self._taken[0].at:
            self._used += amount - taken.amount
        taken.amount = amount

    def _forget(self, now: float) -> None:
        while self._taken and self._taken[0].at + self._span_s <= now:
            self._used -= self._taken.popleft().amount
        if not self._taken:
            self._used = 0.0
