"""Tests in Python that never run or never fail: validate refuses or notes them, with the line."""

import pytest

from benchmaker.scoring.program.code_check import Code
from benchmaker.scoring.program.python_tests import find_fault, find_notes
from benchmaker.testing import a_case
from tests.scoring.program.conftest import scored

RIGHT = "def test_right(): assert add(1, 2) == 3\n"
UNITTEST = "import unittest\nclass Sums(unittest.TestCase):\n"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("assert f()", None),
        ("def test_f(): assert f()", None),
        ("def check(f): assert f(1)\ncheck(f)", None),
        ("check(f)", "the tests check nothing"),
        ("", "there are no tests"),
        ("'only a text'", "no assertion"),
        ("x = 1", "no assertion"),
        ("def check(f): assert f()", "check is defined but never called"),
        ("assert (", "line 1: '(' was never closed"),
        ("\nassert f(\x00)", "line 0: source code string cannot contain null bytes"),
    ],
)
def test_a_text_without_tests_is_a_fault(source, fault):
    found = find_fault(source)
    assert found is None if fault is None else fault in found


@pytest.mark.parametrize(
    "source",
    [
        "add(1, 2) == 3",
        "assert add(0, 0) == 0; add(1, 2) == 3",
        f"{RIGHT}add(1, 2) == 3",
        f"{RIGHT}def test_b():\n    add(1, 2) == 3",
        f"{RIGHT}add(1, 2) == 3 and add(0, 0) == 0",
        f"{RIGHT}for one in [1]: not add(one, 2) == 3",
    ],
)
def test_a_comparison_whose_result_is_not_used_is_a_fault(source):
    line = len(source.splitlines())
    assert find_fault(source).startswith(
        f"line {line}: the result of the comparison is not used: write assert "
    )


@pytest.mark.parametrize(
    "source", ["print(add(1, 2))", "add(1, 2)", "print('a')\nadd", "def test_a(): add(1, 2)"]
)
def test_tests_without_an_assertion_are_a_fault(source):
    assert find_fault(source) == "the tests check nothing; add an assertion."


def test_a_printed_comparison_is_a_fault():
    assert find_fault("print(add(1, 2) == 3)") == (
        "line 1: print checks nothing; write assert instead."
    )


@pytest.mark.parametrize(
    "test",
    [
        *("True", "1", "'text'", "f'the {add}'", "[add(1, 2)]", "{1: add}", "lambda: add(1, 2)"),
        *("not False", "1 == 1", "add(1, 2) == 3 or 4", "True and 'text'"),
    ],
)
def test_an_assertion_that_is_always_true_is_a_fault(test):
    fault = find_fault(f"{RIGHT}assert {test}")
    assert fault == "line 2: the assertion is always true; compare a result of the program."


@pytest.mark.parametrize(
    ("before", "name"),
    [("", "add"), ("from solution import add\n", "add"), ("import solution\n", "solution.add")],
)
def test_the_name_of_a_function_is_no_assertion(before, name):
    fault = find_fault(f"{before}assert {name}")
    line = 2 if before else 1
    assert fault == f"line {line}: {name} alone is always true; call it: assert {name}(…) == …"


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    add(None)\n    assert False\nexcept TypeError:\n    assert True",
        "import pytest\ndef test_a():\n    with pytest.raises(TypeError): add(None) < 3",
        "result = add(1, 2)\nassert result",
        "assert LIMIT",
        "def test_a(tmp_path): assert tmp_path and add(1, 2)",
        "import pytest\n@pytest.fixture\ndef it(): return add(1, 2)\ndef test_a(it): assert it",
        "assert add(1, 2) == 3, 'the sum'",
        "assert not add(0, 0)",
    ],
)
def test_an_assertion_that_depends_on_the_program_is_accepted(source):
    assert find_fault(source) is None


SHADOWED = "def test_a():\n    assert add(1, 2) == 4\n\ndef test_a():\n    assert add(0, 0) == 0\n"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (SHADOWED, "line 4: test_a replaces that of line 1, which never runs; rename one."),
        (
            f"{UNITTEST}    def test_a(self): self.assertTrue(add(1))\n    def test_a(self): pass",
            "line 4: test_a replaces that of line 3, which never runs; rename one.",
        ),
        (
            f"class TestA:\n    {RIGHT}class TestA:\n    {RIGHT}",
            "line 3: TestA replaces that of line 1, which never runs; rename one.",
        ),
    ],
)
def test_a_test_that_another_of_its_name_replaces_is_a_fault(source, fault):
    assert find_fault(source) == fault


