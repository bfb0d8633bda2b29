"""The one writer of imported evaluations: suite, runs, trials and scores from the neutral form."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from random import Random, SystemRandom
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedEvaluation,
    ImportedRow,
    digest,
)
from benchmaker.arenas.standard.importers.imported_suite import (
    case_id,
    imported_case_of,
    setup_of,
    stored_cases,
    suite_of,
)
from benchmaker.arenas.standard.importers.other_forms import runs_in_another_form
from benchmaker.arenas.standard.importers.row_blocks import AnswerBlock
from benchmaker.arenas.standard.importers.row_parts import (
    attempts_of_row,
    completion_of_row,
    score_of_row,
)
from benchmaker.arenas.standard.importers.spool import PlacedRow, Spool
from benchmaker.engine.requests.limits import REPLAY
from benchmaker.engine.runs.lock import LeaseLock, lock_imports, lock_run
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.ids import new_run_id, new_series_id
from benchmaker.engine.trials.interpreter import BULK_YOUNG, tune_interpreter
from benchmaker.record import (
    Completion,
    ImportedHeader,
    ImportedRecord,
    Judgment,
    Outcome,
    Run,
    RunState,
    Series,
    Setup,
)
from benchmaker.record.run import IMPORTED
from benchmaker.redact import Redactor
from benchmaker.spec import Suite, profile
from benchmaker.store import Store, Writer
from benchmaker.store.imports.new_trials import NewTrial
from benchmaker.store.imports.trial_blocks import TrialBlock
from benchmaker.store.runs.runs import RunNumber
from benchmaker.version import __version__

_BATCH = 2_000
_BLOCKS = 100


class StoredEvaluation(NamedTuple):
    """The result of storing an evaluation.

    ``run_ids`` are the runs that hold its rows, those of an earlier import included. ``lines`` is
    the number of rows read, ``added`` of trials that are new in the store. ``is_another_form`` is
    true if these runs hold the same answers, imported from another form of the evaluation.
    """

    run_ids: tuple[str, ...]
    lines: int
    added: int
    is_another_form: bool = False


def store_evaluation(
    store: Store,
    evaluation: ImportedEvaluation,
    *,
    clock: Clock | None = None,
    random: Random | None = None,
) -> StoredEvaluation:
    """Store an evaluation as runs, one for each repeat; repetition changes nothing.

    Rows that the store has already are left out. If some of its rows are stored, or the tool's own
    id of the evaluation is, the others are added to those runs. Imports of the same tool's results
    by several processes are stored one after the other.

    Raises:
        SpecError: a part of the evaluation is stored in another form.
        StoreError: a value can't be stored.
        Conflict: another process works on these runs.
    """
    clock, random = clock or SystemClock(), random or SystemRandom()
    spool = Spool(evaluation.tool, has_prompts=evaluation.has_prompts)
    with tune_interpreter(young=BULK_YOUNG), spool:
        spool.add_all(evaluation.rows)
        with lock_imports(store, evaluation.tool, clock=clock) as lock:
            return _store_spooled(store, evaluation, spool, lock, clock=clock, random=random)


def _store_spooled(
    store: Store,
    evaluation: ImportedEvaluation,
    spool: Spool,
    lock: LeaseLock,
    *,
    clock: Clock,
    random: Random,
) -> StoredEvaluation:
    known = _remove_known(store, evaluation, spool, lock)
    if spool.is_empty:
        return StoredEvaluation(_in_order(store, known), spool.lines, 0)
    base = _base_runs(store, evaluation, known)
    if not base and (other := runs_in_another_form(store, evaluation, spool)):
        return StoredEvaluation(other, spool.lines, 0, is_another_form=True)
    intake = _Intake(store, evaluation, spool, base, lock, clock, random)
    added = intake.write()
    return StoredEvaluation(_in_order(store, known | intake.run_ids), spool.lines, added)


def _remove_known(
    store: Store, evaluation: ImportedEvaluation, spool: Spool, lock: LeaseLock
) -> set[str]:
    """Take the stored rows out of the spool; return the runs that hold them."""
    found: set[str] = set()
    is_same: dict[str, bool] = {}
    if store.imported_rows.is_empty:
        return found
    for keys in spool.key_pages():
        lock.renew_in_time()
        there = store.imported_rows.find_keys(keys)
        known: dict[str, list[int]] = {}
        for key, run_ids in there.items():
            for run_id in run_ids:
                if run_id not in is_same:
                    is_same[run_id] = _may_be_of(store.run(run_id), evaluation)
            if matching := sorted(one for one in run_ids if is_same[one]):
                known.setdefault(matching[0], []).append(key)
        for run_id, held in known.items():
            records = [_record(key, spool.row_of(key)) for key in held]
            store.imported_rows.add_scores(run_id, records)
            spool.remove(held)
        found |= known.keys()
    return found


def _may_be_of(run: Run, evaluation: ImportedEvaluation) -> bool:
    """True unless run and evaluation have different ids of the tool, or differ in known facts.

    A rescored copy of an imported run is not the place of further rows.
    """
    names = {run.provider.get("evaluation") or "", evaluation.id} - {""}
    facts = run.provider.get("known") or {}
    is_other = any(facts.get(name, value) != value for name, value in evaluation.known.items())
    is_same_tool = run.tool == evaluation.tool and run.rescored_from is None
    return is_same_tool and len(names) <= 1 and not is_other


def _base_runs(store: Store, evaluation: ImportedEvaluation, known: set[str]) -> tuple[Run, ...]:
    """The runs to which the rows belong, by number; empty if they make new runs."""
    named = store.imported_rows.evaluations(evaluation.tool, evaluation.id) if evaluation.id else ()
    same = [
        run
        for run in named
        if run.provider.get("task") == evaluation.task and _may_be_of(run, evaluation)
    ]
    first = same[0] if same else (store.run(min(known)) if known else None)
    if first is None:
        return ()
    if first.series_id is None:
        return (first,)
    members = store.runs(series_id=first.series_id)
    return tuple(sorted(members, key=lambda run: run.number))


def _in_order(store: Store, run_ids: set[str]) -> tuple[str, ...]:
    found = sorted(
        map(store.run, run_ids), key=lambda run: (run.series_id or run.id, run.number, run.id)
    )
    return tuple(run.id for run in found)


def _record(key: int, row: ImportedRow) -> ImportedRecord:
    return ImportedRecord(key=key, scores=row.scores, rest=row.rest)


@dataclass(slots=True)
class _Target:
    """A run that takes rows, with those that wait to be written."""

    run: Run
    number: RunNumber
    lock: LeaseLock
    waiting: list[NewTrial] = field(default_factory=list)
    judged: list[Judgment] = field(default_factory=list)


@dataclass(slots=True)
class _Intake:
    """Writes the rows of a spool into new runs, or into those of which they are a part."""

    store: Store
    evaluation: ImportedEvaluation
    spool: Spool
    base: tuple[Run, ...]
    lock: LeaseLock
    clock: Clock
    random: Random
    added: int = 0
    _targets: dict[int, _Target] = field(default_factory=dict)
    _held: dict[str, LeaseLock] = field(default_factory=dict)
    _setups: list[Setup] = field(default_factory=list)
    _place: tuple[int, int] = (-1, -1)
    _used: set[int] = field(default_factory=set)
    _pattern: Run = field(init=False)
    _locks: ExitStack = field(init=False)

    def write(self) -> int:
        """Write everything; return the number of new trials."""
        self._load_stored_cases()
        suite = suite_of(self.evaluation, self.spool)
        self.store.put_case_blocks(suite, stored_cases(suite, self.spool))
        sent = self.evaluation.parameters
        self._setups = [setup_of(name, sent) for name in self.spool.setups]
        self._pattern = self._describe(self.base[0] if self.base else self._new_run(suite), suite)
        with ExitStack() as self._locks:
            for run in self.base:
                self._enlarge(run)
            self._write_rows(self.store.imported_rows.places([run.id for run in self.base]))
            for target in self._targets.values():
                self._flush(target)
                header = self._header(target.run.id)
                self.store.imported_rows.put_header(target.run.id, header)
                self._finish(target.run)
        return self.added

    @property
    def run_ids(self) -> set[str]:
        """The runs that hold the rows."""
        return {target.run.id for target in self._targets.values()}

    def _load_stored_cases(self) -> None:
        """Put the cases of the runs that are there before those of the file."""
        if not self.base:
            return
        for case in self.store.suite(self.base[0].suite_hash):
            self.spool.add_stored_case(*imported_case_of(case))

    def _describe(self, first: Run, suite: Suite) -> Run:
        """The first run as all of them are now: with every case and setup."""
        known = {setup.name: setup for setup in (*first.setups, *self._setups)}
        return replace(
            first,
            suite_hash=suite.content_hash,
            suite_name=suite.name,
            models=tuple(known),
            setups=tuple(known.values()),
            planned=self.spool.n_cases * len(known),
            provider=self._provider(first),
        )

    def _new_run(self, suite: Suite) -> Run:
        now, chosen = self.clock.now_utc(), profile(suite.profile)
        began = self.evaluation.created_at or now
        return Run(
            id=new_run_id(self.clock, self.random),
            suite_hash=suite.content_hash,
            suite_name=suite.name,
            models=(),
            profile=chosen.name,
            profile_version=chosen.version,
            parameters=dict(self.evaluation.parameters),
            system_prompt=self.evaluation.system_prompt,
            started_at=began,
            finished_at=self.evaluation.finished_at or began,
            package_version=__version__,
            imported_from=self.evaluation.files[0] if self.evaluation.files else "file",
        )

    def _provider(self, first: Run) -> dict[str, Any]:
        """What a run records of its source."""
        before, own = first.provider, self.evaluation
        return {
            "kind": IMPORTED,
            "tool": own.tool,
            "version": own.version or before.get("version", ""),
            "evaluation": own.id or before.get("evaluation", ""),
            "task": before.get("task") or own.task,
            "known": {**dict(own.known), **before.get("known", {})},
            "files": list(dict.fromkeys((*before.get("files", ()), *own.files))),
        }

    def _header(self, run_id: str) -> ImportedHeader:
        """What the file and the store say of the whole evaluation, without secrets."""
        before, own = self.store.imported_rows.header(run_id), self.evaluation
        figures = [*before.figures, *(msgspec.to_builtins(one) for one in own.figures)]
        rest: dict[str, Any] = Redactor().tree(msgspec.to_builtins(dict(own.header)))
        return ImportedHeader(
            figures=tuple({digest(one): one for one in figures}.values()),
            rest={**rest, **before.rest},
        )

    def _enlarge(self, known: Run) -> None:
        """Give a run that is there the cases and setups of the file, too."""
        run = replace(self._pattern, id=known.id, number=known.number)
        self._lock(run)
        self.store.enlarge_import(run)
        self.store.set_run_state(run.id, RunState.RUNNING, finished_at=run.finished_at)
        positions = {case_id(one.case): at for at, one in enumerate(self.spool.cases())}
        self.store.imported_rows.move(run.id, positions)
        self._add_target(run)

    def _target(self, number: int) -> "_Target":
        """The run of a number, which is created when it is first needed."""
        known = self._targets.get(number)
        if known is None:
            if number > 1:
                self._require_series(number)
            is_first = not self._targets
            name = self._pattern.id if is_first else new_run_id(self.clock, self.random)
            run = replace(self._pattern, id=name, number=number)
            self._lock(run)
            self.store.add_run(replace(run, state=RunState.RUNNING))
            known = self._add_target(run)
        return known

    def _require_series(self, runs: int) -> None:
        """Make the runs members of a series, of at least that many."""
        if self._pattern.series_id is not None:
            self.store.raise_runs(
                self._pattern.series_id,
                max(runs, self.store.series(self._pattern.series_id).runs),
            )
            return
        now = self.clock.now_utc()
        name = new_series_id(self.clock, self.random)
        series = Series(id=name, suite_hash=self._pattern.suite_hash, runs=runs, created_at=now)
        self._pattern = replace(self._pattern, series_id=name)
        if not self._targets:
            self.store.add_series(series)
        for target in self._targets.values():
            target.run = replace(target.run, series_id=name)
            self.store.extend_run(target.run, series=series)
            self.store.set_run_state(target.run.id, RunState.RUNNING)

    def _lock(self, run: Run) -> None:
        held = lock_run(self.store, run.id, clock=self.clock, ttl_s=REPLAY.lease_s)
        self._held[run.id] = self._locks.enter_context(held)

    def _add_target(self, run: Run) -> _Target:
        number = self.store.imported_rows.number_of(run.id)
        target = self._targets[run.number] = _Target(run, number, self._held[run.id])
        return target

    def _write_rows(self, taken: Mapping[tuple[str, str], set[int]]) -> None:
        for is_block, some in groupby(self.spool.answer_parts(), _is_block):
            if is_block:
                self._write_blocks(part for part in some if isinstance(part, AnswerBlock))
                continue
            for part in some:
                if not isinstance(part, AnswerBlock):
                    self._write_each(part, taken)

    def _write_blocks(self, blocks: Iterator[AnswerBlock]) -> None:
        target = self._target(1)
        trials = (self._trial_block(target, block) for block in blocks)
        while first := list(islice(trials, 1)):
            self._renew(target)
            some = chain(first, islice(trials, _BLOCKS - 1))
            self.added += self.store.imported_rows.write_blocks(target.number, some)

    def _trial_block(self, target: _Target, block: AnswerBlock) -> TrialBlock:
        rank = target.number.ranks[self._setups[block.setup].name]
        version, at = self.evaluation.version, target.run.finished_at or ""
        return block.trial_block(rank, version=version, at=at)

    def _write_each(
        self, rows: Iterable[PlacedRow], taken: Mapping[tuple[str, str], set[int]]
    ) -> None:
        names = [setup.name for setup in self._setups]
        for placed in rows:
            _, number, setup, row = placed.row
            if self._place != (number, setup):
                self._place = (number, setup)
                known = taken.get((case_id(placed.case.case), names[setup]), ()) if taken else ()
                self._used = set(known)
            run_number = _free_number(row.epoch, self._used)
            self._used.add(run_number)
            self._put(self._target(run_number), _Answer(placed, names[setup]))

    def _put(self, target: _Target, answer: "_Answer") -> None:
        target.waiting.append(answer.trial(target, self.evaluation.version))
        if answer.placed.row.row.judgments:
            target.judged.extend(answer.judgments(target.run))
        if len(target.waiting) >= _BATCH:
            self._flush(target)

    def _flush(self, target: _Target) -> None:
        self._renew(target)
        if target.waiting:
            self.added += self.store.imported_rows.write(target.number, target.waiting)
            target.waiting.clear()
        if target.judged:
            with Writer(self.store) as writer:
                for judgment in target.judged:
                    writer.put_judgment(judgment)
            target.judged.clear()

    def _renew(self, target: _Target) -> None:
        self.lock.renew_in_time()
        target.lock.renew_in_time()

    def _finish(self, run: Run) -> None:
        self.store.set_run_state(run.id, RunState.FINISHED, finished_at=run.finished_at)


def _is_block(part: AnswerBlock | Iterable[PlacedRow]) -> bool:
    return isinstance(part, AnswerBlock)


def _free_number(epoch: int | None, used: set[int]) -> int:
    """Return the number of the run for a row: its own repeat, else the first without this place."""
    if epoch is not None and epoch > 0 and epoch not in used:
        return epoch
    number = 1
    while number in used:
        number += 1
    return number


class _Answer(NamedTuple):
    """A row with its place, and the name of its setup."""

    placed: PlacedRow
    setup: str

    def trial(self, target: _Target, version: str) -> NewTrial:
        """The trial of this answer in a run."""
        (key, _, _, row), (_, case, _), position = self.placed
        is_failure = row.outcome is not Outcome.SCORED
        outcome = row.outcome if is_failure or row.score is not None else Outcome.UNSCORED
        return NewTrial(
            target.number.ranks[self.setup],
            position,
            case_id(case),
            outcome._value_,
            _record(key, row),
            target.run.finished_at or "",
            None if row.output is None else completion_of_row(row),
            None if is_failure else score_of_row(row, case, version),
            case.category,
            case.group,
            (row.error_type or "ProviderError") if is_failure else None,
            row.error if is_failure else None,
            attempts_of_row(row) if is_failure else (),
        )

    def judgments(self, run: Run) -> Iterator[Judgment]:
        """The replies of the tool's judges to this answer."""
        spooled, case, _ = self.placed
        for at, given in enumerate(spooled.row.judgments):
            yield Judgment(
                key=digest((spooled.key, at, given)).hex(),
                judge=given.judge,
                run_id=run.id,
                case_id=case_id(case.case),
                model=self.setup,
                completion=Completion(text=given.text, cost_usd=given.cost_usd),
                error=given.error,
                created_at=spooled.row.started_at or run.finished_at or "",
            )
