"""Assertions at the top of tests in Python are tests, also in tests that import pytest."""

import pytest

from benchmaker.scoring.program.code_check import Code
from tests.scoring.program.conftest import scored

pytestmark = pytest.mark.long

RIGHT = "def half(n):\n    if n % 2: raise ValueError('odd')\n    return n // 2"
WRONG = "def half(n): return n"
FIRST = "assert half(4) == 2\n"
RAISES = "with pytest.raises(ValueError):\n    half(3)\n"
INNER = RAISES.replace("    ", "        ")
TESTS = {
    "assertion": (f"import pytest\n{FIRST}", 1),
    "raises": (f"import pytest\n{RAISES}", 1),
    "both": (f"import pytest\n{FIRST}{RAISES}", 2),
    "from": (f"from pytest import raises, approx\nassert half(4) == approx(2)\n{FIRST}", 2),
    "unittest": ("import unittest\nunittest.TestCase().assertEqual(half(4), 2)\n", 1),
    "list": (f"import pytest\ntests = [4]\nfor n in tests:\n    assert half(n) == 2\n{RAISES}", 2),
    "function": (f"import pytest\n{FIRST}def test_odd():\n    {INNER}", 2),
    "class": (f"{FIRST}class TestHalf:\n    def test_half(self):\n        {FIRST}", 2),
    "fixture": (
        f"import pytest\n@pytest.fixture\ndef n(): return 4\n{FIRST}def test_n(n): {FIRST}",
        2,
    ),
    "skipped function": (
        f"import pytest\n{FIRST}@pytest.mark.skip\ndef test_later():\n    {FIRST}",
        1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TESTS)
def test_they_are_counted_and_decide(name):
    tests, planned = TESTS[name]
    assert Code("python", tests).faults() == []
    right, wrong = scored(RIGHT, tests), scored(WRONG, tests)
    assert right.score == 1.0, right.notes
    assert right.detail["tests"] == {"planned": planned, "passed": planned, "failed": 0}
    assert wrong.score == 0.0, wrong.notes


def test_a_failed_one_is_named_and_does_not_stop_the_others():
    score = scored(WRONG, TESTS["both"][0])
    names = [it["test"] for it in score.detail["failures"]]
    assert names == ["line 2: assert half(4) == 2", "line 3: with pytest.raises(ValueError):"]
    assert "DID NOT RAISE" in score.notes


SKIP = "pytest.skip('not here', allow_module_level=True)\n"


def test_the_rest_is_left_out_where_the_tests_skip_themselves():
    tests = f"import pytest, sys\n{FIRST}if sys.maxsize < 1:\n    {SKIP}{RAISES}"
    assert scored(RIGHT, tests).detail["tests"]["planned"] == 3
    early = f"import pytest, sys\nif sys.maxsize > 1:\n    {SKIP}{FIRST}"
    score = scored(RIGHT, early)
    assert score.score is None
    assert "skipped" in score.notes


def test_a_program_can_not_choose_that_the_rest_is_left_out():
    tests = f"import pytest\nif half(4) == 4:\n    {SKIP}{FIRST}"
    assert scored(RIGHT, tests).score == 1.0
    assert scored(WRONG, tests).score == 0.0


HERE = "sys.platform == 'linux'"
MARKS = ["skip", "skip(reason='later')", f"skipif({HERE}, reason='not here')"]
LATER = "def test_later(): assert half(4) == 4\n"


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_of_the_machine_skips_a_test_also_after_a_use_at_the_top(mark):
    tests = f"import pytest, sys\n{FIRST}@pytest.mark.{mark}\n{LATER}"
    right = scored(RIGHT, tests)
    assert (right.score, right.detail["tests"]["planned"]) == (1.0, 1), right.notes
    assert scored(WRONG, tests).score == 0.0


@pytest.mark.parametrize(
    ("before", "mark"),
    [
        ("", "pytest.mark.skipif(half(4) == 4, reason='no')"),
        ("seen = half(4)\n", "pytest.mark.skipif(seen == 4, reason='no')"),
        ("seen = half(4)\n", "pytest.mark.skipif('seen == 4', reason='no')"),
        ("mark = pytest.mark.skipif(half(4) == 4, reason='no')\n", "mark"),
        ("import unittest\n", "unittest.skipIf(half(4) == 4, 'no')"),
    ],
)
def test_a_mark_with_a_value_of_the_program_does_not(before, mark):
    tests = f"import pytest\n{before}@{mark}\ndef test_half(): assert half(4) == 2\n"
    assert scored(RIGHT, tests).score == 1.0
    assert scored(WRONG, tests).score == 0.0
