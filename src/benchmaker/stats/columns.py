"""Columns of numbers and labels, checked where they come in."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmaker.errors import SpecError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def finite_column(numbers: ArrayLike, noun: str) -> Floats:
    """One column of finite numbers; SpecError names the row (from 1) of the first other."""
    column = np.asarray(numbers, dtype=np.float64)
    if column.ndim != 1:
        raise SpecError(f"The {noun}s have {column.ndim} dimensions; give a plain list.")
    good = np.isfinite(column)
    if not good.all():
        row = int(np.argmin(good))
        hint = "Leave missing rows out." if noun == "value" else ""
        raise SpecError(f"The {noun} in row {row + 1} is {column[row]}.", hint=hint)
    return column


def encode_labels(labels: Iterable[Hashable], noun: str) -> Codes:
    """Labels as numbers from 0 in the order of first appearance; None and NaN are refused."""
    seen: dict[Hashable, int] = {}
    codes = []
    for row, label in enumerate(_to_plain(labels), start=1):
        if label is None or label != label:  # noqa: PLR0124  only NaN differs from itself
            raise SpecError(f"The {noun} in row {row} is {label}; each row needs one.")
        codes.append(seen.setdefault(label, len(seen)))
    return np.array(codes, dtype=np.int64)


def cluster_codes(clusters: Iterable[Hashable] | None, rows: int) -> Codes:
    """One code per row; without clusters each row is its own."""
    if clusters is None:
        return np.arange(rows, dtype=np.int64)
    codes = encode_labels(clusters, "cluster")
    if len(codes) != rows:
        raise SpecError(f"There are {rows} values and {len(codes)} clusters; give one each.")
    return codes


def count_distinct(codes: NDArray[np.signedinteger[Any]]) -> int:
    """Return the number of different codes.

    ``np.unique`` loads the modules of masked arrays, 2 MB of memory.
    """
    return int(np.count_nonzero(np.diff(np.sort(codes)))) + (len(codes) > 0)


def median(column: Floats) -> float:
    """Return the median of at least one finite number.

    ``np.median`` loads masked arrays, see :func:`count_distinct`.
    """
    ordered, half = np.sort(column), len(column) // 2
    return float(ordered[half] if len(column) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def first_duplicate(labels: Iterable[Hashable]) -> Hashable | None:
    """The first label that occurs twice, or None."""
    return next((label for label, times in Counter(labels).items() if times > 1), None)


def check_level(level: float) -> float:
    """The confidence level, strictly between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise SpecError(f"The confidence level {level!r} is not between 0 and 1.")
    return level


def _to_plain(labels: Iterable[Hashable]) -> Iterable[Hashable]:
    """Python's own values: a numpy label costs ten times as much to look up."""
    return labels.tolist() if isinstance(labels, np.ndarray) else labels
