"""Tokens, cost and time of coding tools, by day, week, month, tool, model, project or session.

Tokens and cost belong to the time of the answer, so that a session over three days counts in each
of them. A figure known only for a whole session counts if the whole session is in one group.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from itertools import chain
from math import fsum
from typing import Annotated, Literal, NamedTuple, get_args

import msgspec

from benchmaker.analysis.usage.parts import whole_parts
from benchmaker.documents import Document, Key
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import Submission, TokenUsage
from benchmaker.record.submissions.usage_part import UsagePart
from benchmaker.record.timestamps import optional_timestamp

By = Literal["day", "week", "month", "tool", "model", "project", "session"]
BYS: tuple[By, ...] = get_args(By)
"""The dimensions by which usage can be summed."""

IN_ORDER = ("day", "week", "month")
"""Groups that are listed in the order of time; others are listed by cost."""

UNKNOWN = "unknown"
MONDAY = 0
_KINDS = TokenUsage.__struct_fields__


def _every_kind(usage: TokenUsage) -> dict[str, int | None]:
    """The tokens of each kind, of those that nobody reports too."""
    return msgspec.structs.asdict(usage)


class SessionUsage(NamedTuple):
    """A session, and the parts that its usage is divided into."""

    submission: Submission
    parts: tuple[UsagePart, ...]


@dataclass(frozen=True, slots=True)
class UsageRow:
    """The sums of one group.

    ``sessions`` counts those with any part in it. ``usage`` holds tokens by kind, None where no
    session reports them. ``cost_usd`` sums the reported costs, else the computed ones;
    ``sessions_unpriced`` counts sessions with tokens that have neither and are not in it.
    ``divided_usd`` is the part of it that tools report for whole sessions only, divided among their
    answers. ``sessions_without_tokens`` counts those that report no tokens; their other figures are
    in the sums. ``reported_usd`` and ``computed_usd`` are the sums of each where it is known.
    ``active_s`` and ``wall_s`` are None where the time of a session can't be split;
    ``active_s_at_least`` is then the time of the others.
    ``sessions_active`` and ``sessions_wall`` count the sessions in these sums. ``tool_calls`` is
    None if a session lies partly in another group; ``tool_calls_at_least`` is then the number of
    the others. ``first_at`` and ``last_at`` are the times
    of the first and the last answer. ``models`` has a row for each model, ``tools`` and
    ``projects`` name the tools and the folders.
    """

    key: str
    sessions: int = 0
    usage: Annotated[TokenUsage, Key(after="projects", form=_every_kind)] = field(
        default_factory=TokenUsage
    )
    total_tokens: int | None = None
    llm_calls: int | None = None
    tool_calls: int | None = None
    cost_usd: float | None = None
    reported_usd: float | None = None
    computed_usd: float | None = None
    divided_usd: float | None = None
    sessions_unpriced: int = 0
    sessions_without_tokens: int = 0
    active_s: float | None = None
    wall_s: float | None = None
    sessions_active: int = 0
    sessions_wall: int = 0
    active_s_at_least: float | None = None
    tool_calls_at_least: int | None = None
    first_at: str | None = None
    last_at: str | None = None
    tools: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    models: "tuple[UsageRow, ...]" = ()

    @property
    def known_active_s(self) -> float | None:
        """The active time of the sessions whose time in this group is known."""
        return self.active_s_at_least if self.active_s is None else self.active_s

    @property
    def is_active_partial(self) -> bool:
        """True if that is the time of some of the sessions only."""
        return self.known_active_s is not None and self.sessions_active < self.sessions


@dataclass(frozen=True, slots=True)
class ExcludedUsage(Document):
    """The number of stored submissions that match a query but are excluded from its sums.

    ``benchmark_trials`` come from imported benchmarks and leaderboards, ``table_rows`` from plain
    tables, and ``sessions_without_folder`` cannot be matched to the requested project.
    ``sessions_without_time`` are in no block and in no window of days, at least for a part of their
    usage; ``tokens_without_time`` and ``usd_without_time`` are their usage.
    """

    benchmark_trials: int = 0
    table_rows: int = 0
    sessions_without_folder: int = 0
    sessions_without_time: int = 0
    tokens_without_time: int | None = None
    usd_without_time: float | None = None

    @property
    def imported_text(self) -> str:
        """The imported benchmarks and tables in words; empty if there are none."""
        trials = count(self.benchmark_trials, "trial") + " of imported benchmarks"
        rows = count(self.table_rows, "row") + " of tables"
        known = [(self.benchmark_trials, trials), (self.table_rows, rows)]
        return " and ".join(words for number, words in known if number)

    @property
    def without_folder_text(self) -> str:
        """The sessions without a folder in words; empty if there are none."""
        number = self.sessions_without_folder
        return f"{count(number, 'session')} without a folder" if number else ""


@dataclass(frozen=True, slots=True)
class UsageTable(Document):
    """Usage by group, and over all. ``unpriced`` holds tokens by the model that has no price."""

    by: By
    rows: tuple[UsageRow, ...]
    total: UsageRow
    unpriced: Annotated[dict[str, int], Key("unpriced_tokens_by_model")]
    left_out: ExcludedUsage = field(default_factory=ExcludedUsage)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time span in seconds since 1970, its end not included; None where it is open.

    >>> 5.0 in TimeSpan(5.0, 6.0), 6.0 in TimeSpan(5.0, 6.0), 7.0 in TimeSpan()
    (True, False, True)
    """

    since: float | None = None
    until: float | None = None

    def __contains__(self, at: float | None) -> bool:
        if at is None:
            return self.since is None and self.until is None
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


