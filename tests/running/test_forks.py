"""Workers that are forked: they run everything once, and a death is one failure."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SHARED = """
import os, pytest

@pytest.fixture(scope="session")
def journal():
    yield {journal!r}
    with open({journal!r}, "a") as journal:
        print("ended", os.environ["TESTS_WORKER"], file=journal)
"""

FILE = """
import os, pytest, signal

@pytest.mark.parametrize("number", range(6))
def test_one(number, journal, capfd):
    with open(journal, "a") as file:
        print("ran", __name__, number, file=file)
    os.system("echo from a child")
    assert "from a child" in capfd.readouterr().out
    if __name__ == "test_b" and number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if __name__ == "test_b" and number == 4:
        os._exit(0)
    assert (__name__, number) != ("test_c", 3), "told by the test"
"""


def run_pytest(folder: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly",
         "-p", "tests.running.times", "-p", "tests.running.forks", "-p", "tests.running.alone",
         *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TESTS_WORKER": "none"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Three files in two workers, one of which dies twice: the journal, the code, the output."""
    folder = tmp_path_factory.mktemp("files with spaces")
    journal = folder / "journal"
    for name in "abc":
        (folder / f"test_{name}.py").write_text(FILE)
    (folder / "conftest.py").write_text(SHARED.format(journal=str(journal)))
    code, said = run_pytest(folder, "--workers", "2")
    return journal.read_text().splitlines(), code, said


def test_every_test_runs_once(ran):
    journal, _, _ = ran
    expected = [f"ran test_{name} {number}" for name in "abc" for number in range(6)]
    assert sorted(line for line in journal if line.startswith("ran")) == expected


def test_a_worker_that_dies_fails_its_test_and_no_other(ran):
    _, code, said = ran
    assert code == 1
    assert re.search(r"FAILED test_b.py::test_one\[2\] - worker w\d died \(signal 9\)", said)
    assert re.search(r"FAILED test_b.py::test_one\[4\] - worker w\d died \(exit code 0\)", said)
    assert re.search(r"FAILED test_c.py::test_one\[3\] - AssertionError: told by the test", said)
    assert "3 failed, 15 passed" in said


def test_session_fixtures_end_once_a_worker(ran):
    journal, _, _ = ran
    ends = [line for line in journal if line.startswith("ended")]
    assert ends  # a worker that was given no test, since the other was quicker, made none
    assert len(set(ends)) == len(ends)
    assert set(ends) <= {"ended w0", "ended w1"}


def test_a_failure_says_how_to_run_it_alone(ran):
    _, _, said = ran
    assert re.search(r"python -m pytest '?test_c.py::test_one\[3\]'?", said)


def test_a_failure_is_named_before_the_end(ran):
    _, _, said = ran
    during = said.partition("= FAILURES =")[0]
    assert re.search(r"^test_c.py::test_one\[3\] failed: .*python -m pytest", during, re.MULTILINE)
    assert "\ntest_b.py::test_one[2] failed: its worker died" in during


def test_our_own_runs_say_it_too(pytestconfig):
    assert pytestconfig.pluginmanager.has_plugin("tests.running.alone")


def test_the_first_failure_ends_it_where_asked(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n@pytest.mark.parametrize('n', range(50))\ndef test_it(n): assert n < 3\n"
    )
    code, said = run_pytest(tmp_path, "--workers", "2", "-x")
    assert (code, "1 failed, 3 passed" in said) == (1, True), said


def test_errors_of_collection_are_reported_and_nothing_runs(tmp_path):
    (tmp_path / "test_it.py").write_text("import nothing_of_that_name\n")
    (tmp_path / "test_that.py").write_text("def test_that(): pass\n")
    code, said = run_pytest(tmp_path, "--workers", "2")
    assert (code, "1 error" in said, "passed" in said) == (2, True, False), said
