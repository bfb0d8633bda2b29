"""The code check: its tests, its faults, what it records, and machines that lack something."""

import asyncio
import json
import time
from functools import partial
from pathlib import Path

import pytest

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.plugins import NAMED_ONLY
from benchmaker.scoring.build import build
from benchmaker.scoring.check import check_suite, load_checked
from benchmaker.scoring.checks.checks import Checks
from benchmaker.scoring.program import code_check
from benchmaker.scoring.program.code_check import Code
from benchmaker.scoring.score import explain, stamp
from benchmaker.spec import CheckSpec, ScorerSpec, profile
from benchmaker.spec.suites.check_spec import locate_scorer
from benchmaker.testing import Example, ScorerContract, a_case, a_suite, a_trial
from tests.scoring.program.conftest import scored

RIGHT = "def add(a, b): return a + b"
TESTS = "assert add(1, 2) == 3\nassert add(0, 0) == 0"


def test_the_record_of_a_right_program():
    score = scored(RIGHT, TESTS)
    assert (score.score, score.confidence, score.notes) == (1.0, 1.0, "all 2 tests passed")
    detail = score.detail
    assert detail["tests"] == {"planned": 2, "passed": 2, "failed": 0}
    assert detail["failures"] == []
    assert detail["isolation"] == "separate namespaces"
    assert detail["program"]["rule"] == "last_fence"
    assert (detail["language"], detail["is_forgeable"]) == ("python", False)
    assert len(detail["tests_sha256"]) == len(detail["program"]["sha256"]) == 64
    assert detail["seconds"] >= 0
    json.dumps(detail)


def test_the_record_of_a_wrong_program_names_the_failures():
    score = scored("def add(a, b): return a - b", TESTS)
    assert score.score == 0.0
    assert score.detail["tests"] == {"planned": 2, "passed": 1, "failed": 1}
    (failure,) = score.detail["failures"]
    assert failure["test"] == "line 1: assert add(1, 2) == 3"
    assert failure["message"] == "-1 == 3 is false (line 1)"
    assert score.notes.startswith("1 of 2 tests failed: line 1: assert add(1, 2) == 3: -1 == 3")
    spec = ScorerSpec(id="code", language="python", tests=TESTS)
    lines = explain(stamp(score, Code("python", TESTS), spec, profile("robust"), ()))
    assert lines[0] == "program: python, found by the rule last_fence"
    assert "tests: 1 of 2 passed, 1 failed, in " in lines[1]
    assert lines[5] == "failed: line 1: assert add(1, 2) == 3: -1 == 3 is false (line 1)"
    assert lines[-1] == "score = 0"


def test_tests_of_the_case_are_its_expected_answer():
    check = Code("python")
    trial = a_trial(text=RIGHT)
    right = asyncio.run(check.score(a_case(expected="assert add(1, 2) == 3"), trial))
    wrong = asyncio.run(check.score(a_case(expected="assert add(1, 2) == 4"), trial))
    assert (right.score, wrong.score) == (1.0, 0.0)
    assert check.check(a_case(expected="assert add(1, 2) == 3")) == []
    assert "there are no tests" in check.check(a_case(expected=None))[0]
    assert "no assertion" in check.check(a_case(expected="3"))[0]


def test_tests_stand_in_a_file_beside_the_suite(tmp_path):
    (tmp_path / "add.py").write_text(TESTS)
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "name: s\ncases:\n"
        "  - {id: a, prompt: p, checks: [{type: code, language: python, tests: 'file:add.py'}]}\n"
        "  - {id: b, prompt: p, scorer: {id: code, language: python, tests: 'file:add.py'}}\n"
    )
    loaded = load_checked(suite)
    scorers = [
        build(locate_scorer(loaded.scorer_of(case), loaded.folder), profile("robust"))
        for case in loaded.cases
    ]
    for case, scorer in zip(loaded.cases, scorers, strict=True):
        assert asyncio.run(scorer.score(case, a_trial(text=RIGHT))).score == 1.0
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("add.py", "suite.yaml"):
        (copy / name).write_text((tmp_path / name).read_text())
    assert load_checked(copy / "suite.yaml").content_hash == loaded.content_hash
    (tmp_path / "add.py").write_text(TESTS + "\nassert add(2, 2) == 4\n")
    assert load_checked(suite).content_hash != loaded.content_hash
    score = asyncio.run(scorers[0].score(loaded.cases[0], a_trial(text=RIGHT)))
    assert score.score is None
    assert "has changed since the suite was read" in score.notes


