"""Means in the way of a tool, and of cases."""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence

Reduce = Callable[[Sequence[float]], float | None]
"""Makes one value of the repeats of a case; None if they have none."""


def values_by_case(
    pairs: Iterable[tuple[str, float]], reduce: Reduce | None = None
) -> dict[str, float]:
    """Return the mean of each case, or its value by ``reduce``, in the order of appearance.

    >>> values_by_case([("a", 1.0), ("b", 1.0), ("a", 0.0)])
    {'a': 0.5, 'b': 1.0}
    """
    found: dict[str, list[float]] = {}
    for case_id, value in pairs:
        found.setdefault(case_id, []).append(value)
    if reduce is None:
        return {case_id: sum(values) / len(values) for case_id, values in found.items()}
    reduced = {case_id: reduce(values) for case_id, values in found.items()}
    return {case_id: value for case_id, value in reduced.items() if value is not None}


def mean_of_rows(
    pairs: Iterable[tuple[str, float]], *, by_case: bool, reduce: Reduce | None = None
) -> float | None:
    """Return the mean of rows, or with ``by_case`` of cases; None without rows.

    The value of a case is the mean of its rows, or that by ``reduce``.

    >>> rows = [("a", 1.0), ("a", 1.0), ("b", 0.0), ("b", 0.0), ("c", 1.0)]
    >>> mean_of_rows(rows, by_case=False)
    0.6
    """
    listed = list(pairs)
    by_cases = values_by_case(listed, reduce).values() if by_case else ()
    values = list(by_cases) if by_case else [value for _, value in listed]
    return sum(values) / len(values) if values else None


def stderr_of(values: Iterable[float]) -> float:
    """Return the standard error of the mean of at least two values: s/√n with n − 1 in s.

    >>> round(stderr_of([1.0, 1.0, 0.0, 0.0]), 4)
    0.2887
    """
    listed = list(values)
    return statistics.stdev(listed) / math.sqrt(len(listed))
