"""Tokens, cost and time by day, tool, model, project and session."""

from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis.usage.session_usage import BYS, summarise_usage
from benchmaker.record.submissions.submission import (
    Cost,
    ModelUsage,
    Submission,
    System,
    TimeSpent,
    TokenUsage,
)


def a_session(number=0, *, harness="Claude", model="opus", output=10, cost=None, **given):
    given = {
        "started_at": "2026-02-10T23:30:00.000Z",
        "usage": TokenUsage(output=output),
        "total_tokens": output,
        "time": TimeSpent(wall_s=100.0, active_s=60.0),
        "cost": cost or Cost(),
    } | given
    return Submission(id=f"s{number}", system=System(harness=harness, model=model), **given)


COST = st.builds(
    Cost, reported_usd=st.none() | st.floats(0, 9), computed_usd=st.none() | st.floats(0, 9)
)
SESSION = st.builds(
    a_session,
    st.integers(0, 5),
    harness=st.sampled_from(["Claude", "Codex"]),
    model=st.sampled_from(["opus", "gpt"]),
    output=st.integers(0, 99),
    cost=COST,
    project=st.sampled_from([None, "/a", "/b"]),
    started_at=st.sampled_from([None, "2026-02-10T23:30:00.000Z", "2026-02-12T00:00:00.000Z"]),
)


@given(st.lists(SESSION), st.sampled_from(BYS))
def test_the_rows_add_up_to_the_total(sessions, by):
    made = summarise_usage(sessions, by=by, zone=UTC)
    assert sum(row.total_tokens or 0 for row in made.rows) == (made.total.total_tokens or 0)
    assert sum(row.sessions for row in made.rows) == made.total.sessions == len(sessions)
    rows = sum(row.cost_usd or 0 for row in made.rows)
    assert rows == pytest.approx(made.total.cost_usd or 0)


@given(st.lists(SESSION), st.sampled_from(BYS), st.randoms(use_true_random=False))
def test_the_order_of_sessions_changes_nothing_but_rounding(sessions, by, rng):
    shuffled = rng.sample(sessions, len(sessions))
    one, other = (
        summarise_usage(sessions, by=by, zone=UTC),
        summarise_usage(shuffled, by=by, zone=UTC),
    )
    assert {row.key: row.total_tokens for row in one.rows} == {
        row.key: row.total_tokens for row in other.rows
    }
    assert one.unpriced == other.unpriced


def test_a_session_belongs_to_the_day_on_which_it_began_there():
    sessions = [a_session(), a_session(1, started_at=None)]
    there = timezone(timedelta(hours=2))
    assert [row.key for row in summarise_usage(sessions, zone=UTC).rows] == [
        "2026-02-10",
        "unknown",
    ]
    assert [row.key for row in summarise_usage(sessions, zone=there).rows] == [
        "2026-02-11",
        "unknown",
    ]


def test_a_reported_cost_goes_before_a_computed_one_and_neither_is_told():
    made = summarise_usage(
        [
            a_session(0, cost=Cost(reported_usd=1.0, computed_usd=9.0)),
            a_session(1, cost=Cost(computed_usd=2.0)),
            a_session(2, model="inhouse", output=7),
        ],
        by="tool",
        zone=UTC,
    )
    (row,) = made.rows
    assert (row.cost_usd, row.reported_usd, row.computed_usd) == (3.0, 1.0, 11.0)
    assert row.sessions_unpriced == 1
    assert made.unpriced == {"inhouse": 7}


def test_tokens_and_cost_are_split_by_model_and_time_is_not():
    parts = (
        ModelUsage(model="opus", usage=TokenUsage(output=6), llm_calls=2, computed_usd=1.0),
        ModelUsage(model="haiku", usage=TokenUsage(output=4), llm_calls=1),
    )
    made = summarise_usage([a_session(usage_by_model=parts), a_session(1)], by="model", zone=UTC)
    opus, haiku = made.rows
    assert (opus.key, opus.total_tokens, opus.cost_usd, opus.active_s) == ("opus", 16, 1.0, None)
    assert (haiku.total_tokens, haiku.cost_usd, haiku.sessions_unpriced) == (4, None, 1)
    assert (opus.active_s_at_least, haiku.active_s_at_least) == (60.0, None)
    assert (made.total.active_s, made.total.active_s_at_least) == (120, None)
    assert made.unpriced == {"haiku": 4, "opus": 10}


def test_models_that_do_not_add_up_leave_all_to_the_sessions_own():
    parts = (
        ModelUsage(model="a", usage=TokenUsage(output=1), llm_calls=1),
        ModelUsage(model="b", usage=TokenUsage(output=1), llm_calls=1),
    )
    (row,) = summarise_usage([a_session(usage_by_model=parts)], by="model", zone=UTC).rows
    assert (row.key, row.total_tokens) == ("opus", 10)


def test_without_sessions_everything_is_unknown():
    made = summarise_usage([], zone=UTC)
    assert made.rows == ()
    assert made.total.total_tokens is made.total.cost_usd is None
    assert made.to_dict()["total"]["usage"]["output"] is None


def test_each_sum_of_times_says_of_how_many_sessions_it_is():
    made = summarise_usage(
        [
            a_session(0, time=TimeSpent(active_s=10.0)),
            a_session(1, time=TimeSpent(active_s=5.0, wall_s=20.0)),
            a_session(2, time=TimeSpent()),
        ],
        by="tool",
        zone=UTC,
    )
    total = made.total
    assert (total.active_s, total.sessions_active) == (15.0, 2)
    assert (total.wall_s, total.sessions_wall) == (20.0, 1)
