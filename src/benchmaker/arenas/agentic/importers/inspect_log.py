"""Inspect: ``.eval`` archives and ``.json`` logs, a submission for each sample."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.archives import opened_archive
from benchmaker.arenas.agentic.decoding import Refused
from benchmaker.arenas.agentic.digests import call_digest
from benchmaker.arenas.agentic.events import (
    Ended,
    Event,
    LlmCall,
    Moment,
    Session,
    ToolCall,
    ToolResult,
    Totals,
)
from benchmaker.arenas.agentic.heads import try_head_of
from benchmaker.arenas.agentic.held import Held
from benchmaker.arenas.agentic.importers.base import Head, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.loose import Amount, Count, Loose, loose_document
from benchmaker.arenas.agentic.place import Place
from benchmaker.arenas.agentic.times import seconds
from benchmaker.arenas.agentic.tooltext import raw_text, result_text
from benchmaker.plugins import importer
from benchmaker.record.submission import CriterionResult, Status, TokenUsage

_ZIP = b"PK\x03\x04"
_MEMBERS = (b"_journal/start.json", b"header.json", b"samples/")
_KEYS = (b'"eval"', b'"eval_id"', b'"status"')
_HEADER = "header.json"
_START = "_journal/start.json"


class _Usage(msgspec.Struct):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    input_tokens_cache_read: Count | None = None
    input_tokens_cache_write: Count | None = None
    reasoning_tokens: Count | None = None
    total_cost: Amount | None = None


class _Output(msgspec.Struct):
    model: str | None = None
    usage: _Usage | None = None
    time: Amount | None = None


class _Event(msgspec.Struct):
    event: str | None = None
    uuid: str | None = None
    timestamp: Any = None  # a text, or a number in some
    model: str | None = None
    output: _Output | None = None
    cache: str | None = None
    id: Any = None  # a text, or a number in some
    function: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")
    result: msgspec.Raw = msgspec.Raw(b"")
    error: Any = None  # None, or an object


class _Score(msgspec.Struct):
    value: Any = None  # a letter, a number, a flag, a list


class _Limit(msgspec.Struct):
    type: str | None = None


class _Sample(msgspec.Struct):
    id: Any = None  # a text or a number
    epoch: int | None = None
    uuid: str | None = None
    scores: dict[str, _Score] | None = None
    events: list[msgspec.Raw] | None = None
    model_usage: dict[str, _Usage] | None = None
    total_time: Amount | None = None
    working_time: Amount | None = None
    error: Any = None  # None, or an object
    limit: _Limit | None = None


class _Eval(msgspec.Struct):
    eval_id: str | None = None
    run_id: str | None = None
    created: str | None = None
    task: str | None = None
    task_id: str | None = None
    model: str | None = None
    solver: str | None = None
    packages: dict[str, str] | None = None


class _Log(msgspec.Struct):
    status: str | None = None
    eval: _Eval | None = None
    samples: list[msgspec.Raw] | None = None


_LOGS = Loose(_Log)
_SAMPLES = Loose(_Sample)
_EVENTS = Loose(_Event)


@dataclass(frozen=True, slots=True)
class _About:
    log: _Log
    names: tuple[str, ...] = ()


@importer(id="inspect_log", version="1")
class InspectLog:
    """Logs of Inspect; tokens of graders are in them, as Inspect counts them."""

    id: ClassVar[str] = "inspect_log"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Inspect log"

    def __init__(self) -> None:
        self._logs = Held(_read)

    def sniff(self, head: Head) -> float:
        """By the members of an archive, or the keys of a JSON log."""
        if head.start.startswith(_ZIP):
            return 0.95 if any(name in head.start for name in _MEMBERS) else 0.0
        return 0.9 if head.is_object and all(k in head.start for k in _KEYS) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each sample; one that tells what is wrong where it can't be opened."""
        about = self._logs.get(root, Options(skip=_nobody))
        count = len(about.names) or len(about.log.samples or ())
        eval_id = about.log.eval.eval_id if about.log.eval else None
        for number in range(max(count, 1)):
            yield SessionRef(
                importer=self.id,
                id=f"{eval_id or root.stem}:{number}",
                files=(root,),
                part=f"{number:09}",
            )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """What one sample says."""
        path = ref.files[0]
        about = self._logs.get(path, options)
        try:
            raw = _sample_of(path, about, int(ref.part), options)
            if raw is None:
                return
            sample, left_out = _SAMPLES.decode(raw)
        except Refused as refused:
            options.skip(Skipped(path, 0, f"sample {int(ref.part) + 1}: {refused}"))
            return
        for complaint in left_out:
            options.skip(Skipped(path, 0, f"sample {int(ref.part) + 1}: left out {complaint}"))
        yield from _Reader(about.log, sample, options).events()


def _nobody(_: Skipped) -> None:
    """Listing tells nobody; reading does."""


def _read(path: Path, options: Options) -> _About:
    head = try_head_of(path)
    if head is None or not head.start.startswith(_ZIP):
        return _About(loose_document(path, options, _LOGS) or _Log())
    try:
        with opened_archive(path, options) as archive:
            names = [name for name in archive.names if _is_sample(name)]
            header = _HEADER if _HEADER in archive.names else _START
            log, _ = _LOGS.decode(archive.read(header))
    except Refused as refused:
        options.skip(Skipped(path, 0, str(refused)))
        return _About(_Log())
    return _About(log, tuple(sorted(names)))


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _sample_of(path: Path, about: _About, number: int, options: Options) -> bytes | None:
    if about.names:
        with opened_archive(path, options) as archive:
            return archive.read(about.names[number])
    samples = about.log.samples or ()
    return bytes(samples[number]) if number < len(samples) else None


