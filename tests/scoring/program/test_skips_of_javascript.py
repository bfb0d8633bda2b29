"""Skipped tests in JavaScript count neither as passed nor as failed, each by itself."""

import pytest

from benchmaker.scoring.program.code_check import Code
from tests.scoring.program.conftest import scored

pytestmark = pytest.mark.long

RIGHT = "function add(a, b) { return a + b; }"
WRONG = "function add(a, b) { return 7; }"
SUM = "test('sum', () => assert.equal(add(1, 2), 3));\n"
HERE = "process.platform === 'linux'"
BODY = "() => assert.equal(add(1, 2), 4)"
BY_CONDITION = {
    "option": f"test('b', {{ skip: {HERE} }}, {BODY});",
    "todo": f"test('b', {{ todo: {HERE} }}, {BODY});",
    "variable": f"const skip = {HERE};\ntest('b', {{ skip }}, {BODY});",
    "inside": f"test('b', (t) => {{ if ({HERE}) return t.skip('no'); assert(add(1, 2) === 4); }});",
    "suite": f"describe('s', {{ skip: {HERE} }}, () => {{ it('b', {BODY}); }});",
    "in a suite": f"describe('s', () => {{\n  it('c', () => assert(add(1, 1) === 2));\n"
    f"  it('b', {{ skip: {HERE} }}, {BODY});\n}});",
    "subtest": f"test('b', async (t) => {{\n  assert.equal(add(2, 2), 4);\n"
    f"  await t.test('c', {{ skip: {HERE} }}, {BODY});\n}});",
    "hook": f"describe('s', () => {{\n  beforeEach((t) => {{ if ({HERE}) t.skip(); }});\n"
    f"  it('b', {{ skip: true }}, {BODY});\n}});",
    "helper": f"function here(t) {{ if ({HERE}) t.skip(); return {HERE}; }}\n"
    "test('b', (t) => { if (here(t)) return; assert.equal(add(1, 2), 4); });",
    "alias": f"const maybe = {HERE} ? test.skip : test;\nmaybe('b', {BODY});",
}  # fmt: skip
SEEN = "add(1, 2) === 7"
BY_PROGRAM = {
    "option": f"test('b', {{ skip: {SEEN} }}, () => assert.equal(add(1, 2), 3));",
    "variable": f"const seen = {SEEN};\ntest('b', {{ skip: seen }}, () => assert(!seen));",
    "inside": f"test('b', (t) => {{ if ({SEEN}) return t.skip(); assert.equal(add(1, 2), 3); }});",
    "suite": f"describe('s', {{ skip: {SEEN} }}, () => {{ it('b', () => assert(!({SEEN}))); }});",
    "helper": f"function seen() {{\n  return {SEEN};\n}}\n"
    "test('b', { skip: seen() }, () => assert(!seen()));",
    "arrow": f"const seen = () => {{\n  return {SEEN};\n}};\n"
    "test('b', { skip: seen() }, () => assert(!seen()));",
    "decider": f"function decide(t, is) {{ if (is) t.skip(); return is; }}\n"
    f"test('b', (t) => {{ if (decide(t, {SEEN})) return; assert(true); assert(!({SEEN})); }});",
    "alias": f"const maybe = {SEEN} ? test.skip : test;\nmaybe('b', () => assert(!({SEEN})));",
    "options": f"const options = {{}};\noptions.skip = {SEEN};\n"
    f"test('b', options, () => assert(!({SEEN})));",
}  # fmt: skip


@pytest.mark.parametrize("name", BY_CONDITION)
def test_a_test_skipped_by_a_condition_of_the_machine_does_not_count(name):
    tests = SUM + BY_CONDITION[name]
    right = scored(RIGHT, tests, language="javascript")
    assert right.score == 1.0, right.notes
    wrong = scored(WRONG, tests, language="javascript")
    assert wrong.score == 0.0
    assert "sum" in wrong.notes


@pytest.mark.parametrize("name", ["option", "inside", "suite"])
def test_conditions_that_skip_all_leave_the_answer_unscored(name):
    score = scored(RIGHT, BY_CONDITION[name], language="javascript")
    assert score.score is None
    assert "all tests were skipped" in score.notes


@pytest.mark.parametrize("name", BY_PROGRAM)
def test_a_program_can_not_choose_that_its_test_is_skipped(name):
    assert scored(RIGHT, SUM + BY_PROGRAM[name], language="javascript").score == 1.0
    alone = scored(WRONG, BY_PROGRAM[name], language="javascript")
    assert alone.score == 0.0, alone.notes


@pytest.mark.parametrize(
    "tests",
    [
        f"test.skip('b', {BODY});",
        f"const {{ test }} = require('node:test');\ntest('b', {{ skip: true }}, {BODY});",
        f"test('b', {{ timeout: 9, skip: 'later' }}, {BODY});",
        f"it.todo('b', {BODY});",
        f"describe.skip('s', () => {{ it('b', {BODY}); }});",
        f"describe('s', {{ skip: true }}, () => {{\n  it('b', {BODY});\n}});",
        f"test.skip('b', {BODY});\ntest.skip('c', {BODY});",
    ],
)
def test_validate_refuses_tests_that_are_all_skipped(tests):
    (found,) = Code("javascript", tests).faults()
    assert "all tests are skipped or still to be done" in found.message


@pytest.mark.parametrize(
    "tests",
    [
        f"{SUM}test.skip('b', {BODY});",
        f"test('b', {{ skip: {HERE} }}, {BODY});",
        f"test('b', {{ skip: false }}, {BODY});",
        f"describe('s', () => {{ it.skip('b', {BODY}); it('c', {BODY}); }});",
    ],
)
def test_validate_accepts_tests_of_which_one_may_run(tests):
    assert Code("javascript", tests).faults() == []
