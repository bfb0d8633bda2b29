"""Runs to resume, by the name a user entered."""

from random import Random

from benchmaker.engine.runs.series import members
from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import SpecError
from benchmaker.record import Run, RunState
from benchmaker.store import Store


def runs_named(store: Store, text: str, *, clock: Clock, random: Random) -> tuple[Run, ...]:
    """Return the run, or all runs of the series, for a full id, a prefix or ``latest``.

    Missing runs of the series are added.

    Raises:
        SpecError: unknown or ambiguous name, or a series without runs.
    """
    found = store.resolve(text)
    if not found.run_ids:
        raise SpecError("the series has no run yet.", where=text, hint="Start it again.")
    if found.series_id is not None:
        return members(store, found.series_id, clock=clock, random=random)
    return (store.run(found.run_ids[0]),)


def unfinished_runs(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """Those that have not come to their end."""
    return tuple(run for run in runs if run.state is not RunState.FINISHED)
