"""More of the same: further setups for runs that were made, further runs for a series."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from benchmaker.engine.runs.lock import lock_run
from benchmaker.engine.runs.series import members
from benchmaker.engine.runs.setups import with_setups
from benchmaker.engine.trials.clock import Clock
from benchmaker.engine.trials.ids import new_series_id
from benchmaker.errors import SpecError
from benchmaker.record import Run, Series, Setup
from benchmaker.record.counts import count
from benchmaker.store import Store


def add_setups(
    store: Store,
    runs: Sequence[Run],
    setups: Sequence[Setup],
    *,
    provider: Mapping[str, Any],
    clock: Clock,
    ttl_s: float,
) -> tuple[Run, ...]:
    """The runs, written down with the further setups; ``provider`` describes who answers now.

    A setup that was dropped from a run is no longer: its remaining trials are run.

    Raises:
        Conflict: another process works on one of them.
    """
    return tuple(
        _extend_run(store, run, setups, provider=provider, clock=clock, ttl_s=ttl_s) for run in runs
    )


def _extend_run(
    store: Store,
    run: Run,
    setups: Sequence[Setup],
    *,
    provider: Mapping[str, Any],
    clock: Clock,
    ttl_s: float,
) -> Run:
    named = {one.name for one in setups}
    wanted = with_setups(run, [one for one in setups if one.name not in run.models])
    new = (*wanted.models[len(run.models) :], *(name for name in run.dropped if name in named))
    if not new:
        return run
    wanted = replace(
        wanted,
        provider=dict(provider),
        notes=(*run.notes, f"{', '.join(new)} added {clock.now_utc()}"),
        dropped=tuple(name for name in run.dropped if name not in named),
    )
    with lock_run(store, run.id, clock=clock, ttl_s=ttl_s):
        store.extend_run(wanted)
    return store.run(run.id)


def raise_runs(
    store: Store,
    runs: Sequence[Run],
    number: int,
    *,
    clock: Clock,
    random: Random,
    ttl_s: float,
) -> tuple[Run, ...]:
    """The runs and as many further ones as make them ``number``; a single one becomes a series.

    Raises:
        SpecError: there are more than that already.
        Conflict: another process works on the single run.
    """
    refuse_fewer(number, len(runs))
    if number == len(runs):
        return tuple(runs)
    first = runs[0]
    if first.series_id is not None:
        store.raise_runs(first.series_id, number)
        return members(store, first.series_id, clock=clock, random=random)
    series = Series(
        id=new_series_id(clock, random),
        suite_hash=first.suite_hash,
        runs=number,
        created_at=clock.now_utc(),
        actor=first.actor,
    )
    with lock_run(store, first.id, clock=clock, ttl_s=ttl_s):
        store.extend_run(replace(first, series_id=series.id), series=series)
    return members(store, series.id, clock=clock, random=random)


def refuse_fewer(number: int, there: int) -> None:
    """Raise SpecError if fewer runs are requested than exist."""
    if number < there:
        raise SpecError(
            f"{count(number, 'run')} requested, but {there} already exist.",
            hint="Request at least as many, or delete runs first.",
        )