class _Share(NamedTuple):
    """One part of a session, and the number of parts of that session."""

    submission: Submission
    part: UsagePart
    parts: int

    @property
    def usd(self) -> float | None:
        """The reported cost where the session reports any, else the computed one."""
        if self.submission.cost.reported_usd is not None:
            return self.part.reported_usd
        return self.part.computed_usd

    @property
    def is_unpriced(self) -> bool:
        return self.usd is None and bool(self.part.tokens)

    @property
    def model(self) -> str:
        return self.part.model or UNKNOWN


def summarise_usage(
    sessions: Iterable[Submission | SessionUsage],
    *,
    by: By = "day",
    zone: tzinfo | None,
    window: TimeSpan | None = None,
    week_begins: int = MONDAY,
) -> UsageTable:
    """Sum up the usage of sessions.

    Args:
        sessions: sessions with their parts; a bare submission is divided by model, at its start.
        by: the grouping.
        zone: the time zone of the days; None for this machine's.
        window: only answers within it count; those without a time are then in ``left_out``.
        week_begins: the first day of a week, 0 for Monday.

    Returns: The sums. A figure unknown for a session is excluded from its sum; one unknown for all
        is None.
    """
    span = window or TimeSpan()
    groups: dict[str, list[_Share]] = {}
    whole: list[_Share] = []
    untimed: list[_Share] = []
    key = _key_by(by, zone, week_begins)
    for share in chain.from_iterable(map(_shares, sessions)):
        if share.part.first_at in span:
            whole.append(share)
            groups.setdefault(key(share), []).append(share)
        elif share.part.first_at is None:
            untimed.append(share)
    rows = [_row(name, shares, by) for name, shares in groups.items()]
    total = _row("total", whole)
    left_out = without_time(_row("without time", untimed))
    return UsageTable(by, tuple(_sort_rows(rows, by)), total, _unpriced_tokens(whole), left_out)


def without_time(sums: UsageRow) -> ExcludedUsage:
    """Return the excluded usage, from the sums of the parts without a time."""
    return ExcludedUsage(
        sessions_without_time=sums.sessions,
        tokens_without_time=sums.total_tokens,
        usd_without_time=sums.cost_usd,
    )


def sums_of(key: str, parts: Iterable[tuple[SessionUsage, UsagePart]]) -> UsageRow:
    """The sums of some parts."""
    return _row(key, [_Share(one.submission, part, len(one.parts)) for one, part in parts])


def _shares(one: Submission | SessionUsage) -> Iterator[_Share]:
    session = one if isinstance(one, SessionUsage) else SessionUsage(one, whole_parts(one))
    for part in session.parts:
        yield _Share(session.submission, part, len(session.parts))


def _key_by(by: By, zone: tzinfo | None, week_begins: int) -> Callable[[_Share], str]:
    match by:
        case "tool":
            return lambda share: share.submission.system.harness
        case "model":
            return lambda share: share.model
        case "project":
            return lambda share: share.submission.project or UNKNOWN
        case "session":
            return lambda share: share.submission.id
        case _:
            return lambda share: _period(share.part.first_at, by, zone, week_begins)


def _period(at: float | None, by: By, zone: tzinfo | None, week_begins: int) -> str:
    """The day, the first day of the week, or the month."""
    if at is None:
        return UNKNOWN
    day = datetime.fromtimestamp(at, zone).date()
    if by == "week":
        day -= timedelta(days=(day.weekday() - week_begins) % 7)
    return f"{day:%Y-%m}" if by == "month" else day.isoformat()


