"""One trial of a case with tools: its answers so far, and its next request."""

from collections.abc import Iterable
from itertools import chain
from math import fsum

from msgspec.structs import replace

from benchmaker.engine.trials.answer import RequestResult
from benchmaker.engine.trials.question import CaseQuestion
from benchmaker.engine.trials.tool_box import ToolBox
from benchmaker.providers.base import Request, Step, ToolResult
from benchmaker.record import (
    Attempt,
    Completion,
    FinishReason,
    Outcome,
    Transcript,
    TranscriptMessage,
    Usage,
)
from benchmaker.record.completion import MAX_STEPS
from benchmaker.record.trial import CACHE_HIT

CALLING = (FinishReason.TOOL_CALLS, FinishReason.STOP, FinishReason.UNKNOWN)
"""Finish reasons of an answer whose tool calls are complete."""


class Conversation:
    """The answers of a trial with tools, and the results of their calls."""

    def __init__(self, question: CaseQuestion, tools: ToolBox) -> None:
        self._question = question
        self._tools = tools
        self._completions: list[Completion] = []
        self._steps: list[Step] = []
        self._attempts: list[Attempt] = []

    def add(self, answer: RequestResult) -> bool:
        """Add the answer to the last request; return True if another request follows."""
        for attempt in answer.attempts:
            self._attempts.append(replace(attempt, number=len(self._attempts) + 1))
        done = answer.completion
        if done is None:
            return False
        self._completions.append(done)
        return _calls_tools(done) and len(self._completions) < self._question.max_steps

    async def carry_out(self) -> None:
        """Carry out the calls of the last answer, one after the other."""
        done = self._completions[-1]
        results = [await self._tools.call(call, self._question.tools) for call in done.tool_calls]
        self._steps.append(Step(done, tuple(results)))

    def next_request(self, request: Request) -> Request:
        """Return the request that follows another one of the trial, with all steps so far."""
        return replace(request, steps=tuple(self._steps))

    def result(self, last: RequestResult) -> RequestResult:
        """Return the trial's result: its last one, with the sums over all requests.

        Without an answer to the last request, the answers before it are left out, but not their
        attempts.
        """
        whole = None if last.completion is None else self._whole(last.completion)
        return last._replace(completion=whole, attempts=tuple(self._attempts))

    def cancel(self) -> RequestResult:
        """Return the result of a trial that was cancelled between two requests."""
        return RequestResult(
            Outcome.CANCELLED,
            attempts=tuple(self._attempts),
            error_type="Cancelled",
            error="the run ended between two requests of the trial",
        )

    def _whole(self, last: Completion) -> Completion:
        """The completion of the trial: the text of the last answer, and the sums of all."""
        done = self._completions
        is_stopped = _calls_tools(last)
        return replace(
            last,
            finish=FinishReason.TOOL_CALLS if is_stopped else last.finish,
            usage=sum_of_usages([one.usage for one in done]),
            latency_s=_sum(one.latency_s for one in done),
            first_byte_s=done[0].first_byte_s,
            cost_usd=_sum(one.cost_usd for one in done),
            flags=_flags(done),
            tool_calls=(),
            continuation=None,
            transcript=Transcript(
                messages=tuple(self._messages()),
                steps=len(done),
                stopped_by=MAX_STEPS if is_stopped else None,
            ),
        )

    def _messages(self) -> Iterable[TranscriptMessage]:
        for turn in self._question.messages:
            yield TranscriptMessage(role=turn.role, content=turn.content)
        for step in self._steps:
            yield _answer(step.completion)
            for call, result in step.pairs:
                yield _result(call.name, result)
        if len(self._completions) > len(self._steps):
            yield _answer(self._completions[-1])


def _calls_tools(done: Completion) -> bool:
    return bool(done.tool_calls) and done.finish in CALLING


def _answer(done: Completion) -> TranscriptMessage:
    calls = tuple(replace(call, id=None) for call in done.tool_calls)
    return TranscriptMessage(role="assistant", content=done.text, tool_calls=calls)


def _result(name: str, result: ToolResult) -> TranscriptMessage:
    return TranscriptMessage(role="tool", content=result.text, name=name, is_error=result.is_error)


def _flags(done: Iterable[Completion]) -> tuple[str, ...]:
    """The flags of all answers; one counts as cached only if all were."""
    listed = [one.flags for one in done]
    found = dict.fromkeys(chain.from_iterable(listed))
    if not all(CACHE_HIT in flags for flags in listed):
        found.pop(CACHE_HIT, None)
    return tuple(found)


def sum_of_usages(usages: list[Usage | None]) -> Usage | None:
    """Return the tokens of several answers by kind; a kind that one does not report is unknown."""
    known = [usage for usage in usages if usage is not None]
    if len(known) < len(usages):
        return None

    def total(name: str) -> int | None:
        counts = [getattr(usage, name) for usage in known]
        if name in _MAY_LACK and any(count is not None for count in counts):
            counts = [count or 0 for count in counts]
        return None if None in counts else sum(counts)

    kinds = (name for name in Usage.__struct_fields__ if name != "flags")
    flags = dict.fromkeys(flag for usage in known for flag in usage.flags)
    return Usage(**{name: total(name) for name in kinds}, flags=tuple(flags))


_MAY_LACK = frozenset({
    "cache_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "reasoning_tokens",
})  # fmt: skip
"""Kinds that replies omit where there are none."""


def _sum(figures: Iterable[float | None]) -> float | None:
    listed = list(figures)
    known = [it for it in listed if it is not None]
    return fsum(known) if len(known) == len(listed) else None
