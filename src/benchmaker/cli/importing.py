"""Taking runs from an export into the store."""

from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.database import place_of
from benchmaker.errors import SpecError, StoreError

if TYPE_CHECKING:
    from benchmaker.record import Run
    from benchmaker.report.exported import Export, ExportedTrial
    from benchmaker.store import Store, Writer


def take_in(context: Context, file: Path) -> "Export":
    """Read an export, check all of it, then store it: every run of it, or none.

    Raises:
        SpecError: the file is no sound export, or one of its runs is stored already.
    """
    from benchmaker.report.exported import read_export  # noqa: PLC0415  loads pydantic

    export = read_export(file)
    with place_of(context).opened() as store:
        _refuse_known(store, export)
        _store(store, export)
    return export


def _refuse_known(store: "Store", export: "Export") -> None:
    stored = {run.id for run in store.runs()}
    known = [run.id for run in export.runs if run.id in stored]
    if known:
        raise SpecError(
            f"{', '.join(known)} {'is' if len(known) == 1 else 'are'} stored already.",
            where=str(export.path),
            hint=f"Delete what is stored first: benchmaker delete {known[0]}",
        )


def _store(store: "Store", export: "Export") -> None:
    """A run counts as interrupted until all of it is there."""
    from msgspec.structs import replace  # noqa: PLC0415

    from benchmaker.record import RunState  # noqa: PLC0415

    store.put_suite(export.suite)
    _store_series(store, export)
    added: list[Run] = []
    try:
        for run in export.runs:
            store.add_run(replace(run, state=RunState.INTERRUPTED, imported_from=export.path.name))
            added.append(run)
        _store_trials(store, export)
        for run in added:
            store.set_run_state(run.id, run.state, finished_at=run.finished_at)
    except BaseException:
        for run in added:
            store.delete_run(run.id)
        raise


def _store_series(store: "Store", export: "Export") -> None:
    if export.series is None:
        return
    try:
        store.series(export.series.id)
    except StoreError:
        store.add_series(export.series)


def _store_trials(store: "Store", export: "Export") -> None:
    from benchmaker.store import Writer  # noqa: PLC0415

    with Writer(store) as writer:
        for exported in export.trials():
            _put(writer, exported)


def _put(writer: "Writer", exported: "ExportedTrial") -> None:
    """The trial with the first version of its score, then the versions after it."""
    from msgspec.structs import replace  # noqa: PLC0415

    trial, versions = exported
    scores = [score for _, score in versions]
    writer.put(replace(trial, score=scores[0] if scores else None))
    for score in scores[1:]:
        writer.put_score(trial.key, score)
