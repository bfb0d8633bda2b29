"""Every system's results at every task: the table behind all boards."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.row_groups import by_time
from benchmaker.record.submissions.metric_columns import MetricColumns, TextView
from benchmaker.stats.group_sums import group_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

Policy: TypeAlias = Literal["mean", "first", "last", "best"]
"""The policy for combining a system's attempts at a task."""

_DENSE = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One row for every unit and task with a submission, sorted by (unit, task).

    ``value`` is the unit's value at the task, NaN without an evaluation; ``variance`` is that of
    its attempts, NaN below two. ``n`` counts the attempts used, ``evaluated`` the eligible ones,
    ``attempts`` all. ``weakest`` is the highest evidence code among the evaluated, -1 for none.
    """

    unit: Ints
    task: Ints
    value: Floats
    variance: Floats
    n: Ints
    evaluated: Ints
    attempts: Ints
    weakest: Ints

    def __len__(self) -> int:
        return len(self.unit)

    def take(self, rows: Mask) -> "Cells":
        """Some of the cells."""
        return Cells(
            unit=self.unit[rows],
            task=self.task[rows],
            value=self.value[rows],
            variance=self.variance[rows],
            n=self.n[rows],
            evaluated=self.evaluated[rows],
            attempts=self.attempts[rows],
            weakest=self.weakest[rows],
        )


def cells(
    columns: MetricColumns,
    values: Floats,
    unit: NDArray[np.int32],
    *,
    rows: Ints,
    policy: Policy = "mean",
    higher_is_better: bool = True,
) -> Cells:
    """Return the table of some rows.

    Args:
        columns: the submissions.
        values: one per submission, NaN for none.
        unit: the code of the ranked unit, -1 for none.
        rows: the indexes of the submissions to use.
        policy: ``mean`` of the attempts at a task, the ``first``, the ``last`` or the ``best``.
        higher_is_better: the direction of ``best``.
    """
    chosen = rows[unit[rows] >= 0]
    code, unit_of, task_of = _codes(unit[chosen], columns.task[chosen], len(columns.tasks))
    many = len(unit_of)
    is_known = ~np.isnan(values[chosen])
    own, known = code[is_known], values[chosen[is_known]]
    evaluated = np.bincount(own, minlength=many)
    mean = _ratio(group_sums(known, own, many), evaluated)
    away = known - mean[own]
    variance = _ratio(group_sums(away * away, own, many), evaluated - 1)
    value = mean
    if policy != "mean":
        value = _attempt_values(
            columns, chosen[is_known], own, known, many, policy, higher_is_better
        )
    weakest = np.full(many, -1, np.int64)
    np.maximum.at(weakest, own, columns.evidence[chosen[is_known]].astype(np.int64))
    return Cells(
        unit=unit_of,
        task=task_of,
        value=value,
        variance=variance,
        n=evaluated if policy == "mean" else np.minimum(evaluated, 1),
        evaluated=evaluated,
        attempts=np.bincount(code, minlength=many),
        weakest=weakest,
    )


def _codes(unit: NDArray[np.int32], task: NDArray[np.int32], tasks: int) -> tuple[Ints, Ints, Ints]:
    """A code for every pair that occurs, in the order of (unit, task), and both its sides."""
    pair = unit.astype(np.int64) * tasks + task
    span = int(pair.max(initial=-1)) + 1
    if span <= max(_DENSE, 4 * len(pair)):
        is_there = np.bincount(pair, minlength=span) > 0
        found = np.flatnonzero(is_there)
        code = (np.cumsum(is_there) - 1)[pair]
    else:
        found, code = np.unique(pair, return_inverse=True)
    return code, found // max(tasks, 1), found % max(tasks, 1)


def _ratio(total: Floats, count: Ints) -> Floats:
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _attempt_values(  # noqa: PLR0917  private, called once
    columns: MetricColumns,
    rows: Ints,
    own: Ints,
    known: Floats,
    many: int,
    policy: Policy,
    higher_is_better: bool,  # noqa: FBT001  private, called once
) -> Floats:
    """The value of the first, last or best attempt of every cell."""
    found = np.full(many, np.nan)
    if policy == "best":
        worst = -np.inf if higher_is_better else np.inf
        best = np.full(many, worst)
        (np.maximum if higher_is_better else np.minimum).at(best, own, known)
        return np.where(np.isinf(best), np.nan, best)
    ordered = by_time(own, many, columns.finished_us[rows], TextView.of(columns.ids, rows))
    has_any = ordered.count > 0
    place = ordered.start if policy == "first" else ordered.start + ordered.count - 1
    found[has_any] = known[ordered.order[place[has_any]]]
    return found
