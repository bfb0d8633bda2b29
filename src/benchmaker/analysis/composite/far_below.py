"""Figures far below those of their task, which robust treats as missing.

A score is at its best at q10, and lower figures gain nothing. A figure lower by orders of magnitude
is probably wrong: it becomes a range, like a missing one.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmaker.record.submissions.scored_figures import Figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TIMES_BELOW: Final[Mapping[Figure, float]] = {"tokens": 20.0, "seconds": 20.0, "cost": 100.0}
"""Largest factor below q10 at which a figure still counts; list prices differ by a hundred times.
"""

LEAST_ROWS: Final = 5
"""Minimum number of rows; with fewer, one row could move q10, and with it the limit of others."""

_LN_TIMES: Final = {name: float(np.log(times)) for name, times in TIMES_BELOW.items()}


def ln_least(name: Figure, ln_q10: Floats | float, ln_q90: Floats | float, n: Ints | int) -> Floats:
    """Return the smallest plausible logarithm of a figure that counts; -inf without a limit.

    A figure may be below q10 by its factor of ``TIMES_BELOW``, and by as much as q90 is above q10
    if the baseline has ``n`` rows, at least ``LEAST_ROWS``. Without rows the prior's q10 decides,
    with few there is no limit. Tool calls and prompts have no such limit, since one may suffice.

    >>> least = np.exp(ln_least("seconds", np.log(100.0), np.log(200.0), 20))
    >>> round(float(least), 6)
    5.0
    """
    if name not in _LN_TIMES:
        return np.full(np.shape(ln_q10), -np.inf)
    spread = np.where(np.less(n, LEAST_ROWS), 0.0, np.subtract(ln_q90, ln_q10))
    least = np.subtract(ln_q10, np.maximum(_LN_TIMES[name], spread))
    is_movable = np.greater(n, 0) & np.less(n, LEAST_ROWS)
    return np.asarray(np.where(is_movable, -np.inf, least), np.float64)


def words(value: float, ln_q10: float) -> str:
    """Return the reason why such a figure counts as missing."""
    return f"missing: {value:g} is too far below the task's 10% quantile of {np.exp(ln_q10):.4g}"
