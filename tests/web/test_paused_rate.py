"""The rate and the time left of a run that is paused, and after the pause."""

from dataclasses import dataclass

import pytest

from benchmaker.record import RunState
from benchmaker.record.job import Job
from benchmaker.record.run_command import CommandState, ControlAction
from benchmaker.store import Store
from benchmaker.web.live.events import RunTail
from benchmaker.web.live.state import live_state_of
from tests.store.filled import a_trial, add_run, put

START = 1_767_225_600.0


@dataclass
class Clock:
    """Seconds since 1970, as a test sets them."""

    now: float = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    with Store.open(tmp_path / "benchmaker.db", clock=clock) as store:
        run = add_run(store, cases=20, state=RunState.RUNNING, planned=20)
        store.jobs.add(Job(id="j1", kind="run", target=run.id))
        yield store


def end_at(store, clock, *seconds):
    """Trials that ended at these seconds after the start."""
    first = store.count_done("run-1")
    for at, second in enumerate(seconds):
        clock.now = START + second
        put(store, a_trial(position=first + at, finished_at=store.now_utc()))


def command(store, action):
    made = store.run_commands.add("run-1", action)
    store.run_commands.acknowledge(made.number, CommandState.APPLIED, "done")
    is_paused = action is ControlAction.PAUSE
    store.set_run_state("run-1", RunState.PAUSED if is_paused else RunState.RUNNING)


def test_a_paused_run_has_no_rate_and_no_time_left(store, clock):
    end_at(store, clock, 0, 1, 2, 3, 4)
    before = live_state_of(store, "run-1")
    assert before.rate == pytest.approx(1.0)
    assert before.seconds_left == pytest.approx(15.0)
    command(store, ControlAction.PAUSE)
    for given in (None, 1.0):
        paused = live_state_of(store, "run-1", rate=given)
        assert (paused.rate, paused.seconds_left) == (None, None)


def test_the_rate_after_a_pause_is_that_without_it(store, clock):
    end_at(store, clock, 0, 1, 2, 3, 4)
    command(store, ControlAction.PAUSE)
    clock.now = START + 30
    command(store, ControlAction.RESUME)
    assert live_state_of(store, "run-1").rate is None
    end_at(store, clock, 31, 32, 33, 34)
    assert live_state_of(store, "run-1").rate == pytest.approx(1.0)


def test_what_a_watched_run_did_before_a_pause_is_not_in_its_rate(store, clock):
    tail = RunTail(store, "run-1", lambda: None)
    for second in range(3):
        end_at(store, clock, second)
        tail.look_soon()
        tail.look()
    command(store, ControlAction.PAUSE)
    tail.look_soon()
    tail.look()
    command(store, ControlAction.RESUME)
    tail.look_soon()
    assert tail.look().state.n_done == 3
    assert tail.rate is None
