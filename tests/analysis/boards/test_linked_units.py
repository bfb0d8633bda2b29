"""A board ranks only systems that common tasks link."""

import numpy as np
import pytest
from hypothesis import given, settings

from benchmaker.analysis.boards.leaderboard import ranks_of
from benchmaker.analysis.boards.linked_units import largest_linked
from benchmaker.analysis.boards.system_task_means import cells
from tests.analysis.boards.test_leaderboard import FEW, board, graded, made
from tests.analysis.submissions import SEEDS, random_rows
from tests.draws import draws


def rows_of(**systems):
    """Five graded submissions for each system and task."""
    named = [(system, task) for system, tasks in systems.items() for task in tasks.split()]
    return [
        graded(system, task, 1.0 if system == "far" else 0.5 + n / 100, 100 * place + n)
        for place, (system, task) in enumerate(named)
        for n in range(5)
    ]


LINKED = {"a": "t1 t2", "b": "t2 t3", "c": "t3", "far": "t9"}


@pytest.mark.parametrize("value", ["overall", "correctness", "seconds"])
def test_a_system_without_a_common_task_has_no_rank(value):
    found = board(rows_of(**LINKED), "robust", value=value)
    ranks = {row.system: row.rank for row in found.rows}
    assert ranks["far"] is None
    assert min(ranks[name] for name in "abc") == 1
    (far,) = (row for row in found.rows if row.system == "far")
    assert far.reason == "shares no task with the ranked systems"
    assert not far.provisional
    assert "shares no task with the other systems, not ranked: far" in found.notes


def test_classic_ranks_it_as_published_with_a_note():
    found = board(rows_of(**LINKED), value="correctness")
    assert found.rows[0].system == "far"
    assert found.rows[0].rank == 1
    note = "shares no task with the other systems, ranked as published: far"
    assert note in found.notes


def test_where_too_few_systems_share_tasks_none_is_ranked():
    found = board(rows_of(a="t1", b="t1", c="t2", d="t3"), "robust", value="correctness")
    assert found.provisional
    assert {row.rank for row in found.rows} == {None}
    assert {row.reason for row in found.rows} == {"provisional: too few systems share tasks"}
    assert found.notes[0] == (
        "provisional: 2 systems with enough submissions that share tasks, at least 3 are needed"
    )


def slow_sets(pairs):
    """The linked sets: merge any two sets with a common task until none is left to merge."""
    sets = [({unit}, {task}) for unit, task in pairs]
    merged = True
    while merged:
        merged = False
        for one in sets:
            for other in sets:
                if one is not other and (one[0] & other[0] or one[1] & other[1]):
                    one[0].update(other[0])
                    one[1].update(other[1])
                    sets.remove(other)
                    merged = True
                    break
            if merged:
                break
    return [units for units, _ in sets]


@settings(max_examples=draws(20, 60), deadline=None)
@given(SEEDS)
def test_linked_systems_are_those_of_the_slow_way(seed):
    names = [f"s{n}" for n in range(12)]
    rows = random_rows(seed, 14, tasks=[f"t{n}" for n in range(12)], systems=names)
    columns, _ = made(rows, "robust")
    pairs = {(row.system, row.task_id) for row in rows}
    units = sorted({columns.systems.index(system) for system, _ in pairs})
    table = _table(columns)
    found = largest_linked(table, np.array(units), many=len(columns.systems))
    sets = slow_sets((columns.systems.index(system), task) for system, task in sorted(pairs))
    assert set(found.tolist()) in sets
    assert len(found) == max(map(len, sets))


def _table(columns):
    every = np.arange(len(columns))
    return cells(columns, np.ones(len(columns)), columns.system, rows=every)


@settings(max_examples=draws(10, 30), deadline=None)
@given(SEEDS)
def test_ranks_alone_leave_out_the_same_systems(seed):
    names = [f"s{n}" for n in range(8)]
    rows = random_rows(seed, 40, tasks=[f"t{n}" for n in range(20)], systems=names)
    columns, composites = made(rows, "robust")
    found = board(rows, "robust", rules=FEW)
    ranks = {row.system: row.rank for row in found.rows if row.rank is not None}
    assert ranks_of(columns, composites, rules=FEW) == ranks


def test_the_mean_cost_is_that_of_the_known_ones():
    rows = [graded("a", "t1", 1.0, n, cost=None if n == 0 else float(n)) for n in range(4)]
    (row,) = board(rows, "robust", value="correctness").rows
    assert (row.mean_cost, row.costs) == (2.0, 3)
