"""Every kind of criterion: met, not met, and what is nobody's fault."""

import hashlib
import sys

import pytest

from benchmaker.arenas.agentic.verify import Finding, Jury, verify
from benchmaker.arenas.agentic.verify.criteria.table import CHECKS
from benchmaker.record.submissions.submission import OutcomeOf, Status, Submission, System
from benchmaker.spec.suites.judge import JudgeSpec
from benchmaker.spec.tasks.criterion import KINDS
from benchmaker.testing.judges import ScriptedAsk
from tests.arenas.agentic.verify.made import a_task, graded, written

SERVER = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == '/ok' else 404)
        self.end_headers()
        self.wfile.write(b'{"items": [{"n": 1}], "done": true}')
HTTPServer(('127.0.0.1', 8099), Handler).serve_forever()
"""
HTTP = {"type": "http_probe", "start": ["python", "s.py"], "port": 8099}
PASSING = "import unittest\nclass ATest(unittest.TestCase):\n    def test_a(self): pass\n"
SCHEMA = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}

PASS = {
    "file_exists": ({"path": "a.txt"}, {"a.txt": "x"}),
    "file_exists by pattern": ({"path": "src/**/*.py"}, {"src/b/c.py": "x"}),
    "file_absent": ({"path": "a.txt"}, {"b.txt": "x"}),
    "file_content": (
        {"path": "a.txt", "contains": ["one"], "not_contains": ["two"], "pattern": "^on[e]"},
        {"a.txt": "one\n"},
    ),
    "file_content by hash": (
        {"path": "a.txt", "sha256": hashlib.sha256(b"one\n").hexdigest()},
        {"a.txt": "one\n"},
    ),
    "json_schema": ({"path": "a.json", "schema": SCHEMA}, {"a.json": '{"total": 3}'}),
    "code_compiles": ({"paths": ["*.py"]}, {"a.py": "x = 1\n"}),
    "code_compiles by command": (
        {"paths": ["*.sh"], "run": ["sh", "-n"]},
        {"a.sh": "echo a\n", "b.sh": "true\n"},
    ),
    "command": (
        {"run": ["python", "a.py"], "stdin": "7", "exit_status": 3, "stdout": "^7$"},
        {"a.py": "print(input()); raise SystemExit(3)\n"},
    ),
    "lint": ({"run": ["cat", "out"], "at_most": 1}, {"out": "a.py:1: bad\nfine\n"}),
    "http_probe": (
        HTTP
        | {
            "request": {"path": "/ok"},
            "expect": {"contains": ["items"], "json_values": {"items.0.n": 1, "done": True}},
        },
        {"s.py": SERVER},
    ),
    "output_match": ({"run": ["echo", "a "], "expected": "a"}, {}),
    "output_match of numbers": (
        {"run": ["echo", "1.001 x"], "expected": "1 x", "compare": "numbers", "tolerance": 0.01},
        {},
    ),
    "performance": (
        {"run": ["true"], "max_seconds": 60, "max_memory_mb": 500, "runs": 2},
        {},
    ),
    "min_functionality": ({"checks": [["true"], ["test", "-f", "a"]]}, {"a": "x"}),
}
FAIL = {
    "file_exists": ({"path": "a.txt"}, {"b.txt": "x"}),
    "file_exists too small": ({"path": "a.txt", "min_bytes": 10}, {"a.txt": "x"}),
    "file_absent": ({"path": "secret/*"}, {"secret/a": "x"}),
    "file_content": ({"path": "a.txt", "contains": ["one"]}, {"a.txt": "two"}),
    "file_content that must not be": ({"path": "a.txt", "not_contains": ["o"]}, {"a.txt": "two"}),
    "file_content by pattern": ({"path": "a.txt", "pattern": "^o"}, {"a.txt": "two"}),
    "file_content by hash": ({"path": "a.txt", "sha256": "0" * 64}, {"a.txt": "one"}),
    "file_content that stalls its pattern": (
        {"path": "a.txt", "pattern": "(a+)+$"},
        {"a.txt": "a" * 5000 + "b"},
    ),
    "plugin on a file that can't be read": ({"use": f"{__name__}:Reading"}, {}),
    "json_schema": ({"path": "a.json", "schema": SCHEMA}, {"a.json": '{"total": "3"}'}),
    "json_schema of no JSON": ({"path": "a.json", "schema": SCHEMA}, {"a.json": "{total: 3}"}),
    "json_schema deep": ({"path": "a.json", "schema": SCHEMA}, {"a.json": "[" * 90_000}),
    "code_compiles": ({"paths": ["*.py"]}, {"a.py": "x = 1\n", "b.py": "def f(:\n"}),
    "code_compiles without files": ({"paths": ["*.py"]}, {}),
    "code_compiles by command": (
        {"paths": ["*.sh"], "run": ["sh", "-n"]},
        {"a.sh": "if true\n"},
    ),
    "command": ({"run": ["false"]}, {}),
    "command that says something else": ({"run": ["echo", "a"], "stdout": "b"}, {}),
    "command that is submitted and absent": ({"run": ["./build.sh"]}, {}),
    "command beyond its time": ({"run": ["sh", "-c", "while :; do :; done"], "timeout_s": 0.5}, {}),
    "tests_pass": (
        {"framework": "tap", "run": ["printf", "1..1\nnot ok 1 - a\n"]},
        {},
    ),
    "lint": ({"run": ["cat", "out"], "at_most": 0}, {"out": "a.py:1: bad\n"}),
    "http_probe": (HTTP | {"request": {"path": "/no"}}, {"s.py": SERVER}),
    "http_probe of another value": (
        HTTP | {"request": {"path": "/ok"}, "expect": {"json_values": {"done": 1}}},
        {"s.py": SERVER},
    ),
    "http_probe without a server": (HTTP | {"ready_s": 0.5}, {"s.py": "raise SystemExit(1)"}),
    "output_match": ({"run": ["echo", "b"], "expected": "a"}, {}),
    "output_match exact": ({"run": ["echo", "a"], "expected": "a", "compare": "exact"}, {}),
    "output_match of numbers": (
        {"run": ["echo", "nan"], "expected": "1", "compare": "numbers", "tolerance": 9},
        {},
    ),
    "performance in time": ({"run": ["sleep", "0.4"], "max_seconds": 0.2, "runs": 1}, {}),
    "performance in memory": (
        {"run": ["python", "-c", "x = b'x' * 90_000_000; import time; time.sleep(1)"]}
        | {"max_memory_mb": 50, "runs": 1},
        {},
    ),
    "performance that fails": ({"run": ["false"], "max_seconds": 5}, {}),
    "min_functionality": ({"checks": [["true"], ["false"]]}, {}),
}
ERROR = {
    "json_schema of no schema": ({"path": "a", "schema": {"type": 3}}, {"a": "{}"}),
    "json_schema that is absent": ({"path": "a", "schema": "none.json"}, {"a": "{}"}),
    "json_schema elsewhere": (
        {"path": "a", "schema": {"$ref": "http://localhost/a"}},
        {"a": "{}"},
    ),
    "code_compiles without a command": ({"paths": ["a.rs"]}, {"a.rs": "fn main"}),
    "command that is not installed": ({"run": ["no-such-program"]}, {}),
    "command with a bad pattern": ({"run": ["true"], "stdout": "("}, {}),
    "tests_pass without tests": ({"framework": "unittest"}, {}),
    "lint that breaks": ({"run": ["false"]}, {}),
    "http_probe by nothing": (HTTP | {"start": ["no-such-program"]}, {}),
    "output_match without an answer": ({"run": ["true"], "expected_file": "absent"}, {}),
    "plugin that is absent": ({"use": "no_such_module:Check"}, {}),
    "plugin that breaks": ({"use": f"{__name__}:Breaking"}, {}),
    "plugin of another kind": ({"use": f"{__name__}:Odd"}, {}),
    "plugin with other parameters": ({"use": f"{__name__}:Odd", "parameters": {"a": 1}}, {}),
}


class Breaking:
    """A plug-in that breaks."""

    def check(self, view):
        raise KeyError(view.task.id)


class Odd:
    """A plug-in that gives no finding."""

    def check(self, view):
        return bool(view)


class Reading:
    """A plug-in that reads a file which is not there."""

    def check(self, view):
        return Finding("pass", view.text("absent"))


class Counting:
    """A plug-in that reads, and runs something."""

    def __init__(self, least=1):
        self.least = least

    async def check(self, view):
        ended = await view.run("cat", *view.paths("*.txt"))
        return Finding.of(is_met=len(ended.stdout) >= self.least, evidence=view.task.id)


def kind(name):
    return {"type": name.partition(" ")[0]}


def test_every_kind_has_a_check():
    assert CHECKS.keys() == KINDS.keys()


@pytest.mark.parametrize("name", PASS)
def test_what_is_met_passes(tmp_path, name):
    fields, work = PASS[name]
    result = graded(tmp_path, kind(name) | fields, work)
    assert (result.result, result.type) == ("pass", name.partition(" ")[0]), result.evidence
    assert result.wall_s >= 0
    assert result.isolation == ("namespace" if KINDS[result.type].runs_code else "none")


@pytest.mark.parametrize("name", FAIL)
def test_what_is_not_met_fails_with_evidence(tmp_path, name):
    fields, work = FAIL[name]
    result = graded(tmp_path, kind(name) | fields, work)
    assert result.result == "fail", result.evidence
    assert result.evidence


@pytest.mark.parametrize("name", ERROR)
def test_what_is_nobodys_fault_is_an_error_and_never_a_fail(tmp_path, name):
    fields, work = ERROR[name]
    result = graded(tmp_path, kind(name) | fields, work)
    assert result.result == "error", result.evidence
    assert result.evidence


@pytest.mark.parametrize(("least", "state"), [(1, "pass"), (100, "fail")])
def test_a_plugin_sees_the_submission(tmp_path, least, state):
    criterion = {"type": "plugin", "use": f"{__name__}:Counting", "parameters": {"least": least}}
    assert graded(tmp_path, criterion, {"a.txt": "abc"}).result == state


@pytest.mark.parametrize(
    ("limits", "state"),
    [
        ({"max_files": 2, "max_lines": 4}, "pass"),
        ({"max_files": 1}, "fail"),
        ({"max_lines": 3}, "fail"),
        ({"forbidden": ["b.txt"]}, "fail"),
        ({"forbidden": ["c.txt"]}, "pass"),
        ({"only": ["a.txt"]}, "fail"),
        ({"only": ["*.txt"]}, "pass"),
    ],
)
def test_what_may_change_is_bounded(tmp_path, limits, state):
    files = {"start/a.txt": "1\n2\n3\n", "start/b.txt": "1\n", "start/c.txt": "1\n"}
    work = {"a.txt": "1\ntwo\n3\n4\n", "c.txt": "1\n"}
    result = graded(tmp_path, {"type": "diff_limits"} | limits, work, files=files)
    assert result.result == state, result.evidence


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (Status.COMPLETED, "pass"),
        (Status.TIMEOUT, "fail"),
        (Status.INFRA_ERROR, "error"),
        (Status.UNKNOWN, "skipped"),
    ],
)
def test_how_the_session_ended(tmp_path, status, state):
    session = Submission(id="s", system=System(harness="t"), outcome=OutcomeOf(status=status))
    result = graded(tmp_path, {"type": "no_errors"}, {}, submission=session)
    assert result.result == state


def test_without_a_session_nothing_is_said_of_it(tmp_path):
    assert graded(tmp_path, {"type": "no_errors"}, {}).result == "skipped"


RUBRIC = {"rubric": "Is it clear?", "paths": ["*.md"], "at_least": 0.7}


def judged(tmp_path, said, work):
    ask = ScriptedAsk(said)
    criteria = ({"type": "llm_rubric"} | RUBRIC, {"type": "file_exists", "path": "a.md"})
    task = a_task(tmp_path / "task", *criteria)
    jury = Jury(ask, JudgeSpec.model_validate("j")) if said else None
    return verify(task, written(tmp_path / "work", work), jury=jury).results[0], ask


@pytest.mark.parametrize(("score", "state"), [(8, "pass"), (5, "fail")])
def test_a_judge_reads_the_files_as_data(tmp_path, score, state):
    result, ask = judged(tmp_path, lambda *_: {"score": score}, {"a.md": "Hello there."})
    assert result.result == state, result.evidence
    (question,) = ask.questions
    text = "\n".join(turn.content for turn in question.messages)
    assert "File a.md:\nHello there." in text
    assert "Is it clear?" in text


def test_without_a_judge_a_rubric_is_skipped(tmp_path):
    result, _ = judged(tmp_path, None, {"a.md": "Hello."})
    assert (result.result, result.evidence) == ("skipped", "no judge given")


def test_a_judge_that_can_not_be_read_is_an_error(tmp_path):
    result, _ = judged(tmp_path, lambda *_: "no idea", {"a.md": "Hello."})
    assert result.result == "error"


def test_files_that_are_absent_fail_a_rubric(tmp_path):
    result, _ = judged(tmp_path, lambda *_: {"score": 9}, {"b.txt": "x"})
    assert result.result == "fail"


def test_a_schema_may_lie_with_the_tests(tmp_path):
    files = {"tests/s.json": '{"type": "array"}'}
    criterion = {"type": "json_schema", "path": "a.json", "schema": "s.json"}
    assert graded(tmp_path / "1", criterion, {"a.json": "[]"}, files=files).result == "pass"
    assert graded(tmp_path / "2", criterion, {"a.json": "{}"}, files=files).result == "fail"


def test_python_is_the_one_that_runs_us(tmp_path):
    criterion = {"type": "output_match", "run": ["python3", "-c", "import sys; print(sys.prefix)"]}
    assert graded(tmp_path, criterion | {"expected": sys.prefix}, {}).result == "pass"


def test_evidence_steers_no_terminal(tmp_path):
    result = graded(tmp_path, {"type": "command", "run": ["printf", r"\033[2J"]}, {})
    assert "\x1b" not in result.evidence
    assert r"\x1b[2J" in result.evidence
