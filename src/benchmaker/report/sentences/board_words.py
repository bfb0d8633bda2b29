"""Boards in words: their values, evidence, and exclusions."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from benchmaker.analysis.boards.board import RATES, SCORES, BoardRow
from benchmaker.analysis.boards.board_notes import MARK
from benchmaker.analysis.composite.result import WORDS, Reason
from benchmaker.arenas.agentic.settling.stored_boards import Board
from benchmaker.record.counts import count
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES, SCORED_FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers

VALUE_NAMES: Final[Mapping[str, str]] = {
    "overall": "Composite",
    "adjusted": "Adjusted",
    "efficiency": "Efficiency",
    "speed": "Speed",
    "cost": "Cost score",
    "correctness": "Correctness",
    "success": "Success",
    "resolved": "Resolved",
    **{value: SCORED_FIGURES[name].label for value, name in BOARD_FIGURES.items()},
}
POLICY_WORDS: Final[Mapping[str, str]] = {
    "mean": "each task counts with the mean of the system's attempts",
    "first": "each task counts with the system's first attempt",
    "last": "each task counts with the system's last attempt",
    "best": "each task counts with the system's best attempt; n counts all attempts",
}
_LEFT_OUT: Final[Mapping[str, str]] = {"not_known": "the value is unknown"}


def board_figure_text(value: str, number: float | None) -> str:
    """Return a figure of a board as readable text."""
    if number is None:
        return missing_figures.NOT_KNOWN
    if value in (*SCORES, *RATES):
        return numbers.score(number / 100)
    match SCORED_FIGURES[BOARD_FIGURES[value]].unit:
        case "dollars":
            return numbers.money(number)
        case "seconds":
            return numbers.duration(number)
        case "tokens":
            return numbers.tokens(round(number))
        case _:
            return f"{number:,.1f}"


def figure_interval(value: str, low: float | None, high: float | None) -> str:
    """The interval of a figure."""
    if low is None or high is None:
        return missing_figures.NO_INTERVAL
    return numbers.with_minus(
        f"[{board_figure_text(value, low)}, {board_figure_text(value, high)}]".replace("$-", "-$")
    )


def score_of(row: BoardRow, value: str) -> str:
    """Return the score of a row, or both ends of a range; marked if it has stand-ins."""
    mark = f" {MARK}" if row.stood_in and row.score is not None else ""
    low = board_figure_text(value, row.score)
    return (
        low if row.score_high is None else f"{low}–{board_figure_text(value, row.score_high)}"
    ) + mark


def has_ranks(board: Board) -> bool:
    """True if any row is ranked."""
    return any(row.rank is not None for row in board.rows)


def order_of(board: Board) -> str:
    """The order of the rows."""
    if not has_ranks(board):
        return "no row is ranked; by score"
    if all(row.rank is not None for row in board.rows):
        return "best first"
    return "ranked rows first, best first"


def rank_of(row: BoardRow) -> str:
    """A rank is a range: ``2 [1–3]``."""
    if row.rank is None:
        return "provisional" if row.provisional else missing_figures.NOT_RANKED
    if row.rank_interval is None:
        return f"{row.rank}"
    return f"{row.rank} [{row.rank_interval[0]}–{row.rank_interval[1]}]"


def evidence_mark(row: BoardRow) -> str:
    """● where the evidence is enough for a rank, else ○; with the isolation."""
    if row.evidence_level is None:
        return missing_figures.NOT_KNOWN
    words = str(row.evidence_level).replace("_", "-")
    behind = f" ({', '.join(row.isolation)})" if row.isolation else ""
    return f"{'○' if row.hollow else '●'} {words}{behind}"


def format_minute(at_us: int) -> str:
    """A moment to the minute, UTC; a moment that no calendar has as its number."""
    try:
        return datetime.fromtimestamp(at_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return f"{at_us} µs since 1970"


def day(at_us: int) -> str:
    """The day of a moment."""
    return format_minute(at_us)[:10]


def exclusion_notes(board: Board) -> list[str]:
    """Return the submissions excluded from the scores, with the reasons."""
    made, said = board.leaderboard, []
    if made.not_evaluated:
        reasons = "; ".join(f"{count:,} {_reason(name)}" for name, count in board.left_out.items())
        total = count(made.not_evaluated, "submission")
        said.append(f"Excluded from scores, counted as attempts: {total} ({reasons}).")
    if made.quarantined:
        quarantined = count(made.quarantined, "submission")
        said.append(f"Quarantined and excluded: {quarantined}.")
    if board.until_us is not None and board.since_us is not None:
        since, until = format_minute(board.since_us), format_minute(board.until_us)
        said.append(f"Window: {since} to {until}, when the newest submission ended.")
        if board.undated:
            said.append(f"In no window: {count(board.undated, 'submission')} without an end time.")
    return said


def levels(evidence: tuple[EvidenceLevel, ...]) -> str:
    """Levels of evidence in words."""
    return ", ".join(str(level).replace("_", "-") for level in evidence)


def _reason(name: str) -> str:
    if name in _LEFT_OUT:
        return _LEFT_OUT[name]
    return WORDS[Reason(name)] or "without a score"


def no_board_reason(submissions: int, with_task: int) -> str:
    """Return why a store has no figures; ``with_task`` counts its submissions to a task.

    >>> no_board_reason(3, 0)
    'no board yet: the 3 stored submissions have no task.'
    """
    if with_task:
        verb = "is" if with_task == 1 else "are"
        counted = count(with_task, "submission")
        return f"no board yet: {counted} to a task {verb} not evaluated."
    if submissions:
        plural, has = ("", "has") if submissions == 1 else ("s", "have")
        return f"no board yet: the {submissions:,} stored submission{plural} {has} no task."
    return "no evaluated submissions yet."
