"""Tests that check nothing: validate refuses them, and an answer gets no score for them."""

import pytest

from benchmaker.scoring.program.code_check import Code
from benchmaker.testing import a_case
from tests.scoring.program.conftest import scored

RIGHT = {
    "python": "LIMIT = 3\ndef add(a, b): return a + b",
    "javascript": "var LIMIT = 3; function add(a, b) { return a + b; }",
}
IMPORTS = "import test from 'node:test';\nimport { equal as same } from 'node:assert';\n"
MODULE = "import { add } from './solution.mjs';\nimport assert from 'node:assert';\n"
UNITTEST = "import unittest\nclass TestA(unittest.TestCase):\n"
NO_ASSERTION = [
    "test('adds', () => {});",
    "// assert.equal(add(1, 2), 3)\ntest('adds', () => { /* assert(add(1, 2)) */ });",
    "test('assert it', () => { add(1, 2); });",
    "add(1, 2);",
    "const assert = require('node:assert');\ntest('adds', () => { add(1, 2); });",
    f"{IMPORTS}test('adds', () => {{ add(1, 2); }});",
    "test('adds', () => { console.assert(add(1, 2) === 3); });",
    "const limit = 3;",
    "console.log(add(1, 2) === 3);",
    "const right = add(1, 2) === 3;",
    "console.assert(add(Math.max(1, 0), 2) === 3);",
]
NEVER_CALLED = [
    "function check(f) {\n  assert.equal(f(1, 2), 3);\n}\n",
    "const check = (f) => assert.equal(f(1, 2), 3)\ntest('adds', () => {});\n",
    "const check = async (f, { sum = 3 } = {}) => {\n  assert.equal(f(1, 2), sum);\n};\n",
]
CHECKING = [
    "assert(add(1, 2) === 3)",
    "if (add(1, 2) !== 3) throw new Error('/*');",
    "test('adds', (t) => t.assert.equal(add(1, 2), 3))",
    "const { deepEqual: same } = require('assert/strict');\ntest('a', () => same(add(1, 2), 3))",
    f"{IMPORTS}test('adds', () => same(add(1, 2), 3));",
    "const check = (f) => assert(f(1, 2) === 3)\ntest('adds', () => check(add))",
    "const quote = /[\"'`/]/;\nassert(!quote.test(add('a', 'b')));",
    "function check() { assert(add(1, 2)); }\nmodule.exports.check = check;",
    "test('adds',\n  function check() { assert(add(1, 2) === 3); }\n);",
    "const ready = function () { assert(add(1, 2) === 3); }();",
    "const lines = [\n  /[\"']/,\n  /`/g,\n];\nassert(lines.every((it) => !it.test(add(1, 2))));",
    "const unused = (f) => assert(f)\ntest('adds', () => { if (add(1) !== 3) process.exit(1); })",
]


@pytest.mark.parametrize("tests", NO_ASSERTION)
def test_validate_refuses_javascript_without_an_assertion(tests):
    (fault,) = Code("javascript", tests).faults()
    assert fault.message == "the tests check nothing; add an assertion."


COMPARISONS = [
    "add(1, 2) === 3;",
    "add(1, 2) === 3",
    "assert(add(0, 0) === 0);\nadd(1, 2) == 3;",
    "test('adds', () => { add(1, 2) === 3; });",
    "test('adds', () => {\n  add(1, add(0, 2)) !== 4\n});",
]
ALWAYS_TRUE = ["assert(true);", "assert('text');", "assert.ok(1);", "assert.ok(`${add(1, 2)}`)"]
NO_COMPARISONS = [
    "if (\n  add(1, 2) !== 3\n) throw new Error('no');",
    "const isRight =\n  add(1, 2) === 3;\nassert(isRight);",
    "assert(add(0, 0) === 0 &&\n  add(1, 2) === 3\n);",
    "const f = (a) => {\n  return a.g(1) === 3;\n};\nassert(f(add(1, 2)));",
    "assert([1].every(\n  (one) => {\n    return add(one, 2) === 3; }));",
    "const result = add(1, 2);\nassert(result);",
    "test('a', (t) => { for (const one of add(1, 2)) assert(one); });",
    "assert(add(1, 2), 'the sum');",
    "[1, 2].forEach((one) => assert(one));",
]


@pytest.mark.parametrize("tests", COMPARISONS)
def test_validate_refuses_a_comparison_that_is_not_used(tests):
    line = 2 if "\n" in tests else 1
    (fault,) = Code("javascript", tests).faults()
    assert fault.message.startswith(
        f"line {line}: the result of the comparison is not used: write assert(add(1, "
    )


@pytest.mark.parametrize("tests", ALWAYS_TRUE)
def test_validate_refuses_javascript_that_is_always_true(tests):
    (fault,) = Code("javascript", f"assert(add(1, 2));\n{tests}").faults()
    assert fault.message == "line 2: the assertion is always true; compare a result of the program."


@pytest.mark.parametrize("before", ["", "const { add } = require('./solution');\nadd(0, 0);\n"])
def test_validate_refuses_the_name_of_a_function_alone(before):
    (fault,) = Code("javascript", f"{before}assert(add);").faults()
    line = 3 if before else 1
    assert fault.message == (
        f"line {line}: add alone is always true; call it: assert.equal(add(…), …)"
    )


@pytest.mark.parametrize("tests", NO_COMPARISONS)
def test_validate_accepts_comparisons_that_are_used(tests):
    assert Code("javascript", tests).faults() == []