def _row(key: str, shares: Sequence[_Share], by: By | None = None) -> UsageRow:
    """The sums of a group, with those of each model in it."""
    models: dict[str, list[_Share]] = {}
    for share in shares:
        models.setdefault(share.model, []).append(share)
    submissions = [some[0].submission for some in _by_session(shares)]
    tools = sorted({it.system.harness for it in submissions})
    projects = sorted({it.project for it in submissions if it.project})
    rows = [_sums(name, some, by="model") for name, some in models.items()]
    whole = _sums(key, shares, by=by)
    return replace(
        whole,
        tools=tuple(tools),
        projects=tuple(projects),
        models=tuple(_sort_rows(rows, "model")),
    )


def _sums(key: str, shares: Sequence[_Share], *, by: By | None) -> UsageRow:
    sessions = _by_session(shares)
    active = [_active_s(some, by) for some in sessions]
    wall = [some[0].submission.time.wall_s if _is_whole(some) else None for some in sessions]
    is_split = [not _is_whole(some) for some in sessions]
    is_cut = any(split and s is None for split, s in zip(is_split, active, strict=True))
    calls = _count([it[0].submission.tool_calls for it in sessions if _is_whole(it)])
    firsts = [it.part.first_at for it in shares if it.part.first_at is not None]
    lasts = [it.part.last_at for it in shares if it.part.last_at is not None]
    divided = [it.usd for it in shares if it.part.is_divided]
    return UsageRow(
        key=key,
        sessions=len(sessions),
        usage=_sum_tokens([it.part.usage for it in shares]),
        total_tokens=_count([it.part.tokens for it in shares]),
        llm_calls=_count([it.part.llm_calls for it in shares]),
        tool_calls=None if any(is_split) else calls,
        cost_usd=_amount([it.usd for it in shares]),
        reported_usd=_amount([it.part.reported_usd for it in shares]),
        computed_usd=_amount([it.part.computed_usd for it in shares]),
        divided_usd=_amount(divided),
        sessions_unpriced=sum(any(it.is_unpriced for it in some) for some in sessions),
        sessions_without_tokens=sum(
            all(it.part.tokens is None for it in some) for some in sessions
        ),
        active_s=None if is_cut else _amount(active),
        active_s_at_least=_amount(active) if is_cut else None,
        wall_s=None if any(is_split) else _amount(wall),
        tool_calls_at_least=calls if any(is_split) else None,
        sessions_active=sum(s is not None for s in active),
        sessions_wall=sum(s is not None for s in wall),
        first_at=optional_timestamp(min(firsts, default=None)),
        last_at=optional_timestamp(max(lasts, default=None)),
    )


def _by_session(shares: Iterable[_Share]) -> list[list[_Share]]:
    found: dict[int, list[_Share]] = {}
    for share in shares:
        found.setdefault(id(share.submission), []).append(share)
    return list(found.values())


def _is_whole(shares: Sequence[_Share]) -> bool:
    """True if these are all parts of their session."""
    return len(shares) == shares[0].parts


def _active_s(shares: Sequence[_Share], by: By | None) -> float | None:
    """The active time of one session in a group; agents of several models share one clock."""
    if _is_whole(shares):
        return shares[0].submission.time.active_s
    known = [it.part.active_s for it in shares]
    if by == "model" or None in known:
        return None
    return _amount(known)


def _unpriced_tokens(shares: Iterable[_Share]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for share in shares:
        if share.is_unpriced:
            counts[share.model] += share.part.tokens or 0
    return dict(sorted(counts.items()))


def _sum_tokens(usages: list[TokenUsage]) -> TokenUsage:
    return TokenUsage(**{kind: _count([getattr(it, kind) for it in usages]) for kind in _KINDS})


def _count(values: Iterable[int | None]) -> int | None:
    known = [n for n in values if n is not None]
    return sum(known) if known else None


def _amount(values: Iterable[float | None]) -> float | None:
    known = [n for n in values if n is not None]
    return fsum(known) if known else None


def _sort_rows(rows: list[UsageRow], by: By) -> list[UsageRow]:
    """Periods in the order of time; anything else by cost, then tokens, the most first."""
    if by in IN_ORDER:
        return sorted(rows, key=lambda row: (row.key == UNKNOWN, row.key))
    return sorted(rows, key=lambda row: (-(row.cost_usd or 0), -(row.total_tokens or 0), row.key))
