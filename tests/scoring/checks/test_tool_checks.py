"""Checks of tool calls beyond the table of verdicts, and what validate finds about them."""

from functools import partial

import pytest

from benchmaker.errors import SpecError
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.checks.tool_checks import NO_TRANSCRIPT, Steps, ToolCalled, contains_json
from benchmaker.testing import (
    Example,
    ScorerContract,
    a_case,
    a_completion,
    a_transcript,
    a_trial,
)


class TestToolCalled(ScorerContract):
    scorer = partial(ToolCalled, "add")
    examples = (Example("5", score=None),)


class TestSteps(ScorerContract):
    scorer = partial(Steps, max=2)
    examples = (Example("5", score=None),)


def trial_of(*calls):
    return a_trial(completion=a_completion("5", transcript=a_transcript(*calls)))


def test_without_a_transcript_there_is_no_verdict():
    for check in (ToolCalled("add"), Steps(max=3)):
        score = check.score(a_case(), a_trial())
        assert (score.score, score.notes) == (None, NO_TRANSCRIPT)


@pytest.mark.parametrize(
    ("times", "notes"),
    [
        (None, "called 2 times"),
        (3, "called 2 times, required 3 times"),
        ({"min": 3}, "called 2 times, at least 3 times"),
        ({"min": 1, "max": 4}, "called 2 times, at least once, at most 4 times"),
    ],
)
def test_the_notes_tell_the_number_of_calls(times, notes):
    calls = trial_of(("add", {"a": 1}), ("add", {"a": 2}))
    assert ToolCalled("add", times=times).score(a_case(), calls).notes == notes


def test_the_notes_tell_calls_with_other_arguments():
    calls = trial_of(("add", {"a": 1}), ("add", {"a": 2}))
    notes = ToolCalled("add", {"a": 3}).score(a_case(), calls).notes
    assert notes == "never called with these arguments, 2 times in all"


def test_a_mapping_contains_itself_and_fewer_keys():
    value = {"a": {"b": [1, {"c": 2}], "d": None}, "e": True}
    assert contains_json(value, value)
    assert contains_json(value, {"a": {}})
    assert not contains_json(value, {"a": {"b": [1, {}]}})
    assert not contains_json({}, value)


HEAD = """
name: sums
profile: robust
tools:
  - {name: add, python: "functions.py:add"}
  - {name: clock, reply: noon}
cases:
"""


def faults_of(tmp_path, case, head=HEAD):
    (tmp_path / "functions.py").write_text("def add(a, b):\n    return a + b\n")
    path = tmp_path / "suite.yaml"
    path.write_text(f"{head.strip()}\n  - {{id: sum, prompt: Q, {case}}}\n")
    with pytest.raises(SpecError) as caught:
        load_checked(path)
    return [(it.line, it.column, f"{it.message} {it.hint}".strip()) for it in caught.value.findings]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            "tools: [add], checks: [{type: tool_called, value: ad}]",
            "tool_called: the case has no tool 'ad'. Did you mean 'add'?",
        ),
        (
            "expected: a, checks: [{type: tool_called, value: add}]",
            "tool_called: the case has no tool 'add'. Add tools to the case.",
        ),
        (
            "tools: add, checks: [{type: steps, max: 0}]",
            "no answer can pass: each takes at least 1 step.",
        ),
        (
            "tools: add, checks: [{type: tool_called, value: add, times: {min: 2, max: 1}}]",
            "min 2 is more than max 1.",
        ),
        (
            "tools: [add, cloc], checks: [json]",
            "unknown tool 'cloc'. Did you mean 'clock'?",
        ),
        (
            "tools: [add, add], checks: [json]",
            "the tool 'add' is listed twice. Remove it.",
        ),
        (
            "max_steps: 3, checks: [json]",
            "max_steps has no effect without tools. Add tools, or remove it.",
        ),
    ],
)
def test_validate_finds_faults_of_a_case_at_their_place(tmp_path, case, message):
    found = faults_of(tmp_path, case)
    assert [it[2] for it in found] == [message]
    assert found[0][0] == 7


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("python: 'functions.py:ad'", "defines no 'ad'."),
        ("python: 'missing.py:add'", "can't be read: No such file or directory."),
        ("reply: a, python: 'functions.py:add'", "give exactly one of reply and python."),
        ("mcp: server", "tools of MCP servers are not supported yet."),
        ("reply: a, parameters: {type: array}", "must be object, not 'array'."),
        ("reply: a, parameters: {properties: {a: {type: nmber}}}", "invalid JSON Schema"),
        ("reply: a, parametrs: {}", "unknown field 'parametrs'. Did you mean 'parameters'?"),
        ("reply: a, timeout: 0", "timeout must be greater than 0"),
    ],
)
def test_validate_finds_faults_of_a_tool_at_their_place(tmp_path, tool, message):
    head = HEAD.replace("{name: clock, reply: noon}", f"{{name: clock, {tool}}}")
    found = faults_of(tmp_path, "checks: [json]", head)
    assert len(found) == 1
    assert message in found[0][2]
    assert found[0][0] == 5
