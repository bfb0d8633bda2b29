"""Sessions step by step."""

import json
import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    Failure,
    FileChange,
    Interruption,
    LlmCall,
    SubagentStart,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.reduce import Reducer
from benchmaker.arenas.agentic.traces.steps import StepKind, StepMark
from benchmaker.arenas.agentic.traces.trace import Source, build_trace, trace
from benchmaker.errors import SpecError, TranscriptError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import TokenUsage
from tests.arenas.agentic.made import write
from tests.arenas.agentic.sessions.test_reduce import SESSIONS

PRICES = Prices()
NOW = 1_770_000_000.0
NO_LOGS = {"polyglot_leaderboard.yml", "usage_shapes.json", "leaderboard_trials.csv"}
"""What no importer takes, and a table of 5,175 rows without a step."""
STATED = {"copilot_cli/vct_copilot.jsonl", "swe_agent/6e44b9__sweagenttestrepo-1c2844.traj"}
"""Logs with final figures that their rows don't add up to."""


def traces(*sessions):
    reducer = Reducer(Pricer(PRICES, now=NOW))
    for events in sessions:
        reducer.read(events)
    return [
        build_trace(Source(one.submission, events, one.requests, frozenset(one.keys)), PRICES)
        for one, events in zip(reducer.finish(), sessions, strict=True)
    ]


def a_trace(*events):
    (made,) = traces(events)
    return made


def an_id(n):
    return f"msg_{n:020}"


def answer(n, *, output=10, at=None, agent="", line=0, text=None, model="claude-sonnet-4-5"):
    usage = TokenUsage(input_uncached=5, output=output)
    return LlmCall(
        id=an_id(n), usage=usage, at=at, agent=agent, line=line, text=text, model=model
    )  # fmt: skip


def call(name, *, at=None, agent="", line=0, digest=""):
    return ToolCall(id=name, name=name, at=at, agent=agent, line=line, digest=digest)


def shape(steps):
    """Each step as (number, kind, names of calls)."""
    return [(it.number, it.kind.value, [one.name for one in it.calls]) for it in steps]


@given(SESSIONS)
def test_steps_add_up_to_the_submission(sessions):
    for made in traces(*sessions):
        assert not made.differences, sessions
        agrees_with_its_submission(made)


def test_a_call_that_failed_in_a_resumed_session_failed_in_its_own():
    name = f"toolu_{1:020}"
    first = [answer(1), call(name)]
    second = [answer(2), ToolResult(call_id=name, is_error=True)]
    one, other = traces(first, second)
    assert (one.submission.tool_errors, other.submission.tool_errors) == (1, None)
    assert [it.is_error for step in one.walk() for it in step.calls] == [True]
    assert not one.differences
    assert not other.differences


def agrees_with_its_submission(made):
    submission, steps = made.submission, list(made.walk())
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    marks = [mark for step in steps if step.counted for mark in step.marks]
    assert marks.count(StepMark.COMPACTION) == (submission.compactions or 0)
    assert marks.count(StepMark.INTERRUPTION) == (submission.behaviour.interruptions or 0)
    repeats = sum(call.repeats is not None for step in steps for call in step.calls)
    assert repeats == (submission.behaviour.repeated_calls or 0)
    cost = submission.cost
    if cost.method == "per request" and cost.computed_usd is not None:
        assert made.money.total_usd == cost.computed_usd
        assert math.isclose(sum(it.usd or 0 for it in made.money.by_part), cost.computed_usd)
        for rows in (made.money.by_model, made.money.by_agent):
            assert math.isclose(sum(it.usd or 0 for it in rows), cost.computed_usd)
    if made.time is not None:
        told = made.time
        parts = told.model_s + told.tools_s + told.person_s + told.unknown_s
        assert math.isclose(parts, told.total_s, abs_tol=1e-5)


@pytest.mark.data
@pytest.mark.parametrize(
    ("most", "least"), [(4, 30), pytest.param(None, 51, marks=pytest.mark.long)]
)
def test_steps_of_every_lent_log_add_up_to_its_submission(shared, tmp_path, most, least):
    """In the quick suite some sessions of each log: for each one the whole log is read anew."""
    root = shared / "agent_logs"
    seen = 0
    for path in sorted(root.glob("*/*")):
        if path.name in NO_LOGS:
            continue
        for submission in import_logs(path, dry_run=True, home=tmp_path).submissions[:most]:
            made = trace(path, session=submission.id, home=tmp_path)
            if not made.steps:
                continue
            seen += 1
            assert replaced(made.submission) == replaced(submission)
            assert bool(made.differences) == (str(path.relative_to(root)) in STATED), path
            if not made.differences:
                agrees_with_its_submission(made)
    assert seen >= least


