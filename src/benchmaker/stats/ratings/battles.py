"""Battles as columns of codes, and compact tables of their counts."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmaker.errors import AnalysisError, NotEnoughData, SpecError
from benchmaker.stats.ratings.codes import Codes, describe_rows, model_codes, outcome_codes
from benchmaker.stats.ratings.rating import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRows:
    """The distinct rows of three columns, with their numbers of occurrences."""

    a: list[str]
    b: list[str]
    outcome: list[object]
    times: NDArray[np.int64]


def distinct_rows(a: Sequence[str], b: Sequence[str], outcome: object) -> DistinctRows | None:
    """The distinct rows of three polars Series of one length; None for columns of other kinds.

    Grouping text within polars is several times as fast as converting it. The library is not
    imported here: the caller who passes its columns has done so.
    """
    if not all(map(_is_polars, (a, b, outcome))):
        return None
    columns: Any = (a, b, outcome)  # foreign objects, known by the name of their type
    first, second, result = (
        column.alias(name) for column, name in zip(columns, ("a", "b", "outcome"), strict=True)
    )
    rows = first.to_frame().with_columns(second, result).group_by("a", "b", "outcome").len("times")
    return DistinctRows(
        a=rows["a"].to_list(),
        b=rows["b"].to_list(),
        outcome=rows["outcome"].to_list(),
        times=rows["times"].to_numpy().astype(np.int64),
    )


def _is_polars(column: object) -> bool:
    kind = type(column)
    return kind.__module__.partition(".")[0] == "polars" and kind.__name__ == "Series"


_AT_ONCE = 1 << 20
_SMALLEST = 1e-100


@dataclass(frozen=True, slots=True, eq=False)
class BattleCounts:
    """The numbers of wins and ties of each pair; m × m arrays in the order of ``names``.

    ``win[i, j]`` is the weight with which i beat j; ``tie`` is symmetric, a tie counts in both
    cells. ``win_squares`` and ``tie_squares`` add up squared weights (the same arrays if all
    weights are 1). ``met[i, j]`` counts the battles of positive weight, ``n`` all of them.
    """

    names: tuple[str, ...]
    win: Floats
    tie: Floats
    win_squares: Floats
    tie_squares: Floats
    met: Ints
    n: int

    @property
    def m(self) -> int:
        """The number of models."""
        return len(self.names)

    @property
    def n_eff(self) -> float:
        """(Σw)²/Σw² over all battles (Kish 1965)."""
        weight = self.win.sum() + self.tie.sum() / 2
        return float(weight**2 / (self.win_squares.sum() + self.tie_squares.sum() / 2))

    @property
    def n_battles(self) -> Ints:
        """Each model's battles."""
        return np.asarray(self.met.sum(axis=1), np.int64)

    @property
    def effective_battles(self) -> Floats:
        """Each model's (Σw)²/Σw²; 0 for a model without battles."""
        weight = _battles_of_each(self.win, self.tie)
        squares = _battles_of_each(self.win_squares, self.tie_squares)
        return np.divide(weight**2, squares, out=np.zeros(self.m), where=squares > 0)

    def restrict_to(self, group: Ints) -> "BattleCounts":
        """Only the battles inside a group."""
        same = group[:, None] == group[None, :]
        met = self.met * same
        return BattleCounts(
            names=self.names,
            win=self.win * same,
            tie=self.tie * same,
            win_squares=self.win_squares * same,
            tie_squares=self.tie_squares * same,
            met=met,
            n=int(met.sum()) // 2,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Battles:
    """One row per battle: the places of both models in ``names``, the outcome, and a weight.

    ``outcome`` is 2 if ``a`` won, 1 for a tie, 0 if ``b`` won. ``weight`` is None if all are 1;
    rows of weight 0 are ignored.
    """

    names: tuple[str, ...]
    a: Codes
    b: Codes
    outcome: NDArray[np.int8]
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.a)

    @property
    def counted_mask(self) -> NDArray[np.bool_] | None:
        """The mask of rows with positive weight; None for all."""
        return None if self.weight is None else self.weight > 0

    def cells(self) -> Ints:
        """(outcome · m + lower) · m + higher of each row, seen from the model that comes first."""
        m = len(self.names)
        swapped = self.a > self.b
        outcome = np.where(swapped, 2 - self.outcome, self.outcome).astype(np.int64)
        cell = (outcome * m + np.minimum(self.a, self.b)) * m + np.maximum(self.a, self.b)
        return np.asarray(cell, np.int64)

    def counts(self, times: Ints | None = None) -> BattleCounts:
        """Return the table; the order of the rows changes no digit.

        ``times`` is the number of occurrences of each row; only for rows without weights.
        """
        m = len(self.names)
        if self.weight is None:
            number = _tally(self, m, times)
            return _table(self.names, number, number.astype(np.float64), None)
        kept = np.flatnonzero(self.weight > 0)
        cell, weight = self.cells()[kept], self.weight[kept]
        order = np.lexsort((weight, cell))
        cell, weight = cell[order], weight[order]
        number = np.bincount(cell, minlength=3 * m * m)
        weights = np.bincount(cell, weight, 3 * m * m).astype(np.float64)
        squares = np.bincount(cell, weight**2, 3 * m * m).astype(np.float64)
        return _table(self.names, number.astype(np.int64), weights, squares)

    def without_weights(self) -> "Battles":
        """The battles of positive weight, each counting once."""
        counted = self.counted_mask
        return replace(self if counted is None else self.take(counted), weight=None)

    def balance_pairs(self, *, floor: float = 50.0) -> "Battles":
        """Weight each battle by 1 / max(battles of its pair, floor), with mean 1.

        This keeps frequent pairs from dominating; the cost is shown as effective battles. The floor
        keeps rare pairs from dominating (Chatbot Arena's rule).
        """
        m = len(self.names)
        pair = self.cells() % (m * m)
        own = np.ones(len(self)) if self.weight is None else self.weight
        met = np.bincount(pair, own > 0, minlength=m * m)
        weight = own / np.maximum(met[pair], floor)
        return replace(self, weight=weight * (own.sum() / weight.sum()))

    def take(self, keep: NDArray[np.bool_]) -> "Battles":
        """The rows where ``keep`` is true, with the same names."""
        weight = None if self.weight is None else self.weight[keep]
        return replace(
            self, a=self.a[keep], b=self.b[keep], outcome=self.outcome[keep], weight=weight
        )


