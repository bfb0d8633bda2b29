"""Runs of another store, taken in from an export."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from benchmaker.engine.requests.limits import REPLAY
from benchmaker.engine.runs.lock import lock_run
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.errors import Conflict, SpecError, StoreError
from benchmaker.record import (
    ImportedHeader,
    ImportedRecord,
    Judgment,
    Run,
    RunState,
    Score,
    Series,
    Trial,
)
from benchmaker.spec import Suite
from benchmaker.store import Store, Writer

Versions = tuple[tuple[int, Score], ...]

_encode = msgspec.json.Encoder(order="deterministic").encode
_MODULUS = 1 << 256
_RECORDS = 1_000
"""Records of other tools in one transaction."""


class Export(Protocol):
    """The input of an import: a valid export."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def suite(self) -> Suite:
        """The suite of all runs."""
        ...

    @property
    def series(self) -> Series | None:
        """The series of the runs, if they belong to one."""
        ...

    @property
    def runs(self) -> Sequence[Run]:
        """The runs."""
        ...

    def trials(self) -> Iterator[tuple[Trial, Versions]]:
        """Every trial with its newest score, and all versions of the score, the first first."""
        ...

    @property
    def evaluations(self) -> Mapping[str, ImportedHeader]:
        """The statements of other tools on imported runs, by the run's id."""
        ...

    def records(self) -> Iterator[tuple[Trial, ImportedRecord]]:
        """Yield each trial of another tool with that tool's record of it."""
        ...

    def judgments(self) -> Iterator[Judgment]:
        """Yield the questions to judges and their replies."""
        ...


class ImportResult(NamedTuple):
    """The result of an import: the runs, and those that already existed."""

    run_ids: tuple[str, ...]
    series_id: str | None
    already_there: tuple[str, ...]


def import_export(store: Store, export: Export, *, clock: Clock | None = None) -> ImportResult:
    """Write the runs of an export into the store; repetition changes nothing.

    An interrupted import is started again.

    Raises:
        Conflict: the store has a run or series of the same id with other content.
    """
    clock = clock or SystemClock()
    there = tuple(run.id for run in export.runs if _is_there(store, run, export))
    coming = [run for run in export.runs if run.id not in there]
    if coming:
        store.put_suite(export.suite)
    for run in coming:
        with lock_run(store, run.id, clock=clock, ttl_s=REPLAY.lease_s):
            _take_in(store, run, export)
    series_id = export.series.id if export.series else None
    return ImportResult(tuple(run.id for run in export.runs), series_id, there)


def _take_in(store: Store, run: Run, export: Export) -> None:
    """Write one run; it is ``running`` until all of it is there."""
    _remove_incomplete_import(store, run)
    if export.series is not None:
        _add_series(store, export.series)
    store.add_run(replace(run, state=RunState.RUNNING, imported_from=export.path.name))
    with Writer(store) as writer:
        for trial, versions in export.trials():
            if trial.run_id == run.id:
                _write(writer, trial, versions)
        for judgment in export.judgments():
            if judgment.run_id == run.id:
                writer.put_judgment(judgment)
    _attach_records(store, run, export)
    store.set_run_state(run.id, _settled_state(run), finished_at=run.finished_at)


def _attach_records(store: Store, run: Run, export: Export) -> None:
    """Write what another tool recorded of the trials of a run."""
    if run.tool is None:
        return
    records = (
        (trial.model, trial.case_id, record)
        for trial, record in export.records()
        if trial.run_id == run.id
    )
    while part := list(islice(records, _RECORDS)):
        store.imported_rows.attach(run.id, part)
    if run.id in export.evaluations:
        store.imported_rows.put_header(run.id, export.evaluations[run.id])


def _write(writer: Writer, trial: Trial, versions: Versions) -> None:
    scores = [score for _, score in versions]
    writer.put(replace(trial, score=scores[0] if scores else None))
    for score in scores[1:]:
        writer.put_score(trial.key, score)


def _add_series(store: Store, series: Series) -> None:
    try:
        known = store.series(series.id)
    except StoreError:
        store.add_series(series)
        return
    if known != series:
        raise _differs("series", series.id)


def _is_there(store: Store, run: Run, export: Export) -> bool:
    """True if the store has exactly this run; Conflict if it has another with its id."""
    known = _find_run(store, run.id)
    if known is None or _is_incomplete_import(store, known):
        return False
    trials = (trial for trial, _ in export.trials() if trial.run_id == run.id)
    judgments = (it for it in export.judgments() if it.run_id == run.id)
    if (
        _without_import_state(known) == _without_import_state(run)
        and fingerprint(store.trials(run.id)) == fingerprint(trials)
        and fingerprint(store.each_judgment(run.id)) == fingerprint(judgments)
    ):
        return True
    raise _differs("run", run.id)


def fingerprint(records: Iterable[Trial | Judgment]) -> int:
    """A number that two sets of records share when they are the same, in whatever order."""
    digests = (hashlib.sha256(_encode(record)).digest() for record in records)
    return sum(int.from_bytes(digest, "big") for digest in digests) % _MODULUS


def _find_run(store: Store, run_id: str) -> Run | None:
    try:
        found = store.resolve(run_id)
    except SpecError:
        return None
    return store.run(run_id) if run_id in found.run_ids else None


def _is_incomplete_import(store: Store, known: Run) -> bool:
    """True if it is the remainder of an interrupted import."""
    return known.imported_from is not None and store.stored_state(known.id) is RunState.RUNNING


def _remove_incomplete_import(store: Store, run: Run) -> None:
    known = _find_run(store, run.id)
    if known is not None and _is_incomplete_import(store, known):
        store.delete_run(run.id)


def _settled_state(run: Run) -> RunState:
    """Return the state of an imported run: one exported before its end is interrupted."""
    is_open = run.state in {RunState.RUNNING, RunState.PAUSED}
    return RunState.INTERRUPTED if is_open else run.state


def _without_import_state(run: Run) -> Run:
    """The run without what an import may change."""
    return replace(run, state=_settled_state(run), imported_from=None)


def _differs(noun: str, name: str) -> Conflict:
    return Conflict(
        f"the store already has a {noun} {name!r} with different content.",
        hint="Delete it first (benchmaker delete), or import into another store with --home.",
    )
