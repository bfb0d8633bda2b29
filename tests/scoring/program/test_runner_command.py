"""Tests that a command runs: what counts as passed, and where the files lie."""

import pytest

from benchmaker.scoring.program.runner_command import (
    find_error,
    find_fault_of_runner,
    name_tests_file,
)
from tests.scoring.program.conftest import scored

PROGRAM = '#include <stdio.h>\nint main(void) { puts("42"); }'
TESTS = 'set -e\ngcc solution.c -o program\n[ "$(./program)" = 42 ]\necho BENCHMAKER_TOKEN\n'
SHELL = "echo 42"


def shell(tests, **parameters):
    given = {"language": "bash", "runner": "bash tests.sh", **parameters}
    return scored(SHELL, tests, **given)


def test_a_program_in_another_language():
    right = scored(PROGRAM, TESTS, language="c", runner="bash tests.sh", timeout=60)
    assert (right.score, right.notes) == (1.0, "the test passed"), right
    assert (right.detail["exit_status"], right.detail["isolation"]) == (0, "one namespace")
    assert right.detail["is_forgeable"] is True
    wrong = scored(
        PROGRAM.replace("42", "43"), TESTS, language="c", runner="bash tests.sh", timeout=60
    )
    assert wrong.score == 0.0
    assert "it ended with status 1" in wrong.notes


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("exit 0", "did not print BENCHMAKER_TOKEN as their last line"),
        ("echo BENCHMAKER_TOKEN; echo more", "did not print BENCHMAKER_TOKEN"),
        ("echo BENCHMAKER_TOKEN; exit 3", "it ended with status 3"),
        ("echo 1..2; echo ok 1; echo BENCHMAKER_TOKEN", "2 tests planned, 1 reported"),
        ("echo 1..1; echo not ok 1 - sums; echo BENCHMAKER_TOKEN", "sums: not ok"),
        ("sleep 60", "it exceeded the time limit"),
        ("kill -9 $$", "it was killed"),
    ],
)
def test_a_command_passes_only_as_a_whole(tests, reason):
    score = shell(f"{tests}\n# BENCHMAKER_TOKEN", timeout=0.5)
    assert score.score == 0.0
    assert reason in score.notes


@pytest.mark.parametrize(
    ("tests", "line"),
    [
        (
            "set -e\nnosuchcompiler solution.sh",
            "tests.sh: line 2: nosuchcompiler: command not found",
        ),
        ("nosuchcompiler || exit 1", "tests.sh: line 1: nosuchcompiler: command not found"),
        ("touch /tmp/a; /tmp/a", "tests.sh: line 1: /tmp/a: Permission denied"),
        ("python3 -c 'import nosuch'", "ModuleNotFoundError: No module named 'nosuch'"),
        ("node /opt/nosuch.js", "Error: Cannot find module '/opt/nosuch.js'"),
        ("node -e 'require(\"nosuch\")'", "Error: Cannot find module 'nosuch'"),
    ],
)
def test_a_missing_command_or_module_leaves_the_answer_unscored(tests, line):
    score = shell(f"{tests}\nexit $? # BENCHMAKER_TOKEN")
    assert (score.score, score.notes) == (None, f"the tests could not be run: {line}"), score


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("nosuch", "bash solution.sh"),
        ("exit 127", "bash solution.sh"),
        ("import nosuch", "python3 solution.sh"),
        ("require('nosuch')", "cp solution.sh solution.js; node solution.js"),
        ("", "set -e; ./solution.out"),
    ],
)
def test_a_command_or_module_that_the_program_lacks_scores_0(program, tests):
    given = {"language": "bash", "runner": "bash tests.sh"}
    score = scored(program, f"{tests}\nexit $? # BENCHMAKER_TOKEN", **given)
    assert score.score == 0.0, score


TRACEBACK = """Traceback (most recent call last):
  File "/tests/tests.py", line 4, in <module>
    assert run("3 4") == "7"
           ^^^^^^^^^^^^^^^^^
AssertionError
"""


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (TRACEBACK, 'AssertionError: assert run("3 4") == "7"'),
        ("ValueError: first\nmore\nsolution.sh: the last line", "ValueError: first"),
        ("one\ntwo", "two"),
        ("", ""),
    ],
)
def test_a_message_shows_the_error_of_the_output(output, line):
    assert find_error(output) == line


def test_a_message_shows_the_assertion_of_node():
    tests = "node -e 'require(\"assert\").strictEqual(4, 3)'\nexit $? # BENCHMAKER_TOKEN"
    score = shell(tests)
    assert score.score == 0.0
    assert "Expected values to be strictly equal: 4 !== 3" in score.notes


def test_success_has_no_fault_of_the_runner():
    assert find_fault_of_runner(0, "tests.sh: line 2: tsc: command not found") == ""


def test_a_plan_counts_its_tests():
    tests = "echo 1..2\necho ok 1 - a\necho ok 2 - b\necho BENCHMAKER_TOKEN"
    assert shell(tests).detail["tests"] == {"planned": 2, "passed": 2, "failed": 0}


def test_a_file_of_tests_can_not_be_changed():
    tests = "cd /tmp\n[ ! -w /tests/tests.sh ] && [ -f /workspace/solution.sh ]\n"
    assert shell(f"set -e\n{tests}echo BENCHMAKER_TOKEN").score == 1.0


@pytest.mark.parametrize(
    ("runner", "language", "given", "name"),
    [
        ("bash tests.sh", "c", "", "tests.sh"),
        ("bash tests.sh", "c", "other.sh", "tests.sh"),
        ("go test", "go", "", "solution_test.go"),
        ("ruby solution.rb", "ruby", "", "tests.rb"),
        ("make check", "c", "Makefile", "Makefile"),
    ],
)
def test_the_file_of_tests_is_the_one_that_the_command_names(runner, language, given, name):
    assert name_tests_file(runner.split(), language, given) == name


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (
            (
                "solution.c: In function 'main':\n"
                "solution.c:1:24: error: expected ';' before '}' token\n"
                "    1 | int main(void) { return 0 }\n      |                        ^~\n"
                "      |                        ;"
            ),
            "solution.c:1:24: error: expected ';' before '}' token",
        ),
        (
            (
                "/usr/bin/ld: /tmp/cc1.o: in function `main':\n"
                "solution.c:(.text+0x9): undefined reference to `f'\n"
                "collect2: error: ld returned 1 exit status"
            ),
            "solution.c:(.text+0x9): undefined reference to `f'",
        ),
        (
            (
                "error[E0425]: cannot find value `x` in this scope\n --> solution.rs:1:1\n\n"
                "error: aborting due to 1 previous error"
            ),
            "error[E0425]: cannot find value `x` in this scope",
        ),
        (
            "solution.ts(1,5): error TS2322: Type 'string' is not assignable.\nDone.",
            "solution.ts(1,5): error TS2322: Type 'string' is not assignable.",
        ),
    ],
)
def test_the_reason_of_a_failed_build_is_the_first_error_of_the_compiler(output, line):
    assert find_error(output) == line
