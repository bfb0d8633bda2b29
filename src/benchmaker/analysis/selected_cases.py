"""The number of cases that the means of runs are about, scored or not."""

from collections.abc import Sequence

from benchmaker.record import Run
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.columns import count_distinct


def selected_cases(columns: ScoreColumns, runs: Sequence[Run]) -> int:
    """Return the number of cases that the runs selected, of positive weight.

    A run that ended early has no trials of some of them; without records, the stored cases count.
    Cases of weight 0 are known only from their trials, so those that did not run are included.

    Args:
        columns: the scores of all cases of the runs.
        runs: the records of the same runs.
    """
    counts = columns.weight > 0
    stored = count_distinct(columns.position[counts])
    others = count_distinct(columns.position[~counts & ~columns.is_repeat])
    planned = [
        run.planned_of(name) for run in runs if not run.is_partial_repeat for name in run.models
    ]
    return max(stored, max(planned, default=0) - others)
