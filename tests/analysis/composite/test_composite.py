"""Composites: the named readings of classic, and robust, each against arithmetic by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.composite.baselines import (
    classic_snapshot,
    classic_snapshots,
    robust_snapshot,
)
from benchmaker.analysis.composite.composite import evaluate, evaluate_classic, evaluate_robust
from benchmaker.analysis.composite.result import Reason
from benchmaker.analysis.composite.weights import (
    CATEGORY_WEIGHTS,
    PUBLISHED_WEIGHTS,
    Weights,
    weights_for,
)
from benchmaker.arenas.agentic import classic
from benchmaker.errors import NotComparable, SpecError
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import FREE
from benchmaker.record.submissions.submission import Status
from tests.analysis.composite.test_baselines import as_published
from tests.analysis.submissions import SEEDS, a_row, random_rows
from tests.draws import draws

DEFAULT = classic_snapshot("t1", [])
OWN = robust_snapshot("t1", [a_row(n) for n in range(20)])
EARLIER = robust_snapshot("t1", [a_row(n) for n in range(20)], ranked=None)
"""The same under the rules of robust/1."""


@settings(max_examples=draws(20, 40), deadline=None)
@given(SEEDS)
def test_classic_scores_are_those_of_the_published_functions(seed):
    rows = random_rows(seed, 60)
    snapshots = classic_snapshots(rows)
    for row in rows:
        made = evaluate_classic(row, snapshots[row.task_id])
        if made.reason is not Reason.NONE:
            continue
        graded = 100.0 if row.correctness is None else row.correctness * 100.0
        published, baseline = as_published(row), snapshots[row.task_id].published_fields()
        parts = (
            classic.calculate_efficiency_score(published, baseline),
            classic.calculate_speed_score(published, baseline),
            classic.calculate_cost_score(published, baseline),
        )
        expected = parts[0] * 0.35 + parts[1] * 0.25 + parts[2] * 0.20 + graded * 0.20
        assert made.overall_score == round(expected, 2)
        assert (made.efficiency_score, made.speed_score, made.cost_score) == tuple(
            round(p, 2) for p in parts
        )


# the named readings of classic


def test_reading_weights_are_the_tasks_own_else_those_of_one_of_five_categories():
    own = Weights(0.1, 0.2, 0.3, 0.4)
    assert weights_for("debugging", own) is own
    assert weights_for("debugging") is CATEGORY_WEIGHTS["debugging"]
    assert weights_for("poetry") is weights_for(None) is PUBLISHED_WEIGHTS
    made = evaluate_classic(a_row(), DEFAULT, weights_for("debugging"))
    parts = (made.efficiency_score, made.speed_score, made.cost_score, made.correctness_score)
    expected = sum(w * p for w, p in zip((0.25, 0.35, 0.15, 0.25), parts, strict=True))
    assert made.overall_score == pytest.approx(expected, abs=0.01)


def test_reading_difficulty_is_a_second_figure_and_leaves_the_first_alone():
    scores = [
        evaluate_classic(a_row(difficulty=d), DEFAULT)
        for d in ("beginner", "advanced", "odd", None)
    ]
    assert len({made.overall_score for made in scores}) == 1
    plain = scores[0].overall_score
    assert [made.adjusted_score for made in scores] == [
        plain,
        min(100.0, plain * 1.2),
        plain,
        plain,
    ]


def test_reading_below_five_eligible_the_default_baseline_scores():
    snapshot = classic_snapshot("t1", [a_row(n, seconds=1.0) for n in range(4)])
    made = evaluate_classic(a_row(seconds=930.0), snapshot)
    assert made.speed_score == round(((1800 - 930) / 1740) ** 0.7 * 100, 2)


def test_reading_findings_of_the_validation_rules_are_warnings():
    made = evaluate_classic(a_row(total_tokens=9, tool_calls=1, iterations=1, seconds=1.0), DEFAULT)
    evaluation = made.to_dict() | {"total_tokens": 9}
    assert list(made.warnings) == classic.validate_evaluation_metrics(evaluation)
    assert len(made.warnings) == 2
    assert made.overall_score is not None
    assert evaluate_classic(a_row(seconds=900.0), DEFAULT).warnings == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"total_tokens": None}, Reason.NO_TOKENS), ({"tool_calls": None}, Reason.NO_TOOL_CALLS)],
)
def test_reading_without_tokens_or_tool_calls_a_row_is_not_evaluable_and_keeps_its_correctness(
    change, reason
):
    made = evaluate_classic(a_row(correctness=0.5, **change), DEFAULT)
    assert (made.overall_score, made.efficiency_score, made.correctness_score) == (None, None, 50.0)
    assert made.reason is reason
    assert "no stand-in" in made.words


def test_reading_what_is_missing_besides_has_the_published_stand_in_and_is_named():
    made = evaluate_classic(a_row(seconds=None, cost=0, iterations=None, correctness=None), DEFAULT)
    assert (made.speed_score, made.cost_score, made.correctness_score) == (50.0, 50.0, 100.0)
    assert made.stand_ins == ("iterations", "speed", "cost", "correctness")
    assert sum("as published" in line for line in made.lines()) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"cost": -0.1},
        {"seconds": math.inf},
        {"total_tokens": math.nan},
        {"iterations": 0},
        {"correctness": 1.1},
    ],
)
@pytest.mark.parametrize("snapshot", [DEFAULT, OWN])
def test_reading_figures_that_cant_be_true_are_refused_before_scoring(change, snapshot):
    made = evaluate(a_row(**change), snapshot)
    assert (made.reason, made.overall_score, made.correctness_score) == (Reason.REFUSED, None, None)
    assert next(iter(change)) in made.words


# robust


def by_hand(row, snapshot, weights):
    """Σ w·s / Σ w, written out with plain logarithms; what is missing is left out."""

    def s(name, value):
        ends = snapshot.figures[name]
        return min(max((ends.ln_q90 - math.log(value)) / (ends.ln_q90 - ends.ln_q10), 0), 1)

    shares = {
        "tokens": (0.5, row.fresh_tokens),
        "tool_calls": (0.3, row.tool_calls),
        "iterations": (0.2, row.iterations),
    }
    present = {n: (w, x) for n, (w, x) in shares.items() if x is not None}
    parts = [(weights.correctness, row.correctness)]
    if present:
        total = sum(w for w, _ in present.values())
        parts.append(
            (weights.efficiency, sum(w * s(n, x) for n, (w, x) in present.items()) / total)
        )
    if row.seconds is not None:
        parts.append((weights.speed, s("seconds", row.seconds)))
    if row.cost is not None:
        parts.append((weights.cost, s("cost", row.cost)))
    return 100 * sum(w * x for w, x in parts) / sum(w for w, _ in parts)


FIGURE = st.one_of(st.none(), st.floats(0.001, 1e6))


FIGURES = st.fixed_dictionaries(
    {
        "fresh_tokens": FIGURE,
        "tool_calls": FIGURE,
        "iterations": st.one_of(st.none(), st.integers(1, 50)),
        "seconds": FIGURE,
        "cost": FIGURE,
        "correctness": st.floats(0, 1),
    }
)


@given(FIGURES)
def test_the_earlier_rules_equal_arithmetic_by_hand(figures):
    row = a_row(**figures)
    made = evaluate_robust(row, EARLIER, CATEGORY_WEIGHTS["refactoring"])
    expected = by_hand(row, EARLIER, CATEGORY_WEIGHTS["refactoring"])
    assert made.overall_score == pytest.approx(expected, abs=1e-9)
    assert 0 <= made.overall_score <= 100 + 1e-9
    assert (made.upper, made.provisional) == ({}, False)
    assert "upper" not in made.to_dict()


@given(FIGURES)
def test_a_robust_range_ends_where_what_is_missing_is_worst_and_best(figures):
    row = a_row(**figures)
    weights = CATEGORY_WEIGHTS["refactoring"]
    made = evaluate_robust(row, OWN, weights)
    known = {
        "fresh_tokens" if term.name == "tokens" else term.name: term.value for term in made.terms
    }
    for instead, end in ((1e11, made.overall_score), (1e-11, None)):
        filled = {name: instead if value is None else value for name, value in known.items()}
        expected = by_hand(a_row(**figures | filled), OWN, weights)
        got = made.upper.get("overall", made.overall_score) if end is None else end
        assert got == pytest.approx(expected, abs=1e-9)
    assert ("overall" in made.upper) == (None in known.values())


def test_a_missing_figure_that_counts_is_a_range_and_says_so():
    made = evaluate_robust(a_row(cost=None), OWN)
    whole = evaluate_robust(a_row(), OWN)
    assert made.cost_score == 0.0
    assert made.upper["cost"] == 100.0
    assert made.overall_score == pytest.approx(whole.overall_score - 0.2 * whole.cost_score)
    assert made.upper["overall"] == pytest.approx(made.overall_score + 20)
    assert "cost: 1 · cost missing, so from 0 to 100" in made.lines()
    assert any(line.startswith("at most ") for line in made.lines())


def test_a_figure_that_too_few_have_changes_no_composite():
    rows = [a_row(n, cost=None if n % 3 else 0.5) for n in range(20)]
    snapshot = robust_snapshot("t1", rows)
    assert (snapshot.counting.rows, snapshot.counting.having["cost"]) == (20, 7)
    scores = {evaluate_robust(a_row(cost=cost), snapshot).overall_score for cost in (None, 0.1, 9)}
    assert len(scores) == 1
    lines = evaluate_robust(a_row(cost=9), snapshot).lines()
    assert "cost: cost ignored (not counted: 7 of 20 successes have it)" in lines


def test_tokens_that_a_total_does_not_tell_apart_say_so():
    rows = [a_row(n, fresh_tokens=None) for n in range(20)]
    made = evaluate_robust(rows[0], robust_snapshot("t1", rows))
    line = next(line for line in made.lines() if "tokens ignored" in line)
    assert line.startswith("efficiency: tokens ignored (not counted: 0 of 20 successes have it; ")
    assert "total_tokens does not separate fresh tokens" in line
    assert "usage.input_uncached" in line


def test_below_five_successes_every_figure_counts_that_the_row_has():
    snapshot = robust_snapshot("t1", [a_row(n) for n in range(4)])
    made = evaluate_robust(a_row(cost=None), snapshot)
    expected = by_hand(a_row(cost=None), snapshot, PUBLISHED_WEIGHTS)
    assert made.overall_score == pytest.approx(expected)
    assert made.upper == {}
    assert made.provisional
    assert "cost: cost ignored (missing)" in made.lines()
    assert any(line.startswith("provisional") for line in made.lines())


@pytest.mark.parametrize("figure", ["fresh_tokens", "tool_calls", "seconds", "cost"])
@pytest.mark.parametrize("value", [0, 1e-12, 1e13])
def test_a_figure_that_can_not_be_of_work_with_a_model_is_missing(figure, value):
    made = evaluate_robust(a_row(**{figure: value}), OWN)
    name = "tokens" if figure == "fresh_tokens" else figure
    without = evaluate_robust(a_row(**{figure: None}), OWN)
    assert made.overall_score == without.overall_score
    (term,) = [one for one in made.terms if one.name == name]
    assert term.reason.startswith("missing: ")
    assert term.reason.endswith(" is impossible")


@pytest.mark.parametrize(("figure", "value"), [("cost", 1e-6), ("cost", 4e-3), ("seconds", 0.5)])
def test_a_figure_below_what_the_fresh_tokens_take_is_missing(figure, value):
    made, without, plausible = (
        evaluate_robust(a_row(fresh_tokens=1e6, **{figure: one}), OWN)
        for one in (value, None, value * 1e4)
    )
    assert made.overall_score == without.overall_score
    (term,) = [one for one in made.terms if one.name == figure]
    assert term.reason.startswith("missing: ")
    assert term.reason.endswith(" is impossible")
    assert ("for 1,000,000 fresh tokens" in term.reason) == (value > 1e-5)
    assert not plausible.upper


@pytest.mark.parametrize(("cost", "is_missing"), [(9e-4, True), (0.0011, False)])
def test_a_cost_below_what_a_total_takes_is_missing_whatever_the_kinds(cost, is_missing):
    row = a_row(total_tokens=1e6, fresh_tokens=None, cost=cost)
    assert (row.valid_figure("cost", tokens="fresh") is None) is is_missing
    assert ("0.0009 for 1,000,000 tokens" in row.absence("cost", tokens="fresh")) is is_missing
    columns = MetricColumns.of([row])
    assert np.isnan(columns.valid_figure("cost", tokens="fresh")[0]) == is_missing


def test_a_model_that_the_price_list_calls_free_costs_0_and_scores_1():
    made = evaluate_robust(a_row(cost=0, flags=(FREE,)), OWN)
    assert (made.cost_score, made.upper) == (100.0, {})
    rows = [a_row(n, cost=0, flags=(FREE,)) for n in range(100, 130)]
    beside = robust_snapshot("t1", [*rows, *(a_row(n) for n in range(20))])
    assert beside.figures["cost"] == OWN.figures["cost"]


def test_missing_is_a_range_where_others_have_no_spread():
    flat = robust_snapshot("t1", [a_row(n, seconds=60.0) for n in range(20)])
    made = evaluate_robust(a_row(seconds=None), flat)
    assert (made.speed_score, made.upper["speed"]) == (0.0, 100.0)
    assert made.overall_score < evaluate_robust(a_row(), flat).overall_score


@given(st.floats(0, 1), FIGURE)
def test_where_required_criteria_failed_nothing_but_correctness_counts(share, seconds):
    row = a_row(correctness=share, required_passed=False, success=False, seconds=seconds)
    made = evaluate_robust(row, OWN)
    assert made.overall_score == pytest.approx(20 * share)
    assert (made.efficiency_score, made.speed_score, made.cost_score) == (None, None, None)
    assert made.reason is Reason.FAILED


def test_a_failed_verdict_or_a_failed_required_criterion_is_a_failure():
    for required_passed in (True, False, None):
        for success in (True, False, None):
            row = a_row(required_passed=required_passed, success=success)
            has_failed = required_passed is False or success is False
            expected = Reason.FAILED if has_failed else Reason.NONE
            made = evaluate_robust(row, OWN)
            assert made.reason is expected
            what = (
                "required criteria failed"
                if required_passed is False
                else ("the record reports a failure")
            )
            words = f"efficiency, speed and cost do not apply: {what}"
            assert made.words == (words if has_failed else "")
            assert "failure" not in made.to_dict()
            assert MetricColumns.of([row]).gate.tolist() == [row.gate] == [not has_failed]


def test_without_a_verdict_a_row_is_unverified_and_has_no_composite():
    made = evaluate_robust(a_row(correctness=None), OWN)
    assert (made.overall_score, made.reason) == (None, Reason.UNVERIFIED)


def test_an_infrastructure_failure_is_never_evaluated():
    row = a_row(outcome=Status.INFRA_ERROR)
    assert {evaluate(row, snapshot).reason for snapshot in (DEFAULT, OWN)} == {
        Reason.INFRASTRUCTURE
    }


def test_a_part_without_spread_is_left_out_and_says_so():
    flat = robust_snapshot("t1", [a_row(n, seconds=60.0) for n in range(20)])
    made = evaluate_robust(a_row(), flat)
    assert made.speed_score is None
    assert "speed" not in made.weights
    assert any("no spread" in line for line in made.lines())


def test_a_figure_of_zero_scored_full_marks_under_the_earlier_rules():
    assert evaluate_robust(a_row(cost=0), EARLIER).cost_score == 100.0


@given(st.floats(5, 1e5), st.floats(5, 1e5))
def test_less_never_scores_lower(one, two):
    low, high = sorted((one, two))
    for snapshot in (DEFAULT, OWN):
        assert (
            evaluate(a_row(seconds=low), snapshot).speed_score
            >= evaluate(a_row(seconds=high), snapshot).speed_score
        )


def test_every_term_is_printed():
    lines = evaluate_robust(a_row(3, iterations=None), EARLIER).lines()
    assert any(line.startswith("efficiency: 0.5 · tokens 530 between") for line in lines)
    assert "efficiency: iterations ignored (missing)" in lines
    assert lines[-1].startswith("overall = (0.35 · ")
    failed = evaluate_robust(a_row(required_passed=False, correctness=0.5), OWN).lines()
    assert failed[0] == "overall = 0.2 · 50 = 10.0"


def test_the_sum_over_present_parts_names_its_divisor():
    made = evaluate_robust(a_row(cost=None), EARLIER)
    assert " over 0.8 = " in made.lines()[-1]


def test_a_snapshot_of_another_task_does_not_compare():
    with pytest.raises(NotComparable, match="the snapshot of 't1'"):
        evaluate(a_row(task_id="t2"), OWN)


def test_without_any_weight_there_is_no_composite():
    weights = Weights(efficiency=0.0, speed=0.0, cost=1.0, correctness=0.0)
    made = evaluate_robust(a_row(cost=None), EARLIER, weights)
    assert (made.overall_score, made.reason) == (None, Reason.WEIGHTLESS)
    assert evaluate_robust(a_row(cost=None), OWN, weights).upper["overall"] == 100.0


@pytest.mark.parametrize("wrong", [{"speed": 0.26}, {"speed": -0.25}, {"speed": math.nan}])
def test_weights_that_do_not_sum_to_one_are_refused(wrong):
    with pytest.raises(SpecError, match="weight"):
        replace(PUBLISHED_WEIGHTS, **wrong)
    with pytest.raises(SpecError, match="Give one weight each"):
        Weights.of({"speed": 1.0})


def test_a_composite_is_plain_data():
    made = evaluate_robust(a_row(), OWN).to_dict()
    assert made["terms"][0]["name"] == "tokens"
    assert made["reason"] == ""
