"""Means in the way of a tool, and of cases."""

import math
import statistics
from collections.abc import Iterable


def values_by_case(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the mean of each case, in the order in which they appear.

    >>> values_by_case([("a", 1.0), ("b", 1.0), ("a", 0.0)])
    {'a': 0.5, 'b': 1.0}
    """
    found: dict[str, list[float]] = {}
    for case_id, value in pairs:
        found.setdefault(case_id, []).append(value)
    return {case_id: sum(values) / len(values) for case_id, values in found.items()}


def mean_of_rows(pairs: Iterable[tuple[str, float]], *, by_case: bool) -> float | None:
    """Return the mean of rows, or with ``by_case`` of cases; None without rows.

    >>> rows = [("a", 1.0), ("a", 1.0), ("b", 0.0), ("b", 0.0), ("c", 1.0)]
    >>> mean_of_rows(rows, by_case=False)
    0.6
    """
    listed = list(pairs)
    values = list(values_by_case(listed).values()) if by_case else [value for _, value in listed]
    return sum(values) / len(values) if values else None


def stderr_of(values: Iterable[float]) -> float:
    """Return the standard error of the mean of at least two values: s/√n with n − 1 in s.

    >>> round(stderr_of([1.0, 1.0, 0.0, 0.0]), 4)
    0.2887
    """
    listed = list(values)
    return statistics.stdev(listed) / math.sqrt(len(listed))
