"""Closed pipes, no terminal, no locale: the command line goes on, or says so."""

import json
import os
import subprocess
import sys

import pytest

from tests.faults.child import write_answers
from tests.faults.processes import rows
from tests.waiting import PATIENCE_S

CASES = 200
BENCHMAKER = [sys.executable, "-m", "benchmaker"]
SUITE = """
name: größer als “alles” 的
profile: classic
scorer: exact
cases:
"""


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.yaml"
    cases = [f"  - {{id: c{n}, prompt: '{n} + {n}?', expected: '{2 * n}'}}" for n in range(CASES)]
    path.write_text(SUITE + "\n".join(cases) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def words(tmp_path, suite):
    """The command line of a recorded run."""
    answers = tmp_path / "answers.jsonl"
    write_answers(answers, CASES)
    return [*BENCHMAKER, "run", str(suite), "--recorded", str(answers), "--home", str(tmp_path)]


def environment(**more):
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, **more}


def started(words, **options):
    options.setdefault("env", environment())
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_a_reader_that_leaves_ends_nothing(tmp_path, words):
    run = started(words)
    run.stdout.close()
    complaints = run.stderr.read().decode()
    code = run.wait(30)
    run.stderr.close()

    assert "Traceback" not in complaints
    assert "BrokenPipe" not in complaints
    assert code in {0, 141}
    assert len(rows(tmp_path)) == 2 * CASES


def test_stdout_that_was_closed_before_the_start_ends_nothing(tmp_path, words):
    shell = ["sh", "-c", '"$@" >&- 2>"$0"', str(tmp_path / "complaints"), *words]
    code = subprocess.run(shell, check=False, env=environment()).returncode
    complaints = (tmp_path / "complaints").read_text(encoding="utf-8")

    assert "Traceback" not in complaints
    assert code in {0, 4, 141}
    assert len(rows(tmp_path)) == 2 * CASES


def test_without_a_terminal_there_are_no_control_codes(words):
    said, complaints = started(words, stdin=subprocess.DEVNULL).communicate(timeout=PATIENCE_S)

    assert b"m0" in said
    assert b"\x1b" not in said + complaints
    assert b"\r" not in said + complaints


@pytest.mark.parametrize("locale", [{"LANG": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}])
def test_without_a_locale_it_works(words, locale):
    run = started(words, env=environment(**locale, PYTHONCOERCECLOCALE="0"))
    said, complaints = run.communicate(timeout=PATIENCE_S)

    assert run.returncode == 0, complaints
    assert b"m0" in said


def test_without_a_locale_json_is_whole(words):
    locale = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    said, _ = started([*words, "--json"], env=environment(**locale)).communicate(timeout=PATIENCE_S)

    assert json.loads(said)["suite"] == "größer als “alles” 的"


@pytest.mark.sqlite("it is the file that can't be written")
def test_a_store_that_can_not_be_made_is_said(words, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("", encoding="utf-8")
    asked = [*words[:-1], str(blocked / "home")]
    run = started(asked)
    said, complaints = run.communicate(timeout=PATIENCE_S)

    assert run.returncode == 4, complaints
    assert str(blocked).encode() in complaints
    assert b"--home" in complaints
    assert b"Traceback" not in complaints
    assert not said


def test_a_damaged_store_is_said(words, tmp_path):
    (tmp_path / "benchmaker.db").write_bytes(b"Dear diary, " * 1000)
    run = started(words)
    _, complaints = run.communicate(timeout=PATIENCE_S)

    assert run.returncode == 3, complaints
    assert b"not a Benchmaker store" in complaints
    assert b"Traceback" not in complaints
