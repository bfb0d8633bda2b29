"""The matrix of a run: score and cost of every setup by two dimensions, with margins."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmaker.analysis.columns import HasColumns, Scored
from benchmaker.analysis.comparison.case_costs import case_cost, cost_table
from benchmaker.analysis.comparison.comparison import read_scores
from benchmaker.analysis.comparison.pairing import CaseTable, case_table
from benchmaker.analysis.comparison.pairs import mean_of
from benchmaker.analysis.early_ends import left_out_of
from benchmaker.analysis.effects.dimensions import (
    DIMENSIONS,
    Dimension,
    SetupLevels,
    levels_in,
    setup_levels,
    varied_dimensions,
)
from benchmaker.analysis.metric import FigureName
from benchmaker.documents import Document
from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns

ALL: Final = ""
"""The level of a margin: all levels of the dimension together."""


@dataclass(frozen=True, slots=True)
class MatrixCell(Document):
    """One setup, or the mean over several in a margin; scores from 0 to 1, dollars per case.

    ``block``, ``row`` and ``column`` are levels, empty where the cell is over all of them, and
    ``block`` where there are no blocks. A margin is over the ``n_cases`` that are scored for all of
    its ``setups``; setups that were dropped or stopped in a run count in none with other setups.
    """

    block: str
    row: str
    column: str
    setups: tuple[str, ...]
    mean: float | None
    low: float | None
    high: float | None
    n_cases: int
    cost_usd: float | None
    cost_low: float | None
    cost_high: float | None


@dataclass(frozen=True, slots=True)
class Matrix(Document, scale="0-1"):
    """Cells by block, row and column, the margins last in each row and each block.

    ``rows`` and ``columns`` are the levels of ``row_dimension`` and ``column_dimension``;
    ``blocks`` those of the effort where model, prompt and effort all vary, else one empty level.
    """

    row_dimension: Dimension
    column_dimension: Dimension
    block_dimension: Dimension | None
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    blocks: tuple[str, ...]
    cells: tuple[MatrixCell, ...]
    figure: FigureName
    level: float

    def cell(self, block: str, row: str, column: str) -> MatrixCell | None:
        """The cell of three levels; None for a combination that did not run."""
        places = ((it.block, it.row, it.column) for it in self.cells)
        found = (
            it for it, at in zip(self.cells, places, strict=True) if at == (block, row, column)
        )
        return next(found, None)


def setup_matrix(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    runs: Sequence[Run] = (),
    *,
    level: float = 0.95,
    metric: str | None = None,
) -> Matrix | None:
    """Return scores and costs by prompt and model, by effort and model, or by prompt and effort.

    With all three dimensions there is a block of prompts × models for each effort.

    Args:
        columns: the scores: columns, results of runs, or trials.
        runs: the records of the same runs, which name the setups; results include their own.
        level: of the intervals.
        metric: ``mean``, ``strict``, or the name of a metric of checks; None for the suite's
            metric.

    Returns:
        None where fewer than two dimensions have several levels.

    Raises:
        NotComparable: the runs do not share suite and profile.
    """
    read = read_scores(columns, runs, metric=metric)
    table = case_table(read.columns)
    levels = setup_levels(read.runs, table.models)
    varied = varied_dimensions(levels)
    if len(varied) < 2:  # noqa: PLR2004  rows and columns
        return None
    column, row, *rest = _order(varied)
    block = rest[0] if rest else None
    scored = [name for name in table.models if len(table.cases_of(name))]
    ended = frozenset(left_out_of(scored, read.ends))
    source = _Cells(table, cost_table(read.columns), levels, level, row, column, block, ended)
    return Matrix(
        row_dimension=row,
        column_dimension=column,
        block_dimension=block,
        rows=levels_in(levels, row),
        columns=levels_in(levels, column),
        blocks=levels_in(levels, block) if block else (ALL,),
        cells=tuple(source.cells()),
        figure=read.figure,
        level=level,
    )


def _order(varied: Sequence[Dimension]) -> list[Dimension]:
    """The dimensions of columns, rows and blocks: models are columns, else efforts."""
    if "model" in varied:
        return [it for it in DIMENSIONS if it in varied]
    return ["effort", "prompt"]


@dataclass(frozen=True, slots=True)
class _Cells:
    """The setups of each cell with their scores and costs; ``ended`` ones count in no margin."""

    table: CaseTable
    costs: CaseTable
    levels: SetupLevels
    level: float
    row: Dimension
    column: Dimension
    block: Dimension | None
    ended: frozenset[str]

    def cells(self) -> Iterator[MatrixCell]:
        """Every cell that has a setup."""
        blocks = levels_in(self.levels, self.block) if self.block else (ALL,)
        for block in blocks:
            for row in (*levels_in(self.levels, self.row), ALL):
                for column in (*levels_in(self.levels, self.column), ALL):
                    if setups := self._setups(block, row, column):
                        yield self._cell(block, row, column, setups)

    def _setups(self, block: str, row: str, column: str) -> list[str]:
        wanted = ((self.block, block), (self.row, row), (self.column, column))
        found = [
            name
            for name, own in self.levels.items()
            if all(not level or own.level(it) == level for it, level in wanted if it)
        ]
        return [name for name in found if name not in self.ended] or found

    def _cell(self, block: str, row: str, column: str, setups: list[str]) -> MatrixCell:
        common = self.table.select_models(setups).common_cases()
        cost = case_cost(self.costs, setups, self.level)
        mean = mean_of(_average(common), self.level) if len(common) else None
        return MatrixCell(
            block=block,
            row=row,
            column=column,
            setups=tuple(setups),
            mean=mean.mean if mean else None,
            low=mean.low if mean else None,
            high=mean.high if mean else None,
            n_cases=len(common),
            cost_usd=cost.usd,
            cost_low=cost.low,
            cost_high=cost.high,
        )


def _average(common: CaseTable) -> CaseTable:
    """One column with the mean of all."""
    means = common.scores.mean(axis=1, keepdims=True)
    return CaseTable(common.models[:1], means, common.weights, common.cluster)
