"""Zeros that need no judge, in a run whose judge decided on no other answer of the model."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmaker.record import AWAITING_JUDGE, JUDGE_FAILED, NO_CODE, POLICY_ZERO, WITHOUT_JUDGE
from benchmaker.record.score_columns import ScoreColumns

Rows = NDArray[np.bool_]


def without_lone_zeros(columns: ScoreColumns) -> ScoreColumns:
    """Return the scores without the zeros of setups of which the judge decided on no answer.

    An answer that is empty or has no page is 0 without a judge. If the judge failed on all other
    answers of the setup in that run, or they still wait for it, a mean would be over failures
    alone; these zeros are then missing.
    """
    zeros = lone_zeros(columns)
    if not zeros.any():
        return columns
    return replace(columns, score=np.where(zeros, np.nan, columns.score))


def lone_zeros(columns: ScoreColumns) -> Rows:
    """A mask of these zeros."""
    lacking = columns.rows_flagged(JUDGE_FAILED) | columns.rows_flagged(AWAITING_JUDGE)
    lacking &= np.isnan(columns.score)
    if not lacking.any():
        return lacking
    zeros = _needs_no_judge(columns)
    decided = ~np.isnan(columns.score) & ~zeros
    setups = columns.run.astype(np.int64) * (len(columns.models) + 1) + columns.model
    undecided = np.setdiff1d(setups[lacking], setups[decided])
    return zeros & np.isin(setups, undecided)


def _needs_no_judge(columns: ScoreColumns) -> Rows:
    """The zeros of judged answers that are empty, or have no page."""
    flagged = columns.rows_flagged(NO_CODE) | columns.rows_flagged(POLICY_ZERO)
    zeros = flagged & ~columns.rows_flagged(WITHOUT_JUDGE) & (columns.score == 0)
    return np.asarray(zeros, np.bool_)
