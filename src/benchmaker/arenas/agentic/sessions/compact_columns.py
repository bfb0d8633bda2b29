"""Compact columns of numbers; a column never set takes no space.

A row beyond the end of a column has the column's usual value.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import repeat
from math import nan

_WIDER = {"b": "h", "h": "i", "i": "q"}


class IntegerColumn:
    """Whole numbers, 0 by default; 1, 2, 4 or 8 bytes each, as the largest needs.

    The type code is the initial width.
    """

    __slots__ = ("values",)

    def __init__(self, typecode: str = "b") -> None:
        self.values: array[int] | list[int] = array(typecode)
        """Those up to the last that was set."""

    def __getitem__(self, row: int) -> int:
        values = self.values
        return values[row] if row < len(values) else 0

    def __setitem__(self, row: int, value: int) -> None:
        values = self.values
        missing = row - len(values)
        if missing >= 0:
            if not value:
                return
            values.extend(repeat(0, missing + 1))
        try:
            values[row] = value
        except OverflowError:
            self.values = _widen(values)
            self[row] = value


def _widen(values: "array[int] | list[int]") -> "array[int] | list[int]":
    wider = _WIDER.get(values.typecode) if isinstance(values, array) else None
    return list(values) if wider is None else array(wider, values)


class CountColumn:
    """Whole numbers or None; ``usual`` is the most frequent value."""

    __slots__ = ("_codes", "_usual")

    def __init__(self, usual: int | None = None) -> None:
        self._codes = IntegerColumn()
        self._usual = usual

    def __getitem__(self, row: int) -> int | None:
        codes = self._codes.values
        code = codes[row] if row < len(codes) else 0
        if code > 0:
            return code - 1
        if not code:
            return self._usual
        return None if code == -1 else code + 1

    def __setitem__(self, row: int, value: int | None) -> None:
        if value == self._usual:
            self._codes[row] = 0
        elif value is None:
            self._codes[row] = -1
        else:
            self._codes[row] = value + 1 if value >= 0 else value - 1

    def total(self, rows: Iterable[int]) -> int | None:
        """The sum of these rows; None where none of them is known."""
        if self._usual is None and not self._codes.values:
            return None
        found: int | None = None
        for row in rows:
            value = self[row]
            if value is not None:
                found = value if found is None else found + value
        return found


class RealColumn:
    """Numbers or None, 8 bytes each."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values = array("d")

    def __getitem__(self, row: int) -> float | None:
        values = self._values
        value = values[row] if row < len(values) else nan
        return None if value != value else value  # noqa: PLR0124  only NaN is not itself

    def __setitem__(self, row: int, value: float | None) -> None:
        values = self._values
        missing = row - len(values)
        if missing >= 0:
            if value is None:
                return
            values.extend(repeat(nan, missing + 1))
        values[row] = nan if value is None else value

    def known_values(self, rows: Iterable[int]) -> Iterator[float]:
        """Return the known values of these rows."""
        return (value for row in rows if (value := self[row]) is not None)


class TextColumn:
    """Texts or None, of which few differ: up to 4 bytes each, and every text once."""

    __slots__ = ("_numbers", "_numbers_of", "_texts")

    def __init__(self) -> None:
        self._numbers = IntegerColumn()
        self._numbers_of: dict[str | None, int] = {None: 0}
        self._texts: list[str | None] = [None]

    def __getitem__(self, row: int) -> str | None:
        return self._texts[self._numbers[row]]

    def __setitem__(self, row: int, text: str | None) -> None:
        number = self._numbers_of.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        self._numbers[row] = number
