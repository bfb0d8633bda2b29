"""The runs of one suite in the order of time, a series being one."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.engine.runs.suite_versions import StoredPoint
    from benchmaker.record import Run
    from benchmaker.store import Store


def read_run_sets(context: Context, names: Sequence[str]) -> "list[StoredPoint]":
    """The runs behind the names: all of a suite, or those that are named.

    Without a name, all of the latest run's suite.

    Raises:
        SpecError: no run is stored; or a single name that is neither a suite's nor a run's.
    """
    from benchmaker.engine.runs.suite_versions import read_points

    with open_store(context) as store:
        names = names or (_latest_suite(store),)
        sets = _of_suite(store, names[0]) if len(names) == 1 else []
        sets = sets or _run_id_sets(store, names)
        return read_points(store, sets)


def _latest_suite(store: "Store") -> str:
    """The name of the latest run's suite."""
    if not list(store.runs(limit=1)):
        raise SpecError("no runs yet.", hint="To track coding agents, add --systems.")
    return store.run(store.resolve("latest").run_ids[0]).suite_name


def _of_suite(store: "Store", name: str) -> list[tuple[str, ...]]:
    """The ids of all runs of the suite of that name, series by series."""
    found = [run for run in store.runs(limit=None) if name in (run.suite_name, run.suite_hash)]
    series: dict[str, list[Run]] = {}
    for run in found:
        series.setdefault(run.series_id or run.id, []).append(run)
    return [
        tuple(run.id for run in sorted(runs, key=lambda run: run.number))
        for runs in series.values()
    ]


def _run_id_sets(store: "Store", names: Sequence[str]) -> list[tuple[str, ...]]:
    found = [tuple(store.resolve(name).run_ids) for name in _checked_names(store, names)]
    return list(dict.fromkeys(found))


def _checked_names(store: "Store", names: Sequence[str]) -> Iterator[str]:
    """The names, the first of a single one checked to say what there is."""
    if len(names) > 1 or names[0] == "latest":
        yield from names
        return
    try:
        store.resolve(names[0])
    except SpecError as error:
        suites = ", ".join(sorted({run.suite_name for run in store.runs(limit=None)}))
        raise SpecError(
            f"no suite and no run {names[0]!r}.", hint=f"Suites with runs: {suites}."
        ) from error
    yield names[0]


def first_run_id(context: Context, name: str) -> str:
    """Return the id of the first run with that name."""
    with open_store(context) as store:
        return store.resolve(name).run_ids[0]
