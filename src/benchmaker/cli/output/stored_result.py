"""Stored results, and the table that shows them."""

import sys
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import home_of, open_store
from benchmaker.cli.output.output import say_json

if TYPE_CHECKING:
    from benchmaker.analysis import Summary
    from benchmaker.arenas.standard import RunResult


def stored_result(context: Context, run: str) -> "RunResult":
    """Return the results of a stored run or series.

    Raises:
        SpecError: unknown name.
    """
    from benchmaker.arenas.standard.result import run_result

    with open_store(context) as store:
        return run_result(store, store.resolve(run).run_ids, home_of(context))


def say_summary(context: Context, summary: "Summary") -> None:
    """Print the table, or the same as JSON."""
    from benchmaker.report.runs.text import write_text

    if context.use_json:
        say_json(summary.to_dict())
    elif sys.stdout is not None:
        write_text(summary, sys.stdout, styled=None if context.use_color else False)
