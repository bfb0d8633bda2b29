"""HAL: uploads of the Holistic Agent Leaderboard, a submission for each task."""

from collections.abc import Iterator, Mapping
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
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.events import Event, LlmCall, Session, SessionEnd, Totals
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose, loose_document
from benchmaker.arenas.agentic.logs.options import is_impossible, why_not_true
from benchmaker.arenas.agentic.logs.shared_file import FileCache
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage

_KEYS = {"config", "results"}
_DETAILS = {
    "raw_eval_results",
    "raw_logging_results",
    "total_usage",
    "config.benchmark_name",
    "results.successful_tasks",
}
_ALL = "*"


class _Usage(msgspec.Struct):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None


class _Weave(msgspec.Struct):
    latency_ms: Amount | None = None


class _Summary(msgspec.Struct):
    usage: dict[str, _Usage] | None = None
    weave: _Weave | None = None


class _Call(msgspec.Struct):
    id: str | None = None
    weave_task_id: Any = None  # a text or a number
    summary: _Summary | None = None


class _Verdict(msgspec.Struct):
    reward: float | None = None
    cost: Any = None


class _Results(msgspec.Struct):
    latencies: dict[str, Any] | None = None  # seconds, or an object with total_time
    costs: dict[str, Any] | None = None  # dollars
    successful_tasks: list[str] | None = None
    failed_tasks: list[str] | None = None
    total_cost: Amount | None = None


class _Config(msgspec.Struct):
    agent_name: str | None = None
    benchmark_name: str | None = None
    run_id: str | None = None
    agent_args: dict[str, Any] | None = None


class _Metadata(msgspec.Struct):
    run_id: str | None = None
    agent_args: dict[str, Any] | None = None


class _Upload(msgspec.Struct):
    config: _Config | None = None
    metadata: _Metadata | None = None
    results: _Results | None = None
    raw_eval_results: Any = None  # an object by task in most
    raw_logging_results: list[msgspec.Raw] | None = None
    total_usage: dict[str, _Usage] | None = None


_UPLOADS = Loose(_Upload)
_CALLS = Loose(_Call)
_VERDICTS = Loose(_Verdict)


@importer(id="hal", version="2")
class Hal:
    """Uploads of HAL; if calls name no task, one submission represents the whole run."""

    id: ClassVar[str] = "hal"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "HAL upload"

    def __init__(self) -> None:
        self._uploads = FileCache(_Run)

    def sniff(self, head: FileHead) -> float:
        """By the keys of an upload."""
        fields = outline(head.start)
        return 0.9 if fields >= _KEYS and fields & _DETAILS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each task."""
        run = self._uploads.get(root, Options(skip=_ignore))
        for task in run.tasks:
            task_id = None if task == _ALL else task
            yield SessionRef(
                importer=self.id,
                id=f"{run.id}/{task}",
                files=(root,),
                part=task,
                task_id=task_id,
                row=RowIdentity(id=f"{run.own_id}/{task}") if run.own_id else None,
            )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Yield the known facts of one task."""
        yield from self._uploads.get(ref.files[0], options).events(ref, options)


def _ignore(_: Skipped) -> None:
    """Errors are reported when the upload is read, not when it is listed."""


