"""Runs on a real store, for the tests of the engine."""

import asyncio
from random import Random

from benchmaker.engine.runs.run import execute
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.plan import count_selected
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Attempt, RunState, Selection
from benchmaker.store import Store
from benchmaker.testing import a_case, a_run, a_suite

CLOCK = SystemClock()


def a_seed(number=1):
    return Random(number)  # noqa: S311  seeded on purpose


def an_attempt(number=1, status="429"):
    return Attempt(number=number, status=status, started_at="2026-11-20T10:00:00.000Z")


def sums(count=10, **fields):
    """A suite whose case n expects n."""
    cases = [a_case(f"c{n}", prompt=f"{n} + 0?", expected=str(n)) for n in range(count)]
    return a_suite(*cases, **fields)


def right(request):
    """The right answer to a case of :func:`sums`."""
    return request.case_id.removeprefix("c")


def begun(store, suite, models=("a", "b"), *, selection=None, **fields):
    """The run, written down and not yet started."""
    chosen = selection or Selection()
    run = a_run(
        suite_hash=store.put_suite(suite),
        suite_name=suite.name,
        models=tuple(models),
        selection=chosen,
        planned=count_selected(suite.cases, chosen) * len(models),
        state=RunState.RUNNING,
        finished_at=None,
        **fields,
    )
    store.add_run(run)
    return run


def executed(store, run, provider=None, *, through=asyncio.run, **options):
    """The run after an execution, and the models that it stopped."""
    suite = store.suite(run.suite_hash)
    stopped = through(execute(store, run, suite, provider or Scripted(right), **options))
    return store.run(run.id), stopped


def opened(folder, *, busy_timeout_s=0.5):
    return Store.open(folder / "benchmaker.db", busy_timeout_s=busy_timeout_s)


def keys(store, run_id):
    return [(trial.case_id, trial.model) for trial in store.trials(run_id)]
