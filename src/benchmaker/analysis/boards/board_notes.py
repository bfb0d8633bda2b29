"""Notes on the figures behind a board's composites: figures that count, and stand-ins."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import SCORES, BoardRow, words_for
from benchmaker.analysis.boards.board_lines import BoardData
from benchmaker.analysis.composite.baselines import CLASSIC_LEAST, ROBUST_STEP
from benchmaker.analysis.composite.composite_columns import stand_ins
from benchmaker.analysis.composite.counting_figures import LEAST_HAVING, Counting, CountingColumns
from benchmaker.analysis.composite.result import STAND_INS
from benchmaker.record.counts import count
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS, KINDS_UNKNOWN
from benchmaker.record.submissions.scored_figures import FIGURES, SCORED_FIGURES, Figure
from benchmaker.record.submissions.submission import EvidenceLevel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

MARK: Final = "†"
"""Marks a score in which a stand-in replaces a missing figure."""

_SHOWN_NAMES: Final = 3
_UNRANKED: Final = EVIDENCE_LEVELS.index(EvidenceLevel.SELF_REPORTED)
_BORROWED: Final[Mapping[str, str]] = {
    "classic": f"fewer than {CLASSIC_LEAST} eligible submissions: scored against the default "
    "baseline, as published",
    "robust": f"fewer than {ROBUST_STEP} successes with a figure: the baseline is partly that of "
    "other tasks or the default",
}


def counting_notes(boards: BoardData, rows: Ints) -> tuple[str, ...]:
    """Return the figures that count on the tasks of some rows, and the rows with a range."""
    counting = boards.composites.counting
    if counting is None or boards.value not in SCORES or boards.value == "correctness":
        return ()
    tasks = np.unique(boards.columns.task[rows]).astype(np.int64)
    if not len(tasks):
        return ()
    if len(tasks) == 1:
        code, others = int(tasks[0]), boards.composites.unranked or counting
        has_unranked = bool((boards.columns.evidence[rows] == _UNRANKED).any())
        own = counting.of_task(code), others.of_task(code)
        found = list(_notes_on_task(*own, has_unranked=has_unranked))
    else:
        found = list(_notes_on_tasks(counting, tasks))
    return (*found, *_total_tokens_notes(boards, counting, rows), *_range_notes(boards, rows))


def lacking_notes(boards: BoardData, lines: Sequence[BoardRow]) -> Iterator[str]:
    """Yield the number of unranked lines whose figure is only partly known."""
    n = sum(line.lacking > 0 and line.evaluated > 0 and not line.hollow for line in lines)
    if n and boards.rules.needs_all_figures:
        yield (
            f"{count(n, boards.unit)} {'has' if n == 1 else 'have'} no rank: "
            f"{words_for(boards.value)} known for only some of the submissions"
        )


def unlinked_note(names: Sequence[str], boards: BoardData) -> str:
    """Return the note that names the units whose tasks no other unit of the board has.

    Under ``classic`` they keep their rank, as published.
    """
    shown = ", ".join(names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    shares = "shares" if len(names) == 1 else "share"
    rank = "ranked as published" if boards.composites.family == "classic" else "not ranked"
    return f"{shares} no task with the other {boards.unit}s, {rank}: {shown}{more}"


def weights_notes(correctness: Floats) -> tuple[str, ...]:
    """Return the weight of correctness under published weights; empty without rows.

    Args:
        correctness: its weight, from 0 to 1, in each row of a board, in any order.

    >>> weights_notes(np.array([0.2, 0.2])), weights_notes(np.array([0.15, 0.3]))
    (('published weights: correctness counts 20%',), \
('published weights: correctness counts 15% to 30%, depending on the category',))
    """
    if not len(correctness):
        return ()
    low, high = (f"{100 * end:g}%" for end in (correctness.min(), correctness.max()))
    counts = low if low == high else f"{low} to {high}, depending on the category"
    return (f"published weights: correctness counts {counts}",)


def stand_in_notes(boards: BoardData, rows: Ints) -> Iterator[str]:
    """Yield the numbers of scores with a stand-in, and of those with a borrowed baseline."""
    stood_in = boards.stood_in[rows]
    if n := int(stood_in.sum()):
        missing = stand_ins(boards.columns, boards.value, rows)
        counts = ((name, int((mask & stood_in).sum())) for name, mask in missing.items())
        parts = "; ".join(f"{STAND_INS[name]} ({own:,})" for name, own in counts if own)
        yield f"stand-ins (marked {MARK}) in {count(n, 'submission')}: {parts}"
    borrowed = boards.composites.borrowed
    if borrowed is not None and boards.value in SCORES and boards.value != "correctness":
        yield from _borrowed_notes(boards, borrowed, rows)


def _borrowed_notes(boards: BoardData, borrowed: Mask, rows: Ints) -> Iterator[str]:
    scored = rows[~np.isnan(boards.values[rows])]
    tasks = np.unique(boards.columns.task[scored])
    if n := int(borrowed[tasks].sum()):
        words = _BORROWED[boards.composites.family]
        has = "has" if n == 1 else "have"
        yield f"{n:,} of {count(len(tasks), 'scored task')} {has} {words}"


def _notes_on_task(counting: Counting, unranked: Counting, *, has_unranked: bool) -> Iterator[str]:
    if counting.is_decided:
        yield from _figures(counting, "figures", "ranked successes")
        yield from _lacking_figures(counting, "ranked successes")
        return
    yield (
        f"provisional figures: with fewer than {LEAST_HAVING} ranked successes, every figure of a "
        "ranked submission counts"
    )
    if has_unranked and unranked.is_decided:
        yield from _figures(unranked, "for unranked submissions, figures", "successes")
        yield from _lacking_figures(unranked, "successes")


def _figures(counting: Counting, subject: str, of: str) -> Iterator[str]:
    yield f"{subject} that count: {_figure_list(counting, of, is_in=True) or 'none'}"
    if left := _figure_list(counting, of, is_in=False):
        yield f"{subject} with too little data: {left}"


def _lacking_figures(counting: Counting, of: str) -> Iterator[str]:
    for reason in counting.lacking_reasons(of):
        yield f"provisional scores: {reason}"


def _in_words(name: Figure) -> str:
    return SCORED_FIGURES[name].label.lower()


def _figure_list(counting: Counting, of: str, *, is_in: bool) -> str:
    return ", ".join(
        f"{_in_words(name)} ({counting.having[name]} of {counting.rows} {of})"
        for name in FIGURES
        if counting.counts(name) is is_in
    )


def _notes_on_tasks(counting: CountingColumns, tasks: Ints) -> Iterator[str]:
    decided = tasks[counting.is_decided[tasks]]
    if len(decided):
        counts = {name: int(counting.counts(name)[decided].sum()) for name in FIGURES}
        parts = ", ".join(f"{_in_words(name)} on {n:,}" for name, n in counts.items())
        yield (
            f"figures that count on the {len(decided):,} of {count(len(tasks), 'task')} with at "
            f"least {LEAST_HAVING} ranked successes: {parts}"
        )
    if n := int(counting.is_lacking[tasks].sum()):
        yield (
            f"provisional scores on {n:,} of {len(tasks):,} tasks (fewer than {2 * LEAST_HAVING} "
            "ranked successes): a figure that only some of them report does not count"
        )
    if rest := len(tasks) - len(decided):
        yield (
            f"provisional figures on {rest:,} of {len(tasks):,} tasks (fewer than {LEAST_HAVING} "
            "ranked successes): every figure of a ranked submission counts; for unranked "
            "submissions, all successes decide"
        )


def _total_tokens_notes(boards: BoardData, counting: CountingColumns, rows: Ints) -> Iterator[str]:
    """Yield the number of rows with a total of tokens but without the tokens that count."""
    is_left = counting.is_decided & ~counting.counts("tokens")
    is_meant = boards.columns.has_total_alone(boards.rules.tokens)
    n = int((is_meant & is_left[boards.columns.task])[rows].sum())
    if n:
        yield f"tokens of {count(n, 'submission')} are excluded: {KINDS_UNKNOWN}"


def _range_notes(boards: BoardData, rows: Ints) -> Iterator[str]:
    if boards.highs is None:
        return
    n = int((boards.highs[rows] > boards.values[rows]).sum())
    if n:
        who = "submission lacks" if n == 1 else "submissions lack"
        yield (
            f"ranges: {n:,} {who} a figure that counts; the score and rank intervals cover its "
            "worst and best possible value, and the lower end decides the order"
        )
