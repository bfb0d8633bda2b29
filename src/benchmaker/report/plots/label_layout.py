"""Positions of names in a plot, without crossing another one, a marker or the edge.

Names also avoid the lines of intervals, where there is room elsewhere.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

LETTER: Final = 6.2
"""Approximate maximum width of a letter at eleven pixels."""

_ABOVE, _BELOW = 9.0, 3.0
_ASIDE: Final = 9.0
_NEAR: Final = 16.0
_STEP: Final = 12.0
_MARKER: Final = 7.0
_LEVEL: Final = 4.0


class Box(NamedTuple):
    """A piece of a plot, in its own units; down is more."""

    left: float
    top: float
    right: float
    bottom: float

    def crosses(self, other: "Box") -> bool:
        """True if the two share more than an edge."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, other: "Box") -> bool:
        """True if the other is wholly inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    @classmethod
    def from_point(cls, x: float, y: float) -> "Box":
        """A marker at a point."""
        return cls(x - _MARKER, y - _MARKER, x + _MARKER, y + _MARKER)


class Spot(NamedTuple):
    """The position of a name relative to its marker; ``is_far`` if it needs a line."""

    across: float
    down: float
    anchor: str
    is_far: bool


class LabelLayout:
    """The names of one plot, placed without overlap."""

    def __init__(
        self,
        inside: Box,
        markers: Iterable[tuple[float, float]] = (),
        lines: Iterable[Box] = (),
    ) -> None:
        self._inside = inside
        self._taken = [Box.from_point(x, y) for x, y in markers]
        self._lines = list(lines)

    def place_beside(self, x: float, y: float, name: str) -> Spot | None:
        """Return the nearest free place right or left of a marker; None if there is none.

        A place on a line is used only if no other is free.
        """
        sides = ((_ASIDE, "start"), (-_ASIDE, "end"))
        return self._first_free_spot(
            x, y, name, sides, [*self._taken, *self._lines]
        ) or self._first_free_spot(x, y, name, sides, self._taken)

    def place_ending_at(self, x: float, y: float, name: str) -> Spot | None:
        """The nearest room for a name that ends at a point."""
        return self._first_free_spot(x, y, name, ((0.0, "end"),), self._taken)

    def _first_free_spot(
        self,
        x: float,
        y: float,
        name: str,
        sides: Sequence[tuple[float, str]],
        taken: Sequence[Box],
    ) -> Spot | None:
        length = LETTER * len(name)
        for down in _ways(self._inside.bottom - self._inside.top):
            for across, anchor in sides:
                left = x + across - (length if anchor == "end" else 0.0)
                box = Box(left, y + down - _ABOVE, left + length, y + down + _BELOW)
                if self._inside.holds(box) and not any(map(box.crosses, taken)):
                    self._taken.append(box)
                    return Spot(across, down, anchor, abs(down - _LEVEL) > _NEAR)
        return None


def _ways(height: float) -> Iterable[float]:
    """Level with the marker, then farther and farther below and above it."""
    yield _LEVEL
    for step in range(1, int(height / _STEP) + 1):
        yield _LEVEL + _STEP * step
        yield _LEVEL - _STEP * step
