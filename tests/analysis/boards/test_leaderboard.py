import csv
import math
import random
import statistics
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.analysis.boards.board import VALUES, Rules, Where, words_for
from benchmaker.analysis.boards.leaderboard import Boards, leaderboard, ranks_of
from benchmaker.analysis.composite.baseline_columns import classic_baselines, robust_baselines
from benchmaker.analysis.composite.composite_columns import (
    evaluate_classic_columns,
    evaluate_robust_columns,
    task_weights,
)
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.submission import EvidenceLevel, Status
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled
from tests.draws import draws

FEW = Rules(least_submissions=2, least_systems=2)


def made(rows, family="classic"):
    columns = MetricColumns.of(rows)
    weights = task_weights(columns)
    if family == "classic":
        return columns, evaluate_classic_columns(columns, classic_baselines(columns), weights)
    return columns, evaluate_robust_columns(columns, robust_baselines(columns), weights)


def board(rows, family="classic", **given_):
    return leaderboard(*made(rows, family), **given_)


def graded(system, task, correctness, number, **given_):
    return a_row(
        number, system=system, task_id=task, correctness=correctness, tool=system, **given_
    )


def a_table(**systems):
    """Systems with a list of correctness per task each."""
    rows = []
    for system, tasks in systems.items():
        for task, values in enumerate(tasks):
            for value in values:
                rows.append(graded(system, f"t{task}", value, len(rows)))
    return rows


@pytest.mark.parametrize("family", ["classic", "robust"])
@pytest.mark.parametrize("least_systems", [1, 9])
def test_equal_scores_are_in_the_order_of_names_whoever_was_first(family, least_systems):
    rules = replace(FEW, least_systems=least_systems)
    for names in (("b", "a", "c"), ("c", "b", "a")):
        rows = a_table(**{name: [[1.0, 0.5], [0.5]] for name in names})
        found = board(rows, family, rules=rules, value="correctness").rows
        assert [it.system for it in found] == ["a", "b", "c"]
        assert len({it.score for it in found}) == 1


def by_name(found):
    return {(row.system, row.hollow): row for row in found.rows}


def slow_score(rows, values, policy):
    """The mean over tasks of what stands, the plain way."""
    by_task = {}
    for row, value in sorted(zip(rows, values, strict=True), key=lambda pair: pair[0].order):
        if not math.isnan(value):
            by_task.setdefault(row.task_id, []).append(value)
    stand = {
        "mean": statistics.fmean,
        "first": lambda v: v[0],
        "last": lambda v: v[-1],
        "best": max,
    }[policy]
    return statistics.fmean(stand(v) for v in by_task.values()) if by_task else None


@settings(max_examples=draws(15, 30), deadline=None)
@given(
    SEEDS,
    st.sampled_from(["mean", "first", "last", "best"]),
    st.sampled_from(["classic", "robust"]),
)
def test_scores_equal_those_of_the_slow_way(seed, policy, family):
    rows = random_rows(seed, 120)
    columns, composites = made(rows, family)
    found = leaderboard(columns, composites, rules=replace(FEW, policy=policy))
    for line in found.rows:
        own = [
            (row, float(value))
            for row, value in zip(rows, composites.overall, strict=True)
            if row.system == line.system
            and not row.quarantined
            and (row.evidence_level is EvidenceLevel.SELF_REPORTED) == line.hollow
        ]
        expected = slow_score([r for r, _ in own], [v for _, v in own], policy)
        assert line.attempts == len(own)
        assert line.evaluated == sum(not math.isnan(v) for _, v in own)
        assert (line.score is None) == (expected is None)
        if expected is not None:
            assert line.score == pytest.approx(expected, abs=1e-9)


@settings(max_examples=draws(15, 25), deadline=None)
@given(SEEDS, SEEDS, st.sampled_from(["mean", "first", "last", "best"]), st.sampled_from(VALUES))
def test_any_order_gives_the_same_board_to_the_last_digit(seed, other, policy, value):
    rows = random_rows(seed, 150)
    rules = replace(FEW, policy=policy)
    for family in ("classic", "robust"):
        one = board(rows, family, rules=rules, value=value)
        assert one == board(shuffled(rows, other), family, rules=rules, value=value)


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.sampled_from(["task", "category", "tool", "model", "difficulty", "effort"]))
def test_boards_made_together_equal_those_made_alone(seed, label):
    columns, composites = made(random_rows(seed, 150))
    together = dict(Boards.of(columns, composites, rules=FEW).boards_by_label(label))
    assert set(together) == set(columns.names(label))
    for name, found in together.items():
        assert found == leaderboard(columns, composites, rules=FEW, where=Where(**{label: name}))


