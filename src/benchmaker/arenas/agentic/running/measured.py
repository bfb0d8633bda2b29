"""The submission of a trial: its log, with the figures that were measured from outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import msgspec

from benchmaker.arenas.agentic.running.outcomes import STATUSES, Verdict
from benchmaker.arenas.agentic.running.trial_log import TrialLog
from benchmaker.arenas.agentic.sessions.behaviour import cache_hit_share
from benchmaker.record.agent_trial import (
    GatewayRequest,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    has_counts,
)
from benchmaker.record.submissions.metrics import METERED_IN_PART, METERED_OTHERWISE, REPLAYED
from benchmaker.record.submissions.submission import (
    LOCAL,
    AttemptOf,
    Cost,
    EvidenceLevel,
    ModelUsage,
    OutcomeOf,
    Provenance,
    Submission,
    System,
    TaskRef,
    TimeSpent,
    TokenUsage,
)
from benchmaker.record.usage import Usage
from benchmaker.version import __version__

IMPORTER: Final = "agent_trial"
"""The importer of submissions whose agent left no readable log."""

_COMPARED: Final = ("input_uncached", "cache_read", "output")
_WRITES: Final = ("cache_write_5m", "cache_write_1h")
_REPLACED: Final = ("usage.", "cost.", "time.", "outcome.", "total_tokens", "llm_calls", "main.")
_MEASURED_TIMES: Final = ("wall_s", "active_s", "queue_s")

_MOST_COMPARED: Final = 200
"""Requests among which those that a log leaves out are looked for; an agent sends them first."""

_Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFacts:
    """The observations of a trial from outside.

    ``meter`` is None for an agent without a gateway, ``wall_s`` for one without a program.
    ``held_s`` of ``wall_s`` are the seconds in which the gateway held requests; None without one.
    ``unlogged`` is the number of ``requests`` that the agent's log may leave out,
    ``earlier_tries`` that of the earlier tries with requests, which are not among these.
    ``is_replay`` is true if the replies were replayed from a recording.
    """

    key: TrialKey
    attempts: int
    task: TaskRef
    system: System
    verdict: Verdict
    started_at: str
    finished_at: str
    meter: TrialMeter | None = None
    requests: Sequence[GatewayRequest] = ()
    unlogged: int = 0
    earlier_tries: int = 0
    is_replay: bool = False
    wall_s: float | None = None
    held_s: float | None = None
    rate_card: str | None = None
    submitter: str = LOCAL


def measured_submission(log: TrialLog, facts: TrialFacts) -> Submission:
    """Return the submission of a trial.

    Where log and gateway disagree, the gateway's figures count, and a flag says so. A log that
    leaves out requests which its agent never logs does not disagree.
    """
    read = log.submission or Submission(
        id="", system=facts.system, importer=IMPORTER, importer_version=__version__
    )
    usage, usage_flags = _usage(read, facts)
    replay_flags = (REPLAYED,) if facts.is_replay else ()
    behaviour = read.behaviour
    if facts.meter is not None:
        share = cache_hit_share(usage)
        behaviour = msgspec.structs.replace(behaviour, cache_hit_share=share)
    made = msgspec.structs.replace(
        read,
        id=facts.key.submission_id,
        system=_system(read.system, facts.system),
        task=facts.task,
        attempt=AttemptOf(facts.key.attempt, facts.attempts, group_id=facts.key.series),
        created_at=facts.finished_at,
        started_at=facts.started_at,
        finished_at=facts.finished_at,
        usage=usage,
        total_tokens=usage.total,
        usage_by_model=_by_model(usage, facts),
        llm_calls=read.llm_calls if facts.meter is None else facts.meter.requests,
        main=None,
        behaviour=behaviour,
        time=_time(facts),
        cost=_cost(facts),
        outcome=OutcomeOf(
            status=facts.verdict.status or STATUSES[facts.verdict.outcome],
            exit_status=str(facts.verdict.outcome),
            failure_cause=_crash_cause(facts.verdict),
        ),
        evidence_level=EvidenceLevel.IMPORTED,
        flags=tuple(dict.fromkeys((*read.flags, *usage_flags, *replay_flags))),
        submitter=facts.submitter,
        row_id=None,
        source="",
    )
    return msgspec.structs.replace(made, provenance=_provenance(read, made))


def _time(facts: TrialFacts) -> TimeSpent:
    """The wall time; behind a gateway also its parts: the agent's own, and the queue there."""
    wall_s, held_s = facts.wall_s, facts.held_s
    if wall_s is None or held_s is None:
        return TimeSpent(wall_s=wall_s)
    queue_s = min(held_s, wall_s)
    return TimeSpent(wall_s=wall_s, active_s=wall_s - queue_s, queue_s=queue_s)


