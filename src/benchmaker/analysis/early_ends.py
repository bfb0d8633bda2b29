"""Setups that were dropped or stopped in a run before their last case."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from benchmaker.analysis.selected_cases import selected_cases
from benchmaker.record import MODEL_STOPPED, Outcome, Run
from benchmaker.record.counts import count
from benchmaker.record.score_columns import OUTCOMES, ScoreColumns
from benchmaker.stats.columns import count_distinct

_CANCELLED = OUTCOMES.index(Outcome.CANCELLED)


def early_ends(columns: ScoreColumns, runs: Sequence[Run]) -> dict[str, str]:
    """Return the setups that were dropped or stopped before their last case, with the reason.

    A setup is dropped if a command excluded it from a run, and stopped if a failure ended all
    requests to its model, such as a refused key or an exhausted quota. A setup that has all cases
    in spite of it is not returned, nor one that lacks scores for other reasons: failures of
    infrastructure, or the end of the whole run.

    Args:
        columns: the scores of all cases of the runs.
        runs: the records of the same runs; without them, dropped setups are unknown.
    """
    has_flag = any(MODEL_STOPPED in flags for flags in columns.flag_sets)
    flagged = columns.rows_flagged(MODEL_STOPPED) if has_flag else np.zeros(len(columns), np.bool_)
    stopped = {columns.models[code] for code in set(columns.model[flagged].tolist())}
    reasons = dict.fromkeys(_of_the_same_models(stopped, runs, columns.models), "stopped")
    dropped = {name for run in runs for name in run.dropped}
    reasons |= dict.fromkeys((it for it in columns.models if it in dropped), "dropped")
    if not reasons:
        return {}
    counted, ended = columns.weight > 0, flagged | (columns.outcome == _CANCELLED)
    planned = selected_cases(columns, runs)
    answered = {
        name: count_distinct(columns.position[columns.rows_of(name) & counted & ~ended])
        for name in reasons
    }
    return {
        name: f"{reason} after {answered[name]:,} of {count(planned, 'case')}"
        for name, reason in reasons.items()
        if answered[name] < planned
    }


def left_out_of(names: Sequence[str], ends: Mapping[str, str]) -> dict[str, str]:
    """Return those of the names that ended early; none if fewer than two others remain."""
    found = {name: ends[name] for name in names if name in ends}
    return found if len(names) - len(found) > 1 else {}


def _of_the_same_models(
    stopped: Collection[str], runs: Sequence[Run], names: Sequence[str]
) -> list[str]:
    """The names of the stopped setups, and of the others of their models."""
    models = {run.setup(name).model for run in runs for name in stopped if name in run.models}
    also = {name for run in runs for name in run.models if run.setup(name).model in models}
    return [name for name in names if name in stopped or name in also]
