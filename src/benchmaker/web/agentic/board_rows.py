"""Rows of a board for a page: value, interval, range of ranks, and submissions."""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from benchmaker.analysis.boards.board import RATES, SCORES, BoardRow
from benchmaker.arenas.agentic.settling.stored_boards import Board
from benchmaker.report.result_tables.board import BOARD
from benchmaker.report.sentences.board_words import figure_interval
from benchmaker.report.tables.declaration import Surface

_LABELS = ("tool", "model", "effort")


def board_rows(
    board: Board, rows: Sequence[BoardRow], hide: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Each row with its cells, and the drawing of its score."""
    top, columns = _top_value(board), BOARD.figures(board, Surface.PAGE)
    return [
        {
            "name": hide(row.system),
            "href": _link(row),
            "cells": [
                cell._replace(text=hide(cell.text))
                for cell in BOARD.page_cells(row, board, Surface.PAGE, columns=columns)
            ],
            "interval": _interval(board.key.value, row),
            "drawing": _drawing(row, top),
            "of": row,
        }
        for row in rows
    ]


def _interval(value: str, row: BoardRow) -> str:
    if row.low is None or row.high is None:
        return "no interval" if row.score is not None else ""
    return figure_interval(value, row.low, row.high)


def _link(row: BoardRow) -> str:
    """Return the link to a row's submissions, as far as a list can be filtered by it."""
    words = {label: getattr(row, label) for label in _LABELS[:2] if getattr(row, label)}
    return f"/agentic/submissions?{urlencode(words)}" if words else ""


def _top_value(board: Board) -> float:
    if board.key.value in (*SCORES, *RATES):
        return 100.0
    known = [n for row in board.rows for n in (row.score, row.high) if n is not None]
    return max(known, default=1.0) or 1.0


def _drawing(row: BoardRow, top: float) -> Markup:
    """A track, a band for the interval, a tick for the value; the text beside says the same."""
    parts = ['<rect class="bgbar" width="100%" y="3" height="10" rx="2"/>']
    if row.low is not None and row.high is not None:
        low, high = _share(row.low, top), _share(row.high, top)
        hollow = " hollow" if row.hollow else ""
        parts.append(
            f'<rect class="band{hollow}" x="{low:.2f}%" width="{max(high - low, 0.4):.2f}%" '
            'y="3" height="10"/>'
        )
    if row.score is not None:
        at = _share(row.score, top)
        dashed = " open" if row.hollow else ""
        parts.append(f'<line class="tick{dashed}" x1="{at:.2f}%" x2="{at:.2f}%" y1="0" y2="16"/>')
    body = "".join(parts)
    return Markup(f'<svg class="plot m1" height="16" aria-hidden="true">{body}</svg>')  # noqa: S704  our own drawing


def _share(value: float, top: float) -> float:
    return min(max(value / top, 0.0), 1.0) * 100
