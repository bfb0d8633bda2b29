"""The names in tests: those of the program, those of Python, and tests that are none."""

import ast

import pytest

from benchmaker.scoring.program.inside.source_names import (
    hidden_names,
    modules_used,
    names_of_program,
    names_of_tests,
    needs_pytest,
)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("assert add(1, 2) == 3", ["add"]),
        ("import math\nassert math.isclose(root(4), 2)", ["root"]),
        ("def check(f):\n    assert f(1)\ncheck(solve)", ["solve"]),
        ("for n in range(3):\n    assert f(n) == n", ["f"]),
        ("try:\n    f()\nexcept Bad as bad:\n    assert bad.code", ["Bad", "f"]),
        ("match f():\n    case [a, *b]: assert a", ["f"]),
        ("assert sum([1]) == 1", []),
        ("import solution\nassert solution.f()", []),
    ],
)
def test_names_that_are_not_defined_are_the_programs(source, names):
    assert names_of_program(ast.parse(source)) == names


def test_names_of_modules_stay_those_of_python():
    tree = ast.parse("assert math.isclose(f(), np.pi)\nassert copy(1)\nassert copy.x")
    names = names_of_program(tree)
    assert modules_used(tree, names) == {"math": "math", "np": "numpy"}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("assert sum(1, 2) == 3", ["sum"]),
        ("from solution import sum\nassert sum(1, 2) == 3", []),
        ("assert f() == 3", []),
    ],
)
def test_a_program_does_not_hide_pythons_functions(source, names):
    assert hidden_names(ast.parse(source), ["sum", "f"]) == names


@pytest.mark.parametrize(
    ("source", "needed", "functions"),
    [
        ("assert f()", False, []),
        ("def test_a(): assert f()\ndef test_b(): pass", False, ["test_a", "test_b"]),
        ("def test_a(tmp_path): assert f()", True, ["test_a"]),
        ("import pytest", False, []),
        ("import pytest\ntests = [1]\nassert f()", False, []),
        ("import pytest\ndef test_a(): assert f()", True, ["test_a"]),
        ("import pytest\nif f:\n    def test_a(): pass", True, []),
        ("import pytest\ntest_a = make()", True, []),
        ("class TestF:\n    def test_a(self): pass", True, []),
        ("import unittest\nclass F(unittest.TestCase): pass", True, []),
        ("@mark\ndef test_a(): pass", True, ["test_a"]),
        ("async def test_a(): pass", True, ["test_a"]),
        ("def setup_module(): pass\ndef test_a(): pass", True, ["test_a"]),
    ],
)
def test_pytest_runs_what_needs_it(source, needed, functions):
    tree = ast.parse(source)
    assert (needs_pytest(tree), names_of_tests(tree)) == (needed, functions)
