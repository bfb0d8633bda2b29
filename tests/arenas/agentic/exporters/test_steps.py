"""The steps that are exported."""

from hypothesis import given

from benchmaker.arenas.agentic.exporters.figures import count_steps
from benchmaker.arenas.agentic.exporters.steps import Story
from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    LlmCall,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.usage_checks import drop_excess_reasoning
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.reduce import Reducer
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import TokenUsage
from benchmaker.record.submissions.zeros import measures_nothing
from tests.arenas.agentic.sessions.test_reduce import SESSIONS

PRICER = Pricer(Prices(), now=1_770_000_000.0)


def stories(sessions):
    """Each session's submission with its story."""
    reducer = Reducer(PRICER)
    for events in sessions:
        reducer.read(events)
    return [
        (one.submission, Story.of(events, frozenset(one.keys), one.requests))
        for one, events in zip(reducer.finish(), sessions, strict=True)
    ]


@given(SESSIONS)
def test_exported_steps_add_up_to_the_submission(sessions):
    for submission, story in stories(sessions):
        found = count_steps(story)
        is_nothing = measures_nothing(found.usage.total, llm_calls=found.llm_calls)
        usage = TokenUsage() if is_nothing else found.usage
        assert drop_excess_reasoning(usage, set()) == submission.usage
        assert (found.llm_calls or 0) == (submission.llm_calls or 0)
        assert found.tool_calls == (submission.tool_calls or 0)
        assert (found.iterations or 0) == (submission.iterations or 0)
        if submission.total_tokens:
            is_whole = "reported_cost_partial" not in submission.flags
            assert submission.cost.reported_usd == ((found.cost_usd or None) if is_whole else None)


def test_a_call_that_counts_stands_apart_from_an_answer_that_does_not():
    shared = LlmCall(id=f"msg_{1:020}")
    own = ToolCall(id=f"toolu_{1:020}", name="Bash")
    _, (_, story) = stories([[shared], [shared, own]])
    assert [(it.is_copied, len(it.calls)) for it in story.steps] == [(True, 0), (False, 1)]
    assert story.steps[1].request is None


def test_marks_and_results_without_a_call_are_no_steps():
    events = [UserTurn(id="u"), Compaction(id="c"), ToolResult(call_id="t", text="lost")]
    assert [it.source for it in Story.of(events, frozenset()).steps] == ["user"]
