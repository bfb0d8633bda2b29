"""Figures far below those of their task count as missing, and no honest row is hit by that."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.analysis.composite.baseline_columns import robust_baselines
from benchmaker.analysis.composite.baselines import robust_snapshot, robust_snapshots
from benchmaker.analysis.composite.composite import evaluate
from benchmaker.analysis.composite.composite_columns import evaluate_robust_columns, task_weights
from benchmaker.analysis.composite.far_below import TIMES_BELOW
from benchmaker.analysis.composite.rank_spans import rank_spans
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.submission import EvidenceLevel
from tests.analysis.composite.test_composite_columns import check_rows
from tests.analysis.submissions import SEEDS, a_row
from tests.draws import draws

EVERY_LEVEL = tuple(EvidenceLevel)
ABSURD = {
    "total_tokens": [None, 0.0, 9.0, 10.0, 1e13],
    "fresh_tokens": [None, 0.0, 9.0, 10.0, 1e13],
    "tool_calls": [None, 0.0, 1e13],
    "iterations": [None, 1e13],
    "seconds": [None, 0.0, 0.1, 0.11, 1.0, 1e13],
    "cost": [None, 0.0, 1e-5, 2e-5, 5e-5, 1e13],
}
CHANGES = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in ABSURD.items()}
).filter(bool)


@st.composite
def honest_rows(draw, *, split=None):
    """30 successes whose figures are log-normal, with the kinds of tokens told apart or not."""
    dice = np.random.default_rng(draw(SEEDS))
    has_split = draw(st.booleans()) if split is None else split
    level = draw(st.sampled_from([EvidenceLevel.VERIFIED, EvidenceLevel.SELF_REPORTED]))
    return [honest_row(n, dice, has_split=has_split, evidence_level=level) for n in range(30)]


def honest_row(number, dice, *, has_split, **given_):
    total = float(int(dice.lognormal(10.5, 0.7)))
    return a_row(
        number,
        **given_,
        total_tokens=total,
        fresh_tokens=float(int(total * 0.3)) if has_split else None,
        tool_calls=float(1 + int(dice.lognormal(2.7, 0.6))),
        iterations=float(dice.integers(1, 9)),
        seconds=round(dice.lognormal(5, 0.7), 1),
        cost=round(total * 2e-6 * dice.lognormal(0, 0.6), 4),
    )


def evaluated(rows, **given_):
    columns = MetricColumns.of(rows)
    baselines = robust_baselines(columns, ranked=EVERY_LEVEL)
    return evaluate_robust_columns(columns, baselines, task_weights(columns), **given_)


def ranks(rows):
    made, ranked = evaluated(rows), np.ones(len(rows), np.bool_)
    spans = rank_spans(
        MetricColumns.of(rows), made, ranked, lambda names: evaluated(rows, at_best=names)
    )
    return spans.rank


def changed(rows, at, changes):
    return [*rows[:at], replace(rows[at], **changes), *rows[at + 1 :]]


@settings(max_examples=draws(25, 200), deadline=None)
@given(honest_rows(), CHANGES, st.integers(0, 29))
def test_no_absurd_figures_raise_the_lower_end_or_the_rank_of_a_row(rows, changes, at):
    other = changed(rows, at, changes)
    before, after = evaluated(rows).overall[at], evaluated(other).overall[at]
    assert math.isnan(after) or after <= before + 1e-9
    rank = ranks(other)[at]
    assert rank == 0 or rank >= ranks(rows)[at]


@settings(max_examples=draws(25, 200), deadline=None)
@given(honest_rows())
def test_no_honest_row_has_a_range(rows):
    assert not evaluated(rows).lacking


@settings(max_examples=draws(15, 100), deadline=None)
@given(honest_rows(), CHANGES, st.integers(0, 29))
def test_columns_equal_rows_where_figures_are_absurd(rows, changes, at):
    other = changed(rows, at, changes)
    check_rows(other, robust_snapshots(other, ranked=EVERY_LEVEL), evaluated(other))


@settings(max_examples=draws(15, 100), deadline=None)
@given(
    honest_rows(split=True),
    st.sampled_from([{"cost": 2e-5}, {"cost": 5e-5}, {"seconds": 0.11}, {"fresh_tokens": 10.0}]),
    st.integers(0, 29),
)
def test_leaving_out_the_kinds_of_tokens_shields_no_absurd_figure(rows, changes, at):
    other = changed(rows, at, {"fresh_tokens": None} | changes)
    assert evaluated(other).overall[at] <= evaluated(rows).overall[at] + 1e-9


def usual_rows():
    """30 rows with every figure: 60 to 118 seconds and so on."""
    return [
        a_row(
            n,
            fresh_tokens=5_000.0 + 100 * n,
            total_tokens=20_000.0,
            tool_calls=10.0,
            iterations=2.0,
            seconds=60.0 + 2 * n,
            cost=1.0 + 0.02 * n,
        )
        for n in range(30)
    ]


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"seconds": 0.11}, "seconds"), ({"cost": 5e-5}, "cost"), ({"fresh_tokens": 10.0}, "tokens")],
)
def test_without_a_baseline_of_its_own_a_task_has_the_limits_of_the_prior(changes, name):
    rows = [replace(row, evidence_level=EvidenceLevel.SELF_REPORTED) for row in usual_rows()]
    made = evaluated(changed(rows, 20, changes))
    assert np.flatnonzero(made.lacking[name]).tolist() == [20]


FIELD = {"tokens": "fresh_tokens", "seconds": "seconds", "cost": "cost"}


@pytest.mark.parametrize("name", TIMES_BELOW)
def test_a_figure_counts_down_to_its_limit_and_is_missing_below(name):
    rows = usual_rows()
    least = math.exp(robust_snapshot("t1", rows).figures[name].ln_q10) / TIMES_BELOW[name]
    for value, is_range in ((least * 1.01, False), (least * 0.99, True)):
        row = replace(rows[29], **{FIELD[name]: value})
        made = evaluate(row, robust_snapshot("t1", rows))
        term = next(term for term in made.terms if term.name == name)
        assert term.is_range is is_range
        assert ("too far below the task's 10% quantile" in term.reason) is is_range


def test_where_a_task_is_wide_a_figure_may_be_as_far_below_q10_as_q90_is_above():
    rows = [replace(row, seconds=10.0 * 1.5**n) for n, row in enumerate(usual_rows())]
    ends = robust_snapshot("t1", rows).figures["seconds"]
    fast = math.exp(ends.ln_q10) / 40
    assert fast < math.exp(ends.ln_q10) / TIMES_BELOW["seconds"]
    made = evaluate(replace(rows[29], seconds=fast), robust_snapshot("t1", rows))
    assert made.speed_score == 100.0


def test_below_five_successes_no_figure_is_far_below():
    rows = usual_rows()[:4]
    made = evaluate(replace(rows[0], seconds=0.2), robust_snapshot("t1", rows))
    assert made.speed_score == 100.0
