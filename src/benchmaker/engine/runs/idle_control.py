"""Commands to a run that no process works on."""

from collections.abc import Sequence

from benchmaker.engine.runs.control import (
    NO_EFFECT,
    runs_of,
    setups_of,
    store_budget,
    store_dropped,
)
from benchmaker.engine.runs.lock import lease_name, series_lease_name
from benchmaker.errors import Conflict
from benchmaker.record import Run, RunState
from benchmaker.record.dollars import dollars
from benchmaker.record.run_command import CommandState, ControlAction, RunCommand
from benchmaker.store import Store

HOLDER = "control"
_TTL_S = 60.0


def settle_idle(store: Store, run_id: str) -> bool:
    """Apply the waiting commands to a run that no process works on; False if one does.

    The state of the run, its budget and its dropped setups change at once. Other commands wait for
    the process that resumes the run. Commands to a finished run have no effect.
    """
    try:
        with store.run_commands.transaction():
            runs = runs_of(store, run_id)
            held = [
                store.acquire_lease(name, holder=HOLDER, ttl_s=_TTL_S)
                for name in _lease_names(runs)
            ]
            for command in store.run_commands.pending(run_id):
                _settle(store, runs_of(store, run_id), command)
            for lease in held:
                store.release_lease(lease)
    except Conflict:
        return False
    return True


def _lease_names(runs: Sequence[Run]) -> list[str]:
    series = runs[0].series_id
    names = [] if series is None else [series_lease_name(series)]
    return [*names, *(lease_name(run.id) for run in _in_use(runs))]


def _in_use(runs: Sequence[Run]) -> list[Run]:
    """The runs of a series that a process may hold: open ones, and the next one.

    Runs whose turn has not come are left out: a long series has many.
    """
    left = [run for run in runs if run.state is not RunState.FINISHED]
    return [run for run in left if run is left[0] or run.state is not RunState.INTERRUPTED]


def _settle(store: Store, runs: Sequence[Run], command: RunCommand) -> None:
    left = [run for run in runs if run.state is not RunState.FINISHED]
    if not left:
        store.run_commands.acknowledge(
            command.number, CommandState.APPLIED, f"{NO_EFFECT}: the run finished first"
        )
    elif result := _result(store, left, command):
        store.run_commands.acknowledge(command.number, CommandState.APPLIED, result)


def _result(store: Store, runs: Sequence[Run], command: RunCommand) -> str:
    """Apply a command to unfinished runs; return its result, empty if it has to wait."""
    match command.action:
        case ControlAction.PAUSE:
            return _pause(store, runs)
        case ControlAction.RESUME:
            return _resume(store, runs)
        case ControlAction.MAX_COST:
            most_usd = float(command.value or 0.0)
            store_budget(store, runs[0].id, most_usd)
            return f"the budget is {dollars(most_usd)}"
        case ControlAction.DROP_MODEL:
            name = str(command.value)
            store_dropped(store, runs[0].id, setups_of(runs[0], name))
            return f"{name} is dropped; its remaining trials are not run"
        case _:
            return ""


def _pause(store: Store, runs: Sequence[Run]) -> str:
    if any(run.state is RunState.PAUSED for run in runs):
        return f"{NO_EFFECT}: the run is paused already"
    store.set_run_state(runs[0].id, RunState.PAUSED)
    return "paused; no process works on the run"


def _resume(store: Store, runs: Sequence[Run]) -> str:
    paused = [run for run in runs if run.state is RunState.PAUSED]
    if not paused:
        return f"{NO_EFFECT}: the run is not paused"
    for run in paused:
        store.set_run_state(run.id, RunState.INTERRUPTED)
    return "no longer paused; no process works on the run"
