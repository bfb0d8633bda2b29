"""Commands to runs: one row each, in order, acknowledged once."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import Conflict, StoreError
from benchmaker.record import RunState, Series
from benchmaker.record.run_command import CommandState, ControlAction
from benchmaker.store import Store
from benchmaker.testing import a_case, a_run, a_suite
from tests.store.filled import add_run

pytestmark = pytest.mark.postgresql("commands")


@pytest.fixture
def run_id(store):
    return add_run(store).id


def test_a_command_is_stored_with_its_value_and_actor(store, run_id):
    made = [
        store.run_commands.add(run_id, ControlAction.PAUSE),
        store.run_commands.add(run_id, ControlAction.CONCURRENCY, 7, actor="ada"),
        store.run_commands.add(run_id, ControlAction.MAX_COST, 0.1),
        store.run_commands.add(run_id, ControlAction.DROP_MODEL, "openai/a"),
    ]
    assert [one.value for one in made] == [None, 7, 0.1, "openai/a"]
    assert [one.actor for one in made] == ["local", "ada", "local", "local"]
    assert store.run_commands.pending(run_id) == tuple(made)
    assert store.run_commands.find(made[1].number) == made[1]
    assert made[0].run_id == run_id
    assert made[0].series_id is None
    assert [one.option for one in made] == [
        "--pause", "--concurrency 7", "--max-cost 0.1", "--drop-model openai/a",
    ]  # fmt: skip


def test_a_command_is_acknowledged_once(store, run_id):
    made = store.run_commands.add(run_id, ControlAction.PAUSE)
    assert store.run_commands.acknowledge(made.number, CommandState.APPLIED, "paused")
    assert not store.run_commands.acknowledge(made.number, CommandState.REFUSED, "again")
    found = store.run_commands.find(made.number)
    assert (found.state, found.result) == (CommandState.APPLIED, "paused")
    assert found.applied_at
    assert store.run_commands.pending(run_id) == ()
    assert store.run_commands.of_run(run_id) == (found,)


def test_only_the_holder_of_the_run_acknowledges(store, run_id):
    made = store.run_commands.add(run_id, ControlAction.PAUSE)
    lease = store.acquire_lease("run 1", holder="engine", ttl_s=60.0)
    store.release_lease(lease)
    with pytest.raises(Conflict):
        store.run_commands.acknowledge(made.number, CommandState.APPLIED, "", lease=lease)
    assert store.run_commands.pending(run_id) == (made,)


def test_effects_and_acknowledgement_are_durable_together(store, run_id):
    made = store.run_commands.add(run_id, ControlAction.PAUSE)

    def apply():
        with store.run_commands.transaction():
            store.run_commands.acknowledge(made.number, CommandState.APPLIED, "paused")
            store.set_run_state("nobody", RunState.PAUSED)

    with pytest.raises(StoreError, match="there is no run"):
        apply()
    assert store.run_commands.pending(run_id) == (made,)


def test_the_runs_of_a_series_share_its_commands(store):
    suite = a_suite(a_case("a"))
    content = store.put_suite(suite)
    store.add_series(Series(id="s-1", suite_hash=content, runs=2, created_at="2026-11-20"))
    for number in (1, 2):
        store.add_run(a_run(f"r{number}", suite_hash=content, series_id="s-1", number=number))
    made = store.run_commands.add("r1", ControlAction.PAUSE)
    assert made.series_id == "s-1"
    assert store.run_commands.pending("r2") == (made,)


def test_runs_without_a_series_share_no_commands(store, run_id):
    other = add_run(store, "run-2").id
    made = store.run_commands.add(run_id, ControlAction.PAUSE)
    assert store.run_commands.pending(run_id) == (made,)
    assert store.run_commands.pending(other) == store.run_commands.of_run(other) == ()


def test_commands_go_with_their_run(store, run_id):
    made = store.run_commands.add(run_id, ControlAction.PAUSE)
    store.delete_run(run_id)
    assert store.run_commands.pending(run_id) == ()
    with pytest.raises(StoreError, match="there is no command"):
        store.run_commands.find(made.number)


def test_an_unknown_run_is_refused(store):
    with pytest.raises(StoreError, match="there is no run"):
        store.run_commands.add("nobody", ControlAction.PAUSE)


def test_commands_of_several_processes_are_numbered_as_they_become_visible(store, address, run_id):
    """A reader that has seen a command has seen all before it."""
    seen, ended = [], threading.Event()

    def write(name):
        with Store.open(address) as other:
            for _ in range(10):
                other.run_commands.add(run_id, ControlAction.RESUME, actor=name)

    def read():
        while not ended.is_set():
            seen.append([one.number for one in store.run_commands.of_run(run_id)])

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    reader = threading.Thread(target=read)
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    reader.join()
    last = [one.number for one in store.run_commands.of_run(run_id)]
    assert len(last) == 30
    assert last == sorted(last)
    assert all(found == last[: len(found)] for found in seen)


ACTIONS = st.sampled_from(list(ControlAction))


@settings(max_examples=30, deadline=None)
@given(steps=st.lists(st.one_of(ACTIONS, st.integers(0, 5)), max_size=20))
def test_pending_commands_are_the_added_ones_without_the_acknowledged(lasting_store, steps):
    """Against a plain list: additions append, acknowledgements remove the first of any number."""
    store = lasting_store
    run = add_run(store)
    model = []
    for step in steps:
        if isinstance(step, ControlAction):
            model.append(store.run_commands.add(run.id, step, _value(step)))
        elif step < len(model):
            gone = model.pop(step)
            assert store.run_commands.acknowledge(gone.number, CommandState.APPLIED, "")
        assert store.run_commands.pending(run.id) == tuple(model)
    store.delete_run(run.id)


def _value(action):
    values = {
        ControlAction.CONCURRENCY: 3,
        ControlAction.MAX_COST: 1.5,
        ControlAction.DROP_MODEL: "a",
    }
    return values.get(action)
