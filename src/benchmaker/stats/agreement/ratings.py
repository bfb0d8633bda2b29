"""A table of ratings: one row per unit, one column per rater, with gaps."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.columns import Codes, Floats, first_duplicate

Bools: TypeAlias = NDArray[np.bool_]
Rating: TypeAlias = Hashable | None
Weights: TypeAlias = Literal["none", "linear", "quadratic"] | Sequence[Sequence[float]]

MISSING = -1
_PAIR = 2


@dataclass(frozen=True, slots=True)
class RatingTable:
    """Ratings as codes into ``labels``; -1 where a rater did not rate a unit.

    Attributes:
        codes: units × raters.
        labels: the categories; ordered if they have an order.
        is_ordered: whether their order is meaningful: they are numbers, or were declared.
    """

    codes: Codes
    labels: tuple[Hashable, ...]
    is_ordered: bool

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, units: Codes) -> "RatingTable":
        """The table of these units, in this order; the categories stay."""
        return RatingTable(self.codes[units], self.labels, self.is_ordered)

    @property
    def raters(self) -> int:
        """The number of raters with at least one rating."""
        return int((self.codes != MISSING).any(axis=0).sum())

    def counts(self) -> Floats:
        """Return units × categories: the number of raters who chose the category."""
        table = np.zeros((len(self.codes), len(self.labels)))
        units, raters = np.nonzero(self.codes != MISSING)
        np.add.at(table, (units, self.codes[units, raters]), 1.0)
        return table


Rows: TypeAlias = Sequence[Sequence[Rating]] | NDArray[np.generic] | RatingTable


def rating_table(rows: Rows, *, labels: Sequence[Hashable] | None = None) -> RatingTable:
    """Build the table from rows of labels or numbers; None and NaN are gaps.

    Reusing one table saves time when many statistics are computed, and keeps categories absent from
    a subset of the rows.

    Args:
        rows: units × raters, every row of the same length; a table is returned unchanged.
        labels: all categories in their order; by default those that occur, ascending, or by text if
            they have no natural order.

    Raises:
        SpecError: rows of different lengths, a rating that is not among the labels.
        NotEnoughData: fewer than two raters, or no unit that two raters rated.
    """
    if isinstance(rows, RatingTable):
        return _with_pairs(rows)
    cells = [[_to_plain(cell) for cell in row] for row in rows]
    width = _width(cells)
    present = {cell for row in cells for cell in row if cell is not None}
    if not present:
        raise NotEnoughData("There is no rating.", needed=2, got=0)
    order = _order(present) if labels is None else _check_labels(labels)
    place: dict[Hashable, int] = {label: code for code, label in enumerate(order)}
    codes = np.full((len(cells), width), MISSING, dtype=np.int64)
    for unit, row in enumerate(cells):
        for rater, cell in enumerate(row):
            if cell is not None:
                codes[unit, rater] = _code(cell, place, unit)
    is_ordered = labels is not None or all(map(_is_number, order))
    return _with_pairs(RatingTable(codes, order, is_ordered))


def positions(table: RatingTable) -> Floats:
    """Return each category's position: its value for numbers, else its place in the order.

    Raises:
        SpecError: the categories have no order.
    """
    if not table.is_ordered:
        message = "This needs categories in an order, and these are not numbers."
        raise SpecError(message, hint="Give labels= in their order.")
    values = [float(label) for label in table.labels if isinstance(label, int | float)]
    return np.array(values if len(values) == len(table.labels) else range(len(table.labels)), float)


def weight_matrix(table: RatingTable, weights: Weights) -> Floats:
    """Return the agreement of any two categories: 1 if equal, lower with growing distance.

    ``linear`` is 1 - d/d_max (Cicchetti & Allison 1971), ``quadratic`` 1 - (d/d_max)² (Cohen 1968;
    Fleiss & Cohen 1973), with d the distance of numeric categories, or of their places in a
    declared order. A custom matrix is used unchanged (Cohen 1968).
    """
    if not isinstance(weights, str):
        return _own_weights(weights, len(table.labels))
    if weights == "none":
        return np.eye(len(table.labels))
    if weights not in {"linear", "quadratic"}:
        raise SpecError(f"Unknown weights {weights!r}; take none, linear or quadratic.")
    at = positions(table)
    far = np.abs(at[:, None] - at[None, :])
    share = far / far.max() if far.max() > 0 else far
    return 1.0 - (share if weights == "linear" else share**2)


def weights_name(weights: Weights) -> str:
    """Return the name of the weights for a result's method."""
    return weights if isinstance(weights, str) else "own"


def clusters_of_units(clusters: Iterable[Hashable] | None, keep: Bools) -> list[Hashable] | None:
    """The clusters of the units kept; SpecError when there is not one per unit."""
    if clusters is None:
        return None
    named = list(clusters)
    if len(named) != len(keep):
        raise SpecError(f"There are {len(named)} clusters for {len(keep)} units; give one each.")
    return [cluster for cluster, kept in zip(named, keep, strict=True) if kept]


def _own_weights(weights: Sequence[Sequence[float]], size: int) -> Floats:
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != (size, size):
        raise SpecError(f"The weights have the shape {matrix.shape} for {size} categories.")
    is_sound = np.isfinite(matrix).all() and (matrix.diagonal() == 1).all() and matrix.max() <= 1
    if not (is_sound and (matrix == matrix.T).all()):
        raise SpecError("Weights are 1 on the diagonal, at most 1 elsewhere, and symmetric.")
    return matrix


def _to_plain(cell: object) -> Rating:
    """The cell; None for a gap, Python's own type for one of numpy's."""
    value = cell.item() if isinstance(cell, np.generic) else cell
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, float) and np.isinf(value):
        raise SpecError("A rating is infinite; leave it out.")
    if not isinstance(value, Hashable):
        raise SpecError(f"The rating {value!r} is not a label or a number.")
    return value


def _width(cells: list[list[Rating]]) -> int:
    if not cells:
        raise NotEnoughData("There is no unit.", needed=1, got=0)
    width = len(cells[0])
    for unit, row in enumerate(cells):
        if len(row) != width:
            message = f"Row {unit + 1} has {len(row)} ratings, the first {width}"
            raise SpecError(f"{message}; give one per rater, None for a gap.")
    if width < _PAIR:
        raise NotEnoughData("Agreement needs two raters.", needed=_PAIR, got=width)
    return width


def _order(present: set[Hashable]) -> tuple[Hashable, ...]:
    numbers = [label for label in present if isinstance(label, int | float)]
    if len(numbers) == len(present):
        return tuple(sorted(numbers))
    return tuple(sorted(present, key=lambda label: (type(label).__name__, str(label))))


def _check_labels(labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    if (twice := first_duplicate(labels)) is not None:
        raise SpecError(f"The label {twice!r} is declared twice.")
    return tuple(labels)


def _code(cell: Rating, place: dict[Hashable, int], unit: int) -> int:
    if cell not in place:
        raise SpecError(f"Row {unit + 1}: the rating {cell!r} is not among the labels.")
    return place[cell]


def _is_number(label: Hashable) -> bool:
    return isinstance(label, int | float)


def _with_pairs(table: RatingTable) -> RatingTable:
    if not ((table.codes != MISSING).sum(axis=1) >= _PAIR).any():
        raise NotEnoughData("No unit was rated by two raters.", needed=1, got=0)
    return table
