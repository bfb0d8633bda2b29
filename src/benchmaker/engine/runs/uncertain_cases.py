"""Runs that repeat only uncertain cases: those whose first two scores differ.

The cases are chosen by setup, when the first two runs of the series have finished, and recorded in
each later run. A run is chosen for again when it is resumed: trials of the first two runs that were
retried may differ by then. Cases once chosen stay.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.errors import SpecError
from benchmaker.record import Run, RunState
from benchmaker.record.run import FULL_RUNS, UNCERTAIN
from benchmaker.store import Store


def refuse_too_few_runs(options: RunOptions, runs: int) -> None:
    """Raise SpecError if uncertain cases are to be repeated, but no run is left for them."""
    if options.repeat_where == UNCERTAIN and runs <= FULL_RUNS:
        raise SpecError(
            f"--repeat-where {UNCERTAIN} needs at least {FULL_RUNS + 1} runs, not {runs}.",
            hint="Every case runs twice. Add --runs 5 to run uncertain cases 5 times.",
        )


def without_cases(run: Run) -> Run:
    """The run before its cases are chosen; any other run as it is."""
    if not run.is_partial_repeat:
        return run
    return replace(run, selection=replace(run.selection, ids_by_setup={}), planned=0)


def choose_cases(store: Store, run: Run) -> Run | None:
    """Return the run with its uncertain cases; None while one of the first two is unfinished.

    Only cases with a score in both runs can differ.
    """
    first = [one for one in _runs_of_series(store, run) if one.number <= FULL_RUNS]
    if len(first) < FULL_RUNS or any(one.state is not RunState.FINISHED for one in first):
        return None
    from benchmaker.analysis.summary.repeats import uncertain_cases  # noqa: PLC0415  loads numpy

    run = store.run(run.id)
    found = uncertain_cases(store.columns([one.id for one in first]))
    return record_cases(store, run, _merged(run, found))


def record_cases(store: Store, run: Run, ids_by_setup: Mapping[str, Sequence[str]]) -> Run:
    """Store these cases as those of the run, and return it."""
    wanted = {setup: tuple(ids) for setup, ids in ids_by_setup.items() if ids}
    if wanted == run.selection.ids_by_setup:
        return run
    selection = replace(run.selection, ids_by_setup=wanted)
    planned = sum(len(ids) for setup, ids in wanted.items() if setup in run.models)
    store.extend_run(replace(run, selection=selection, planned=planned))
    return store.run(run.id)


def _runs_of_series(store: Store, run: Run) -> Iterable[Run]:
    return store.runs(series_id=run.series_id) if run.series_id else ()


def _merged(run: Run, found: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The chosen cases of each setup, then those that are uncertain by now."""
    chosen = run.selection.ids_by_setup or {}
    return {
        setup: tuple(dict.fromkeys([*chosen.get(setup, ()), *found.get(setup, ())]))
        for setup in run.models
    }
