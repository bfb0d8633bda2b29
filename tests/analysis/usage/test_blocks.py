"""Blocks of five hours."""

import math
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.analysis.usage.blocks import usage_blocks
from benchmaker.analysis.usage.session_usage import SessionUsage, TimeSpan
from benchmaker.record.submissions.submission import Cost, TokenUsage
from benchmaker.record.submissions.usage_part import UsagePart
from tests.analysis.usage.test_session_usage import a_session

HOUR = 3600.0
START = 1_760_000_400.0
"""Twenty minutes past the hour."""


def a_part(at, *, tokens=60, usd=1.0):
    return UsagePart(
        first_at=at,
        last_at=at,
        usage=TokenUsage(output=tokens),
        tokens=tokens,
        llm_calls=1,
        computed_usd=usd,
    )


def sessions(*times, harness="claude-code"):
    one = a_session(harness=harness, cost=Cost(computed_usd=float(len(times))))
    return [SessionUsage(one, tuple(a_part(at) for at in times))]


def blocks(*times, now=START, **asked):
    return usage_blocks(sessions(*times), now=now, **asked).blocks


def slow_starts(times):
    """The starts of blocks by the plain rule."""
    starts = []
    for before, at in zip([None, *sorted(times)], sorted(times), strict=False):
        is_over = not starts or at >= starts[-1] + 5 * HOUR or at - before > 5 * HOUR
        if is_over:
            starts.append(at // HOUR * HOUR)
    return starts


@given(st.lists(st.integers(0, 400_000).map(lambda s: START + s), min_size=1, max_size=40))
def test_blocks_begin_where_the_plain_rule_has_them(times):
    made = usage_blocks(sessions(*times), now=START)
    seconds = [_seconds(it.start) for it in made.blocks]
    assert seconds == slow_starts(times)
    assert sum(it.totals.total_tokens for it in made.blocks) == 60 * len(times)
    assert made.total.total_tokens == 60 * len(times)


def _seconds(text):
    return datetime.fromisoformat(text).timestamp()


def test_the_burn_rate_is_from_the_first_answer_to_the_last():
    (block,) = blocks(START, START + HOUR, now=START + 2 * HOUR)
    assert block.is_active
    assert block.burn_rate.tokens_per_minute == 2.0
    assert block.burn_rate.usd_per_hour == 2.0
    ahead = block.projection
    left = (START // HOUR * HOUR + 5 * HOUR - START - 2 * HOUR) / 60
    assert math.isclose(ahead.remaining_minutes, left)
    assert ahead.total_tokens == round(120 + 2 * left)
    assert math.isclose(ahead.cost_usd, 2 + 2 / 60 * left)


def test_one_moment_has_no_rate_and_what_is_over_no_projection():
    (block,) = blocks(START)
    assert block.burn_rate is None
    (block,) = blocks(START, START + 60, now=START + 6 * HOUR)
    assert not block.is_active
    assert block.projection is None


def test_unknown_tokens_have_no_rate():
    parts = (a_part(START), a_part(START + HOUR))
    bare = tuple(replace(part, usage=TokenUsage(), tokens=None) for part in parts)
    made = usage_blocks([SessionUsage(a_session(), bare)], now=START + HOUR)
    (block,) = made.blocks
    assert block.burn_rate.tokens_per_minute is None
    assert block.burn_rate.fresh_tokens_per_minute is None
    assert block.projection.total_tokens is None


def test_each_tool_has_blocks_of_its_own():
    both = [*sessions(START), *sessions(START + 60, harness="codex")]
    assert [it.tool for it in usage_blocks(both, now=START).blocks] == ["claude-code", "codex"]


def test_blocks_are_chosen_by_their_start_and_by_whether_they_are_over():
    times = (START, START + 100 * HOUR)
    assert len(blocks(*times, window=TimeSpan(START + HOUR, None))) == 1
    (block,) = blocks(*times, now=START + 100 * HOUR + 60, active_only=True)
    assert block.is_active
    assert usage_blocks(sessions(*times), now=START, active_only=True).to_dict()["blocks"]
