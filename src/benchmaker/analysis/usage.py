"""Tokens, cost and time of coding tools, by day, tool, model, project or session."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from math import fsum
from typing import Any, Literal, get_args

from benchmaker.errors import SpecError
from benchmaker.record.submission import Submission, TokenUsage

By = Literal["day", "tool", "model", "project", "session"]
BYS: tuple[By, ...] = get_args(By)
"""What usage can be summed by."""

UNKNOWN = "unknown"
_DAYS = re.compile(r"(\d{1,4})d")
_KINDS = TokenUsage.__struct_fields__


@dataclass(frozen=True, slots=True)
class UsageRow:
    """The sums of one group.

    ``sessions`` had any part in it. Tokens stand by kind, None where no session tells. ``cost_usd``
    sums what sessions reported, else what was computed; ``sessions_unpriced`` have neither and are
    not in it. ``reported_usd`` and ``computed_usd`` are the sums of each where it is known.
    ``active_s`` and ``wall_s`` are None where the time of a session can't be split;
    ``sessions_active`` and ``sessions_wall`` say of how many sessions each is the sum.
    """

    key: str
    sessions: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    total_tokens: int | None = None
    llm_calls: int | None = None
    tool_calls: int | None = None
    cost_usd: float | None = None
    reported_usd: float | None = None
    computed_usd: float | None = None
    sessions_unpriced: int = 0
    active_s: float | None = None
    wall_s: float | None = None
    sessions_active: int = 0
    sessions_wall: int = 0


@dataclass(frozen=True, slots=True)
class UsageTable:
    """Usage by group, and over all. ``unpriced`` holds tokens by the model that has no price."""

    by: By
    rows: tuple[UsageRow, ...]
    total: UsageRow
    unpriced: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "by": self.by,
            "rows": [_plain(row) for row in self.rows],
            "total": _plain(self.total),
            "unpriced_tokens_by_model": self.unpriced,
        }


@dataclass(frozen=True, slots=True)
class _Share:
    """What one session puts into one group."""

    key: str
    usage: TokenUsage
    total: int | None
    llm_calls: int | None
    tool_calls: int | None
    reported_usd: float | None
    computed_usd: float | None
    active_s: float | None
    wall_s: float | None
    is_whole: bool = True

    @property
    def usd(self) -> float | None:
        return self.computed_usd if self.reported_usd is None else self.reported_usd


def usage(submissions: Iterable[Submission], *, by: By = "day", zone: tzinfo) -> UsageTable:
    """Sum up what sessions used.

    A session belongs to the day on which it began, in the time zone given; by model, its tokens
    and cost are split, its time is not. What is not known of a session is left out of a sum; where
    it is known of none, the sum is None.
    """
    groups: dict[str, list[_Share]] = {}
    whole: list[_Share] = []
    unpriced: Counter[str] = Counter()
    for it in submissions:
        whole.append(_whole(it, ""))
        _count_unpriced(it, unpriced)
        for share in _shares(it, by, zone):
            groups.setdefault(share.key, []).append(share)
    rows = [_row(key, shares) for key, shares in groups.items()]
    return UsageTable(
        by, tuple(_ordered(rows, by)), _row("total", whole), dict(sorted(unpriced.items()))
    )


def _shares(submission: Submission, by: By, zone: tzinfo) -> Iterator[_Share]:
    if by == "model":
        yield from _by_model(submission)
    else:
        yield _whole(submission, _key(submission, by, zone))


def _key(submission: Submission, by: By, zone: tzinfo) -> str:
    match by:
        case "day":
            return _day(submission.started_at, zone)
        case "tool":
            return submission.system.harness
        case "project":
            return submission.project or UNKNOWN
        case _:
            return submission.id


def _day(started_at: str | None, zone: tzinfo) -> str:
    if started_at is None:
        return UNKNOWN
    return datetime.fromisoformat(started_at).astimezone(zone).date().isoformat()


def _whole(submission: Submission, key: str) -> _Share:
    return _Share(
        key=key,
        usage=submission.usage,
        total=submission.total_tokens,
        llm_calls=submission.llm_calls,
        tool_calls=submission.tool_calls,
        reported_usd=submission.cost.reported_usd,
        computed_usd=submission.cost.computed_usd,
        active_s=submission.time.active_s,
        wall_s=submission.time.wall_s,
    )


def _by_model(submission: Submission) -> Iterator[_Share]:
    """A share for each model; all of it to the session's own where its models don't add up."""
    parts = submission.usage_by_model
    tokens = sum(part.usage.total or 0 for part in parts)
    if len(parts) <= 1 or tokens != submission.total_tokens:
        yield _whole(submission, submission.system.model or UNKNOWN)
        return
    for part in parts:
        yield _Share(
            key=part.model or UNKNOWN,
            usage=part.usage,
            total=part.usage.total,
            llm_calls=part.llm_calls,
            tool_calls=None,
            reported_usd=part.cost_usd,
            computed_usd=part.computed_usd,
            active_s=None,
            wall_s=None,
            is_whole=False,
        )


def _count_unpriced(submission: Submission, counts: "Counter[str]") -> None:
    if submission.cost.usd is not None or not submission.total_tokens:
        return
    shares = list(_by_model(submission))
    missing = [it for it in shares if it.usd is None] or shares
    for share in missing:
        counts[share.key] += share.total or 0


def _row(key: str, shares: list[_Share]) -> UsageRow:
    costs = [it.usd for it in shares]
    return UsageRow(
        key=key,
        sessions=len(shares),
        usage=_summed([it.usage for it in shares]),
        total_tokens=_count([it.total for it in shares]),
        llm_calls=_count([it.llm_calls for it in shares]),
        tool_calls=_count([it.tool_calls for it in shares]),
        cost_usd=_amount(costs),
        reported_usd=_amount([it.reported_usd for it in shares]),
        computed_usd=_amount([it.computed_usd for it in shares]),
        sessions_unpriced=sum(it.usd is None and bool(it.total) for it in shares),
        active_s=_time(shares, "active_s"),
        wall_s=_time(shares, "wall_s"),
        sessions_active=sum(it.active_s is not None for it in shares),
        sessions_wall=sum(it.wall_s is not None for it in shares),
    )


def _summed(usages: list[TokenUsage]) -> TokenUsage:
    return TokenUsage(**{kind: _count([getattr(it, kind) for it in usages]) for kind in _KINDS})


def _count(values: Iterable[int | None]) -> int | None:
    known = [n for n in values if n is not None]
    return sum(known) if known else None


def _amount(values: Iterable[float | None]) -> float | None:
    known = [n for n in values if n is not None]
    return fsum(known) if known else None


def _time(shares: list[_Share], name: str) -> float | None:
    return (
        _amount([getattr(it, name) for it in shares]) if all(it.is_whole for it in shares) else None
    )


def _ordered(rows: list[UsageRow], by: By) -> list[UsageRow]:
    """Days from the first on, anything else by cost, then tokens, the most first."""
    if by == "day":
        return sorted(rows, key=lambda row: (row.key == UNKNOWN, row.key))
    return sorted(rows, key=lambda row: (-(row.cost_usd or 0), -(row.total_tokens or 0), row.key))


def _plain(row: UsageRow) -> dict[str, Any]:
    figures = {name: getattr(row, name) for name in row.__dataclass_fields__ if name != "usage"}
    return figures | {"usage": {kind: getattr(row.usage, kind) for kind in _KINDS}}


def start_of(text: str | None, zone: tzinfo) -> str | None:
    """The start of a day (``2026-02-28``, or ``7d`` for seven days ago) in UTC, as it is stored.

    Raises:
        SpecError: the text is no day.
    """
    if not text:
        return None
    days = _DAYS.fullmatch(text)
    try:
        day = (
            datetime.now(zone).date() - timedelta(days=int(days[1]))
            if days
            else datetime.fromisoformat(text).date()
        )
    except (ValueError, OverflowError) as exc:
        raise SpecError(f"{text!r} is no day.", hint="Write 2026-02-28, or 7d.") from exc
    start = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    return start.isoformat(timespec="milliseconds")[:-6] + "Z"
