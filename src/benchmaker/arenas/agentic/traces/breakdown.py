"""Time and cost of a session by part."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import fsum, inf

from benchmaker.arenas.agentic.sessions.pricing import PARTS
from benchmaker.arenas.agentic.sessions.sums import UsageSum
from benchmaker.arenas.agentic.traces.steps import ToolUse, TraceStep
from benchmaker.record.submissions.submission import Submission, TokenUsage

DEAREST = 10
"""Number of the most expensive steps listed."""
_PARTS_OF_TIME = ("model", "tools", "person")
_SOONEST_FIRST = ("interruption", "person", "tools", "model", "other")


@dataclass(frozen=True, slots=True)
class TimeSplit:
    """Seconds of a session, by the event that ended each gap between two rows of the log.

    ``model_s`` ended with an answer, ``tools_s`` with a tool's result, waiting for a permission
    included, ``person_s`` with a prompt or a reply to a question of a tool. ``unknown_s`` is the
    rest of ``total_s``: gaps ended by an interruption, gaps before an answer longer than the
    session's gap limit, and the time before the first row and after the last. Agents that work at
    the same time share one clock, so the parts add up to the total.
    """

    total_s: float
    model_s: float
    tools_s: float
    person_s: float
    unknown_s: float
    long_gaps: tuple[float, ...] = ()
    """The gaps that are longer than the limit, which are no activity; the longest first."""


@dataclass(frozen=True, slots=True)
class ToolTotals:
    """The totals of one tool; ``seconds`` adds up its calls, including concurrent ones."""

    name: str
    calls: int
    errors: int
    repeated: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Spent:
    """One part of the cost: dollars as computed or reported, tokens, requests.

    ``usd`` is None if no cost is known, ``unpriced`` counts requests without one.
    """

    key: str
    usd: float | None
    tokens: int | None
    requests: int
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class Money:
    """The cost by part. ``basis`` is the source of the dollars: computed, else reported.

    ``total_usd`` is that of all requests; ``by_part`` is computed only. ``dearest`` are numbers of
    steps with their dollars, most expensive first.
    """

    basis: str
    total_usd: float | None
    by_model: tuple[Spent, ...]
    by_part: tuple[Spent, ...]
    by_agent: tuple[Spent, ...]
    dearest: tuple[tuple[int, float], ...]


def time_split(moments: Iterable[tuple[float, str]], submission: Submission) -> TimeSplit | None:
    """The split of a session's time; None where its log has none."""
    limit = submission.time.gap_limit_s
    ends = [
        (at, _gap_cause(tuple(kinds)))
        for at, kinds in groupby(sorted(moments), key=lambda it: it[0])
    ]
    if len(ends) <= 1:
        return None
    gaps = [(what, at - before) for (before, _), (at, what) in pairwise(ends)]
    long = [gap for _, gap in gaps if limit is not None and gap > limit]
    model, tools, person = (_part(name, gaps, limit) for name in _PARTS_OF_TIME)
    known = model + tools + person
    wall = submission.time.wall_s
    total = wall if wall is not None and wall >= known - 1e-6 else ends[-1][0] - ends[0][0]
    rest = round(max(0.0, total - known), 6)
    return TimeSplit(round(total, 6), model, tools, person, rest, tuple(sorted(long, reverse=True)))


def _part(name: str, gaps: Sequence[tuple[str, float]], limit: float | None) -> float:
    """The sum of the gaps that ended with that; a model is idle beyond the limit."""
    most = limit if name == "model" and limit is not None else inf
    return round(fsum(gap for what, gap in gaps if what == name and gap <= most), 6)


def _gap_cause(kinds: Iterable[tuple[float, str]]) -> str:
    """Return the cause that ended the gap before a moment."""
    there = {kind for _, kind in kinds}
    return next(kind for kind in _SOONEST_FIRST if kind in there)


def tool_totals(steps: Iterable[TraceStep]) -> tuple[ToolTotals, ...]:
    """Each tool's calls, the most called first."""
    calls = [call for step in steps for call in step.calls if call.counted and call.name]
    names = Counter(call.name for call in calls)
    return tuple(
        _tool(name, [call for call in calls if call.name == name])
        for name in sorted(names, key=lambda name: (-names[name], name))
    )


def _tool(name: str, calls: Sequence[ToolUse]) -> ToolTotals:
    known = [it.duration_s for it in calls if it.duration_s is not None]
    return ToolTotals(
        name,
        len(calls),
        sum(it.is_error for it in calls),
        sum(it.repeats is not None for it in calls),
        round(fsum(known), 6) if known else None,
    )


def spending_of(steps: Iterable[TraceStep]) -> Money:
    """Return the cost of these steps by part."""
    paid = [step for step in steps if step.usage is not None or step.reported_usd is not None]
    paid = [step for step in paid if step.counted]
    is_computed = any(step.usd is not None for step in paid)

    def usd(step: TraceStep) -> float | None:
        return step.usd if is_computed else step.reported_usd

    priced = [(step.number, cost) for step in paid if (cost := usd(step))]
    known = [cost for step in paid if (cost := usd(step)) is not None]
    return Money(
        basis="computed" if is_computed else "reported",
        total_usd=fsum(known) if known else None,
        by_model=_group_spending(paid, lambda step: step.model or "unknown", usd),
        by_part=_by_part(paid),
        by_agent=_group_spending(paid, _agent, usd),
        dearest=tuple(sorted(priced, key=lambda it: (-it[1], it[0]))[:DEAREST]),
    )


def _agent(step: TraceStep) -> str:
    return f"{step.name} ({step.agent})" if step.agent and step.agent != step.name else step.name


def _group_spending(
    steps: Sequence[TraceStep],
    key: Callable[[TraceStep], str],
    usd: Callable[[TraceStep], float | None],
) -> tuple[Spent, ...]:
    groups: dict[str, list[TraceStep]] = {}
    for step in steps:
        groups.setdefault(key(step), []).append(step)
    rows = [_spending_row(name, of, [usd(step) for step in of]) for name, of in groups.items()]
    return tuple(sorted(rows, key=lambda row: (-(row.usd or 0), -(row.tokens or 0), row.key)))


def _spending_row(key: str, steps: Sequence[TraceStep], costs: Sequence[float | None]) -> Spent:
    known = [cost for cost in costs if cost is not None]
    tokens = UsageSum()
    for step in steps:
        tokens.add(step.usage or TokenUsage())
    return Spent(
        key,
        fsum(known) if known else None,
        tokens.value.total,
        sum(step.requests or 0 for step in steps),
        len(costs) - len(known),
    )


def _by_part(steps: Sequence[TraceStep]) -> tuple[Spent, ...]:
    """Dollars and tokens of each kind, in the order of the kinds; those with neither are left out.

    Tokens of requests without a price count, too.
    """
    total = UsageSum()
    for step in steps:
        total.add(step.usage or TokenUsage())
    rows = []
    for at, part in enumerate(PARTS):
        costs = [step.parts_usd[at] for step in steps if step.parts_usd]
        tokens = getattr(total.value, part, None)
        if tokens or any(costs):
            rows.append(Spent(part, fsum(costs) if costs else None, tokens, len(costs)))
    return tuple(rows)
