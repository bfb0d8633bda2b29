"""OpenHands' SDK and its command line tool: ``base_state.json`` and the folder ``events``."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.openhands_format.answers import (
    Action,
    Answer,
    Message,
    words,
)
from benchmaker.arenas.agentic.importers.openhands_format.metrics import Metrics, Tokens
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Compaction,
    Event,
    Failure,
    Interruption,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.lenient_json import Loose, loose_document
from benchmaker.arenas.agentic.logs.options import QUIET
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Status, TokenUsage

_KEYS = {"id", "agent", "agent.llm", "stats", "max_iterations"}
_STATUS = {
    "finished": Status.COMPLETED,
    "error": Status.FAILED,
    "stuck": Status.FAILED,
    "paused": Status.CANCELLED,
}
_NO_TOOLS = {"finish", "think"}
_MOST_FILES = 100_000


class _Stats(msgspec.Struct):
    usage_to_metrics: dict[str, Metrics] = {}
    service_to_metrics: dict[str, Metrics] = {}


class _Llm(msgspec.Struct):
    model: str | None = None
    reasoning_effort: str | None = None


class _Agent(msgspec.Struct):
    llm: _Llm | None = None


class _Workspace(msgspec.Struct):
    working_dir: str | None = None


class _State(msgspec.Struct):
    id: str | None = None
    agent: _Agent | None = None
    workspace: _Workspace | None = None
    working_dir: str | None = None
    execution_status: str | None = None
    agent_status: str | None = None
    stats: _Stats | None = None


class _Observation(msgspec.Struct):
    is_error: bool | None = None
    exit_code: int | None = None
    content: msgspec.Raw = msgspec.Raw(b"")


class _Row(Answer):
    kind: str | None = None
    id: str | None = None
    timestamp: Any = None  # a text, or a number in some
    source: str | None = None
    llm_message: Message | None = None
    llm_response_id: str | None = None
    thought: msgspec.Raw = msgspec.Raw(b"")
    tool_name: str | None = None
    tool_call_id: str | None = None
    action: msgspec.Raw = msgspec.Raw(b"")
    observation: _Observation | None = None
    error: str | None = None
    detail: str | None = None
    rejection_reason: str | None = None


_STATES = Loose(_State)
_ROWS = Loose(_Row)
_ACTIONS = Loose(Action)


@importer(id="openhands_sdk", version="2")
class OpenHandsSdk:
    """Conversations of OpenHands' SDK and command line tool.

    Based on the data models of release 1.58 of the SDK. If the state was saved without the tokens
    of each request, their sums are used.
    """

    id: ClassVar[str] = "openhands_sdk"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "OpenHands SDK"

    def sniff(self, head: FileHead) -> float:
        """Recognise the fields of a conversation's state; its events belong to it."""
        return 0.9 if outline(head.start) >= _KEYS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The conversation with its events, in the order of their numbers."""
        state = loose_document(root, QUIET, _STATES) or _State()
        name = state.id or root.parent.name
        events = sorted((root.parent / "events").glob("event-*.json"))[:_MOST_FILES]
        yield SessionRef(self.id, name, (root, *events), session=state.id or "")

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The state, then event by event, then further requests, the sums and the end."""
        state = loose_document(ref.files[0], options, _STATES) or _State()
        llm = (state.agent.llm if state.agent else None) or _Llm()
        yield Session(
            session_id=ref.id,
            harness="openhands",
            model=llm.model or options.model,
            effort=llm.reasoning_effort,
            cwd=(state.workspace and state.workspace.working_dir) or state.working_dir,
            records=frozenset({"tool_calls", "tool_errors", "compactions"}),
        )
        requests = {it.id: it for it in _requests(state, ref.id, options)}
        shown: set[str | None] = set()
        for number, path in enumerate(ref.files[1:], start=1):
            row = loose_document(path, options, _ROWS)
            if row is not None:
                place = EventPlace(at=seconds(row.timestamp), agent="", line=0, file=number)
                if row.source != "user" and row.llm_response_id:
                    shown.add(row.llm_response_id)
                    request = requests.get(row.llm_response_id)
                    yield _with_answer(
                        row, request or LlmCall(id=row.llm_response_id), place, options
                    )
                read = _READERS.get(row.kind or "")
                yield from read(row, place, options) if read else (Activity(**place),)
        yield from (it for it in requests.values() if it.id not in shown)
        yield _totals(state)
        status = _STATUS.get(state.execution_status or state.agent_status or "")
        if status is not None:
            yield SessionEnd(status=status, exit_status=state.execution_status)


