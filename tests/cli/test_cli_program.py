"""The command as a process: closed pipes, no terminal, poor locales, signals, broken stores."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from benchmaker.errors import BenchmakerError
from benchmaker.store import Store
from tests.cli.conftest import begun, environment

LAUNCH = [sys.executable, "-m", "benchmaker"]
POOR = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def closed_pipe():
    """A pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


SLOW = """
import time
from dataclasses import dataclass
from pathlib import Path

from benchmaker.record import Score


@dataclass(frozen=True)
class Slow:
    def score(self, case, trial):
        if Path("slow").exists():
            time.sleep(0.005)
        return Score.of(1.0)
"""


def slow_run(folder, cases):
    """A run that takes its time as long as a file named slow is there."""
    suite = {
        "name": "many",
        "scorer": "snail:Slow",
        "cases": [{"id": f"c{n}", "prompt": "?"} for n in range(cases)],
    }
    (folder / "suite.json").write_text(json.dumps(suite))
    lines = (json.dumps({"model": "m", "id": f"c{n}", "output": "x"}) for n in range(cases))
    (folder / "answers.jsonl").write_text("\n".join(lines))
    (folder / "snail.py").write_text(SLOW)
    (folder / "slow").touch()
    return ["run", "suite.json", "--recorded", "answers.jsonl", "--json"]


@pytest.mark.parametrize("words", [["show", "latest"], ["results"], ["plugins"], ["--help"]])
@pytest.mark.usefixtures("ran")
def test_a_reader_that_left_is_no_error(program, closed_pipe, words):
    assert program(*words, stdout=closed_pipe).stderr == ""


@pytest.mark.parametrize("form", ["csv", "jsonl", "html"])
@pytest.mark.usefixtures("ran")
def test_an_export_nobody_reads_is_no_error(program, closed_pipe, form):
    assert program("export", "latest", "--format", form, stdout=closed_pipe).stderr == ""


def test_a_run_whose_reader_left_keeps_its_exit_code(program, started, closed_pipe):
    words = ["run", started / "suite.yaml", "--recorded", started / "answers.jsonl"]
    said = program(*words, "--threshold", 1, stdout=closed_pipe, code=1)
    assert "Traceback" not in said.stderr
    assert "12 trials" in program("doctor").stdout


@pytest.mark.usefixtures("ran")
def test_a_full_disk_at_stdout_is_told(program):
    with Path("/dev/full").open("wb") as full:
        said = program("results", stdout=full.fileno(), code=None)
    assert said.code != 0
    assert "No space left" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("words", [["demo"], ["plugins"], ["doctor"], ["run", "--help"]])
def test_a_poor_locale_is_enough(program, words):
    said = program(*words, **POOR)
    assert said.stdout.isascii()
    assert "Traceback" not in said.stderr


@pytest.mark.usefixtures("ran")
def test_exports_are_utf8_whatever_the_locale(program):
    said = program("export", "latest", "--format", "jsonl", **POOR)
    assert "π" in said.stdout


def test_without_a_terminal_progress_is_plain_lines(program, started):
    words = ["run", started / "suite.yaml", "--recorded", started / "answers.jsonl"]
    said = program(*words)
    assert "\x1b" not in said.stdout + said.stderr
    assert "\r" not in said.stderr


def test_on_a_terminal_the_table_fits_and_progress_leaves_nothing(started, home):
    words = ["run", started / "suite.yaml", "--recorded", started / "answers.jsonl"]
    text = on_a_terminal(words, home, columns=80)
    assert "illustrative-a" in text
    assert max(len(line) for line in plain(text).splitlines()) <= 200


def test_on_a_terminal_a_live_series_is_one_display(home, environ, sums):
    words = ["run", sums, "--model", "openai/plain", "--runs", 2]
    text = plain(on_a_terminal(words, home, columns=90, **environ))
    assert " 50% run 1 of 2: 4 of 4 trials" in text
    assert "100% run 2 of 2: 4 of 4 trials" in text
    assert "openai (OPENAI_API_KEY): 0 of 5 in flight" in text


def on_a_terminal(words, home, *, columns, **variables):
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*LAUNCH, *map(str, words)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(home) | {"TERM": "xterm", "COLUMNS": str(columns)} | variables,
    )
    os.close(slave)
    said = b""
    with suppress(OSError):
        while chunk := os.read(master, 65536):
            said += chunk
    os.close(master)
    assert process.wait(timeout=600) == 0
    return said.decode()


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(program, home, tmp_path):
    env = environment(home) | {"PYTHONPATH": str(tmp_path)}
    process = begun(slow_run(tmp_path, 1_000), cwd=tmp_path, env=env)
    wait_for_rows(home, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    told = err.decode()
    assert process.returncode == 130, told
    data = json.loads(out)
    assert data["complete"] is False
    assert f"benchmaker resume {data['run_id']}" in told
    (tmp_path / "slow").unlink()
    done = program("resume", data["run_id"], "--json", PYTHONPATH=str(tmp_path)).data
    assert done["complete"] is True
    assert done["models"][0]["n_scored"] == 1_000


def wait_for_rows(home, process):
    for _ in range(1000):
        assert process.poll() is None, process.communicate()
        with suppress(BenchmakerError), Store.open(home / "benchmaker.db", read_only=True) as store:
            if any(store.count_trials(run.id) for run in store.runs()):
                return
        time.sleep(0.02)
    raise AssertionError(process.communicate())


@pytest.mark.sqlite("it is the file that can't be made")
def test_a_home_that_cannot_be_made_is_told(program, started, tmp_path):
    (tmp_path / "file").write_text("")
    words = ["run", started / "suite.yaml", "--recorded", started / "answers.jsonl"]
    said = program(*words, "--home", tmp_path / "file" / "home", code=4)
    assert "can't be created" in said.stderr
    assert "--home" in said.stderr


@pytest.mark.sqlite("it is the file that is damaged")
@pytest.mark.usefixtures("ran")
def test_a_store_that_is_none_is_told(program, home):
    (home / "benchmaker.db").write_bytes(b"nonsense, at length" * 500)
    said = program("results", code=3)
    assert "benchmaker.db" in said.stderr
    assert "Traceback" not in said.stderr