def test_only_the_last_test_of_a_name_is_counted():
    score = scored("def add(a, b): return a + b", SHADOWED)
    assert (score.score, score.detail["tests"]["planned"]) == (1.0, 1)


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (
            "if __name__ == '__main__':\n    assert add(1, 2) == 3",
            "line 1: the block never runs, because __name__ is not '__main__' here.",
        ),
        (
            (
                f"{RIGHT}class TestA:\n    def __init__(self): self.x = 1\n"
                "    def test_a(self): assert add(1, 2) == 3"
            ),
            "line 2: pytest does not run TestA, which has __init__; use setup_method.",
        ),
        (
            f"{RIGHT}class TestA:\n    def adds(self): assert add(1, 2) == 3",
            "line 2: TestA has no method whose name begins with test.",
        ),
        (
            f"import pytest\n@pytest.mark.skip\n{RIGHT}",
            "line 3: all tests are skipped or are expected to fail.",
        ),
        (
            f"import pytest\n@pytest.mark.skip(reason='later')\nclass TestA:\n    {RIGHT}",
            "line 4: all tests are skipped or are expected to fail.",
        ),
        (
            f"import pytest\npytestmark = pytest.mark.skip\n{RIGHT}",
            "line 2: all tests are skipped or are expected to fail.",
        ),
        (
            f"import pytest\npytest.skip('no', allow_module_level=True)\n{RIGHT}",
            "line 2: all tests are skipped or are expected to fail.",
        ),
        (
            (
                f"import pytest\n{RIGHT}@pytest.mark.parametrize('a', [])\n"
                "def test_b(a): assert add(a, 2) == 3"
            ),
            "line 4: the list in parametrize is empty, so test_b never runs.",
        ),
        (
            "def test_a():\n    def check(): assert add(1, 2) == 3",
            "check is defined but never called; call it in a test.",
        ),
        (
            f"{RIGHT}def test_b():\n    yield add(1, 2)\n    assert add(1, 2) == 3",
            "line 2: test_b has a yield, and pytest runs no generators; remove the yield.",
        ),
        (
            f"{RIGHT}async def test_b():\n    assert add(1, 2) == 3",
            "line 2: pytest does not run async def test_b; use asyncio.run in the test.",
        ),
    ],
)
def test_tests_that_never_run_are_a_fault(source, fault):
    assert find_fault(source) == fault


@pytest.mark.parametrize(
    "source",
    [
        f"{RIGHT}if __name__ == '__main__':\n    import pytest\n    pytest.main()",
        f"import pytest\n{RIGHT}@pytest.mark.skip\ndef test_b(): assert add(1, 2) == 4",
        f"import pytest\n@pytest.mark.skipif(False, reason='no')\n{RIGHT}",
        f"import pytest\n@pytest.mark.xfail(strict=True)\n{RIGHT}",
        f"class TestData:\n    size = 1\n{RIGHT}",
        f"class Base:\n    {RIGHT}class TestA(Base):\n    size = 1",
        f"class TestA:\n    class TestInner:\n        {RIGHT}",
        f"{UNITTEST}    def test_a(self): self.check()\n    def check(self): assert add(1, 2) == 3",
        f"{UNITTEST}    def setUp(self): self.assertTrue(add(1, 2))\n    def test_a(self): pass",
        (
            "import unittest\nclass A(unittest.IsolatedAsyncioTestCase):\n"
            "    async def test_a(self): assert add(1, 2) == 3"
        ),
        "import pytest\n@pytest.fixture\ndef a():\n    yield 1\ndef test_a(a): assert add(a, 2)",
        "def test_a():\n    def check(): assert add(1, 2) == 3\n    check()",
    ],
)
def test_tests_that_run_are_accepted(source):
    assert find_fault(source) is None


@pytest.mark.parametrize(
    ("source", "note"),
    [
        (
            f"def should_add():\n    assert add(1, 2) == 3\n\n{RIGHT}",
            "line 1: should_add is never called, so its assertions do not run.",
        ),
        (
            f"class TestA:\n    {RIGHT}    def adds(self): assert add(1, 2) == 3\n",
            "line 3: adds is never called, so its assertions do not run.",
        ),
        (
            f"{RIGHT}class Adds:\n    def test_a(self): assert add(1, 2) == 3\n",
            "line 3: test_a never runs, because the name of Adds does not begin with Test.",
        ),
        (
            f"{RIGHT}if __name__ == '__main__':\n    assert add(1, 2) == 3",
            "line 2: the block never runs, because __name__ is not '__main__' here.",
        ),
        (
            f"{UNITTEST}    def test_a(self): self.assertTrue(add(1, 2), 3)",
            "line 3: the second argument of assertTrue is a message; use assertEqual.",
        ),
    ],
)
def test_assertions_that_never_run_are_noted(source, note):
    assert find_fault(source) is None
    assert find_notes(source) == [note]
    assert [it.message for it in Code("python", source).notes(a_case())] == [note]


def test_tests_without_an_idle_part_have_no_notes():
    helper = "def check(f):\n    assert f(1, 2) == 3\n"
    assert find_notes(f"{helper}def test_a():\n    check(add)") == []
    assert find_notes(f"{UNITTEST}    def test_a(self): self.assertTrue(add(1), 'one')") == []