def battles(
    a: Sequence[str],
    b: Sequence[str],
    outcome: Sequence[object] | NDArray[np.generic],
    *,
    weight: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Battles:
    """Read battles, one row each.

    Args:
        a: the model on one side.
        b: the model on the other.
        outcome: "a", "b" or "tie"; or 1, 0, 0.5.
        weight: finite numbers, at least 0; None for 1 each.
        names: all possible models; None for those that occur.
        labels: the meaning of other outcome labels, as ``{"left": "a", "both bad": "tie"}``.

    Raises:
        AnalysisError: an unknown model or outcome, a model against itself, a weight that is
            negative or not finite; with the first row numbers, from 1. Nothing is read as a tie.
        NotEnoughData: no battle of positive weight, or fewer than two models.
        SpecError: columns of different lengths.

    >>> rows = battles(["x", "x", "y"], ["y", "y", "x"], ["a", "tie", "a"])
    >>> rows.counts().win.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if not len(a) == len(b) == len(outcome):
        found = f"{len(a):,}, {len(b):,} and {len(outcome):,}"
        raise SpecError(f"The columns a, b and outcome have {found} rows.")
    if not len(a):
        raise NotEnoughData("There is no battle.", needed=1, got=0)
    known, first, second = model_codes(a, b, names)
    same = np.flatnonzero(first == second)
    if len(same):
        name = known[first[same[0]]]
        raise AnalysisError(
            f"A model is set against itself, first {name!r}: {describe_rows(same)}.",
            hint="Leave them out.",
        )
    result = outcome_codes(outcome, labels)
    return Battles(known, first, second, result, _weights(weight, len(a)))


def counts(
    a: Sequence[str],
    b: Sequence[str],
    outcome: Sequence[object] | NDArray[np.generic],
    *,
    weight: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> BattleCounts:
    """The table of wins and ties of these battles; arguments and errors as in ``battles``.

    Three polars Series without weights are counted where they are.

    >>> counts(["x", "x"], ["y", "y"], ["a", "tie"]).tie.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    table = (
        distinct_rows(a, b, outcome)
        if weight is None and len(a) == len(b) == len(outcome)
        else None
    )
    if table is not None:
        with suppress(AnalysisError):  # what is wrong is said below, by the rows as they were given
            distinct = battles(table.a, table.b, table.outcome, names=names, labels=labels)
            return distinct.counts(table.times)
    return battles(a, b, outcome, weight=weight, names=names, labels=labels).counts()


def _weights(weight: ArrayLike | None, n: int) -> Floats | None:
    if weight is None:
        return None
    column = np.asarray(weight, np.float64)
    if column.shape != (n,):
        raise SpecError(f"There are {n:,} battles and weights of shape {column.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if len(wrong):
        raise AnalysisError(
            f"A weight is negative or not finite, first {column[wrong[0]]:g}: "
            f"{describe_rows(wrong)}."
        )
    if not column.any():
        raise NotEnoughData("No battle has a positive weight.", needed=1, got=0)
    largest = float(column.max())
    return column if _SMALLEST < largest < 1 / _SMALLEST else column / largest


def _tally(battles: Battles, m: int, times: Ints | None) -> Ints:
    """Battles by outcome and ordered pair, a stretch at a time to save memory."""
    number = np.zeros(3 * m * m, np.int64)
    for start in range(0, len(battles), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        often = None if times is None else times[part]
        cell = battles.outcome[part].astype(np.int64) * m
        cell += battles.a[part]
        cell *= m
        cell += battles.b[part]
        number += np.bincount(cell, often, 3 * m * m).astype(np.int64)
    return number


def _table(
    names: tuple[str, ...], number: Ints, weights: Floats, squares: Floats | None
) -> BattleCounts:
    m = len(names)
    met = number.reshape(3, m, m).sum(axis=0)
    win, tie = _fold_outcomes(weights, m)
    win_squares, tie_squares = (win, tie) if squares is None else _fold_outcomes(squares, m)
    return BattleCounts(names, win, tie, win_squares, tie_squares, met + met.T, int(number.sum()))


def _fold_outcomes(cells: Floats, m: int) -> tuple[Floats, Floats]:
    """Wins by (winner, loser), and ties in both cells."""
    lost, tied, won = cells.reshape(3, m, m)
    return won + lost.T, tied + tied.T


def _battles_of_each(win: Floats, tie: Floats) -> Floats:
    return np.asarray((win + win.T + tie).sum(axis=1), np.float64)
