"""Cases against models: the mean of every cell, and why a cell has none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmaker.record import Outcome, group_of
from benchmaker.record.outcome import is_failure
from benchmaker.record.score_columns import OUTCOMES, ScoreColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_APART = (Outcome.UNFINISHED, Outcome.TRUNCATED)
"""Outcomes that are counted on their own."""

_GROUPS = ("ok", "bad", "infra", "none", *(one.value for one in _APART))


@dataclass(frozen=True, slots=True, eq=False)
class CaseGrid:
    """A row for each case of the runs, in the order of the suite, and a column for each model.

    ``mean`` is over runs, from 0 to 1, NaN for a cell without scores. ``case_mean`` is that of a
    case over the models, with equal weights. ``counts`` holds, by cell, the trials that were
    scored, failed because of the model, failed because of infrastructure, have no score, are
    unfinished, and were truncated. ``scores`` is the number of scores by cell, and ``failed`` is
    true for cells of which a trial failed (:func:`benchmaker.record.outcome.is_failure`).
    """

    models: tuple[str, ...]
    position: Ints
    mean: Floats
    case_mean: Floats
    weight: Floats
    counts: NDArray[np.int32]
    scores: Ints
    failed: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.position)

    def row(self, position: int) -> int | None:
        """The row of the case at this place of the suite."""
        at = int(np.searchsorted(self.position, position))
        return at if at < len(self) and self.position[at] == position else None

    def kind(self, row: int, column: int) -> str:
        """Return the kind of a cell: ``ok``, ``bad``, ``infra``, ``none``, ``unfinished``, or "".

        The last is a cell without a trial. Truncated answers count as "ok", since they are scored.

        A cell is a failure of the model if each of its trials is; it then has the score of the
        suite's policy. Without a score, infrastructure failures take precedence.
        """
        found = dict(zip(_GROUPS, self.counts[row, column].tolist(), strict=True))
        if found[Outcome.TRUNCATED]:
            return "ok"
        return next((group for group in _GROUPS if found[group]), "")

    def outcome_group(self, row: int, column: int) -> str:
        """Return :meth:`kind` with truncated answers as failures of the model ("bad").

        These are the groups in which outcomes are counted.
        """
        found = dict(zip(_GROUPS, self.counts[row, column].tolist(), strict=True))
        found["bad"] += found.pop(Outcome.TRUNCATED)
        return next((group for group, trials in found.items() if trials), "")

    def hardest_rows(self) -> Ints:
        """The rows by their mean over the models, lowest first, those without one last."""
        return np.lexsort((self.position, np.nan_to_num(self.case_mean, nan=np.inf)))

    def rows_with_group(self, group: str, columns: Sequence[int] | None = None) -> Any:  # noqa: ANN401  a mask; numpy names two types for it
        """The rows in which some trial is of a group of :meth:`outcome_group`.

        ``columns`` are the models that count; all by default.
        """
        counts = self.counts if columns is None else self.counts[:, list(columns)]
        names = (group, Outcome.TRUNCATED.value) if group == "bad" else (group,)
        return np.any(counts[:, :, [_GROUPS.index(one) for one in names]] > 0, axis=(1, 2))


def case_grid(columns: ScoreColumns, models: Sequence[str] = ()) -> CaseGrid:
    """Return the grid of all cases with a trial; the models in the given order, or as found."""
    names = tuple(models) or columns.models
    place = np.full(len(columns.models), -1)
    for at, name in enumerate(names):
        if name in columns.models:
            place[columns.models.index(name)] = at
    kept = np.flatnonzero(place[columns.model] >= 0) if len(columns) else np.empty(0, np.intp)
    positions, first, case = np.unique(
        columns.position[kept], return_index=True, return_inverse=True
    )
    cell = case * len(names) + place[columns.model[kept]]
    shape = (len(positions), len(names))
    mean, scores = _means(columns.score[kept], cell, shape)
    return CaseGrid(
        models=names,
        position=positions.astype(np.int64),
        mean=mean,
        case_mean=_over_models(mean),
        weight=columns.weight[kept][first],
        counts=_counts(columns.outcome[kept], cell, shape),
        scores=scores,
        failed=_failed_cells(columns.outcome[kept], columns.score[kept], cell, shape),
    )


def _means(scores: Floats, cell: Ints, shape: tuple[int, int]) -> tuple[Floats, Ints]:
    """The mean of each cell, and the number of its scores."""
    size = shape[0] * shape[1]
    known = ~np.isnan(scores)
    sums = np.bincount(cell[known], weights=scores[known], minlength=size)
    counts = np.bincount(cell[known], minlength=size)
    means = np.full(size, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means.reshape(shape), counts.reshape(shape)


def _failed_cells(
    outcomes: NDArray[np.int8], scores: Floats, cell: Ints, shape: tuple[int, int]
) -> NDArray[np.bool_]:
    """The cells with a failed trial."""
    without_score = np.array([is_failure(outcome, None) for outcome in OUTCOMES])[outcomes]
    is_failed = np.where(np.isnan(scores), without_score, scores < 1)
    made = np.zeros(shape[0] * shape[1], bool)
    made[cell[is_failed]] = True
    return made.reshape(shape)


def _over_models(mean: Floats) -> Floats:
    known = ~np.isnan(mean)
    counts = known.sum(axis=1)
    found = np.full(len(mean), np.nan)
    np.divide(np.where(known, mean, 0.0).sum(axis=1), counts, out=found, where=counts > 0)
    return found


def _counts(outcomes: NDArray[np.int8], cell: Ints, shape: tuple[int, int]) -> NDArray[np.int32]:
    group = np.array([_group(outcome) for outcome in OUTCOMES])[outcomes]
    size = shape[0] * shape[1]
    made = [np.bincount(cell[group == at], minlength=size) for at in range(len(_GROUPS))]
    return np.stack(made, axis=1).reshape(*shape, len(_GROUPS)).astype(np.int32)


def _group(outcome: Outcome) -> int:
    """Return the place of an outcome's group."""
    return _GROUPS.index(outcome.value if outcome in _APART else group_of(outcome))
