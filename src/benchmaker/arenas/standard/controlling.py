"""Control runs in progress from Python."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.arguments import validated_call
from benchmaker.documents import Document
from benchmaker.engine.runs.control import NO_EFFECT, runs_of
from benchmaker.engine.runs.idle_control import settle_idle
from benchmaker.engine.runs.lock import lease_name, series_lease_name
from benchmaker.errors import SpecError
from benchmaker.record import Run, RunState
from benchmaker.record.run_command import CommandState, ControlAction, RunCommand
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.store import Store
from benchmaker.store.home import Home
from benchmaker.store.runs.run_commands import Value

WAIT_S = 5.0
"""Seconds to wait for the process that works on the run."""

_READ_S = 0.1
_SETTLE_S = 0.5

Wanted = tuple[ControlAction, Value]
"""One command: the action with its value."""


@dataclass(frozen=True, slots=True)
class CommandResult(Document):
    """A command after the wait.

    ``state`` is ``applied``, ``refused``, or ``pending`` while no process has read it. ``result``
    tells its effect, or why there is none.
    """

    number: int
    action: str
    value: int | float | str | None
    state: str
    result: str
    created_at: str
    applied_at: str | None
    actor: str


@dataclass(frozen=True, slots=True)
class ControlResult(Document):
    """Commands to a run or series, and the state of the run afterwards.

    ``is_held`` is true if a process works on it.
    """

    run_id: str
    series_id: str | None
    state: str
    is_held: bool
    commands: tuple[CommandResult, ...]

    @property
    def is_refused(self) -> bool:
        """True if the process that works on the run refused a command."""
        return any(one.state == CommandState.REFUSED for one in self.commands)

    @property
    def is_unheard(self) -> bool:
        """True if a process works on the run, but has not read a command in time."""
        waits = any(one.state == CommandState.PENDING for one in self.commands)
        return self.is_held and waits


@validated_call
def control(
    run_id: str = "latest",
    *,
    pause: bool = False,
    resume: bool = False,
    concurrency: int | None = None,
    max_cost_usd: float | None = None,
    drop_model: str | Sequence[str] | None = None,
    retry_failed: bool = False,
    home: str | Path | None = None,
    store: str | None = None,
    wait_s: float = WAIT_S,
) -> ControlResult:
    """Change a run in progress, which any process may work on, and wait for the effect.

    A command to one run of a series applies to the series.

    Args:
        run_id: a run or a series: its id, a prefix of one, or ``latest``.
        pause: send no new requests; those in flight finish, and the process waits.
        resume: end a pause.
        concurrency: the number of parallel requests.
        max_cost_usd: the budget; below the amount spent, no new requests are sent.
        drop_model: a setup or model, or several, to send no further requests to.
        retry_failed: request failed trials of the current run again.
        home: the data folder.
        store: URL of the store, instead of the file in the data folder.
        wait_s: seconds to wait for the process that works on the run.

    Raises:
        SpecError: nothing to do, contradictory or invalid values, or an unknown run or model.

    >>> control(concurrency=0)
    Traceback (most recent call last):
    benchmaker.errors.SpecError: concurrency must be at least 1, not 0. Use 1 or more.
    """
    wanted = wanted_commands(
        pause=pause,
        resume=resume,
        concurrency=concurrency,
        max_cost_usd=max_cost_usd,
        drop_models=(drop_model,) if isinstance(drop_model, str) else drop_model or (),
        retry_failed=retry_failed,
    )
    with Home.of(home, store).open_store() as opened:
        return send_commands(opened, run_id, wanted, wait_s=wait_s)


def wanted_commands(
    *,
    pause: bool = False,
    resume: bool = False,
    concurrency: int | None = None,
    max_cost_usd: float | None = None,
    drop_models: Sequence[str] = (),
    retry_failed: bool = False,
) -> tuple[Wanted, ...]:
    """Return the commands in the order in which they are given: a pause first, its end last.

    Raises:
        SpecError: none, contradictory ones, or an invalid value.
    """
    if pause and resume:
        raise SpecError(
            "a run can't be paused and resumed by one command.", hint="Give pause or resume."
        )
    wanted: list[Wanted] = []
    if pause:
        wanted.append((ControlAction.PAUSE, None))
    wanted += [(ControlAction.DROP_MODEL, model) for model in dict.fromkeys(drop_models)]
    if max_cost_usd is not None:
        wanted.append((ControlAction.MAX_COST, float(max_cost_usd)))
    if concurrency is not None:
        wanted.append((ControlAction.CONCURRENCY, concurrency))
    if retry_failed:
        wanted.append((ControlAction.RETRY_FAILED, None))
    if resume:
        wanted.append((ControlAction.RESUME, None))
    if not wanted:
        raise SpecError(
            "nothing to do.",
            hint="Give pause, resume, concurrency, max-cost, drop-model or retry-failed.",
        )
    for action, value in wanted:
        _refuse_invalid(action, value)
    return tuple(wanted)


def send_commands(
    store: Store,
    name: str,
    wanted: Sequence[Wanted],
    *,
    actor: str = "local",
    wait_s: float = WAIT_S,
) -> ControlResult:
    """Store commands to a run or a series, and wait until they are applied.

    Raises:
        SpecError: an unknown run or model, or a run that can't be controlled.
    """
    run = _controllable_run(store, name)
    for action, value in wanted:
        if action is ControlAction.DROP_MODEL:
            _refuse_unknown_model(run, str(value))
    made = [store.run_commands.add(run.id, *one, actor=actor) for one in wanted]
    is_held = _wait(store, run.id, made, wait_s)
    return _result(store, run.id, made, is_held=is_held)


def _refuse_invalid(action: ControlAction, value: Value) -> None:
    """Raise SpecError if the value is out of range."""
    if action is ControlAction.CONCURRENCY and int(value or 0) < 1:
        raise SpecError(f"concurrency must be at least 1, not {value}.", hint="Use 1 or more.")
    if action is ControlAction.MAX_COST:
        most_usd = float(value or 0.0)
        if not (isfinite(most_usd) and most_usd >= 0):
            raise SpecError(f"invalid budget of {value} dollars.", hint="Use 0 or more.")


def _controllable_run(store: Store, name: str) -> Run:
    """Return the run, or the first unfinished run of the series.

    Raises:
        SpecError: no such run, or it has finished.
    """
    found = store.resolve(name)
    if not found.run_ids:
        raise SpecError("the series has no run yet.", where=name, hint="Start it again.")
    runs = runs_of(store, found.run_ids[0])
    left = [run for run in runs if run.state is not RunState.FINISHED]
    planned = 1 if runs[0].series_id is None else store.series(runs[0].series_id).runs
    if not left and len(runs) >= planned:
        shown = found.series_id or runs[0].id
        raise SpecError(
            f"{shown} has finished, so there is nothing to control.",
            hint=f"Retry failed trials with: benchmaker resume {shown} --retry-failed",
        )
    return left[0] if left else runs[-1]


def _refuse_unknown_model(run: Run, name: str) -> None:
    known = dict.fromkeys([*run.models, *(run.setup(it).model for it in run.models)])
    if name not in known:
        nearest = did_you_mean(name, known)
        listed = ", ".join(known)
        raise SpecError(
            f"run {run.id} has no model {name!r}.", hint=nearest or f"Choose one of: {listed}."
        )


def _wait(store: Store, run_id: str, made: Sequence[RunCommand], wait_s: float) -> bool:
    """Wait until the commands are applied; return whether a process works on the run."""
    began = time.monotonic()
    settle_at = began
    while True:
        now = time.monotonic()
        if _are_applied(store, made):
            return is_held(store, run_id)
        if now >= settle_at or now - began >= wait_s:
            settle_at = now + _SETTLE_S
            if settle_idle(store, run_id):
                return False
        if now - began >= wait_s:
            return True
        time.sleep(_READ_S)


def _are_applied(store: Store, made: Sequence[RunCommand]) -> bool:
    found = (store.run_commands.find(one.number) for one in made)
    return all(one.state is not CommandState.PENDING for one in found)


def is_held(store: Store, run_id: str) -> bool:
    """True if a process works on the run or on its series."""
    runs = runs_of(store, run_id)
    names = [lease_name(run.id) for run in runs]
    if runs[0].series_id is not None:
        names.append(series_lease_name(runs[0].series_id))
    return any(map(store.is_held, names))


def _result(
    store: Store, run_id: str, made: Sequence[RunCommand], *, is_held: bool
) -> ControlResult:
    runs = runs_of(store, run_id)
    current = next((run for run in runs if run.state is not RunState.FINISHED), runs[-1])
    commands = tuple(_outcome(store.run_commands.find(one.number), is_held=is_held) for one in made)
    return ControlResult(run_id, current.series_id, str(current.state), is_held, commands)


def _outcome(command: RunCommand, *, is_held: bool) -> CommandResult:
    text = command.result
    if command.state is CommandState.PENDING and is_held:
        text = "not read yet by the process that works on the run; it will be"
    elif command.state is CommandState.PENDING:
        text = "no process works on the run; it takes effect when the run is resumed"
    return CommandResult(
        command.number,
        str(command.action),
        command.value,
        str(command.state),
        text,
        command.created_at,
        command.applied_at,
        command.actor,
    )


def end_pause(store: Store, run_id: str, *, is_limited: bool = False) -> None:
    """End the pause of a run that no process works on, so that it can be resumed.

    If the caller ``is_limited`` by a number of requests of its own, waiting commands for it are
    void.
    """
    if not settle_idle(store, run_id):
        return
    if any(run.state is RunState.PAUSED for run in runs_of(store, run_id)):
        store.run_commands.add(run_id, ControlAction.RESUME)
        settle_idle(store, run_id)
    for command in store.run_commands.pending(run_id) if is_limited else ():
        if command.action is ControlAction.CONCURRENCY:
            text = f"{NO_EFFECT}: resumed with another number"
            store.run_commands.acknowledge(command.number, CommandState.APPLIED, text)


def superseded_options(store: Store, target: str, since: str) -> Iterator[tuple[str, Any]]:
    """Yield the options of a job on a run or series that later commands changed, with the values.

    The budget is part of the run's record, which applies without an option.
    """
    found = store.resolve(target).run_ids
    for command in store.run_commands.of_run(found[0]) if found else ():
        if command.created_at <= since or command.state is not CommandState.APPLIED:
            continue
        if command.action is ControlAction.CONCURRENCY:
            yield "concurrency", command.value
        elif command.action is ControlAction.MAX_COST:
            yield "max_cost_usd", None


def last_concurrency(store: Store, run_id: str) -> int | None:
    """Return the number of parallel requests that the last applied command set; None without."""
    values = [
        int(one.value or 0)
        for one in store.run_commands.of_run(run_id)
        if one.action is ControlAction.CONCURRENCY and one.state is CommandState.APPLIED
    ]
    return values[-1] if values else None
