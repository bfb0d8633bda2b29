import numpy as np
import pytest
from hypothesis import given, settings

from benchmaker.analysis.boards.agent_trends import DAY_US, Marker, agent_trends
from benchmaker.record.submissions.metric_columns import MetricColumns
from tests.analysis.boards.test_leaderboard import made
from tests.analysis.submissions import SEEDS, a_row, random_rows, shuffled


def series(shares, tasks=("t1", "t2"), per_window=3):
    """One system, a window a week, correctness as given plus a little noise."""
    draw, rows = np.random.default_rng(1), []
    for week, share in enumerate(shares):
        for number in range(per_window):
            for task in tasks:
                moment = week * 7 * DAY_US + number * DAY_US
                value = float(np.clip(share + draw.normal(0, 0.01), 0, 1))
                rows.append(a_row(len(rows), task_id=task, finished_us=moment, correctness=value))
    return rows


def trend(rows, **given_):
    columns, composites = made(rows, "classic")
    (found,) = agent_trends(columns, composites, value="correctness", **given_)
    return found


def test_a_rise_has_its_slope_a_day():
    found = trend(series([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]))
    assert found.slope.slope == pytest.approx(10 / 7, abs=0.05)
    assert found.slope.low > 0
    assert found.tasks == 2


def test_a_shift_is_found_where_it_is_with_the_marker_before_it():
    marks = [Marker(1, "2.0"), Marker(27 * DAY_US, "2.1"), Marker(80 * DAY_US, "3.0")]
    found = trend(series([0.3] * 4 + [0.7] * 4), markers=marks)
    assert found.change.is_alarm
    assert found.change.at_us == 28 * DAY_US
    assert found.change.marker == "2.1"
    assert found.change.after - found.change.before == pytest.approx(40, abs=2)


def test_without_a_shift_there_is_no_alarm():
    assert not trend(series([0.5] * 8)).change.is_alarm


def test_below_twenty_matched_submissions_no_change_is_looked_for():
    found = trend(series([0.1, 0.9, 0.9], per_window=3))
    assert found.change is None
    assert found.change_reason == "18 matched submissions, at least 20 are needed"


def test_only_tasks_that_every_window_has_count():
    rows = series([0.5] * 4)
    rows += [a_row(900, task_id="new", finished_us=21 * DAY_US, correctness=0.0)]
    found = trend(rows)
    assert found.tasks == 2
    assert [round(one.mean) for one in found.windows] == [50] * 4


def test_without_a_common_task_there_is_no_slope():
    rows = [a_row(n, task_id=f"t{n}", finished_us=n * 7 * DAY_US) for n in range(5)]
    found = trend(rows)
    assert (found.slope, found.slope_reason, found.windows) == (
        None,
        "no task occurs in every window",
        (),
    )


@settings(max_examples=8, deadline=None)
@given(SEEDS, SEEDS)
def test_any_order_gives_the_same_trends(seed, other):
    rows = random_rows(seed, 90)
    made_of = [
        agent_trends(MetricColumns.of(r), made(r, "robust")[1])
        for r in (rows, shuffled(rows, other))
    ]
    assert made_of[0] == made_of[1]