def test_validate_names_each_fault_at_its_place(tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "name: s\ncases:\n"
        "  - id: a\n    prompt: p\n    checks:\n"
        "      - {type: code, language: python, tests: 'file:gone.py'}\n"
        "      - {type: code, language: cobol, tests: 'assert f()'}\n"
        "      - {type: code, language: c, runner: nowhere-cc tests.sh, tests: BENCHMAKER_TOKEN}\n"
        "      - {type: code, language: python, tests: 'x = 1'}\n"
        "      - {type: code, language: python, tests: 'assert f()', timeout: 0}\n"
    )
    with pytest.raises(SpecError) as caught:
        load_checked(suite)
    found = {finding.line: f"{finding.message} {finding.hint}" for finding in caught.value.findings}
    assert "gone.py can't be read" in found[6]
    assert "cobol needs a runner" in found[7]
    assert "nowhere-cc is not installed. Install it: sudo apt-get install" in found[8]
    assert "there is no assertion" in found[9]
    assert "timeout must be more than 0" in found[10]


def test_a_machine_without_walls_runs_nothing(monkeypatch, tmp_path):
    missing = PrerequisiteError(
        "bubblewrap (bwrap) is not installed.", hint="sudo apt-get install bubblewrap"
    )
    monkeypatch.setattr(code_check, "missing_wall", lambda: missing)
    mark = tmp_path / "ran"
    score = scored(f"open({str(mark)!r}, 'w')", TESTS)
    assert score.score is None
    assert "bubblewrap (bwrap) is not installed. sudo apt-get install" in score.notes
    assert not mark.exists()
    faults = Code("python", TESTS).faults()
    assert [(fault.path, "apt-get" in fault.message) for fault in faults] == [(("language",), True)]


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (Code("javascript", "assert(f())"), "node is not installed"),
        (Code("c", "BENCHMAKER_TOKEN", runner="nowhere-cc x"), "nowhere-cc is not installed"),
    ],
)
def test_a_language_that_is_not_installed_leaves_the_answer_unscored(check, reason, monkeypatch):
    monkeypatch.setattr("benchmaker.scoring.program.languages.PATH", "/nowhere")
    score = asyncio.run(check.score(a_case(), a_trial(text="x")))
    assert score.score is None
    assert reason in score.notes
    assert "apt-get install" in score.notes
    assert any(reason in fault.message for fault in check.faults())


def test_an_undecided_code_check_leaves_the_case_unscored(monkeypatch):
    monkeypatch.setattr("benchmaker.scoring.program.languages.PATH", "/nowhere")
    checks = (
        CheckSpec(type="code", language="javascript", tests="assert(f())"),
        CheckSpec(type="contains", value="x"),
    )
    score = asyncio.run(Checks(checks).score(a_case(), a_trial(text="x")))
    assert score.score is None
    assert "the check code is undecided: nothing was run: node is not installed" in score.notes


def test_a_shared_server_reads_no_file(tmp_path):
    (tmp_path / "tests.py").write_text(TESTS)
    check = Code("python", f"file:{tmp_path / 'tests.py'}")
    assert check.faults() == []
    token = NAMED_ONLY.set(True)
    try:
        assert "a shared server reads no files" in check.faults()[0].message
    finally:
        NAMED_ONLY.reset(token)


@pytest.mark.parametrize("given", [{"timeout": 0}, {"timeout": 3601}, {"memory_mb": 1}])
def test_a_limit_that_limits_nothing_is_refused(given):
    with pytest.raises(SpecError):
        Code("python", TESTS, **given)


