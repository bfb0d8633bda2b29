"""Runs that ended at their budget, in words, with the action that continues them."""

from collections.abc import Sequence

from benchmaker.arenas.standard.job_handlers import RUNNING
from benchmaker.record import Run, RunState
from benchmaker.record.counts import count
from benchmaker.record.job import Job, JobState
from benchmaker.report.tables import numbers
from benchmaker.store import Store

_OPTION = "max_cost_usd"


def ended_at_budget(job: Job | None) -> bool:
    """True if a job on a run ended since the budget covered no further request."""
    return job is not None and job.state is JobState.DONE and bool(job.hint)


def budget_sentence(run: Run, left: int) -> str:
    """Return the end of a run at its budget, and how to run the trials that are left."""
    budget = run.options.get(_OPTION)
    amount = "" if budget is None else f" of {numbers.money(float(budget))}"
    rest = f"remaining {count(left, 'trial')}"
    return f"Stopped at its budget{amount}: raise it to run the {rest}."


def budget_end(store: Store, runs: Sequence[Run], left: int) -> str:
    """Return the same for a run or series whose last job ended at the budget; else empty."""
    is_limited = any(run.state is RunState.INTERRUPTED and _OPTION in run.options for run in runs)
    if not is_limited or not left:
        return ""
    job = store.jobs.find_newest(runs[0].series_id or runs[0].id, kinds=RUNNING)
    return budget_sentence(runs[0], left) if ended_at_budget(job) else ""
