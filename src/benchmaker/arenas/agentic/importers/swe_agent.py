"""SWE-agent: ``.traj`` files."""

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import beginnings, call_digest
from benchmaker.arenas.agentic.logs.events import (
    Event,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.exits import status_of
from benchmaker.arenas.agentic.logs.lenient_json import (
    Amount,
    Count,
    Loose,
    loose_document,
    quiet_options,
)
from benchmaker.arenas.agentic.logs.tooltext import result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage


class _Stats(msgspec.Struct):
    instance_cost: Amount | None = None
    tokens_sent: Count | None = None
    tokens_received: Count | None = None
    api_calls: Count | None = None


class _Info(msgspec.Struct):
    exit_status: str | None = None
    submission: str | None = None
    model_stats: _Stats | None = None
    swe_agent_version: str | None = None


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None  # JSON as text, or an object


class _Call(msgspec.Struct):
    id: str | None = None
    function: _Function | None = None


class _Step(msgspec.Struct):
    """A step of the trajectory, or an entry of the history."""

    role: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")
    action: str | None = None
    observation: str | None = None
    response: str | None = None
    execution_time: Amount | None = None
    tool_calls: list[_Call] | None = None
    is_demo: bool | None = None


class _Entry(msgspec.Struct):
    """The part of an entry of the history by which an answer is recognised."""

    role: str | None = None
    is_demo: bool | None = None


class _Model(msgspec.Struct):
    name: str | None = None


class _Agent(msgspec.Struct):
    model: _Model | None = None


class _Replay(msgspec.Struct):
    agent: _Agent | None = None


class _Document(msgspec.Struct):
    environment: str | None = None
    trajectory: list[msgspec.Raw] | None = None
    history: list[msgspec.Raw] | None = None
    info: _Info | None = None
    replay_config: _Replay | str | None = None


_DOCUMENTS = Loose(_Document)
_STEPS = Loose(_Step)
_ENTRIES = msgspec.json.Decoder(_Entry)
_REPLAYS = Loose(_Replay)


_SIGNS = (
    {"trajectory", "trajectory[].action", "trajectory[].observation"},
    {"history", "history[].role", "history[].message_type"},
)


@importer(id="swe_agent", version="1")
class SweAgent:
    """Trajectories of SWE-agent; its own statistics are the totals."""

    id: ClassVar[str] = "swe_agent"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "SWE-agent trajectory"

    def sniff(self, head: FileHead) -> float:
        """By the list of its steps, or of messages each of which has a type."""
        fields = outline(head.start)
        return 0.9 if any(fields >= signs for signs in _SIGNS) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one attempt of the file, which is named for its task."""
        name = root.name.removesuffix(".gz").removesuffix(".traj")
        yield SessionRef(importer=self.id, id=name, files=(root,), task_id=name)

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the list of steps; of the messages if there is no such list."""
        document = loose_document(ref.files[0], quiet_options(options), _DOCUMENTS) or _Document()
        messages = [bytes(raw) for raw in document.history or ()]
        start = list(takewhile(_is_no_answer, messages))
        if not document.trajectory:
            return beginnings(start, messages[len(start) :])
        return beginnings(start, map(bytes, document.trajectory))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The steps, then the totals and the end."""
        document = loose_document(ref.files[0], options, _DOCUMENTS)
        if document is None:
            return
        info = document.info or _Info()
        model = _model(document) or options.model
        yield Session(
            session_id=ref.id,
            harness="swe-agent",
            harness_version=info.swe_agent_version,
            model=model,
            mode="headless",
            records=frozenset({"llm_calls", "tool_calls"}),
        )
        reader = _Steps(ref, options, model, mark=_mark(document))
        yield from reader.history(document, has_steps=bool(document.trajectory))
        yield from reader.trajectory(document)
        yield _totals(info.model_stats or _Stats(), reader.tool_s)
        yield SessionEnd(
            status=status_of(info.exit_status),
            exit_status=info.exit_status,
            patch=info.submission or None,
        )


def _is_no_answer(raw: bytes) -> bool:
    try:
        entry = _ENTRIES.decode(raw)
    except msgspec.MsgspecError:
        return True
    return entry.role != "assistant" or bool(entry.is_demo)


class _Steps:
    """Reads steps; ids are derived from their content, so that copies count once."""

    def __init__(self, ref: SessionRef, options: Options, model: str | None, *, mark: str) -> None:
        self._ref = ref
        self._mark = mark
        self._options = options
        self._model = model
        self.tool_s: float | None = None

    def trajectory(self, document: _Document) -> Iterator[Event]:
        """The steps that were taken."""
        for number, raw in enumerate(document.trajectory or (), start=1):
            step = self._step(raw, number)
            if step is not None:
                if step.execution_time is not None:
                    self.tool_s = (self.tool_s or 0.0) + step.execution_time
                yield from self._step_events(step, number, raw, self._options.text(step.response))

    def history(self, document: _Document, *, has_steps: bool) -> Iterator[Event]:
        """Yield the task, and the answers if there are no separate steps."""
        is_first = True
        for number, raw in enumerate(document.history or (), start=1):
            step = self._step(raw, number)
            if step is None or step.is_demo:
                continue
            if step.role == "user" and is_first:
                is_first = False
                text = result_text(step.content, self._options)
                yield UserTurn(id=self._name(raw, number), text=text)
            elif step.role == "assistant" and not has_steps:
                text = result_text(step.content, self._options)
                yield from self._step_events(step, number, raw, text)

    def _name(self, raw: msgspec.Raw, number: int) -> str:
        return f"{self._mark}:{number}:{call_digest('', bytes(raw))}"

    def _step(self, raw: msgspec.Raw, number: int) -> _Step | None:
        path = self._ref.files[0]
        try:
            step, left_out = _STEPS.decode(raw)
        except DecodingError as refused:
            self._options.skip(Skipped(path, 0, f"step {number}: {refused}"))
            return None
        for complaint in left_out:
            self._options.skip(Skipped(path, 0, f"step {number}: skipped {complaint}"))
        return step

    def _step_events(
        self, step: _Step, number: int, raw: msgspec.Raw, text: str | None
    ) -> Iterator[Event]:
        name = self._name(raw, number)
        yield LlmCall(id=name, model=self._model, text=text)
        if not (step.action or "").strip() and not step.tool_calls:
            return
        calls = step.tool_calls or [_Call()]
        for at, call in enumerate(calls):
            function = call.function or _Function()
            action = step.action or str(function.arguments or "")
            tool = function.name or action.split(maxsplit=1)[0]
            yield ToolCall(
                id=f"{name}:{at}",
                name=tool,
                arguments=self._options.text(action),
                digest=call_digest(tool, action),
            )
        if step.observation is not None:
            yield ToolResult(call_id=f"{name}:0", text=self._options.text(step.observation))


def _mark(document: _Document) -> str:
    """Return a digest shared by copies of the file, regardless of its name."""
    parts = (*(document.trajectory or ()), *(document.history or ()))
    return call_digest("swe-agent", b"".join(bytes(raw) for raw in parts))


def _model(document: _Document) -> str | None:
    replay = document.replay_config
    if isinstance(replay, str):
        try:
            replay, _ = _REPLAYS.decode(replay.encode("utf-8", "replace"))
        except DecodingError:
            return None
    return replay.agent.model.name if replay and replay.agent and replay.agent.model else None


def _totals(stats: _Stats, tool_s: float | None) -> Totals:
    """A replay counts 0 of everything, which says nothing."""
    usage = TokenUsage(input_uncached=stats.tokens_sent, output=stats.tokens_received)
    return Totals(
        usage=usage if usage.total else None,
        llm_calls=stats.api_calls or None,
        cost_usd=stats.instance_cost or None,
        tool_s=tool_s,
    )
