"""Terminal-Bench: a submission for each trial of a run, and tables of such trials."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import (
    FileHead,
    Options,
    RowIdentity,
    SessionRef,
    Skipped,
)
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.events import Event, LlmCall, Session, SessionEnd, Totals
from benchmaker.arenas.agentic.logs.lenient_json import Count, Loose, loose_document, quiet_options
from benchmaker.arenas.agentic.logs.lines import text_lines
from benchmaker.arenas.agentic.logs.options import QUIET, is_impossible, why_not_true
from benchmaker.arenas.agentic.logs.shared_file import FileCache
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import CriterionResult, Status, TokenUsage

_KEYS = {"results", "results[].is_resolved", "results[].failure_mode"}
_COLUMNS = (b"task_id", b"trial", b"resolved", b"failure_mode")
_FIGURES = ("input_tokens", "output_tokens", "agent_s")
_STATUS = {
    "": Status.COMPLETED,
    "none": Status.COMPLETED,
    "unset": Status.COMPLETED,
    "agent_timeout": Status.TIMEOUT,
    "context_length_exceeded": Status.BUDGET,
    "output_length_exceeded": Status.BUDGET,
    "unknown_agent_error": Status.FAILED,
    "fatal_llm_parse_error": Status.FAILED,
    "agent_installation_failed": Status.INFRA_ERROR,
    "test_timeout": Status.INFRA_ERROR,
    "parse_error": Status.INFRA_ERROR,
    "unknown": Status.UNKNOWN,
}
_DAY = re.compile(r"^\d{8}_")
_RESULTS = {"passed": "pass", "failed": "fail", "error": "error", "skipped": "skipped"}


class _Trial(msgspec.Struct):
    """A trial; ``number`` is its place among those of its file, from 0."""

    number: int = 0
    id: str | None = None
    trial_name: str | None = None
    task_id: str | None = None
    run: str | None = None
    is_resolved: bool | None = None
    failure_mode: str | None = None
    parser_results: dict[str, str] | None = None
    total_input_tokens: Count | None = None
    total_output_tokens: Count | None = None
    agent_s: float | None = None
    agent_started_at: Any = None  # a text, or a number in some
    agent_ended_at: Any = None
    trial_started_at: Any = None
    test_started_at: Any = None
    test_ended_at: Any = None


class _Run(msgspec.Struct):
    id: str | None = None
    results: list[msgspec.Raw] | None = None


class _About(msgspec.Struct):
    agent_name: str | None = None
    agent_version: str | None = None
    model_name: str | None = None


_RUNS = Loose(_Run)
_TRIALS = Loose(_Trial)
_ABOUT = Loose(_About)


@importer(id="terminal_bench", version="2")
class TerminalBench:
    """Results of Terminal-Bench 1: ``results.json``, or a table with a line for each trial.

    0 tokens mean "not counted". A trial may be both resolved and timed out.
    """

    id: ClassVar[str] = "terminal_bench"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Terminal-Bench results"

    def __init__(self) -> None:
        self._trials = FileCache(_read)

    def sniff(self, head: FileHead) -> float:
        """By the keys of a trial, or the columns of a table."""
        if _is_table(head.start):
            return 0.9
        return 0.95 if outline(head.start) >= _KEYS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each trial; an empty one without any, which reports why."""
        trials = self._trials.get(root, QUIET)
        for trial in trials.values():
            row = _row(trial)
            yield SessionRef(
                importer=self.id,
                id=row.id or f"{trial.run or root.stem}#{trial.number}",
                files=(root,),
                part=f"{trial.number:09}",
                task_id=trial.task_id,
                row=row,
            )
        if not trials:
            yield SessionRef(importer=self.id, id=root.stem, files=(root,), part=f"{0:09}")

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The events of one trial."""
        trial = self._trials.get(ref.files[0], options).get(int(ref.part))
        if trial is not None:
            about = loose_document(_metadata_file(ref.files[0]), quiet_options(options), _ABOUT)
            yield from _events(trial, ref.id, about or _About(), options)


def _metadata_file(path: Path) -> Path:
    return path.parent / "run_metadata.json"


def _is_table(start: bytes) -> bool:
    columns = start.split(b"\n", 1)[0].strip().split(b",")
    return all(name in columns for name in _COLUMNS)


def _row(trial: _Trial) -> RowIdentity:
    """The identity of a trial: its id, else its run and name, else its content."""
    named = f"{trial.run}/{trial.trial_name}" if trial.run and trial.trial_name else ""
    if own := trial.id or named:
        return RowIdentity(id=own)
    text = msgspec.json.encode(msgspec.structs.replace(trial, number=0))
    return RowIdentity(digest=sha256(text).hexdigest())


def _read(path: Path, options: Options) -> dict[int, _Trial]:
    """The trials by their place in the file; those with an impossible figure are refused."""
    is_table = _is_table(file_start(path))
    found = _of_table(path, options) if is_table else _of_document(path, options)
    return {trial.number: trial for trial in found}


def _of_document(path: Path, options: Options) -> Iterator[_Trial]:
    run = loose_document(path, options, _RUNS) or _Run()
    for number, raw in enumerate(run.results or ()):
        try:
            trial, left_out = _TRIALS.decode(raw)
        except DecodingError as refused:
            options.skip(Skipped(path, 0, f"results[{number}]: {refused}"))
            continue
        complaints = [Skipped(path, 0, f"results[{number}].{it}") for it in left_out]
        wrong = next((it for it in complaints if it.is_impossible), None)
        if wrong is not None:
            options.refuse_row(wrong.reason, path=path)
            continue
        for complaint in complaints:
            options.skip(complaint)
        yield msgspec.structs.replace(trial, number=number)


def _of_table(path: Path, options: Options) -> Iterator[_Trial]:
    columns: list[str] = []
    places = count()
    for number, raw in text_lines(path, options):
        row = next(csv.reader(io.StringIO(raw.decode("utf-8", "replace"))), [])
        if not columns:
            columns = row
        elif len(row) != len(columns):
            options.skip(Skipped(path, number, f"{len(row)} fields, not {len(columns)}"))
        else:
            fields, place = dict(zip(columns, row, strict=True)), next(places)
            wrong = next((name for name in _FIGURES if is_impossible(fields.get(name))), None)
            if wrong is None:
                trial = _of_row(fields, path, number, options)
                yield msgspec.structs.replace(trial, number=place)
            else:
                why = why_not_true(wrong, fields[wrong])
                options.refuse_row(why, path=path, line=number)


def _of_row(row: Mapping[str, str], path: Path, line: int, options: Options) -> _Trial:
    def number(name: str) -> float | None:
        text = row.get(name, "")
        try:
            value = float(text) if text else None
        except ValueError:
            options.skip(Skipped(path, line, f"skipped {name}: not a number"))
            return None
        return options.amount(value, name, path=path, line=line)

    given, taken = number("input_tokens"), number("output_tokens")
    run = "/".join(part for part in (row.get("submission"), row.get("run")) if part)
    return _Trial(
        trial_name=row.get("trial") or None,
        task_id=row.get("task_id") or None,
        run=run or None,
        is_resolved={"True": True, "False": False}.get(row.get("resolved", "").capitalize()),
        failure_mode=row.get("failure_mode") or None,
        parser_results=None,
        total_input_tokens=None if given is None else int(given),
        total_output_tokens=None if taken is None else int(taken),
        agent_s=number("agent_s"),
    )


def _submitted_as(run: str) -> str:
    """The name of a submission to the leaderboard, without the day that it begins with.

    >>> _submitted_as("20250829_goose_claude-4-opus/first"), _submitted_as("ob1-09-10-25/ob1_run")
    ('goose_claude-4-opus', 'ob1-09-10-25')
    """
    return _DAY.sub("", run.partition("/")[0])


def _events(trial: _Trial, name: str, about: _About, options: Options) -> Iterator[Event]:
    started, ended = seconds(trial.agent_started_at), seconds(trial.agent_ended_at)
    model = about.model_name or options.model
    yield Session(
        at=started,
        session_id=name,
        harness=about.agent_name or _submitted_as(trial.run or "") or None,
        harness_version=about.agent_version,
        model=model,
        mode="headless",
        task_id=trial.task_id,
        extra={"trial": trial.trial_name} if trial.trial_name else {},
    )
    usage = TokenUsage(input_uncached=trial.total_input_tokens, output=trial.total_output_tokens)
    if usage.total:
        spent = f"{usage.input_uncached}+{usage.output}"
        mark = f"terminal-bench:{name}:{spent}"
        yield LlmCall(at=ended, id=mark, model=model, usage=usage, requests=None)
    wall = _elapsed_s(started, ended) if trial.agent_s is None else trial.agent_s
    yield Totals(
        wall_s=wall,
        active_s=wall,
        setup_s=_elapsed_s(seconds(trial.trial_started_at), started),
        verify_s=_elapsed_s(seconds(trial.test_started_at), seconds(trial.test_ended_at)),
    )
    yield _session_end(trial, ended)


def _elapsed_s(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None or end < start else round(end - start, 6)


def _session_end(trial: _Trial, at: float | None) -> SessionEnd:
    mode = trial.failure_mode or ""
    status = _STATUS.get(mode, Status.FAILED)
    return SessionEnd(
        at=at,
        status=status,
        exit_status=mode or None,
        failure_cause=None if status is Status.COMPLETED else mode,
        success=trial.is_resolved,
        criteria=tuple(
            CriterionResult(id=test, result=_RESULTS.get(result, "error"))
            for test, result in (trial.parser_results or {}).items()
        ),
    )