def _crash_cause(verdict: Verdict) -> str | None:
    """The reason why an agent crashed; None if it did not."""
    return verdict.detail or None if verdict.outcome is TrialOutcome.AGENT_CRASHED else None


def token_usage(usage: Usage) -> TokenUsage:
    """A metered usage in the kinds of a submission."""
    return TokenUsage(
        input_uncached=usage.input_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write_5m=usage.cache_write_5m_tokens,
        cache_write_1h=usage.cache_write_1h_tokens,
        output=usage.output_tokens,
        reasoning=usage.reasoning_tokens,
    )


def _usage(read: Submission, facts: TrialFacts) -> tuple[TokenUsage, tuple[str, ...]]:
    """The usage that counts, and the flags about it."""
    meter = facts.meter
    if meter is None:
        return read.usage, ()
    metered = token_usage(meter.usage)
    if meter.unknown_usages:
        more = max(metered, read.usage, key=lambda it: it.total or 0)
        return more, (METERED_IN_PART,)
    is_same = read.usage.total is None or _agrees(_kinds(read.usage), _kinds(metered), facts)
    return metered, () if is_same else (METERED_OTHERWISE,)


def _agrees(logged: _Counts, metered: _Counts, facts: TrialFacts) -> bool:
    """True if the log has all tokens but those of requests that the agent never logs."""
    missing = tuple(a - b for a, b in zip(metered, logged, strict=True))
    rows = [_kinds(token_usage(it.usage or Usage())) for it in facts.requests if not it.refused]
    return any(
        tuple(map(sum, zip(*left_out, strict=True))) == missing
        for number in range(1, facts.unlogged + 1)
        for left_out in combinations(rows[:_MOST_COMPARED], number)
    ) or not any(missing)


def _kinds(usage: TokenUsage) -> _Counts:
    """Input, cache reads, cache writes of both kinds, and output; 0 for none."""
    writes = sum(getattr(usage, name) or 0 for name in _WRITES)
    return (*(getattr(usage, name) or 0 for name in _COMPARED), writes)


def _by_model(usage: TokenUsage, facts: TrialFacts) -> tuple[ModelUsage, ...]:
    if facts.meter is None or not has_counts(facts.meter.usage):
        return ()
    cost = _cost(facts).computed_usd
    one = ModelUsage(facts.system.model, usage, facts.meter.requests, computed_usd=cost)
    return (one,)


def _cost(facts: TrialFacts) -> Cost:
    meter = facts.meter
    if meter is None or not meter.requests:
        return Cost()
    cost = Cost(method="metered", earlier_tries=facts.earlier_tries)
    if meter.unknown_costs:
        return msgspec.structs.replace(cost, unpriced=(facts.system.model or "",))
    return msgspec.structs.replace(cost, computed_usd=meter.cost_usd, rate_card=facts.rate_card)


def _system(read: System, ours: System) -> System:
    return msgspec.structs.replace(
        ours,
        harness_version=ours.harness_version or read.harness_version,
        tools=read.tools,
        mcp=read.mcp,
        mode=read.mode,
    )


def _provenance(read: Submission, made: Submission) -> dict[str, Provenance]:
    """The labels of the log for what it alone knows, and measured for everything else."""
    own = {path: label for path, label in read.provenance.items() if not path.startswith(_REPLACED)}
    known = {
        "total_tokens": made.total_tokens,
        "llm_calls": made.llm_calls,
        **{f"time.{name}": getattr(made.time, name) for name in _MEASURED_TIMES},
        "cost.computed_usd": made.cost.computed_usd,
        **{f"usage.{name}": getattr(made.usage, name) for name in made.usage.__struct_fields__},
    }
    label = Provenance.IMPORTED if METERED_IN_PART in made.flags else Provenance.MEASURED
    return own | {
        path: label if path.startswith(("usage.", "total")) else Provenance.MEASURED
        for path, value in known.items()
        if value is not None
    }
