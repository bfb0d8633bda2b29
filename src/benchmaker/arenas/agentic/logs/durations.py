"""The times of a session: its duration, and its active time."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import pairwise
from math import fsum

_BACKWARDS_S = 60.0
_LAST = 253_402_300_799.0
_PIECE = 2**16


@dataclass(slots=True)
class EventTimes:
    """The times of a session's events, in seconds since 1970; 8 bytes each."""

    went_backwards: bool = False
    """True if the clock of one log went back by more than a minute."""

    _times: "array[float]" = field(default_factory=lambda: array("d"))
    _newest: dict[tuple[int, str], float] = field(default_factory=dict)

    def add(self, at: float, log: tuple[int, str]) -> None:
        """Note a time of one log: a file, and the agent that it speaks of."""
        if not 0 < at <= _LAST:
            return
        newest = self._newest.get(log)
        if newest is None or at > newest:
            self._newest[log] = at
            self._times.append(at)
        elif at != newest:
            self.went_backwards |= at < newest - _BACKWARDS_S
            self._times.append(at)

    @property
    def start(self) -> float | None:
        """The earliest; None if there is none."""
        return min(self._times, default=None)

    @property
    def end(self) -> float | None:
        """The latest; None if there is none."""
        return max(self._times, default=None)

    def wall_s(self) -> float | None:
        """Return the time from the first to the last; None for a single moment."""
        first, last = self.start, self.end
        if first is None or last is None or first == last:
            return None
        return round(last - first, 6)

    def active_s(self, gap_limit_s: float) -> float | None:
        """The same without the gaps that are longer than the limit."""
        if self.wall_s() is None:
            return None
        gaps = (after - before for before, after in pairwise(self._in_order()))
        return round(fsum(gap for gap in gaps if gap <= gap_limit_s), 6)

    def active_by(self, size_s: int, gap_limit_s: float) -> dict[int, float]:
        """Active seconds per interval of ``size_s`` since 1970; a gap counts where it ends."""
        found: dict[int, float] = {}
        for before, after in pairwise(self._in_order()):
            if 0 < after - before <= gap_limit_s:
                piece = int(after // size_s)
                found[piece] = found.get(piece, 0.0) + after - before
        return found

    def _in_order(self) -> Iterator[float]:
        """All times from the first on; sorted piece by piece, which takes 8 bytes a time."""
        pieces = range(0, len(self._times), _PIECE)
        return merge(*(array("d", sorted(self._times[at : at + _PIECE])) for at in pieces))
