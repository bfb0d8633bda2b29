"""Metrics of a coding tool, each with its value or why there is none."""

import msgspec
import pytest

from benchmaker.analysis.composite.tool_metrics import missing_metrics, tool_metrics
from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    FileChange,
    Interruption,
    LlmCall,
    Session,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.record.submissions.submission import Submission, System, TokenUsage
from tests.arenas.agentic.sessions.test_reduce import one

NAMES = [
    "cache_hit_share",
    "tool_error_rate",
    "repeated_calls",
    "failed_edits",
    "lines_per_1k_output",
    "first_edit_s",
    "compactions",
    "interruptions",
]
"""The metrics that are looked at here, in their order; a new one has a test of its own."""
EVERYTHING = frozenset(
    {"llm_calls", "tool_calls", "tool_errors", "compactions", "interruptions", "file_changes"}
)


def worked(*events):
    return {it.name: it for it in tool_metrics(one(*events)) if it.name in NAMES}


def used(**tokens):
    return LlmCall(id="m", usage=TokenUsage(**tokens), model="claude-sonnet-4-5", at=110.0)


def test_all_of_them_from_one_session():
    found = worked(
        Session(records=EVERYTHING),
        UserTurn(at=100.0),
        used(input_uncached=10, cache_read=30, output=500),
        ToolCall(id="a", name="Edit", digest="x", at=120.0),
        ToolResult(call_id="a", is_error=True, at=121.0),
        FileChange(path="f", call_id="a", failed=True, at=121.0),
        ToolCall(id="b", name="Edit", digest="x", at=130.0),
        FileChange(path="f", call_id="b", added=3, removed=2, at=131.0),
        Compaction(),
        Interruption(),
    )
    assert {name: it.value for name, it in found.items()} == {
        "cache_hit_share": 0.75,
        "tool_error_rate": 0.5,
        "repeated_calls": 1,
        "failed_edits": 1,
        "lines_per_1k_output": 10.0,
        "first_edit_s": 31.0,
        "compactions": 1,
        "interruptions": 1,
    }
    assert list(found) == NAMES
    assert all(it.reason == "" and it.provenance for it in found.values())


@pytest.mark.parametrize(
    ("events", "reasons"),
    [
        (
            [Session(harness="x")],
            {
                "cache_hit_share": "the log reports no tokens",
                "tool_error_rate": "the log has no tool calls",
                "repeated_calls": "the log has no tool calls",
                "failed_edits": "the log has no file changes",
                "lines_per_1k_output": "the log has no file changes",
                "first_edit_s": "the log has no file changes",
                "compactions": "the log doesn't show compactions",
                "interruptions": "the log doesn't show interruptions",
            },
        ),
        (
            [Session(records=EVERYTHING), used(input_uncached=5, output=5)],
            {
                "cache_hit_share": "the log has no separate count of cache reads",
                "tool_error_rate": "no tool was called",
                "repeated_calls": "no tool was called",
                "first_edit_s": "no file changed",
            },
        ),
        (
            [used(output=5, cache_read=0), ToolCall(id="a", name="x"), FileChange(path="f")],
            {
                "cache_hit_share": "no input tokens are reported",
                "tool_error_rate": "the log has no failed calls",
                "repeated_calls": "the log has no tool arguments",
                "lines_per_1k_output": "the log has no count of changed lines",
                "first_edit_s": "the log has no times of file changes",
                "compactions": "the log doesn't show compactions",
                "interruptions": "the log doesn't show interruptions",
                "usage.input_uncached": "only output tokens are reported",
            },
        ),
        (
            [
                Session(records=EVERYTHING),
                ToolCall(id="a", name="x", digest="d"),
                Totals(tool_errors=3),
            ],
            {
                "cache_hit_share": "the log reports no tokens",
                "tool_error_rate": "the log has more errors than calls",
                "lines_per_1k_output": "the log reports no output tokens",
                "first_edit_s": "no file changed",
            },
        ),
        (
            [
                Session(records=EVERYTHING),
                used(input_uncached=5, output=5, cache_read=0),
                ToolResult(call_id="a", is_error=True),
            ],
            {
                "tool_error_rate": "the log has more errors than calls",
                "repeated_calls": "the log has no tool calls",
                "first_edit_s": "no file changed",
            },
        ),
    ],
)
def test_what_is_missing_has_a_reason(events, reasons):
    found = missing_metrics(one(*events))
    others = {it.name for it in tool_metrics(one(*events))} - set(NAMES)
    assert {name: why for name, why in found.items() if name not in others} == reasons


def test_the_rate_is_over_the_calls_that_the_log_states():
    made = worked(
        Session(records=EVERYTHING),
        ToolCall(id="a", name="x", digest="d"),
        ToolResult(call_id="a", is_error=True),
        Totals(tool_calls=4),
    )
    assert made["tool_error_rate"].value == 0.25


def test_no_changed_file_is_no_changed_line():
    made = worked(Session(records=EVERYTHING), used(input_uncached=1, output=100))
    assert made["lines_per_1k_output"].value == 0.0


def test_every_value_has_no_reason_and_every_reason_no_value():
    bare = Submission(id="x", system=System(harness="y"))
    for it in (bare, msgspec.structs.replace(bare, compactions=0)):
        assert all((one.value is None) == bool(one.reason) for one in tool_metrics(it))
