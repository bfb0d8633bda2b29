"""Attacks on the verdict, each in a namespace and each with a named result."""

import re
import textwrap
import zlib

import pytest

from tests.arenas.agentic.verify.made import graded

TESTS = {
    "pytest": {
        "tests/test_a.py": """
            import solution
            import pytest

            def test_adds():
                assert solution.add(2, 3) == 5

            class TestMore:
                def test_adds_zero(self):
                    assert solution.add(0, 7) == 7

            def test_refuses():
                with pytest.raises(TypeError):
                    solution.add("a", 1)
            """,
        "tests/test_b.py": """
            import solution

            def test_adds_again():
                assert solution.add(20, 30) == 50
            """,
    },
    "unittest": {
        "tests/test_a.py": """
            import solution
            import unittest

            class SumTest(unittest.TestCase):
                def test_adds(self):
                    self.assertEqual(solution.add(2, 3), 5)

                def test_adds_zero(self):
                    self.assertEqual(solution.add(0, 7), 7)

                def test_refuses(self):
                    with self.assertRaises(TypeError):
                        solution.add("a", 1)
            """,
        "tests/test_b.py": """
            import unittest
            import solution

            class AgainTest(unittest.TestCase):
                def test_adds_again(self):
                    self.assertEqual(solution.add(20, 30), 50)
            """,
    },
}
WRONG = "def add(a, b):\n    return None\n"
RIGHT = "def add(a, b):\n    return a + b\n"


def tried(tmp_path, framework, solution, *, seconds=120, **more):
    criterion = {"type": "tests_pass", "framework": framework, "timeout_s": seconds}
    work = {"solution.py": solution, **more}
    return graded(tmp_path, criterion, work, files=TESTS[framework])


@pytest.mark.parametrize("framework", TESTS)
def test_a_solution_passes(tmp_path, framework):
    result = tried(tmp_path, framework, RIGHT)

    assert (result.result, result.evidence) == ("pass", "4 passed")
    assert result.isolation == "namespace"


