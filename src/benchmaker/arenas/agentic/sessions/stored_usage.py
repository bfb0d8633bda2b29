"""The usage of stored sessions, divided by the time and the model of their answers.

The parts are stored with the trace when a session is imported, together with the cost that they add
up to. If the session has been repriced since, they are computed again from its stored requests.
"""

import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from benchmaker.analysis.usage.blocks import BLOCK_S, UsageBlock, UsageBlocks, usage_blocks
from benchmaker.analysis.usage.days import start_of
from benchmaker.analysis.usage.session_usage import (
    MONDAY,
    By,
    ExcludedUsage,
    SessionUsage,
    TimeSpan,
    UsageTable,
)
from benchmaker.analysis.usage.session_usage import summarise_usage as summed
from benchmaker.arenas.agentic.logs.events import PROJECT_HASH
from benchmaker.arenas.agentic.logs.sources import session_key
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.stored_events import REQUESTS, USAGE, requests_of
from benchmaker.arenas.agentic.sessions.usage_parts import usage_parts
from benchmaker.errors import SpecError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import Cost, Submission
from benchmaker.record.submissions.usage_part import UsagePart
from benchmaker.record.timestamps import optional_timestamp
from benchmaker.store import Store
from benchmaker.store.agentic.submission_listing import OWN_FORM
from benchmaker.store.home import Home
from benchmaker.structs import resolve_type

BENCHMARKS = frozenset(
    {
        "aider_benchmark",
        "hal",
        "harbor",
        "inspect_log",
        "openhands",
        "swe_agent",
        "swe_bench",
        "tau2",
        "terminal_bench",
    }
)
"""Importers of benchmark harnesses and leaderboards, whose trials are often other people's."""

TABLES = frozenset({OWN_FORM})
"""The importer of plain tables, whose rows are figures and not sessions on this machine."""

SHORTEST_RATE_S = 60.0
"""Minimum number of seconds for showing a burn rate."""

