"""The failed cases of the newest result, for Home."""

from collections.abc import Sequence
from typing import Any

from benchmaker.record import Run, RunState
from benchmaker.web.pages.results.next_steps import failures_address
from benchmaker.web.results import panels
from benchmaker.web.results.earlier import earlier_runs
from benchmaker.web.results.failed_cases import failed_cells, failed_panel
from benchmaker.web.results.late_results import AT_ONCE
from benchmaker.web.results.latest_results import LatestResult
from benchmaker.web.results.run_cache import OverviewCache, Unit
from benchmaker.web.results.subject import Subject
from benchmaker.web.unchanged import unchanged_store
from benchmaker.web.workbench import Workbench

ROWS = 5
"""Maximum number of failed cases on Home."""


def newest_failures(
    bench: Workbench, known: OverviewCache, latest: Sequence[LatestResult]
) -> dict[str, Any] | None:
    """Return the failed cases of the newest result, and the address that runs them again.

    None if it is unfinished, if no case failed, or if it has too many trials to wait for.
    """
    if not latest or latest[0].leader is None or not _is_small(latest[0].runs):
        return None
    newest = latest[0]
    if any(run.state is not RunState.FINISHED for run in newest.runs):
        return None
    subject = Subject(
        newest.name, newest.page, newest.runs, is_series=newest.run.series_id is not None
    )
    return unchanged_store(bench).remember(
        ("failed cases", subject.id), lambda: _panel(bench, known, subject)
    )


def _panel(bench: Workbench, known: OverviewCache, subject: Subject) -> dict[str, Any]:
    store = bench.store
    made = known.cases_of(store, (Unit("", subject.run_ids),))
    before = earlier_runs(store, subject)
    found = failed_cells(known, store, subject, before if _is_small(before) else ())
    page = panels.report_page_of(made, bench.redactor)
    return {
        **failed_panel(page, store, subject, found, limit=ROWS),
        "noun": made.summary.noun,
        "suite": page.clean(subject.run.suite_name),
        "runs_again": failures_address(store, subject, made.grid),
    }


def _is_small(runs: Sequence[Run]) -> bool:
    """True if the trials of the runs are read at once."""
    return sum(run.planned for run in runs) <= AT_ONCE
