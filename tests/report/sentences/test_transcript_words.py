"""Tool calls in words."""

from benchmaker.record import (
    Completion,
    Step,
    ToolCall,
    ToolResult,
    Transcript,
    TranscriptMessage,
    UnfinishedConversation,
)
from benchmaker.report.runs.explain import Explanation
from benchmaker.report.sentences.transcript_words import call_lines
from benchmaker.report.tables.trial_rows import trial_row
from benchmaker.testing import a_trial

BOTH = (ToolCall(name="add", arguments={"a": 2}), ToolCall(name="clock", arguments={}))


def test_text_beside_calls_and_parallel_calls_are_listed():
    messages = (
        TranscriptMessage(role="assistant", content="Let me\nsee.", tool_calls=BOTH),
        TranscriptMessage(role="tool", content="5", name="add"),
        TranscriptMessage(role="tool", content="noon", name="clock"),
        TranscriptMessage(role="assistant", content="5"),
    )
    transcript = Transcript(messages=messages, steps=2)
    trial = a_trial(completion=Completion(text="5", transcript=transcript))
    assert call_lines(trial) == [
        "text: Let me see.",
        "add(a=2): 5",
        "in parallel: clock(): noon",
        "2 steps",
    ]


def test_a_trial_that_failed_after_calls_has_them_in_explain_and_in_its_row():
    answer = Completion(text="", tool_calls=BOTH)
    results = (ToolResult("5"), ToolResult("noon"))
    asked = TranscriptMessage(role="user", content="2 + 3?")
    talk = UnfinishedConversation(key="k", messages=(asked,), steps=(Step(answer, results),))
    trial = a_trial(completion=None, conversation=talk, error="broken")
    lines = Explanation(trial, "2 + 3?", None, (), ()).text().splitlines()
    assert [it.split(maxsplit=2)[-1] for it in lines if "add(" in it] == ["add(a=2): 5"]
    row = trial_row(trial)
    assert [it["role"] for it in row["transcript"]] == ["user", "assistant", "tool", "tool"]
    assert (row["steps"], row["stopped_by"], row["output"]) == (1, None, None)


def test_the_answer_is_not_repeated_before_its_calls():
    answer = TranscriptMessage(role="assistant", content="5", tool_calls=BOTH[:1])
    done = Completion(text="5", transcript=Transcript(messages=(answer,)))
    assert call_lines(a_trial(completion=done)) == ["add(a=2)"]