def _with_answer(row: _Row, request: LlmCall, place: EventPlace, options: Options) -> LlmCall:
    """The answer that an event is of; each tool call of an answer has an event."""
    if row.llm_message is not None:
        text = result_text(row.llm_message.content, options)
        reasoning = row.llm_message.reasoning(options)
    else:
        action = _own_words(row)
        text = words(row.thought, action, options)
        reasoning = row.reasoning(options) or options.text(action.thought)
    return msgspec.structs.replace(request, **place, text=text, reasoning=reasoning)


def _own_words(row: _Row) -> Action:
    """The text arguments of ``finish`` and ``think``; none of other tools."""
    if row.tool_name not in _NO_TOOLS or not row.action:
        return Action()
    try:
        return _ACTIONS.decode(row.action)[0]
    except DecodingError:
        return Action()


def _on_message(row: _Row, place: EventPlace, options: Options) -> Iterator[Event]:
    if row.source == "user":
        message = row.llm_message or Message()
        yield UserTurn(**place, id=row.id, text=result_text(message.content, options))
    else:
        yield Activity(**place)


def _on_action(row: _Row, place: EventPlace, options: Options) -> Iterator[Event]:
    name = row.tool_name or "unknown"
    if name in _NO_TOOLS:
        yield Activity(**place)
        return
    yield ToolCall(
        **place,
        id=row.tool_call_id or row.id or "",
        name=name,
        arguments=raw_text(row.action, options),
        digest=call_digest(name, bytes(row.action)),
    )


def _on_observation(row: _Row, place: EventPlace, options: Options) -> Iterator[Event]:
    seen = row.observation or _Observation()
    if row.tool_name in _NO_TOOLS:
        yield Activity(**place)
        return
    failed = bool(seen.is_error) or bool(seen.exit_code) or row.error is not None
    text = options.text(row.error) if row.error else result_text(seen.content, options)
    call_id = row.tool_call_id or row.id or ""
    yield ToolResult(**place, call_id=call_id, is_error=failed, text=text)


def _on_rejection(row: _Row, place: EventPlace, options: Options) -> Iterator[Event]:
    yield Interruption(**place, id=row.id)
    text = options.text(row.rejection_reason)
    yield ToolResult(**place, call_id=row.tool_call_id or row.id or "", text=text)


def _on_condensation(row: _Row, place: EventPlace, _options: Options) -> Iterator[Event]:
    yield Compaction(**place, id=row.id)


def _on_error(row: _Row, place: EventPlace, options: Options) -> Iterator[Event]:
    yield Failure(**place, message=options.text(row.detail or row.error) or "")


def _on_pause(row: _Row, place: EventPlace, _options: Options) -> Iterator[Event]:
    yield Interruption(**place, id=row.id)


_READERS: dict[str, Callable[[_Row, EventPlace, Options], Iterator[Event]]] = {
    "MessageEvent": _on_message,
    "ActionEvent": _on_action,
    "ObservationEvent": _on_observation,
    "AgentErrorEvent": _on_observation,
    "UserRejectObservation": _on_rejection,
    "Condensation": _on_condensation,
    "ConversationErrorEvent": _on_error,
    "PauseEvent": _on_pause,
}


def _requests(state: _State, name: str, options: Options) -> Iterator[LlmCall]:
    """Every request with metrics, or one for all requests of a purpose."""
    for purpose, metrics in _metrics_by_purpose(state).items():
        waits = metrics.latency_by_response
        for at, tokens in enumerate(metrics.token_usages or ()):
            yield LlmCall(
                id=tokens.response_id or f"{name}:{purpose}:{at}",
                model=tokens.model or metrics.model_name or options.model,
                usage=tokens.usage,
                latency_s=waits.get(tokens.response_id or at),
            )
        sums = metrics.accumulated_token_usage or Tokens()
        if not metrics.token_usages and sums.usage.total:
            yield LlmCall(
                id=f"{name}:{purpose}",
                model=sums.model or metrics.model_name or options.model,
                usage=sums.usage,
                requests=None,
            )


def _metrics_by_purpose(state: _State) -> dict[str, Metrics]:
    stats = state.stats or _Stats()
    return {**stats.service_to_metrics, **stats.usage_to_metrics}


def _totals(state: _State) -> Totals:
    """The sums over all purposes."""
    metered = _metrics_by_purpose(state).values()
    sums = (it.accumulated_token_usage or Tokens() for it in metered)
    usage = sum((it.usage for it in sums), TokenUsage())
    cost = sum(it.accumulated_cost or 0.0 for it in metered)
    return Totals(usage=usage if usage.total else None, cost_usd=cost or None)
