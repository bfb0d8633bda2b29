"""A worker that is killed while it scores by a corrected suite: the next one ends the same run."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.arenas.standard.job_handlers import ask_to_correct
from benchmaker.providers.scripted import Scripted
from benchmaker.record import RunState
from benchmaker.record.job import JobState
from benchmaker.store import Store
from tests.waiting import until
from tests.web.gated import AT_ONCE, GATE

CASES = 40


def a_suite(expected):
    cases = [Case(id=f"c{n}", prompt=f"{n}?", expected=expected) for n in range(CASES)]
    return Suite("gated", cases, scorer=ScorerSpec(id="tests.web.gated:Gated"))


@pytest.fixture
def gate(tmp_path):
    """The file without which no more than some answers are scored."""
    return tmp_path / "gate"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@contextmanager
def working(home, gate):
    """The real command in a process of its own."""
    command = [sys.executable, "-m", "benchmaker", "worker", "--once", "--home", str(home)]
    root = str(Path(__file__).resolve().parents[2])
    environ = {**os.environ, "PYTHONPATH": root, GATE: str(gate)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def asked(home, runs):
    """A run or series of models that answered, and the job that scores it by another suite."""
    provider = Scripted(lambda _: "a", models=("b", "a"))
    done = benchmaker.run(a_suite("a"), provider=provider, home=home, options=RunOptions(runs=runs))
    with Store.open(home / "benchmaker.db") as store:
        suite = store.put_suite(a_suite("other"))
        target = done.series_id or done.run_ids[0]
        return done, ask_to_correct(store, target, suite=suite, max_cost_usd=0.0).id


def made_of(store, done):
    """The runs that have the answers of these, oldest first."""
    found = [run for run in store.runs() if run.rescored_from in done.run_ids]
    return sorted(found, key=lambda run: run.number)


def copied(home, done):
    with Store.open(home / "benchmaker.db") as store:
        return sum(store.count_trials(run.id) for run in made_of(store, done))


@pytest.mark.parametrize("runs", [1, 2])
def test_a_killed_worker_makes_no_second_run(home, gate, runs):
    done, job = asked(home, runs)
    with working(home, gate) as worker:
        until(lambda: copied(home, done) >= 2 * AT_ONCE)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    gate.touch()
    with working(home, gate) as worker:
        assert worker.wait() == 0

    with Store.open(home / "benchmaker.db") as store:
        made = made_of(store, done)
        assert store.jobs.find(job).state is JobState.DONE
        assert [run.rescored_from for run in made] == list(done.run_ids)
        assert {run.state for run in made} == {RunState.FINISHED}
        assert len({run.series_id for run in made}) == 1
        for run in made:
            trials = list(store.trials(run.id))
            assert len(trials) == 2 * CASES
            assert {trial.score_version for trial in trials} == {1}
