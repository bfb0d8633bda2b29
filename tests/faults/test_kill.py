"""kill -9 at any moment: nothing recorded is lost or doubled, and the report is the same."""

import time
from random import Random

import pytest

from benchmaker.store import Store
from tests.faults.child import write_answers
from tests.faults.processes import ended, finish, report, rows, start, wait_until

CASES = 3000
KILLS = 3
"""Kills of one run, before it is left to finish."""

AT_WORK = 0.8
"""The part of a process's time before it tidies up."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "answers.jsonl"
    write_answers(path, CASES)
    return path


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory, answers):
    """Rows and report of a run that nobody disturbed, and its seconds from ready to end."""
    home = tmp_path_factory.mktemp("uninterrupted")
    child = start("run", home, answers, CASES)
    wait_until(child, "ready")
    begun = time.monotonic()
    assert ended(child).last["finished"]
    seconds = time.monotonic() - begun
    return rows(home), report(home), seconds * AT_WORK


def killed(home, answers, random, seconds):
    """Go on, kill at a random moment of what is left; returns the moment, and rows by then."""
    kept = stored(home)
    command = "run" if kept is None else "resume"
    moment = random.random() * seconds * (1 - (kept or 0) / (2 * CASES))
    child = start(command, home, answers, CASES)
    wait_until(child, "ready")
    time.sleep(moment)
    child.process.kill()
    code = ended(child).code
    return round(moment, 3), code, stored(home)


def stored(home):
    """How many rows the newest run has; None where there is no run."""
    with Store.open(home / "benchmaker.db") as store:
        runs = store.runs(limit=1)
        return store.count_trials(runs[0].id) if runs else None


def disturbed(home, answers, random, seconds):
    """A run that is killed at random moments, and then finished; returns those moments."""
    moments = [killed(home, answers, random, seconds) for _ in range(KILLS)]
    finish(home, answers, CASES)
    return moments


def check(tmp_path, answers, uninterrupted, seed):
    expected_rows, expected_report, seconds = uninterrupted
    moments = disturbed(tmp_path, answers, Random(seed), seconds)  # noqa: S311  seeded on purpose
    print("seed", seed, "killed at, exit code, rows:", moments)  # noqa: T201  what replays it

    assert rows(tmp_path) == expected_rows, (seed, moments)
    assert report(tmp_path) == expected_report, (seed, moments)


@pytest.mark.parametrize("seed", range(2))
def test_after_six_kills_rows_and_report_are_those_of_an_undisturbed_run(
    tmp_path, answers, uninterrupted, seed
):
    check(tmp_path, answers, uninterrupted, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_after_thirty_kills_rows_and_report_are_those_of_an_undisturbed_run(
    tmp_path, answers, uninterrupted, seed
):
    check(tmp_path, answers, uninterrupted, seed)
