"""Tests that can't run, skip themselves or check nothing: no answer gets a score for them."""

import pytest

from benchmaker.scoring.program.code_check import Code
from tests.scoring.program.conftest import scored

RIGHT = {
    "python": "def add(a, b): return a + b",
    "javascript": "function add(a, b) { return a + b; }",
}
SKIPPED = "import pytest\n@pytest.mark.skip\ndef test_b(): assert add(1, 2) == 4\n"
BROKEN = [
    ("python", "import nosuchpackage\ndef test_a():\n    assert add(1, 2) == 3", "nosuchpackage"),
    ("python", "import pytest\nimport nosuchpackage\ndef test_a(): assert add(1, 2)", "nosuchpack"),
    (
        "python",
        "def test_a():\n    import nosuchpackage\n    assert add(1, 2) == 3",
        "nosuchpackage",
    ),
    ("python", "def test_a():\n    assert add(1, 2) == approx(3)", "approx"),
    ("python", SKIPPED, "all tests were skipped"),
    ("javascript", "const _ = require('lodash');\nassert.equal(add(1, 2), 3);", "lodash"),
    ("javascript", "import _ from 'lodash';\nassert.equal(add(1, 2), 3);", "lodash"),
    ("javascript", "test('adds', () => { expect(add(1, 2)).toBe(3) })", "expect is not defined"),
    ("javascript", "expect(add(1, 2)).toBe(3)", "expect is not defined"),
    ("javascript", "assert.equal(add(1, 2,, 3);", "SyntaxError"),
    ("javascript", "test.skip('a', () => assert(add(1, 2) === 4))", "all tests were skipped"),
]


@pytest.mark.parametrize(("language", "tests", "reason"), BROKEN)
def test_tests_that_can_not_run_leave_the_answer_unscored(language, tests, reason):
    score = scored(RIGHT[language], tests, language=language)
    assert score.score is None
    assert reason in score.notes


@pytest.mark.parametrize(
    ("language", "tests"),
    [
        ("python", f"{SKIPPED}def test_a(): assert add(1, 2) == 3"),
        (
            "javascript",
            "test.skip('b', () => assert(false)); test('a', () => assert.equal(add(1, 2), 3))",
        ),
        (
            "javascript",
            "test.todo('b', () => assert(false)); test('a', () => assert.equal(add(1, 2), 3))",
        ),
        (
            "javascript",
            "test('b', {skip: true}, () => assert(0)); test('a', () => assert.equal(add(1, 2), 3))",
        ),
        (
            "javascript",
            "test('b', {todo: true}, () => assert(0)); test('a', () => assert.equal(add(1, 2), 3))",
        ),
    ],
)
def test_a_skipped_test_does_not_count(language, tests):
    score = scored(RIGHT[language], tests, language=language)
    assert (score.score, score.notes) == (1.0, "the test passed")


@pytest.mark.parametrize(
    ("language", "program", "tests"),
    [
        ("python", "def add(a, b): raise ImportError('x')", "assert add(1, 2) == 3"),
        ("python", "def add(a, b): import nosuch", "import pytest\ndef test_a(): assert add(1, 2)"),
        ("python", "def add(a, b): return approx", "assert add(1, 2) == 3"),
        ("python", "def other(): pass", "from solution import add\nassert add(1, 2) == 3"),
        ("python", "def other(): pass", "assert add(1, 2) == 3"),
        (
            "python",
            "def add(a, b): return 7",
            "import pytest\ndef test_a():\n    if add(1, 2) == 7: pytest.skip('no')\n    assert 0",
        ),
        ("javascript", "function add() { return expect(1); }", "assert.equal(add(1, 2), 3);"),
        ("javascript", "function add() { require('lodash'); }", "assert.equal(add(1, 2), 3);"),
        ("javascript", "function add() { eval('1,,2'); }", "assert.equal(add(1, 2), 3);"),
        (
            "javascript",
            "function text() { return '\\ntests.cjs:1\\n'; }",
            "assert.equal(JSON.parse(text()), 3);",
        ),
        ("javascript", "function other() {}", "assert.equal(add(1, 2), 3);"),
        (
            "javascript",
            "exports.other = 1; exports['1a'] = 2;",
            "import { add } from './solution.mjs';\nassert.equal(add(1, 2), 3);",
        ),
        (
            "javascript",
            "function add() { return 7; }",
            "test('a', (t) => { if (add(1, 2) === 7) return t.skip(); assert(0); })",
        ),
        (
            "javascript",
            "function add() { return 7; }",
            "test('a', (t) => { if (add(1, 2) === 7) t.todo(); assert(0); })",
        ),
    ],
)
def test_a_fault_of_the_program_scores_0(language, program, tests):
    assert scored(program, tests, language=language).score == 0.0


@pytest.mark.parametrize(
    ("tests", "line"),
    [("assert.equal(add(1,, 2), 3);", 1), ("import a from 'node:assert';\na(add(1,, 2))", 2)],
)
def test_validate_reports_the_syntax_of_javascript(tests, line):
    (fault,) = Code("javascript", tests).faults()
    assert fault.message == f"line {line}: SyntaxError: Unexpected token ','."
    assert Code("javascript", tests.replace(",,", ",")).faults() == []


@pytest.mark.parametrize("tests", ["await add(1, 2);", "assert.equal(await add(1, 2), 3);"])
def test_validate_says_where_await_is_allowed(tests):
    (fault,) = Code("javascript", tests).faults()
    assert fault.message.startswith("line 1: SyntaxError: ")
    assert fault.message.endswith(" Write await in an async function, or in a test of node:test.")


@pytest.mark.parametrize(
    ("language", "tests", "reason"),
    [
        ("python", "def test_a():\n    add(1, 2)", "the tests check nothing"),
        ("javascript", "// only words\n/* and more */\n", "there are no tests"),
    ],
)
def test_validate_refuses_tests_that_check_nothing(language, tests, reason):
    (fault,) = Code(language, tests).faults()
    assert reason in fault.message


def test_a_check_of_a_library_is_an_assertion():
    tests = "import pytest\ndef test_a():\n    with pytest.raises(ValueError): add(1, 2)"
    assert Code("python", tests).faults() == []
