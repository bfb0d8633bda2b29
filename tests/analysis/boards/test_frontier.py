import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.boards.board import Rules
from benchmaker.analysis.boards.frontier import (
    attempts_by_task,
    pareto,
    passes,
    per_success,
    within_budget,
)
from benchmaker.analysis.boards.fronts import Fronts
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.submission import Status
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled
from tests.draws import draws


def table(**systems):
    """Pairs of (dollars, success) of every system, one attempt a task."""
    rows = []
    for system, pairs in systems.items():
        for task, (cost, success) in enumerate(pairs):
            rows.append(
                a_row(len(rows), system=system, task_id=f"t{task}", cost=cost, success=success)
            )
    return MetricColumns.of(rows)


def test_nobody_on_the_front_is_beaten_at_both():
    found = pareto(
        table(cheap=[(1, False), (1, True)], dear=[(9, True)] * 2, silly=[(9, False)] * 2)
    )
    assert [(p.system, p.on_front) for p in found.points] == [
        ("cheap", True),
        ("dear", True),
        ("silly", False),
    ]


@settings(max_examples=draws(15, 25), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4)), min_size=1, max_size=8))
def test_the_front_is_that_of_every_pair(points):
    rows = [
        a_row(10 * s + t, system=f"s{s}", task_id=f"t{t}", cost=cost, success=t < won)
        for s, (cost, won) in enumerate(points)
        for t in range(4)
    ]
    found = {p.system: p.on_front for p in pareto(MetricColumns.of(rows), draws=1).points}
    for s, (cost, won) in enumerate(points):
        beaten = any(c <= cost and w >= won and (c < cost or w > won) for c, w in points)
        assert found[f"s{s}"] is not beaten


@settings(max_examples=draws(3, 10), deadline=None)
@given(SEEDS)
def test_fronts_by_several_figures_are_those_by_each(seed):
    columns, figures = MetricColumns.of(random_rows(seed, 40)), ("dollars", "tokens", "seconds")
    apart = [Fronts.of(columns, figure=figure) for figure in figures]
    assert repr(Fronts.for_figures(columns, figures)) == repr(apart)


@settings(max_examples=draws(10, 15), deadline=None)
@given(SEEDS, SEEDS)
def test_any_order_gives_the_same_front(seed, other):
    rows = random_rows(seed, 80)
    one, two = (pareto(MetricColumns.of(r), draws=20) for r in (rows, shuffled(rows, other)))
    for a, b in zip(one.points, two.points, strict=True):
        assert (a.system, a.membership, a.figure) == (b.system, b.membership, b.figure)


def test_membership_is_sure_where_the_data_are_and_shared_where_they_are_not():
    clear = pareto(table(good=[(1, True)] * 9, bad=[(9, False)] * 9))
    assert [p.membership for p in clear.points] == [1.0, 0.0]
    unclear = pareto(table(a=[(1, True), (3, False)] * 5, b=[(3, True), (1, False)] * 5))
    assert all(0.1 < p.membership <= 1 for p in unclear.points)


def test_on_a_single_task_attempts_are_drawn():
    rows = [a_row(n, system="ab"[n % 2], cost=1 + n % 2, success=n % 3 > 0) for n in range(20)]
    found = pareto(MetricColumns.of(rows))
    assert found.method == "bootstrap over attempts"
    assert all(0 <= p.membership <= 1 for p in found.points)


def test_many_attempts_are_drawn_from_the_limit_that_few_come_to():
    """Just below and from 1,000 attempts a unit, the membership is the same within its noise."""

    def drawn(attempts):
        rows = [
            a_row(
                2 * n + place,
                system="ab"[place],
                cost=1 + 0.02 * place + n % 17 / 10,
                success=(n + place) % 20 > 5,
            )
            for n in range(attempts)
            for place in (0, 1)
        ]
        return pareto(MetricColumns.of(rows), draws=2_000)

    few, many = drawn(980), drawn(1_000)

    assert few.method == "bootstrap over attempts"
    assert many.method == "bootstrap over attempts, by its normal limit from 1,000 of a unit"
    for one, two in zip(few.points, many.points, strict=True):
        assert one.membership > 0.1
        assert one.membership == pytest.approx(two.membership, abs=0.06)


