"""Reading a full export back, checked before anybody writes any of it down."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from pydantic import ValidationError

from benchmaker.errors import SpecError
from benchmaker.record import (
    ImportedHeader,
    ImportedRecord,
    Judgment,
    Run,
    Score,
    Series,
    Trial,
    TrialKey,
)
from benchmaker.report.formats.json import FORMAT
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.files import lines, open_regular
from benchmaker.spec.documents.limits import Limits
from benchmaker.structs import resolve_type

LIMITS: Final = Limits(data_bytes=8 * 2**30, line_bytes=64 * 2**20)
"""The maximum sizes of an accepted export."""

T = TypeVar("T")
Versions = tuple[tuple[int, Score], ...]


class ExportedTrial(NamedTuple):
    """A trial with its newest score, and every version of it as (version, score)."""

    trial: Trial
    scores: Versions


@dataclass(frozen=True, slots=True)
class Export:
    """A validated export; cases and trials are read again at each pass.

    ``suite_hash_kept`` is False if the suite's content hash differs from that of the runs: secrets
    were removed on export, or it was changed since. The runs then have the hash of the actual
    content. ``evaluations`` are the statements of other tools on imported runs, by the run's id.
    """

    path: Path
    package_version: str
    suite: Suite
    series: Series | None
    runs: tuple[Run, ...]
    n_cases: int
    n_trials: int
    n_judgments: int
    redacted: int
    suite_hash_kept: bool
    evaluations: Mapping[str, ImportedHeader]

    def trials(self) -> Iterator[ExportedTrial]:
        """Every trial, in the order of the file."""
        for record in _records(self.path):
            if record.section is _Section.TRIALS:
                yield _exported_trial(_decode(record, _TRIAL, self.path))

    def records(self) -> Iterator[tuple[Trial, ImportedRecord]]:
        """Yield each trial of another tool with that tool's record of it."""
        for record in _records(self.path):
            if record.section is _Section.TRIALS:
                line = _decode(record, _TRIAL, self.path)
                if line.imported is not None:
                    yield line.trial, line.imported

    def judgments(self) -> Iterator[Judgment]:
        """Yield the judgments, in the order of the file."""
        for record in _records(self.path):
            if record.section is _Section.JUDGMENTS:
                yield _decode(record, _JUDGMENT, self.path)


def read_export(path: Path) -> Export:
    """Read and validate a whole export before any of it is stored.

    Raises:
        SpecError: the file is not an export, is damaged, too large, or contradicts itself; the
            message names the line.
    """
    head: _Head | None = None
    check = _Check(path)
    redacted = 0
    for record in _records(path):
        match record.section:
            case _Section.HEAD:
                head = _decode(record, _HEAD, path)
                _refuse_newer(head, path)
            case _Section.RUNS:
                check.run(record)
            case _Section.CASES:
                check.case(record)
            case _Section.TRIALS:
                check.trial(record)
            case _Section.JUDGMENTS:
                check.judgment(record)
            case _Section.TAIL:
                redacted = _decode(record, _TAIL, path).redacted
    if head is None or not check.runs:
        raise SpecError("the file has no run.", where=str(path))
    suite = _suite(head.suite, path)
    return Export(
        path=path,
        package_version=head.package_version,
        suite=suite,
        series=_renamed_series(head.series, suite),
        runs=tuple(
            msgspec.structs.replace(run, suite_hash=suite.content_hash) for run in check.runs
        ),
        n_cases=len(check.positions),
        n_trials=len(check.keys),
        n_judgments=check.judgments,
        redacted=redacted,
        evaluations=head.evaluations,
        suite_hash_kept=all(run.suite_hash == suite.content_hash for run in check.runs),
    )


class _Section(StrEnum):
    HEAD = "head"
    RUNS = "runs"
    CASES = "cases"
    TRIALS = "trials"
    JUDGMENTS = "judgments"
    TAIL = "redacted"


class _Head(msgspec.Struct):
    benchmaker_export: int
    suite: dict[str, Any]
    package_version: str = ""
    series: Series | None = None
    evaluations: dict[str, ImportedHeader] = {}


class _Tail(msgspec.Struct):
    redacted: int


class _TrialLine(msgspec.Struct):
    trial: Trial
    scores: Versions
    imported: ImportedRecord | None = None


_HEAD = msgspec.json.Decoder(resolve_type(_Head))
_TAIL = msgspec.json.Decoder(resolve_type(_Tail))
_RUN = msgspec.json.Decoder(resolve_type(Run))
_TRIAL = msgspec.json.Decoder(resolve_type(_TrialLine))
_JUDGMENT = msgspec.json.Decoder(resolve_type(Judgment))


class _Record(NamedTuple):
    section: _Section
    number: int
    data: bytes


_OPENING = re.compile(rb'"(runs|cases|trials|judgments)": \[\s*')
_ORDER = (_Section.RUNS, _Section.CASES, _Section.TRIALS, _Section.JUDGMENTS)
_AS_BEFORE_2 = [_Section.JUDGMENTS]
"""What is left where an export of format 1 ends."""


