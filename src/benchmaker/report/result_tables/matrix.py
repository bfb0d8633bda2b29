"""The matrix of a run: a cell for each setup, drawn as a grid, and as a list in files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmaker.analysis.effects.matrix import ALL, Matrix, MatrixCell
from benchmaker.report.result_tables.comparisons import difference_interval
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.outcomes import NOT_RUN
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration
from benchmaker.report.tables.table import Table
from benchmaker.report.tables.width import cell_width, fold_name

_NAME = 10
"""The width to which the names of rows are folded at most."""

_GAP = 2
"""Columns between two cells."""


def _level_text(level: str, dimension: str) -> str:
    return name(level) if level else f"all {dimension}s"


MATRIX: TableDeclaration[Matrix, MatrixCell] = TableDeclaration(
    "matrix",
    (
        TableColumn(
            name="block",
            title=lambda made: (made.block_dimension or "").capitalize(),
            text=lambda cell, made: _level_text(cell.block, made.block_dimension or ""),
            is_right=False,
            is_shown=lambda made, _: made.block_dimension is not None,
        ),
        TableColumn(name="row_dimension", value=lambda _, made: made.row_dimension),
        TableColumn(
            name="row",
            title=lambda made: made.row_dimension.capitalize(),
            text=lambda cell, made: _level_text(cell.row, made.row_dimension),
            is_right=False,
        ),
        TableColumn(name="column_dimension", value=lambda _, made: made.column_dimension),
        TableColumn(
            name="column",
            title=lambda made: made.column_dimension.capitalize(),
            text=lambda cell, made: _level_text(cell.column, made.column_dimension),
            is_right=False,
        ),
        TableColumn(name="setups"),
        TableColumn(name="figure", value=lambda _, made: made.figure),
        TableColumn(
            name="mean",
            title=lambda made: WORDS[made.figure].head,
            unit=lambda made: WORDS[made.figure].unit,
            text=lambda cell, made: figure_text(cell.mean, made.figure),
            is_wide=False,
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda cell, _: (cell.low, cell.high),
            title=lambda made: f"{100 * made.level:g}% CI",
            unit="cases",
            text=lambda cell, _: difference_interval(cell.low, cell.high),
            beside="mean",
        ),
        TableColumn(
            name="n_cases", title="Cases", text=lambda cell, _: f"{cell.n_cases:,}", gives_way=True
        ),
        TableColumn(
            name="cost_usd",
            title="Cost\nper case",
            text=lambda cell, _: missing_figures.optional_money(cell.cost_usd),
        ),
        TableColumn(
            name="cost_interval",
            keys=("cost_low", "cost_high"),
            value=lambda cell, _: (cell.cost_low, cell.cost_high),
        ),
    ),
    rows=lambda made: made.cells,
)
"""A row for each cell and margin, with every figure."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A row of the grid: the cells of one level, the margin last."""

    block: str
    row: str
    cells: tuple[MatrixCell | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """The levels; its figures are those of :data:`MATRIX`."""
        return {"block": self.block, "row": self.row}


def grid_declaration(made: Matrix, block: str = ALL) -> TableDeclaration[Matrix, MatrixRow]:
    """Declare the grid of a block: a column for each level, the margin last.

    A cell has three lines: the figure, its interval, and the cost of a case where costs are known.
    """
    has_costs = any(cell.cost_usd is not None for cell in made.cells)

    def column_of(at: int, level: str) -> TableColumn[Matrix, MatrixRow]:
        return TableColumn(
            name=f"column_{at}",
            title=_level_text(level, made.column_dimension),
            text=lambda row, of: _cell_text(row.cells[at], of, has_cost=has_costs),
        )

    return TableDeclaration(
        "matrix_grid",
        (
            TableColumn(
                name="row",
                title=made.row_dimension.capitalize(),
                text=lambda row, of: _level_text(row.row, of.row_dimension),
                is_right=False,
            ),
            *(column_of(at, level) for at, level in enumerate((*made.columns, ALL))),
        ),
        rows=lambda of: [
            MatrixRow(
                block, row, tuple(of.cell(block, row, column) for column in (*of.columns, ALL))
            )
            for row in (*of.rows, ALL)
        ],
    )


def _cell_text(cell: MatrixCell | None, made: Matrix, *, has_cost: bool) -> str:
    if cell is None:
        return NOT_RUN
    lines = [figure_text(cell.mean, made.figure)]
    if cell.mean is not None:
        lines.append(difference_interval(cell.low, cell.high))
    if has_cost:
        lines.append(missing_figures.optional_money(cell.cost_usd))
    return "\n".join(lines)


def grid_tables(
    made: Matrix, surface: Surface = Surface.TERMINAL, *, is_transposed: bool = False
) -> list[Table]:
    """The grid, one for each block, with its caption; cells have several lines."""
    grid = transpose(made) if is_transposed else made
    return [
        replace(
            grid_declaration(grid, block).table(grid, surface), caption=grid_caption(made, block)
        )
        for block in made.blocks
    ]


def fitting_tables(made: Matrix, width: int) -> list[Table]:
    """The grids of a terminal with the same captions at every width.

    Rows and columns are swapped, then names are folded, where only that fits; else it is a list.
    """
    choices = [grid_tables(made, is_transposed=is_transposed) for is_transposed in (False, True)]
    folded = [[_fold_names(one, width) for one in tables] for tables in choices]
    for tables in (*choices, *folded):
        if all(_width(table) <= width for table in tables):
            return tables
    return [replace(MATRIX.table(made), caption=grid_caption(made, ALL))]


def _fold_names(table: Table, width: int) -> Table:
    """The grid with its heads folded to the width of their figures, the row names to the rest."""
    cells = zip(*table.rows, strict=True)
    next(cells)
    widths = [_longest(column) for column in cells]
    heads = [
        replace(column, head=fold_name(column.head, most))
        for column, most in zip(table.columns[1:], widths, strict=True)
    ]
    rest = max(_NAME, width - sum(most + _GAP for most in widths))
    rows = tuple((fold_name(first, rest), *others) for first, *others in table.rows)
    return replace(table, columns=(table.columns[0], *heads), rows=rows)


def markdown_tables(made: Matrix) -> list[Table]:
    """The grids for Markdown, every cell on one line."""
    return [
        replace(
            table,
            rows=tuple(tuple(cell.replace("\n", " ") for cell in row) for row in table.rows),
        )
        for table in grid_tables(made, Surface.MARKDOWN)
    ]


def transpose(made: Matrix) -> Matrix:
    """The matrix with rows and columns swapped."""
    return replace(
        made,
        row_dimension=made.column_dimension,
        column_dimension=made.row_dimension,
        rows=made.columns,
        columns=made.rows,
        cells=tuple(replace(one, row=one.column, column=one.row) for one in made.cells),
    )


def grid_caption(made: Matrix, block: str) -> str:
    """The contents of a grid in words."""
    words = WORDS[made.figure]
    costs = ", cost per case" if any(one.cost_usd is not None for one in made.cells) else ""
    over = f" at effort {name(block)}" if block else ""
    scale = f" ({words.unit})" if words.unit else ""
    return (
        f"{made.row_dimension.capitalize()} by {made.column_dimension}{over}: "
        f"{words.noun}{scale}, {100 * made.level:g}% CI{costs}"
    )


def _width(table: Table) -> int:
    """The columns of a terminal that a table takes in full."""
    heads = [column.lines for column in table.columns]
    every = list(zip(heads, *table.rows, strict=True))
    return sum(map(_longest, every)) + _GAP * (len(every) - 1)


def _longest(cells: Sequence[str]) -> int:
    """The columns that the longest line of some cells takes."""
    return max(cell_width(line) for cell in cells for line in cell.split("\n"))
