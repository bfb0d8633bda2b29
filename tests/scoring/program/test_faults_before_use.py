"""Errors of the tests before they use the program: no answer gets a score for them."""

import pytest

from tests.scoring.program.conftest import scored

PROGRAM = "LIMITS = {'low': 1}\nclass Box: pass\ndef add(a, b): return a + b"
READ = "open('data.csv').read()"
UNITTEST = "import unittest\nclass TestA(unittest.TestCase):\n"
ADDS = "    def test_a(self): self.assertEqual(add(1, 2), 3)\n"
OWN = [
    (f"data = {READ}\nassert add(1, 2) == 3", "No such file or directory: 'data.csv' (line 1)"),
    ("1/0\nassert add(1, 2) == 3", "ZeroDivisionError: division by zero (line 1)"),
    ("assert add(1, 2) == 3\n1/0", "division by zero (line 2)"),
    (f"assert add({READ}, 'b') == 'ab'", "data.csv"),
    (f"def load(): return {READ}\ndef test_a(): assert add(load(), 'b') == 'ab'", "data.csv"),
    (f"def test_z(): assert add(1, 2) == 3\ndef test_a():\n    with {READ} as f: add(f)", "csv"),
    (f"def check(f):\n    data = {READ}\n    assert f(data, 1)\ncheck(add)", "data.csv' (line 2)"),
    (f"import pytest\ndata = {READ}\ndef test_a(): assert add(1, 2) == 3", "data.csv' (line 2)"),
    (f"{UNITTEST}    def setUp(self): self.data = {READ}\n{ADDS}", "data.csv' (line 3)"),
    (f"{UNITTEST}    def setUp(self): self.data = self.missing\n{ADDS}", "'missing'"),
    (
        f"import unittest\ndef setUpModule(): {READ}\nclass TestA(unittest.TestCase):\n{ADDS}",
        "data.csv",
    ),
    (f"class TestA:\n    def setup_method(self): self.x = self.missing\n{ADDS}", "'missing'"),
    (f"{UNITTEST}{ADDS}    def test_b(self): self.data = {READ}", "data.csv"),
    (
        "import pytest\n@pytest.mark.parametrize('b', [1])\ndef test_a(): assert add(1, 2) == 3",
        "function uses no argument 'b'",
    ),
]
JAVASCRIPT = "const LIMITS = { low: 1 }; class Box {} function add(a, b) { return a + b; }"
OWN_OF_JAVASCRIPT = [
    ("undefined.y;\nassert.equal(add(1, 2), 3);", "undefined (reading 'y')"),
    ("test('a', () => { const x = undefined; x.y; assert.equal(add(1, 2), 3); });", "reading 'y'"),
    (
        "beforeEach(() => { undefined.y; });\ntest('a', () => { assert(add(1, 2)); });",
        "reading 'y'",
    ),
    ("const text = require('fs').readFileSync('data.csv');\nassert(add(1, 2));", "data.csv"),
    ("test('b', () => { assert(add(1, 2)); });\ntest('a', () => { JSON.parse('{'); });", "JSON"),
    ("describe('all', () => { undefined.y; test('a', () => { assert(add(1, 2)); }); });", "'y'"),
]
CASES = [
    *(("python", PROGRAM, *it) for it in OWN),
    *(("javascript", JAVASCRIPT, *it) for it in OWN_OF_JAVASCRIPT),
]


@pytest.mark.parametrize(("language", "program", "tests", "reason"), CASES)
def test_an_error_before_the_program_is_used_leaves_the_answer_unscored(
    language, program, tests, reason
):
    score = scored(program, tests, language=language, timeout=60)
    assert score.score is None, score
    assert score.notes.startswith("the tests have a fault of their own: "), score.notes
    assert reason in score.notes


OF_PROGRAM = [
    "assert LIMITS['high'] == 2",
    "def test_a():\n    low = LIMITS\n    assert low['high'] == 2",
    "import solution\nassert solution.LIMITS['high'] == 2",
    "box = Box()\nassert len(box) == 1",
    "box = Box(3)\nassert add(1, 2) == 3",
    "import pytest\n@pytest.fixture\ndef box(): return Box(3)\ndef test_a(box): assert box.x == 3",
    f"{UNITTEST}    def setUp(self): self.box = Box\n    def test_a(self): self.box.make().see()",
    "import pytest\n@pytest.mark.parametrize('f', [LIMITS])\ndef test_a(f): assert f['high'] == 2",
    "def check(f):\n    assert f['high'] == 2\ncheck(LIMITS)",
    "found = add(1, 2)\nassert found['sum'] == 3",
    "def test_a():\n    seen = []\n    seen.append(add(1, 2))\n    assert seen[0]['sum'] == 3",
    "def test_a():\n    found = add(1, 2)\n    assert [1, 2][found] == 3",
    "seen = []\nseen.append(LIMITS)\nassert seen[0]['high'] == 3",
    "if add(1, 2) != 4: raise ValueError('no sum')",
    "assert add(1) == 3",
    "import pytest\ndef test_a():\n    with pytest.raises(KeyError): add(1, 2)\n    {}['a']",
]
OF_JAVASCRIPT = [
    "assert.equal(LIMITS.high.value, 2);",
    "const box = new Box();\nassert.equal(box.size.value, 2);",
    "test('a', () => { const found = add(1, 2);\n assert.equal(found.sum.value, 3); });",
    "const { Bag } = require('./solution');\ntest('a', () => { new Bag().add(1); assert(1); });",
    "let box;\nbeforeEach(() => { box = new Box(); });\ntest('a', () => { box.add(1); });",
    "test('a', () => { if (add(1, 2) !== 4) throw new Error('no sum'); });",
]
WRONG = [
    *(("python", PROGRAM, it) for it in OF_PROGRAM),
    *(("javascript", JAVASCRIPT, it) for it in OF_JAVASCRIPT),
]


@pytest.mark.parametrize(("language", "program", "tests"), WRONG)
def test_an_error_on_a_value_of_the_program_scores_0(language, program, tests):
    score = scored(program, tests, language=language, timeout=60)
    assert score.score == 0.0, score


FORGED = "import json\njson.loads = None\ndef add(a, b): return 7"


def test_a_program_that_breaks_a_library_of_the_tests_scores_0():
    tests = "import json\nassert json.loads('3') == 3\nassert add(1, 2) == 3"
    score = scored(FORGED, tests, timeout=60)
    assert score.score == 0.0, score
