"""The planned trials of runs, and the incomplete runs of a series."""

from collections.abc import Sequence

import numpy as np

from benchmaker.record import MODEL_STOPPED, Outcome, Run, RunState
from benchmaker.record.score_columns import OUTCOMES, ScoreColumns

_PENDING = (OUTCOMES.index(Outcome.UNSCORED), OUTCOMES.index(Outcome.UNFINISHED))


def planned_trials(runs: Sequence[Run]) -> dict[str, int] | None:
    """Return the planned trials per model, if the runs state them."""
    counts: dict[str, int] = {}
    for run in runs:
        if not run.models or not (run.planned or run.is_partial_repeat):
            return None
        for name in run.models:
            counts[name] = counts.get(name, 0) + run.planned_of(name)
    return counts


def partial_runs(columns: ScoreColumns, runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """Of each model, the runs that have some of its trials, and more to come or no end.

    An answer without a score counts as to come in a run that is not finished: it may wait for a
    judge. Runs that repeat uncertain cases only are not in means, and so not here.
    """
    found: dict[str, tuple[str, ...]] = {}
    for run in runs:
        if run.is_partial_repeat:
            continue
        is_open = run.state is not RunState.FINISHED
        for name, there in _trials_by_model(columns, run).items():
            each = run.planned_of(name)
            is_given_up = MODEL_STOPPED in columns.flag_counts(columns.rows_of(name))
            if sum((is_open, not each or there < each, is_given_up)) > 1:  # two of these say so
                found[name] = (*found.get(name, ()), run.id)
    return found


def _trials_by_model(columns: ScoreColumns, run: Run) -> dict[str, int]:
    """Return the run's number of trials per model, without pending ones."""
    if run.id not in columns.run_ids:
        return {}
    rows = columns.run == columns.run_ids.index(run.id)
    waits = rows & np.isin(columns.outcome, _PENDING) & (run.state is not RunState.FINISHED)
    counts, waiting = (
        np.bincount(columns.model[some], minlength=len(columns.models)).tolist()
        for some in (rows, waits)
    )
    each = zip(columns.models, counts, waiting, strict=True)
    return {name: there - later for name, there, later in each if there}
