"""``benchmaker.control``: checks, and options of jobs that later commands changed."""

import importlib

import pytest

from benchmaker import SpecError, control
from benchmaker.arenas import standard
from benchmaker.arenas.standard.controlling import (
    end_pause,
    last_concurrency,
    superseded_options,
    wanted_commands,
)
from benchmaker.record import RunState
from benchmaker.record.run_command import CommandState, ControlAction
from benchmaker.store import Store
from tests.engine.run_data import begun, sums


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as made:
        yield made


@pytest.fixture
def run(store):
    made = begun(store, sums(4), ("openai/alpha", "openai/beta"))
    store.set_run_state(made.id, RunState.INTERRUPTED)
    return made


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "nothing to do"),
        ({"pause": True, "resume": True}, "can't be paused and resumed"),
        ({"concurrency": 0}, "at least 1"),
        ({"max_cost_usd": -1.0}, "invalid budget"),
        ({"max_cost_usd": float("nan")}, "invalid budget"),
        ({"max_cost_usd": float("inf")}, "invalid budget"),
        ({"pause": "yes"}, "pause must be"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, wrong, message):
    with pytest.raises(SpecError, match=message):
        control(home=tmp_path, **wrong)


def test_a_pause_comes_first_and_its_end_last():
    actions = [action for action, _ in wanted_commands(resume=True, concurrency=3)]
    assert actions == [ControlAction.CONCURRENCY, ControlAction.RESUME]
    actions = [action for action, _ in wanted_commands(pause=True, drop_models=("a", "a", "b"))]
    assert actions == [ControlAction.PAUSE, ControlAction.DROP_MODEL, ControlAction.DROP_MODEL]


def test_an_unknown_model_is_refused_with_the_nearest(tmp_path, run):
    with pytest.raises(SpecError, match="Did you mean 'openai/alpha'"):
        control(run.id, drop_model="openai/alfa", home=tmp_path)
    with pytest.raises(SpecError, match="Choose one of: openai/alpha, openai/beta"):
        control(run.id, drop_model="x", home=tmp_path)


def test_the_result_has_the_state_of_run_and_commands(tmp_path, store, run):
    done = control(run.id, pause=True, concurrency=3, home=tmp_path)
    assert (done.state, done.is_held, done.is_refused, done.is_unheard) == (
        "paused", False, False, False,
    )  # fmt: skip
    assert [one.state for one in done.commands] == ["applied", "pending"]
    assert "takes effect when the run is resumed" in done.commands[1].result
    end_pause(store, run.id, is_limited=True)
    assert store.run(run.id).state is RunState.INTERRUPTED
    assert store.run_commands.pending(run.id) == ()


def test_a_later_command_goes_before_the_options_of_a_job(store, run):
    since = "2026-01-01T00:00:00.000Z"
    made = [
        store.run_commands.add(run.id, ControlAction.CONCURRENCY, 3),
        store.run_commands.add(run.id, ControlAction.MAX_COST, 2.0),
        store.run_commands.add(run.id, ControlAction.CONCURRENCY, 9),
    ]
    for one in made[:2]:
        store.run_commands.acknowledge(one.number, CommandState.APPLIED, "")
    found = dict(superseded_options(store, run.id, since))
    assert found == {"concurrency": 3, "max_cost_usd": None}
    assert dict(superseded_options(store, run.id, "2999-01-01T00:00:00.000Z")) == {}
    assert last_concurrency(store, run.id) == 3


def test_the_function_is_found_after_its_module_was_imported():
    """A module of the same name would hide it."""
    importlib.import_module("benchmaker.arenas.standard.resuming")
    assert callable(standard.control)
