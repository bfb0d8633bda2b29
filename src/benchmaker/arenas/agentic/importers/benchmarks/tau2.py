"""Results of tau²-bench and tau³-bench: a submission for each simulation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
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
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose, loose_document
from benchmaker.arenas.agentic.logs.options import QUIET
from benchmaker.arenas.agentic.logs.shared_file import FileCache
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import CriterionResult, Status

_KEYS = {"info", "info.agent_info", "info.environment_info", "tasks"}
_STATUS = {
    "user_stop": Status.COMPLETED,
    "agent_stop": Status.COMPLETED,
    "max_steps": Status.BUDGET,
    "timeout": Status.TIMEOUT,
    "too_many_errors": Status.FAILED,
    "agent_error": Status.FAILED,
    "infrastructure_error": Status.INFRA_ERROR,
    "user_error": Status.INFRA_ERROR,
}


class _Agent(msgspec.Struct):
    implementation: str | None = None
    llm: str | None = None


class _Environment(msgspec.Struct):
    domain_name: str | None = None


class _Info(msgspec.Struct):
    agent_info: _Agent | None = None
    environment_info: _Environment | None = None


class _Reward(msgspec.Struct):
    reward: float | None = None
    reward_breakdown: dict[str, float] | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None


class _Called(msgspec.Struct):
    id: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")


class _Message(msgspec.Struct):
    role: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")
    timestamp: str | None = None
    tool_calls: list[_Called] | None = None
    usage: _Usage | None = None
    cost: Amount | None = None
    generation_time_seconds: Amount | None = None
    id: str | None = None
    error: bool | None = None
    requestor: str | None = None
    tool_messages: "list[_Message] | None" = None


class _Simulation(msgspec.Struct):
    id: str | None = None
    task_id: Any = None  # a text or a number
    trial: int | None = None
    start_time: str | None = None
    end_time: str | None = None
    duration: Amount | None = None
    termination_reason: str | None = None
    agent_cost: Amount | None = None
    reward_info: _Reward | None = None
    messages: list[_Message] | None = None


class _Results(msgspec.Struct):
    info: _Info | None = None
    simulations: list[msgspec.Raw] | None = None


_RESULTS = Loose(_Results)
_SIMULATIONS = Loose(_Simulation)


@importer(id="tau2", version="1")
class Tau2:
    """Results of tau²-bench, without the cost of the simulated user.

    Based on the data model in the benchmark's repository (2026).
    """

    id: ClassVar[str] = "tau2"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "tau²-bench results"

    def __init__(self) -> None:
        self._results = FileCache(_read)

    def sniff(self, head: FileHead) -> float:
        """By the fields that the file begins with."""
        return 0.9 if outline(head.start) >= _KEYS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each simulation; an empty one without any, which reports why."""
        found = self._results.get(root, QUIET)
        for number in range(len(found.simulations or ()) or 1):
            part = f"{number:09}"
            yield SessionRef(self.id, f"{root.stem}:{number}", (root,), part=part)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The events of one simulation."""
        path, number = ref.files[0], int(ref.part)
        found = self._results.get(path, options)
        simulations = found.simulations or []
        if number >= len(simulations):
            return
        try:
            simulation, left_out = _SIMULATIONS.decode(simulations[number])
        except DecodingError as refused:
            options.skip(Skipped(path, 0, f"simulation {number + 1}: {refused}"))
            return
        for complaint in left_out:
            options.skip(Skipped(path, 0, f"simulation {number + 1}: skipped {complaint}"))
        yield from _events(found.info or _Info(), simulation, options)


def _read(path: Path, options: Options) -> _Results:
    return loose_document(path, options, _RESULTS) or _Results()


def _events(info: _Info, simulation: _Simulation, options: Options) -> Iterator[Event]:
    agent = info.agent_info or _Agent()
    domain = info.environment_info.domain_name if info.environment_info else None
    task = str(simulation.task_id)
    name = simulation.id or call_digest("tau2", f"{task}:{simulation.trial}")
    yield Session(
        at=seconds(simulation.start_time),
        session_id=name,
        harness=agent.implementation or "tau2",
        model=agent.llm or options.model,
        mode="headless",
        task_id=f"{domain}/{task}" if domain else task,
        records=frozenset({"tool_calls", "tool_errors"}),
        extra={} if simulation.trial is None else {"trial": simulation.trial},
    )
    for number, message in enumerate(simulation.messages or ()):
        place = EventPlace(at=seconds(message.timestamp), agent="", line=0, file=0)
        yield from _message(message, f"{name}:{number}", place, options)
    yield Totals(
        cost_usd=simulation.agent_cost or None,
        wall_s=simulation.duration,
        active_s=simulation.duration,
    )
    yield _end(simulation)


def _message(message: _Message, name: str, place: EventPlace, options: Options) -> Iterator[Event]:
    text = result_text(message.content, options)
    if message.role == "user" and not message.tool_calls:
        yield UserTurn(**place, id=name, text=text)
    elif message.role == "assistant":
        yield from _answer(message, name, place, options)
    elif message.role == "tool":
        for result in message.tool_messages or [message]:
            if result.requestor != "user":
                yield ToolResult(
                    **place,
                    call_id=result.id or name,
                    is_error=bool(result.error),
                    text=result_text(result.content, options),
                )


def _answer(message: _Message, name: str, place: EventPlace, options: Options) -> Iterator[Event]:
    """An answer of the model; the fixed greeting that opens every conversation is none."""
    used = message.usage
    if used is not None or message.cost or message.tool_calls:
        yield LlmCall(
            **place,
            id=name,
            usage=disjoint_usage(used.prompt_tokens, used.completion_tokens) if used else None,
            cost_usd=message.cost or None,
            latency_s=message.generation_time_seconds,
            text=result_text(message.content, options) or None,
        )
    for at, called in enumerate(message.tool_calls or ()):
        tool = called.name or "unknown"
        yield ToolCall(
            **place,
            id=called.id or f"{name}:{at}",
            name=tool,
            arguments=raw_text(called.arguments, options),
            digest=call_digest(tool, bytes(called.arguments)),
        )


def _end(simulation: _Simulation) -> SessionEnd:
    found = simulation.reward_info or _Reward()
    status = _STATUS.get(simulation.termination_reason or "", Status.UNKNOWN)
    is_valid = status is not Status.INFRA_ERROR
    reward = found.reward if is_valid else None
    parts = (found.reward_breakdown or {}) if is_valid else {}
    return SessionEnd(
        at=seconds(simulation.end_time),
        status=status,
        exit_status=simulation.termination_reason,
        success=None if reward is None else reward >= 1,
        reward=reward,
        criteria=tuple(
            CriterionResult(id=name, result="pass" if it >= 1 else "fail", evidence=str(it))
            for name, it in parts.items()
        ),
    )
