"""The verdict where tests and program are one process in plain pytest or node.

A right program never scores 0 and a wrong one never 1; where two processes change the meaning of
the tests, the answer has no score. The second road is pytest and node, without a sandbox.
"""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from ruamel.yaml import YAML

from benchmaker.scoring.program.code_check import Code
from tests.scoring.program.conftest import scored

CASES = [
    SimpleNamespace(**case)
    for case in YAML(typ="safe").load(Path(__file__).with_name("plain.yaml"))
]
RIGHT = [case for case in CASES if case.verdict == "right"]
WRONG = [case for case in CASES if case.verdict == "wrong"]
ONE_ONLY = "the tests pass in one process, but not with the program apart: "


def name_of(case):
    return f"{case.language}-{case.name}".replace(" ", "_")


@pytest.mark.parametrize("case", RIGHT, ids=name_of)
def test_a_right_program_never_scores_0(case):
    score = scored(case.program, case.tests, language=case.language, timeout=30)
    runs = score.detail["runs"]
    assert runs["together"]["state"] == "passed", score
    if runs["apart"]["state"] == "passed":
        assert score.score == 1.0
    else:
        assert score.score is None
        assert score.notes.startswith(f"{ONE_ONLY}{runs['apart']['reason']}")


@pytest.mark.parametrize("case", WRONG, ids=name_of)
def test_a_wrong_program_never_scores_1(case):
    score = scored(case.program, case.tests, language=case.language, timeout=30)
    assert score.score == 0.0, score
    assert score.detail["runs"]["apart"] == {"state": "not run"}


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_plain_pytest_and_node_agree(case, tmp_path):
    run = run_pytest if case.language == "python" else run_node
    ended = run(case, tmp_path)
    assert (ended.returncode == 0) is (case.verdict == "right"), ended.stdout + ended.stderr