_AT_ONCE = 200
_WITHOUT_TIME = ("sessions_without_time", "tokens_without_time", "usd_without_time")
_LEAD_S = 7 * 86_400.0
"""How far before a window sessions are read to find where its first block begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageQuery:
    """The usage to sum up, and its grouping.

    ``since`` and ``until`` (exclusive) are days such as ``2026-02-28`` or ``7d``, in the time zone
    ``zone``, None for this machine's. ``project`` is part of the path of the session's folder,
    in upper or lower case, ``tool`` the name of a tool. ``benchmarks`` selects imported benchmarks
    and rows of tables instead of the user's own sessions; the two are never summed together.
    """

    by: By = "day"
    since: str | None = None
    until: str | None = None
    zone: tzinfo | None = None
    task: str | None = None
    project: str | None = None
    tool: str | None = None
    week_begins: int = MONDAY
    benchmarks: bool = False

    def window(self, now: float) -> TimeSpan:
        """The span in which answers count; days back are counted from ``now``.

        Raises:
            SpecError: ``since`` or ``until`` is not a day, or ``since`` is after ``until``.
        """
        today = datetime.fromtimestamp(now, self.zone)
        since, until = (start_of(it, self.zone, today=today) for it in (self.since, self.until))
        if since and until and since > until:
            raise SpecError(
                f"since {since:%Y-%m-%d} is after until {until:%Y-%m-%d}.",
                hint="Use the earlier day for since.",
            )
        return TimeSpan(*(None if bound is None else bound.timestamp() for bound in (since, until)))

    def wants(self, submission: Submission) -> bool:
        """True if a submission is of the wanted project and tool."""
        is_of_project = _is_within(self.project, submission.project)
        return is_of_project and self.wants_tool(submission)

    def wants_tool(self, submission: Submission) -> bool:
        """True if a submission is of the wanted tool."""
        tools = (submission.system.harness, submission.importer)
        return not self.tool or any(plain_name(self.tool) == plain_name(name) for name in tools)


def usage(
    *,
    by: By = "day",
    since: str | None = None,
    until: str | None = None,
    zone: tzinfo | None = None,
    task: str | None = None,
    project: str | None = None,
    tool: str | None = None,
    benchmarks: bool = False,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> UsageTable:
    """Sum up tokens, cost and time of the coding tools whose logs were imported.

    Args:
        by: day, week, month, tool, model, project or session.
        since: from that day on, ``2026-02-28``, or ``7d`` for seven days back.
        until: up to that day, exclusive.
        zone: the time zone of the days; default this machine's.
        task: only sessions of that task.
        project: only sessions whose folder's path contains the text, in upper or lower case.
        tool: only sessions of that tool.
        benchmarks: imported benchmarks, leaderboards and tables instead of your own sessions.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, where it is not in the data folder.
        clock: returns seconds since 1970.

    Raises:
        SpecError: ``since`` or ``until`` is not a day, or ``since`` is after ``until``.
        StoreError: the store can't be used.
    """
    place = Home.of(home, store)
    query = UsageQuery(
        by=by,
        since=since,
        until=until,
        zone=zone,
        task=task,
        project=project,
        tool=tool,
        benchmarks=benchmarks,
    )
    with place.open_store() as opened:
        return usage_table(opened, query, place.home, now=clock())


def usage_table(store: Store, query: UsageQuery, home: Path, *, now: float) -> UsageTable:
    """Sum up the sessions of an open store; ``home`` has the prices."""
    made = summed(
        sessions_of(store, query, home, now=now),
        by=query.by,
        zone=query.zone,
        window=query.window(now),
        week_begins=query.week_begins,
    )
    left_out = _left_out(store, query, home, now=now)
    return replace(made, left_out=_with_untimed(left_out, made.left_out))


def usage_blocks_of(
    store: Store, query: UsageQuery, home: Path, *, now: float, active_only: bool = False
) -> UsageBlocks:
    """Return the usage of an open store in blocks of five hours that begin in the query's window.

    The start of a block depends on earlier answers, and answers after the window belong to a
    block that began within it. So sessions of some days before and of five hours after are read.
    """
    span = query.window(now)
    around = TimeSpan(
        None if span.since is None else span.since - _LEAD_S,
        None if span.until is None else span.until + BLOCK_S,
    )
    made = usage_blocks(
        sessions_of(store, query, home, now=now, window=around),
        now=now,
        window=span,
        active_only=active_only,
    )
    blocks = tuple(map(_with_sound_rate, made.blocks))
    left_out = _left_out(store, query, home, now=now)
    return replace(made, blocks=blocks, left_out=_with_untimed(left_out, made.left_out))


def _with_untimed(left_out: ExcludedUsage, summed_up: ExcludedUsage) -> ExcludedUsage:
    """Return the exclusions, with the usage that has no time."""
    return replace(left_out, **{name: getattr(summed_up, name) for name in _WITHOUT_TIME})


def _with_sound_rate(block: UsageBlock) -> UsageBlock:
    """The block without a rate over less than a minute, which says nothing about its next hour."""
    first, last = seconds(block.totals.first_at), seconds(block.totals.last_at)
    if first is None or last is None or last - first >= SHORTEST_RATE_S:
        return block
    return replace(block, burn_rate=None, projection=None)


def sessions_of(
    store: Store, query: UsageQuery, home: Path, *, now: float, window: TimeSpan | None = None
) -> Iterator[SessionUsage]:
    """The sessions that match a query, each once, with all of their parts.

    ``window`` replaces the query's own. Sessions without a time are among them.
    """
    stored = _stored_within(query, window or query.window(now)) | {"with_undated": True}
    found = filter(query.wants, _with_folders(store, store.submissions(**stored)))
    yield from with_parts(store, _distinct_sessions(store, found), Pricer(Prices(home), now=now))


def _stored_within(query: UsageQuery, window: TimeSpan) -> dict[str, Any]:
    """The arguments of ``Store.submissions`` for a query, but for its project and tool."""
    return {
        "since": optional_timestamp(window.since),
        "until": optional_timestamp(window.until),
        "task_id": query.task or None,
        "importers": BENCHMARKS | TABLES if query.benchmarks else (),
        "but": () if query.benchmarks else BENCHMARKS | TABLES,
    }


def _left_out(store: Store, query: UsageQuery, home: Path, *, now: float) -> ExcludedUsage:
    """The number of submissions that match a query otherwise, and are not summed up."""
    no_folder = _without_folder(store, query, home, now=now) if query.project else 0
    if query.benchmarks:
        return ExcludedUsage(sessions_without_folder=no_folder)
    return ExcludedUsage(
        benchmark_trials=_count_matching(store, query, BENCHMARKS, now=now),
        table_rows=_count_matching(store, query, TABLES, now=now),
        sessions_without_folder=no_folder,
    )


def _count_matching(
    store: Store, query: UsageQuery, importers: frozenset[str], *, now: float
) -> int:
    """Return the number of submissions of these importers that match a query."""
    stored = _stored_within(query, query.window(now)) | {"importers": importers, "but": ()}
    if query.project or query.tool:
        return sum(map(query.wants, store.submissions(**stored)))
    return store.agentic.count_submissions(**stored)


def _without_folder(store: Store, query: UsageQuery, home: Path, *, now: float) -> int:
    """Return the number of sessions with an answer in a query's window but no known folder."""
    window = query.window(now)
    stored = _with_folders(store, store.submissions(**_stored_within(query, window)))
    found = (one for one in stored if not one.project and query.wants_tool(one))
    sessions = with_parts(store, _distinct_sessions(store, found), Pricer(Prices(home), now=now))
    return sum(any(part.first_at in window for part in one.parts) for one in sessions)


