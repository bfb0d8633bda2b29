"""A hash index from keys to table rows."""

from array import array
from itertools import repeat

_FEWEST = 8
_FULLEST = 0.6


class Index:
    """Row numbers by key, in the order in which keys came; 15 to 22 bytes a key.

    Keys are numbers of 64 bits, spread evenly above the lowest bit. It is a table with open
    addresses: a slot holds the number of a row plus one, 0 where it is free.

    >>> index = Index()
    >>> index.add(70), index.add(71), index.find(71), index.find(9)
    (0, 1, 1, None)
    """

    __slots__ = ("_mask", "_most", "_slots", "keys")

    def __init__(self) -> None:
        self.keys = array("Q")
        """The key of each row."""
        self._resize(_FEWEST)

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, key: int) -> int | None:
        """The row of a key; None where it has none."""
        number = self._slots[self._slot(key)]
        return number - 1 if number else None

    def add(self, key: int) -> int:
        """The row of a key, a new one where it has none."""
        at = self._slot(key)
        if self._slots[at]:
            return self._slots[at] - 1
        self.keys.append(key)
        self._slots[at] = len(self.keys)
        if len(self.keys) > self._most:
            self._resize(2 * len(self._slots))
        return len(self.keys) - 1

    def _slot(self, key: int) -> int:
        """Return the slot of a key, or its free slot."""
        slots, keys, mask = self._slots, self.keys, self._mask
        at = key >> 1 & mask
        while (number := slots[at]) and keys[number - 1] != key:
            at = at + 1 & mask
        return at

    def _resize(self, size: int) -> None:
        slots = self._slots = array("I", repeat(0, size))
        mask = self._mask = size - 1
        self._most = int(size * _FULLEST)
        for number, key in enumerate(self.keys, 1):
            at = key >> 1 & mask
            while slots[at]:
                at = at + 1 & mask
            slots[at] = number
