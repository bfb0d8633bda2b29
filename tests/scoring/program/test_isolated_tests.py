"""What tests change in their own process does not reach the program: validate notes it."""

import pytest

from benchmaker.scoring.check import load_checked
from benchmaker.scoring.suite_notes import notes_on
from tests.scoring.program.conftest import scored

NOT_REACHED = "does not reach the program, which runs in a process of its own."

REPLACING = "import solution\ndef test_a(monkeypatch):\n"
PATCHING = "from unittest.mock import patch\n"


def notes(tmp_path, tests, *, of_case=False):
    """The notes of validate on a suite with these tests: line and message."""
    lines = "".join(f"          {line}\n" for line in tests.split("\n"))
    own = f"    checks:\n      - type: code\n        language: python\n        tests: |\n{lines}"
    if of_case:
        own = f"    scorer: {{id: code, language: python}}\n    expected: |\n{lines}"
    path = tmp_path / "suite.yaml"
    path.write_text(f"name: s\ncases:\n  - id: a\n    prompt: p\n{own}")
    return [(it.line, it.message) for it in notes_on(load_checked(path))]


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        ("def test_a(monkeypatch):\n    monkeypatch.delattr('a.b')\n    assert f()", "monkeypatch"),
        ("from unittest.mock import patch\nwith patch('solution.f'):\n    assert f()", "patch"),
        ("from unittest import mock\n@mock.patch('a.b')\ndef test_a(it): assert f()", "patch"),
        ("from unittest import mock\nwith mock.patch.object(f, 'a'): assert f()", "patch.object"),
        ("def test_a(mocker):\n    mocker.patch('a.b')\n    assert f()", "mocker"),
        ("def test_a(tmp_path):\n    assert f(str(tmp_path))", "tmp_path"),
        ("import os\nos.environ['A'] = '1'\nassert f()", "os.environ"),
        ("import os\nos.chdir('/tmp')\nassert f()", "os.chdir"),
        ("import random\nrandom.seed(1)\nassert f()", "random.seed"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("of_case", [False, True])
def test_validate_notes_what_does_not_reach_the_program(tmp_path, tests, names, of_case):
    ((line, message),) = notes(tmp_path, tests, of_case=of_case)
    assert line == (6 if of_case else 8)
    assert message.startswith(f"code: {names} in line " if not of_case else f"{names} in line ")
    assert message.endswith(NOT_REACHED)


@pytest.mark.parametrize(
    "tests",
    [
        "def test_a(capsys):\n    f()\n    assert capsys.readouterr().out == 'a'",
        "def patch(it): return it\nassert patch(f)()",
        "import os\nassert f(os.getcwd())",
        "assert f('monkeypatch, tmp_path')",
    ],
)
def test_validate_notes_nothing_where_all_reaches_it(tmp_path, tests):
    assert notes(tmp_path, tests) == []


def test_what_the_program_prints_is_captured():
    tests = "def test_a(capsys):\n    hello()\n    assert capsys.readouterr().out == 'hi\\n'"
    assert scored("def hello(): print('hi')", tests).score == 1.0
    assert scored("def hello(): print('ho')", tests).score == 0.0


@pytest.mark.parametrize(
    "tests",
    [
        f"{REPLACING}    monkeypatch.setattr(solution, 'helper', print)\n    assert use() is None",
        f"{PATCHING}@patch('solution.helper', return_value=5)\ndef test_a(it): assert use() == 5",
        "import solution\nsolution.LIMIT = 5\nassert limit() == 5",
        "import solution\ndel solution.LIMIT\nassert use() == 1",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "program",
    ["def helper(): return 1\ndef use(): return helper()\nLIMIT = 1\ndef limit(): return LIMIT"],
)
def test_a_replaced_name_of_the_program_leaves_the_answer_unscored(program, tests):
    score = scored(program, tests)
    assert score.score is None, score
    assert "the tests replace " in score.notes
    assert " of the program" in score.notes