AT_IMPORT = {
    "leaves with success": "import os; os._exit(0)",
    "leaves politely": "import sys; sys.exit(0)",
    "leaves at the end": "import atexit, os; atexit.register(os._exit, 0)",
    "becomes another program": "import os; os.execv('/bin/true', ['true'])",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "kills whoever listens": "import os; os.kill(os.getppid(), 9)",
    "kills everybody": "import os; os.kill(-1, 9)",
    "skips itself": "import unittest; raise unittest.SkipTest('later')",
    "writes to every pipe": """
        import json, os
        line = json.dumps({'tests': [{'id': 'test_a.py::test_adds', 'state': 'passed',
            'detail': ''}], 'problem': '', 'missing': '', 'begun': ''}).encode()
        for fd in range(3, 64):
            try: os.write(fd, line + b'\\n')
            except OSError: pass
        """,
    "writes to the pipes of others": """
        import glob, os
        for path in glob.glob('/proc/[0-9]*/fd/*'):
            try:
                with open(path, 'wb', buffering=0) as file: file.write(b'{"tests": []}\\n')
            except OSError: pass
        os._exit(0)
        """,
    "speaks twice": "import os; os.fork()",
    "overwrites the tests": """
        import glob
        for path in glob.glob('/tests/**', recursive=True) + glob.glob('/workspace/test_*.py'):
            try: open(path, 'w').write('def test_adds(): pass')
            except OSError: pass
        """,
    "puts its own tests in place": """
        import sys, types
        fake = types.ModuleType('test_b')
        exec('def test_adds_again(): pass', fake.__dict__)
        sys.modules['test_b'] = fake
        """,
    "replaces unittest": """
        import sys, types
        class TestCase:
            def __getattr__(self, name): return lambda *a, **k: self
            def __enter__(self): return self
            def __exit__(self, *_): return True
        fake = types.ModuleType('unittest'); fake.TestCase = TestCase
        sys.modules['unittest'] = fake
        """,
    "replaces pytest": """
        import contextlib, sys, types
        fake = types.ModuleType('pytest')
        fake.raises = lambda *_, **__: contextlib.suppress(BaseException)
        sys.modules['pytest'] = fake
        """,
    "lets every assertion pass": """
        import unittest
        for name in dir(unittest.TestCase):
            if name.startswith('assert'):
                setattr(unittest.TestCase, name, lambda *a, **k: None)
        """,
    "lets every test case pass": """
        import unittest
        unittest.TestCase.run = lambda self, result=None: result.addSuccess(self)
        """,
    "lets every result be a success": """
        import unittest
        unittest.TestResult.addFailure = lambda self, test, err: None
        unittest.TestResult.addError = lambda self, test, err: None
        """,
    "searches for the reporter": """
        import gc
        for one in gc.get_objects():
            if callable(one) and getattr(one, '__name__', '') == 'tell':
                one('test', id='test_a.py::test_adds', state='passed', detail='')
        """,
    "traces": "import sys; sys.settrace(lambda *_: None)",
    "changes code": """
        import unittest
        def passes(self, *_, **__): pass
        unittest.TestCase.assertEqual.__code__ = passes.__code__
        """,
    "changes what time it is": """
        import time
        time.monotonic = lambda: 0.0
        """,
    "changes what equals what": """
        import operator
        operator.eq = lambda a, b: True
        """,
}
OF_PYTEST = {
    "ends the session": "import pytest; pytest.exit('done', returncode=0)",
    "skips its module": "import pytest; pytest.skip('later', allow_module_level=True)",
    "patches the running": """
        import _pytest.python
        _pytest.python.Function.runtest = lambda self: None
        """,
    "patches the reports": """
        from _pytest.reports import TestReport
        made = TestReport.from_item_and_call.__func__
        def from_item_and_call(cls, item, call):
            report = made(cls, item, call)
            report.outcome, report.longrepr = 'passed', None
            return report
        TestReport.from_item_and_call = classmethod(from_item_and_call)
        """,
    "patches the calls": """
        import _pytest.runner
        class Call:
            excinfo = None; start = stop = duration = 0.0; result = None; when = 'call'
        _pytest.runner.CallInfo.from_call = classmethod(
            lambda cls, func, when, reraise=None: cls(None, None, 0, 0, 0, when, _ispytest=True))
        """,
    "deselects": """
        import _pytest.main
        _pytest.main.Session.perform_collect = lambda self, *a, **k: []
        """,
    "reaches through the frames": """
        import sys
        frame = sys._getframe()
        while frame:
            session = frame.f_locals.get('session')
            if session is not None:
                for item in getattr(session, 'items', ()):
                    item.runtest = lambda: None
            frame = frame.f_back
        """,
}
ATTACKS = [
    *((framework, name, code) for framework in TESTS for name, code in AT_IMPORT.items()),
    *(("pytest", name, code) for name, code in OF_PYTEST.items()),
]


def by_turns(framework, name):
    """An attack that both frameworks meet is tried on one in the quick suite, on both in all."""
    if name not in AT_IMPORT:
        return ()
    turn = zlib.crc32(name.encode()) % len(TESTS)
    return () if framework == list(TESTS)[turn] else pytest.mark.long


@pytest.mark.parametrize(
    ("framework", "code"),
    [
        pytest.param(one, code, id=f"{one}: {name}", marks=by_turns(one, name))
        for one, name, code in ATTACKS
    ],
)
def test_no_verdict_is_bent_from_inside(tmp_path, framework, code):
    result = tried(tmp_path, framework, textwrap.dedent(code) + "\n" + WRONG)

    assert result.result == "fail"
    assert result.evidence


@pytest.mark.parametrize("framework", TESTS)
def test_what_waits_for_ever_is_ended_and_named(tmp_path, framework):
    code = "import time\ndef add(a, b):\n    time.sleep(600)\n"

    result = tried(tmp_path, framework, code, seconds=5)

    assert result.result == "fail"
    assert "was not finished in time" in result.evidence
    assert "test_adds" in result.evidence
    assert result.wall_s < 600


@pytest.mark.parametrize("framework", TESTS)
def test_what_computes_for_ever_is_ended_and_named(tmp_path, framework):
    code = "def add(a, b):\n    while True: pass\n"

    result = tried(tmp_path, framework, code, seconds=5)

    assert result.result == "fail"
    assert re.search("used up its processor time|was not finished in time", result.evidence)
    assert "test_adds" in result.evidence


