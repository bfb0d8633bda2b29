import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis.columns import columns_of
from benchmaker.analysis.summary.case_grid import case_grid
from benchmaker.record import Outcome, Score, Trial

ROWS = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["r1", "r2"]),
        st.sampled_from([None, 0.0, 0.25, 1.0]),
    ),
    max_size=30,
    unique_by=lambda row: row[:3],
)


def trial(position, model, run="r1", score=None, outcome=None):
    ended = outcome or (Outcome.SCORED if score is not None else Outcome.TIMEOUT)
    return Trial(
        run_id=run,
        case_id=f"case {position}",
        model=model,
        position=position,
        outcome=ended,
        score=None if score is None else Score(score=score),
    )


@given(ROWS)
def test_every_cell_is_the_mean_of_its_scores(rows):
    grid = case_grid(columns_of([trial(*row) for row in rows]))

    assert grid.position.tolist() == sorted({row[0] for row in rows})
    for at, position in enumerate(grid.position.tolist()):
        for column, model in enumerate(grid.models):
            cell = [row[3] for row in rows if row[:2] == (position, model)]
            known = [score for score in cell if score is not None]
            mean = grid.mean[at, column]
            assert math.isnan(mean) if not known else mean == pytest.approx(np.mean(known))
            assert grid.counts[at, column].sum() == len(cell)


@given(ROWS)
def test_the_hardest_come_first_and_those_without_a_score_last(rows):
    grid = case_grid(columns_of([trial(*row) for row in rows]))
    means = grid.case_mean[grid.hardest_rows()]
    known = means[~np.isnan(means)]

    assert (np.diff(known) >= 0).all()
    assert np.isnan(means[len(known) :]).all()


@pytest.mark.parametrize(
    ("outcome", "score", "kind"),
    [
        (Outcome.SCORED, 0.5, "ok"),
        (Outcome.TRUNCATED, 0.5, "ok"),
        (Outcome.EMPTY, 0.0, "bad"),
        (Outcome.TIMEOUT, None, "infra"),
        (Outcome.SCORER_ERROR, None, "none"),
    ],
)
def test_what_a_cell_is(outcome, score, kind):
    trials = [trial(3, "a", score=score, outcome=outcome), trial(4, "b", score=1.0)]
    grid = case_grid(columns_of(trials), ["b", "a"])

    assert grid.models == ("b", "a")
    assert grid.kind(grid.row(3), 1) == kind
    assert not grid.kind(grid.row(3), 0)
    assert grid.row(5) is None
    group = "bad" if outcome is Outcome.TRUNCATED else kind
    assert grid.outcome_group(grid.row(3), 1) == group
    assert grid.rows_with_group(group)[grid.row(3)]