def run_pytest(case, folder):
    (folder / "solution.py").write_text(case.program)
    statements = "def test_" not in case.tests
    body = "".join(f"    {line}\n" for line in case.tests.splitlines())
    tests = f"def test_all():\n{body}" if statements else case.tests
    (folder / "test_it.py").write_text(f"from solution import *\n{tests}")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null"]
    return subprocess.run(
        [*command, "--rootdir", str(folder), "test_it.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def run_node(case, folder):
    """Tests without an import of the program stand below it in one file."""
    is_module = case.program.startswith(("import ", "export "))
    solution = folder / ("solution.mjs" if is_module else "solution.js")
    solution.write_text(case.program)
    tests = case.tests
    if "solution" not in tests:
        program = case.program.replace("require.main", "null")
        tests = f"const assert = require('node:assert');\n{program}\n{tests}"
    elif is_module:
        required = "const S=require('./solution');"
        tests = tests.replace(required, "").replace("const test=require('node:test');", "")
        tests = tests.replace("const assert=require('node:assert');", "")
        imports = "import test from 'node:test'; import assert from 'node:assert';"
        if "import test" not in tests:
            tests = f"{imports} import * as S from './solution.mjs';\n{tests}"
    file = folder / ("tests.mjs" if is_module else "tests.js")
    file.write_text(tests)
    return subprocess.run(
        ["node", str(file)], cwd=folder, capture_output=True, text=True, check=False
    )


SETUP = "def setup_module():\n    raise RuntimeError('x')\ndef test_a():\n    assert f(1) == 1\n"
FAULTY = [
    ("python", "def test_a(nofix):\n    assert f(1) == 1", "fixture 'nofix' not found"),
    ("python", "async def test_a():\n    assert f(1) == 1", "does not run async def test_a"),
    ("python", SETUP, "the setup failed: RuntimeError: x"),
    (
        "python",
        "import pytest\ndef test_a():\n    with pytest.rises(ValueError): assert f(1) == 1",
        "module 'pytest' has no attribute 'rises'",
    ),
    (
        "python",
        (
            "import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self):\n"
            "        self.assertSame(f(1), 1)"
        ),
        "has no attribute 'assertSame'",
    ),
    (
        "python",
        (
            "import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self):\n"
            "        self.assertEqual(f(1))"
        ),
        "missing 1 required positional argument",
    ),
    (
        "python",
        "import pytest\ndef test_a():\n    assert f(1) == pytest.approx(1, tol=2)",
        "unexpected keyword argument 'tol'",
    ),
    (
        "python",
        (
            "import pytest\n@pytest.fixture\ndef one():\n    limit = 1\n    return limit\n"
            "def test_a():\n    assert f(1) == limit"
        ),
        "name 'limit' is not defined",
    ),
    ("javascript", "test('a', () => { assert.equals(f(1), 1); });", "assert.equals is not a funct"),
    (
        "javascript",
        "before(() => { throw new Error('no'); });\ntest('a', () => { assert.equal(f(1), 1); });",
        "the setup failed: Error: no",
    ),
]
PROGRAMS = {
    "python": ("def f(x): return x", "def f(x): return 5"),
    "javascript": ("function f(x) { return x; }", "function f(x) { return 5; }"),
}


@pytest.mark.parametrize(("language", "tests", "reason"), FAULTY)
def test_a_fault_of_the_tests_leaves_every_answer_unscored(language, tests, reason):
    for program in PROGRAMS[language]:
        score = scored(program, tests, language=language)
        assert score.score is None, score
        assert score.notes.startswith("the tests have a fault of their own: ")
        assert reason in score.notes


@pytest.mark.parametrize(
    ("language", "program", "tests"),
    [
        ("python", "x = 1", "def test_a():\n    assert f(1) == 1"),
        ("python", "def f(x): return x", "import pytest\ndef test_a():\n    assert f(1).size == 1"),
        (
            "python",
            "class Stack: pass",
            (
                "import pytest\nclass TestA:\n    def setup_method(self): self.it = Stack(3)\n"
                "    def test_a(self): assert self.it.pop() == 3"
            ),
        ),
        (
            "python",
            "x = 1",
            (
                "import pytest\n@pytest.fixture\ndef it(): return Stack(3)\n"
                "def test_a(it): assert it.pop() == 3"
            ),
        ),
        (
            "python",
            "def fill(it): pass",
            (
                "import pytest\nclass Box: pass\ndef test_a():\n    it = Box()\n    fill(it)\n"
                "    assert it.size == 1"
            ),
        ),
        (
            "python",
            "def f(x): raise NameError('approx', name='approx')",
            "import pytest\ndef test_a():\n    assert f(1) == 1",
        ),
        (
            "javascript",
            "class Stack {}",
            (
                "let s;\nbeforeEach(() => { s = new Stack(); s.push(1); });\n"
                "test('a', () => { assert.equal(s.pop(), 1); });"
            ),
        ),
        ("javascript", "class T {}", "test('a', () => { const t = new T(); assert(t.add(1)); });"),
    ],
)
def test_a_missing_part_of_the_program_is_its_own_fault(language, program, tests):
    score = scored(program, tests, language=language)
    assert score.score == 0.0, score


@pytest.mark.parametrize(
    ("language", "program", "tests"),
    [
        ("python", "import os\nos.write(3, b'{}')\ndef f(x): return 1", "assert f(1) == 1"),
        (
            "javascript",
            "require('fs').writeSync(3, '{}'); function f() { return 1; }",
            "assert.equal(f(1), 1)",
        ),
    ],
)
def test_a_broken_report_scores_0(language, program, tests):
    score = scored(program, tests, language=language)
    assert score.score == 0.0, score
    assert "the program stopped the tests" in score.notes


def test_a_timer_of_the_program_does_not_hold_the_tests():
    program = "setInterval(() => {}, 1000); function add(a, b) { return a + b; }"
    assert scored(program, "assert.equal(add(1, 2), 3)", language="javascript").score == 1.0


FORGED = """
import json, os
os.write(3, json.dumps(dict(planned=1, passed=1, skipped=0, failures=[], running='', reason='',
    problem='', unsendable='', own_words=0, hidden=[], is_checked=True, is_doubtful=False,
    seconds=0.1)).encode())
os._exit(0)
"""


def test_a_forged_report_leaves_the_answer_unscored():
    score = scored(FORGED, "assert f(1) == 1")
    assert score.score is None, score
    assert score.notes.startswith(ONE_ONLY)
    assert score.detail["runs"]["together"]["state"] == "passed"


@pytest.mark.parametrize(
    ("language", "program", "tests", "cause"),
    [
        (
            "python",
            "def f(): return input()",
            (
                "def test_a(monkeypatch):\n    monkeypatch.setattr('builtins.input', lambda: 'x')\n"
                "    assert f() == 'x'"
            ),
            "monkeypatch in line 1 does not reach the program",
        ),
        (
            "javascript",
            "function greet() { console.log('a'); }",
            (
                "const seen = [];\nconsole.log = (it) => seen.push(it);\ngreet();\n"
                "assert.deepEqual(seen, ['a']);"
            ),
            "line 2: the console of the tests does not reach the program",
        ),
        ("python", FORGED, "assert f(1) == 1", "Let the tests compare plain values"),
    ],
)
def test_the_likely_cause_is_named(language, program, tests, cause):
    score = scored(program, tests, language=language, timeout=60)
    assert score.score is None
    assert cause in score.notes


def test_explain_names_both_runs_of_an_answer_without_a_score():
    check = Code("python", "assert f(1) == 1")
    score = scored(FORGED, check.tests)
    lines = check.explain(score)
    assert "in one process: passed" in lines
    assert "with the program apart: failed" in lines
    assert lines[-1] == score.notes


@pytest.mark.parametrize("program", ["def f(x): return 1", "def f(x): return 2"])
def test_explain_names_both_runs(program):
    check = Code("python", "assert f(1) == 1")
    lines = check.explain(scored(program, check.tests))
    is_right = "return 1" in program
    assert f"in one process: {'passed' if is_right else 'failed'}" in lines
    assert f"with the program apart: {'passed' if is_right else 'not run'}" in lines
