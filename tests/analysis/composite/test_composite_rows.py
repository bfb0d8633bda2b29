"""Composites of many submissions as rows, beside the composite of each."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.composite.baselines import classic_snapshot, robust_snapshot
from benchmaker.analysis.composite.composite import evaluate
from benchmaker.analysis.composite.composite_columns import (
    evaluate_classic_columns,
    evaluate_robust_columns,
)
from benchmaker.analysis.composite.composite_rows import composite_rows
from benchmaker.analysis.composite.snapshot_columns import classic_baselines_of, robust_baselines_of
from benchmaker.analysis.composite.weights import PUBLISHED_WEIGHTS, Weights
from benchmaker.record.submissions.metric_columns import MetricColumns
from tests.analysis.submissions import SEEDS, random_rows
from tests.draws import draws

WEIGHTS = st.sampled_from([PUBLISHED_WEIGHTS, Weights(1.0, 0.0, 0.0, 0.0)])


def check(rows, snapshot, columns, scores, weights):
    row_of = composite_rows(columns, scores, snapshot)
    for at, row in enumerate(rows):
        one, found = evaluate(row, snapshot, weights), row_of(at)
        assert found.scores == {
            name: getattr(one, f"{name}_score")
            for name in ("overall", "efficiency", "speed", "cost", "correctness", "adjusted")
        }
        assert (found.reason, found.words) == (one.reason, one.words)
        assert (found.stand_ins, found.warnings) == (one.stand_ins, one.warnings)
        assert (dict(found.upper), found.provisional) == (dict(one.upper), one.provisional)


def alike(columns, weights):
    """Tasks × categories × parts: the same weights for all."""
    return np.full((len(columns.tasks), len(columns.categories) + 1, 4), weights.as_tuple())


@settings(max_examples=draws(20, 60), deadline=None)
@given(SEEDS, st.sampled_from([0, 1, 4, 30, 200]), WEIGHTS)
def test_classic_rows_equal_the_composite_of_each(seed, count, weights):
    rows = random_rows(seed, count, tasks=("t1",))
    columns, snapshot = MetricColumns.of(rows), classic_snapshot("t1", rows)
    baselines = classic_baselines_of(snapshot, len(columns.tasks))
    scores = evaluate_classic_columns(columns, baselines, alike(columns, weights))
    check(rows, snapshot, columns, scores, weights)


@settings(max_examples=draws(20, 60), deadline=None)
@given(SEEDS, st.sampled_from([0, 1, 4, 30, 200]), WEIGHTS, st.booleans())
def test_robust_rows_equal_the_composite_of_each(seed, count, weights, is_first_version):
    rows = random_rows(seed, count, tasks=("t1",))
    ranked = {"ranked": None} if is_first_version else {}
    columns, snapshot = MetricColumns.of(rows), robust_snapshot("t1", rows, **ranked)
    baselines = robust_baselines_of(snapshot, len(columns.tasks))
    scores = evaluate_robust_columns(columns, baselines, alike(columns, weights))
    check(rows, snapshot, columns, scores, weights)
