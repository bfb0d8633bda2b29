"""Commits that become tasks, and commits that are refused with their reason."""

import json

import pytest

from benchmaker.arenas.agentic.tasks.from_commit import CommitOptions, task_from_commit
from benchmaker.arenas.agentic.tasks.from_session import task_from_session
from benchmaker.errors import SpecError
from benchmaker.spec.tasks.task_file import load_task
from tests.arenas.agentic.tasks.repositories import FIXED, HEAD, OLD, TEST, Made


@pytest.fixture
def repository(tmp_path):
    return Made(tmp_path / "calc")


def made_from(repository, tmp_path, commit="HEAD", **options):
    return task_from_commit(repository.folder, commit, tmp_path / "task", CommitOptions(**options))


def reason(repository, tmp_path, commit="HEAD", **options):
    with pytest.raises(SpecError) as refused:
        made_from(repository, tmp_path, commit, **options)
    assert not (tmp_path / "task").exists()
    return f"{refused.value} {refused.value.hint}"


def names(folder):
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_a_commit_with_tests_is_a_task(repository, tmp_path):
    message = "Add instead of subtracting\n\nThe sum was wrong.\n\nSigned-off-by: A <a@b>"
    commit = repository.commit(message, {"calc.py": FIXED, "tests/test_calc.py": TEST})
    made = made_from(repository, tmp_path)
    assert made.commit == commit
    assert made.task.task.prompt == "Add instead of subtracting\n\nThe sum was wrong.\n"
    assert names(made.task.start) == ["calc.py", "old.py", "tests/test_old.py"]
    assert "a - b" in (made.task.start / "calc.py").read_text()
    assert names(made.task.reference) == ["calc.py"]
    assert "tests/test_calc.py" in names(made.task.tests)
    found = {trial.name: trial.found for trial in made.checked.trials}
    assert found.pop("reference") == "pass"
    assert set(found.values()) == {"fail"}
    assert {"untouched", "cheats/tests-only", "cheats/collects-nothing"} <= set(found)
    assert load_task(tmp_path / "task") == made.task
    written = (tmp_path / "task" / "task.yaml").read_text()
    assert "prompt: |\n  Add instead of subtracting\n\n  The sum was wrong.\n" in written


def test_renamed_and_deleted_files_are_part_of_the_solution(repository, tmp_path):
    test = TEST.replace("calc import", "calc2 import") + "\n    def test_gone(self):\n"
    gone = '        assert not __import__("pathlib").Path("calc.py").exists()\n'
    repository.git("mv", "calc.py", "calc2.py")
    repository.commit("Rename", {"calc2.py": FIXED, "tests/test_new.py": test + gone})
    made = made_from(repository, tmp_path)
    assert "rm -f -- calc.py" in made.task.solve_script.read_text()
    assert made.checked.is_sound


def test_packages_in_src_are_found(repository, tmp_path):
    files = {"src/pack/__init__.py": "", "src/pack/m.py": FIXED}
    test = TEST.replace("calc", "pack.m")
    repository.commit("Pack", {**files, "tests/test_pack.py": test})
    assert made_from(repository, tmp_path).checked.is_sound


def test_an_instruction_replaces_the_message(repository, tmp_path):
    repository.commit("", {"calc.py": FIXED, "tests/test_calc.py": TEST})
    assert "message is empty" in reason(repository, tmp_path)
    made = made_from(repository, tmp_path, instruction="Mend add.\n")
    assert made.task.task.prompt == "Mend add.\n"


def test_a_command_runs_tests_of_other_languages(repository, tmp_path):
    files = {"calc.sh": "echo 3\n", "tests/calc_test.go": "", "tests/run.sh": "sh calc.sh | grep 3"}
    repository.commit("Shell", files)
    assert "not in Python" in reason(repository, tmp_path)
    made = made_from(repository, tmp_path, run="sh tests/run.sh")
    assert made.checked.is_sound


