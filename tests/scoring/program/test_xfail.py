"""Tests that are expected to fail count as in pytest: they neither pass nor fail."""

import pytest

from tests.scoring.program.conftest import scored

RIGHT, WRONG = "def add(a, b): return a + b", "def add(a, b): return 7"
SUM = "import pytest\ndef test_sum(): assert add(1, 2) == 3\n"
XFAIL = f"{SUM}@pytest.mark.xfail\ndef test_b(): assert add(1, 2) == %s\n"
STRICT = XFAIL.replace("xfail", "xfail(strict=True)")
CHOSEN = f"{SUM}def test_b():\n    if add(1, 2) == 7: pytest.xfail('no')\n    assert add(1, 2) == 3"
UNITTEST = (
    f"import unittest\n{SUM}class TestB(unittest.TestCase):\n    @unittest.expectedFailure\n"
    "    def test_b(self): self.assertEqual(add(1, 2), %s)\n"
)
COUNTED = [
    (XFAIL % 4, 1.0, (1, 1, 0)),
    (XFAIL % 3, 1.0, (1, 1, 0)),
    (STRICT % 4, 1.0, (1, 1, 0)),
    (STRICT % 3, 0.0, (2, 1, 1)),
    (XFAIL.replace("xfail", "xfail(raises=TypeError)") % 4, 0.0, (2, 1, 1)),
    (XFAIL.replace("xfail", "xfail(run=False)") % 4, 1.0, (1, 1, 0)),
    (XFAIL.replace("xfail", "xfail(False, reason='no')") % 4, 0.0, (2, 1, 1)),
    (UNITTEST % 4, 1.0, (1, 1, 0)),
    (UNITTEST % 3, 0.0, (2, 1, 1)),
    (f"{SUM}def test_b(): pytest.xfail('later')", 1.0, (1, 1, 0)),
]


@pytest.mark.parametrize(("tests", "score", "counts"), COUNTED)
def test_an_expected_failure_counts_as_in_pytest(tests, score, counts):
    found = scored(RIGHT, tests)
    assert found.score == score, found.notes
    assert tuple(found.detail["tests"].values()) == counts
    assert scored(WRONG, tests).score == 0.0


@pytest.mark.parametrize(
    ("mark", "before"),
    [("\"add(1, 2) == 7\", reason='no'", ""), ("SEEN == 7, reason='no'", "SEEN = add(1, 2)\n")],
)
def test_a_condition_with_a_value_of_the_program_does_not_excuse_it(mark, before):
    tests = (
        f"import pytest\n{before}@pytest.mark.xfail({mark})\ndef test_b(): assert add(1, 2) == 3\n"
    )
    assert scored(RIGHT, tests).score == 1.0
    assert scored(WRONG, tests).score == 0.0


def test_a_condition_of_the_machine_excuses_a_failure():
    tests = XFAIL.replace("xfail", "xfail(1 < 2, reason='later')") % 4
    assert scored(RIGHT, tests).score == 1.0


def test_a_program_can_not_choose_that_its_test_is_expected_to_fail():
    assert scored(RIGHT, CHOSEN).score == 1.0
    other = "seen = []\ndef add(a, b):\n    seen.append(1)\n    return 3 if len(seen) == 1 else 7"
    score = scored(other, CHOSEN)
    assert score.score == 0.0
    assert "test_b" in score.notes


@pytest.mark.parametrize("program", [RIGHT, WRONG])
def test_expected_failures_alone_leave_the_answer_unscored(program):
    tests = "import pytest\n@pytest.mark.xfail\ndef test_b(): assert add(1, 2) == 4\n"
    score = scored(program, tests)
    assert score.score is None
    assert "all tests were skipped or are expected to fail" in score.notes


def test_the_strictness_of_the_error_is_named():
    score = scored(RIGHT, STRICT % 3)
    assert "XPASS(strict)" in score.notes
