"""Reads several forms of one session as one: its log, an export, its printed output.

Forms count the same work under different ids: one by request, another by prompt. So each kind of
event is taken from the form with the most of it, and the others only add missing facts, such as a
reported cost or the session's end. Files of one form add up, with equal ids counted once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from math import inf
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Form, Importer, Options, SessionRef
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Compaction,
    Event,
    Failure,
    FileChange,
    Interruption,
    LlmCall,
    Occurrence,
    Session,
    SessionEnd,
    SubagentEnd,
    SubagentStart,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.lenient_json import quiet_options
from benchmaker.arenas.agentic.logs.opening import opened_log
from benchmaker.arenas.agentic.logs.options import QUIET
from benchmaker.arenas.agentic.sessions.deduplication import SeenRecords
from benchmaker.arenas.agentic.sessions.sums import session_shares
from benchmaker.arenas.agentic.sessions.tally import Tally
from benchmaker.errors import SpecError
from benchmaker.record.submissions.submission import TokenUsage

_PIECE: Final = 2**20
_FORMS: Final[tuple[Form, ...]] = ("log", "export", "print")
_KINDS: Final[dict[type, str]] = {
    LlmCall: "requests",
    Failure: "requests",
    ToolCall: "calls",
    ToolResult: "calls",
    FileChange: "calls",
    SubagentStart: "calls",
    SubagentEnd: "calls",
    UserTurn: "iterations",
    Interruption: "interruptions",
    Compaction: "compactions",
    Activity: "moments",
}
_FIGURES: Final[dict[str, tuple[str, ...]]] = {
    "requests": ("usage", "total_tokens", "llm_calls", "cost_usd", "llm_s"),
    "calls": ("tool_calls", "tool_errors", "tool_s"),
    "iterations": ("iterations",),
    "moments": ("wall_s", "active_s"),
}
"""The final figures that stand for the events of each kind."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a session, and its importer."""

    ref: SessionRef
    importer: Importer

    def is_within(self, other: "Member") -> bool:
        """True if some of the other's files begin with these: copies, or older states."""
        mine, theirs = self.ref.files, other.ref.files
        if self.ref.part != other.ref.part or len(mine) > len(theirs):
            return False
        try:
            return all(any(_begins(b, a) for b in theirs) for a in mine)
        except SpecError:
            return False


def _begins(whole: Path, part: Path) -> bool:
    """True if a file begins with the whole of another, both plain or gzipped.

    Raises:
        SpecError: one of them is unreadable.
    """
    with opened_log(whole, QUIET) as long, opened_log(part, QUIET) as short:
        while piece := short.read(_PIECE):
            if long.read(len(piece)) != piece:
                return False
    return True


class JoinedImporter:
    """Reads the members of one session like the importer of a single file."""

    id: ClassVar[str] = ""
    version: ClassVar[str] = ""
    title: ClassVar[str] = ""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = tuple(members)

    def sniff(self, _head: FileHead) -> float:
        """Return 0: it only reads files recognised by others."""
        return 0.0

    def scan(self, _root: object) -> Iterator[SessionRef]:
        """Yield the references found by the members."""
        return (member.ref for member in self.members)

    def parse(self, _ref: SessionRef, options: Options) -> Iterator[Event]:
        """Yield the combined events of the members."""
        if len(self.members) == 1:
            (only,) = self.members
            yield from only.importer.parse(only.ref, options)
            return
        accounts = [
            _account(form, self.members, quiet_options(options))
            for form in _FORMS
            if any(member.ref.form == form for member in self.members)
        ]
        yield from _Join(accounts, self.members, options).events()


def join_members(members: Sequence[Member]) -> tuple[SessionRef, Importer]:
    """The one session of the members, logs first, and its importer."""
    ordered = sorted(members, key=lambda it: (_FORMS.index(it.ref.form), it.ref.files))
    first = ordered[0]
    files = tuple(file for member in ordered for file in member.ref.files)
    facts = {
        "id": first.ref.importer,
        "version": first.importer.version,
        "title": first.importer.title,
    }
    reader: Importer = type("Joined", (JoinedImporter,), facts)(ordered)
    return replace(first.ref, files=files), reader


@dataclass(slots=True)
class _Account:
    """The number of events of each kind in one form."""

    form: Form
    amounts: dict[str, tuple[float, ...]] = field(default_factory=dict)
    order: dict[int, tuple[float, float]] = field(default_factory=dict)
    """The sort key of each of its members, by number."""


