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
LOAD = "function load() { return require('fs').readFileSync('data.csv', 'utf8'); }"
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
    (f"{LOAD}\nassert.equal(add(load(), 'b'), 'ab');", "data.csv"),
    (f"{LOAD}\ntest('a', () => {{ assert(add(load(), 'b')); }});", "data.csv"),
    (f"{LOAD}\ntest('a', () => {{\n  const a = load();\n  assert(add(a, 1));\n}});", "data.csv"),
    ("function check(f) {\n  undefined.y;\n  assert(f(1, 2));\n}\ncheck(add);", "reading 'y'"),
    ("[1].forEach((a) => {\n  a.x.y;\n  assert(add(a, 1));\n});", "reading 'y'"),
    ("test('a', (t) => { t.x.y; });\ntest('b', () => { assert(add(1, 2)); });", "reading 'y'"),
    ("function eq(a, b) { a.x.y; }\neq(1, 1);\nassert(add(1, 2));", "reading 'y'"),
    ("assert(add(1, 2));\nfunction ok(a) { if (a) throw new Error('own'); }\nok(1);", "own"),
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
EQ = "function eq(a, b) { if (a !== b) throw new Error(`${a} != ${b}`); }"
OF_JAVASCRIPT = [
    "assert.equal(LIMITS.high.value, 2);",
    "const box = new Box();\nassert.equal(box.size.value, 2);",
    "test('a', () => { const found = add(1, 2);\n assert.equal(found.sum.value, 3); });",
    "const { Bag } = require('./solution');\ntest('a', () => { new Bag().add(1); assert(1); });",
    "let box;\nbeforeEach(() => { box = new Box(); });\ntest('a', () => { box.add(1); });",
    "test('a', () => { if (add(1, 2) !== 4) throw new Error('no sum'); });",
    "if (add(1, 2) !== 4) {\n  throw new Error('no sum');\n}\nassert(add);",
    f"{EQ}\neq(add(1, 2), 4);",
    f"{EQ}\nconst sum = add(1, 2);\neq(sum, 4);",
    f"const test = require('node:test');\n{EQ}\ntest('a', () => {{ eq(add(1, 2), 4); }});",
    f"{EQ}\ntest('a', async () => {{\n  await null;\n  eq(await add(1, 2), 4);\n}});",
    f"{EQ}\n[[1, 4]].forEach(([one, want]) => eq(add(one, 2), want));",
    f"{EQ}\n[1].forEach((one) => {{\n  const sum = add(one, 2);\n  eq(sum, 4);\n}});",
    "const eq = (a, b) => {\n  if (a !== b) {\n    throw new Error();\n  }\n};\neq(add(1, 2), 4);",
    (
        "function fail(m) { throw new Error(m); }\n"
        "function eq(a, b) { if (a !== b) fail('no'); }\neq(add(1, 2), 4);"
    ),
    (
        "function eq(a, b, m) { if (JSON.stringify(a) !== JSON.stringify(b)) throw Error(m); }\n"
        "eq({ sum: add(1, 2) }, { sum: 4 }, 'no sum');"
    ),
    "function check(f) { if (f() !== 4) throw new Error('no'); }\ncheck(() => add(1, 2));",
    (
        "class Is { constructor(a) { this.a = a; }\n"
        "like(b) { if (this.a !== b) throw Error(b); } }\n"
        "const is = (a) => new Is(a);\nis(add(1, 2)).like(4);"
    ),
    "Promise.resolve(add(1, 2)).then((sum) => {\n  if (sum !== 4) throw new Error('no');\n});",
    (
        "function check(sum) { if (sum !== 4) throw new Error('no'); }\n"
        "Promise.resolve(add(1, 2)).then(check);"
    ),
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
