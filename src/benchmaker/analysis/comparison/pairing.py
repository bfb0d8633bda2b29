"""Scores lined up case by case, so that models are compared on the same cases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from benchmaker.errors import SpecError
from benchmaker.record.score_columns import ScoreColumns

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Rows = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CaseTable:
    """Each model's mean over runs in every case: one row per case of positive weight, in order.

    ``scores`` is cases by models, NaN without a score. ``cluster`` numbers the groups of cases; a
    case without a group is its own cluster.
    """

    models: tuple[str, ...]
    scores: Floats
    weights: Floats
    cluster: Codes

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def is_scored(self) -> NDArray[np.bool_]:
        """A cases × models mask of scores."""
        return ~np.isnan(self.scores)

    @property
    def clusters(self) -> int:
        """The number of clusters of cases."""
        return len(np.unique(self.cluster))

    @property
    def is_weighted(self) -> bool:
        """True if the cases have different weights."""
        return bool(len(self) and self.weights.min() != self.weights.max())

    @property
    def is_clustered(self) -> bool:
        """True if some cases share a group."""
        return self.clusters < len(self)

    def rows(self, chosen: Rows | NDArray[np.intp]) -> "CaseTable":
        """The chosen cases, by a mask or by their places."""
        scores, weights = self.scores[chosen], self.weights[chosen]
        return CaseTable(self.models, scores, weights, self.cluster[chosen])

    def select_models(self, models: Sequence[str]) -> "CaseTable":
        """The named models, in that order."""
        places = [self.models.index(model) for model in models]
        return CaseTable(tuple(models), self.scores[:, places], self.weights, self.cluster)

    def common_cases(self) -> "CaseTable":
        """The cases that are scored for every model."""
        return self.rows(np.logical_and.reduce(self.is_scored, axis=1))

    def cases_of(self, model: str) -> "CaseTable":
        """The cases that are scored for this model, and its scores."""
        return self.select_models([model]).common_cases()

    def columns(self) -> Iterator[tuple[str, Floats]]:
        """Every model with its scores."""
        yield from zip(self.models, self.scores.T, strict=True)


def case_table(columns: ScoreColumns, models: Sequence[str] = ()) -> CaseTable:
    """The scores by case and model; a case counts with its mean over the runs that scored it.

    Args:
        columns: the scores of one or several runs of one suite.
        models: the models wanted; all of them by default.

    Raises:
        SpecError: a model is named that does not occur, or named twice.
    """
    chosen = _select_names(columns, models)
    counted = np.flatnonzero(columns.weight > 0)
    positions, first, case = np.unique(
        columns.position[counted], return_index=True, return_inverse=True
    )
    first_rows = counted[first]
    return CaseTable(
        models=chosen,
        scores=_means(columns, chosen, counted, case, len(positions)),
        weights=columns.weight[first_rows],
        cluster=_clusters(columns.group[first_rows]),
    )


def check_models(names: Sequence[str], known: Sequence[str]) -> None:
    """SpecError, with the nearest name, for a model that does not occur or is named twice."""
    for at, name in enumerate(names):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
            raise SpecError(f"No model {name!r} in these runs.", hint=hint)
        if name in names[:at]:
            raise SpecError(f"Model {name!r} is given twice.", hint="Give each model once.")


def _select_names(columns: ScoreColumns, models: Sequence[str]) -> tuple[str, ...]:
    check_models(models, columns.models)
    return tuple(models) if models else columns.models


def _means(
    columns: ScoreColumns, models: Sequence[str], rows: NDArray[np.intp], case: Codes, cases: int
) -> Floats:
    """Cases by models; the order of the rows changes no digit."""
    place = np.full(len(columns.models), -1)
    for at, name in enumerate(models):
        place[columns.models.index(name)] = at
    model = place[columns.model[rows]]
    kept = (model >= 0) & ~np.isnan(columns.score[rows])
    cell = case[kept] * len(models) + model[kept]
    scores = columns.score[rows][kept]
    order = np.lexsort((scores, cell))
    size = cases * len(models)
    sums = np.bincount(cell[order], weights=scores[order], minlength=size)
    counts = np.bincount(cell, minlength=size)
    means = np.full(size, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means.reshape(cases, len(models))


def _clusters(groups: NDArray[np.int32]) -> Codes:
    """Return the groups' codes, with a separate one for every case without a group."""
    codes = groups.astype(np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return codes
