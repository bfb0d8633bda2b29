"""Reports as their frameworks write them, and as somebody would forge them."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.verify.frameworks.command import (
    read_go,
    read_jest,
    read_junit,
    read_tap,
)
from benchmaker.arenas.agentic.verify.frameworks.python import stated_tests, test_files
from benchmaker.arenas.agentic.verify.frameworks.tests import BadReport, TestCase, finding_of_tests
from benchmaker.spec.tasks import criterion as kinds
from tests.arenas.agentic.verify.made import graded, written

test_files.__test__ = False  # a function of ours


def states(tests):
    return {one.id: one.state for one in tests}


JUNIT = b"""<?xml version="1.0"?><testsuites><testsuite tests="6">
<testcase classname="a.B" name="ok"/>
<testcase classname="a.B" name="bad"><failure message="no">why</failure></testcase>
<testcase classname="a.B" name="broken"><error/></testcase>
<testcase classname="a.B" name="later"><skipped/></testcase>
<testcase name="alone" status="notrun"/>
<testcase name="both"><skipped/><failure/></testcase>
</testsuite></testsuites>"""


def test_junit():
    assert states(read_junit(JUNIT)) == {
        "a.B.ok": "passed",
        "a.B.bad": "failed",
        "a.B.broken": "error",
        "a.B.later": "skipped",
        "alone": "skipped",
        "both": "failed",
    }


@pytest.mark.parametrize(
    "report",
    [b"", b"<a>", b'<!DOCTYPE a [<!ENTITY b "c">]><a/>', "<!DOCTYPE a><a/>".encode("utf-16")],
)
def test_junit_that_is_no_report(report):
    with pytest.raises(BadReport):
        read_junit(report)


def test_tap():
    text = b"TAP version 13\n1..5\nok 1 - adds\nnot ok 2 - subtracts\nok 3 # SKIP later\n"
    text += b"not ok 4 - todo # TODO soon\n    ok 1 - inner\nok 5 - hash \\# in it\n"
    assert states(read_tap(text)) == {
        "adds": "passed",
        "subtracts": "failed",
        "3": "skipped",
        "todo": "skipped",
        "hash \\# in it": "passed",
    }


@pytest.mark.parametrize(
    "text",
    [
        b"ok 1\n",
        b"1..2\nok 1\n",
        b"1..1\nok 1\nok 2\n",
        b"1..1\n1..1\nok 1\n",
        b"1..2\nok 2\nok 1\n",
        b"1..1\nok 1\nBail out! no disk\n",
    ],
)
def test_tap_that_does_not_keep_its_plan(text):
    with pytest.raises(BadReport):
        read_tap(text)


def a_jest(*results, **fields):
    return json.dumps({"testResults": [{"name": "a.js", "assertionResults": results, **fields}]})


def test_jest():
    results = [
        {"fullName": "sum adds", "title": "adds", "status": "passed"},
        {"fullName": "sum fails", "status": "failed", "failureMessages": ["no"]},
        {"fullName": "sum later", "status": "pending"},
        {"fullName": "sum odd", "status": "whatever"},
    ]
    tests = read_jest(a_jest(*results).encode())
    assert states(tests) == {
        "sum adds": "passed",
        "sum fails": "failed",
        "sum later": "skipped",
        "sum odd": "error",
    }
    assert tests[0].is_called("adds")


def test_a_jest_file_that_does_not_load_is_an_error():
    assert states(read_jest(a_jest(status="failed", message="no").encode())) == {"a.js": "error"}


def go(*events):
    return "\n".join(json.dumps(event) for event in events).encode()


def test_go():
    def event(action, test="", **more):
        return {"Action": action, "Package": "x/y", "Test": test, **more}

    tests = read_go(
        go(
            *(event("start"), event("run", "TestA"), event("output", "TestA", Output="hm")),
            *(event("pass", "TestA", Elapsed=0.1), event("run", "TestB"), event("fail", "TestB")),
            *(event("run", "TestC"), event("skip", "TestC"), event("run", "TestD")),
            event("fail"),
        )
    )
    assert states(tests) == {
        "x/y:TestA": "passed",
        "x/y:TestB": "failed",
        "x/y:TestC": "skipped",
        "x/y:TestD": "error",
    }


def test_a_go_package_that_does_not_build_is_an_error():
    assert states(read_go(go({"Action": "fail", "Package": "x"}))) == {"x": "error"}


@pytest.mark.parametrize(
    "events",
    [
        [{"Action": "run", "Package": "x", "Test": "T"}] * 2,
        [
            {"Action": "fail", "Package": "x", "Test": "T"},
            {"Action": "pass", "Package": "x", "Test": "T"},
        ],
    ],
)
def test_a_go_test_that_is_told_twice_is_no_report(events):
    with pytest.raises(BadReport):
        read_go(go(*events))


@pytest.mark.parametrize("read", [read_junit, read_tap, read_jest, read_go])
@given(st.binary(max_size=300))
def test_no_bytes_break_a_reader(read, data):
    with contextlib.suppress(BadReport):
        assert all(isinstance(one.id, str) for one in read(data))


def case(name, state="passed"):
    return TestCase(name, state)


@pytest.mark.parametrize(
    ("tests", "criterion", "expected", "state"),
    [
        ([case("a"), case("b")], {}, (), "pass"),
        ([], {}, (), "fail"),
        ([case("a", "skipped")], {}, (), "fail"),
        ([case("a"), case("b", "skipped")], {}, (), "fail"),
        ([case("a"), case("b", "skipped")], {"tests": ("a",)}, (), "pass"),
        ([case("a"), case("b", "skipped")], {"tests": ("b",)}, (), "fail"),
        ([case("a"), case("b", "failed")], {"tests": ("a",)}, (), "fail"),
        ([case("a"), case("b", "error")], {"tests": ("a",)}, (), "fail"),
        ([case("a")], {"tests": ("a", "b")}, (), "fail"),
        ([case("a")], {}, ("a", "b"), "fail"),
        ([case("a[1]"), case("a[2]")], {"tests": ("a",), "at_least": 2}, (), "pass"),
        ([case("a"), case("a")], {"at_least": 2}, (), "fail"),
        ([case("ab")], {"tests": ("a",)}, (), "fail"),
    ],
)
def test_when_tests_count_as_passed(tests, criterion, expected, state):
    assert finding_of_tests(tests, kinds.TestsPass(**criterion), expected=expected).state == state


SOURCE = """
    import unittest
    def test_a(): pass
    def helper(): pass
    class TestB:
        def test_c(self): pass
    class TestMade:
        def __init__(self): pass
        def test_no(self): pass
    class D(unittest.TestCase):
        async def test_e(self): pass
    if False:
        def test_no(): pass
    """


def test_the_tests_that_stand_in_a_file_are_known_without_running_it(tmp_path):
    written(tmp_path, {"test_x.py": SOURCE, "sub/test_y.py": "def test_z(): pass", "a.py": "x"})
    paths = test_files(tmp_path, (), "pytest")
    assert sorted(paths) == ["sub/test_y.py", "test_x.py"]
    assert set(stated_tests(tmp_path, paths, "pytest")) == {
        "test_x.py::test_a",
        "test_x.py::TestB::test_c",
        "test_x.py::D::test_e",
        "sub/test_y.py::test_z",
    }
    assert stated_tests(tmp_path, paths, "unittest") == ("test_x.D.test_e",)


def test_a_pattern_chooses_files(tmp_path):
    written(tmp_path, {"test_x.py": "", "checks/a.py": "", "checks/conftest.py": ""})
    assert test_files(tmp_path, ("checks",), "pytest") == ["checks/a.py"]


PYTEST = {
    "skips": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n",
    "fails as expected": "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False\n",
    "passes unexpectedly": "import pytest\n@pytest.mark.xfail\ndef test_a(): pass\n",
    "breaks before": "import pytest\n@pytest.fixture\ndef f(): 1 / 0\ndef test_a(f): pass\n",
    "breaks after": (
        "import pytest\n@pytest.fixture\ndef f():\n    yield\n    1 / 0\ndef test_a(f): pass\n"
    ),
    "does not load": "import nothing_of_that_name\ndef test_a(): pass\n",
    "is empty": "x = 1\n",
}
UNITTEST = {
    "skips": "@unittest.skip('x')\nclass A(unittest.TestCase):\n    def test_a(self): pass\n",
    "fails as expected": (
        "class A(unittest.TestCase):\n    @unittest.expectedFailure\n"
        "    def test_a(self): self.fail()\n"
    ),
    "passes unexpectedly": (
        "class A(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_a(self): pass\n"
    ),
    "fails in a part": (
        "class A(unittest.TestCase):\n    def test_a(self):\n"
        "        for i in (1, 2):\n            with self.subTest(i): self.assertEqual(i, 1)\n"
    ),
    "breaks before": (
        "class A(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): 1 / 0\n"
        "    def test_a(self): pass\n"
    ),
    "does not load": "import nothing_of_that_name\n",
    "is empty": "x = 1\n",
}


@pytest.mark.parametrize(
    ("framework", "source"),
    [
        *(pytest.param("pytest", it, id=f"pytest {name}") for name, it in PYTEST.items()),
        *(
            pytest.param("unittest", f"import unittest\n{it}", id=f"unittest {name}")
            for name, it in UNITTEST.items()
        ),
    ],
)
def test_what_is_not_passed_is_no_pass(tmp_path, framework, source):
    criterion = {"type": "tests_pass", "framework": framework}
    result = graded(tmp_path, criterion, {}, files={"tests/test_a.py": source})
    assert result.result == "fail", result.evidence
    assert "not trusted" not in result.evidence


PARTS = {
    "pytest": {
        "tests/conftest.py": "import pytest\n@pytest.fixture\ndef five(): return 5\n",
        "tests/helpers.py": "def same(a, b): assert a == b\n",
        "tests/data.txt": "5",
        "tests/deep/test_a.py": (
            "import random, sys\nfrom pathlib import Path\nimport pytest\n"
            "from helpers import same\nfrom pack import add\n"
            "@pytest.mark.parametrize('x', [1, 2])\n"
            "def test_a(x, five, tmp_path, capsys, monkeypatch):\n"
            "    monkeypatch.setattr(random, 'random', lambda: 2)\n"
            "    print('x')\n    assert capsys.readouterr().out == 'x\\n'\n"
            "    (tmp_path / 'a').write_text('x')\n    Path('made').write_text('x')\n"
            "    assert Path('data.txt').read_text() == '5'\n"
            "    assert (Path(__file__).parents[1] / 'data.txt').read_text() == '5'\n"
            "    same(add(x, five), x + 5)\n"
        ),
    },
    "unittest": {
        "tests/helpers.py": "def same(a, b): assert a == b\n",
        "tests/deep/test_a.py": (
            "import unittest\nfrom unittest import mock\nimport time\nfrom helpers import same\n"
            "from pack import add\nclass A(unittest.TestCase):\n"
            "    def test_a(self):\n        same(add(1, 2), 3)\n"
            "    @mock.patch('time.sleep')\n    def test_b(self, sleep):\n"
            "        time.sleep(99)\n        sleep.assert_called_once()\n"
        ),
    },
}


@pytest.mark.parametrize("framework", PARTS)
def test_tests_may_use_what_their_framework_offers(tmp_path, framework):
    criterion = {"type": "tests_pass", "framework": framework, "at_least": 2}
    work = {"pack/__init__.py": "from pack.sums import add\n"}
    work |= {"pack/sums.py": "def add(a, b): return a + b\n"}
    result = graded(tmp_path, criterion, work, files=PARTS[framework])
    assert (result.result, result.evidence) == ("pass", "2 passed")


ONE_CASE = '<testsuite><testcase name="a"/></testsuite>'
ONE_EVENT = {"Package": "p", "Test": "T"}
COMMANDS = {
    "tap": ("1..1\nok 1 - a\n", None),
    "go": (go({"Action": "run"} | ONE_EVENT, {"Action": "pass"} | ONE_EVENT).decode(), None),
    "junit": (ONE_CASE, "r.xml"),
    "jest": (a_jest({"fullName": "a", "status": "passed"}), "r.json"),
    "pytest": (ONE_CASE, "r.xml"),
}


@pytest.mark.parametrize("framework", COMMANDS)
@pytest.mark.parametrize(("status", "state"), [(0, "pass"), (1, "fail")])
def test_a_report_counts_only_with_the_status(tmp_path, framework, status, state):
    report, path = COMMANDS[framework]
    into = f"cat report.txt {'> ' + path if path else ''}; exit {status}"
    criterion = {"type": "tests_pass", "framework": framework, "run": ["sh", "-c", into]}
    criterion |= {"report": path} if path else {}
    assert graded(tmp_path, criterion, {"report.txt": report}).result == state


def test_real_tests_of_node(tmp_path):
    source = "const test = require('node:test'); test('adds', () => {});\n"
    run = ["node", "--test", "--test-reporter=tap", "a.test.js"]
    criterion = {"type": "tests_pass", "framework": "tap", "run": run}
    result = graded(tmp_path, criterion, {}, files={"tests/a.test.js": source})
    assert result.result in ("pass", "error"), result.evidence  # an error without node


def test_pytest_runs_test_cases_of_unittest(tmp_path):
    text = "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n"
    criterion = {"type": "tests_pass", "framework": "pytest"}
    found = graded(tmp_path, criterion, {"a.py": "1"}, files={"tests/test_a.py": text})
    assert found.result == "pass", found
