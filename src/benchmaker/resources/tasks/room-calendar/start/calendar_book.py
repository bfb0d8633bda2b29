"""Bookings of one meeting room.

Times are whole minutes since midnight of some first day. A booking holds its room from ``start``
up to, and not including, ``end``.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Booking:
    """One booking: who holds the room, from when, until when."""

    number: int
    owner: str
    start: int
    end: int


class Refused(ValueError):
    """The booking can't be made, moved or cancelled."""


@dataclass
class Calendar:
    """The bookings of one room."""

    opens: int = 8 * 60
    closes: int = 18 * 60
    bookings: list[Booking] = field(default_factory=list)
    next_number: int = 1

    def book(self, owner: str, start: int, end: int) -> int:
        """Hold the room; the booking's number comes back."""
        self._check(start, end)
        if self.conflicts(start, end):
            raise Refused("the room is taken")
        number = self.next_number
        self.next_number += 1
        self.bookings.append(Booking(number, owner, start, end))
        self.bookings.sort(key=lambda one: one.start)
        return number

    def cancel(self, number: int) -> None:
        """Give the room back."""
        self.bookings.remove(self._find(number))

    def move(self, number: int, start: int, end: int) -> None:
        """Give a booking another time. When that is refused, the old time stays."""
        old = self._find(number)
        self.bookings.remove(old)
        self._check(start, end)
        if self.conflicts(start, end):
            raise Refused("the room is taken")
        self.bookings.append(Booking(old.number, old.owner, start, end))
        self.bookings.sort(key=lambda one: one.start)

    def conflicts(self, start: int, end: int) -> list[int]:
        """The numbers of the bookings that need the room at some minute of this time."""
        return [one.number for one in self.bookings if one.start <= end and start <= one.end]

    def free(self, day: int = 0, at_least: int = 1) -> list[tuple[int, int]]:
        """When the room is free between opening and closing of a day, for so many minutes."""
        first, last = day * 1440 + self.opens, day * 1440 + self.closes
        gaps, at = [], first
        for one in self.bookings:
            if one.end <= first or one.start >= last:
                continue
            if one.start - at >= at_least:
                gaps.append((at, one.start))
            at = max(at, one.end)
        if last - at > at_least:
            gaps.append((at, last))
        return gaps

    def busy_minutes(self, start: int, end: int) -> int:
        """For how many minutes of this time somebody holds the room."""
        return sum(
            min(one.end, end) - max(one.start, start)
            for one in self.bookings
            if one.start < end and start < one.end
        )

    def _check(self, start: int, end: int) -> None:
        if end <= start:
            raise Refused("a booking ends after it starts")
        day = start // 1440
        if start < day * 1440 + self.opens or end > day * 1440 + self.closes:
            raise Refused("the room is closed then")

    def _find(self, number: int) -> Booking:
        for one in self.bookings:
            if one.number == number:
                return one
        raise Refused(f"there is no booking {number}")


def merged(times: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same minutes as few stretches, in order; those that touch become one."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(times):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return result


def shared_free(
    calendars: list[Calendar], day: int = 0, at_least: int = 1
) -> list[tuple[int, int]]:
    """When all of these rooms, which may open at different hours, are free at once."""
    taken: list[tuple[int, int]] = []
    for one in calendars:
        taken += [(it.start, it.end) for it in one.bookings if it.start // 1440 == day]
        taken.append((day * 1440, day * 1440 + one.opens))
        taken.append((day * 1440 + one.closes, day * 1440 + 1440))
    gaps, at = [], day * 1440
    for start, end in merged(taken):
        if start - at >= at_least:
            gaps.append((at, start))
        at = max(at, end)
    return gaps
