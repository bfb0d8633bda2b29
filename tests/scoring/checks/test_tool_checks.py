"""Checks of tool calls beyond the table of verdicts, and what validate finds about them."""

import json
from functools import partial

import pytest

from benchmaker.errors import SpecError
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.checks.tool_checks import NO_TRANSCRIPT, Steps, ToolCalled, contains_json
from benchmaker.scoring.suite_notes import notes_on
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
        (None, "add called 2 times"),
        (3, "add called 2 times, required 3 times"),
        ({"min": 3}, "add called 2 times, at least 3 times"),
        ({"min": 1, "max": 4}, "add called 2 times, at least once, at most 4 times"),
    ],
)
def test_the_notes_tell_the_number_of_calls(times, notes):
    calls = trial_of(("add", {"a": 1}), ("add", {"a": 2}))
    assert ToolCalled("add", times=times).score(a_case(), calls).notes == notes


def test_the_notes_tell_calls_with_other_arguments():
    calls = trial_of(("add", {"a": 1}), ("add", {"a": 2}))
    notes = ToolCalled("add", {"a": 3}).score(a_case(), calls).notes
    assert notes == "add(a=3) never called, add called 2 times in all"


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


FUNCTIONS = """
import os
PRICES = {"lamp": 29.5}

def add(a=0, b=0):
    inner = a + b
    return inner

def needs(a, *, b, c=1):
    return a

def takes(a, /):
    return a

def every(**given):
    return given
"""


def loaded(tmp_path, case, head=HEAD):
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    path = tmp_path / "suite.yaml"
    path.write_text(f"{head.strip()}\n  - {{id: sum, prompt: Q, {case}}}\n")
    return load_checked(path)


def faults_of(tmp_path, case, head=HEAD):
    with pytest.raises(SpecError) as caught:
        loaded(tmp_path, case, head)
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
            "tool_called: the case has no tools, so no calls are recorded. Add tools to the case.",
        ),
        (
            "checks: [{type: tool_called, value: ad, times: 0}]",
            "tool_called: the case has no tools, so no calls are recorded. Add tools to the case.",
        ),
        (
            "checks: [{type: tool_called, value: ad, not: true}]",
            "tool_called: the case has no tools, so no calls are recorded. Add tools to the case.",
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
        ("python: 'functions.py:PRICES'", "functions.py:3: 'PRICES' is no function."),
        ("python: 'functions.py:inner'", "defines no 'inner'."),
        ("python: 'functions.py:takes'", "takes takes 'a' by position only."),
        (
            "python: 'functions.py:add', parameters: {properties: {a: {}, bb: {}}}",
            "the function add has no parameter 'bb'.",
        ),
        (
            "python: 'functions.py:needs', parameters: {properties: {a: {}, b: {}}, required: [a]}",
            "the function needs requires 'b', which calls may omit. Add 'b' to properties and to",
        ),
        ("reply: a, description: 'The {{ unit }}'", "'The {{ unit }}' is not rendered"),
        ("reply: a, parameters: {properties: {a: {enum: ['{{ a }}']}}}", "is not rendered"),
    ],
)
def test_validate_finds_faults_of_a_tool_at_their_place(tmp_path, tool, message):
    head = HEAD.replace("{name: clock, reply: noon}", f"{{name: clock, {tool}}}")
    found = faults_of(tmp_path, "checks: [json]", head)
    assert len(found) == 1
    assert message in found[0][2]
    assert found[0][0] == 5


@pytest.mark.parametrize(
    ("tool", "case"),
    [
        ("python: 'functions.py:every', parameters: {properties: {z: {}}}", "checks: [json]"),
        ("python: 'functions.py:needs', parameters: {required: [a, b]}", "checks: [json]"),
        ("reply: a", "tools: [add], checks: [{type: tool_called, value: rm, not: true}]"),
        ("reply: a", "tools: [add], checks: [{type: tool_called, value: rm, times: 0}]"),
        ("reply: a", "tools: [add], checks: [{type: tool_called, value: rm, times: {max: 0}}]"),
        ("reply: '{{ t }}'", "tools: [clock], vars: {t: 1}, checks: [json]"),
        ("reply: '{{ t }}'", "tools: [add], vars: {x: 1}, checks: [json]"),
    ],
)
def test_validate_accepts_what_can_be_called_and_names_that_must_not_be(tmp_path, tool, case):
    head = HEAD.replace("{name: clock, reply: noon}", f"{{name: clock, {tool}}}")
    assert loaded(tmp_path, case, head).tools[1].name == "clock"


