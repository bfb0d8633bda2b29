"""Baselines of all tasks at once, from columns; the figures equal those of the snapshots."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.baselines import (
    CLASSIC_LEAST,
    HIGH,
    LOW,
    PRIOR_ROWS,
    ROBUST_STEP,
    default_prior,
    default_spread,
)
from benchmaker.analysis.composite.counting_figures import (
    RANKED_EVIDENCE,
    CountingColumns,
    decide_counting_columns,
    largest_doublings,
)
from benchmaker.analysis.composite.row_groups import RowGroups, SortedGroups, by_time
from benchmaker.record.submissions.metric_columns import MetricColumns, TextView
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS, STATUSES, TokensView
from benchmaker.record.submissions.scored_figures import FIGURES, Figure
from benchmaker.record.submissions.submission import EvidenceLevel, Status

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class SpreadColumns:
    """One figure's spread in every task, as in ``Spread``; the default's where a task has none."""

    n: Ints
    minimum: Floats
    q25: Floats
    median: Floats
    q75: Floats
    maximum: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ClassicBaselines:
    """The classic baseline of every task, by its code."""

    n: Ints
    is_default: Mask
    figures: Mapping[Figure, SpreadColumns]


@dataclass(frozen=True, slots=True, eq=False)
class EndColumns:
    """One figure's ends in every task, as in ``Ends``."""

    n: Ints
    ln_q10: Floats
    ln_q90: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RobustBaselines:
    """The robust ends of every task, by its code; ``counting`` as in ``RobustSnapshot``."""

    tokens: TokensView
    figures: Mapping[Figure, EndColumns]
    ranked: tuple[EvidenceLevel, ...] = ()
    counting: CountingColumns | None = None
    unranked: CountingColumns | None = None


def classic_eligible(columns: MetricColumns) -> Mask:
    """As ``is_classic_eligible``, for every row."""
    has_both = ~np.isnan(columns.total_tokens) & ~np.isnan(columns.tool_calls)
    return has_both & _counts(columns)


def robust_eligible(columns: MetricColumns) -> Mask:
    """As ``is_robust_eligible``, for every row."""
    stands = np.isin(
        columns.evidence,
        [
            EVIDENCE_LEVELS.index(EvidenceLevel.VERIFIED),
            EVIDENCE_LEVELS.index(EvidenceLevel.ATTESTED),
        ],
    )
    eligible: Mask = (columns.success == 1) & stands & _counts(columns)
    return eligible


def classic_baselines(columns: MetricColumns) -> ClassicBaselines:
    """Every task's classic baseline."""
    rows = np.flatnonzero(classic_eligible(columns))
    by_task = RowGroups.of(columns.task, len(columns.tasks), rows=rows)
    is_default = by_task.count < CLASSIC_LEAST
    figures = {
        name: _spread(name, by_task.sorted_values(_classic_values(columns, name)), is_default)
        for name in FIGURES
    }
    return ClassicBaselines(
        n=np.where(is_default, 0, by_task.count), is_default=is_default, figures=figures
    )


def robust_baselines(
    columns: MetricColumns,
    *,
    tokens: TokensView = "fresh",
    ranked: Collection[EvidenceLevel] | None = RANKED_EVIDENCE,
) -> RobustBaselines:
    """Every task's robust ends, with the priors of its category.

    Args:
        columns: the submissions.
        tokens: which tokens count.
        ranked: the evidence levels whose successes decide which figures count; None for the rules
            of robust/1.
    """
    rows = np.flatnonzero(robust_eligible(columns))
    ids = TextView.of(columns.ids, rows)
    ordered = by_time(columns.task[rows], len(columns.tasks), columns.finished_us[rows], ids)
    in_order = rows[ordered.order]
    category = task_categories(columns)
    read = columns.figure if ranked is None else columns.valid_figure
    figures = {
        name: _end_columns(
            name,
            _used_values(
                columns.task[in_order], read(name, tokens=tokens)[in_order], len(columns.tasks)
            ),
            category,
        )
        for name in FIGURES
    }
    if ranked is None:
        return RobustBaselines(tokens, figures)
    own, others = decide_counting_columns(columns, ranked=ranked, tokens=tokens)
    levels = tuple(level for level in EvidenceLevel if level in ranked)
    return RobustBaselines(tokens, figures, levels, own, others)