class _Reader:
    """Reads one sample."""

    def __init__(self, log: _Log, sample: _Sample, options: Options) -> None:
        self._log = log
        self._eval = log.eval or _Eval()
        self._sample = sample
        self._options = options
        mark = f"{self._eval.eval_id}:{sample.id}:{sample.epoch}"
        self._id = sample.uuid or mark

    def events(self) -> Iterator[Event]:
        """Facts, events, totals, the end."""
        run, sample = self._eval, self._sample
        packages = run.packages or {}
        yield Session(
            session_id=self._id,
            harness=run.solver or "inspect",
            harness_version=packages.get("inspect_ai"),
            model=run.model or self._options.model,
            mode="headless",
            task_id=f"{run.task}/{sample.id}" if run.task else str(sample.id),
            records=frozenset({"tool_calls", "tool_errors"}),
            extra={"epoch": sample.epoch} if sample.epoch is not None else {},
        )
        has_calls = False
        for number, raw in enumerate(sample.events or ()):
            for event in self._event(raw, number):
                has_calls |= isinstance(event, LlmCall)
                yield event
        if not has_calls:
            yield from self._whole()
        yield self._totals()
        yield self._end()

    def _event(self, raw: msgspec.Raw, number: int) -> Iterator[Event]:
        try:
            event, _ = _EVENTS.decode(raw)
        except Refused:
            return
        place = Place(at=seconds(event.timestamp), agent="", line=0, file=0)
        key = f"inspect:{self._id}:{event.uuid or number}"
        if event.event == "model" and event.cache != "read":
            output = event.output or _Output()
            yield LlmCall(
                **place,
                id=key,
                model=event.model or output.model,
                usage=_disjoint(output.usage) if output.usage else None,
                cost_usd=output.usage.total_cost if output.usage else None,
                latency_s=output.time,
            )
        elif event.event == "tool":
            yield from self._tool(event, place, f"{key}:{event.id}")
        else:
            yield Moment(**place)

    def _tool(self, event: _Event, place: Place, key: str) -> Iterator[Event]:
        name = event.function or "unknown"
        yield ToolCall(
            **place,
            id=key,
            name=name,
            arguments=raw_text(event.arguments, self._options),
            digest=call_digest(name, bytes(event.arguments)),
        )
        text = result_text(event.result, self._options)
        yield ToolResult(**place, call_id=key, is_error=event.error is not None, text=text)

    def _whole(self) -> Iterator[Event]:
        """Where the events were not kept: the tokens of each model, of no known number of calls."""
        for model, usage in (self._sample.model_usage or {}).items():
            yield LlmCall(
                id=f"inspect:{self._id}:{model}",
                model=model,
                usage=_disjoint(usage),
                cost_usd=usage.total_cost,
                requests=None,
            )

    def _totals(self) -> Totals:
        usages = list((self._sample.model_usage or {}).values())
        usage = sum((_disjoint(it) for it in usages), TokenUsage())
        costs = [it.total_cost for it in usages if it.total_cost is not None]
        sample = self._sample
        return Totals(
            usage=usage if usage.total else None,
            cost_usd=sum(costs) if costs else None,
            wall_s=sample.total_time,
            active_s=sample.total_time if sample.working_time is None else sample.working_time,
        )

    def _end(self) -> Ended:
        criteria = tuple(
            CriterionResult(id=name, result=_result(score.value), evidence=str(score.value)[:200])
            for name, score in (self._sample.scores or {}).items()
        )
        only = next(iter((self._sample.scores or {}).values())) if len(criteria) == 1 else None
        return Ended(
            status=self._status(),
            exit_status=self._log.status,
            failure_cause=self._sample.limit.type if self._sample.limit else None,
            success=_SUCCESS.get(criteria[0].result) if only else None,
            reward=_reward(only.value) if only else None,
            criteria=criteria,
        )

    def _status(self) -> Status:
        sample = self._sample
        if sample.limit is not None:
            is_time = sample.limit.type in ("time", "working")
            return Status.TIMEOUT if is_time else Status.BUDGET
        if sample.error is not None:
            return Status.FAILED
        if not sample.scores and self._log.status == "cancelled":
            return Status.CANCELLED
        return Status.COMPLETED


_SUCCESS = {"pass": True, "fail": False}
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def _reward(value: object) -> float | None:
    if isinstance(value, str):
        return _LETTERS.get(value)
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _result(value: object) -> str:
    reward = _reward(value)
    return "skipped" if reward is None else "pass" if reward == 1 else "fail"


def _disjoint(usage: _Usage) -> TokenUsage:
    """Five kinds; whether input includes the cache is told by what the total adds up to."""
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    given = usage.input_tokens
    both = (given or 0) + (usage.output_tokens or 0)
    is_inside = usage.total_tokens == both and cached and (given or 0) >= cached
    return TokenUsage(
        input_uncached=given - cached if is_inside and given is not None else given,
        cache_read=usage.input_tokens_cache_read,
        cache_write_5m=usage.input_tokens_cache_write,
        output=usage.output_tokens,
        reasoning=usage.reasoning_tokens,
    )
