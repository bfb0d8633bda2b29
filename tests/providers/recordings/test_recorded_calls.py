"""Transcripts and tool calls in lines of recorded answers, and in rows of exports."""

import json

import pytest

import benchmaker as bm
from benchmaker.errors import SpecError
from benchmaker.providers.recordings.recorded_calls import read_transcript
from benchmaker.record import Outcome, ToolCall
from benchmaker.report.sentences.transcript_words import call_lines
from benchmaker.report.tables.trial_rows import trial_row

ADD = {"name": "add", "arguments": {"a": 2, "b": 3}}
AS_CHAT = {
    "id": "x",
    "type": "function",
    "function": {"name": "add", "arguments": '{"a": 2, "b": 3}'},
}


@pytest.mark.parametrize("call", [ADD, AS_CHAT], ids=["export", "chat"])
def test_calls_are_read_in_both_forms(call):
    found = read_transcript(None, [call], output="5")
    assert found.tool_calls == (ToolCall(name="add", arguments={"a": 2, "b": 3}),)
    assert found.steps is None


def test_answers_after_the_last_question_are_steps():
    roles = ("system", "user", "assistant", "user", "assistant", "tool", "assistant")
    messages = [{"role": role, "content": "x"} for role in roles]
    messages[4]["tool_calls"] = [ADD]
    assert read_transcript(messages, None, output="x").steps == 2
    assert read_transcript(messages, None, output="x", steps=7).steps == 7


@pytest.mark.parametrize("messages", ["text", {"role": "user"}, [{"role": "nobody"}], [3]])
def test_messages_of_another_form_are_refused(messages):
    with pytest.raises(SpecError):
        read_transcript(messages, None, output="")


RESULTS = (
    {"role": "tool", "tool_call_id": "x", "content": "5"},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "5"}]},
)


@pytest.mark.parametrize("result", RESULTS, ids=["chat", "blocks"])
def test_a_result_without_a_call_before_it_is_refused_with_its_place(result):
    with pytest.raises(SpecError, match=r"transcript\[1\] is a result without a call before it"):
        read_transcript([{"role": "user", "content": "2 + 3?"}, result], None, output="")


SUITE = {
    "name": "sums",
    "profile": "robust",
    "tools": [{"name": "add", "reply": 5}],
    "cases": [
        {
            "id": "sum",
            "prompt": "2 + 3?",
            "tools": ["add"],
            "max_steps": 2,
            "checks": [{"type": "tool_called", "value": "add"}, {"type": "steps", "max": 2}],
        }
    ],
}


def recorded(tmp_path, **fields):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"id": "sum", "model": "m", "output": "5", **fields}))
    result = bm.run(SUITE, recorded=path, home=tmp_path / "home")
    (trial,) = result.trials()
    return result, trial


def test_recorded_calls_are_checked(tmp_path):
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [AS_CHAT]},
        {"role": "tool", "content": "5"},
        {"role": "assistant", "content": "5"},
    ]
    _, trial = recorded(tmp_path, transcript=messages)
    assert (trial.score.score, trial.transcript.steps) == (1, 2)


IN_BLOCKS = {"type": "tool_use", "id": "x", "name": "add", "input": {"a": 2, "b": 3}}
CALLED_LAST = {
    "calls": {"tool_calls": [ADD]},
    "calls of chat completions": {"tool_calls": [AS_CHAT]},
    "finish": {"tool_calls": [ADD], "finish": "tool_calls"},
    "length": {"tool_calls": [ADD], "finish": "length"},
    "outcome": {"tool_calls": [ADD], "outcome": "truncated"},
    "chat completions": {
        "output": None,
        "transcript": [{"role": "assistant", "content": None, "tool_calls": [AS_CHAT]}],
    },
    "blocks": {"transcript": [{"role": "assistant", "content": [IN_BLOCKS]}]},
}


@pytest.mark.parametrize("fields", CALLED_LAST.values(), ids=CALLED_LAST)
def test_a_last_answer_that_only_calls_tools_is_truncated_and_scored_by_its_checks(
    tmp_path, fields
):
    _, trial = recorded(tmp_path, **{"output": "", "steps": 1, **fields})
    assert (trial.outcome, trial.score.score) == (Outcome.TRUNCATED, 1)
    assert "policy_zero" not in trial.score.flags
    assert len(trial.attempts) <= 1


def test_a_last_answer_without_text_after_the_results_is_empty(tmp_path):
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [AS_CHAT]},
        {"role": "tool", "content": "5"},
        {"role": "assistant", "content": None},
    ]
    _, trial = recorded(tmp_path, output="", transcript=messages)
    assert (trial.outcome, trial.score.score) == (Outcome.EMPTY, 0)


@pytest.mark.parametrize(("name", "flags"), [("add", ()), ("rm", ("tool_call",))])
def test_a_recorded_call_of_a_tool_that_the_case_does_not_offer_is_flagged(tmp_path, name, flags):
    _, trial = recorded(tmp_path, tool_calls=[{"name": name, "arguments": {}}])
    assert trial.completion.flags == flags


def test_an_exported_call_has_the_same_score_and_outcome_again(tmp_path):
    _, trial = recorded(tmp_path, output="", steps=1, tool_calls=[ADD])
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(trial_row(trial)))
    (again,) = bm.run(SUITE, recorded=path, home=tmp_path / "again").trials()
    assert (again.outcome, again.score.score) == (trial.outcome, trial.score.score)


