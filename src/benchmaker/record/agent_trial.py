"""Agent trials: one task × system × attempt, its requests at the gateway, and their sums."""

from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from math import fsum
from typing import Any, NamedTuple

import msgspec

from benchmaker.record.usage import Usage


class TrialKey(NamedTuple):
    """The key of one try of an agent trial.

    ``attempt`` counts the attempts of a system at a task from 1, ``attempt_try`` the starts of one
    attempt from 1: a killed try is repeated as the same attempt.
    """

    series: str
    task: str
    system: str
    attempt: int
    attempt_try: int = 1

    @property
    def submission_id(self) -> str:
        """The id of the attempt's submission, the same for each of its tries."""
        name = "\0".join((self.series, self.task, self.system, str(self.attempt)))
        return f"trial-{sha256(name.encode()).hexdigest()[:20]}"


class TrialOutcome(StrEnum):
    """The end of an agent trial."""

    SOLVED = "solved"
    FAILED = "failed"
    BUDGET = "budget"
    TIMEOUT = "timeout"
    REFUSED = "refused"
    AGENT_CRASHED = "agent_crashed"
    SETUP_FAILED = "setup_failed"
    GATEWAY_ERROR = "gateway_error"
    VERIFIER_ERROR = "verifier_error"

    @property
    def is_infrastructure(self) -> bool:
        """True if the trial is tried again and never scored."""
        return self in _INFRASTRUCTURE


_INFRASTRUCTURE = frozenset(
    {TrialOutcome.SETUP_FAILED, TrialOutcome.GATEWAY_ERROR, TrialOutcome.VERIFIER_ERROR}
)


class Wire(StrEnum):
    """The protocol between an agent and a model."""

    CHAT = "chat"
    RESPONSES = "responses"
    MESSAGES = "messages"
    GEMINI = "gemini"


AGENT_LEFT = 499
"""The status of a request whose agent closed its connection, or ended, before the reply did."""

_ENDPOINT_FAILURES = frozenset({0, 401, 402, 403, 408, 429})
_SERVER_ERRORS = 500


class GatewayRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request of an agent, as the gateway metered it.

    ``number`` counts the requests of a try from 1. ``model`` is the model that was sent and billed,
    ``requested_model`` the name in the agent's request. ``status`` is the HTTP status of the reply;
    0 while the request is in progress, and for ever if the runner was killed or interrupted
    meanwhile. ``sends`` is the number of requests to the endpoint, retries included. ``most_usd``
    (None without a price)
    and ``most_tokens`` were reserved for it, as the most that it can use. ``refused`` is the reason
    for a refusal by the gateway, empty for forwarded requests. ``was_cut`` is true if the reply did
    not reach its end; ``status`` is 499 where that is the agent's doing. ``usage`` and ``cost_usd``
    are None if unknown. ``started_at`` is UTC, ISO 8601. The hashes are those of the request as
    forwarded and of the reply as received.
    """

    key: TrialKey
    number: int
    wire: Wire
    model: str
    endpoint: str
    started_at: str
    requested_model: str = ""
    status: int = 0
    stream: bool = False
    sends: int = 1
    usage: Usage | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    first_byte_s: float | None = None
    most_usd: float | None = None
    most_tokens: int = 0
    refused: str = ""
    was_cut: bool = False
    request_sha256: str = ""
    response_sha256: str = ""

    @property
    def is_endpoint_failure(self) -> bool:
        """True if the endpoint, or the way to it, made the request fail."""
        if self.refused or self.status == AGENT_LEFT:
            return False
        return self.was_cut or self.status in _ENDPOINT_FAILURES or self.status >= _SERVER_ERRORS


class TrialMeter(msgspec.Struct, frozen=True, kw_only=True):
    """The sums over the requests of a trial.

    ``requests`` were forwarded, ``refusals`` were not. ``usage`` and ``cost_usd`` are sums of the
    known figures; ``unknown_usages`` and ``unknown_costs`` count the forwarded requests without.
    ``cut_replies`` counts the replies that did not reach their end, or may not have.
    """

    requests: int = 0
    refusals: int = 0
    usage: Usage = Usage()
    unknown_usages: int = 0
    cost_usd: float = 0.0
    unknown_costs: int = 0
    cut_replies: int = 0

    @classmethod
    def of(cls, rows: Iterable[GatewayRequest]) -> "TrialMeter":
        """Return the sums over these requests."""
        every = tuple(rows)
        sent = [row for row in every if not row.refused]
        costs = [row.cost_usd for row in sent if row.cost_usd is not None]
        return cls(
            requests=len(sent),
            refusals=len(every) - len(sent),
            usage=sum_usage(row.usage for row in sent),
            unknown_usages=sum(not has_counts(row.usage) for row in sent),
            cost_usd=fsum(costs),
            unknown_costs=len(sent) - len(costs),
            cut_replies=sum(row.was_cut or not row.status for row in sent),
        )

    @classmethod
    def sum(cls, meters: Iterable["TrialMeter"]) -> "TrialMeter":
        """Return the sums over several meters."""
        every = tuple(meters)
        return cls(
            requests=sum(it.requests for it in every),
            refusals=sum(it.refusals for it in every),
            usage=sum_usage(it.usage for it in every),
            unknown_usages=sum(it.unknown_usages for it in every),
            cost_usd=fsum(it.cost_usd for it in every),
            unknown_costs=sum(it.unknown_costs for it in every),
            cut_replies=sum(it.cut_replies for it in every),
        )


class UnknownCosts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Requests of unknown cost, those in progress included.

    ``most_usd`` is the most that they can have cost; None without a price.
    """

    requests: int = 0
    most_usd: float | None = 0.0

    @classmethod
    def of(cls, most: Iterable[float | None]) -> "UnknownCosts":
        """Those of requests, each with the most that it can have cost."""
        every = tuple(most)
        known = [usd for usd in every if usd is not None]
        return cls(len(every), fsum(known) if len(known) == len(every) else None)

    @classmethod
    def sum(cls, parts: Iterable["UnknownCosts"]) -> "UnknownCosts":
        """Return the sums of several."""
        every = tuple(parts)
        most = cls.of(it.most_usd for it in every).most_usd
        return cls(sum(it.requests for it in every), most)