def replaced(submission):
    return msgspec.structs.replace(submission, created_at="")


@pytest.mark.data
def test_a_stored_session_has_the_same_steps_as_its_file(shared, tmp_path):
    for name in ("claude_code/subagent.jsonl", "gemini_cli/vct_gemini.jsonl"):
        path = shared / "agent_logs" / name
        (kept,) = import_logs(path, home=tmp_path, clock=lambda: NOW).submissions
        from_store = trace(kept.id, home=tmp_path)
        from_file = trace(path, home=tmp_path, clock=lambda: NOW)
        assert from_store == from_file


@pytest.mark.data
def test_subagents_stand_below_the_call_that_started_them(shared, tmp_path):
    made = trace(shared / "agent_logs/claude_code/subagent.jsonl", home=tmp_path)
    (task,) = [it for step in made.steps for it in step.calls if it.steps]
    assert task.name == "Task"
    assert {(step.name, step.depth) for step in task.steps} == {("Plan", 1)}
    assert [row.key for row in made.money.by_agent] == ["main", "Plan (afb92ff)"]
    assert made.submission.main.total_tokens == made.money.by_agent[0].tokens


def test_rows_of_one_answer_are_one_step_with_the_largest_usage():
    made = a_trace(
        answer(1, output=1, at=10.0, line=1, text="Let me look."),
        answer(1, output=9, at=11.0, line=2),
        call("Bash", at=11.0, line=2),
        answer(1, output=9, at=12.0, line=3, text="Let me look."),
        call("Read", at=12.0, line=3),
        ToolResult(call_id="Bash", at=14.0, text="done"),
    )
    assert shape(made.steps) == [(1, "answer", ["Bash", "Read"])]
    (step,) = made.steps
    assert (step.usage.output, step.text, step.duration_s) == (9, "Let me look.", 4.0)
    assert [it.duration_s for it in step.calls] == [3.0, None]
    assert [it.output for it in step.calls] == ["done", None]


def test_calls_that_a_log_writes_before_their_answer_are_its_own():
    made = a_trace(
        call("a", at=10.0, line=1),
        call("b", at=10.0, line=2),
        answer(1, at=10.1, line=3),
        ToolResult(call_id="a", at=11.0, line=4),
        ToolResult(call_id="b", at=11.0, line=5),
        call("c", at=15.0, line=6),
        answer(2, at=15.1, line=7),
    )
    assert shape(made.steps) == [(1, "answer", ["a", "b"]), (2, "answer", ["c"])]


def test_calls_without_an_answer_are_steps_of_their_own():
    made = a_trace(call("a", line=1), ToolResult(call_id="a"), call("b", line=1), answer(1))
    assert shape(made.steps) == [(1, "tools", ["a"]), (2, "tools", ["b"]), (3, "answer", [])]


def test_calls_and_results_in_the_row_of_an_answer_are_its_own():
    made = a_trace(
        answer(1, at=1.0, line=7),
        call("a", at=1.0, line=7),
        ToolResult(call_id="a", at=2.0, line=7),
        call("b", at=1.0, line=7),
    )
    assert shape(made.steps) == [(1, "answer", ["a", "b"])]


def test_the_gap_is_since_the_same_agents_step_before():
    made = a_trace(
        UserTurn(at=100.0, text="go"),
        answer(1, at=103.5),
        call("a", at=103.5),
        ToolResult(call_id="a", at=105.0),
        answer(2, at=107.0),
    )
    assert [step.gap_s for step in made.steps] == [None, 3.5, 2.0]


def test_a_repeated_call_names_the_step_that_made_it_first():
    made = a_trace(
        answer(1, at=1.0),
        ToolCall(id="a", name="Read", digest="x", at=1.0),
        ToolResult(call_id="a", at=2.0),
        answer(2, at=3.0),
        ToolCall(id="b", name="Read", digest="x", at=3.0),
        ToolCall(id="c", name="Read", digest="", at=3.0),
        ToolCall(id="d", name="Read", digest="", at=3.0),
    )
    assert [it.repeats for it in made.steps[1].calls] == [1, None, None]
    assert made.steps[1].marks == (StepMark.REPEATED,)


