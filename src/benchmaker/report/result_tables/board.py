"""The table of an agentic board: a row for each system, or what else the board ranks."""

from benchmaker.analysis.boards.board import RATES, SCORES, BoardRow
from benchmaker.arenas.agentic.settling.stored_boards import Board
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import (
    VALUE_NAMES,
    evidence_mark,
    figure_interval,
    has_ranks,
    rank_of,
    score_of,
)
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration
from benchmaker.report.tables.table import SCALE

(
    _REASON, _ABSENT, _STAND_INS, _FLAGGED, _TASKS, _PERCENTILE, _ATTEMPTS, _EVIDENCE, _COST,
) = range(1, 10)  # fmt: skip
"""What gives way first on a narrow terminal."""


def _level(board: Board) -> str:
    return f"{100 * board.leaderboard.level:g}% CI"


def _unit(board: Board) -> str:
    return SCALE if board.key.value in (*SCORES, *RATES) else ""


def _percentile(row: BoardRow) -> str:
    return missing_figures.NOT_RANKED if row.percentile is None else f"{row.percentile:.1f}"


def _mean_cost(row: BoardRow) -> str:
    return missing_figures.NOT_KNOWN if row.mean_cost is None else numbers.money(row.mean_cost)


def _without_result(row: BoardRow) -> str:
    return f"{row.without_result:,} of {row.registered:,}" if row.registered else ""


def _has_column(board: Board, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    """Pages draw the interval beside the score, and mark rows without a result at their name."""
    return surface is not Surface.PAGE


def _has_costs(board: Board, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return board.key.value != "dollars" and any(row.costs for row in board.rows)


def _has_stand_ins(board: Board, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    return any(row.stood_in for row in board.rows)


BOARD: TableDeclaration[Board, BoardRow] = TableDeclaration(
    "leaderboard",
    (
        TableColumn(
            name="system",
            title=lambda board: board.key.by.capitalize(),
            text=lambda row, _: name(row.system),
            is_right=False,
            shown_after="rank",
        ),
        TableColumn(name="tool"),
        TableColumn(name="model"),
        TableColumn(name="effort"),
        TableColumn(
            name="rank",
            title="Rank",
            unit=lambda board: _level(board) if has_ranks(board) else "",
            text=lambda row, _: rank_of(row),
        ),
        TableColumn(name="rank_interval", keys=("rank_low", "rank_high")),
        TableColumn(
            name="percentile",
            title="Percentile",
            text=lambda row, _: _percentile(row),
            shown_after="tasks",
            gives_way=_PERCENTILE,
        ),
        TableColumn(
            name="score",
            title=lambda board: VALUE_NAMES[board.key.value],
            unit=_unit,
            text=lambda row, board: score_of(row, board.key.value),
        ),
        TableColumn(
            name="interval",
            keys=("low", "high"),
            value=lambda row, _: (row.low, row.high),
            title=_level,
            text=lambda row, board: figure_interval(board.key.value, row.low, row.high),
            beside="score",
            is_shown=_has_column,
        ),
        TableColumn(name="se"),
        TableColumn(
            name="n",
            title="n of\nattempts",
            text=lambda row, _: f"{row.n:,} of {row.attempts:,}",
            gives_way=_ATTEMPTS,
        ),
        TableColumn(
            name="mean_cost",
            title="Mean\ncost",
            text=lambda row, _: _mean_cost(row),
            help="The mean cost of a submission; that of an agent trial is of its last try, "
            "without earlier tries.",
            is_shown=_has_costs,
            gives_way=_COST,
        ),
        TableColumn(name="costs"),
        TableColumn(
            name="tasks",
            title="Tasks",
            text=lambda row, _: f"{row.tasks:,}",
            shown_after="evidence_level",
            gives_way=_TASKS,
        ),
        TableColumn(name="evaluated"),
        TableColumn(name="attempts"),
        TableColumn(
            name="evidence_level",
            title="Evidence",
            text=lambda row, _: evidence_mark(row),
            is_right=False,
            gives_way=_EVIDENCE,
            folds_names=True,
        ),
        TableColumn(name="isolation"),
        TableColumn(name="hollow"),
        TableColumn(name="provisional"),
        TableColumn(
            name="flagged",
            title="Flagged",
            text=lambda row, _: f"{row.flagged:,}",
            gives_way=lambda board: 0 if any(row.flagged for row in board.rows) else _FLAGGED,
        ),
        TableColumn(
            name="stood_in",
            title="Stand-ins",
            text=lambda row, _: f"{row.stood_in:,}",
            is_shown=_has_stand_ins,
            gives_way=_STAND_INS,
        ),
        TableColumn(
            name="reason",
            title="Why unranked",
            text=lambda row, _: row.reason,
            is_right=False,
            shown_after="without_result",
            gives_way=_REASON,
        ),
        TableColumn(name="registered"),
        TableColumn(
            name="without_result",
            title="No result,\nof registered",
            text=lambda row, _: _without_result(row),
            is_shown=_has_column,
            gives_way=_ABSENT,
        ),
        TableColumn(name="score_high"),
        TableColumn(name="lacking"),
    ),
    rows=lambda board: board.rows,
)
"""Ranks with intervals, the figure that the board goes by, and the evidence behind it."""
