"""Usage in blocks of five hours, the window of subscription limits: burn rate and projection.

A block begins on the full hour (UTC) before its first answer and lasts five hours. The next begins
with the first answer after its end, or after five hours without an answer. Each tool has its own
blocks, since each has its own limit.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

from benchmaker.analysis.usage.session_usage import (
    ExcludedUsage,
    SessionUsage,
    TimeSpan,
    UsageRow,
    sums_of,
    without_time,
)
from benchmaker.documents import FIRST, Document, document_of, listed, plain
from benchmaker.record.submissions.usage_part import UsagePart

HOURS = 5
_HOUR_S = 3600.0
BLOCK_S = HOURS * _HOUR_S


@dataclass(frozen=True, slots=True)
class BurnRate:
    """The rate of usage from a block's first answer to its last; None for unknown figures."""

    tokens_per_minute: float | None
    fresh_tokens_per_minute: float | None
    usd_per_hour: float | None


@dataclass(frozen=True, slots=True)
class Projection:
    """The usage at the end of a block if its burn rate continues."""

    remaining_minutes: float
    total_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class UsageBlock:
    """One block of one tool; ``totals`` are its sums.

    Times are ISO 8601 in UTC. ``first_at`` and ``last_at`` are those of its first and last answer.
    ``burn_rate`` is None if all answers have the same time, ``projection`` also if the block is
    over.
    """

    tool: str
    start: str
    end: str
    is_active: bool
    totals: UsageRow
    burn_rate: BurnRate | None = None
    projection: Projection | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the sums are at the same level, without the key of a row."""
        sums = document_of(self.totals)
        del sums["key"]
        return {
            "tool": self.tool,
            "start": self.start,
            "end": self.end,
            "is_active": self.is_active,
            **sums,
            "burn_rate": plain(self.burn_rate),
            "projection": plain(self.projection),
        }


@dataclass(frozen=True, slots=True)
class UsageBlocks(Document):
    """Blocks by time; ``total`` sums all of them."""

    blocks: tuple[UsageBlock, ...]
    total: UsageRow = field(default_factory=lambda: UsageRow("total"))
    left_out: ExcludedUsage = field(default_factory=ExcludedUsage)

    @property
    @listed(after=FIRST)
    def hours(self) -> int:
        """The length of a block."""
        return HOURS


class _TimedPart(NamedTuple):
    """A part of a session that has a time."""

    tool: str
    at: float
    session: SessionUsage
    part: UsagePart


def usage_blocks(
    sessions: Iterable[SessionUsage],
    *,
    now: float,
    window: TimeSpan | None = None,
    active_only: bool = False,
) -> UsageBlocks:
    """The blocks of all tools, by time.

    Args:
        sessions: with their parts; a part without a time is in no block, but in ``left_out``
            where all blocks are listed.
        now: seconds since 1970.
        window: only blocks that begin within it.
        active_only: only blocks that are not over.
    """
    span = window or TimeSpan()
    sessions = list(sessions)
    listed: list[tuple[UsageBlock, list[_TimedPart]]] = []
    for tool, parts in groupby(sorted(_timed_parts(sessions), key=_order), key=lambda it: it.tool):
        for start, some in _split_blocks(parts):
            block = _block(tool, start, some, now)
            if start in span and (block.is_active or not active_only):
                listed.append((block, some))
    listed.sort(key=lambda it: (it[0].start, it[0].tool))
    total = _sums("total", [it for _, some in listed for it in some])
    blocks = tuple(block for block, _ in listed)
    if active_only:
        return UsageBlocks(blocks, total)
    return UsageBlocks(blocks, total, _without_time(sessions))


def _without_time(sessions: Iterable[SessionUsage]) -> ExcludedUsage:
    """The usage that lies in no block."""
    parts = [(one, part) for one in sessions for part in one.parts if part.first_at is None]
    return without_time(sums_of("without time", parts))


def _timed_parts(sessions: Iterable[SessionUsage]) -> Iterator[_TimedPart]:
    for session in sessions:
        for part in session.parts:
            if part.first_at is not None:
                yield _TimedPart(session.submission.system.harness, part.first_at, session, part)


def _order(timed: _TimedPart) -> tuple[str, float]:
    return timed.tool, timed.at


def _split_blocks(parts: Iterable[_TimedPart]) -> Iterator[tuple[float, list[_TimedPart]]]:
    """The parts of one tool, block by block, each with its start."""
    start, last = 0.0, 0.0
    block: list[_TimedPart] = []
    for it in parts:
        if block and (it.at >= start + BLOCK_S or it.at - last > BLOCK_S):
            yield start, block
            block = []
        if not block:
            start = it.at // _HOUR_S * _HOUR_S
        last = max(last, _last_time(it))
        block.append(it)
    if block:
        yield start, block


def _last_time(timed: _TimedPart) -> float:
    return timed.at if timed.part.last_at is None else timed.part.last_at


def _block(tool: str, start: float, parts: Sequence[_TimedPart], now: float) -> UsageBlock:
    totals = _sums(_iso(start), parts)
    last = max(_last_time(it) for it in parts)
    end = start + BLOCK_S
    is_active = start <= now < end and now - last < BLOCK_S
    rate = _burn_rate(totals, (last - parts[0].at) / 60)
    return UsageBlock(
        tool=tool,
        start=_iso(start),
        end=_iso(end),
        is_active=is_active,
        totals=totals,
        burn_rate=rate,
        projection=_projection(totals, rate, (end - now) / 60) if rate and is_active else None,
    )


def _burn_rate(totals: UsageRow, minutes: float) -> BurnRate | None:
    if minutes <= 0:
        return None
    total, fresh, usd = totals.total_tokens, totals.usage.fresh_tokens, totals.cost_usd
    return BurnRate(
        tokens_per_minute=None if total is None else total / minutes,
        fresh_tokens_per_minute=None if fresh is None else fresh / minutes,
        usd_per_hour=None if usd is None else usd / minutes * 60,
    )


def _projection(totals: UsageRow, rate: BurnRate, minutes: float) -> Projection:
    total, each = totals.total_tokens, rate.tokens_per_minute
    usd, hourly = totals.cost_usd, rate.usd_per_hour
    return Projection(
        remaining_minutes=minutes,
        total_tokens=None if total is None or each is None else round(total + each * minutes),
        cost_usd=None if usd is None or hourly is None else usd + hourly / 60 * minutes,
    )


def _sums(key: str, parts: Iterable[_TimedPart]) -> UsageRow:
    return sums_of(key, [(it.session, it.part) for it in parts])


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")[:-6] + "Z"