def test_what_is_marked():
    made = a_trace(
        answer(1),
        call("a"),
        ToolResult(call_id="a", is_error=True),
        FileChange(path="x", call_id="a", failed=True),
        Compaction(),
        Interruption(id="stop", line=9),
        UserTurn(id="stop", line=9, text="[Request interrupted by user]"),
        Failure(message="overloaded"),
        ToolResult(call_id="nobody's", is_error=True, text="lost"),
    )
    assert [(step.kind.value, *step.marks) for step in made.steps] == [
        ("answer", StepMark.ERROR, StepMark.FAILED_EDIT),
        ("compaction", StepMark.COMPACTION),
        ("interruption", StepMark.INTERRUPTION),
        ("failure", StepMark.FAILURE),
        ("tools", StepMark.ERROR),
    ]
    assert made.steps[2].is_prompt
    assert made.steps[3].text == "overloaded"
    assert made.submission.tool_errors == 2


def test_what_a_resumed_session_copied_is_shown_and_counts_elsewhere():
    before = [UserTurn(id=an_id(7)), answer(1), ToolCall(id=an_id(3), name="Read")]
    first, second = traces(before, [*before, answer(2)])
    assert [step.counted for step in first.walk()] == [True, True]
    assert [step.counted for step in second.walk()] == [False, False, True]
    assert [step.usd is None for step in second.walk()] == [True, True, False]
    assert second.submission.total_tokens == 15
    assert not second.differences


def test_a_result_without_its_call_is_shown_and_counts_nowhere_else():
    made = a_trace(ToolResult(call_id="toolu_of_nobody_at_all", text="lost"))
    assert [(step.counted, step.calls[0].counted) for step in made.steps] == [(True, True)]
    assert not made.differences


def test_the_larger_row_that_another_session_has_counts_in_the_step_of_the_first():
    first, second = traces([answer(1, output=1)], [answer(1, output=99)])
    assert first.steps[0].usage.output == 99
    assert not first.differences
    assert not second.steps[0].counted


def test_agents_that_start_each_other_or_are_started_by_nobody_are_all_there():
    made = a_trace(
        answer(1),
        SubagentStart(id="b", call_id="of a"),
        SubagentStart(id="a", call_id="of b"),
        call("of b", agent="b"),
        call("of a", agent="a"),
        answer(2, agent="alone"),
    )
    agents = {step.agent for step in made.walk()}
    assert agents == {"", "a", "b", "alone"}
    assert len(list(made.walk())) == 4


def test_agents_started_a_thousand_deep_are_all_there():
    events = [answer(0), call("c0")]
    for n in range(1, 1000):
        events += [
            SubagentStart(id=f"a{n}", call_id=f"c{n - 1}"),
            call(f"c{n}", agent=f"a{n}"),
        ]
    made = a_trace(*events)
    numbers = [step.number for step in made.walk()]
    assert sorted(numbers) == list(range(1, 1001))


def test_time_is_told_by_what_ended_each_gap():
    made = a_trace(
        UserTurn(at=100.0),
        answer(1, at=110.0),
        call("Bash", at=110.0),
        ToolResult(call_id="Bash", at=140.0),
        answer(2, at=145.0),
        ToolCall(id="ask", name="AskUserQuestion", at=145.0),
        ToolResult(call_id="ask", at=205.0),
        answer(3, at=1205.0),
        UserTurn(at=1215.0),
        Interruption(at=1218.0),
    )
    told = made.time
    assert (told.model_s, told.tools_s, told.person_s, told.unknown_s) == (15, 30, 70, 1003)
    assert (told.total_s, told.long_gaps) == (1118.0, (1000.0,))


def test_a_log_without_times_has_no_split():
    assert a_trace(answer(1), answer(2)).time is None
    assert a_trace(answer(1, at=5.0), answer(2, at=5.0)).time is None


def test_money_by_model_kind_and_agent_and_the_dearest():
    made = a_trace(
        *(answer(n, output=n * 100) for n in range(1, 13)),
        answer(13, model="inhouse-7"),
        answer(14, agent="sub"),
    )
    money = made.money
    assert money.basis == "computed"
    assert made.submission.cost.computed_usd is None  # one model has no price
    assert [(row.key, row.unpriced) for row in money.by_model] == [
        ("claude-sonnet-4-5", 0),
        ("inhouse-7", 1),
    ]
    assert [number for number, _ in money.dearest] == list(range(12, 2, -1))
    assert {row.key for row in money.by_part} == {"input_uncached", "output"}
    assert [row.key for row in money.by_agent] == ["main", "sub"]


def test_final_figures_of_the_log_are_told_apart_from_the_steps():
    made = a_trace(answer(1), Totals(usage=TokenUsage(input_uncached=50, output=10), llm_calls=4))
    found = {it.name: (it.submission, it.steps) for it in made.differences}
    assert found["total_tokens"] == (60, 15)
    assert found["llm_calls"] == (4, 1)