def _records(path: Path) -> Iterator[_Record]:
    """Yield the parts of the file with their locations; SpecError for a broken frame."""
    section = _Section.HEAD
    still = list(_ORDER)
    with open_regular(path, limits=LIMITS) as stream:
        for number, _, data in lines(stream, path, limits=LIMITS):
            text = data.strip()
            if section is _Section.TAIL:
                raise _broken_error(path, number, "unexpected text after the end")
            if section is _Section.HEAD and not text.startswith(b'"'):
                yield _Record(section, number, text.removesuffix(b",") + b"}")
            elif opening := _OPENING.fullmatch(text):
                section = _Section(opening[1].decode())
                if not still or section is not still.pop(0):
                    raise _broken_error(path, number, f"{section!s} out of place")
            elif text.startswith(b'"redacted"') and still in ([], _AS_BEFORE_2):
                section = _Section.TAIL
                yield _Record(section, number, b"{" + text)
            elif section is not _Section.HEAD and text.startswith(b"{"):
                yield _Record(section, number, text.removesuffix(b","))
            elif text != b"],":
                raise _broken_error(path, number, "an unknown line")
    if section is not _Section.TAIL:
        raise SpecError(
            "unexpected end of file: the last line of the export is missing.",
            where=str(path),
            hint="Copy it again.",
        )


def _broken_error(path: Path, number: int, what: str) -> SpecError:
    return SpecError(
        f"{what}; this is not an export, or it was reformatted.",
        where=f"{path}:{number}",
        hint="Use the unmodified output of: benchmaker export RUN --format json",
    )


def _decode(record: _Record, decoder: msgspec.json.Decoder[T], path: Path) -> T:
    try:
        return decoder.decode(record.data)
    except (msgspec.DecodeError, RecursionError) as exc:
        where = f"{path}:{record.number}"
        if record.section is _Section.HEAD:
            raise SpecError(
                "this is not a Benchmaker export.",
                where=where,
                hint="Create an export with: benchmaker export RUN --format json",
            ) from exc
        raise SpecError(f"{record.section!s}: {exc}.", where=where) from exc


def _refuse_newer(head: _Head, path: Path) -> None:
    if not 1 <= head.benchmaker_export <= FORMAT:
        raise SpecError(
            f"this export has format {head.benchmaker_export}; this Benchmaker reads {FORMAT}.",
            where=str(path),
            hint="Update Benchmaker.",
        )


def _exported_trial(line: _TrialLine) -> ExportedTrial:
    if not line.scores:
        return ExportedTrial(line.trial, ())
    version, score = line.scores[-1]
    trial = msgspec.structs.replace(line.trial, score=score, score_version=version)
    return ExportedTrial(trial, line.scores)


@dataclass(slots=True)
class _Check:
    """Checks every record once against the earlier ones."""

    path: Path
    runs: list[Run] = field(default_factory=list)
    positions: dict[str, int] = field(default_factory=dict)
    keys: set[TrialKey] = field(default_factory=set)
    judgments: int = 0

    def run(self, record: _Record) -> None:
        run = _decode(record, _RUN, self.path)
        if any(run.id == other.id for other in self.runs):
            raise self._fault(record, f"run {run.id!r} occurs twice")
        self.runs.append(run)

    def case(self, record: _Record) -> None:
        case = _as_case(record, self.path)
        if case.id in self.positions:
            raise self._fault(record, f"case {case.id!r} occurs twice")
        self.positions[case.id] = len(self.positions)

    def trial(self, record: _Record) -> None:
        trial, scores = _exported_trial(_decode(record, _TRIAL, self.path))
        for fault in self._faults(trial, scores):
            raise self._fault(record, fault)
        self.keys.add(trial.key)

    def judgment(self, record: _Record) -> None:
        found = _decode(record, _JUDGMENT, self.path)
        if all(found.run_id != run.id for run in self.runs):
            raise self._fault(record, f"run {found.run_id!r} of this judgment is not in the file")
        self.judgments += 1

    def _faults(self, trial: Trial, scores: Versions) -> Iterator[str]:
        models = next((run.models for run in self.runs if run.id == trial.run_id), None)
        if models is None:
            yield f"run {trial.run_id!r} of this trial is not in the file"
        elif trial.model not in models:
            yield f"model {trial.model!r} is not one of the run's"
        if self.positions.get(trial.case_id) != trial.position:
            yield f"case {trial.case_id!r} is not at position {trial.position} of the suite"
        if trial.key in self.keys:
            yield f"the trial of {trial.case_id!r} by {trial.model!r} occurs twice"
        if [version for version, _ in scores] != list(range(1, len(scores) + 1)):
            yield "the score versions do not start at 1"
        if any(score.score is not None and not 0 <= score.score <= 1 for _, score in scores):
            yield "a score is outside 0 to 1"
        if not trial.weight >= 0:
            yield "the weight is negative"

    def _fault(self, record: _Record, what: str) -> SpecError:
        return SpecError(f"{what}.", where=f"{self.path}:{record.number}")


def _as_case(record: _Record, path: Path) -> Case:
    try:
        return Case.model_validate_json(record.data)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise SpecError(f"case: {place}: {first['msg']}.", where=f"{path}:{record.number}") from exc


@dataclass(frozen=True, slots=True)
class _Cases:
    """The cases of an export, read from the file at each pass."""

    path: Path

    def __iter__(self) -> Iterator[Case]:
        for record in _records(self.path):
            if record.section is _Section.TRIALS:
                return
            if record.section is _Section.CASES:
                yield _as_case(record, self.path)


def _suite(header: dict[str, Any], path: Path) -> Suite:
    try:
        return Suite.of_header(header, _Cases(path), source=str(path))
    except (TypeError, ValidationError, SpecError) as exc:
        raise SpecError(
            f"the suite in the first line can't be read: {exc}.", where=f"{path}:1"
        ) from exc


def _renamed_series(series: Series | None, suite: Suite) -> Series | None:
    return series and msgspec.structs.replace(series, suite_hash=suite.content_hash)
