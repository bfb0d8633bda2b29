"""Runs that ended at their budget, in words."""

from collections.abc import Sequence

from benchmaker.record import Run
from benchmaker.record.counts import count
from benchmaker.report.tables import numbers


def budget_words(runs: Sequence[Run]) -> str:
    """Return "Stopped at its budget of $0.50" if one of these runs did; else empty."""
    ends = [run.budget_end for run in runs if run.budget_end]
    return f"Stopped at its budget of {numbers.money(ends[0].usd)}" if ends else ""


def budget_sentence(runs: Sequence[Run], left: int) -> str:
    """Return the end of a run or series at its budget, and how to run the trials that are left.

    Empty if something else ended it, or no trial is left.
    """
    ended = budget_words(runs) if left else ""
    return f"{ended}: raise it to run the remaining {count(left, 'trial')}." if ended else ""


def budget_reason(runs: Sequence[Run]) -> str:
    """Return why the budget covered no further request; empty if something else ended the runs."""
    return next((run.budget_end.reason for run in runs if run.budget_end), "")
