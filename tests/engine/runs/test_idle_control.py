"""Commands to runs that no process works on."""

import pytest

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.runs.idle_control import settle_idle
from benchmaker.engine.runs.lock import lease_name
from benchmaker.record import RunState
from benchmaker.record.run_command import CommandState, ControlAction
from tests.engine.run_data import begun, executed, keys, opened, sums


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as made:
        yield made


@pytest.fixture
def run(store):
    made = begun(store, sums(4))
    store.set_run_state(made.id, RunState.INTERRUPTED)
    return made


def settled(store, run, action, value=None):
    made = store.run_commands.add(run.id, action, value)
    assert settle_idle(store, run.id)
    return store.run_commands.find(made.number)


def test_lasting_effects_are_stored_at_once(store, run):
    paused = settled(store, run, ControlAction.PAUSE)
    assert paused.result == "paused; no process works on the run"
    assert store.run(run.id).state is RunState.PAUSED
    assert settled(store, run, ControlAction.PAUSE).result.startswith("no effect")
    assert settled(store, run, ControlAction.RESUME).state is CommandState.APPLIED
    assert store.run(run.id).state is RunState.INTERRUPTED
    assert settled(store, run, ControlAction.RESUME).result.startswith("no effect")
    settled(store, run, ControlAction.MAX_COST, 2.5)
    settled(store, run, ControlAction.DROP_MODEL, "b")
    assert store.run(run.id).options == {"max_cost_usd": 2.5}
    assert store.run(run.id).dropped == ("b",)


def test_other_commands_wait_for_the_process_that_resumes_the_run(store, run):
    made = [
        settled(store, run, ControlAction.CONCURRENCY, 3),
        settled(store, run, ControlAction.RETRY_FAILED),
    ]
    assert {one.state for one in made} == {CommandState.PENDING}
    executed(store, run, limits=RunLimits(concurrency=2))
    found = [store.run_commands.find(one.number) for one in made]
    assert {one.state for one in found} == {CommandState.APPLIED}
    assert found[0].result == "3 parallel requests instead of 2"
    assert len(keys(store, run.id)) == 8


def test_a_process_at_work_is_left_alone(store, run):
    made = store.run_commands.add(run.id, ControlAction.PAUSE)
    lease = store.acquire_lease(lease_name(run.id), holder="engine", ttl_s=60.0)
    assert not settle_idle(store, run.id)
    assert store.run_commands.find(made.number).state is CommandState.PENDING
    assert store.run(run.id).state is RunState.INTERRUPTED
    store.release_lease(lease)
    assert settle_idle(store, run.id)
    assert store.run(run.id).state is RunState.PAUSED
    assert store.lease(lease_name(run.id)) is None


def test_a_command_that_comes_too_late_has_no_effect(store, run):
    executed(store, run)
    late = settled(store, run, ControlAction.PAUSE)
    assert late.result == "no effect: the run finished first"
    assert store.run(run.id).state is RunState.FINISHED
