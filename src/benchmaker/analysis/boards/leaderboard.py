"""Boards: systems in the order of a score, with ranks that the data can carry."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import (
    VALUES,
    BoardRow,
    Leaderboard,
    Rules,
    Unit,
    Where,
    is_higher_better,
)
from benchmaker.analysis.boards.board_lines import (
    BoardData,
    BoardLines,
    FlaggedRows,
    board_costs,
    board_highs,
    board_lacking,
    board_stand_ins,
    board_values,
)
from benchmaker.analysis.boards.board_notes import (
    counting_notes,
    lacking_notes,
    stand_in_notes,
    unlinked_note,
)
from benchmaker.analysis.boards.system_task_means import Cells, cells
from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.analysis.composite.row_groups import RowGroups
from benchmaker.errors import SpecError
from benchmaker.record.counts import count
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

__all__ = [
    "VALUES",
    "BoardRow",
    "Boards",
    "Leaderboard",
    "Rules",
    "Unit",
    "Where",
    "leaderboard",
]


def leaderboard(
    columns: MetricColumns,
    composites: CompositeColumns,
    *,
    value: str = "overall",
    unit: Unit = "system",
    where: Where | None = None,
    rules: Rules | None = None,
) -> Leaderboard:
    """Make one board.

    Quarantined submissions are excluded and counted. Rank intervals are based on differences that
    vary over tasks, or over attempts if there is a single task. The order of the rows does not
    matter.

    Args:
        columns: the submissions.
        composites: of the same rows.
        value: one of ``VALUES``.
        unit: the ranked unit.
        where: the selected submissions.
        rules: the rules of the board.

    Raises:
        SpecError: an unknown value, or composites of other rows.
    """
    made = Boards.of(columns, composites, value=value, unit=unit, rules=rules or Rules())
    return made.board((where or Where()).rows(columns))


def ranks_of(
    columns: MetricColumns, composites: CompositeColumns, *, rules: Rules
) -> dict[str, int]:
    """Return the rank of each ranked system by overall score, as in :func:`leaderboard`.

    Skips the intervals, which take most of a board's time.
    """
    return Boards.of(columns, composites, rules=rules).ranks(Where().rows(columns))


@dataclass(frozen=True, slots=True, eq=False)
class Boards(BoardData):
    """Shared data of all boards of one value and unit, for many boards of the same rows."""

    @classmethod
    def of(
        cls,
        columns: MetricColumns,
        composites: CompositeColumns,
        *,
        value: str = "overall",
        unit: Unit = "system",
        rules: Rules,
        flagged: FlaggedRows | None = None,
    ) -> "Boards":
        """Check the arguments and compute the values; ``flagged`` are the known flagged rows."""
        if value not in VALUES:
            raise SpecError(
                f"Unknown value {value!r} to rank by.", hint=f"Use one of {', '.join(VALUES)}."
            )
        if len(columns) != len(composites):
            raise SpecError(
                f"There are {len(columns)} submissions and {len(composites)} composites."
            )
        values = board_values(columns, composites, value, rules=rules)
        highs = board_highs(composites, value)
        stood_in = board_stand_ins(columns, composites, value)
        return cls(
            columns=columns,
            composites=composites,
            values=values,
            highs=highs,
            costs=board_costs(columns, composites, rules),
            value=value,
            unit=unit,
            rules=rules,
            stood_in=stood_in,
            lacking=board_lacking(columns, values, value),
            flagged=flagged or FlaggedRows.of(columns),
        )

    def board(self, rows: Mask | Ints) -> Leaderboard:
        """The board of some rows (a mask, or row numbers)."""
        chosen: Ints = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64)
        kept, solid, hollow = self._split_by_evidence(chosen)
        lines = self._lines(solid, is_hollow=False)
        made, method = lines.build() if len(solid) else ([], "")
        below = self._lines(hollow, is_hollow=True).build()[0] if len(hollow) else []
        return self._leaderboard(chosen, kept, (*made, *below), method, lines)

    def boards_by_label(self, label: str) -> Iterator[tuple[str, Leaderboard]]:
        """A board for every task, category, difficulty, tool, model, effort or submitter."""
        codes, names = getattr(self.columns, label), self.columns.names(label)
        known = np.flatnonzero(codes >= 0)
        by_name = RowGroups.of(codes, len(names), rows=known)
        for name, start, size in zip(names, by_name.start, by_name.count, strict=True):
            yield name, self.board(by_name.order[start : start + size])

    def ranks(self, rows: Mask) -> dict[str, int]:
        """The ranks on the board of some rows, by name."""
        _, solid, _ = self._split_by_evidence(np.flatnonzero(rows))
        lines = BoardLines(self, solid, self._cells(solid, self.values), is_hollow=False)
        names = self.columns.names(self.unit)
        return {names[unit]: rank for unit, rank in lines.ranks().items()}

    def _split_by_evidence(self, chosen: Ints) -> tuple[Ints, Ints, Ints]:
        """Rows that are not in quarantine: all, those whose evidence is ranked, and the others."""
        kept = chosen[~self.columns.quarantined[chosen]]
        is_ranked = np.array([level in self.rules.evidence for level in EVIDENCE_LEVELS])
        has_rank = is_ranked[self.columns.evidence[kept]]
        return kept, kept[has_rank], kept[~has_rank]

    def _lines(self, rows: Ints, *, is_hollow: bool) -> BoardLines:
        high = None if self.highs is None else self._cells(rows, self.highs)
        table = self._cells(rows, self.values)
        return BoardLines(self, rows, table, high_table=high, is_hollow=is_hollow)

    def _cells(self, rows: Ints, values: Floats) -> Cells:
        return cells(
            self.columns,
            values,
            getattr(self.columns, self.unit),
            rows=rows,
            policy=self.rules.policy,
            higher_is_better=is_higher_better(self.value),
        )

    def _leaderboard(
        self, rows: Ints, kept: Ints, lines: tuple[BoardRow, ...], method: str, ranked: BoardLines
    ) -> Leaderboard:
        no_result = self.flagged.without_result
        return Leaderboard(
            rows=lines,
            value=self.value,
            unit=self.unit,
            family=self.composites.family,
            higher_is_better=is_higher_better(self.value),
            policy=self.rules.policy,
            evidence=self.rules.evidence,
            provisional=ranked.too_few,
            level=self.rules.level,
            method=method,
            submissions=int((~no_result[rows]).sum()),
            not_evaluated=int((np.isnan(self.values[kept]) & ~no_result[kept]).sum()),
            quarantined=len(rows) - len(kept),
            tasks=self._tasks(kept),
            notes=(
                *_notes(ranked),
                *lacking_notes(self, lines),
                *stand_in_notes(self, kept),
                *counting_notes(self, kept),
            ),
        )

    def _tasks(self, rows: Ints) -> int:
        evaluated = rows[~np.isnan(self.values[rows])]
        counts = np.bincount(self.columns.task[evaluated], minlength=len(self.columns.tasks))
        return int((counts > 0).sum())


def _notes(lines: BoardLines) -> tuple[str, ...]:
    boards, found = lines.boards, []
    if lines.too_few:
        found.append(_provisional_note(lines))
    if boards.composites.family == "classic":
        found.append("classic baselines include self-reported submissions")
    if unlinked := lines.unlinked_names:
        found.append(unlinked_note(unlinked, boards))
    return tuple(found)


def _provisional_note(lines: BoardLines) -> str:
    enough, least = len(lines.eligible_units), lines.boards.rules.least_systems
    linked = "" if len(lines.scored_units) < least else " that share tasks"
    return (
        f"provisional: {count(enough, 'system')} with enough submissions{linked}, at least "
        f"{least} are needed"
    )
