"""Drafts laid out as numbered steps: subagents below their call, each request with its price."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from benchmaker.arenas.agentic.sessions.deduplication import (
    failed_in_other_session,
    means_the_same_everywhere,
)
from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.traces.replay import DraftCall, DraftStep, Replay
from benchmaker.arenas.agentic.traces.steps import MAIN, Edit, StepKind, ToolUse, TraceStep

DEEPEST = 20
"""Maximum nesting depth of subagents; deeper ones are listed at the end."""


def lay_out_steps(
    replay: Replay,
    *,
    keys: AbstractSet[int],
    requests: list[Request],
    pricer: Pricer | None = None,
    provider: str | None = None,
    content: bool = True,
) -> tuple[TraceStep, ...]:
    """Return the steps of a session, the main agent's first.

    ``keys`` are the session's globally unique digests that count for it. ``requests`` are those
    behind its cost: if there is one for each answer, its figures count, since another log may have
    had the larger row. Without a pricer nothing is priced.
    """
    layout = _Layout(replay, keys, pricer, provider, content=content)
    layout.take(requests)
    return layout.steps()


@dataclass(slots=True)
class _Layout:
    replay: Replay
    keys: AbstractSet[int]
    pricer: Pricer | None
    provider: str | None
    content: bool
    requests: dict[int, Request] = field(default_factory=dict)
    of_agent: dict[str, list[DraftStep]] = field(default_factory=dict)
    started_by: dict[int, list[str]] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)
    """The number of the step that first made a call of that digest."""
    made_by: dict[int, int] = field(default_factory=dict)
    """The key of the call that was first made of that digest."""
    placed: set[str] = field(default_factory=set)
    number: int = 0

    def take(self, requests: list[Request]) -> None:
        self.requests = dict(self.replay.seen.requests.items())
        own = [key for key in self.requests if self._counts(key)]
        if len(requests) == len(own):
            self.requests |= zip(own, requests, strict=True)
        for key, call in self.replay.seen.calls.items():
            if self._counts(key) and call.digest:
                self.made_by.setdefault(call.digest, key)

    def steps(self) -> tuple[TraceStep, ...]:
        for draft in self.replay.steps:
            self.of_agent.setdefault(draft.agent, []).append(draft)
        for name, agent in self.replay.agents.items():
            if agent.call is not None:
                self.started_by.setdefault(agent.call, []).append(name)
        found = [*self._agent_steps("", 0)]
        for name in self.of_agent:
            if self._has_no_call(name):
                found += self._agent_steps(name, 1)
        for name in self.of_agent:  # of calls that are nowhere, or of each other's
            found += self._agent_steps(name, 1)
        numbers = {step.number: step for step in found}
        return tuple(self._with_repeats(numbers[number]) for number in sorted(numbers))

    def _has_no_call(self, name: str) -> bool:
        agent = self.replay.agents.get(name)
        return agent is None or agent.call is None

    def _agent_steps(self, agent: str, depth: int) -> list[TraceStep]:
        """The steps of an agent, each with the subagents that it started; none the second time."""
        if agent in self.placed or depth > DEEPEST:
            return []
        self.placed.add(agent)
        return list(self._in_order(agent, depth))

    def _in_order(self, agent: str, depth: int) -> Iterator[TraceStep]:
        before: float | None = None
        for draft in self.of_agent.get(agent, ()):
            yield self._step(draft, depth, before)
            before = draft.last_at if draft.last_at is not None else before

    def _step(self, draft: DraftStep, depth: int, before: float | None) -> TraceStep:
        self.number += 1
        number = self.number
        agent = self.replay.agents.get(draft.agent)
        named = (agent.name if agent else None) or draft.agent or MAIN
        request = self.requests.get(draft.key) if draft.kind is StepKind.ANSWER else None
        counted = self._counts(draft.key)
        calls = tuple(self._call(call, number, depth) for call in draft.calls)
        step = TraceStep(
            number=number,
            kind=draft.kind,
            id=draft.id,
            agent=draft.agent,
            name=named,
            depth=depth,
            at=draft.at,
            gap_s=_elapsed_s(before, draft.at),
            duration_s=_elapsed_s(draft.at, draft.last_at),
            is_prompt=draft.is_prompt,
            counted=counted,
            text=self._join_texts(draft.texts),
            reasoning=self._join_texts(draft.thoughts),
            calls=calls,
            edits=self._edits(draft.changes),
            file=draft.file,
            line=draft.line,
        )
        return step if request is None else self._with_request(step, request)

    def _join_texts(self, texts: list[str]) -> str | None:
        return "\n\n".join(texts) if texts and self.content else None

    def _with_request(self, step: TraceStep, request: Request) -> TraceStep:
        """Return the step with its request; one counted elsewhere was also paid for elsewhere."""
        step = replace(
            step,
            latency_s=request.latency_s,
            model=request.model,
            usage=request.usage,
            requests=request.requests,
            reported_usd=request.cost_usd if step.counted else None,
        )
        if not step.counted or self.pricer is None:
            return step
        return replace(
            step,
            usd=self.pricer.price([request], self.provider).usd,
            parts_usd=self.pricer.parts(request, self.provider) or (),
        )

    def _call(self, call: DraftCall, number: int, depth: int) -> ToolUse:
        seen = self.replay.seen.calls.get(call.key)
        if seen is not None:
            self.first.setdefault(call.key, number)
        agents = self.started_by.get(call.key, ())
        below = tuple(step for name in agents for step in self._agent_steps(name, depth + 1))
        return ToolUse(
            name=call.name,
            id=call.id,
            at=call.at,
            duration_s=_elapsed_s(call.at, call.done_at) if call.is_known else None,
            arguments=call.arguments if self.content else None,
            output=call.output if self.content else None,
            is_error=self._has_failed(call.key),
            repeats=self._repeated_call(call),
            counted=self._counts(call.key),
            edits=self._edits(call.changes),
            agents=tuple(agents),
            steps=below,
        )

    def _has_failed(self, key: int) -> bool:
        """True if a call failed, by this log or by that of a session that resumed it."""
        return key in self.replay.seen.errors or failed_in_other_session(key) in self.keys

    def _repeated_call(self, call: DraftCall) -> int | None:
        """The key of the call that was the same before, for now; None where it is the first."""
        seen = self.replay.seen.calls.get(call.key)
        if seen is None or not self._counts(call.key):
            return None
        made = self.made_by.get(seen.digest)
        return None if made is None or made == call.key else made

    def _with_repeats(self, step: TraceStep) -> TraceStep:
        """The step with the numbers of the steps that its calls repeat, now that all have one."""
        calls = tuple(
            replace(
                call,
                repeats=None if call.repeats is None else self.first.get(call.repeats, 0),
                steps=tuple(self._with_repeats(below) for below in call.steps),
            )
            for call in step.calls
        )
        return replace(step, calls=calls)

    def _edits(self, keys: list[int]) -> tuple[Edit, ...]:
        changes = (self.replay.seen.changes[key] for key in keys)
        return tuple(
            Edit(path=it.path, change=it.kind, lines=it.lines, failed=it.failed) for it in changes
        )

    def _counts(self, key: int) -> bool:
        """True if it counts for this session; only globally unique ids may not.

        Records that are never counted, such as the result of a hidden call, count nowhere else.
        """
        if not means_the_same_everywhere(key) or key in self.keys:
            return True
        return not any(key in table for table in self.replay.seen.tables)


def _elapsed_s(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or after < before:
        return None
    return round(after - before, 6)
