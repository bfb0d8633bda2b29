"""Orders the events of one session as drafts of steps, without duplicates.

Deduplication, and the choice among several rows of an answer, is done by :mod:`.seen`, as for the
submission.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    Event,
    Failure,
    FileChange,
    Interruption,
    LlmCall,
    Session,
    SessionEnd,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.usage_checks import drop_implausible
from benchmaker.arenas.agentic.sessions.deduplication import SeenRecords
from benchmaker.arenas.agentic.sessions.memory_tables import Origins
from benchmaker.arenas.agentic.traces.steps import StepKind

_ONE_ANSWER_S = 60.0
"""Calls that a log writes before their answer are its own within so many seconds."""
ASKING = frozenset(
    {
        "AskUserQuestion",
        "ExitPlanMode",
        "ask_followup_question",
        "ask_user",
        "plan_mode_respond",
        "request_user_input",
    }
)
"""Tools that ask the person; their duration counts as the person's."""
_OWN = 0


@dataclass(slots=True, eq=False)
class DraftCall:
    """A call of a tool that is still being read; ``key`` is that of :class:`~.seen.Seen`."""

    key: int
    id: str
    name: str
    at: float | None = None
    arguments: str | None = None
    output: str | None = None
    done_at: float | None = None
    is_known: bool = True
    changes: list[int] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class DraftStep:
    """A step that is still being read."""

    kind: StepKind
    key: int
    agent: str
    at: float | None
    last_at: float | None
    file: int
    line: int
    row: tuple[int, int]
    """The position of its last row."""
    id: str | None = None
    is_prompt: bool = False
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[DraftCall] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    is_open: bool = True

    def reach(self, at: float | None) -> None:
        """It lasts until then at least."""
        if at is not None:
            self.last_at = at if self.last_at is None else max(self.last_at, at)

    def say(self, text: str | None) -> None:
        """Add text, unless a copy of the row added it before."""
        _add(self.texts, text)

    def think(self, text: str | None) -> None:
        """Add the model's reasoning, likewise."""
        _add(self.thoughts, text)


@dataclass(slots=True)
class Agent:
    """A subagent: its name, and the key of the call that started it, if the log has it."""

    name: str | None = None
    call: int | None = None


