"""The steps of a trace, as far as other formats can express them.

They are those of :func:`~benchmaker.trace`: prompts of the person, answers of a model, calls of
tools. Mere time marks between them are omitted.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Literal

from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.arenas.agentic.traces.layout import lay_out_steps
from benchmaker.arenas.agentic.traces.replay import Replay
from benchmaker.arenas.agentic.traces.steps import StepKind, ToolUse, walk_steps
from benchmaker.arenas.agentic.traces.steps import TraceStep as Traced


@dataclass(frozen=True, slots=True)
class ExportStep:
    """A user message, or one answer of a model with its tool calls.

    ``request`` is None for calls without an answer. ``is_copied`` is true if another submission
    counts it; it then has no calls.
    """

    source: Literal["user", "agent"]
    agent: str
    at: float | None
    id: str | None = None
    request: Request | None = None
    is_copied: bool = False
    text: str | None = None
    calls: tuple[ToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """The steps of one trace in their order; ``agents`` are its subagents by id with their names.

    A subagent without a name has an empty one.
    """

    steps: list[ExportStep] = field(default_factory=list)
    agents: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, events: Iterable[Event], keys: AbstractSet[int], requests: Iterable[Request] = ()
    ) -> "Story":
        """Build the story of the events.

        ``keys`` and ``requests`` are what its submission counts, as ``lay_out_steps`` takes
        them.
        """
        replay = Replay.of(events)
        laid = lay_out_steps(replay, keys=keys, requests=list(requests))
        steps = [exported for step in walk_steps(laid) for exported in _to_steps(step)]
        named = {name: agent.name or "" for name, agent in replay.agents.items()}
        return cls(steps, {it.agent: "" for it in steps if it.agent} | named)


def _to_steps(step: Traced) -> Iterator[ExportStep]:
    """Yield a step in export form; calls that count are separate from an answer that doesn't."""
    calls = tuple(call for call in step.calls if call.counted and call.name)
    if step.is_prompt:
        yield _message_step(step, "user")
    if step.kind is StepKind.ANSWER:
        own = calls if step.counted else ()
        yield _message_step(step, "agent", request=_request(step), calls=own)
        calls = calls[len(own) :]
    if calls:
        yield ExportStep("agent", step.agent, step.at, calls=calls)


def _message_step(
    step: Traced,
    source: Literal["user", "agent"],
    *,
    request: Request | None = None,
    calls: tuple[ToolUse, ...] = (),
) -> ExportStep:
    return ExportStep(
        source,
        step.agent,
        step.at,
        id=step.id,
        request=request,
        is_copied=not step.counted,
        text=step.text,
        calls=calls,
    )


def _request(step: Traced) -> Request:
    return Request(
        session=0,
        is_main=not step.agent,
        at=step.at,
        model=step.model,
        usage=step.usage,
        cost_usd=step.reported_usd,
        latency_s=step.latency_s,
        requests=step.requests,
    )