@pytest.mark.parametrize(
    ("tests", "note"),
    [
        (
            "const unused = (f) => assert(f)\ntest('adds', () => { assert(add(1, 2) === 3); })",
            "line 1: unused is never called, so its assertions do not run.",
        ),
        (
            "assert(add(0, 0) === 0);\nassert(add(1, 2), 3);",
            "line 2: the second argument of assert is a message; use assert.equal.",
        ),
        (
            "assert.ok(add([1, 2], f(3)), [3]);",
            "line 1: the second argument of assert is a message; use assert.equal.",
        ),
    ],
)
def test_validate_notes_javascript_that_checks_less_than_it_seems(tests, note):
    check = Code("javascript", tests)
    assert check.faults() == []
    assert [it.message for it in check.notes(a_case())] == [note]


@pytest.mark.parametrize("tests", NEVER_CALLED)
def test_validate_names_a_function_with_assertions_that_is_never_called(tests):
    (fault,) = Code("javascript", tests).faults()
    assert fault.message == "check is defined but never called; add check(…) at the end."


@pytest.mark.parametrize("tests", CHECKING)
def test_validate_accepts_javascript_with_a_check(tests):
    assert Code("javascript", tests).faults() == []


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        (
            "def check(f):\n    assert f(1, 2) == 3\ndef test_a():\n    add(1, 2)",
            "check is defined but never called; call it in a test.",
        ),
        ("def test_a():\n    add(1, 2)", "the tests check nothing; add an assertion."),
        (
            "def test_a():\n    assert (add(1, 2) == 3, 'the sum')",
            "line 2: the assertion of a tuple is always true; remove the ().",
        ),
    ],
)
def test_validate_refuses_python_whose_tests_check_nothing(tests, message):
    (fault,) = Code("python", tests).faults()
    assert fault.message == message


@pytest.mark.parametrize(
    "tests",
    [
        "def check(f):\n    assert f(1, 2) == 3\ndef test_a():\n    check(add)",
        "def check(f):\n    assert f(1, 2) == 3\ndef test_a():\n    list(map(check, [add]))",
        "import pytest\n@pytest.fixture\ndef a():\n    assert add(1, 2)\ndef test_a(a): pass",
        "def teardown_function(it):\n    assert add(1, 2) == 3\ndef test_a(): add(1, 2)",
    ],
)
def test_validate_accepts_python_with_a_check_in_another_function(tests):
    assert Code("python", tests).faults() == []


IDLE = [
    ("javascript", NEVER_CALLED[0]),
    ("javascript", "test('adds', () => {});"),
    ("javascript", "// assert(add(1, 2) === 3)\n"),
    ("javascript", "const { add } = require('./solution');\nconst run = () => assert(add(1, 2));"),
    ("javascript", f"{MODULE}const run = () => {{ assert.equal(add(1, 2), 3); }};\n"),
    ("javascript", "test('é 😀', () => {\n  const f = () => assert(add(1, 2) === 3);\n});"),
    ("python", "def check(f):\n    assert f(1, 2) == 3\ndef test_a():\n    check"),
    ("python", "import pytest\ndef check(f):\n    assert f(1, 2) == 3\ndef test_a(): check"),
    ("python", "def test_a():\n    for one in []:\n        assert add(one, 2) == 3"),
    ("python", "class TestA:\n    def check(self): assert add(1)\n    def test_a(self): pass"),
    ("python", "import pytest\ndef test_a():\n    def check(): assert add(1, 2) == 3"),
]


@pytest.mark.parametrize(("language", "tests"), IDLE)
def test_tests_that_reach_no_check_leave_the_answer_unscored(language, tests):
    score = scored(RIGHT[language], tests, language=language)
    assert score.score is None, score
    assert "the tests checked nothing" in score.notes


CONSTANTS = [
    ("javascript", "assert(LIMIT === 3)"),
    ("javascript", "if (LIMIT !== 3) throw new Error('no');\nassert.ok(true);"),
    ("javascript", f"{IMPORTS}const é = '😀';\ntest('limit', () => {{ same(LIMIT, 3); }});"),
    ("javascript", "import assert from 'node:assert';\nassert(LIMIT === 3);"),
    ("python", "assert LIMIT == 3"),
    ("python", "def test_a(): assert LIMIT == 3"),
    ("python", "def test_a():\n    assert (\n        LIMIT\n        == 3\n    )"),
    ("python", "import pytest\ndef test_a():\n    assert (\n        LIMIT\n        == 3\n    )"),
    ("python", f"{UNITTEST}    def test_a(self): self.assertEqual(LIMIT, 3)"),
    ("python", "def test_a():\n    if LIMIT != 3:\n        raise ValueError\n    add(1, 2)"),
]


@pytest.mark.parametrize(("language", "tests"), CONSTANTS)
def test_an_assertion_about_a_constant_is_a_check(language, tests):
    right = scored(RIGHT[language], tests, language=language)
    wrong = scored(RIGHT[language].replace("3", "4"), tests, language=language)
    assert (right.score, wrong.score) == (1.0, 0.0), (right, wrong)


@pytest.mark.parametrize(
    ("language", "program"),
    [
        ("python", "raise SystemExit"),
        ("python", "import os\nos._exit(0)"),
        ("python", "def add(a, b): raise SystemExit"),
        ("python", "import sys\nsys.settrace(None)\ndef add(a, b): return 7"),
        ("javascript", "process.exit(0)"),
        ("javascript", "function add() { process.exit(0); }"),
        ("javascript", "function add() { return 7; } globalThis.assert = () => {};"),
    ],
)
def test_a_program_can_not_make_its_tests_idle(language, program):
    tests = {
        "python": "def test_a():\n    assert add(1, 2) == 3",
        "javascript": "test('adds', () => { assert.equal(add(1, 2), 3); });",
    }
    assert scored(program, tests[language], language=language).score == 0.0