def _account(form: Form, members: Sequence[Member], options: Options) -> _Account:
    account, tally = _Account(form), Tally(0, SeenRecords())
    texts = 0
    for number, member in enumerate(members):
        if member.ref.form != form:
            continue
        first, stated = inf, 0
        for event in member.importer.parse(member.ref, options):
            tally.add(event)
            first = min(first, inf if event.at is None else event.at)
            texts += isinstance(event, UserTurn) and bool(event.text)
            if isinstance(event, Totals) and not event.run and event.usage:
                stated = max(stated, event.usage.total or 0)
        account.order[number] = (stated, first)
    share = session_shares(tally.seen, 1)[0]
    running = max((stated for stated, _ in account.order.values()), default=0)
    runs = tally.facts.totals.get("usage") or TokenUsage()
    summed = max(share.usage.total or 0, (runs.total or 0) if tally.facts.runs else 0)
    account.amounts = {
        "requests": (running or summed, len(share.requests)),
        "calls": (tally.facts.totals.get("tool_calls", 0) or len(share.calls),),
        **{name: (times.all,) for name, times in share.counted.items()},
        "iterations": (share.counted["iterations"].all, texts),
        "moments": (float(tally.moments.wall_s() is not None),),
        "cost": (share.reported_usd or 0, tally.facts.totals.get("cost_usd", 0)),
    }
    return account


class _Join:
    """Passes on each kind of event from the form that leads in it."""

    def __init__(
        self, accounts: Sequence[_Account], members: Sequence[Member], options: Options
    ) -> None:
        self._options = options
        self._accounts = {it.form: it for it in accounts}
        self._leaders = {
            kind: max(accounts, key=lambda it: it.amounts[kind]).form
            for kind in accounts[0].amounts
        }
        self._members = members
        counts = (len(member.ref.files) for member in members)
        self._offsets = tuple(accumulate(counts, initial=0))
        self._models: dict[str, str] = {}
        """The last model of each agent."""

    def events(self) -> Iterator[Event]:
        """Yield all events that count; last the session's end, that of the first form."""
        ends: list[Event] = []
        for account in self._accounts.values():
            said: list[Event] = []
            in_order = sorted(account.order, key=account.order.__getitem__)
            for number in in_order:
                for event in self._member_events(number):
                    if isinstance(event, SessionEnd):
                        said.append(event)
                    else:
                        yield event
            ends = [*said, *ends]
        yield from ends

    def _member_events(self, number: int) -> Iterator[Event]:
        """Yield the events of one member that count."""
        member, offset = self._members[number], self._offsets[number]
        known = dict(self._models)
        for event in member.importer.parse(member.ref, self._options):
            kept = self._filter(self._with_model(event, known), member.ref.form)
            if kept is not None:
                yield msgspec.structs.replace(kept, file=kept.file + offset) if offset else kept

    def _with_model(self, event: Event, known: dict[str, str]) -> Event:
        """The event; a request has its agent's model in earlier parts until its own names one."""
        if not isinstance(event, Session | LlmCall):
            return event
        if event.model:
            self._models[event.agent] = event.model
            known.pop(event.agent, None)
        elif isinstance(event, LlmCall) and event.usage and event.usage.total:
            return msgspec.structs.replace(event, model=known.get(event.agent))
        return event

    def _filter(self, event: Event, form: Form) -> Event | None:
        kind = event.figure if isinstance(event, Occurrence) else _KINDS.get(type(event))
        if kind is not None:
            return event if self._leaders[kind] == form else None
        if isinstance(event, Totals):
            return self._totals(event, form)
        if isinstance(event, Session) and self._leaders["moments"] != form:
            return msgspec.structs.replace(event, at=None)
        return event

    def _totals(self, event: Totals, form: Form) -> Totals:
        """Without the figures that another form has; those of runs are lower bounds."""
        kinds = ("calls", "iterations", "moments") if event.run else tuple(_FIGURES)
        names = {name for kind in kinds if self._leaders[kind] != form for name in _FIGURES[kind]}
        if not event.run and self._is_only_cost(form):
            names.discard("cost_usd")
        counts = {
            name: n
            for name, n in event.counts.items()
            if name not in names and self._leaders.get(name, form) == form
        }
        return msgspec.structs.replace(event, counts=counts, **dict.fromkeys(names))

    def _is_only_cost(self, form: Form) -> bool:
        """True if only this form has the cost of the whole session."""
        leader = self._accounts[self._leaders["requests"]].amounts
        own = self._accounts[form].amounts
        return not any(leader["cost"]) and own["requests"][0] >= leader["requests"][0]
