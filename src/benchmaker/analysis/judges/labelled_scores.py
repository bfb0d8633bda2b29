"""Scores with human labels of the same answers, row by row."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchmaker.documents import Document
from benchmaker.errors import SpecError
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_LABELS = 10
"""Minimum number of randomly drawn labelled answers per model for a correction."""


@runtime_checkable
class HasLabels(Protocol):
    """The result of a run that can return human labels of its answers."""

    def labels(self) -> Sequence[Label]:
        """Return the latest labels."""
        ...


@dataclass(frozen=True, slots=True)
class LabelBasis(Document):
    """The labels that a correction is based on.

    ``n_labels`` are those of scored answers drawn at random, by ``people``. ``left_out`` counts the
    others: ``targeted`` and ``trap``, which are not random draws, ``unscored``, whose answers have
    no score to correct, and ``zero_weight``, whose cases are excluded from means.
    """

    people: tuple[str, ...]
    n_labels: int
    left_out: Mapping[str, int]


class LabelledRows(NamedTuple):
    """Scored answers: the judge's score, the label (NaN without one), and their groups.

    ``weight`` is the case's. ``cluster`` is equal for rows of one case or one group of cases;
    ``key`` identifies case and run.
    """

    judge: Floats
    label: Floats
    weight: Floats
    case: Ints
    cluster: Ints
    key: Ints

    @property
    def share(self) -> Floats:
        """The weight of each row in the mean, 1 on average; the runs of a case share its weight."""
        if not len(self.case):
            return self.weight
        _, place, times = np.unique(self.case, return_inverse=True, return_counts=True)
        weight = self.weight / times[place]
        return np.asarray(weight / weight.mean(), np.float64)

    @property
    def is_labelled(self) -> NDArray[np.bool_]:
        """The mask of labelled rows."""
        return ~np.isnan(self.label)

    @property
    def is_clustered(self) -> bool:
        """True if some rows share a cluster."""
        return len(np.unique(self.cluster)) < len(self.cluster)

    def take(self, rows: Ints) -> "LabelledRows":
        """Some of the rows."""
        return LabelledRows(
            judge=self.judge[rows],
            label=self.label[rows],
            weight=self.weight[rows],
            case=self.case[rows],
            cluster=self.cluster[rows],
            key=self.key[rows],
        )


def labels_of(source: object, labels: Iterable[Label] | None) -> tuple[Label, ...]:
    """Return the given labels, or those of the result."""
    if labels is not None:
        return tuple(labels)
    if isinstance(source, HasLabels):
        return tuple(source.labels())
    raise SpecError("No labels.", hint="Pass labels=… or a stored result.")


class LabelledScores:
    """The scores of runs with the labels of their answers.

    Args:
        columns: the scores.
        labels: human labels; only the latest version of each.
    """

    def __init__(self, columns: ScoreColumns, labels: Iterable[Label]) -> None:
        self.columns = columns
        given = [label for label in labels if not label.is_withdrawn]
        places = {name: at for at, name in columns.case_ids.items()}
        runs = {name: code for code, name in enumerate(columns.run_ids)}
        models = {name: code for code, name in enumerate(columns.models)}
        by_key: dict[tuple[int, int, int], list[float]] = {}
        people: dict[str, None] = {}
        left_out: Counter[str] = Counter()
        scored, weightless = self._scored_keys(), self._scored_keys(has_weight=False)
        for label in given:
            codes = (runs.get(label.run_id), models.get(label.model), places.get(label.case_id))
            if label.source != "random":
                left_out[label.source] += 1
            elif codes in weightless:
                left_out["zero_weight"] += 1
            elif codes not in scored or label.score is None:
                left_out["unscored"] += 1
            else:
                by_key.setdefault(codes, []).append(label.score)  # type: ignore[arg-type]  # scored holds no None
                people.setdefault(label.actor)
        number = sum(map(len, by_key.values()))
        self.basis = LabelBasis(tuple(sorted(people)), number, dict(sorted(left_out.items())))
        self._label = self._column(by_key)

    def _scored_keys(
        self, *, has_weight: bool = True
    ) -> set[tuple[int | None, int | None, int | None]]:
        """Run, model and case of the answers with a score, of cases with or without weight."""
        table = self.columns
        rows = ~np.isnan(table.score) & ((table.weight > 0) == has_weight)
        columns = (table.run[rows], table.model[rows], table.position[rows])
        return set(zip(*(column.tolist() for column in columns), strict=True))

    def _column(self, by_key: Mapping[tuple[int, int, int], list[float]]) -> Floats:
        """Each row's label, the mean over people; NaN without one."""
        table = self.columns
        label = np.full(len(table), np.nan)
        if by_key:
            codes = (table.run.tolist(), table.model.tolist(), table.position.tolist())
            for row, key in enumerate(zip(*codes, strict=True)):
                if key in by_key:
                    label[row] = fmean(by_key[key])
        return label

    def with_scores(self, scores: Floats) -> "LabelledScores":
        """Return the same labels with other scores of the same answers."""
        other = object.__new__(LabelledScores)
        other.columns = replace(self.columns, score=scores)
        other.basis = self.basis
        other._label = self._label
        return other

    def all_rows(self) -> LabelledRows:
        """All scored answers, of every model."""
        return self._rows(np.ones(len(self.columns), dtype=np.bool_))

    def rows_of(self, model: str) -> LabelledRows:
        """The scored answers of one model."""
        table = self.columns
        code = table.models.index(model) if model in table.models else -1
        return self._rows(table.model == code)

    def common_rows(self, model_a: str, model_b: str) -> tuple[LabelledRows, LabelledRows]:
        """Return the answers to cases scored for both models, in the same order."""
        one, two = self.rows_of(model_a), self.rows_of(model_b)
        _, at_one, at_two = np.intersect1d(one.key, two.key, return_indices=True)
        return one.take(at_one), two.take(at_two)

    def _rows(self, chosen: NDArray[np.bool_]) -> LabelledRows:
        table = self.columns
        rows = np.flatnonzero(chosen & ~np.isnan(table.score) & (table.weight > 0))
        case = table.position[rows].astype(np.int64)
        return LabelledRows(
            judge=table.score[rows],
            label=self._label[rows],
            weight=table.weight[rows],
            case=case,
            cluster=table.cluster[rows],
            key=case * max(len(table.run_ids), 1) + table.run[rows],
        )