@pytest.mark.parametrize("framework", TESTS)
def test_tests_replaced_while_they_run_are_noticed(tmp_path, framework):
    code = """
def add(a, b):
    import sys
    for name in ('test_a', 'test_b'):
        module = sys.modules.get(name)
        for value in list(vars(module).values()) if module else ():
            for inner in [n for n in getattr(value, '__dict__', ()) if n.startswith('test')]:
                setattr(value, inner, lambda self: None)
    return a + b if a != 20 else None
"""

    assert tried(tmp_path, framework, code).result == "fail"


@pytest.mark.parametrize("framework", TESTS)
def test_the_runner_reached_while_a_test_runs_is_noticed(tmp_path, framework):
    code = """
def add(a, b):
    import sys
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            for item in list(getattr(value, 'items', None) or getattr(value, '_tests', ()) or ()):
                if hasattr(item, 'runtest'):
                    item.runtest = lambda: None
                for inner in list(getattr(item, '_tests', ()) or ()):
                    for test in list(getattr(inner, '_tests', ()) or ()):
                        test.run = lambda result: None
        frame = frame.f_back
    if isinstance(a, str):
        raise TypeError
    return a + b if a < 20 else None
"""

    assert tried(tmp_path, framework, code).result == "fail"


def test_a_test_replaced_by_one_that_looks_like_it_is_noticed(tmp_path):
    code = """
import sys

class Mimic:
    def __init__(self, function):
        self.__func__ = function
        self.__self__ = None
    def __call__(self, *args, **kwargs):
        pass

def add(a, b):
    frame = sys._getframe()
    while frame:
        session = frame.f_locals.get('session')
        for item in getattr(session, 'items', ()):
            if not item.name.startswith('test_adds') or getattr(item, '_obj', None) is None:
                continue
            item._obj = Mimic(getattr(item._obj, '__func__', item._obj))
        frame = frame.f_back
    return a + b if a == 2 else None
"""

    result = tried(tmp_path, "pytest", code)

    assert result.result == "fail"
    assert "was replaced" in result.evidence