@dataclass(slots=True)
class Replay:
    """Processes the events of one session in order.

    ``moments`` are (time, cause) of all events with a time.
    """

    seen: SeenRecords = field(default_factory=SeenRecords)
    steps: list[DraftStep] = field(default_factory=list)
    agents: dict[str, Agent] = field(default_factory=dict)
    moments: list[tuple[float, str]] = field(default_factory=list)
    has_content: bool = False
    _answers: dict[int, DraftStep] = field(default_factory=dict)
    _calls: dict[int, tuple[DraftStep, DraftCall]] = field(default_factory=dict)
    _last: dict[str, DraftStep] = field(default_factory=dict)
    _questions: set[tuple[bool, int]] = field(default_factory=set)

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Replay":
        """All these events."""
        replay = cls()
        for event in events:
            replay.add(event)
        return replay

    def add(self, event: Event) -> None:
        """Process the next event."""
        take = _TAKERS.get(type(event))
        if take is None:
            return
        take(self, event)
        if event.at is not None:
            self.moments.append((event.at, self._ended_by(event)))

    def _ended_by(self, event: Event) -> str:
        """Return the part whose time ended with an event."""
        if isinstance(event, ToolResult):
            _, call = self._calls[self.seen.key("call", event.call_id, _OWN)]
            return "person" if call.name in ASKING else "tools"
        return _ENDS.get(type(event), "other")

    def _pass(self, event: Event) -> None:
        """Only its time counts."""

    def _llm_call(self, event: LlmCall) -> None:
        usage = None if event.usage is None else drop_implausible(event.usage)
        call = event if usage is event.usage else msgspec.structs.replace(event, usage=usage)
        key = self.seen.key("request", event.id, _OWN)
        self.seen.requests.note(key, call, _OWN)
        step = self._answers.get(key)
        if step is None:
            step = self._answers[key] = self._begin_answer(event, key)
        elif step.agent == event.agent or not event.agent:
            step.agent = event.agent
            step.reach(event.at)
            step.row = (event.file, event.line)
            step.is_open = True
        step.id = event.id
        step.say(self._note_content(event.text))
        step.think(self._note_content(event.reasoning))
        self._last[event.agent] = step

    def _begin_answer(self, event: LlmCall, key: int) -> DraftStep:
        """A new answer, or the one whose calls the log has written before it."""
        before = self._last.get(event.agent)
        if before is None or not _is_announced(before, event.at):
            return self._add_step(StepKind.ANSWER, key, event)
        before.kind, before.key = StepKind.ANSWER, key
        before.reach(event.at)
        before.row = (event.file, event.line)
        return before

    def _tool_call(self, event: ToolCall) -> None:
        key = self.seen.key("call", event.id, _OWN)
        self.seen.calls.note(key, event, _OWN)
        arguments = self._note_content(event.arguments)
        if key in self._calls:
            step, known = self._calls[key]
            known.arguments = known.arguments if known.arguments is not None else arguments
            if not known.is_known:  # its result came first
                known.name, known.at, known.is_known = event.name, event.at, True
            if not event.agent:
                step.agent = ""
            return
        call = DraftCall(key, event.id, event.name, event.at, arguments)
        step = self._caller(event, key)
        step.calls.append(call)
        step.reach(event.at)
        self._calls[key] = (step, call)

    def _caller(self, event: ToolCall, key: int) -> DraftStep:
        """The answer that made a call, or a step for calls whose answer is not shown."""
        last = self._last.get(event.agent)
        if last is not None and _has_made(last, event):
            return last
        step = self._add_step(StepKind.TOOLS, key, event)
        self._last[event.agent] = step
        return step

    def _tool_result(self, event: ToolResult) -> None:
        key = self.seen.key("call", event.call_id, _OWN)
        if event.is_error:
            self.seen.errors.note(key, session=_OWN, is_main=not event.agent)
        if key not in self._calls:
            step = self._add_step(StepKind.TOOLS, key, event)
            call = DraftCall(key, event.call_id, "", event.at, is_known=False)
            step.calls.append(call)
            self._calls[key] = (step, call)
        step, call = self._calls[key]
        if call.output is None:
            call.output = self._note_content(event.text)
        if call.done_at is None:
            call.done_at = event.at
        step.is_open = False
        step.reach(event.at)

    def _user_turn(self, event: UserTurn) -> None:
        key = self.seen.key("turn", event.id, _OWN)
        question = (not event.agent, key)
        if question in self._questions:
            return
        self._questions.add(question)
        if event.agent:
            self._add_step(StepKind.PROMPT, key & ~1, event).say(self._note_content(event.text))
            return
        self.seen.counted["iterations"].note(key, session=_OWN, is_main=True)
        step = self.steps[-1] if self.steps else None
        if step is None or not _is_its_interruption(step, event):
            step = self._add_step(StepKind.PROMPT, key, event)
        step.is_prompt = True
        step.say(self._note_content(event.text))

    def _compaction(self, event: Compaction) -> None:
        self._mark(StepKind.COMPACTION, self.seen.counted["compactions"], event, event.id)

    def _interruption(self, event: Interruption) -> None:
        self._mark(StepKind.INTERRUPTION, self.seen.counted["interruptions"], event, event.id)

    def _mark(self, kind: StepKind, known: Origins, event: Event, given: str | None) -> None:
        key = self.seen.key(kind.value, given, _OWN)
        if key not in known:
            self._add_step(kind, key, event)
        known.note(key, session=_OWN, is_main=not event.agent)

    def _failure(self, event: Failure) -> None:
        key = self.seen.key("failure", None, _OWN)
        self._add_step(StepKind.FAILURE, key, event).say(self._note_content(event.message))

    def _subagent_start(self, event: SubagentStart) -> None:
        agent = self.agents.setdefault(event.id, Agent())
        agent.name = agent.name or event.name
        if agent.call is None and event.call_id:
            agent.call = self.seen.key("call", event.call_id, _OWN)

    def _file_change(self, event: FileChange) -> None:
        key = self.seen.key(f"change {event.path}", event.call_id, _OWN)
        is_new = key not in self.seen.changes
        self.seen.changes.note(key, event, _OWN)
        if not is_new:
            return
        made = self._calls.get(self.seen.key("call", event.call_id, _OWN))
        if made is not None:
            made[1].changes.append(key)
            return
        step = self._last.get(event.agent) or self._add_step(StepKind.TOOLS, key, event)
        step.changes.append(key)

    def _add_step(self, kind: StepKind, key: int, event: Event) -> DraftStep:
        row = (event.file, event.line)
        step = DraftStep(kind, key, event.agent, event.at, event.at, *row, row)
        self.steps.append(step)
        if kind in (StepKind.PROMPT, StepKind.COMPACTION) and event.agent in self._last:
            self._last[event.agent].is_open = False
        return step

    def _note_content(self, text: str | None) -> str | None:
        self.has_content = self.has_content or bool(text)
        return text


def _add(texts: list[str], text: str | None) -> None:
    if text and text.strip() and text not in texts:
        texts.append(text)


def _is_announced(step: DraftStep, at: float | None) -> bool:
    """True if a step holds calls made by the answer of that time."""
    is_waiting = step.kind is StepKind.TOOLS and step.is_open
    if not is_waiting or at is None or step.at is None:
        return False
    return 0 <= at - step.at <= _ONE_ANSWER_S


def _has_made(step: DraftStep, call: ToolCall) -> bool:
    """True if a call belongs to the step before it: without a result in between, or in one row."""
    if step.is_open:
        return True
    if step.kind is not StepKind.ANSWER:
        return False
    if call.line:
        return step.row == (call.file, call.line)
    return call.at is None or call.at == step.at


def _is_its_interruption(step: DraftStep, turn: UserTurn) -> bool:
    """True if the turn is the row that reports the interruption before it."""
    is_same_row = turn.line > 0 and step.row == (turn.file, turn.line)
    return step.kind is StepKind.INTERRUPTION and is_same_row


_ENDS = {
    LlmCall: "model",
    ToolCall: "model",
    UserTurn: "person",
    Interruption: "interruption",
}
# Any: each taker has the event of its own kind.
_TAKERS: dict[type, Callable[[Replay, Any], None]] = {
    Session: Replay._pass,  # noqa: SLF001  the class's own
    SessionEnd: Replay._pass,  # noqa: SLF001
    LlmCall: Replay._llm_call,  # noqa: SLF001
    ToolCall: Replay._tool_call,  # noqa: SLF001
    ToolResult: Replay._tool_result,  # noqa: SLF001
    UserTurn: Replay._user_turn,  # noqa: SLF001
    Compaction: Replay._compaction,  # noqa: SLF001
    Interruption: Replay._interruption,  # noqa: SLF001
    Failure: Replay._failure,  # noqa: SLF001
    SubagentStart: Replay._subagent_start,  # noqa: SLF001
    FileChange: Replay._file_change,  # noqa: SLF001
}
