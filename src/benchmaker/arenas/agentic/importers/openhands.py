"""OpenHands: ``output.jsonl`` of evaluations and of the issue resolver, a session per line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.openhands_format.metrics import Cost, Metrics
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.lenient_json import Loose, loose_lines
from benchmaker.arenas.agentic.logs.shared_file import FileLines
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Status

_TOOLS = ("run", "run_ipython", "edit", "read", "write", "call_tool_mcp")
"""Actions that call a tool, beside those that begin with ``browse``."""


class _Extras(msgspec.Struct):
    exit_code: int | None = None


class _Event(msgspec.Struct):
    id: Any = None  # a number, or a text
    timestamp: Any = None  # a text, or a number in some
    source: str | None = None
    action: str | None = None
    observation: str | None = None
    args: msgspec.Raw = msgspec.Raw(b"")
    cause: Any = None  # as id
    content: str | None = None
    extras: _Extras | None = None
    exit_code: int | None = None


class _Config(msgspec.Struct):
    model: str | None = None


class _Metadata(msgspec.Struct):
    agent_class: str | None = None
    llm_config: _Config | None = None


class _Tested(msgspec.Struct):
    git_patch: str | None = None


class _Issue(msgspec.Struct):
    owner: str | None = None
    repo: str | None = None
    number: int | None = None


class _Line(msgspec.Struct):
    instance_id: Any = None  # a text, or a number in some
    issue: _Issue | None = None
    metadata: _Metadata | None = None
    metrics: Metrics | None = None
    history: list[msgspec.Raw] | None = None
    test_result: _Tested | None = None
    git_patch: str | None = None
    error: str | None = None
    success: bool | None = None

    @property
    def task(self) -> str | None:
        """The instance, or the issue as owner/repository#number."""
        if self.instance_id is not None:
            return str(self.instance_id)
        it = self.issue
        return f"{it.owner}/{it.repo}#{it.number}" if it and it.number is not None else None


_LINES = Loose(_Line)
_EVENTS = Loose(_Event)


