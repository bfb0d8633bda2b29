"""The derivation of a submission's tokens, time and cost."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any

from benchmaker.arenas.agentic.sessions.pricing import PARTS
from benchmaker.arenas.agentic.traces.steps import TraceStep
from benchmaker.arenas.agentic.traces.trace import Trace
from benchmaker.record.counts import count
from benchmaker.report.sentences.figures import (
    KINDS,
    missing_words,
    submission_facts,
    time_range,
    why_no_cost,
    without_earlier_tries,
)
from benchmaker.report.sentences.trace_words import doubts
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, wrap_paragraphs
from benchmaker.report.tables.width import WIDTH

_REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Term:
    """One product of the cost: tokens of a kind (or requests) of a model × their rate.

    ``rate_usd`` is per million tokens, or for each request. The same model has several terms for a
    kind where its rate depends on the size of a request or on the day.
    """

    model: str
    part: str
    amount: int
    rate_usd: float
    usd: float


def terms(trace: Trace) -> list[Term]:
    """The products that the computed cost is the sum of, by model, kind and rate."""
    groups: dict[tuple[str, int, float], list[tuple[int, float]]] = {}
    for model, at, amount, usd in _products(trace):
        rate = usd if PARTS[at] == _REQUEST else usd / amount * 1e6
        groups.setdefault((model, at, float(f"{rate:.9g}")), []).append((amount, usd))
    return [
        Term(model, PARTS[at], sum(n for n, _ in of), rate, fsum(usd for _, usd in of))
        for (model, at, rate), of in sorted(groups.items())
    ]


def _products(trace: Trace) -> Iterator[tuple[str, int, int, float]]:
    for step in _priced_steps(trace):
        for at, usd in enumerate(step.parts_usd):
            is_request = PARTS[at] == _REQUEST
            amount = (step.requests or 0) if is_request else getattr(step.usage, PARTS[at]) or 0
            if amount and (usd or not is_request):
                yield step.model or "unknown", at, amount, usd


def _priced_steps(trace: Trace) -> list[TraceStep]:
    return [step for step in trace.walk() if step.counted and step.parts_usd]


def same_digits(trace: Trace) -> bool | None:
    """True if pricing the requests now gives exactly the stored cost; None if undefined."""
    stored = trace.submission.cost.computed_usd
    is_sum = trace.submission.cost.method == "per request"
    if stored is None or not is_sum or trace.money.basis != "computed":
        return None
    return trace.money.total_usd == stored


def explained_data(trace: Trace) -> dict[str, Any]:
    """The arithmetic as plain data."""
    it = trace.submission
    return {
        "submission": it.id,
        "id": it.row_id,
        "tokens": {
            "requests": _requests(trace),
            "steps": {row.key: row.tokens for row in trace.money.by_model},
            "total": it.total_tokens,
            "stated": [
                {"name": one.name, "log": one.submission, "steps": one.steps}
                for one in trace.differences
            ],
        },
        "time": {
            "started_at": it.started_at,
            "finished_at": it.finished_at,
            "wall_s": it.time.wall_s,
            "active_s": it.time.active_s,
            "gap_limit_s": it.time.gap_limit_s,
            "queue_s": it.time.queue_s,
            "long_gaps_s": list(trace.time.long_gaps) if trace.time else [],
        },
        "cost": {
            "reported_usd": it.cost.reported_usd,
            "computed_usd": it.cost.computed_usd,
            "gap_usd": it.cost.gap_usd,
            "method": it.cost.method,
            "rate_card": it.cost.rate_card,
            "as_of": it.cost.as_of,
            "earlier_tries": it.cost.earlier_tries,
            "unpriced": list(it.cost.unpriced),
            "terms": [
                {
                    "model": term.model,
                    "kind": term.part,
                    "amount": term.amount,
                    "rate_usd": term.rate_usd,
                    "usd": term.usd,
                }
                for term in terms(trace)
            ],
            "recomputed_usd": trace.money.total_usd if trace.money.basis == "computed" else None,
            "recomputed_rate_card": trace.rate_card,
            "same_digits": same_digits(trace),
        },
    }


def explained_text(trace: Trace, *, width: int = WIDTH, styled: bool = False) -> str:
    """Return the arithmetic as readable text."""
    parts = [
        wrap_paragraphs(submission_facts(trace.submission)[:3], width),
        _tokens(trace, width, styled=styled),
        wrap_paragraphs(["Time", *_time(trace)], width),
        _cost(trace, width, styled=styled),
        wrap_paragraphs(doubts(trace), width),
    ]
    return "\n".join(part for part in parts if part)


def _requests(trace: Trace) -> int:
    return sum(1 for step in trace.walk() if step.usage is not None and step.counted)


def _tokens(trace: Trace, width: int, *, styled: bool) -> str:
    it = trace.submission
    rows = []
    for kind, label in KINDS.items():
        n = getattr(it.usage, kind, None)
        if n is not None:
            rows.append((label, f"{n:,}"))
    total = it.total_tokens
    rows.append(("Sum", missing_words(it, "total_tokens") if total is None else f"{total:,}"))
    columns = (Column("", is_right=False), Column("Tokens"))
    counted = f"{count(_requests(trace), 'request')} with tokens, each counted once"
    stated = [one for one in trace.differences if one.name == "total_tokens"]
    how = f"stated in the log, replacing the sum over {counted}" if stated else counted
    return Table(columns, tuple(rows), caption=f"Tokens: {how}").text(width=width, styled=styled)


def _time(trace: Trace) -> Iterator[str]:
    it = trace.submission.time
    if it.wall_s is None:
        shown = missing_words(trace.submission, "time.wall_s", "")
        yield f"Time: {shown}." if shown else "The log has no times."
        return
    label = trace.submission.provenance.get("time.wall_s", "")
    if label == "computed" and time_range(trace.submission):
        span = f"{trace.submission.finished_at} − {trace.submission.started_at}"
        yield f"wall = last row − first row = {span} = {it.wall_s:,.3f} s"
    else:
        how = "measured" if label == "measured" else "stated in the log"
        yield f"wall = {it.wall_s:,.3f} s, {how}"
    yield from _active_time(trace, it.wall_s)


def _active_time(trace: Trace, wall_s: float) -> Iterator[str]:
    it, split = trace.submission.time, trace.time
    if it.active_s is None:
        yield "active: unknown"
        return
    left_out = wall_s - it.active_s
    terms = f"{wall_s:,.3f} − {left_out:,.3f} = {it.active_s:,.3f} s"
    if trace.submission.provenance.get("time.queue_s") == "measured":
        yield f"active = wall − queue at the gateway = {terms}"
        return
    if it.gap_limit_s is None:
        yield f"active: {it.active_s:,.3f} s, stated in the log"
        return
    yield f"active = wall − gaps over {it.gap_limit_s:g} s = {terms}"
    gaps = split.long_gaps if split else ()
    if gaps and abs(fsum(gaps) - left_out) < 1e-3:  # noqa: PLR2004  a millisecond
        listed = " + ".join(f"{gap:,.3f}" for gap in gaps[:5])
        more = f" + {len(gaps) - 5} more" if len(gaps) > 5 else ""  # noqa: PLR2004  as listed
        yield f"{count(len(gaps), 'gap')} excluded: {listed}{more} s"


def _cost(trace: Trace, width: int, *, styled: bool) -> str:
    rows = tuple(
        (
            sanitise(term.model),
            KINDS[term.part],
            f"{term.amount:,}",
            _rate(term),
            f"${term.usd:.10f}",
        )
        for term in terms(trace)
    )
    columns = (
        Column("Model", is_right=False),
        Column("Kind", is_right=False),
        Column("Amount"),
        Column("Rate"),
        Column("Dollars"),
    )
    caption = f"Cost, computed request by request with {sanitise(trace.rate_card)}"
    table = Table(columns, rows, caption=caption).text(width=width, styled=styled) if rows else ""
    return table + wrap_paragraphs(_cost_lines(trace), width)


def _cost_lines(trace: Trace) -> Iterator[str]:
    it = trace.submission.cost
    sum_ = trace.money.total_usd
    left_out = without_earlier_tries(trace.submission)
    if it.computed_usd is None:
        yield f"Computed: unknown ({why_no_cost(trace.submission)}){left_out}."
    elif it.method == "per request":
        yield f"Computed: {it.computed_usd!r} dollars, sum over the requests."
    else:
        total = "the session's total" if it.method else "as given"
        yield f"Computed: {it.computed_usd!r} dollars, from {total}{left_out}."
    same = same_digits(trace)
    if same is not None:
        told = "the same cost" if same else f"{sum_!r} dollars with {sanitise(trace.rate_card)}"
        yield f"Recomputed now: {told}."
    if it.reported_usd is not None:
        yield f"Reported by the log: {it.reported_usd!r} dollars."
    elif shown := missing_words(trace.submission, "cost.reported_usd", ""):
        yield f"Reported: {shown}."
    if it.gap_usd is not None:
        yield f"Computed − reported: {numbers.fixed_point(it.gap_usd, 6, signed=True)} dollars."
    if it.as_of:
        yield f"Prices of {it.as_of}, not of the day of each request."


def _rate(term: Term) -> str:
    return f"${term.rate_usd:g} each" if term.part == _REQUEST else f"${term.rate_usd:g}/M"