class _Run:
    """An upload, its calls by task."""

    def __init__(self, path: Path, options: Options) -> None:
        upload = loose_document(path, options, _UPLOADS) or _Upload()
        self._upload = upload
        config, metadata = upload.config or _Config(), upload.metadata or _Metadata()
        self.own_id = config.run_id or metadata.run_id
        self.id = self.own_id or path.stem
        self._args = config.agent_args or metadata.agent_args or {}
        self._calls: dict[str, list[_Call]] = {}
        self._refused: dict[str, str] = {}
        for number, raw in enumerate(upload.raw_logging_results or (), start=1):
            try:
                call, left_out = _CALLS.decode(raw)
            except DecodingError as refused:
                options.skip(Skipped(path, 0, f"call {number}: {refused}"))
                continue
            name = _ALL if call.weave_task_id is None else str(call.weave_task_id)
            self._calls.setdefault(name, []).append(call)
            wrong = (it for it in left_out if Skipped(path, 0, it).is_impossible)
            if (why := next(wrong, None)) is not None:
                self._refused[name] = f"call {number}: {why}"
        if not self._calls and upload.total_usage:
            usage = _Summary(usage=upload.total_usage)
            self._calls[_ALL] = [_Call(summary=usage)]

    @property
    def tasks(self) -> list[str]:
        """Every task that anything is known of."""
        results = self._upload.results or _Results()
        verdicts = self._upload.raw_eval_results
        sources: tuple[Any, ...] = (
            results.latencies or (),
            results.costs or (),
            results.successful_tasks or (),
            results.failed_tasks or (),
            verdicts if self._has_verdicts else (),
            self._calls,
        )
        return sorted({str(name) for names in sources for name in names})

    @property
    def _has_verdicts(self) -> bool:
        found = self._upload.raw_eval_results
        return isinstance(found, Mapping) and all(isinstance(it, Mapping) for it in found.values())

    def events(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Facts, calls, totals, the verdict; nothing where a figure is impossible."""
        why = self._why_refused(ref.part)
        if why is not None:
            options.refuse_row(f"task {ref.part}: {why}", path=ref.files[0])
            return
        config = self._upload.config or _Config()
        name = ref.part
        model = self._args.get("model_name") or self._args.get("model")
        yield Session(
            session_id=ref.id,
            harness=config.agent_name or "hal",
            model=model if isinstance(model, str) else options.model,
            mode="headless",
            task_id=ref.task_id,
            extra={"benchmark": config.benchmark_name} if config.benchmark_name else {},
        )
        for number, call in enumerate(self._calls.get(name, ())):
            yield from _requests(call, f"hal:{ref.id}:{call.id or number}")
        verdict = self._verdict(name)
        path = ref.files[0]
        cost = options.amount(self._cost(name), "cost", path=path)
        wall = options.amount(self._latency(name), "latency", path=path)
        yield Totals(cost_usd=cost, wall_s=wall, active_s=wall)
        yield SessionEnd(success=self._success(name, verdict), reward=verdict.reward)

    def _cost(self, name: str) -> Any:  # noqa: ANN401  whatever stands there
        costs = (self._upload.results or _Results()).costs or {}
        return costs[name] if name in costs else self._verdict(name).cost

    def _latency(self, name: str) -> Any:  # noqa: ANN401  likewise
        found = ((self._upload.results or _Results()).latencies or {}).get(name)
        return found.get("total_time") if isinstance(found, Mapping) else found

    def _why_refused(self, name: str) -> str | None:
        """Return the impossible figure for which a task is refused; None without one."""
        for figure, value in (("cost", self._cost(name)), ("latency", self._latency(name))):
            if is_impossible(value):
                return why_not_true(figure, value)
        return self._refused.get(name)

    def _verdict(self, name: str) -> _Verdict:
        if not self._has_verdicts or name not in self._upload.raw_eval_results:
            return _Verdict()
        try:
            text = msgspec.json.encode(self._upload.raw_eval_results[name])
            return _VERDICTS.decode(text)[0]
        except DecodingError:
            return _Verdict()

    def _success(self, name: str, verdict: _Verdict) -> bool | None:
        results = self._upload.results or _Results()
        if name in (results.successful_tasks or ()):
            return True
        if name in (results.failed_tasks or ()):
            return False
        return None if verdict.reward is None else verdict.reward >= 1


def _requests(call: _Call, key: str) -> Iterator[Event]:
    summary = call.summary or _Summary()
    latency = summary.weave.latency_ms if summary.weave else None
    usages = summary.usage or {}
    for model, usage in usages.items():
        yield LlmCall(
            id=f"{key}:{model}",
            model=model,
            usage=_disjoint_usage(usage),
            latency_s=latency / 1000 if latency is not None and len(usages) == 1 else None,
            requests=1 if call.weave_task_id is not None else None,
        )


def _disjoint_usage(usage: _Usage) -> TokenUsage:
    return disjoint_usage(
        usage.prompt_tokens if usage.input_tokens is None else usage.input_tokens,
        usage.completion_tokens if usage.output_tokens is None else usage.output_tokens,
        cache_read=usage.cache_read_input_tokens,
        cache_write=usage.cache_creation_input_tokens,
    )