def test_equal_scores_share_a_rank_and_a_percentile_and_the_earliest_stands_first():
    rows = a_table(a=[[1, 1], [0, 0]], b=[[0, 0], [1, 1]], c=[[0, 0], [0, 0]])
    found = board(rows, value="correctness", rules=FEW)
    assert [(row.system, row.rank) for row in found.rows] == [("a", 1), ("b", 1), ("c", 3)]
    assert [row.percentile for row in found.rows] == pytest.approx([200 / 3, 200 / 3, 100 / 6])


def test_a_board_below_three_systems_is_provisional_and_ranks_nobody():
    found = board(a_table(a=[[1] * 6], b=[[0] * 6]), value="correctness")
    assert found.provisional
    assert [row.rank for row in found.rows] == [None, None]
    assert "3 are needed" in found.notes[0]


def test_a_system_below_five_submissions_is_provisional_and_listed_after_the_ranked():
    rows = a_table(a=[[0.1] * 5], b=[[0.2] * 5], c=[[0.3] * 5], d=[[1] * 4])
    found = board(rows, value="correctness")
    assert [(row.system, row.rank) for row in found.rows] == [
        ("c", 1),
        ("b", 2),
        ("a", 3),
        ("d", None),
    ]
    assert found.rows[-1].provisional
    assert "4 evaluated submissions, at least 5 are needed" in found.rows[-1].reason


def test_self_reported_submissions_are_hollow_and_move_nobody():
    rows = a_table(a=[[0.1] * 5], b=[[0.2] * 5], c=[[0.3] * 5])
    boast = [
        graded("a", "t0", 1.0, 100 + n, evidence_level=EvidenceLevel.SELF_REPORTED)
        for n in range(9)
    ]
    alone, with_boast = board(rows, value="correctness"), board(rows + boast, value="correctness")
    assert with_boast.rows[:3] == alone.rows
    hollow = with_boast.rows[3]
    assert (hollow.system, hollow.hollow, hollow.rank, hollow.score) == ("a", True, None, 100.0)


def test_in_robust_a_self_reported_submission_changes_no_other_composite():
    rows = random_rows(3, 80)
    boast = [
        a_row(500 + n, evidence_level=EvidenceLevel.SELF_REPORTED, seconds=1.0) for n in range(9)
    ]
    before, after = made(rows, "robust")[1], made(rows + boast, "robust")[1]
    np.testing.assert_array_equal(before.overall, after.overall[: len(rows)])


def test_the_evidence_of_a_row_is_the_weakest_that_counts():
    rows = a_table(a=[[1] * 5], b=[[0] * 5], c=[[0.5] * 5])
    rows += [graded("a", "t0", 1.0, 90, evidence_level=EvidenceLevel.IMPORTED)]
    assert by_name(board(rows, value="correctness"))["a", False].evidence_level == "imported"


def test_a_row_names_each_isolation_that_its_submissions_were_verified_in():
    isolations = {"a": ["container", "namespace", None], "b": ["container"], "c": [None]}
    rows = [
        graded(system, "t0", 1.0, number, isolation=isolation)
        for system, chosen in isolations.items()
        for number, isolation in enumerate(chosen)
    ]
    found = by_name(board(rows, value="correctness", rules=FEW))
    assert {system: row.isolation for (system, _), row in found.items()} == {
        "a": ("container", "namespace"),
        "b": ("container",),
        "c": (),
    }


def test_quarantined_submissions_are_left_out_and_counted():
    rows = a_table(a=[[1] * 5], b=[[0] * 5], c=[[0.5] * 5])
    rows += [graded("a", "t0", 0.0, 90, quarantined=True)]
    found = board(rows, value="correctness")
    assert found.quarantined == 1
    assert by_name(found)["a", False].score == 100.0


def test_the_best_attempt_is_shown_with_how_many_there_were():
    rows = a_table(a=[[0, 0, 1]], b=[[0.5] * 3], c=[[0.2] * 3])
    rules = replace(FEW, policy="best")
    row = by_name(board(rows, value="correctness", rules=rules))["a", False]
    assert (row.score, row.n, row.attempts) == (100.0, 1, 3)