_KINDS = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
)
"""The disjoint kinds of a usage."""


def has_counts(usage: Usage | None) -> bool:
    """True if both input and output are known."""
    return usage is not None and usage.input_tokens is not None and usage.output_tokens is not None


def total_tokens(usage: Usage | None) -> int:
    """Return the sum of the known kinds."""
    return sum(getattr(usage, kind) or 0 for kind in _KINDS) if usage else 0


def sum_usage(usages: Iterable[Usage | None]) -> Usage:
    """Return the sum of the known figures by kind; None for kinds that nobody reported.

    >>> sum_usage([Usage(input_tokens=2), None, Usage(input_tokens=3)]).input_tokens
    5
    """
    sums: dict[str, int] = {}
    for usage in filter(None, usages):
        for kind in (*_KINDS, "reasoning_tokens"):
            count = getattr(usage, kind)
            if count is not None:
                sums[kind] = sums.get(kind, 0) + count
    return msgspec.structs.replace(Usage(), **sums)


class TryEnd(msgspec.Struct, frozen=True, omit_defaults=True):
    """The end of one try: its outcome, None if it was killed or interrupted, and the reason."""

    outcome: TrialOutcome | None = None
    detail: str = ""


class AgentTrial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One agent trial: the newest try, and what the tries before it cost.

    ``system`` of the key is agent × model × effort. ``reward`` is 0–1, None without a verdict.
    ``earlier_meters`` and ``earlier_ends`` are those of earlier tries, oldest first; trials stored
    by earlier versions have fewer ends. ``judge_unknowns`` are the requests
    to judges whose cost is unknown, over all tries. ``isolation`` and ``network`` are those of the
    sandbox. Times are UTC, ISO 8601.
    """

    key: TrialKey
    task_hash: str
    agent: str
    model: str
    agent_version: str = ""
    effort: str = ""
    outcome: TrialOutcome | None = None
    reward: float | None = None
    submission_id: str | None = None
    meter: TrialMeter = TrialMeter()
    earlier_meters: tuple[TrialMeter, ...] = ()
    earlier_ends: tuple[TryEnd, ...] = ()
    judge_unknowns: UnknownCosts = UnknownCosts()
    isolation: str = ""
    network: str = "off"
    flags: tuple[str, ...] = ()
    detail: str = ""
    started_at: str = ""
    finished_at: str = ""

    @property
    def tries(self) -> int:
        """The number of tries so far."""
        return self.key.attempt_try

    @property
    def is_finished(self) -> bool:
        """True if it has an outcome that counts; others are tried again."""
        return self.outcome is not None and not self.outcome.is_infrastructure

    @property
    def ends(self) -> tuple[TryEnd, ...]:
        """The ends of the tries, oldest first, and the state of the newest one."""
        return (*self.earlier_ends, TryEnd(self.outcome, self.detail))

    @property
    def meter_of_tries(self) -> TrialMeter:
        """The sums over all tries."""
        return TrialMeter.sum((*self.earlier_meters, self.meter))


EVERY_SYSTEM = ""
"""In place of a system: all of the series was stopped."""


class AgentSeries(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A series of agent trials; ``plan`` holds its tasks, systems, attempts and caps.

    ``stopped`` are the systems that a stop rule ended in its last process, with the reasons;
    :data:`EVERY_SYSTEM` stands for all of them.
    ``judge_usd`` is the known cost of its judges in dollars; None if none was queried.
    """

    id: str
    plan: dict[str, Any]
    created_at: str
    finished_at: str | None = None
    actor: str = "local"
    stopped: dict[str, str] = {}
    judge_usd: float | None = None
