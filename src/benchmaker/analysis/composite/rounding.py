"""Rounding of columns, digit for digit as Python rounds a number."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NEAR_A_HALF = 1e-7


def round_as_python(values: Floats, digits: int) -> Floats:
    """Like ``round(value, digits)``; values near a half are rounded by Python itself.

    >>> round_as_python(np.array([2.675, 0.125]), 2).tolist()
    [2.67, 0.12]
    """
    scale = 10.0**digits
    scaled = values * scale
    rounded = np.rint(scaled) / scale
    for row in np.flatnonzero(is_near_half(scaled)).tolist():
        rounded[row] = round(float(values[row]), digits)
    return rounded


def is_near_half(scaled: Floats) -> NDArray[np.bool_]:
    """True if a number is so near a half that its last digits decide."""
    near: NDArray[np.bool_] = np.abs(scaled - np.floor(scaled) - 0.5) < _NEAR_A_HALF
    return near
