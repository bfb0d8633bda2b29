"""Events into submissions."""

import math
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.logs.events import (
    Activity,
    FileChange,
    Interruption,
    LlmCall,
    Session,
    SessionEnd,
    SubagentStart,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.reduce import Reducer
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import Provenance, Status, TokenUsage
from tests.arenas.agentic import slow_reducer

PRICER = Pricer(Prices(), now=1_770_000_000.0)

COUNT = st.none() | st.integers(0, 50)
USAGE = st.builds(
    TokenUsage,
    input_uncached=COUNT,
    cache_read=COUNT,
    cache_write_5m=COUNT,
    cache_write_1h=COUNT,
    output=COUNT,
    reasoning=COUNT,
)
AGENT = st.sampled_from(["", "", "a1", "a2"])
LONG = [f"msg_{n:014}" for n in range(4)]
SHORT = ["call_1", "call_2"]
ID = st.sampled_from([*LONG, *SHORT]) | st.none()
GIVEN_ID = st.sampled_from([*(it.replace("msg", "toolu") for it in LONG), *SHORT])
CALL = st.builds(LlmCall, id=ID, usage=st.none() | USAGE, agent=AGENT, cost_usd=COUNT)
EVENT = st.one_of(
    CALL,
    CALL,
    st.builds(ToolCall, id=GIVEN_ID, name=st.sampled_from(["Bash", "Read"]), agent=AGENT),
    st.builds(ToolResult, call_id=GIVEN_ID, is_error=st.booleans(), agent=AGENT),
    st.builds(UserTurn, id=ID, agent=AGENT),
    st.builds(
        FileChange,
        path=st.sampled_from(["a.py", "b.py"]),
        call_id=ID,
        change=st.sampled_from(["created", "modified"]),
        failed=st.booleans(),
    ),
    st.builds(Activity, at=st.floats(1e9, 1.1e9)),
)
SESSIONS = st.lists(st.lists(EVENT, max_size=12), min_size=1, max_size=4)


def reduced(sessions):
    reducer = Reducer(PRICER)
    for events in sessions:
        reducer.read(events)
    return [it.submission for it in reducer.finish()]


def one(*events):
    return reduced([events])[0]


def tokens(submissions):
    return sum(it.total_tokens or 0 for it in submissions)


@given(SESSIONS)
def test_every_count_is_that_of_the_slow_reducer(sessions):
    for found, slow in zip(reduced(sessions), slow_reducer.figures(sessions), strict=True):
        is_partial = "reported_cost_partial" in found.flags
        same(found, slow, slow["reported_usd"] if is_partial else found.cost.reported_usd)
        assert not (is_partial and found.cost.reported_usd)
        assert list(found.artifacts.files_created) == slow["files_created"]


@given(SESSIONS)
def test_the_main_agents_share_is_that_of_the_slow_reducer(sessions):
    slow = slow_reducer.figures(sessions, main=True)
    for found, expected in zip(reduced(sessions), slow, strict=True):
        if found.main is not None:
            same(found.main, expected, found.main.cost_reported_usd)


def same(found, slow, reported_usd):
    kinds = {kind: getattr(found.usage, kind) for kind in slow_reducer.KINDS}
    assert kinds == slow["usage"]
    for name in ("llm_calls", "tool_calls", "tool_errors", "iterations"):
        assert (getattr(found, name) or 0) == slow[name], name
    assert found.tools_by_name == slow["tools_by_name"]
    if slow["reported_usd"]:
        assert math.isclose(reported_usd, slow["reported_usd"])


WITH_IDS = st.lists(
    st.lists(st.builds(LlmCall, id=st.sampled_from(LONG), usage=USAGE, agent=AGENT), max_size=8),
    min_size=1,
    max_size=4,
)


@given(WITH_IDS, st.randoms(use_true_random=False))
def test_shuffling_sessions_and_rows_changes_no_total(sessions, rng):
    shuffled = [rng.sample(events, len(events)) for events in sessions]
    rng.shuffle(shuffled)
    assert tokens(reduced(shuffled)) == tokens(reduced(sessions))


@given(WITH_IDS, st.integers(0, 3))
def test_repeating_a_session_changes_no_total(sessions, which):
    again = [*sessions, sessions[which % len(sessions)]]
    assert tokens(reduced(again)) == tokens(reduced(sessions))


@given(SESSIONS, st.integers(0, 3), st.integers(0, 12))
def test_cutting_the_end_off_a_session_never_raises_a_total(sessions, which, keep):
    cut = list(sessions)
    cut[which % len(cut)] = cut[which % len(cut)][:keep]
    assert tokens(reduced(cut)) <= tokens(reduced(sessions))


@given(SESSIONS)
def test_a_folder_never_holds_more_than_its_sessions_one_by_one(sessions):
    alone = [reduced([events])[0] for events in sessions]
    together = reduced(sessions)
    assert tokens(together) <= tokens(alone)
    assert sum(it.llm_calls or 0 for it in together) <= sum(it.llm_calls or 0 for it in alone)


@given(WITH_IDS)
def test_sessions_without_common_ids_add_up_to_their_folder(sessions):
    apart = [
        [LlmCall(id=f"{number}-{it.id}", usage=it.usage) for it in events]
        for number, events in enumerate(sessions)
    ]
    assert tokens(reduced(apart)) == tokens([reduced([events])[0] for events in apart])


def test_streamed_rows_of_one_answer_count_once_with_the_largest_total():
    rows = [
        LlmCall(id="msg_1", usage=TokenUsage(input_uncached=3, output=n)) for n in (1, 13, 13, 5)
    ]
    for order in permutations(rows):
        found = one(*order)
        assert (found.llm_calls, found.total_tokens, found.usage.output) == (1, 16, 13)


def test_an_answer_in_the_main_and_in_a_subagents_file_is_the_main_agents():
    usage = TokenUsage(output=7)
    found = one(LlmCall(id="msg_1", usage=usage, agent="a1"), LlmCall(id="msg_1", usage=usage))
    assert (found.total_tokens, found.main.total_tokens) == (7, 7)


def test_without_subagents_there_is_no_main_share():
    assert one(LlmCall(usage=TokenUsage(output=1))).main is None


def test_zero_tokens_in_a_session_with_calls_are_missing():
    found = one(LlmCall(usage=TokenUsage(input_uncached=0, output=0), cost_usd=0.0))
    assert found.usage == TokenUsage()
    assert found.total_tokens is None
    assert found.cost.reported_usd is None
    assert found.llm_calls == 1


def test_zero_tokens_stay_where_no_model_was_called():
    assert one(Totals(usage=TokenUsage(output=0), llm_calls=0)).total_tokens == 0


def test_what_a_log_would_show_is_zero_and_the_rest_unknown():
    found = one(Session(records=frozenset({"tool_calls"})), LlmCall(usage=TokenUsage(output=1)))
    assert found.tool_calls == 0
    assert found.tool_errors is None
    assert found.iterations is None


def test_stated_totals_take_the_place_of_sums_figure_by_figure():
    found = one(
        LlmCall(usage=TokenUsage(output=5), cost_usd=1.0),
        ToolCall(id="call_1", name="Bash"),
        Totals(usage=TokenUsage(output=9), cost_usd=2.0),
    )
    assert (found.total_tokens, found.cost.reported_usd, found.tool_calls) == (9, 2.0, 1)


def test_a_total_without_kinds_stands_for_itself():
    found = one(Totals(total_tokens=120))
    assert found.total_tokens == 120
    assert found.usage == TokenUsage()
    assert found.provenance["total_tokens"] is Provenance.IMPORTED


@pytest.mark.parametrize(("stated", "flags"), [(1004, ()), (1010, ("total_differs",))])
def test_a_stated_total_that_differs_is_flagged(stated, flags):
    found = one(Totals(usage=TokenUsage(output=1000), total_tokens=stated))
    assert found.total_tokens == 1000
    assert found.flags == flags


def test_more_reasoning_than_output_becomes_unknown():
    found = one(LlmCall(usage=TokenUsage(output=5, reasoning=6)))
    assert found.usage.reasoning is None
    assert found.flags == ("reasoning_exceeds_output",)


@pytest.mark.parametrize("count", [-1, 10**13])
def test_counts_that_cannot_be_true_become_unknown(count):
    found = one(LlmCall(usage=TokenUsage(output=count, input_uncached=3)))
    assert found.usage == TokenUsage(input_uncached=3)
    assert "figures_refused" in found.flags


def test_wall_and_active_time_differ_by_the_long_gaps():
    found = one(*(Activity(at=1e9 + s) for s in (0, 100, 401, 1000)))
    assert (found.time.wall_s, found.time.active_s) == (1000, 100)
    assert found.time.gap_limit_s == 300
    assert found.started_at == "2001-09-09T01:46:40.000Z"


def test_one_single_moment_tells_no_time():
    found = one(Activity(at=1e9), Activity(at=1e9))
    assert found.time.wall_s is None
    assert found.started_at == found.finished_at == "2001-09-09T01:46:40.000Z"


@given(st.lists(st.floats(1e9, 1.1e9), max_size=20), st.floats(0, 1e8))
def test_active_time_never_exceeds_wall_time(times, limit):
    reducer = Reducer(PRICER, gap_limit_s=limit)
    reducer.read([Activity(at=at) for at in times])
    time = next(reducer.finish()).submission.time
    if time.wall_s is None:
        assert time.active_s is None
    if time.active_s is not None:
        assert 0 < time.active_s <= time.wall_s


def test_a_clock_that_goes_back_is_flagged_and_harms_nothing():
    found = one(Activity(at=1e9 + 200), Activity(at=1e9))
    assert found.time.wall_s == 200
    assert found.flags == ("clock_went_backwards",)


@pytest.mark.parametrize("at", [math.nan, math.inf, -1.0, 1e300])
def test_times_that_cannot_be_true_are_passed_over(at):
    assert one(Activity(at=at), Activity(at=1e9)).started_at == "2001-09-09T01:46:40.000Z"


def test_cutting_nothing_keeps_the_first_fact_that_is_told():
    found = one(
        Session(harness="codex", model=None, cwd="/w"),
        Session(harness="other", model="gpt-5", effort="high"),
    )
    assert found.system.name == "codex · gpt-5 · high"
    assert found.project == "/w"


def test_the_end_is_told_piece_by_piece():
    found = one(SessionEnd(status=Status.COMPLETED, success=True), SessionEnd(reward=0.5))
    assert (found.outcome.status, found.outcome.success) == (Status.COMPLETED, True)
    assert found.outcome.reward == 0.5


def test_a_session_of_copies_says_so():
    usage = TokenUsage(output=5)
    reducer = Reducer(PRICER)
    reducer.read([LlmCall(id="m" * 20, usage=usage)])
    reducer.read([LlmCall(id="m" * 20, usage=usage)])
    first, second = reducer.finish()
    assert (first.is_copy, second.is_copy) == (False, True)
    assert second.submission.total_tokens is None


def test_a_subagent_that_was_only_started_counts():
    found = one(SubagentStart(id="a1"), LlmCall(usage=TokenUsage(output=1)))
    assert found.subagents == 1
    assert found.main.total_tokens == 1


def test_behaviour_is_told_from_calls_changes_and_interruptions():
    found = one(
        UserTurn(at=1e9),
        LlmCall(usage=TokenUsage(input_uncached=20, cache_read=60, output=500)),
        *(ToolCall(id=f"c{n}", name="Bash", digest="same") for n in range(3)),
        ToolResult(call_id="c0", is_error=True),
        FileChange(path="a", at=1e9 + 30, added=4, removed=1),
        FileChange(path="b", failed=True, added=9),
        Interruption(),
    )
    it = found.behaviour
    assert it.cache_hit_share == 0.75
    assert it.tool_error_rate == pytest.approx(1 / 3)
    assert (it.repeated_calls, it.failed_edits, it.interruptions) == (2, 1, 1)
    assert it.lines_per_1k_output == 10
    assert it.first_edit_s == 30
    assert found.artifacts.files_modified == ("a",)
    assert found.artifacts.completeness == "lower_bound"


@settings(max_examples=30)
@given(SESSIONS)
def test_every_known_metric_has_a_label_and_no_other(sessions):
    for found in reduced(sessions):
        for kind in slow_reducer.KINDS:
            known = getattr(found.usage, kind) is not None
            assert (f"usage.{kind}" in found.provenance) == known
        assert ("total_tokens" in found.provenance) == (found.total_tokens is not None)