REFUSED = {
    "no tests": ({"calc.py": FIXED}, "adds or changes no tests"),
    "only tests": ({"tests/test_calc.py": TEST}, "nothing but tests"),
    "moved tests": (
        {"tests/test_old.py": None, "tests/test_moved.py": OLD, "old.py": "X = 2\n"},
        "pass without its other changes",
    ),
    "failing": (
        {"calc.py": FIXED, "tests/test_calc.py": TEST.replace("3", "4")},
        "tests fail with its changes",
    ),
    "network": (
        {"calc.py": FIXED,
         "tests/test_net.py": f"import urllib.request\n{HEAD}    def test_net(self):\n"
         "        urllib.request.urlopen('http://example.org')\n"},
        "need the network",
    ),
    "package": (
        {"calc.py": FIXED, "tests/test_calc.py": "import no_such_package\n" + TEST},
        "need no_such_package, which is not installed",
    ),
    "binary": (
        {"calc.py": FIXED, "logo.png": b"\x89PNG\0\0\1", "tests/test_calc.py": TEST},
        "binary file logo.png",
    ),
    "only deletions": ({"old.py": None}, "only deletes files"),
    "deletions beside tests": (
        {"old.py": None, "tests/test_calc.py": TEST}, "besides its tests, it only deletes"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_commit_is_refused_with_the_reason(repository, tmp_path, case):
    files, why = REFUSED[case]
    repository.commit(case, files)
    assert why in reason(repository, tmp_path)


FLAKY = """\
import os
import time

from calc import add
"""
ONCE = """
    def test_once(self):
        until = os.stat(__file__).st_ctime + 10
        left = until - time.time()
        time.sleep(max(0.0, left))
        assert left > 0
"""


@pytest.mark.long
def test_tests_that_differ_between_runs_are_refused(repository, tmp_path):
    """The first run begins soon after the tests were laid out, and lasts until that is long ago."""
    test = FLAKY + TEST.partition("\n")[2] + ONCE
    repository.commit("Flaky", {"calc.py": FIXED, "tests/test_calc.py": test})
    assert "its tests are flaky (pass, fail, fail)" in reason(repository, tmp_path)


@pytest.mark.long
def test_tests_that_differ_without_the_commit_are_refused(repository, tmp_path):
    """With the commit all runs pass; without it only the first one does."""
    differing = ONCE.replace("left > 0", "left > 0 or add(1, 2) == 3")
    test = f"{FLAKY}{HEAD}{differing}"
    repository.commit("Flaky", {"calc.py": FIXED, "tests/test_calc.py": test})
    why = reason(repository, tmp_path)
    assert "without it, its tests are flaky (pass, fail, fail)" in why


def test_a_merge_and_the_first_commit_are_refused(repository, tmp_path):
    first = repository.git("rev-parse", "HEAD")
    assert "first commit" in reason(repository, tmp_path, first)
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("Side", {"side.py": "1\n"})
    repository.git("checkout", "-q", "main")
    repository.commit("Main", {"calc.py": FIXED, "tests/test_calc.py": TEST})
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert "a merge" in reason(repository, tmp_path)
    assert made_from(repository, tmp_path, "HEAD~1").checked.is_sound


def test_a_submodule_and_a_link_are_refused(repository, tmp_path):
    head = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},lib")
    (repository.folder / "calc.py").write_text(FIXED)
    (repository.folder / "tests/test_calc.py").write_text(TEST)
    repository.git("add", "calc.py", "tests")
    repository.git("commit", "-q", "-m", "Module")
    assert "changes the submodule lib" in reason(repository, tmp_path)
    (repository.folder / "here").symlink_to("calc.py")
    repository.commit("Link", {})
    assert "changes the link here" in reason(repository, tmp_path)


def test_what_is_no_repository_or_no_commit_is_named(repository, tmp_path):
    assert "there is no commit 'not-there'" in reason(repository, tmp_path, "not-there")
    assert "is no commit" in reason(repository, tmp_path, "--output=x")
    with pytest.raises(SpecError, match="not a git repository"):
        task_from_commit(tmp_path, "HEAD", tmp_path / "task", CommitOptions())


def test_a_full_folder_is_refused(repository, tmp_path):
    repository.commit("x", {"calc.py": FIXED, "tests/test_calc.py": TEST})
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "a").write_text("")
    with pytest.raises(SpecError, match="not empty"):
        made_from(repository, tmp_path)


def a_log(path, folder, printed):
    """A session of Claude Code that commits."""
    head = {"sessionId": "0a1b2c3d-0000-4000-8000-000000000009", "version": "2.1.38"}
    head |= {"cwd": str(folder)} if folder else {}
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash",
            "input": {"command": "git add -A && git commit -m 'Mend add'"}}  # fmt: skip
    usage = {"input_tokens": 10, "output_tokens": 4}
    rows = [
        {"type": "user", "uuid": "u1", "timestamp": "2026-02-10T12:00:00Z",
         "message": {"role": "user", "content": "add(1, 2) gives -1. Mend it."}},
        {"type": "assistant", "uuid": "a1", "timestamp": "2026-02-10T12:00:03Z",
         "message": {"id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-5",
                     "usage": usage, "content": [call]}},
        {"type": "user", "uuid": "u2", "timestamp": "2026-02-10T12:00:06Z",
         "message": {"role": "user", "content": [
             {"type": "tool_result", "tool_use_id": "toolu_1", "content": printed}]}},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(head | row) + "\n" for row in rows))
    return path


def test_a_session_that_committed_is_a_task_with_its_prompt(repository, tmp_path):
    commit = repository.commit("Mend add", {"calc.py": FIXED, "tests/test_calc.py": TEST})
    printed = f"[main {commit[:7]}] Mend add\n 2 files changed"
    log = a_log(tmp_path / "s.jsonl", repository.folder, printed)
    made = task_from_session(str(log), tmp_path / "task", CommitOptions(), home=tmp_path)
    assert made.commit == commit
    assert made.task.task.prompt == "add(1, 2) gives -1. Mend it.\n"


@pytest.mark.parametrize(
    ("folder", "printed", "why"),
    [
        ("/no/such/folder", "[main 1a2b3c4] Mend add", "is not on this machine"),
        (None, "[main 1a2b3c4] Mend add", "records no working folder"),
        ("/", "nothing to commit", "no successful git commit"),
    ],
)
def test_a_session_without_its_commit_is_refused(tmp_path, folder, printed, why):
    log = a_log(tmp_path / "s.jsonl", folder, printed)
    with pytest.raises(SpecError, match=why):
        task_from_session(str(log), tmp_path / "task", CommitOptions(), home=tmp_path)
