"""A board as text, Markdown, CSV and HTML."""

from dataclasses import replace
from typing import TextIO

from benchmaker.analysis.boards.board import RATES, SCORES, BoardRow
from benchmaker.arenas.agentic.settling.stored_boards import Board
from benchmaker.record.counts import count
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.board import BOARD
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import (
    POLICY_WORDS,
    VALUE_NAMES,
    board_figure_text,
    exclusion_notes,
    has_ranks,
    levels,
)
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Table


def board_report(board: Board) -> ReportDocument:
    """Return the leader, the table with ranks and intervals, and the exclusions."""
    return replace(board_sentences(board), sections=(_section(board),))


def board_sentences(board: Board) -> ReportDocument:
    """Return only the sentences, for callers that draw the table themselves."""
    made = board.leaderboard
    return ReportDocument(
        title=_title(board),
        facts=(
            board.profile,
            count(made.submissions, "submission"),
            count(made.tasks, "scored task" if made.not_evaluated else "task"),
        ),
        verdict=tuple(_verdict(board)),
        notes=(*_sentences(board), *exclusion_notes(board)),
        legend=tuple(_legend(board)),
    )


def write_board_csv(board: Board, stream: TextIO) -> None:
    """A row for each line of the board with every figure in full."""
    BOARD.write_csv(board, stream)


def _title(board: Board) -> str:
    of = VALUE_NAMES[board.key.value]
    where = ", ".join(f"{label} {value}" for label, value in board.key.where)
    window = "" if board.key.window == "all" else f", last {board.key.window}"
    return f"{of} by {board.key.by}{f', {where}' if where else ''}{window}"


def _verdict(board: Board) -> list[str]:
    first = [row for row in board.rows if row.rank == 1]
    if not board.leaderboard.submissions:
        return ["No submissions."]
    if not first:
        return [] if board.leaderboard.provisional else ["No row is ranked."]
    near = [row for row in board.rows if row.rank_interval and row.rank_interval[0] == 1]
    return [_leaders(board, first, near), *_costs(first, board)]


def _leaders(board: Board, first: list[BoardRow], near: list[BoardRow]) -> str:
    names = " and ".join(name(row.system) for row in first)
    verb = "share" if len(first) > 1 else "has"
    figure = board_figure_text(board.key.value, first[0].score)
    best = "best" if board.leaderboard.higher_is_better else "lowest"
    head = f"{names} {verb} the {best} {_noun(board)}, {figure}{_lead(board, first)}"
    if len(near) == 1:
        return f"{head}, significantly ahead of all others."
    return f"{head}; the rank intervals of {len(near)} rows include 1."


def _lead(board: Board, first: list[BoardRow]) -> str:
    """How far the first are ahead of the next ranked row."""
    after = next((row for row in board.rows if row.rank and row.rank > 1), None)
    if after is None or after.score is None or first[0].score is None:
        return ""
    value, by = board.key.value, abs(first[0].score - after.score)
    side = "above" if board.leaderboard.higher_is_better else "below"
    unit = " points" if value in (*SCORES, *RATES) else ""
    return f" ({board_figure_text(value, by)}{unit} {side} {name(after.system)})"


def _costs(first: list[BoardRow], board: Board) -> list[str]:
    """The mean cost of the first and the next row; nothing on a board by cost."""
    if board.key.value == "dollars" or not any(row.costs for row in board.rows):
        return []
    after = [row for row in board.rows if row.rank and row.rank > 1][:1]
    shown = [f"{_cost(row)} ({name(row.system)})" for row in (*first, *after)]
    if not any(row.costs for row in (*first, *after)):
        shown = [missing_figures.NOT_KNOWN]
    return [f"Mean cost per submission: {', '.join(shown)}."]


def _cost(row: BoardRow) -> str:
    return missing_figures.NOT_KNOWN if row.mean_cost is None else numbers.money(row.mean_cost)


def _noun(board: Board) -> str:
    return VALUE_NAMES[board.key.value].lower()


def _section(board: Board) -> Section:
    axis = _axis(board)
    drawn = tuple(_plot(row, axis) for row in board.rows) if axis else ()
    return Section(
        _without_empty(BOARD.table(board)),
        plots=drawn,
        axis=plots.axis_svg(axis) if axis else "",
    )


def _without_empty(table: Table) -> Table:
    """The table without the columns that may give way and say nothing in any row."""
    kept = [
        at
        for at, column in enumerate(table.columns)
        if not column.gives_way
        or any(row[at] not in {"", "0", *missing_figures.ABSENT} for row in table.rows)
    ]
    return Table(
        tuple(table.columns[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in table.rows),
    )


def _axis(board: Board) -> plots.Axis | None:
    values = [
        number
        for row in board.rows
        for number in (row.score, row.low, row.high)
        if number is not None
    ]
    return plots.axis_over(values) if values else None


def _plot(row: BoardRow, axis: plots.Axis) -> str:
    solid = not row.hollow and row.low is not None and row.high is not None
    ends = (row.low or 0.0, row.high or 0.0) if solid else None
    return plots.range_svg(axis, row.score, ends, "m1" if row.rank is not None else "mx")


def _sentences(board: Board) -> list[str]:
    return [sanitise(f"{capitalise(text)}.") for text in board.leaderboard.notes]


def _legend(board: Board) -> list[str]:
    made = board.leaderboard
    ranks = f"Rank: place and its {100 * made.level:g}% CI; equal scores share a place."
    said = [
        ranks if has_ranks(board) else "",
        f"Method: {made.method}." if made.method else "",
        f"Policy {made.policy}: {POLICY_WORDS[made.policy]}. The score is the mean over tasks.",
        f"Ranked evidence: {levels(made.evidence)}.",
    ]
    if any(row.hollow for row in board.rows):
        said.append("○: listed without a rank because of weaker evidence.")
    if board.key.value == "resolved":
        said.append("A submission without a verdict counts as failed.")
    return [text for text in said if text]