def test_steps_are_chosen_by_agent_and_text():
    made = a_trace(
        UserTurn(text="Fix the PARSER"),
        answer(1, text="Looking."),
        ToolCall(id="t", name="Task", arguments='{"prompt": "parser tests"}'),
        SubagentStart(id="abc123", name="Plan", call_id="t"),
        answer(2, agent="abc123", text="Planned."),
    )
    assert [it.number for it in made.select(text="parser")] == [1, 2]
    assert [it.number for it in made.select(agent="main")] == [1, 2]
    for name in ("Plan", "abc123", "abc"):
        assert [it.number for it in made.select(agent=name)] == [3]
    assert not list(made.select(agent="nobody"))


def test_dropped_content_is_known(tmp_path, claude_log):
    assert trace(claude_log, home=tmp_path).has_content
    bare = trace(claude_log, home=tmp_path, content=False)
    assert not bare.has_content
    assert not any(step.text for step in bare.walk())
    (kept,) = import_logs(claude_log, home=tmp_path, drop_content=True).submissions
    assert not trace(kept.id, home=tmp_path).has_content
    (kept,) = import_logs(claude_log, home=tmp_path / "whole").submissions
    stored = trace("latest", home=tmp_path / "whole", content=False)
    assert not any(call.output or call.arguments for it in stored.walk() for call in it.calls)


def test_reading_a_file_stores_nothing(tmp_path, claude_log):
    trace(claude_log, home=tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_path_with_several_sessions_asks_which(tmp_path):
    rows = [{"id": f"row-{n}", "tool": "X", "total_tokens": n, "model": "m"} for n in range(1, 13)]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"submissions": rows}))
    with pytest.raises(SpecError, match=r"12 sessions: .* and 2 more\. Choose one with --session"):
        trace(path, home=tmp_path)
    with pytest.raises(SpecError, match="no session 'zzz', but 12"):
        trace(path, session="zzz", home=tmp_path)
    names = [it.id for it in import_logs(path, dry_run=True, home=tmp_path).submissions]
    made = trace(path, session=names[2], home=tmp_path)
    assert (made.submission.id, made.steps) == (names[2], ())


def test_what_is_neither_a_file_nor_stored_is_refused(tmp_path, claude_log):
    with pytest.raises(SpecError, match="no stored sessions yet"):
        trace("nope", home=tmp_path)
    (kept,) = import_logs(claude_log, home=tmp_path).submissions
    with pytest.raises(SpecError, match="no file 'nope', and no submission 'nope'"):
        trace("nope", home=tmp_path)
    with pytest.raises(SpecError, match="is not session"):
        trace(kept.id, session="other", home=tmp_path)
    with pytest.raises(TranscriptError):
        trace(Path("absent.jsonl"), home=tmp_path)
    write(tmp_path / "empty" / "notes.jsonl")
    with pytest.raises(SpecError, match="no session in the file"):
        trace(tmp_path / "empty", home=tmp_path)


def test_a_trace_is_plain_data_for_json(tmp_path, claude_log):
    made = trace(claude_log, home=tmp_path)
    data = json.loads(json.dumps(made.to_dict()))
    assert data["submission"]["id"] == made.submission.id
    assert [it["number"] for it in data["steps"]] == [1, 2, 3]
    assert data["steps"][1]["kind"] == StepKind.ANSWER
    assert data["metrics"]["first_edit_s"]["reason"] == "no file changed"


def test_the_total_is_the_stored_one_when_prices_changed(tmp_path, claude_log):
    (kept,) = import_logs(claude_log, home=tmp_path).submissions
    (tmp_path / "prices.yaml").write_text(
        "prices:\n  claude-sonnet-4-5: {input: 1000, output: 1000}\n"
    )
    made = trace(kept.id, home=tmp_path)
    assert made.submission.cost == kept.cost
    assert made.money.total_usd > kept.cost.computed_usd
    assert made.rate_card != kept.cost.rate_card


def test_reasoning_stands_beside_the_text_and_is_searched_with_it():
    thought = answer(1, text="Done.")
    made = a_trace(msgspec.structs.replace(thought, reasoning="First look."), thought)
    (step,) = made.walk()
    assert (step.text, step.reasoning) == ("Done.", "First look.")
    assert list(made.select(text="FIRST")) == [step]
    assert made.to_dict()["steps"][0]["reasoning"] == "First look."
