"""Notes on the figures behind a board's composites: which of them count, and on how many tasks."""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.board import SCORES
from benchmaker.analysis.board_lines import BoardData
from benchmaker.analysis.counting import LEAST_HAVING, Counting, CountingColumns
from benchmaker.record.metrics import FIGURES, Figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WORDS: Final[Mapping[Figure, str]] = {
    "tokens": "tokens",
    "tool_calls": "tool calls",
    "iterations": "prompts",
    "seconds": "time",
    "cost": "cost",
}


def counting_notes(boards: BoardData, rows: Ints) -> tuple[str, ...]:
    """Which figures count on the tasks of some rows, and which rows have a range."""
    counting = boards.composites.counting
    if counting is None or boards.value not in SCORES or boards.value == "correctness":
        return ()
    tasks = np.unique(boards.columns.task[rows]).astype(np.int64)
    if not len(tasks):
        return ()
    if len(tasks) == 1:
        found = list(_of_one(counting.of_task(int(tasks[0]))))
    else:
        found = list(_of_many(counting, tasks))
    return (*found, *_of_ranges(boards, rows))


def weights_notes(correctness: Floats) -> tuple[str, ...]:
    """What correctness weighs under published weights; nothing where there is no task.

    Args:
        correctness: its weight, from 0 to 1, on each task of a board, in any order.

    >>> weights_notes(np.array([0.2, 0.2])), weights_notes(np.array([0.15, 0.3]))
    (('published weights: correctness counts 20 %',), \
('published weights: correctness counts 15 % to 30 %, by category',))
    """
    if not len(correctness):
        return ()
    low, high = (f"{100 * end:g} %" for end in (correctness.min(), correctness.max()))
    counts = low if low == high else f"{low} to {high}, by category"
    return (f"published weights: correctness counts {counts}",)


def _of_one(counting: Counting) -> Iterator[str]:
    if not counting.is_decided:
        yield (
            f"provisional figures: below {LEAST_HAVING} ranked successes, every figure that a "
            "submission has counts, and no other"
        )
        return
    yield f"figures that count: {_listed(counting, is_in=True) or 'none'}"
    if left := _listed(counting, is_in=False):
        yield f"figures that too few have: {left}"


def _listed(counting: Counting, *, is_in: bool) -> str:
    return ", ".join(
        f"{_WORDS[name]} ({counting.having[name]} of {counting.rows} ranked successes)"
        for name in FIGURES
        if counting.counts(name) is is_in
    )


def _of_many(counting: CountingColumns, tasks: Ints) -> Iterator[str]:
    decided = tasks[counting.is_decided[tasks]]
    if len(decided):
        counts = {name: int(counting.counts(name)[decided].sum()) for name in FIGURES}
        parts = ", ".join(f"{_WORDS[name]} {n:,}" for name, n in counts.items())
        yield f"tasks on which each figure counts, of {len(decided):,}: {parts}"
    if rest := len(tasks) - len(decided):
        yield (
            f"provisional figures on {rest:,} of {len(tasks):,} tasks, with fewer than "
            f"{LEAST_HAVING} ranked successes: there, every figure that a submission has counts"
        )


def _of_ranges(boards: BoardData, rows: Ints) -> Iterator[str]:
    if boards.highs is None:
        return
    n = int((boards.highs[rows] > boards.values[rows]).sum())
    if n:
        who = "submission lacks" if n == 1 else "submissions lack"
        yield (
            f"ranges: {n:,} {who} a figure that counts; the score spans that figure at its worst "
            "to its best, and rows are sorted by the lower end"
        )
