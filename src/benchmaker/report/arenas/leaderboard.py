"""A board as text, Markdown, CSV and HTML."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TextIO

from benchmaker.analysis.boards.board import RATES, SCORES, BoardRow
from benchmaker.arenas.agentic.settling.stored_boards import Board
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import (
    POLICY_WORDS,
    VALUE_NAMES,
    evidence_mark,
    exclusion_notes,
    figure_interval,
    has_ranks,
    levels,
    rank_heading,
    rank_of,
    score_of,
)
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, write_rows

CSV_COLUMNS: Final = (
    "system", "tool", "model", "effort", "rank", "rank_low", "rank_high", "percentile", "score",
    "low", "high", "se", "n", "tasks", "evaluated", "attempts", "evidence_level", "isolation",
    "hollow", "provisional", "flagged", "stood_in", "reason", "registered", "without_result",
    "score_high", "lacking",
)  # fmt: skip


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
            numbers.count(made.submissions, "submission"),
            f"{made.tasks:,} tasks" if made.tasks != 1 else "1 task",
        ),
        verdict=tuple(_verdict(board)),
        notes=(*_sentences(board), *exclusion_notes(board), *_legend(board)),
    )


def write_board_csv(board: Board, stream: TextIO) -> None:
    """A row for each line of the board with every figure in full."""
    write_rows(stream, CSV_COLUMNS, (_csv_row(row) for row in board.rows))


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
    near = [
        row
        for row in board.rows
        if row.rank is not None and row.rank_interval and row.rank_interval[0] == 1
    ]
    names = " and ".join(name(row.system) for row in first)
    if len(near) == 1:
        return [f"{names} comes first, clearly ahead of every other."]
    verb = "share" if len(first) > 1 else "has"
    best = "best score" if board.leaderboard.higher_is_better else f"lowest {_noun(board)}"
    return [f"{names} {verb} the {best}; {len(near)} rows may be first by their intervals."]


def _noun(board: Board) -> str:
    return VALUE_NAMES[board.key.value].lower()


def _section(board: Board) -> Section:
    value, level = board.key.value, f"{100 * board.leaderboard.level:g}% CI"
    columns = (
        Column(rank_heading(board)),
        Column(board.key.by.capitalize(), is_right=False),
        Column(VALUE_NAMES[value] + ("\n0-100" if value in (*SCORES, *RATES) else "")),
        Column(level),
        Column("n of\nattempts"),
        Column("Evidence", is_right=False),
        Column("Tasks", gives_way=True),
        Column("Percentile", gives_way=True),
        Column("Flagged", gives_way=True),
        Column("Stand-ins", gives_way=True),
        Column("No result,\nof registered", gives_way=True),
        Column("Why unranked", is_right=False, gives_way=True),
    )
    rows = tuple(_row(row, value) for row in board.rows)
    axis = _axis(board)
    drawn = tuple(_plot(row, axis) for row in board.rows) if axis else ()
    return Section(
        _without_empty(columns, rows),
        plots=drawn,
        axis=plots.axis_svg(axis) if axis else "",
    )


def _without_empty(columns: Sequence[Column], rows: Sequence[tuple[str, ...]]) -> Table:
    """Columns that give way go where no row says anything in them."""
    kept = [
        at
        for at, column in enumerate(columns)
        if not column.gives_way
        or any(row[at] not in {"", "0", *missing_figures.ABSENT} for row in rows)
    ]
    return Table(
        tuple(columns[at] for at in kept), tuple(tuple(r[at] for at in kept) for r in rows)
    )


def _row(row: BoardRow, value: str) -> tuple[str, ...]:
    return (
        rank_of(row),
        name(row.system),
        score_of(row, value),
        figure_interval(value, row.low, row.high),
        f"{row.n:,} of {row.attempts:,}",
        evidence_mark(row),
        f"{row.tasks:,}",
        missing_figures.NOT_RANKED if row.percentile is None else f"{row.percentile:.1f}",
        f"{row.flagged:,}",
        f"{row.stood_in:,}",
        f"{row.without_result:,} of {row.registered:,}" if row.registered else "",
        row.reason,
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
    ranks = f"Rank: place, and {100 * made.level:g}% CI of it; equal scores share a place."
    said = [
        ranks if has_ranks(board) else "",
        f"Method: {made.method}." if made.method else "",
        f"Policy {made.policy}: {POLICY_WORDS[made.policy]}; the score is the mean over tasks.",
        f"Ranked evidence: {levels(made.evidence)}.",
    ]
    if any(row.hollow for row in board.rows):
        said.append("○ is hollow: listed, not ranked.")
    if board.key.value == "resolved":
        said.append("A submission without a verdict counts as failed, whatever the reason.")
    return [text for text in said if text]


def _csv_row(row: BoardRow) -> dict[str, Any]:
    low, high = row.rank_interval or (None, None)
    return row.to_dict() | {"rank_low": low, "rank_high": high}
