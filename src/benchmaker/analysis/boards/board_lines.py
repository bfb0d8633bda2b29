"""The lines of one board: scores, supported ranks, and further figures."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import (
    RATES,
    SCORES,
    SPAN,
    BoardRow,
    Rules,
    Unit,
    is_higher_better,
    words_for,
)
from benchmaker.analysis.boards.linked_units import largest_linked
from benchmaker.analysis.boards.system_task_means import Cells
from benchmaker.analysis.boards.unit_means import Means, intervals, means_of, upper_means
from benchmaker.analysis.composite.composite_columns import CompositeColumns, stand_ins
from benchmaker.record.counts import count
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import (
    EVIDENCE_LEVELS,
    HARMLESS,
    REGISTERED,
    STATUSES,
)
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel, Status
from benchmaker.stats.group_sums import group_sums
from benchmaker.stats.means.bounded import ends_within
from benchmaker.stats.quantiles import t_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class FlaggedRows:
    """The submissions with flags that cast doubt, with a registered attempt, and without a result.

    All boards of the same columns share them.
    """

    doubtful: Mask
    registered: Mask
    without_result: Mask

    @classmethod
    def of(cls, columns: MetricColumns) -> "FlaggedRows":
        """The flagged rows of these columns."""
        return cls(
            doubtful=columns.rows_with_flags(lambda kinds: any(it not in HARMLESS for it in kinds)),
            registered=columns.rows_with_flags(lambda kinds: REGISTERED in kinds),
            without_result=columns.without_result(),
        )


@dataclass(frozen=True, slots=True, eq=False)
class BoardData:
    """The data behind boards; ``values`` holds the value of every submission.

    ``highs`` holds the upper ends of ``values``, None if no submission has a range; ``stood_in``
    marks those with a published stand-in for a missing figure in their value, and ``lacking`` those
    without the boards' figure. ``costs`` are in dollars, NaN where unknown.
    """

    columns: MetricColumns
    composites: CompositeColumns
    values: Floats
    highs: Floats | None
    costs: Floats
    value: str
    unit: Unit
    rules: Rules
    stood_in: Mask
    lacking: Mask
    flagged: FlaggedRows


def board_values(
    columns: MetricColumns, composites: CompositeColumns, value: str, *, rules: Rules
) -> Floats:
    """Return the value of every submission on a board, NaN for none.

    ``success`` and the figures exclude infrastructure failures and refused submissions;
    ``resolved`` excludes nothing.
    """
    if value in SCORES:
        return composites.part(value)
    if value == "resolved":
        return np.where(columns.success == 1, SPAN, 0.0)
    out = columns.is_faulty | _is_broken(columns)
    if value == "success":
        found = np.where(columns.success < 0, np.nan, SPAN * columns.success)
    else:
        found = board_figure(columns, value, rules)
    return np.where(out, np.nan, found)


def board_figure(columns: MetricColumns, value: str, rules: Rules) -> Floats:
    """One of ``BOARD_FIGURES`` of every submission, NaN where it is missing."""
    read = columns.valid_figure if rules.needs_all_figures else columns.figure
    return read(BOARD_FIGURES[value], tokens=rules.tokens)


def board_costs(columns: MetricColumns, composites: CompositeColumns, rules: Rules) -> Floats:
    """The cost of every submission in dollars, NaN where unknown or without meaning."""
    return board_values(columns, composites, "dollars", rules=rules)


def board_lacking(columns: MetricColumns, values: Floats, value: str) -> Mask:
    """The submissions without the figure that a board goes by; none where it goes by a score."""
    if value not in BOARD_FIGURES:
        return np.zeros(len(columns), np.bool_)
    return np.isnan(values) & ~_is_broken(columns)


def _is_broken(columns: MetricColumns) -> Mask:
    broken: Mask = columns.outcome == STATUSES.index(Status.INFRA_ERROR)
    return broken


def board_stand_ins(columns: MetricColumns, composites: CompositeColumns, value: str) -> Mask:
    """Return a mask of submissions with a published stand-in for a figure in their value."""
    found = np.zeros(len(columns), np.bool_)
    if value in SCORES:
        for mask in stand_ins(columns, value).values():
            found |= mask
    return found & (composites.n_stood_in > 0)


def board_highs(composites: CompositeColumns, value: str) -> Floats | None:
    """The upper ends of the values on a board; None where no submission has a range."""
    return composites.upper.get(value)


class BoardLines:
    """The lines of one board for ranked or for hollow submissions.

    ``high_table`` holds the upper ends of the values in ``table``, None where no row has a range.
    """

    def __init__(
        self,
        boards: BoardData,
        rows: Ints,
        table: Cells,
        *,
        high_table: Cells | None = None,
        is_hollow: bool,
    ) -> None:
        self.boards, self.is_hollow = boards, is_hollow
        self.names = boards.columns.names(boards.unit)
        units = len(self.names)
        self.evaluated = np.bincount(table.unit, weights=table.evaluated, minlength=units)
        if boards.rules.common:
            enough = self.evaluated >= boards.rules.least_submissions
            table = _on_common_tasks(table, enough)
            high_table = None if high_table is None else _on_common_tasks(high_table, enough)
        self.table = table
        span = SPAN if boards.value in (*SCORES, *RATES) else None
        self.means: Means = means_of(table, units, span=span)
        self.errors = self.means.se
        self.highs, self.high_errors = self.means.mean, self.errors
        if high_table is not None:
            self.highs, self.high_errors = upper_means(self.means, high_table, span=span)
        self.chosen = rows

    def ranks(self) -> dict[int, int]:
        """The rank of each ranked unit, by its number."""
        return self._places(self._ranked_units())[0]

    def build(self) -> tuple[list[BoardRow], str]:
        """The lines in their order, and how their rank intervals were made.

        Equal scores are in the order of names, so that equal results of two series have one order.
        """
        ranked = self._ranked_units()
        ranks, percentiles = self._places(ranked)
        rules = self.boards.rules
        spans, method = intervals(
            self.means,
            ranked,
            highs=self.highs,
            lower_is_better=not is_higher_better(self.boards.value),
            level=rules.level,
            seed=rules.seed,
        )
        present = np.unique(self.table.unit).tolist()
        lines = {
            unit: self._line(unit, ranks.get(unit), spans.get(unit), percentiles.get(unit))
            for unit in present
        }
        sign = -1.0 if is_higher_better(self.boards.value) else 1.0

        def key(unit: int) -> tuple[bool, bool, float, str]:
            line = lines[unit]
            score = np.inf if line.score is None else sign * line.score
            is_last = bool(self.is_incomplete[unit])
            return line.rank is None, is_last, score, line.system

        return [lines[unit] for unit in sorted(present, key=key)], method

    @cached_property
    def rows(self) -> "_Rows":
        """The figures of each line besides the score."""
        return _Rows(self.boards, self.chosen, self.table)

    @cached_property
    def is_incomplete(self) -> Mask:
        """The units that lack a needed figure of the board for a part of their submissions."""
        units = len(self.names)
        if not self.boards.rules.needs_all_figures:
            return np.zeros(units, np.bool_)
        code = getattr(self.boards.columns, self.boards.unit)[self.chosen]
        lacks = code[self.boards.lacking[self.chosen] & (code >= 0)]
        return np.bincount(lacks, minlength=units) > 0

    @cached_property
    def scored_units(self) -> Ints:
        """The units with enough evaluated submissions and a score."""
        if self.is_hollow:
            return np.zeros(0, np.int64)
        has_enough = self.evaluated >= self.boards.rules.least_submissions
        return np.flatnonzero(has_enough & ~np.isnan(self.means.mean))

    @cached_property
    def linked_units(self) -> Ints:
        """The largest set of scored units that common tasks link."""
        return largest_linked(self.table, self.scored_units, many=len(self.names))

    @property
    def unlinked_names(self) -> tuple[str, ...]:
        """The names of the scored units outside this set."""
        units = np.setdiff1d(self.scored_units, self.linked_units)
        return tuple(self.names[unit] for unit in units.tolist())

    @cached_property
    def eligible_units(self) -> Ints:
        """The scored units that can be ranked; ``classic`` also ranks units without a link."""
        if self.boards.composites.family == "classic":
            return self.scored_units
        return self.linked_units

    @property
    def too_few(self) -> bool:
        """True if there are too few such units for a board: then none is ranked."""
        return len(self.eligible_units) < self.boards.rules.least_systems

    def _ranked_units(self) -> Ints:
        return (
            self.eligible_units[:0]
            if self.too_few
            else self.eligible_units[~self.is_incomplete[self.eligible_units]]
        )

    def _is_provisional(self, unit: int) -> bool:
        """True if the unit would be ranked with more submissions, or more such units."""
        if self.is_hollow or self.is_incomplete[unit]:
            return False
        is_short = self.evaluated[unit] < self.boards.rules.least_submissions
        return bool(is_short or (self.too_few and unit in self.scored_units))

    def _places(self, ranked: Ints) -> tuple[dict[int, int], dict[int, float]]:
        """Rank and mid-rank percentile among the ranked."""
        sign = 1.0 if is_higher_better(self.boards.value) else -1.0
        scores = sign * self.means.mean[ranked]
        ordered = np.sort(scores)
        below = np.searchsorted(ordered, scores, side="left")
        through = np.searchsorted(ordered, scores, side="right")
        ranks = len(ranked) - through + 1
        percentiles = 100 * (below + through) / 2 / max(len(ranked), 1)
        units = ranked.tolist()
        return (
            dict(zip(units, ranks.tolist(), strict=True)),
            dict(zip(units, percentiles.tolist(), strict=True)),
        )

    def _score_high(self, unit: int) -> float | None:
        high = float(self.highs[unit])
        return high if high > self.means.mean[unit] else None

    def _interval(self, unit: int) -> tuple[float, float]:
        """The interval of a line; around a range it reaches below one end and above the other."""
        size = int(self.means.size[unit])
        low, high = self._ends(float(self.means.mean[unit]), float(self.errors[unit]), size)
        if self._score_high(unit) is None:
            return low, high
        return low, self._ends(float(self.highs[unit]), float(self.high_errors[unit]), size)[1]

    def _ends(self, score: float, se: float, size: int) -> tuple[float, float]:
        """The ends around a number: within 0 to 100, or at least 0 for figures without an end."""
        quantile = t_quantile(size - 1, self.boards.rules.level)
        if self.boards.value in (*SCORES, *RATES):
            return ends_within(score, se, size, quantile, 0.0, SPAN)
        return max(0.0, score - quantile * se), score + quantile * se

    def _line(
        self,
        unit: int,
        rank: int | None,
        span: tuple[int, int] | None,
        percentile: float | None,
    ) -> BoardRow:
        means, rows = self.means, self.rows
        score = _number(means.mean[unit])
        se = _number(self.errors[unit]) if score is not None else None
        low, high = (None, None)
        if score is not None and se is not None:
            low, high = self._interval(unit)
        return BoardRow(
            system=self.names[unit],
            tool=rows.label("tool", unit),
            model=rows.label("model", unit),
            effort=rows.label("effort", unit),
            rank=rank,
            rank_interval=span if rank is not None else None,
            percentile=percentile,
            score=score,
            low=low,
            high=high,
            se=se,
            n=int(rows.n[unit]),
            tasks=int(means.tasks[unit]),
            evaluated=int(self.evaluated[unit]),
            attempts=int(rows.attempts[unit]),
            evidence_level=rows.weakest_evidence(unit),
            isolation=rows.isolation.get(unit, ()),
            hollow=self.is_hollow,
            provisional=self._is_provisional(unit),
            flagged=int(rows.flagged[unit]),
            stood_in=int(rows.stood_in[unit]),
            reason=self._reason(unit, rank),
            registered=int(rows.registered[unit]),
            without_result=int(rows.without_result[unit]),
            score_high=self._score_high(unit),
            lacking=int(rows.lacking[unit]),
            mean_cost=_number(rows.mean_cost[unit]),
            costs=int(rows.costs[unit]),
        )

    def _reason(self, unit: int, rank: int | None) -> str:
        if rank is not None:
            return ""
        if not self.evaluated[unit]:
            return "no evaluated submission"
        if self.is_hollow:
            level = self.rows.weakest_evidence(unit)
            return f"evidence level {str(level).replace('_', '-')} is not ranked"
        if self.is_incomplete[unit]:
            known, lacking = int(self.evaluated[unit]), int(self.rows.lacking[unit])
            words = words_for(self.boards.value)
            return f"{words} known for {known:,} of {known + lacking:,} submissions"
        return self._shortage(unit)

    def _shortage(self, unit: int) -> str:
        """Of what there is too little to rank the unit: systems, common tasks, submissions."""
        if self.evaluated[unit] >= self.boards.rules.least_submissions:
            if self.too_few and unit in self.scored_units:
                return f"provisional: {self._too_few()}"
            if unit in self.scored_units:
                return f"shares no task with the ranked {self.boards.unit}s"
            return "no task in common with all others"
        return (
            f"provisional: {count(int(self.evaluated[unit]), 'evaluated submission')}, "
            f"at least {self.boards.rules.least_submissions} are needed"
        )

    def _too_few(self) -> str:
        if len(self.scored_units) < self.boards.rules.least_systems:
            return "the board has too few systems"
        return "too few systems share tasks"


class _Rows:
    """The figures of every unit beside its score."""

    def __init__(self, boards: BoardData, rows: Ints, table: Cells) -> None:
        columns, units = boards.columns, len(boards.columns.names(boards.unit))
        self.columns = columns
        code = getattr(columns, boards.unit)
        self.chosen = rows[code[rows] >= 0]
        self.unit = code[self.chosen]
        self.units = units
        self.n = np.bincount(table.unit, weights=table.n, minlength=units)
        self.attempts = np.bincount(table.unit, weights=table.attempts, minlength=units)
        self.level = np.full(units, -1, np.int64)
        np.maximum.at(self.level, table.unit, table.weakest)
        stood_in = boards.stood_in[self.chosen]
        self.stood_in = np.bincount(self.unit[stood_in], minlength=units)
        self.lacking = self._count_by_unit(boards.lacking)
        self.flagged = self._count_by_unit(boards.flagged.doubtful)
        self.registered = self._count_by_unit(boards.flagged.registered)
        self.without_result = self._count_by_unit(boards.flagged.without_result)
        costs = boards.costs[self.chosen]
        has_cost = ~np.isnan(costs)
        self.costs = np.bincount(self.unit[has_cost], minlength=units)
        total = group_sums(costs[has_cost], self.unit[has_cost], units)
        self.mean_cost = np.where(self.costs > 0, total / np.maximum(self.costs, 1), np.nan)
        self.isolation = self._isolations()
        self.labels = {name: self._shared_codes(name) for name in ("tool", "model", "effort")}

    def weakest_evidence(self, unit: int) -> EvidenceLevel | None:
        """The weakest evidence that counts."""
        return EVIDENCE_LEVELS[self.level[unit]] if self.level[unit] >= 0 else None

    def label(self, name: str, unit: int) -> str | None:
        """The label that all submissions of the unit share, or None."""
        code = int(self.labels[name][unit])
        return None if code < 0 else self.columns.names(name)[code]

    def _count_by_unit(self, is_meant: Mask) -> Ints:
        """Return each unit's number of these rows."""
        return np.bincount(self.unit[is_meant[self.chosen]], minlength=self.units)

    def _shared_codes(self, name: str) -> Ints:
        codes = getattr(self.columns, name)[self.chosen].astype(np.int64)
        seen = _occurrence_mask(self.unit, codes + 1, self.units, len(self.columns.names(name)) + 1)
        return np.where(seen.sum(axis=1) == 1, seen.argmax(axis=1) - 1, -1)

    def _isolations(self) -> dict[int, tuple[str, ...]]:
        names = self.columns.isolations
        codes = self.columns.isolation[self.chosen]
        known = codes >= 0
        seen = _occurrence_mask(self.unit[known], codes[known], self.units, max(len(names), 1))
        return {
            unit: tuple(names[code] for code in np.flatnonzero(seen[unit]).tolist())
            for unit in np.flatnonzero(seen.any(axis=1)).tolist()
        }


def _occurrence_mask(unit: NDArray[Any], codes: NDArray[Any], units: int, names: int) -> Mask:
    """Return a units × names mask of the names that occur in each unit."""
    pair = unit.astype(np.int64) * names + codes
    seen: Mask = (np.bincount(pair, minlength=units * names) > 0).reshape(units, names)
    return seen


def _on_common_tasks(table: Cells, counts: Mask) -> Cells:
    """The cells of tasks at which every counting unit has a value."""
    known = ~np.isnan(table.value) & counts[table.unit]
    having = np.bincount(table.task[known], minlength=int(table.task.max(initial=-1)) + 1)
    return table.take((having == counts.sum())[table.task]) if len(table) else table


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
