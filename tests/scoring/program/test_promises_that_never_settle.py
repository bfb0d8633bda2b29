"""A program in JavaScript whose promise never settles is wrong; plain node would not notice."""

import pytest

from tests.scoring.program.conftest import scored

NEVER = "const slow = (n) => new Promise(() => {});"
RIGHT = "const slow = (n) => new Promise((done) => setTimeout(() => done(2 * n), 5));"
TESTS = [
    "const assert = require('assert');\n(async () => { assert.equal(await slow(2), 4); })();",
    (
        "const assert = require('assert');\nasync function main() {\n"
        "  const found = await slow(2);\n  assert.equal(found, 4);\n}\nmain();"
    ),
    "const assert = require('assert');\nslow(2).then((it) => assert.equal(it, 4));",
    (
        "const test = require('node:test'), assert = require('assert');\n"
        "test('a', async () => { assert.equal(await slow(2), 4); });"
    ),
    "import assert from 'node:assert';\nassert.equal(await slow(2), 4);",
]


@pytest.mark.parametrize("tests", TESTS)
def test_an_awaited_promise_that_never_settles_scores_0(tests):
    never = scored(NEVER, tests, language="javascript", timeout=60)
    assert never.score == 0.0, never
    assert scored(RIGHT, tests, language="javascript", timeout=60).score == 1.0


def test_the_reason_says_that_the_promise_never_settled():
    score = scored(NEVER, TESTS[0], language="javascript", timeout=60)
    assert "an awaited promise never settled" in score.notes


def test_a_promise_that_the_tests_settle_later_leaves_the_answer_unscored():
    """With the program apart, the tests can't go on while they wait for it."""
    program = (
        "let wake;\nconst next = () => new Promise((done) => { wake = done; });\n"
        "const put = (it) => wake(it);"
    )
    tests = (
        "const assert = require('assert');\n(async () => {\n  const found = next();\n"
        "  await new Promise((done) => setTimeout(done, 20));\n  put(4);\n"
        "  assert.equal(await found, 4);\n})();"
    )
    score = scored(program, tests, language="javascript", timeout=60)
    assert score.score is None, score


def test_a_program_that_hides_the_failures_gets_a_reason_without_a_colon():
    program = (
        "Array.prototype.push = () => 0; Error.prepareStackTrace = () => { process.exit(0); };\n"
        "function add() { return 0; }"
    )
    tests = "require('assert').equal(add(1, 2), 3);"
    score = scored(program, tests, language="javascript", timeout=60)
    assert score.score == 0.0, score
    assert not score.notes.rstrip().endswith(":")
