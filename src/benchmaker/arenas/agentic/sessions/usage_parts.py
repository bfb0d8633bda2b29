"""Division of a session's usage by the time and the model of its answers."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum

import msgspec

from benchmaker.analysis.usage.parts import balance_costs, whole_parts
from benchmaker.arenas.agentic.sessions.compact_columns import RealColumn
from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.arenas.agentic.sessions.pricing import METHOD, Pricer
from benchmaker.arenas.agentic.sessions.sums import UsageSum
from benchmaker.record.submissions.submission import UNKNOWN_MODEL, Submission, TokenUsage
from benchmaker.record.submissions.usage_part import QUARTER_S, UsagePart

Key = tuple[int | None, str | None]
"""The number of a quarter-hour since 1970, and a model."""


def usage_parts(
    submission: Submission,
    requests: Sequence[Request],
    pricer: Pricer,
    active: Mapping[int, float] | None = None,
) -> tuple[UsagePart, ...]:
    """The parts of a session, the earliest first; they add up to the session's own figures.

    ``requests`` are its answers, or the runs of the tool where only these state their tokens. If
    they don't add up to the totals that the log states, or there is only the total, the session is
    divided by model only, at its start; so is a session without answers. ``active`` has its active
    seconds by the number of the quarter-hour, where known.
    """
    is_total = submission.cost.method != METHOD and len(requests) == 1
    if not requests or is_total or not _adds_up(submission, requests):
        return whole_parts(submission)
    provider = submission.system.provider
    parts = [
        _part(own, pricer.price(own, provider).usd) for own in _by_quarter(submission, requests)
    ]
    return balance_costs(_with_active(parts, active or {}), submission)


def _adds_up(submission: Submission, requests: Iterable[Request]) -> bool:
    total = UsageSum()
    for request in requests:
        total.add(request.usage or TokenUsage())
    summed = total.value
    return (
        _by_kind(summed) == _by_kind(submission.usage) and summed.total == submission.total_tokens
    )


def _by_kind(usage: TokenUsage) -> list[int]:
    """Tokens of each kind, 0 if not stated; without reasoning, which is part of output."""
    kinds = (name for name in TokenUsage.__struct_fields__ if name != "reasoning")
    return [getattr(usage, name) or 0 for name in kinds]


def _by_quarter(submission: Submission, requests: Sequence[Request]) -> Iterator[list[Request]]:
    """Requests by quarter-hour and model; one without a time gets that of the one before it.

    One without a model has the session's, unless this leaves the session's cost unknown. Only the
    requests of one group are held at a time; of the others, their positions.
    """
    cost = submission.cost
    is_unknown = cost.usd is None and UNKNOWN_MODEL in cost.unpriced
    otherwise = None if is_unknown else submission.system.model
    groups: dict[Key, array[int]] = {}
    times = RealColumn()
    last: float | None = None
    for position, request in enumerate(requests):
        if request.at is None:
            times[position] = last
        else:
            last = request.at
        key = _quarter(last), request.model or otherwise
        groups.setdefault(key, array("I")).append(position)
    for key in sorted(groups, key=_order):
        yield [_with_time(requests[it], times[it], key[1]) for it in groups[key]]


def _with_time(request: Request, time: float | None, model: str | None) -> Request:
    """The request with that model, and with that time unless it has its own."""
    at = time if request.at is None else request.at
    return msgspec.structs.replace(request, at=at, model=model)


def _quarter(at: float | None) -> int | None:
    return None if at is None else int(at // QUARTER_S)


def _order(key: Key) -> tuple[bool, int, str]:
    quarter, model = key
    return quarter is None, quarter or 0, model or ""


def _part(requests: Sequence[Request], computed: float | None) -> UsagePart:
    total = UsageSum()
    for request in requests:
        total.add(request.usage or TokenUsage())
    times = [it.at for it in requests if it.at is not None]
    numbers = [it.requests for it in requests]
    reported = [it.cost_usd for it in requests if it.cost_usd is not None]
    return UsagePart(
        first_at=min(times, default=None),
        last_at=max(times, default=None),
        model=requests[0].model,
        usage=total.value,
        tokens=total.value.total,
        llm_calls=None if None in numbers else sum(n or 0 for n in numbers),
        reported_usd=fsum(reported) if reported else None,
        computed_usd=computed,
    )


def _with_active(parts: Sequence[UsagePart], active: Mapping[int, float]) -> list[UsagePart]:
    """The parts with the active time of their quarter, and of quarters before without an answer."""
    quarters = [quarter for part in parts if (quarter := _quarter(part.first_at)) is not None]
    if not active or len(quarters) < len(parts):
        return list(parts)
    seconds = [0.0] * len(parts)
    for quarter, known in active.items():
        at = min(bisect_left(quarters, quarter), len(parts) - 1)
        seconds[at] += known
    return [
        msgspec.structs.replace(part, active_s=s) for part, s in zip(parts, seconds, strict=True)
    ]