def _with_folders(store: Store, found: Iterable[Submission]) -> Iterator[Submission]:
    """The submissions; a folder known by its hash alone is looked up among those of other sessions.

    All stored sessions are read for that, once, and only if a folder has to be looked up.
    """
    folders: dict[str, str] | None = None
    for one in found:
        digest = None if one.project else one.extra.get(PROJECT_HASH)
        if not isinstance(digest, str):
            yield one
            continue
        if folders is None:
            known = {it.project for it in store.submissions() if it.project}
            folders = {sha256(it.encode("utf-8", "replace")).hexdigest(): it for it in known}
        yield msgspec.structs.replace(one, project=folders.get(digest))


def _distinct_sessions(store: Store, found: Iterable[Submission]) -> Iterator[Submission]:
    """Each session once, even if it was submitted for several tasks or by several people.

    Of several copies, the one with the most tokens counts. Rows of tables have no copies.
    """
    repeated = store.agentic.repeated_sessions()
    copies: dict[tuple[str, str], dict[tuple[str, str], list[Submission]]] = {}
    for one in found:
        if one.row_id is not None or one.session_id not in repeated:
            yield one
            continue
        task = one.task.id if one.task else ""
        of_session = copies.setdefault((one.importer, session_key(one)), {})
        of_session.setdefault((task, one.submitter), []).append(one)
    for of_session in copies.values():
        yield from max(of_session.values(), key=_tokens)


def is_own(submission: Submission) -> bool:
    """True if it is summed up with the user's own sessions.

    A submission in our own format belongs to the importer that first read it, as in its id.
    """
    importer = submission.importer
    reader = submission.id.rpartition("-")[0] if importer == OWN_FORM else importer
    return reader not in BENCHMARKS | TABLES


def _tokens(copy: Sequence[Submission]) -> int:
    return sum(one.total_tokens or 0 for one in copy)


class _StoredParts(msgspec.Struct, frozen=True):
    """The parts of a session, and the cost that they add up to."""

    cost: Cost
    parts: tuple[UsagePart, ...]


_decoder = msgspec.json.Decoder(resolve_type(_StoredParts))


def packed_parts(submission: Submission, parts: tuple[UsagePart, ...]) -> bytes:
    """Encode the parts of a session for storage."""
    return zlib.compress(msgspec.json.encode(_StoredParts(submission.cost, parts)), 1)


def with_parts(
    store: Store, submissions: Iterable[Submission], pricer: Pricer
) -> Iterator[SessionUsage]:
    """Pair each stored submission with its parts."""
    waiting = iter(submissions)
    while some := list(islice(waiting, _AT_ONCE)):
        known = _unchanged_parts(store, some)
        others = [it.id for it in some if it.id not in known]
        requests = store.agentic.traces(others, REQUESTS) if others else {}
        for one in some:
            parts = known.get(one.id)
            if parts is None:
                parts = usage_parts(one, list(requests_of(requests.get(one.id, ()))), pricer)
            yield SessionUsage(one, parts)


def _unchanged_parts(
    store: Store, submissions: Sequence[Submission]
) -> dict[str, tuple[UsagePart, ...]]:
    """The stored parts of the submissions whose cost has not changed since."""
    costs = {it.id: it.cost for it in submissions}
    stored = {
        name: _decoder.decode(zlib.decompress(b"".join(chunks)))
        for name, chunks in store.agentic.traces(list(costs), USAGE).items()
    }
    return {name: it.parts for name, it in stored.items() if it.parts and it.cost == costs[name]}


def _is_within(text: str | None, project: str | None) -> bool:
    """True if the path of a folder contains the text, ignoring case."""
    return not text or text.casefold() in (project or "").casefold()


def plain_name(name: str) -> str:
    """The name of a tool in one spelling: ``Claude Code`` becomes ``claude-code``."""
    return name.casefold().replace("_", "-").replace(" ", "-")