def test_figures_rank_from_the_lowest_up():
    rows = [a_row(n, system="abc"[n % 3], cost=(n % 3) + 1) for n in range(15)]
    found = board(rows, value="dollars")
    assert [(row.system, row.score) for row in found.rows] == [("a", 1.0), ("b", 2.0), ("c", 3.0)]
    assert not found.higher_is_better


def test_a_submission_without_a_verdict_counts_as_failed_in_resolved_alone():
    rows = [a_row(n, system="abc"[n % 3], success=None if n < 3 else True) for n in range(15)]
    assert by_name(board(rows, value="resolved"))["a", False].score == 80.0
    assert by_name(board(rows, value="success"))["a", False].score == 100.0


def test_an_infrastructure_failure_counts_as_failed_in_resolved_alone():
    rows = [
        a_row(
            n,
            system="abc"[n % 3],
            success=None if n < 3 else True,
            outcome=Status.INFRA_ERROR if n < 3 else Status.COMPLETED,
        )
        for n in range(18)
    ]
    assert by_name(board(rows, value="resolved"))["a", False].score == pytest.approx(500 / 6)
    assert by_name(board(rows, value="success"))["a", False].score == 100.0


@pytest.mark.data
def test_the_published_accuracies_of_terminal_bench_are_those_of_resolved(shared):
    path = shared / "agent_logs" / "terminal_bench" / "leaderboard_trials.csv"
    with path.open(newline="") as lines:
        rows = [
            a_row(
                n,
                task_id=line["task_id"],
                category=None,
                system=line["submission"],
                success={"True": True, "False": False}.get(line["resolved"]),
                correctness=None,
                evidence_level=EvidenceLevel.IMPORTED,
            )
            for n, line in enumerate(csv.DictReader(lines))
        ]
    found = {row.system: row for row in board(rows, value="resolved").rows}
    published = {
        "20250711_openhands_claude-4-sonnet": 41.25,
        "20250829_goose_claude-4-sonnet": 41.25,
        "20250923_droid_claude-4-sonnet": 50.5,
    }
    for system, accuracy in published.items():
        assert found[system].score == pytest.approx(accuracy, abs=1e-9)
        assert found[system].attempts == 400
    without = {row.system: row for row in board(rows, value="success").rows}
    assert without["20250711_openhands_claude-4-sonnet"].score > 41.25


def test_rank_intervals_are_narrow_where_the_data_are_clear():
    rows = a_table(
        a=[[0.9, 0.95, 1]] * 8,
        b=[[0.4, 0.5, 0.6]] * 8,
        c=[[0.0, 0.1, 0.05]] * 8,
        d=[[0.41, 0.5, 0.59]] * 8,
    )
    spans = {row.system: row.rank_interval for row in board(rows, value="correctness").rows}
    assert spans == {"a": (1, 1), "b": (2, 3), "d": (2, 3), "c": (4, 4)}


@settings(max_examples=draws(12, 20), deadline=None)
@given(SEEDS)
def test_a_rank_lies_in_its_interval(seed):
    for row in board(random_rows(seed, 200), "robust", rules=FEW).rows:
        if row.rank is not None:
            assert row.rank_interval[0] <= row.rank <= row.rank_interval[1]


def test_on_common_tasks_only_those_count_that_all_have():
    rows = a_table(a=[[1] * 5, [1]], b=[[0.5] * 5], c=[[0] * 5])
    found = board(rows, value="correctness", rules=Rules(common=True))
    assert {row.tasks for row in found.rows} == {1}


def test_windows_and_labels_choose_submissions():
    rows = [a_row(n, system="abc"[n % 3], finished_us=n) for n in range(30)]
    found = board(rows, where=Where(since_us=10, until_us=20, tool="claude_code"))
    assert found.submissions == 10
    assert board(rows, where=Where(tool="none such")).rows == ()


def test_tools_can_be_ranked_as_one():
    rows = [a_row(n, system=f"s{n % 6}", tool="xyz"[n % 3]) for n in range(30)]
    found = board(rows, unit="tool")
    assert {row.system for row in found.rows} == {"x", "y", "z"}


def test_an_unknown_value_is_named():
    with pytest.raises(SpecError, match="Unknown value 'beauty' to rank by"):
        board([a_row()], value="beauty")


def test_an_empty_board_is_empty():
    found = board([])
    assert found.rows == ()
    assert found.provisional
    assert found.to_dict()["rows"] == []


def test_a_unit_alone_in_its_values_has_an_interval_of_some_width():
    rows = a_table(a=[[1] * 5], b=[[1] * 5], c=[[0] * 5])
    lines = {row.system: row for row in board(rows, value="correctness").rows}
    assert lines["a"].low < 100 == lines["a"].high
    assert lines["a"].rank_interval == (1, 2)


