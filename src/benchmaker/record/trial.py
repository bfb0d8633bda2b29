"""One case, sent to one model, in one run."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from benchmaker.record.attempt import ANSWERED, RECORDED, Attempt
from benchmaker.record.completion import (
    Completion,
    FinishReason,
    ToolCall,
    Transcript,
    UnfinishedConversation,
)
from benchmaker.record.outcome import Outcome
from benchmaker.record.score import Score

MODEL_STOPPED = "model_stopped"
"""The flag of a trial whose failure stopped requests to its model; a resumed run retries it."""

RETRY_REQUESTED = "retry_requested"
"""The flag of a failed trial that is to be requested again; a resumed run retries it."""

CACHE_HIT = "cache_hit"
"""The flag of an answer from another run, which has paid for it."""

UNSENT = "unsent_"
"""The prefix of a flag that names a parameter the endpoint does not accept."""

CHANGED = "sent_"
"""The prefix of a flag that names a parameter and the value sent in place of the set one."""


STORE_FIELDS = frozenset({"conversation", "stored_attempts"})
"""Fields of a trial that only the store and a later execution read."""


class TrialKey(NamedTuple):
    """The unique key of a trial; the store keeps one row for each."""

    run_id: str
    model: str
    case_id: str


class Trial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Case × model in one run: every attempt, the completion, the newest score.

    ``position`` is the case's place in its suite, from 0. ``weight``, ``category``, ``difficulty``,
    ``tags`` and ``group`` are the case's, so that a trial can be analysed alone. ``error`` explains
    a missing completion. ``score_version`` counts from 1. ``conversation`` holds the steps of a
    trial with tools that has no completion. The first ``stored_attempts`` attempts have rows
    already; the number itself is not stored.
    """

    run_id: str
    case_id: str
    model: str
    position: int
    outcome: Outcome
    completion: Completion | None = None
    attempts: tuple[Attempt, ...] = ()
    score: Score | None = None
    score_version: int = 0
    messages_hash: str = ""
    weight: float = 1.0
    category: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    group: str | None = None
    error_type: str | None = None
    error: str | None = None
    flags: tuple[str, ...] = ()
    finished_at: str = ""
    conversation: UnfinishedConversation | None = None
    stored_attempts: int = 0

    @property
    def key(self) -> TrialKey:
        """The unique key of this trial."""
        return TrialKey(self.run_id, self.model, self.case_id)

    @property
    def cost_usd(self) -> float | None:
        """The cost of all its requests; None if the cost of one is unknown.

        The cost of a recorded answer is taken from the recording, that of an answer from the cache
        is the cost of its request in another run.
        """
        if not self.attempts:
            return self.completion.cost_usd if self.completion else None
        if len(self.attempts) == 1:
            return self.attempts[0].cost_usd
        costs = [attempt.cost_usd for attempt in self.attempts]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    @property
    def known_cost_usd(self) -> float | None:
        """The cost of its requests as far as known; None if nothing is known."""
        return known_cost_of(self.attempts) if self.attempts else self.cost_usd

    @property
    def is_reused(self) -> bool:
        """True if another run has made the requests, so that this one spends nothing."""
        return CACHE_HIT in self.flags or CACHE_HIT in (
            self.completion.flags if self.completion else ()
        )

    @property
    def tokens(self) -> tuple[int | None, int | None]:
        """Uncached input and output tokens of all its requests, as :func:`tokens_of` adds them.

        A recorded answer, which has no attempts, has the tokens recorded with it.
        """
        if self.attempts:
            return tokens_of(self.attempts)
        usage = self.completion.usage if self.completion else None
        return (usage.input_tokens, usage.output_tokens) if usage else (None, None)

    @property
    def reasoning_tokens(self) -> int | None:
        """The tokens of reasoning inside the output of the reply that counts; None if unknown."""
        usage = self.completion.usage if self.completion else None
        return usage.reasoning_tokens if usage else None

    @property
    def latency_s(self) -> float | None:
        """The seconds of the reply that counts, or of a recorded failure."""
        if self.completion is not None:
            return self.completion.latency_s
        is_recorded = bool(self.attempts) and self.attempts[-1].status == RECORDED
        return self.attempts[-1].last_byte_s if is_recorded else None

    @property
    def transcript(self) -> Transcript | None:
        """The messages of a trial with tools, as far as it came; None without any."""
        if self.completion is not None:
            return self.completion.transcript
        return self.conversation.transcript if self.conversation else None

    @property
    def cut_off_calls(self) -> tuple[ToolCall, ...]:
        """The calls that the token limit cut off: those of the last answer without JSON arguments.

        They are no calls: nothing carries them out, and checks do not count them.
        """
        done = self.completion
        if done is None or done.transcript is None or done.finish is not FinishReason.LENGTH:
            return ()
        last = done.transcript.last_calls
        return tuple(call for call in last if not isinstance(call.arguments, dict))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The complete tool calls of all answers, in order; empty without a transcript."""
        if self.transcript is None:
            return ()
        cut_off = set(map(id, self.cut_off_calls))
        return tuple(call for call in self.transcript.tool_calls if id(call) not in cut_off)

    @property
    def new_attempts(self) -> tuple[Attempt, ...]:
        """The attempts without rows."""
        return self.attempts[self.stored_attempts :]

    @property
    def retries(self) -> int:
        """The number of attempts that repeat a request; each step of a conversation is one."""
        return retries_of(self.attempts)

    @property
    def text(self) -> str:
        """The answer's text; empty when there is no completion."""
        return self.completion.text if self.completion else ""


def retries_of(attempts: Sequence[Attempt], *, after: int = 0) -> int:
    """Return how many requests after the first ``after`` repeat one that was not answered.

    >>> statuses = ("ok", "503", "ok")
    >>> made = [Attempt(number=n, status=it, started_at="") for n, it in enumerate(statuses)]
    >>> retries_of(made), retries_of(made, after=2), retries_of(made[:2])
    (1, 1, 0)
    """
    later = range(max(1, after), len(attempts))
    return sum(attempts[at - 1].status != ANSWERED for at in later)


def tokens_of(attempts: Iterable[Attempt]) -> tuple[int | None, int | None]:
    """Uncached input and output tokens of some requests; None if one of them has none known."""
    used = [attempt.tokens for attempt in attempts]
    return _sum(one.input_tokens for one in used), _sum(one.output_tokens for one in used)


def known_cost_of(attempts: Iterable[Attempt]) -> float | None:
    """The sum of the known costs of some requests; None if none is known."""
    known = [attempt.cost_usd for attempt in attempts if attempt.cost_usd is not None]
    return sum(known) if known else None


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