TYPED = HEAD.replace(
    'python: "functions.py:add"',
    "reply: 3, parameters: {properties: {a: {type: integer, maximum: 9}, b: {enum: [1, 2]}, "
    "c: {anyOf: [{type: string}, {type: object, required: [d]}]}}, required: [a, b], "
    "additionalProperties: false}",
)


def called(**more):
    return json.dumps({"type": "tool_called", "value": "add", **more})


@pytest.mark.parametrize(
    ("case", "place", "message"),
    [
        (
            "max_steps: 4, checks: [{type: steps, max: 4, not: true}]",
            "4, not",
            "no answer can pass: it needs 5 steps, and max_steps is 4. Lower max, or raise",
        ),
        (
            "checks: [{type: set, checks: [json, {type: steps, max: 12, not: true}]}]",
            "12, not",
            "no answer can pass: it needs 13 steps, and max_steps is 10.",
        ),
        (
            f"checks: [{called(times={'min': 0}, **{'not': True})}]",
            '{"min"',
            "no answer can pass: not forbids every number of calls.",
        ),
        (
            "checks: [{type: tool_called, value: ad, times: 0, not: true}]",
            "ad,",
            "the case has no tool 'ad'. Did you mean 'add'?",
        ),
        (f"checks: [{called(arguments={'a': '2'})}]", '{"a"', "$.a: '2' is not of type 'integer'."),
        (f"checks: [{called(arguments={'a': 10})}]", '{"a"', "$.a: 10 is greater than the maximum"),
        (f"checks: [{called(arguments={'b': 3})}]", '{"b"', "$.b: 3 is not one of [1, 2]."),
        (f"checks: [{called(arguments={'e': 3})}]", '{"e"', "('e' was unexpected)."),
        (f"checks: [{called(arguments={'c': 3})}]", '{"c"', "$.c: 3 is not valid under any"),
        (
            f"checks: [{called(arguments={'a': '2'}, times=0, **{'not': True})}]",
            '{"a"',
            "no call that fits the parameters of add has these arguments: $.a: '2' is not of type",
        ),
    ],
)
def test_validate_finds_checks_of_tools_that_no_answer_passes(tmp_path, case, place, message):
    text = f"tools: [add], {case}"
    (found,) = faults_of(tmp_path, text, TYPED)
    line = f"  - {{id: sum, prompt: Q, {text}}}"
    assert found[:2] == (7, line.index(place) + 1)
    assert message in found[2]


@pytest.mark.parametrize(
    "case",
    [
        "max_steps: 4, checks: [{type: steps, max: 3, not: true}]",
        f"checks: [{called(arguments={'a': 2})}]",
        f"checks: [{called(arguments={'c': {'x': 1}})}]",
        f"checks: [{called(arguments={'a': 'x'}, **{'not': True})}]",
        f"checks: [{called(arguments={'a': 'x'}, times=0)}]",
        f"checks: [{called(times=2, **{'not': True})}]",
        "checks: [{type: set, not: true, checks: [{type: steps, max: 10, not: true}]}]",
    ],
)
def test_validate_accepts_checks_of_tools_that_some_answer_passes(tmp_path, case):
    made = loaded(tmp_path, f"tools: [add], {case}", TYPED)
    assert notes_on(made) == []


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            "max_steps: 4, checks: [{type: steps, max: 4}]",
            "every answer passes: max_steps ends a trial after 4 steps.",
        ),
        (
            f"checks: [{called(times={'min': 0})}]",
            "every answer passes with any number of calls.",
        ),
        (
            f"max_steps: 2, checks: [{called(times=3)}]",
            "3 calls need several in one answer: max_steps is 2.",
        ),
    ],
)
def test_validate_notes_checks_of_tools_that_every_answer_passes(tmp_path, case, message):
    made = loaded(tmp_path, f"tools: [add], {case}", TYPED)
    assert [(it.line, it.message) for it in notes_on(made)] == [(7, message)]


def test_validate_notes_required_arguments_that_are_no_parameters(tmp_path):
    head = TYPED.replace(", additionalProperties: false", "")
    made = loaded(tmp_path, f"tools: [add], checks: [{called(arguments={'aa': 2})}]", head)
    (note,) = notes_on(made)
    assert f"{note.message} {note.hint}" == "add has no parameter 'aa'. Did you mean 'a'?"


def test_validate_finds_undefined_variables_of_a_reply(tmp_path):
    head = HEAD.replace("reply: noon", "reply: {time: '{{ t }}'}")
    found = faults_of(tmp_path, "tools: [clock], vars: {x: 1}, checks: [json]", head)
    assert [it[0] for it in found] == [5]
    assert "'t'" in found[0][2]