@settings(max_examples=draws(10, 30), deadline=None)
@given(seed=SEEDS, family=st.sampled_from(["classic", "robust"]), least=st.integers(1, 5))
def test_ranks_alone_are_those_of_the_board(seed, family, least):
    columns, composites = made(random_rows(seed, 120), family)
    rules = Rules(least_submissions=2, least_systems=least)
    rows = leaderboard(columns, composites, rules=rules).rows
    ranks = ranks_of(columns, composites, rules=rules)
    assert ranks == {row.system: row.rank for row in rows if row.rank is not None}


STRICT = Rules(needs_all_figures=True)


def costs(**systems):
    """One submission a cost of every system, each to its own task; None is unknown."""
    return [
        a_row(len(systems) * n + place, system=system, task_id=f"t{n}", cost=cost)
        for place, (system, values) in enumerate(systems.items())
        for n, cost in enumerate(values)
    ]


SOME_COSTS = {"a": [1.0] * 18, "b": [2.0] * 18, "c": [3.0] * 18}


def test_leaving_out_most_costs_gains_no_rank_by_dollars():
    rows = costs(**SOME_COSTS, d=[0.5] * 5 + [None] * 13)
    found = board(rows, "robust", value="dollars", rules=STRICT)
    assert [(row.system, row.rank) for row in found.rows] == [
        ("a", 1),
        ("b", 2),
        ("c", 3),
        ("d", None),
    ]
    last = found.rows[-1]
    assert (last.evaluated, last.lacking, last.score) == (5, 13, 0.5)
    assert last.reason == "cost known for 5 of 18 submissions"
    assert not last.provisional
    assert any(note.startswith("1 system has no rank: cost known") for note in found.notes)


def test_leaving_out_a_cost_takes_no_rank_from_others():
    rows = costs(**{**SOME_COSTS, "c": [3.0] * 17 + [None]})
    found = board(rows, "robust", value="dollars", rules=STRICT)
    assert {row.system: row.rank for row in found.rows} == {"a": 1, "b": 2, "c": None}


def test_a_cost_that_the_infrastructure_broke_is_not_lacking():
    rows = costs(**SOME_COSTS)
    rows[0] = msgspec.structs.replace(rows[0], cost=None, outcome=Status.INFRA_ERROR)
    found = by_name(board(rows, "robust", value="dollars", rules=STRICT))
    assert (found["a", False].rank, found["a", False].lacking) == (1, 0)


def test_impossibly_small_costs_are_missing_where_all_are_needed():
    rows = costs(**SOME_COSTS, d=[1e-9] * 18)
    assert by_name(board(rows, value="dollars"))["d", False].rank == 1
    assert by_name(board(rows, value="dollars", rules=STRICT))["d", False].rank is None


def test_classic_ranks_the_mean_of_known_figures_and_counts_the_missing():
    rows = costs(**SOME_COSTS, d=[0.5] * 5 + [None] * 13)
    found = by_name(board(rows, value="dollars"))["d", False]
    assert (found.rank, found.lacking, found.reason) == (1, 13, "")


@settings(max_examples=draws(10, 30), deadline=None)
@given(SEEDS, st.sampled_from(["dollars", "tokens", "seconds", "tool_calls", "iterations"]))
def test_no_figure_that_is_left_out_lifts_a_rank_by_it(seed, value):
    dice = random.Random(seed)  # noqa: S311  a test's dice
    rows = random_rows(seed, 60)
    rules = replace(FEW, needs_all_figures=True)
    before = {row.system: row.rank for row in board(rows, "robust", value=value, rules=rules).rows}
    at = dice.randrange(len(rows))
    names = ["total_tokens", "fresh_tokens", "tool_calls", "iterations", "seconds", "cost"]
    rows[at] = msgspec.structs.replace(rows[at], **dict.fromkeys(names))
    after = {row.system: row.rank for row in board(rows, "robust", value=value, rules=rules).rows}
    own = rows[at].system
    assert after.get(own) is None or after[own] == before[own]
    for system, rank in before.items():
        if system != own and rank is not None:
            assert after[system] is not None


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("dollars", "cost"),
        ("seconds", "time"),
        ("iterations", "prompts"),
        ("tool_calls", "tool calls"),
    ],
)
def test_a_figure_is_called_by_its_label(value, name):
    assert words_for(value) == name