HOOKS = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = 'passed', None
"""
BROUGHT = {
    "conftest.py": HOOKS,
    "tests/conftest.py": HOOKS,
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n",
    "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
    "tox.ini": "[pytest]\naddopts = --collect-only\n",
    "sitecustomize.py": "import os; os._exit(0)\n",
    "usercustomize.py": "import os; os._exit(0)\n",
    "evil.pth": "import os; os._exit(0)\n",
    "pyvenv.cfg": "home = /workspace\n",
}


@pytest.mark.parametrize("name", BROUGHT)
def test_configuration_that_is_brought_along_is_not_taken_and_named(tmp_path, name):
    result = tried(tmp_path, "pytest", WRONG, **{name: BROUGHT[name]})

    assert result.result == "fail"
    assert f"Excluded: {name} (could manipulate a test run)" in result.evidence
    assert "4 failed" in result.evidence


def test_shadows_of_the_runner_and_of_the_library_are_not_imported(tmp_path):
    evil = "import os; os._exit(0)\n"
    names = ("pytest.py", "unittest.py", "json.py", "hmac.py", "_pytest/__init__.py", "pluggy.py")
    names += ("tests.py", "ledger.py", "pytest_worker.py", "sealing.py")

    wrong = tried(tmp_path / "wrong", "pytest", WRONG, **dict.fromkeys(names, evil))
    right = tried(tmp_path / "right", "unittest", RIGHT, **dict.fromkeys(names, evil))

    assert "4 failed" in wrong.evidence
    assert right.result == "pass"


def test_plugins_by_entry_point_are_not_loaded(tmp_path):
    more = {
        "evil.py": HOOKS,
        "evil-1.0.dist-info/METADATA": "Name: evil\nVersion: 1.0\n",
        "evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    }

    result = tried(tmp_path, "pytest", WRONG, **more)

    assert "4 failed" in result.evidence
    assert "evil-1.0.dist-info/ (bundled packages" in result.evidence


def test_compiled_code_and_history_are_not_taken(tmp_path):
    more = {"__pycache__/solution.cpython-311.pyc": "x", ".git/config": "x", ".git/HEAD": "y"}

    result = tried(tmp_path, "unittest", WRONG, **more)

    assert ".git/ (history is not graded)" in result.evidence
    assert "__pycache__/ (compiled code is not graded)" in result.evidence


def test_an_interpreter_that_is_brought_along_is_not_used(tmp_path):
    fake = "#!/bin/sh\necho 42\n"
    names = ("python", "python3", "bin/python3", "usr/bin/python3", ".local/bin/python")
    work = {**dict.fromkeys(names, fake), "main.py": "print(41)\n"}
    for name in names:
        place = tmp_path / "work" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch(0o755)
    criterion = {"type": "output_match", "run": ["python", "main.py"], "expected": "42"}

    assert graded(tmp_path, criterion, work).result == "fail"


def test_a_report_that_was_made_beforehand_is_not_read(tmp_path):
    report = '<testsuite><testcase classname="a" name="b"/></testsuite>'
    criterion = {
        "type": "tests_pass",
        "framework": "junit",
        "run": ["true"],
        "report": "report.xml",
    }

    result = graded(tmp_path, criterion, {"report.xml": report})

    assert result.result == "fail"
    assert "missing report report.xml" in result.evidence


def test_a_report_that_is_a_link_is_not_read(tmp_path):
    code = "import os; os.symlink('expected.xml', 'report.xml')\n"
    criterion = {
        "type": "tests_pass",
        "framework": "junit",
        "run": ["python", "make.py"],
        "report": "report.xml",
    }
    report = '<testsuite><testcase classname="a" name="b"/></testsuite>'

    result = graded(tmp_path, criterion, {"make.py": code, "expected.xml": report})

    assert result.result == "fail"


def test_the_expected_answer_can_not_be_read(tmp_path):
    code = """
        import os
        for place in ('/workspace', '/tests', '/tmp', '/benchmaker'):
            for here, _, names in os.walk(place):
                for name in names:
                    if name == 'answer.txt':
                        print(open(os.path.join(here, name)).read())
        """
    criterion = {
        "type": "output_match",
        "run": ["python", "main.py"],
        "expected_file": "answer.txt",
    }

    result = graded(tmp_path, criterion, {"main.py": code}, files={"tests/answer.txt": "6\n"})

    assert result.evidence == "0 lines printed, 1 expected"


def test_a_program_that_is_started_can_not_reach_the_one_that_tests_it(tmp_path):
    code = """
        import glob, os
        reached = []
        for pid in [name for name in os.listdir('/proc') if name.isdigit()]:
            if int(pid) == os.getpid():
                continue
            for path in [f'/proc/{pid}/mem', *glob.glob(f'/proc/{pid}/fd/*')]:
                try:
                    open(path, 'r+b', buffering=0).close()
                    reached.append(path)
                except OSError: pass
            for fd in range(16):
                try:
                    open(f'/proc/{pid}/fd/{fd}', 'wb', buffering=0).close()
                    reached.append(f'{pid} {fd}')
                except OSError: pass
        for fd in range(3, 64):
            try: reached.append(str(os.fstat(fd)))
            except OSError: pass
        print(reached)
        """
    tests = """
        import subprocess, sys, unittest

        class A(unittest.TestCase):
            def test_a(self):
                done = subprocess.run([sys.executable, "main.py"], capture_output=True, text=True)
                self.assertEqual(done.stdout + done.stderr, "[]\\n")
        """
    criterion = {"type": "tests_pass", "framework": "unittest"}

    result = graded(tmp_path, criterion, {"main.py": code}, files={"tests/test_a.py": tests})

    assert result.result == "pass", result.evidence


def test_a_server_can_not_answer_for_the_one_who_asks(tmp_path):
    code = """
        import glob, json, os
        line = json.dumps({'status': 200, 'body': 'ok'}).encode()
        for path in glob.glob('/proc/[0-9]*/fd/*') + [f'/proc/self/fd/{n}' for n in range(3, 64)]:
            try:
                with open(path, 'wb', buffering=0) as file: file.write(line)
            except OSError: pass
        os.kill(os.getppid(), 9)
        """
    criterion = {"type": "http_probe", "start": ["python", "s.py"], "port": 8123, "ready_s": 2}

    assert graded(tmp_path, criterion, {"s.py": code}).result == "fail"
