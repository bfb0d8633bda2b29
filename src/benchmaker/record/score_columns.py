"""Scores of many trials as columns, which analysis reads without building trial objects."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmaker.record.outcome import Outcome

OUTCOMES = tuple(Outcome)
"""The order behind the outcome codes."""


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """One row a trial; every array has the same length n.

    ``run``, ``model`` and ``outcome`` are codes into ``run_ids``, ``models`` and ``OUTCOMES``.
    ``position`` is the case's place in the suite; ``case_ids[position]`` its id. ``score`` (0 to
    1), ``cost_usd``, ``latency_s`` and the tokens are NaN where they are missing; the input is
    the uncached part, as in ``Usage``, the cost that of all requests of the trial, and the known
    cost that of those whose cost is known. Reasoning lies
    inside output.
    ``group`` codes the case's group, -1 for none.
    ``flag_set`` codes the trial's flags into ``flag_sets``, the first of which is the empty set.
    ``metrics`` are the values of the named metrics of checks, NaN where they are missing.
    ``repeat_runs`` are the ids of the runs that repeat only the cases whose first two scores
    differ. Their trials have weight 0 here, since means over them would be biased.
    """

    run_ids: tuple[str, ...]
    models: tuple[str, ...]
    case_ids: Mapping[int, str]
    run: NDArray[np.int32]
    model: NDArray[np.int32]
    position: NDArray[np.int32]
    outcome: NDArray[np.int8]
    score: NDArray[np.float64]
    weight: NDArray[np.float64]
    cost_usd: NDArray[np.float64]
    known_cost_usd: NDArray[np.float64]
    latency_s: NDArray[np.float64]
    input_tokens: NDArray[np.float64]
    output_tokens: NDArray[np.float64]
    reasoning_tokens: NDArray[np.float64]
    group: NDArray[np.int32]
    flag_set: NDArray[np.int32]
    flag_sets: tuple[frozenset[str], ...]
    metrics: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    repeat_runs: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.score)

    @property
    def cluster(self) -> NDArray[np.int64]:
        """A number per row, equal where rows are of one case or of one group of cases."""
        case, group = self.position.astype(np.int64), self.group.astype(np.int64)
        return np.where(group < 0, case, -1 - group)

    @property
    def is_repeat(self) -> NDArray[np.bool_]:
        """A mask of the trials of ``repeat_runs``."""
        codes = [code for code, run_id in enumerate(self.run_ids) if run_id in self.repeat_runs]
        return np.isin(self.run, codes)

    def flag_counts(self, rows: NDArray[np.bool_] | None = None) -> dict[str, int]:
        """The number of trials that carry each flag, by name, among the given rows or all."""
        codes = self.flag_set if rows is None else self.flag_set[rows]
        counts: Counter[str] = Counter()
        for flags, trials in zip(self.flag_sets, np.bincount(codes).tolist(), strict=False):
            if trials:
                counts.update(dict.fromkeys(flags, trials))
        return dict(sorted(counts.items()))

    def rows_flagged(self, flag: str) -> NDArray[np.bool_]:
        """A mask of the trials that carry a flag."""
        codes = [code for code, flags in enumerate(self.flag_sets) if flag in flags]
        return np.isin(self.flag_set, codes)

    def rows_of(self, model: str) -> NDArray[np.bool_]:
        """A mask of the model's rows; none are set for a model without trials."""
        code = self.models.index(model) if model in self.models else -1
        return np.equal(self.model, code)


def metric_columns(
    rows: Sequence[Mapping[str, float | None]],
) -> dict[str, NDArray[np.float64]]:
    """Return a column for each name in the rows, with NaN for missing values.

    >>> metric_columns([{"style": 0.5}, {}])
    {'style': array([0.5, nan])}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name) for row in rows], dtype=np.float64) for name in names}
