"""Which figures count on a task, and that leaving one out, or lying about it, never pays."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.analysis.boards.board import Rules
from benchmaker.analysis.boards.leaderboard import leaderboard
from benchmaker.analysis.composite.baseline_columns import robust_baselines
from benchmaker.analysis.composite.baselines import robust_snapshot
from benchmaker.analysis.composite.composite import evaluate
from benchmaker.analysis.composite.composite_columns import evaluate_robust_columns, task_weights
from benchmaker.analysis.composite.composite_rows import composite_rows
from benchmaker.analysis.composite.counting_figures import Counting, largest_doubling
from benchmaker.analysis.composite.percentiles import part_ranks
from benchmaker.analysis.composite.rank_spans import rank_spans
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.scored_figures import FIGURES
from benchmaker.record.submissions.submission import EvidenceLevel
from tests.analysis.submissions import SEEDS, a_row, shuffled
from tests.draws import draws

HONEST = st.fixed_dictionaries(
    {
        "fresh_tokens": st.floats(10_000, 200_000),
        "tool_calls": st.integers(1, 200),
        "iterations": st.integers(1, 20),
        "seconds": st.floats(60, 1_200),
        "cost": st.floats(0.1, 10),
        "correctness": st.floats(0.5, 1),
        "evidence_level": st.sampled_from([EvidenceLevel.VERIFIED, EvidenceLevel.IMPORTED]),
    }
)
DISHONEST = st.sampled_from([None, 0.0, -1.0, -1e-9, 1e-12, 1e-6, 1e8, 1e11, 1e13, 1e300, math.inf])
CHANGES = st.dictionaries(
    st.sampled_from(["fresh_tokens", "tool_calls", "iterations", "seconds", "cost"]),
    DISHONEST,
    min_size=1,
)
DAY_US = 86_400_000_000


@st.composite
def honest_rows(draw):
    """30 to 34 rows with every figure, but for one figure that a few of them lack."""
    rows = [
        a_row(n, **one) for n, one in enumerate(draw(st.lists(HONEST, min_size=30, max_size=34)))
    ]
    lacking = draw(st.sampled_from(["fresh_tokens", "tool_calls", "seconds", "cost"]))
    for at in draw(st.sets(st.integers(0, 29), max_size=5)):
        rows[at] = replace(rows[at], **{lacking: None})
    return rows


def changed(rows, at, changes):
    return [*rows[:at], replace(rows[at], **changes), *rows[at + 1 :]]


def evaluated(rows, **given_):
    columns = MetricColumns.of(rows)
    baselines, weights = robust_baselines(columns), task_weights(columns)
    return evaluate_robust_columns(columns, baselines, weights, **given_)


def ranks(rows):
    ranked = np.ones(len(rows), np.bool_)
    columns, made = MetricColumns.of(rows), evaluated(rows)
    return rank_spans(columns, made, ranked, lambda names: evaluated(rows, at_best=names))


@settings(max_examples=draws(25, 200), deadline=None)
@given(honest_rows(), CHANGES, st.data())
def test_no_missing_or_impossible_figure_raises_the_lower_end_of_a_row(rows, changes, data):
    at = data.draw(st.integers(0, len(rows) - 1))
    before = evaluated(rows).overall[at]
    after = evaluated(changed(rows, at, changes)).overall[at]
    assert math.isnan(after) or after <= before + 1e-9


@settings(max_examples=draws(25, 200), deadline=None)
@given(honest_rows(), CHANGES, st.data())
def test_no_missing_or_impossible_figure_raises_the_rank_of_a_row(rows, changes, data):
    """A row that lacked the figure may rise by reporting it, to the place of its lower end."""
    at = data.draw(st.integers(0, len(rows) - 1))
    falsified = {name: it for name, it in changes.items() if getattr(rows[at], name) is not None}
    before, after = ranks(rows), ranks(changed(rows, at, falsified))
    assert after.rank[at] == 0 or after.rank[at] >= before.rank[at]
    assert after.worst[at] >= after.rank[at] >= after.best[at]


def near_tie():
    """Rows of rising cost; the last of the baseline, the dearest, is a hair behind the 18th."""
    alike = {"fresh_tokens": 5_000, "tool_calls": 10, "iterations": 2, "seconds": 60.0}
    rows = [a_row(n, **alike, cost=0.1 * 1.1**n) for n in range(20)]
    rows[17] = replace(rows[17], correctness=0.997)
    return [*rows, *(a_row(n, **alike, cost=0.1) for n in range(20, 30))]


@pytest.mark.parametrize("cost", [None, 0.0, 1e-6, 1e11, 1e13])
def test_a_verified_row_gains_no_rank_by_leaving_the_baseline(cost):
    """Its figure held the quantile up, and with it the score of another."""
    honest, other = near_tie(), changed(near_tie(), 19, {"cost": cost})
    low = [evaluated(rows).overall for rows in (honest, other)]
    assert low[0][19] < low[0][17]
    assert cost == 1e11 or low[1][19] > low[1][17]
    assert ranks(other).rank[19] >= ranks(honest).rank[19]


@settings(max_examples=draws(20, 200), deadline=None)
@given(honest_rows(), HONEST, st.data())
def test_a_row_that_finishes_later_changes_no_other_between_20_and_40(rows, figures, data):
    """Whatever it reports, and whether it is verified, imported, self-reported or a failure."""
    rows = [replace(row, evidence_level=EvidenceLevel.VERIFIED) for row in rows]
    lies = data.draw(st.one_of(st.just({}), CHANGES))
    kind = data.draw(
        st.sampled_from([{}, {"success": False}, {"evidence_level": EvidenceLevel.SELF_REPORTED}])
    )
    added = a_row(99, **figures | lies | kind)
    before, after = evaluated(rows), evaluated([*rows, replace(added, finished_us=DAY_US)])
    assert np.array_equal(before.overall, after.overall[:-1], equal_nan=True)
    assert np.array_equal(
        before.upper_part("overall"), after.upper_part("overall")[:-1], equal_nan=True
    )


@settings(max_examples=draws(20, 60), deadline=None)
@given(st.integers(0, 45), st.data())
def test_a_further_row_changes_others_only_at_the_stated_numbers(count, data):
    maybe = st.none() | st.floats(1, 1e4)
    kinds = st.fixed_dictionaries(dict.fromkeys(("fresh_tokens", "seconds", "cost"), maybe))
    figures = data.draw(st.lists(kinds, min_size=count + 1, max_size=count + 1))
    rows = [a_row(n, evidence_level=EvidenceLevel.IMPORTED, **one) for n, one in enumerate(figures)]
    before, after = evaluated(rows[:-1]), evaluated(rows)
    if count + 1 not in {5, 10, 20, 40}:
        assert np.array_equal(before.overall, after.overall[:-1], equal_nan=True)
        assert np.array_equal(
            before.upper_part("overall"), after.upper_part("overall")[:-1], equal_nan=True
        )


def test_the_first_row_with_a_cost_leaves_29_others_as_they_were():
    rows = [a_row(n, cost=None, evidence_level=EvidenceLevel.IMPORTED) for n in range(29)]
    before = evaluated(rows)
    after = evaluated([*rows, a_row(29, cost=0.01, evidence_level=EvidenceLevel.IMPORTED)])
    assert before.overall.tolist() == after.overall.tolist()[:-1]
    assert not after.upper
    assert math.isnan(after.cost[-1])


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_figure_counts_where_half_of_the_rows_and_five_have_it(rows, having):
    counting = Counting(rows, dict.fromkeys(FIGURES, min(having, rows)))
    assert counting.counts("cost") == (min(having, rows) >= max(5, rows / 2))


@given(st.integers(0, 10_000), st.integers(1, 50))
def test_steps_double(count, first):
    found = largest_doubling(count, first)
    assert found == 0 if count < first else first <= found <= count < 2 * found


def test_self_reported_rows_move_no_ranked_row():
    ranked = [a_row(n, cost=None if n % 2 else 1.0) for n in range(4)]
    more = [
        a_row(100 + n, evidence_level=EvidenceLevel.SELF_REPORTED, seconds=None) for n in range(40)
    ]
    before, after = evaluated(ranked), evaluated([*ranked, *more])
    assert before.overall.tolist() == after.overall[:4].tolist()
    assert not after.counting.is_decided.any()


def test_self_reported_rows_alone_gain_nothing_by_leaving_figures_out():
    rows = [a_row(n, evidence_level=EvidenceLevel.SELF_REPORTED) for n in range(30)]
    before = evaluated(rows).overall
    rows[7] = replace(rows[7], cost=None, seconds=None)
    assert evaluated(rows).overall[7] < before[7]


@pytest.mark.parametrize("change", [{"quarantined": True}, {"success": False}, {"cost": -1.0}])
def test_rows_that_are_no_sound_successes_decide_nothing(change):
    rows = [a_row(n) for n in range(12)]
    others = [a_row(50 + n, seconds=None, **change) for n in range(12)]
    assert robust_snapshot("t1", [*rows, *others]).counting == robust_snapshot("t1", rows).counting


@settings(max_examples=draws(10, 30), deadline=None)
@given(SEEDS)
def test_any_order_decides_the_same(seed):
    rows = [a_row(n, cost=None if n % 2 else 1.0) for n in range(23)]
    assert robust_snapshot("t1", shuffled(rows, seed)) == robust_snapshot("t1", rows)


def test_what_counts_is_part_of_the_name_of_a_snapshot():
    rows = [a_row(n, evidence_level=EvidenceLevel.IMPORTED) for n in range(12)]
    without = [replace(row, cost=None) for row in rows]
    one, two = robust_snapshot("t1", rows), robust_snapshot("t1", without)
    assert one.members == two.members
    assert one.hash != two.hash
    assert robust_snapshot("t1", rows, ranked=None).hash == (
        robust_snapshot("t1", without, ranked=None).hash
    )


# places


@given(st.lists(st.sampled_from([math.nan, 0.0, 10.0, 20.0, 30.0]), min_size=1, max_size=12))
def test_a_rank_by_a_part_is_the_published_one(scores):
    column = np.array(scores)
    ranked = np.ones(len(scores), np.bool_)
    known = [(score, at) for at, score in enumerate(scores) if not math.isnan(score)]
    expected = {
        at: place for place, (_, at) in enumerate(sorted(known, key=lambda it: -it[0]), start=1)
    }
    found = part_ranks(column, ranked, shared=False)
    assert [expected.get(at, 0) for at in range(len(scores))] == found.tolist()
    shared = part_ranks(column, ranked, shared=True)
    assert all(shared[at] == 1 + sum(other > score for other, _ in known) for score, at in known)


def test_a_rank_interval_spans_both_ends_of_every_range():
    """The second may be above the first, the last above it and the one before it."""
    rows = [a_row(n) for n in range(20)]
    rows = [replace(row, evidence_level=EvidenceLevel.IMPORTED) for row in rows]
    rows[4] = replace(rows[4], cost=None)
    made, found = evaluated(rows), ranks(rows)
    low, high = made.overall, made.upper_part("overall")
    for at in range(20):
        others = [n for n in range(20) if n != at]
        assert found.rank[at] == 1 + sum(low[n] > low[at] for n in others)
        assert found.best[at] == 1 + sum(low[n] > high[at] for n in others)
        assert found.worst[at] == 1 + sum(high[n] > low[at] for n in others)
    assert found.best[4] < found.rank[4]
    assert any(found.worst[n] > found.rank[n] for n in range(20) if n != 4)


# boards


def a_board(rows, **given_):
    columns = MetricColumns.of(rows)
    return leaderboard(
        columns, evaluated(rows), rules=Rules(least_submissions=2, least_systems=2), **given_
    )


def test_a_system_with_missing_figures_has_a_range_and_a_rank_that_spans_both_ends():
    rows = [
        a_row(20 * task + n, task_id=f"t{task}", system="abc"[n % 3])
        for task in range(4)
        for n in range(12)
    ]
    hidden = [replace(row, cost=None) if row.system == "b" else row for row in rows]
    before = {row.system: row for row in a_board(rows).rows}
    after = {row.system: row for row in a_board(hidden).rows}
    assert before["b"].score_high is None
    assert after["b"].score < before["b"].score < after["b"].score_high
    best, worst = after["b"].rank_interval
    assert best <= after["b"].rank <= worst
    above = sum(row.score > after["b"].score_high for row in after.values())
    assert best <= 1 + above


def test_the_range_of_one_system_gives_no_range_to_another():
    columns = MetricColumns.of([a_row(0, system="a"), a_row(1, system="b")])
    made = evaluated([a_row(0, system="a"), a_row(1, system="b")])
    low, high = np.array([0.1, 20.0]), np.array([0.1, 100.0])
    board = leaderboard(columns, dataclasses.replace(made, overall=low, upper={"overall": high}))
    assert {row.system: row.score_high for row in board.rows} == {"a": None, "b": 100.0}


def test_a_board_says_which_figures_count():
    rows = [a_row(n, cost=None if n > 2 else 0.1, system="ab"[n % 2]) for n in range(20)]
    notes = a_board(rows).notes
    assert any("time (20 of 20 ranked successes)" in note for note in notes)
    assert any(note.startswith("figures with too little data: cost (3 of 20") for note in notes)
    assert not any("figures" in note for note in a_board(rows, value="success").notes)


def test_a_board_over_tasks_says_on_how_many_each_figure_counts():
    rows = [
        a_row(10 * task + n, task_id=f"t{task}", system="ab"[n % 2])
        for task, many in enumerate((6, 6, 3))
        for n in range(many)
    ]
    notes = a_board(rows).notes
    assert any(
        note.startswith(
            "figures that count on the 2 of 3 tasks with at least 5 ranked successes: tokens on 2"
        )
        for note in notes
    )
    assert any(note.startswith("provisional figures on 1 of 3 tasks") for note in notes)


def test_a_board_says_how_many_have_ranges():
    rows = [a_row(n, seconds=None if n == 3 else 60.0 + n, system="ab"[n % 2]) for n in range(20)]
    assert any(note.startswith("ranges: 1 submission lacks") for note in a_board(rows).notes)


LACKING = {"cost": "cost", "seconds": "time", "fresh_tokens": "tokens"}


@pytest.mark.parametrize("figure", LACKING)
@pytest.mark.parametrize("count", [4, 5, 8, 9, 10])
@pytest.mark.parametrize("omitting", [(), (0,), (0, 1, 2), tuple(range(10)), (7,)])
def test_scores_are_provisional_while_one_omission_can_exclude_a_figure(figure, count, omitting):
    rows = [
        a_row(n, system="ab"[n % 2], **({figure: None} if n in omitting else {}))
        for n in range(count)
    ]
    having = sum(getattr(row, figure) is not None for row in rows[:5])
    is_lacking = 5 <= count < 10 and 0 < having < 5
    columns, snapshot = MetricColumns.of(rows), robust_snapshot("t1", rows)
    row_of = composite_rows(columns, evaluated(rows), snapshot)
    made = [evaluate(row, snapshot) for row in rows]
    expected = [count < 5 or is_lacking] * count
    assert [one.provisional for one in made] == expected
    assert [row_of(at).provisional for at in range(count)] == expected
    words = f"{having} of 5 successes have it, at least 5 are needed"
    said = any(words in line for line in made[1].lines())
    assert said is is_lacking
    reason = (
        f"{LACKING[figure]} does not count: {having} of 5 ranked successes report it, at least 5 "
        "are needed"
    )
    every = "with fewer than 5 ranked successes, every figure of the submission counts"
    why = every if count < 5 else reason if is_lacking else ""
    assert {one.provisional_reason for one in made} == {why}
    assert {row_of(at).provisional_reason for at in range(count)} == {why}
    assert any(line == f"provisional: {why}" for line in made[1].lines()) is bool(why)
    assert (f"provisional scores: {reason}" in a_board(rows).notes) is is_lacking


def test_a_board_over_tasks_counts_those_where_one_omission_excludes_a_figure():
    rows = [
        a_row(10 * task + n, task_id=f"t{task}", cost=None if n < task else 0.1, system="ab"[n % 2])
        for task in range(3)
        for n in range(6)
    ]
    notes = a_board(rows).notes
    assert any(note.startswith("provisional scores on 2 of 3 tasks") for note in notes)
