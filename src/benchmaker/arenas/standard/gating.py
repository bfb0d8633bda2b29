"""Gates of stored runs against the baselines of runs and files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmaker.analysis.gates.baseline_gate import MAX_DROP, decide_gate
from benchmaker.analysis.gates.gate_results import BaselineGate
from benchmaker.arenas.standard.result import RunResult
from benchmaker.engine.runs.run_baselines import baseline_of_runs
from benchmaker.errors import SpecError, StoreError
from benchmaker.record.baselines.baseline_file import read_baseline
from benchmaker.record.baselines.run_baseline import RunBaseline, without_texts
from benchmaker.redact import Redactor
from benchmaker.spec.documents.files import is_there
from benchmaker.store import Store
from benchmaker.store.home import Home


def gate(
    run: RunResult | str,
    baseline: RunResult | RunBaseline | str | Path,
    *,
    max_drop: float = MAX_DROP,
    metric: str | None = None,
    models: Sequence[str] = (),
    home: str | Path | None = None,
    store: str | None = None,
) -> BaselineGate:
    """Decide if a run's scores dropped by more than ``max_drop`` against a baseline.

    Each model is compared with its baseline case by case, as in :func:`benchmaker.compare`. It
    passes if the whole interval of the difference is above ``-max_drop``, fails if it is wholly
    below, and is undecided otherwise. Where the run lacks scores that the baseline has, it passes
    only if it also would with the lowest score there.

    Args:
        run: the result of a run, or a stored run or series by name.
        baseline: the same, a baseline that was read, or the path of a baseline's file.
        max_drop: the largest allowed drop, from 0 to 1: 2 points are 0.02.
        metric: ``mean``, ``strict``, or a metric of checks; None for the metric of the run.
        models: the models or setups to gate; all by default.
        home: the data folder of stored runs; a result has its own.
        store: the URL of the store, instead of the file in ``home``.

    Raises:
        NotComparable: the suites or the scoring profiles differ.
        NotEnoughData: no case or no model in common, or no scores of them in the baseline.
        SpecError: an unknown run, model or metric, a file that is no baseline, or a run that is
            compared with itself.
    """
    place = run.place if isinstance(run, RunResult) else Home.of(home, store)
    with place.open_store() as opened:
        side = _baseline_of(opened, run)
        if isinstance(baseline, RunResult):
            with baseline.place.open_store() as other:
                before = _baseline_of(other, baseline)
        elif isinstance(baseline, RunBaseline):
            before = baseline
        else:
            before = find_baseline(opened, baseline, clean=Redactor().text)
    if isinstance(baseline, RunResult) or (
        not isinstance(baseline, RunBaseline) and not is_file(baseline)
    ):
        refuse_itself(side, before)
    return decide_gate(side, before, max_drop=max_drop, metric=metric, models=models)


def refuse_itself(run: RunBaseline, baseline: RunBaseline) -> None:
    """Raise SpecError if a run is its own baseline, which says nothing."""
    shared = [run_id for run_id in run.run_ids if run_id in baseline.run_ids]
    if shared:
        raise SpecError(
            f"the run and the baseline are the same: {', '.join(shared)}.",
            hint="Name an earlier run, or a file that export --baseline wrote.",
        )


def _baseline_of(store: Store, run: RunResult | str) -> RunBaseline:
    ids = store.resolve(run).run_ids if isinstance(run, str) else run.run_ids
    return baseline_of_runs(store, ids, clean=Redactor().text)


def is_file(given: str | Path) -> bool:
    """True if a baseline is named by its file: the name ends with ``.json``, or there is one."""
    name = str(given)
    return name.lower().endswith(".json") or is_there(name)


def find_baseline(store: Store, given: str | Path, *, clean: Callable[[str], str]) -> RunBaseline:
    """Return the baseline in a file, or that of a stored run or series.

    A name that ends with ``.json``, or that of a file, is a file. If the file has no answers but
    the store has its runs, the answers come from there.

    Raises:
        SpecError: no such run or file, or the file is no baseline.
    """
    name = str(given)
    if not is_file(name):
        return baseline_of_runs(store, store.resolve(name).run_ids, clean=clean)
    read = read_baseline(Path(name))
    return read if read.has_answers else with_stored_answers(store, read, clean=clean)


def with_stored_answers(
    store: Store, baseline: RunBaseline, *, clean: Callable[[str], str]
) -> RunBaseline:
    """Return the baseline with the texts of its answers, if the store has the same runs."""
    try:
        stored = baseline_of_runs(store, baseline.run_ids, clean=clean)
    except StoreError:  # the runs are in another store
        return baseline
    return stored if without_texts(stored) == baseline else baseline
