"""Rows by group, for sorting all groups at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_CODES_OF_TWO_BYTES = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class GroupBlock:
    """Groups of about one size: ``rows`` is groups × width, valid where ``is_row``."""

    groups: Ints
    rows: Ints
    is_row: Mask


@dataclass(frozen=True, slots=True, eq=False)
class RowGroups:
    """Rows in the order of their groups: group g has ``order[start[g] : start[g] + count[g]]``."""

    order: Ints
    start: Ints
    count: Ints

    @classmethod
    def of(
        cls, codes: NDArray[np.integer], groups: int, *, rows: Ints | None = None
    ) -> "RowGroups":
        """Rows by their code from 0 to ``groups`` - 1; ``rows`` chooses some, and their order."""
        own = codes if rows is None else codes[rows]
        place = np.argsort(_narrow(own, groups), kind="stable")
        count = np.bincount(own, minlength=groups).astype(np.int64)
        start = np.cumsum(count) - count
        return cls(order=place if rows is None else rows[place], start=start, count=count)

    def blocks(self) -> Iterator[GroupBlock]:
        """All groups that have rows, padded to the next power of two."""
        width = np.where(self.count > 0, np.ceil(np.log2(np.maximum(self.count, 1))), -1)
        for power in np.unique(width[width >= 0]).astype(int):
            groups = np.flatnonzero(width == power)
            steps = np.arange(1 << power)
            is_row = steps[None, :] < self.count[groups][:, None]
            place = np.where(is_row, self.start[groups][:, None] + steps[None, :], 0)
            yield GroupBlock(groups=groups, rows=self.order[place], is_row=is_row)

    def sorted_values(self, values: Floats) -> "SortedGroups":
        """Every group's values in rising order; NaN stays out."""
        known = values[self.order]
        is_known = ~np.isnan(known)
        ends = np.concatenate(([0], np.cumsum(is_known)))
        count = ends[self.start + self.count] - ends[self.start]
        start = np.cumsum(count) - count
        found = np.empty(int(count.sum()))
        for block in self.blocks():
            filled = np.where(block.is_row, values[block.rows], np.inf)
            filled[np.isnan(filled)] = np.inf
            filled.sort(axis=1)
            keep = np.arange(filled.shape[1])[None, :] < count[block.groups][:, None]
            place = start[block.groups][:, None] + np.arange(filled.shape[1])[None, :]
            found[place[keep]] = filled[keep]
        return SortedGroups(values=found, start=start, count=count)


@dataclass(frozen=True, slots=True, eq=False)
class SortedGroups:
    """Group g's values in rising order: ``values[start[g] : start[g] + count[g]]``."""

    values: Floats
    start: Ints
    count: Ints

    def value_at(self, place: Ints) -> Floats:
        """The value at one place of every group; NaN where a group has none there."""
        is_there = (place >= 0) & (place < self.count)
        found = np.full(len(self.count), np.nan)
        found[is_there] = self.values[(self.start + place)[is_there]]
        return found

    @property
    def minimum(self) -> Floats:
        """Every group's smallest value."""
        return self.value_at(np.zeros_like(self.count))

    @property
    def maximum(self) -> Floats:
        """Every group's largest value."""
        return self.value_at(self.count - 1)

    @property
    def median(self) -> Floats:
        """Every group's median."""
        upper = self.count // 2
        middle = self.value_at(upper)
        return np.where(self.count % 2 == 1, middle, (self.value_at(upper - 1) + middle) / 2)

    def quartile(self, number: int) -> Floats:
        """The first or third quartile by the exclusive method; NaN below two values."""
        place = np.clip(number * (self.count + 1) // 4, 1, np.maximum(self.count - 1, 1))
        beyond = number * (self.count + 1) - place * 4
        below, above = self.value_at(place - 1), self.value_at(place)
        found: Floats = (below * (4 - beyond) + above * beyond) / 4
        return found

    def quantile(self, share: float) -> Floats:
        """By linear interpolation between the order statistics (type 7)."""
        place = np.maximum(self.count - 1, 0) * share
        below = np.floor(place).astype(np.int64)
        low = self.value_at(below)
        high = self.value_at(np.minimum(below + 1, np.maximum(self.count - 1, 0)))
        found: Floats = low + (high - low) * (place - below)
        return found


def by_time(
    codes: NDArray[np.integer], groups: int, finished_us: Ints, ids: Sequence[str]
) -> RowGroups:
    """Rows by group, within a group by (finished_us, id)."""
    order = np.argsort(finished_us, kind="stable")
    made = RowGroups.of(codes, groups, rows=order)
    _settle_ties(made.order, codes[made.order], finished_us[made.order], ids)
    return made


def _settle_ties(
    order: Ints, codes: NDArray[np.integer], finished_us: Ints, ids: Sequence[str]
) -> None:
    """Sort, in place, rows of one group and moment by their ids."""
    same = (codes[1:] == codes[:-1]) & (finished_us[1:] == finished_us[:-1])
    edges = np.diff(np.concatenate(([0], same.astype(np.int8), [0])))
    for start, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        tied = order[start : last + 1]
        order[start : last + 1] = sorted(tied.tolist(), key=ids.__getitem__)


def _narrow(codes: NDArray[np.integer], groups: int) -> NDArray[np.integer]:
    """Codes of two bytes are sorted by their digits, several times as fast."""
    return codes.astype(np.uint16) if groups <= _CODES_OF_TWO_BYTES else codes
