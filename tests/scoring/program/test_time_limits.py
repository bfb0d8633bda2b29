"""The time limit counts processor time; a program that waits is stopped by wall time."""

import pytest

from tests.scoring.program.conftest import scored

BUSY = {
    "python": ("def f():\n    while True: pass", "assert f() == 1"),
    "javascript": ("function f() { for (;;); }", "assert.equal(f(), 1)"),
}
WAITING = {
    "python": ("import time\ndef f(): time.sleep(999)", "assert f() == 1"),
    "javascript": (
        "function f() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }",
        "assert.equal(f(), 1)",
    ),
}
SLOW = {
    "python": ("import time\ndef f():\n    time.sleep(2)\n    return 1", "assert f() == 1"),
    "javascript": (
        (
            "function f() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000); "
            "return 1; }"
        ),
        "assert.equal(f(), 1)",
    ),
}


@pytest.mark.parametrize("language", BUSY)
def test_a_program_that_computes_is_stopped_by_processor_time(language):
    score = scored(*BUSY[language], language=language, timeout=1)
    assert score.score == 0.0, score
    assert "timed out after 1 s of processor time" in score.notes


@pytest.mark.parametrize("language", WAITING)
def test_a_program_that_waits_is_stopped_by_wall_time(language):
    score = scored(*WAITING[language], language=language, timeout=0.5)
    assert score.score == 0.0, score
    assert score.notes.startswith("timed out after 15 s"), score


@pytest.mark.parametrize("language", SLOW)
def test_waiting_does_not_count_as_processor_time(language):
    score = scored(*SLOW[language], language=language, timeout=1)
    assert score.score == 1.0, score


@pytest.mark.parametrize("is_pytest", [False, True])
def test_a_step_that_can_not_be_interrupted_is_stopped(is_pytest):
    tests = "import pytest\n" * is_pytest + "def test_a(): assert f() == 1"
    score = scored("def f(): return 3 ** 10**10", tests, timeout=1)
    assert score.score == 0.0, score


def test_a_command_that_waits_is_stopped_by_wall_time():
    given = {"language": "bash", "runner": "bash tests.sh", "timeout": 0.5}
    score = scored("echo", "sleep 999 # BENCHMAKER_TOKEN", **given)
    assert score.score == 0.0
    assert "it exceeded the time limit (after 15 s)" in score.notes


def test_examples_of_hypothesis_have_no_deadline():
    tests = (
        "from hypothesis import given, strategies as st\n@given(st.integers())\n"
        "def test_a(one): assert f(one) == one"
    )
    program = (
        "import time\nseen = []\ndef f(one):\n    seen.append(one)\n"
        "    if len(seen) == 5: time.sleep(0.5)\n    return one"
    )
    assert scored(program, tests, timeout=60).score == 1.0