def test_an_answer_without_calls_is_unscored_with_the_reason(tmp_path):
    _, trial = recorded(tmp_path)
    assert trial.outcome is Outcome.UNSCORED
    assert "no tool calls were recorded" in trial.score.notes
    assert trial.transcript is None


def test_exported_rows_are_recorded_answers(tmp_path):
    calls = [{"role": "assistant", "content": "", "tool_calls": [ADD]}] * 2
    result, trial = recorded(tmp_path, transcript=calls, stopped_by="max_steps")
    assert trial.outcome is Outcome.TRUNCATED
    rows = tmp_path / "rows.jsonl"
    bm.export(result, rows, home=tmp_path / "home")
    row = json.loads(rows.read_text())
    assert row["transcript"][0] == {"role": "assistant", "content": "", "tool_calls": [ADD]}
    assert (row["steps"], row["stopped_by"]) == (2, "max_steps")
    again = bm.run(SUITE, recorded=rows, home=tmp_path / "again")
    (copied,) = again.trials()
    assert copied.transcript == trial.transcript
    assert (copied.outcome, copied.score.score) == (trial.outcome, trial.score.score)


MESSAGES_API = [
    {"role": "user", "content": "2 + 3?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Add them.", "signature": "c2ln"},
            {"type": "text", "text": "Let me add."},
            {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 2, "b": 3}},
            {"type": "tool_use", "id": "t2", "name": "add", "input": {"a": 0, "b": 5}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "5"},
            {
                "type": "tool_result",
                "tool_use_id": "t2",
                "content": [{"type": "text", "text": "no"}],
                "is_error": True,
            },
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "5"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]},
            {"type": "text", "text": "5"},
        ],
    },
]
CHAT_API = [
    {"role": "user", "content": [{"type": "text", "text": "2 + 3?"}]},
    {"role": "assistant", "content": None, "tool_calls": [AS_CHAT | {"id": "c1"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "5"},
    {"role": "assistant", "content": "5"},
]


def test_blocks_of_anthropics_messages_are_calls_steps_and_results():
    found = read_transcript(MESSAGES_API, None, output="5")
    assert [(it.name, it.arguments) for it in found.tool_calls] == [
        ("add", {"a": 2, "b": 3}),
        ("add", {"a": 0, "b": 5}),
        ("web_search", {"q": "5"}),
    ]
    assert found.steps == 2
    assert [(it.role, it.name, it.content, it.is_error) for it in found.messages] == [
        ("user", None, "2 + 3?", False),
        ("assistant", None, "Let me add.", False),
        ("tool", "add", "5", False),
        ("tool", "add", "no", True),
        ("assistant", None, "5", False),
        ("tool", "web_search", '[{"url": "u"}]', False),
    ]


def test_results_of_chat_completions_have_the_names_of_their_calls():
    found = read_transcript(CHAT_API, None, output="5")
    assert (found.steps, found.messages[2].name) == (2, "add")


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ([{"type": "text", "text": "x"}, {"type": "dance"}], "transcript[0].content[1] has"),
        ([{"type": "tool_use", "input": {}}], "transcript[0].content[0]: a tool call has no name"),
    ],
)
def test_unknown_blocks_are_refused_with_their_place(tmp_path, content, place):
    with pytest.raises(SpecError) as caught:
        recorded(tmp_path, transcript=[{"role": "assistant", "content": content}])
    assert place in str(caught.value)
    if "dance" in str(content):
        assert "server_tool_use, mcp_tool_use, tool_result" in str(caught.value)
    assert "answers.jsonl:1" in str(caught.value)


def test_other_reasons_of_a_stop_are_refused(tmp_path):
    with pytest.raises(SpecError, match="stopped_by is 'boredom'"):
        recorded(tmp_path, tool_calls=[ADD], stopped_by="boredom")


CUT = {"name": "add", "arguments": '{"a": 5, "b'}


@pytest.mark.parametrize(("calls", "score"), [([CUT], 0), ([ADD, CUT], 1), ([ADD], 1)])
def test_a_call_that_the_token_limit_cut_off_is_not_counted(tmp_path, calls, score):
    _, trial = recorded(tmp_path, steps=1, finish="length", tool_calls=calls)
    (called, _) = trial.score.checks
    assert called["score"] == score
    assert ("1 call cut off by the token limit, not counted" in called["reason"]) == (CUT in calls)
    (line,) = [one for one in call_lines(trial) if "cut off" in one] or [""]
    assert line.endswith(": cut off by the token limit") == (CUT in calls)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_unknown_steps_stay_unknown_in_an_export(tmp_path, ending):
    result, trial = recorded(tmp_path, tool_calls=[ADD])
    rows = bm.export(result, tmp_path / f"rows.{ending}", home=tmp_path / "home")
    (again,) = bm.run(SUITE, recorded=rows, home=tmp_path / "again").trials()
    assert again.transcript == trial.transcript
    assert again.transcript.steps is None
    assert again.outcome is trial.outcome is Outcome.UNSCORED


def test_calls_whose_arguments_are_no_object_count_where_no_limit_stopped_the_answer(tmp_path):
    listed = {"name": "add", "arguments": "[2, 3]"}
    result, trial = recorded(tmp_path, output="", steps=1, tool_calls=[listed])
    rows = bm.export(result, tmp_path / "rows.csv", home=tmp_path / "home")
    (again,) = bm.run(SUITE, recorded=rows, home=tmp_path / "again").trials()
    assert again.score.score == trial.score.score == 1
