"""An agent's session, step by step: prompts, answers, tool calls, and events in between."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from benchmaker.record.submissions.submission import TokenUsage

MAIN = "main"
"""The name of the main agent."""


class StepKind(StrEnum):
    """The kind of a step. ``tools`` are calls without a visible answer of the model."""

    PROMPT = "prompt"
    ANSWER = "answer"
    TOOLS = "tools"
    COMPACTION = "compaction"
    INTERRUPTION = "interruption"
    FAILURE = "failure"


class StepMark(StrEnum):
    """Marks of notable steps."""

    ERROR = "error"
    REPEATED = "repeated"
    FAILED_EDIT = "failed edit"
    INTERRUPTION = "interruption"
    COMPACTION = "compaction"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of a file; ``lines`` are those added and removed, 0 if not counted."""

    path: str
    change: str
    lines: int
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One call of a tool.

    ``duration_s`` is from the call to its result, waiting for a permission included. ``repeats`` is
    the number of the first step with an identical call. ``agents`` are the ids of the subagents
    that the call started, ``steps`` their steps. ``id`` is the log's own. A call that is not
    ``counted`` was counted for another session.
    """

    name: str
    id: str = ""
    at: float | None = None
    duration_s: float | None = None
    arguments: str | None = None
    output: str | None = None
    is_error: bool = False
    repeats: int | None = None
    counted: bool = True
    edits: tuple[Edit, ...] = ()
    agents: tuple[str, ...] = ()
    steps: "tuple[TraceStep, ...]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One step of one agent, numbered from 1 in list order.

    ``at`` is in seconds since 1970, ``gap_s`` is the time since the end of the same agent's
    previous step, None if the log has no times or they go backwards. ``id`` is the provider's id of
    the answer, ``latency_s`` its duration by the log. ``usd`` is computed for this request alone,
    ``reported_usd`` is the cost by the log; ``parts_usd`` splits ``usd`` by kind of token.
    ``is_prompt`` is true for a request of a person. ``reasoning`` is the model's reasoning before
    its answer, if the log has it. ``file`` and ``line`` are its place in the log.
    """

    number: int
    kind: StepKind
    id: str | None = None
    agent: str = ""
    name: str = MAIN
    depth: int = 0
    at: float | None = None
    gap_s: float | None = None
    duration_s: float | None = None
    latency_s: float | None = None
    model: str | None = None
    usage: TokenUsage | None = None
    requests: int | None = None
    usd: float | None = None
    reported_usd: float | None = None
    parts_usd: tuple[float, ...] = ()
    is_prompt: bool = False
    counted: bool = True
    text: str | None = None
    reasoning: str | None = None
    calls: tuple[ToolUse, ...] = ()
    edits: tuple[Edit, ...] = ()
    file: int = 0
    line: int = 0

    @property
    def marks(self) -> tuple[StepMark, ...]:
        """The marks of this step itself, without repeats."""
        return tuple(dict.fromkeys(_marks(self)))

    def has(self, text: str) -> bool:
        """True if the text occurs in the messages, calls, results or changes of this step."""
        wanted = text.casefold()
        return any(wanted in it.casefold() for it in _texts(self) if it)

    def is_of(self, agent: str) -> bool:
        """True if it is a step of that agent: ``main``, a name, an id or a prefix of one."""
        if not self.agent:
            return agent == MAIN
        return agent == self.name or (bool(agent) and self.agent.startswith(agent))


def walk_steps(steps: Iterable[TraceStep]) -> Iterator[TraceStep]:
    """All steps with those below them, in the order of their numbers."""
    waiting = [iter(steps)]
    while waiting:
        step = next(waiting[-1], None)
        if step is None:
            waiting.pop()
            continue
        yield step
        waiting.append(iter([below for call in step.calls for below in call.steps]))


def _marks(step: TraceStep) -> Iterator[StepMark]:
    if step.kind in (StepKind.INTERRUPTION, StepKind.COMPACTION, StepKind.FAILURE):
        yield StepMark(step.kind.value)
    for call in step.calls:
        if call.is_error:
            yield StepMark.ERROR
        if call.repeats is not None:
            yield StepMark.REPEATED
    if any(edit.failed for call in step.calls for edit in call.edits):
        yield StepMark.FAILED_EDIT
    if any(edit.failed for edit in step.edits):
        yield StepMark.FAILED_EDIT


def _texts(step: TraceStep) -> Iterator[str | None]:
    yield from (step.text, step.reasoning, step.model, step.name)
    yield from (edit.path for edit in step.edits)
    for call in step.calls:
        yield from (call.name, call.arguments, call.output)
        yield from (edit.path for edit in call.edits)