def task_categories(columns: MetricColumns) -> Ints:
    """The category's code of every task, -1 for none; the first by name where rows differ."""
    many = len(columns.categories)
    found = np.full(len(columns.tasks), many, np.int64)
    known = columns.category >= 0
    np.minimum.at(found, columns.task[known], columns.category[known].astype(np.int64))
    return np.where(found == many, -1, found)


def _counts(columns: MetricColumns) -> Mask:
    failed = columns.outcome == STATUSES.index(Status.INFRA_ERROR)
    counts: Mask = ~columns.quarantined & ~failed & ~columns.is_faulty
    return counts


def _classic_values(columns: MetricColumns, name: Figure) -> Floats:
    values = columns.figure(name, tokens="total")
    if name == "iterations":
        return np.where(np.isnan(values), 1.0, values)
    if name in {"seconds", "cost"}:
        return np.where(values > 0, values, np.nan)
    return values


def _spread(name: Figure, found: SortedGroups, is_default: Mask) -> SpreadColumns:
    instead = default_spread(name)
    is_empty = is_default | (found.count == 0)
    has_quartiles = ~is_default & (found.count > 1)
    return SpreadColumns(
        n=np.where(is_empty, 0, found.count),
        minimum=np.where(is_empty, instead.minimum, found.minimum),
        q25=np.where(has_quartiles, found.quartile(1), np.nan),
        median=np.where(is_empty, instead.median, found.median),
        q75=np.where(has_quartiles, found.quartile(3), np.nan),
        maximum=np.where(is_empty, instead.maximum, found.maximum),
    )


def _used_values(task: NDArray[np.int32], values: Floats, tasks: int) -> SortedGroups:
    """The figures of the first 20, 40, 80 … rows of every task that have one above 0."""
    has = values > 0
    task, values = task[has], values[has]
    count = np.bincount(task, minlength=tasks)
    start = np.cumsum(count) - count
    place = np.arange(len(task)) - start[task]
    is_used = place < rows_used_of(count)[task]
    return RowGroups.of(task[is_used], tasks).sorted_values(values[is_used])


def rows_used_of(count: Ints) -> Ints:
    """As ``rows_used``, for every task."""
    return np.where(count < ROBUST_STEP, count, largest_doublings(count, ROBUST_STEP))


def _end_columns(name: Figure, used: SortedGroups, category: Ints) -> EndColumns:
    n = used.count
    low, high = np.log(used.quantile(LOW)), np.log(used.quantile(HIGH))
    has_reached = n >= ROBUST_STEP
    prior_low, prior_high = _priors(name, low, high, has_reached, category)
    weight = n / (n + PRIOR_ROWS)
    rest = 1 - weight
    leant = [
        np.where(n == 0, prior, np.where(has_reached, own, weight * own + rest * prior))
        for own, prior in ((low, prior_low), (high, prior_high))
    ]
    return EndColumns(n=n, ln_q10=leant[0], ln_q90=leant[1])


def _priors(
    name: Figure, low: Floats, high: Floats, has_reached: Mask, category: Ints
) -> tuple[Floats, Floats]:
    """Every task's prior: medians over its category's tasks that have reached 20 rows."""
    default = default_prior(name)
    found = np.full(len(low), default.ln_q10), np.full(len(low), default.ln_q90)
    for number in np.unique(category[has_reached & (category >= 0)]):
        is_own = category == number
        reached = is_own & has_reached
        found[0][is_own] = np.median(low[reached])
        found[1][is_own] = np.median(high[reached])
    return found