def test_attempts_that_are_all_alike_do_not_vary_however_many():
    rows = [a_row(n, system="ab"[n % 2], cost=1.0 + n % 2, success=True) for n in range(2_200)]
    found = pareto(MetricColumns.of(rows), draws=50)
    assert [(p.system, p.membership) for p in found.points] == [("a", 1.0), ("b", 0.0)]


def test_cost_per_success_counts_every_attempt():
    (found,) = per_success(table(a=[(1, True), (2, False), (3, True)]))
    assert (found.value, found.successes, found.attempts) == (3.0, 2, 3)


def test_without_a_success_it_is_infinite_and_says_so():
    (found,) = per_success(table(a=[(1, False)] * 3))
    assert (found.value, found.at_least) == (None, None)
    assert "no success" in found.reason


def test_an_unknown_cost_leaves_a_lower_bound():
    (found,) = per_success(table(a=[(1, True), (None, True)]))
    assert (found.value, found.at_least) == (None, 0.5)
    assert "unknown for 1 of 2" in found.reason


@settings(max_examples=draws(15, 30), deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.01, 100), st.booleans()), min_size=1, max_size=20),
    st.floats(0.01, 100),
)
def test_success_within_a_budget_is_the_plain_count(pairs, budget):
    (found,) = within_budget(table(a=pairs))
    assert found.share_within(budget) == pytest.approx(
        sum(won and cost <= budget for cost, won in pairs) / len(pairs)
    )
    if found.area is not None:
        grid = np.exp(np.linspace(math.log(found.low), math.log(found.high), 4_001))
        assert found.area == pytest.approx(np.mean([found.share_within(b) for b in grid]), abs=0.02)


def test_passes_are_over_tasks_and_leave_infrastructure_out():
    rows = [a_row(n, task_id=f"t{n % 2}", success=n < 3) for n in range(8)]
    rows += [a_row(50, success=None, outcome=Status.INFRA_ERROR)]
    at_two, hat_two = passes(attempts_by_task(MetricColumns.of(rows), "system"), 2)["a"]
    assert at_two.tasks == pytest.approx((1 - 1 / 6, 1 - 3 / 6))
    assert hat_two.tasks == pytest.approx((1 / 6, 0.0))


def test_an_unknown_figure_is_named():
    with pytest.raises(SpecError, match="Unknown figure 'beauty'"):
        per_success(table(a=[(1, True)]), figure="beauty")


SOME = {"a": [(1, True)] * 6, "b": [(2, True)] * 6, "c": [(3, False)] * 6}
LEFT_OUT = {"d": [(0.1, True)] * 2 + [(None, True)] * 4}


def test_a_unit_that_lacks_figures_is_not_on_the_front_and_keeps_nobody_off_it():
    rules = Rules(needs_all_figures=True)
    found = Fronts.of(table(**SOME, **LEFT_OUT), rules=rules)
    points = {point.system: point for point in found.front.points}
    assert [name for name, point in points.items() if point.on_front] == ["a"]
    assert (points["d"].membership, points["d"].n, points["d"].lacking) == (0.0, 2, 4)
    assert found.untested == {"d": "4 attempts without cost"}
    assert points["a"].membership == 1.0


def test_where_not_all_figures_are_needed_the_known_ones_stand():
    found = pareto(table(**SOME, **LEFT_OUT))
    assert [point.system for point in found.points if point.on_front] == ["d"]
    assert {point.system: point.lacking for point in found.points}["d"] == 4


def test_a_success_at_an_unknown_figure_is_within_no_budget_where_all_are_needed():
    columns = table(**LEFT_OUT)
    (strict,) = within_budget(columns, rules=Rules(needs_all_figures=True))
    (loose,) = within_budget(columns)
    assert (strict.share_within(1.0), strict.attempts, strict.left_out) == (
        pytest.approx(1 / 3),
        6,
        4,
    )
    assert (loose.share_within(1.0), loose.attempts) == (1.0, 2)