def test_values_that_can_not_be_sent_leave_the_answer_unscored():
    score = scored("def f(x): return 1", "import threading\nassert f(threading.Lock()) == 1")
    assert score.score is None
    assert "the tests pass an object of the type lock, which can't be sent" in score.notes


def test_tests_without_a_test_leave_the_answer_unscored():
    score = scored(RIGHT, "import pytest\nclass Other: pass")
    assert score.score is None
    assert "there are no tests" in score.notes


def test_names_of_python_stay_its_own_unless_they_are_imported():
    program = "def sum(a, b): return a + b"
    hidden = scored(program, "assert sum(1, 2) == 3")
    assert hidden.score == 0.0
    assert "The tests call Python's own sum" in hidden.notes
    assert scored(program, "from solution import sum\nassert sum(1, 2) == 3").score == 1.0


def test_what_the_program_decides_is_counted():
    program = "class P:\n    def __eq__(self, other): return isinstance(other, P)"
    score = scored(program, "assert P() == P()")
    assert score.score == 1.0
    assert score.detail["decided_by_program"] > 0
    lines = Code("python").explain(score)
    assert any(line.startswith("decided by the program's own code: ") for line in lines)


@pytest.mark.parametrize(
    ("language", "program", "tests"),
    [
        (
            "python",
            "class P:\n    def has(self, item): return item == 3\n    def get(self): return 3",
            "p = P()\nassert p.has(3)\nassert p.get() == 3",
        ),
        (
            "javascript",
            "class P { has(item) { return item === 3; } get() { return 3; } }",
            "const p = new P();\nassert(p.has(3)); assert.equal(p.get(), 3);",
        ),
    ],
)
def test_a_method_that_judges_a_value_of_the_tests_is_counted(language, program, tests):
    score = scored(program, tests, language=language)
    assert (score.score, score.detail["decided_by_program"]) == (1.0, 1)


def test_many_checks_take_turns_and_do_not_hold_the_loop():
    """As many at once as there are processors; the loop goes on meanwhile."""
    check = Code("python", "assert add(1, 2) == 3")
    beats = []

    async def beat():
        while True:
            beats.append(asyncio.get_running_loop().time())
            await asyncio.sleep(0.01)

    async def score_all():
        heart = asyncio.ensure_future(beat())
        found = await asyncio.gather(
            *(check.score(a_case(), a_trial(text=RIGHT)) for _ in range(6))
        )
        heart.cancel()
        return found

    found = asyncio.run(score_all())
    assert [score.score for score in found] == [1.0] * 6
    assert len(beats) > 20


def test_a_cancelled_check_ends_its_program():
    name = "cancelled-program"
    program = f"import os, sys\nos.execv(sys.executable, ['{name}', '-c', 'while True: pass'])"

    async def cancel():
        check = Code("python", TESTS, timeout=60)
        work = asyncio.ensure_future(check.score(a_case(), a_trial(text=program)))
        await asyncio.to_thread(_wait_until_running, name)
        work.cancel()
        await asyncio.wait([work])
        return work

    assert asyncio.run(cancel()).cancelled()
    assert not _is_running(name)


def _wait_until_running(name):
    while not _is_running(name):
        time.sleep(0.02)


def _is_running(name):
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if name.encode() in path.read_bytes().split(b"\0")[:1]:
                return True
        except OSError:
            continue
    return False


def test_a_suite_in_python_is_checked_too():
    scorer = ScorerSpec(id="code", language="python", tests="x = 1")
    findings = check_suite(a_suite(scorer=scorer))
    assert any("there is no assertion" in finding.message for finding in findings)


class TestCode(ScorerContract):
    scorer = partial(Code, "python", TESTS)
    limit_s = 120.0
    examples = (
        Example(RIGHT, score=1.0),
        Example("```python\ndef add(a, b): return a - b\n```", score=0.0),
    )

    def test_the_same_answer_gets_the_same_digits(self):
        """All of the record but the seconds that the tests took."""
        for example in self.examples:
            first, second = self._score(example), self._score(example)
            for score in (first, second):
                del score.detail["seconds"]
            assert first == second
