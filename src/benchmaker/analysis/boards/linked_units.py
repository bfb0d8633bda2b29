"""The units of a board that common tasks link: only their scores can be compared."""

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.system_task_means import Cells

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def largest_linked(table: Cells, units: Ints, *, many: int) -> Ints:
    """Return the largest set of these units that common tasks link, directly or through others.

    Two units are linked if both have a value at one task. Of two sets of equal size, the one with
    more values is returned, then the one with the first unit.

    Args:
        table: the cells of the board.
        units: the codes of the units to link, ascending.
        many: number of codes.
    """
    is_meant = np.zeros(many, np.bool_)
    is_meant[units] = True
    known = table.take(~np.isnan(table.value) & is_meant[table.unit])
    label = _components(known, many)
    sizes = np.bincount(label[units], minlength=many)
    values = np.bincount(label[known.unit], minlength=many)
    best = max(np.unique(label[units]).tolist(), key=lambda k: (sizes[k], values[k], -k), default=0)
    found: Ints = units[label[units] == best]
    return found


def _components(known: Cells, many: int) -> Ints:
    """The lowest code that each unit reaches, by spreading the lowest one over tasks and back."""
    label = np.arange(many)
    lowest = np.full(int(known.task.max(initial=-1)) + 1, many)
    while True:
        before = label.copy()
        np.minimum.at(lowest, known.task, label[known.unit])
        np.minimum.at(label, known.unit, lowest[known.task])
        label = label[label]
        if np.array_equal(before, label):
            return label
