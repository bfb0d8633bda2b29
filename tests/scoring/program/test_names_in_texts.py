"""Tests in Python that name the program's functions only in texts."""

import ast

import pytest

from benchmaker.scoring.program.inside.source_names import names_in_texts
from tests.scoring.program.conftest import scored

RIGHT = "def add(a, b):\n    return a + b"
WRONG = "def add(a, b):\n    return a - b"
MISSING = "def plus(a, b):\n    return a + b"
DOCTEST = '''import doctest
def check():
    """
    >>> add(1, 2)
    3
    """
def test_doc():
    runner = doctest.DocTestRunner()
    for one in doctest.DocTestFinder().find(check, "check"):
        runner.run(one)
    assert runner.summarize().failed == 0
    assert runner.tries == 1
'''
TESTS = [
    "for text, sum in [('add(1, 2)', 3), ('add(2, 2)', 4)]:\n    assert eval(text) == sum",
    "assert eval('add(1, 2)') == 3",
    "def test_a():\n    assert eval('add(1, 2)') == 3",
    "names = dict(globals())\nexec('found = add(1, 2)', names)\nassert names['found'] == 3",
    "def test_a():\n    names = {}\n    exec('x = add(1, 2)', names)\n    assert names['x'] == 3",
    "assert globals()['add'](1, 2) == 3",
    "for name in 'add'.split():\n    assert globals()[name](1, 2) == 3",
    "def test_a():\n    assert globals().get('add')(1, 2) == 3",
    (
        "import pytest\n@pytest.mark.parametrize('text', ['add(1, 2)'])\n"
        "def test_a(text):\n    assert eval(text) == 3"
    ),
    (
        "import pytest\n@pytest.mark.parametrize('name', ['add'])\n"
        "def test_a(name):\n    assert globals()[name](1, 2) == 3"
    ),
    (
        "import unittest\nclass TestA(unittest.TestCase):\n"
        "    def test_a(self): self.assertEqual(eval('add(1, 2)'), 3)"
    ),
    DOCTEST,
    DOCTEST.replace('"check")', '"check", globs=globals())'),
]


COMPOSED = [
    "assert globals()['ad' + 'd'](1, 2) == 3",
    "def test_a():\n    assert globals().get('da'[::-1] + 'd')(1, 2) == 3",
    "assert eval('a' + 'dd(1, 2)') == 3",
    "word = 'dd'\nassert eval(f'a{word}(1, 2)') == 3",
    "names = {}\nexec('found = ad' + 'd(1, 2)', names)\nassert names['found'] == 3",
    "import solution\nassert getattr(solution, 'a' + 'dd')(1, 2) == 3",
    "import solution\nassert vars(solution)['a' + 'dd'](1, 2) == 3",
    "import solution\nassert solution.__dict__['a' + 'dd'](1, 2) == 3",
    "import sys\nassert getattr(sys.modules[__name__], 'a' + 'dd')(1, 2) == 3",
    (
        "import pytest\n@pytest.mark.parametrize('name', ['a' + 'dd'])\n"
        "def test_a(name):\n    assert globals()[name](1, 2) == 3"
    ),
]


@pytest.mark.parametrize("tests", COMPOSED)
@pytest.mark.parametrize(
    ("program", "values"), [(RIGHT, {1.0}), (WRONG, {0.0}), (MISSING, {0.0, None})]
)
def test_a_name_composed_at_run_time_is_that_of_the_program(tests, program, values):
    score = scored(program, tests, timeout=60)
    assert score.score in values, score


def test_names_that_can_not_be_sent_do_not_fail_a_program():
    program = f"{RIGHT}\nown = []\nown.append(own)\ndeep = iter([])\nLIMIT = 3"
    tests = "assert globals()['ad' + 'd'](1, 2) == globals()['LI' + 'MIT']"
    score = scored(program, tests, timeout=60)
    assert score.score == 1.0, score


@pytest.mark.parametrize("tests", TESTS)
@pytest.mark.parametrize(("program", "value"), [(RIGHT, 1.0), (WRONG, 0.0), (MISSING, 0.0)])
def test_a_name_in_a_text_is_that_of_the_program(tests, program, value):
    score = scored(program, tests, timeout=60)
    assert score.score == value, score


def test_tests_keep_their_own_names_and_those_of_their_framework():
    """An answer often ends with tests of its own, which are no tests of the suite's author."""
    program = f"{RIGHT}\nlimit = 7\ndef test_own(): assert False\ndef setup_module(): 1 / 0"
    tests = (
        "import pytest\nlimit = 3\nNAMES = 'limit test_own setup_module'\n"
        "def test_a(): assert eval('add(1, 2) == limit') and 'test_own' not in globals()"
    )
    score = scored(program, tests, timeout=60)
    assert score.score == 1.0, score


def test_names_in_texts_are_words_of_constants():
    tree = ast.parse("own = 1\nf'own {x} add'\neval('add(sub(1)) + print_ + len(x)')")
    names = ["own", "add", "sub", "mul", "len", "x"]
    assert names_in_texts(tree, names) == ["add", "sub", "x"]
