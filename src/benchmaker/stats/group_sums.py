"""Sums by group that do not depend on the order of the rows."""

import numpy as np
from numpy.typing import NDArray

from benchmaker.stats.columns import Floats

_BITS = 29
"""Of the coarse and of the fine part: sums of 2²⁴ rows stay within the 53 bits of a float."""


def group_sums(values: Floats, codes: NDArray[np.integer], groups: int) -> Floats:
    """Return the sum of each group's values, identical to the last digit in any row order.

    Every value is split into two parts on fixed grids, 2⁻²⁹ and 2⁻⁵⁸ of the largest value, whose
    sums are exact up to 2²⁴ rows a group (Rump, Ogita and Oishi 2008, Accurate Floating-Point
    Summation); finer digits are rounded away.

    Args:
        values: finite numbers.
        codes: the group of every value, from 0.
        groups: number of groups; one without rows sums to 0.

    >>> group_sums(np.array([0.1, 0.2, 5.0]), np.array([0, 0, 2]), 3).round(6).tolist()
    [0.3, 0.0, 5.0]
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(groups)
    exponent = int(np.frexp(largest)[1])
    scaled = np.ldexp(values, _BITS - exponent)
    coarse = np.rint(scaled)
    fine = np.rint(np.ldexp(scaled - coarse, _BITS))
    top = np.bincount(codes, weights=coarse, minlength=groups)
    rest = np.bincount(codes, weights=fine, minlength=groups)
    total: Floats = np.ldexp(top + np.ldexp(rest, -_BITS), exponent - _BITS)
    return total
