"""Runs made together: created before the first starts, then executed one by one."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from benchmaker.engine.executors.base import Executor
from benchmaker.engine.judges.judge_makers import Judges
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.progress import OnProgress
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.requests.shared_endpoints import limiters_for
from benchmaker.engine.runs.control import RunSettings
from benchmaker.engine.runs.lock import lock_series
from benchmaker.engine.runs.run import execute
from benchmaker.engine.runs.uncertain_cases import choose_cases, without_cases
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.ids import new_run_id, new_series_id
from benchmaker.providers.base import Provider
from benchmaker.record import Run, RunState, Series
from benchmaker.spec import Suite
from benchmaker.store import Store


class SeriesResult(NamedTuple):
    """The runs after an execution.

    ``stopped`` lists the models stopped early, with the reasons; ``halted`` is the reason why all
    were.
    """

    runs: tuple[Run, ...]
    stopped: dict[str, str]
    halted: str = ""


def enrol(store: Store, first: Run, *, runs: int, clock: Clock, random: Random) -> tuple[Run, ...]:
    """Create the requested run, or a series with all its runs.

    ``first`` is the template: the others differ by id and number. None has started: a run is
    ``running`` only under a lease, so that commands find its process. So after a crash the
    remaining work is known.
    """
    first = as_not_started(first)
    if runs == 1:
        store.add_run(first)
        return (first,)
    series = Series(
        id=new_series_id(clock, random),
        suite_hash=first.suite_hash,
        runs=runs,
        created_at=clock.now_utc(),
        actor=first.actor,
    )
    store.add_series(series)
    store.add_run(replace(first, series_id=series.id))
    return members(store, series.id, clock=clock, random=random)


def as_not_started(run: Run) -> Run:
    """The run as one that has not begun."""
    return replace(run, state=RunState.INTERRUPTED, started_at="", finished_at=None)


def members(store: Store, series_id: str, *, clock: Clock, random: Random) -> tuple[Run, ...]:
    """The runs of a series by number; those that were never written down are added."""
    known = {run.number: run for run in store.runs(series_id=series_id)}
    pattern = known[min(known)]
    for number in range(1, store.series(series_id).runs + 1):
        if number not in known:
            known[number] = _another(pattern, number, new_run_id(clock, random))
            store.add_run(known[number])
    return tuple(known[number] for number in sorted(known))


def _another(pattern: Run, number: int, run_id: str) -> Run:
    return without_cases(replace(as_not_started(pattern), id=run_id, number=number))


async def execute_all(
    store: Store,
    runs: Sequence[Run],
    suite: Suite,
    provider: Provider,
    *,
    limits: RunLimits | None = None,
    options: RunOptions | None = None,
    clock: Clock | None = None,
    random: Random | None = None,
    on_progress: OnProgress | None = None,
    stop: asyncio.Event | None = None,
    judges: Judges | None = None,
    executor: Executor | None = None,
) -> SeriesResult:
    """Complete the runs, one after the other; completed ones are skipped.

    A model stopped in one run is skipped in the next, and one budget covers all of them. The cases
    of a run that repeats uncertain ones are chosen when the first two have finished. For the rest
    see :func:`benchmaker.engine.runs.run.execute`.
    """
    stop, clock, options = stop or asyncio.Event(), clock or SystemClock(), options or RunOptions()
    settings = RunSettings(limits or RunLimits(), _budget(store, runs, options))
    judging = judges.concurrency if judges else None
    limiters = limiters_for(provider, settings.limits, clock=clock, judging=judging)
    stopped: dict[str, str] = {}
    with _hold_series(store, runs, settings, clock), closing(limiters):
        for run in runs:
            if stop.is_set() or settings.refusal:
                break
            if run.is_partial_repeat:
                chosen = choose_cases(store, run)
                if chosen is None:
                    break
                run = chosen  # noqa: PLW2901  the same run with its cases
            if is_open(store, run, options):
                stopped |= await execute(
                    store,
                    run,
                    suite,
                    provider,
                    limits=settings.limits,
                    options=options,
                    limiters=limiters,
                    clock=clock,
                    random=random,
                    on_progress=on_progress,
                    stop=stop,
                    runs=len(runs),
                    without=stopped,
                    judges=judges,
                    executor=executor,
                    settings=settings,
                )
    return SeriesResult(tuple(store.run(run.id) for run in runs), stopped, settings.refusal)


@contextmanager
def _hold_series(
    store: Store, runs: Sequence[Run], settings: RunSettings, clock: Clock
) -> Iterator[None]:
    """Hold a series from its first run to its last, so that commands find its process."""
    series_id = runs[0].series_id
    if series_id is None or len(runs) == 1:
        yield
        return
    with lock_series(store, series_id, clock=clock, ttl_s=settings.limits.lease_s) as hold:
        settings.hold = hold
        yield


def is_open(store: Store, run: Run, options: RunOptions) -> bool:
    """True if there are trials left to run.

    This includes a finished run with stopped models, and failures of infrastructure or judges that
    are to be retried.
    """
    if run.state is not RunState.FINISHED:
        return True
    if store.count_done(run.id, retry_failed=options.retry_failed) < run.planned:
        return True
    return options.retry_failed and bool(run.judge and store.count_unjudged(run.id))


def _budget(store: Store, runs: Sequence[Run], options: RunOptions) -> Budget | None:
    """Return the budget, minus the cost of earlier executions of these runs."""
    if options.max_cost_usd is None:
        return None
    return Budget(options.max_cost_usd, spent_usd=store.spent_usd([run.id for run in runs]))
