import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchmaker.arenas.agentic.verify import averify, verify, with_answer
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.sandbox import Isolation
from tests.arenas.agentic.verify.made import a_task, written

READS = {"type": "file_exists", "path": "a", "id": "reads"}
RUNS = {"type": "command", "run": ["true"], "id": "runs"}


@pytest.fixture
def work(tmp_path):
    return written(tmp_path / "work", {"a": "1"})


def test_a_verification_says_what_was_graded_by_what(tmp_path, work):
    task = a_task(tmp_path / "task", {**READS, "required": True, "visibility": "hidden"}, RUNS)

    made = verify(task, work, actor="ci")

    assert (made.task_id, made.task_digest, made.actor) == ("a-task", task.digest, "ci")
    assert (made.isolation, made.success, made.share) == ("namespace", True, 1.0)
    assert made.results[0].hidden
    assert made.results[0].required
    assert made.started_at <= made.finished_at
    assert len(made.workspace_sha256) == 64
    assert made.id.startswith("v-")


def test_the_same_content_has_the_same_hash_and_another_verification_another_id(tmp_path, work):
    task = a_task(tmp_path / "task", READS)

    one, two = verify(task, work), verify(task, work, actor="another")

    assert one.workspace_sha256 == two.workspace_sha256
    assert one.id != two.id


def test_without_criteria_there_is_no_verdict(tmp_path, work):
    made = verify(a_task(tmp_path / "task"), work)

    assert (made.results, made.success, made.share) == ((), None, None)


def test_an_error_leaves_no_verdict(tmp_path, work):
    task = a_task(tmp_path / "task", READS, {"type": "command", "run": ["no-such-program"]})

    assert verify(task, work).success is None


def test_the_workspace_itself_stays_as_it_is(tmp_path, work):
    task = a_task(tmp_path / "task", {"type": "command", "run": ["sh", "-c", "rm a; touch b"]})

    verify(task, work)

    assert [path.name for path in work.iterdir()] == ["a"]


def test_each_criterion_gets_a_fresh_copy(tmp_path, work):
    gone = {"type": "min_functionality", "checks": [["rm", "a"], ["test", "-f", "a"]]}

    made = verify(a_task(tmp_path / "task", gone, {**RUNS, "run": ["test", "-f", "a"]}), work)

    assert [it.result for it in made.results] == ["pass", "pass"]


@pytest.fixture
def no_bubblewrap(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.mark.usefixtures("no_bubblewrap")
class TestWithoutBubblewrap:
    def test_nothing_runs(self, tmp_path, work):
        with pytest.raises(PrerequisiteError, match="nothing was run"):
            verify(a_task(tmp_path / "task", READS, RUNS), work)

    def test_an_unsafe_process_does_not_do_for_a_namespace(self, tmp_path, work):
        with pytest.raises(PrerequisiteError, match="nothing was run"):
            verify(a_task(tmp_path / "task", RUNS), work, unsafe_local=True)

    def test_what_only_reads_is_checked(self, tmp_path, work):
        made = verify(a_task(tmp_path / "task", READS), work)
        assert (made.success, made.isolation) == (True, "none")

    def test_a_process_runs_only_where_it_is_said(self, tmp_path, work):
        task = a_task(tmp_path / "task", RUNS, isolation="process")
        with pytest.raises(PrerequisiteError, match="nothing was run"):
            verify(task, work)


def test_a_process_is_named_in_the_result(tmp_path, work):
    files = {"tests/test_a.py": "import unittest, a\nclass A(unittest.TestCase):\n"}
    files["tests/test_a.py"] += "    def test_a(self): self.assertEqual(a.x, 1)\n"
    tests = {"type": "tests_pass", "framework": "unittest"}
    task = a_task(tmp_path / "task", RUNS, tests, isolation="process", files=files)
    written(work, {"a.py": "x = 1\n"})

    made = verify(task, work, isolation=Isolation.PROCESS, unsafe_local=True)

    assert (made.success, made.isolation) == (True, "process"), made.results


def test_less_than_the_task_asks_for_is_refused(tmp_path, work):
    with pytest.raises(PrerequisiteError, match="runs needs isolation by namespace"):
        verify(a_task(tmp_path / "task", RUNS), work, isolation=Isolation.PROCESS)


def test_a_criterion_may_ask_for_more_than_its_task(tmp_path, work):
    task = a_task(tmp_path / "task", {**RUNS, "isolation": "namespace"}, isolation="process")

    with pytest.raises(PrerequisiteError, match="namespace"):
        verify(task, work, isolation=Isolation.PROCESS, unsafe_local=True)


def test_what_differs_between_two_looks_is_an_error(tmp_path, work):
    with TemporaryDirectory() as place:
        Path(place).chmod(0o777)
        flaky = {"type": "command", "run": ["mkdir", f"{place}/seen"]}  # only once
        task = a_task(tmp_path / "task", flaky, isolation="process")
        options = {"isolation": Isolation.PROCESS, "unsafe_local": True}

        made = verify(task, work, repeats=3, **options)

    assert made.results[0].result == "error"
    assert made.results[0].evidence.startswith("flaky: pass, fail, fail\n")


def test_a_person_answers_later(tmp_path, work):
    review = {"type": "human_review", "question": "Is it neat?", "id": "neat"}
    open_one = verify(a_task(tmp_path / "task", READS, review), work)
    assert (open_one.results[1].result, open_one.success) == ("skipped", None)

    made = with_answer(open_one, "neat", holds=True, note="It is.", actor="ann", at="2026-01-01")

    assert (made.success, made.results[1].evidence) == (True, "ann: It is.")
    assert made.id != open_one.id
    with pytest.raises(SpecError, match="no open review of 'reads'"):
        with_answer(open_one, "reads", holds=True, note="", actor="ann", at="2026-01-01")


def test_inside_a_loop_it_is_awaited(tmp_path, work):
    task = a_task(tmp_path / "task", READS)

    async def both():
        with pytest.raises(SpecError, match="event loop"):
            verify(task, work)
        return await averify(task, work)

    assert asyncio.run(both()).success
