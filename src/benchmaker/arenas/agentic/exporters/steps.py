"""A stored trace as steps, each answer and each call once.

A trace keeps what the log says, in its order: rows of one answer come several times, and what a
resumed session copied of an earlier one stands in it, too.
"""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from benchmaker.arenas.agentic.events import (
    Event,
    LlmCall,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.seen import Request, Seen, means_the_same_everywhere
from benchmaker.arenas.agentic.usages import sound


@dataclass(slots=True)
class Called:
    """A call of a tool with what it gave back; ``agents`` are those that it started."""

    call: ToolCall
    text: str | None = None
    is_error: bool = False
    agents: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Step:
    """A person's words, or one answer of a model with the calls that it asked for.

    ``request`` is None where calls stand without an answer. ``is_copied`` says that another
    submission counts it.
    """

    source: Literal["user", "agent"]
    agent: str
    at: float | None
    id: str | None = None
    request: Request | None = None
    is_copied: bool = False
    texts: list[str] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)


class Story:
    """The steps of one trace in their order; ``keys`` are those that its submission counts."""

    def __init__(self, keys: AbstractSet[int]) -> None:
        self.steps: list[Step] = []
        self.agents: dict[str, str] = {}
        """The subagents by id, with the names they have."""
        self._keys = keys
        self._seen = Seen()
        self._said: dict[int, Step] = {}
        self._called: dict[int, Called] = {}
        self._waiting: dict[str, list[str]] = {}
        self._latest: dict[str, Step] = {}

    @classmethod
    def of(cls, events: Iterable[Event], keys: AbstractSet[int]) -> "Story":
        """The story that the events tell."""
        story = cls(keys)
        for event in events:
            story.add(event)
        return story

    def add(self, event: Event) -> None:
        """Take the next event."""
        take = _TAKERS.get(type(event))
        if take is not None:
            take(self, event)

    def _answer(self, event: LlmCall) -> None:
        key = self._seen.key("request", event.id, 0)
        if event.usage is not None:
            event = msgspec.structs.replace(event, usage=sound(event.usage))
        self._seen.request(key, event, 0)
        step = self._said.get(key)
        if step is None:
            step = self._step("agent", event, is_copied=self._is_copied(key))
            step.id, step.request = event.id, self._seen.requests[key]
            self._said[key] = step
        elif not event.agent:
            step.agent = ""
        if event.text and event.text not in step.texts:
            step.texts.append(event.text)
        self._latest[event.agent] = step

    def _prompt(self, event: UserTurn) -> None:
        key = self._seen.key("turn", event.id, 0)
        if event.agent or key in self._said:
            return
        step = self._step("user", event, is_copied=self._is_copied(key))
        step.texts += [event.text] if event.text else []
        self._said[key] = step

    def _call(self, event: ToolCall) -> None:
        key = self._seen.key("call", event.id, 0)
        if key in self._called:
            return
        called = self._called[key] = Called(event)
        called.agents += self._waiting.pop(event.id, ())
        if self._is_copied(key):
            return
        step = self._latest.get(event.agent)
        if step is None or step.is_copied:
            step = self._latest[event.agent] = self._step("agent", event)
        step.calls.append(called)

    def _result(self, event: ToolResult) -> None:
        called = self._called.get(self._seen.key("call", event.call_id, 0))
        if called is not None:
            called.is_error |= event.is_error
            called.text = called.text or event.text

    def _started(self, event: SubagentStart) -> None:
        known = self.agents.get(event.id)
        self.agents[event.id] = known or event.name or ""
        if known is None and event.call_id:
            called = self._called.get(self._seen.key("call", event.call_id, 0))
            at = called.agents if called else self._waiting.setdefault(event.call_id, [])
            at.append(event.id)

    def _step(
        self,
        source: Literal["user", "agent"],
        event: LlmCall | UserTurn | ToolCall,
        *,
        is_copied: bool = False,
    ) -> Step:
        step = Step(source, event.agent, event.at, is_copied=is_copied)
        if event.agent:
            self.agents.setdefault(event.agent, "")
        self.steps.append(step)
        return step

    def _is_copied(self, key: int) -> bool:
        return means_the_same_everywhere(key) and key not in self._keys


# Any: each taker has the event of its own kind.
_TAKERS: dict[type, Callable[[Story, Any], None]] = {
    LlmCall: Story._answer,  # noqa: SLF001  the class's own
    UserTurn: Story._prompt,  # noqa: SLF001
    ToolCall: Story._call,  # noqa: SLF001
    ToolResult: Story._result,  # noqa: SLF001
    SubagentStart: Story._started,  # noqa: SLF001
}
