"""One trial of a case with tools: its answers so far, and its next request."""

import hashlib
from collections.abc import Iterable
from itertools import chain
from math import fsum

import msgspec
from msgspec.structs import replace

from benchmaker.engine.trials.answer import RequestResult
from benchmaker.engine.trials.question import CaseQuestion
from benchmaker.engine.trials.tool_box import ToolBox
from benchmaker.providers.base import Request
from benchmaker.record import (
    Attempt,
    Completion,
    FinishReason,
    Outcome,
    Step,
    Transcript,
    TranscriptMessage,
    Trial,
    UnfinishedConversation,
    Usage,
)
from benchmaker.record.attempt import RECORDED
from benchmaker.record.completion import MAX_STEPS, step_messages
from benchmaker.record.trial import CACHE_HIT

CALLING = (FinishReason.TOOL_CALLS, FinishReason.STOP, FinishReason.UNKNOWN)
"""Finish reasons of an answer whose tool calls are complete."""


class Conversation:
    """The answers of a trial with tools, and the results of their calls.

    It continues the steps of an ``earlier`` execution if that had the same messages and tools.
    ``pending`` is then the last answer, if its calls have no results: to be added instead of
    requested.
    """

    def __init__(
        self, question: CaseQuestion, tools: ToolBox, earlier: Trial | None = None
    ) -> None:
        self._question = question
        self._tools = tools
        self._scope = tools.begin()
        self._key = conversation_key(question)
        self._completions: list[Completion] = []
        self._steps: list[Step] = []
        self._attempts: list[Attempt] = []
        self._stored = 0
        self.pending: Completion | None = None
        if earlier is not None and earlier.conversation is not None:
            self._go_on(earlier, earlier.conversation)

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
        offered = self._question.tools
        results = [await self._tools.call(call, offered, self._scope) for call in done.tool_calls]
        self._steps.append(Step(done, tuple(results)))

    def next_request(self, request: Request) -> Request:
        """Return the request that follows another one of the trial, with all steps so far."""
        return replace(request, steps=tuple(self._steps)) if self._steps else request

    def steps_so_far(self) -> RequestResult:
        """Return an unfinished trial, to be stored; its attempts then are."""
        made = RequestResult(
            Outcome.UNFINISHED,
            attempts=tuple(self._attempts),
            error_type="Unfinished",
            error="no last answer yet",
            conversation=self._so_far(),
            stored_attempts=self._stored,
        )
        self._stored = len(self._attempts)
        return made

    def interruption(self) -> RequestResult:
        """Return the same as a cancelled trial, as the run ends before it."""
        return self.steps_so_far()._replace(
            outcome=Outcome.CANCELLED,
            error_type="Cancelled",
            error="the run ended between two requests of the trial",
        )

    def result(self, last: RequestResult) -> RequestResult:
        """Return the trial's result: its last one, with the sums over all requests.

        Without an answer to the last request, the answers before it are its conversation.
        """
        whole = None if last.completion is None else self._whole(last.completion)
        return last._replace(
            completion=whole,
            attempts=tuple(self._attempts),
            conversation=self._so_far() if whole is None and self._completions else None,
            stored_attempts=self._stored,
        )

    def end(self) -> None:
        """Let go of the state of the tools."""
        self._tools.end(self._scope)

    def _go_on(self, earlier: Trial, known: UnfinishedConversation) -> None:
        if known.key != self._key:
            return
        self._attempts = [one for one in earlier.attempts if one.status != RECORDED]
        self._stored = len(self._attempts)
        self._steps = list(known.steps)
        self._completions = [step.completion for step in known.steps]
        self.pending = known.last

    def _so_far(self) -> UnfinishedConversation:
        return UnfinishedConversation(
            key=self._key,
            messages=self._case_messages(),
            steps=tuple(self._steps),
            last=self._open_answer(),
        )

    def _open_answer(self) -> Completion | None:
        """The last answer, if its calls have no results yet."""
        return self._completions[-1] if len(self._completions) > len(self._steps) else None

    def _case_messages(self) -> tuple[TranscriptMessage, ...]:
        return tuple(
            TranscriptMessage(role=turn.role, content=turn.content)
            for turn in self._question.messages
        )

    def _whole(self, last: Completion) -> Completion:
        """The completion of the trial: the text of the last answer, and the sums of all."""
        done = self._completions
        is_stopped = _calls_tools(last)
        messages = (*self._case_messages(), *step_messages(self._steps, self._open_answer()))
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
                messages=messages,
                steps=len(done),
                stopped_by=MAX_STEPS if is_stopped else None,
            ),
        )


def conversation_key(question: CaseQuestion) -> str:
    """Return the first 16 hex digits of SHA-256 over messages and tools."""
    offered = [tool.model_dump() for tool in question.tools]
    text = msgspec.json.encode([question.messages_hash, offered], order="deterministic")
    return hashlib.sha256(text).hexdigest()[:16]


def _calls_tools(done: Completion) -> bool:
    return bool(done.tool_calls) and done.finish in CALLING


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