@importer(id="openhands", version="2")
class OpenHands:
    """Output of OpenHands' evaluations; a cost of 0 dollars means an unknown price."""

    id: ClassVar[str] = "openhands"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "OpenHands output"

    def __init__(self) -> None:
        self._lines = FileLines()

    def sniff(self, head: FileHead) -> float:
        """Recognise the keys of a line, which may be longer than the visible head."""
        fields = outline(head.start)
        is_named = fields & {"instance_id", "issue_type"}
        return 0.9 if is_named and fields >= {"history", "instruction"} else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each line; one that can't be read is refused when it is parsed."""
        refused: list[Skipped] = []
        read: set[int] = set()
        for number, line in loose_lines(root, Options(skip=refused.append), _LINES):
            read.add(number)
            name = line.task or root.stem
            yield SessionRef(
                importer=self.id,
                id=f"{name}:{_mark(line)}",
                files=(root,),
                part=f"{number:09}",
                task_id=line.task,
            )
        for number in sorted({it.line for it in refused} - read):
            yield SessionRef(
                importer=self.id,
                id=f"{root.stem}:{number}",
                files=(root,),
                part=f"{number:09}",
            )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The events of one line."""
        number = int(ref.part)
        text = self._lines.get(ref.files[0], options, number)
        if text is None:
            return
        try:
            line, left_out = _LINES.decode(text)
        except DecodingError as refused:
            options.skip(Skipped(ref.files[0], number, str(refused)))
            return
        for complaint in left_out:
            options.skip(Skipped(ref.files[0], number, f"skipped {complaint}"))
        yield from _Run(ref, line, number, options).events()


def _is_tool(action: str) -> bool:
    return action in _TOOLS or action.startswith("browse")


def _mark(line: _Line) -> str:
    """Return a digest that distinguishes the attempts at one task, independent of line order."""
    return call_digest("", b"".join(bytes(raw) for raw in line.history or ()))


class _Run:
    """Reads one line."""

    def __init__(self, ref: SessionRef, line: _Line, number: int, options: Options) -> None:
        self._ref = ref
        self._line = line
        self._number = number
        self._options = options
        metadata = line.metadata or _Metadata()
        config = metadata.llm_config or _Config()
        self._model = config.model or options.model
        self._metadata = metadata

    def events(self) -> Iterator[Event]:
        """The history, the model's answers, the totals and the end."""
        yield Session(
            line=self._number,
            session_id=self._ref.id,
            harness="openhands",
            model=self._model,
            mode="headless",
            task_id=self._line.task,
            records=frozenset({"tool_calls"}),
            extra={"agent_class": self._metadata.agent_class} if self._metadata.agent_class else {},
        )
        for at, raw in enumerate(self._line.history or ()):
            yield from self._event(raw, at)
        yield from self._requests(self._line.metrics or Metrics())
        yield self._end()

    def _event(self, raw: msgspec.Raw, number: int) -> Iterator[Event]:
        try:
            event, _ = _EVENTS.decode(raw)
        except DecodingError:  # older histories hold pairs of an action and its observation
            yield from self._pair(raw, number)
            return
        place = EventPlace(at=seconds(event.timestamp), agent="", line=self._number, file=0)
        key = f"{self._ref.id}:{number if event.id is None else event.id}"
        if event.action == "message" and event.source != "agent":
            yield UserTurn(**place, id=key, text=self._options.text(event.content))
        elif event.action and _is_tool(event.action) and event.source != "user":
            yield self._call(event, event.action, place, key)
        elif event.observation and event.cause is not None:
            extras = event.extras or _Extras()
            yield ToolResult(
                **place,
                call_id=f"{self._ref.id}:{event.cause}",
                is_error=event.observation == "error" or bool(extras.exit_code or event.exit_code),
                text=self._options.text(event.content),
            )
        else:
            yield Activity(**place)

    def _pair(self, raw: msgspec.Raw, number: int) -> Iterator[Event]:
        try:
            parts = msgspec.json.decode(raw, type=list[msgspec.Raw])
        except (msgspec.DecodeError, RecursionError):
            self._options.skip(
                Skipped(self._ref.files[0], self._number, f"event {number}: another shape")
            )
            return
        for at, part in enumerate(parts):
            if not bytes(part).lstrip().startswith(b"["):
                yield from self._event(part, number * 1_000 + at)

    def _call(self, event: _Event, name: str, place: EventPlace, key: str) -> ToolCall:
        arguments = bytes(event.args) or key.encode()
        return ToolCall(
            **place,
            id=key,
            name=name,
            arguments=self._options.text(bytes(event.args).decode("utf-8", "replace")),
            digest=call_digest(name, arguments),
        )

    def _requests(self, metrics: Metrics) -> Iterator[Event]:
        usages = metrics.token_usages or []
        waits = metrics.latency_by_response
        for at, tokens in enumerate(usages):
            yield LlmCall(
                line=self._number,
                id=tokens.response_id or f"{self._ref.id}:request {at}",
                model=tokens.model or self._model,
                usage=tokens.usage,
                latency_s=waits.get(tokens.response_id or at),
            )
        if not usages and metrics.costs:
            for at, cost in enumerate(metrics.costs):
                dollars = cost.cost if isinstance(cost, Cost) else cost
                key = f"{self._ref.id}:request {at}"
                yield LlmCall(line=self._number, id=key, model=self._model, cost_usd=dollars)
        total = metrics.accumulated_token_usage
        usage = total.usage if total else None
        yield Totals(
            line=self._number,
            usage=usage if usage and usage.total else None,
            cost_usd=metrics.accumulated_cost or None,
            llm_calls=len(usages) or len(metrics.costs or ()) or None,
        )

    def _end(self) -> SessionEnd:
        line = self._line
        patch = (line.test_result.git_patch if line.test_result else None) or line.git_patch
        return SessionEnd(
            line=self._number,
            status=_status(line.error),
            exit_status=self._options.text(line.error),
            success=line.success,
            patch=patch or None,
        )


def _status(error: str | None) -> Status:
    if not error:
        return Status.COMPLETED
    text = error.lower()
    if "maximum iteration" in text or "budget" in text:
        return Status.BUDGET
    return Status.TIMEOUT if "timeout" in text or "timed out" in text else Status.FAILED
