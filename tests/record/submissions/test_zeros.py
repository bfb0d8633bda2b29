"""Figures of 0 beside calls of a model."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.record.submissions.submission import (
    Cost,
    Provenance,
    Submission,
    System,
    TimeSpent,
    TokenUsage,
)
from benchmaker.record.submissions.zeros import without_zeros, zero_reasons

NOTHING = {
    "usage": TokenUsage(input_uncached=0, output=0),
    "total_tokens": 0,
    "time": TimeSpent(wall_s=0.0, active_s=0.0, setup_s=0.0),
    "cost": Cost(reported_usd=0.0),
}


def a_session(**more):
    return Submission(id="s", system=System(harness="codex", model="m"), **more)


def measured(submission, *, is_free=False):
    return without_zeros(submission, is_free=lambda: is_free)


@pytest.mark.parametrize("llm_calls", [None, 1, 30])
def test_zeros_beside_calls_are_missing_with_a_reason(llm_calls):
    labels = dict.fromkeys(("total_tokens", "time.wall_s"), Provenance.SELF_REPORTED)
    found = measured(a_session(llm_calls=llm_calls, provenance=labels, **NOTHING))
    assert (found.total_tokens, found.usage) == (None, TokenUsage())
    assert (found.time.wall_s, found.time.active_s, found.cost.usd) == (None, None, None)
    assert found.flags == ("zero_cost", "zero_seconds", "zero_tokens")
    assert found.provenance == {}
    assert set(zero_reasons(found)) == {
        "total_tokens", "time.wall_s", "time.active_s", "cost.reported_usd"
    }  # fmt: skip
    assert found.time.setup_s == 0


def test_a_total_of_0_takes_no_known_tokens_with_it():
    found = measured(a_session(total_tokens=0, usage=TokenUsage(output=500)))
    assert (found.total_tokens, found.usage.total) == (None, 500)


def test_a_session_without_a_call_may_have_taken_nothing():
    one = a_session(llm_calls=0, **NOTHING)
    assert measured(one) is one


def test_what_is_free_costs_0():
    one = a_session(total_tokens=5, cost=Cost(reported_usd=0.0, computed_usd=0.0))
    assert measured(one, is_free=True) is one
    assert measured(one).cost.usd is None


def test_a_computed_cost_stands_for_a_reported_one_of_0():
    one = a_session(total_tokens=5, cost=Cost(reported_usd=0.0, computed_usd=0.3))
    assert measured(one).cost.usd == 0.3
    assert "cost.reported_usd" in zero_reasons(measured(one))


amounts = st.none() | st.just(0.0) | st.floats(0.001, 1e6)


@given(st.none() | st.integers(0, 9), amounts, amounts, amounts, st.none() | st.integers(0, 99))
def test_no_zero_is_left_and_nothing_else_changes(llm_calls, wall, active, cost, tokens):
    one = a_session(
        llm_calls=llm_calls,
        total_tokens=tokens,
        time=TimeSpent(wall_s=wall, active_s=active),
        cost=Cost(reported_usd=cost),
    )
    found = measured(one)
    before = (tokens, wall, active, cost)
    after = (
        found.total_tokens, found.time.wall_s, found.time.active_s, found.cost.reported_usd
    )  # fmt: skip
    if llm_calls == 0:
        assert after == before
    else:
        assert after == tuple(it or None for it in before)
    assert measured(found) is found
    rest = {"total_tokens": None, "time": TimeSpent(), "cost": Cost(), "flags": ()}
    assert msgspec.structs.replace(found, **rest) == msgspec.structs.replace(one, **rest)
