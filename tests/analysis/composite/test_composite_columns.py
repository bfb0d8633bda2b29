import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.composite.baseline_columns import classic_baselines, robust_baselines
from benchmaker.analysis.composite.baselines import category_of, classic_snapshots, robust_snapshots
from benchmaker.analysis.composite.composite import evaluate
from benchmaker.analysis.composite.composite_columns import (
    evaluate_classic_columns,
    evaluate_robust_columns,
    task_weights,
)
from benchmaker.analysis.composite.counting_figures import RANKED_EVIDENCE
from benchmaker.analysis.composite.result import REASONS
from benchmaker.analysis.composite.rounding import round_as_python
from benchmaker.analysis.composite.weights import CATEGORY_WEIGHTS, Weights, weights_for
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.scored_figures import FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel
from tests.analysis.submissions import SEEDS, random_rows
from tests.draws import draws

OWN = {"t2": Weights(0.1, 0.2, 0.3, 0.4)}


def same(number, expected):
    return (expected is None and math.isnan(number)) or number == expected


def weights_by_row(rows):
    by_task = {}
    for row in rows:
        by_task.setdefault(row.task_id, []).append(row)
    return {task: weights_for(category_of(own), OWN.get(task)) for task, own in by_task.items()}


def check_rows(rows, snapshots, made):
    weights = weights_by_row(rows)
    for place, row in enumerate(rows):
        one = evaluate(row, snapshots[row.task_id], weights[row.task_id])
        found = {
            "overall": one.overall_score,
            "efficiency": one.efficiency_score,
            "speed": one.speed_score,
            "cost": one.cost_score,
            "correctness": one.correctness_score,
            "adjusted": one.adjusted_score,
        }
        for name, expected in found.items():
            assert same(float(made.part(name)[place]), expected), (name, row, one)
            high = one.upper.get(name, expected)
            assert same(float(made.upper_part(name)[place]), high), (name, row, one)
        assert REASONS[made.reason[place]] == one.reason
        assert made.n_stood_in[place] == len(one.stand_ins)


@settings(max_examples=draws(20, 40), deadline=None)
@given(SEEDS, st.sampled_from([1, 4, 30, 300]))
def test_columns_equal_rows_to_the_last_digit_in_classic(seed, count):
    rows = random_rows(seed, count)
    columns = MetricColumns.of(rows)
    baselines, snapshots = classic_baselines(columns), classic_snapshots(rows)
    for code, task in enumerate(columns.tasks):
        assert baselines.n[code] == snapshots[task].n
        assert baselines.is_default[code] == snapshots[task].is_default
        for name in FIGURES:
            spread, found = snapshots[task].figures[name], baselines.figures[name]
            for part in ("minimum", "q25", "median", "q75", "maximum"):
                assert same(float(getattr(found, part)[code]), getattr(spread, part)), (name, part)
    check_rows(
        rows, snapshots, evaluate_classic_columns(columns, baselines, task_weights(columns, OWN))
    )


@settings(max_examples=draws(20, 40), deadline=None)
@given(
    SEEDS,
    st.sampled_from([1, 4, 30, 300]),
    st.sampled_from(["total", "fresh", "cost_weighted"]),
    st.sampled_from([None, RANKED_EVIDENCE, tuple(EvidenceLevel)]),
)
def test_columns_equal_rows_to_the_last_digit_in_robust(seed, count, tokens, ranked):
    tasks = ("t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8")
    rows = random_rows(seed, count, tasks=tasks[: 1 + seed % 8])
    columns = MetricColumns.of(rows)
    baselines = robust_baselines(columns, tokens=tokens, ranked=ranked)
    snapshots = robust_snapshots(rows, tokens=tokens, ranked=ranked)
    for code, task in enumerate(columns.tasks):
        if ranked is not None:
            assert baselines.counting.of_task(code) == snapshots[task].counting
            assert baselines.unranked.of_task(code) == snapshots[task].unranked
        for name in FIGURES:
            ends, found = snapshots[task].figures[name], baselines.figures[name]
            assert found.n[code] == ends.n
            assert found.ln_q10[code] == ends.ln_q10
            assert found.ln_q90[code] == ends.ln_q90
    check_rows(
        rows, snapshots, evaluate_robust_columns(columns, baselines, task_weights(columns, OWN))
    )


@given(st.lists(st.floats(0, 100), min_size=1), SEEDS)
def test_cents_are_rounded_as_python_does(values, seed):
    draw = random.Random(seed)  # noqa: S311  a test's dice
    halves = [draw.randrange(10_000) / 100 + 0.005 for _ in range(50)]
    both = np.array(values + halves)
    assert round_as_python(both, 2).tolist() == [round(value, 2) for value in both.tolist()]


def test_rows_come_back_from_columns():
    rows = random_rows(5, 200)
    assert list(MetricColumns.of(rows).rows()) == rows


def test_chosen_rows_are_the_rows_chosen():
    rows = random_rows(6, 50)
    columns = MetricColumns.of(rows)
    chosen = np.array([7, 3, 3, 49])
    assert list(columns.take(chosen).rows()) == [rows[place] for place in chosen]
    mask = np.arange(50) % 3 == 0
    assert list(columns.take(mask).rows()) == rows[::3]


def test_no_rows_are_no_evaluations():
    columns = MetricColumns.of([])
    weights = task_weights(columns)
    assert len(evaluate_classic_columns(columns, classic_baselines(columns), weights)) == 0
    assert len(evaluate_robust_columns(columns, robust_baselines(columns), weights)) == 0


@pytest.mark.parametrize("category", CATEGORY_WEIGHTS)
def test_category_weights_sum_to_one(category):
    assert sum(CATEGORY_WEIGHTS[category].as_tuple()) == pytest.approx(1, abs=1e-15)
