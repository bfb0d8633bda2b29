"""Everything that has an id, seen once: over the lines, the files and the sessions of an import.

Logs say things twice. Streamed answers are written line by line under one message id, subagents
and resumed sessions begin with a copy of their parent's history. What has an id counts once, for
the first session that brought it; of several rows of one answer the largest counts.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count
from typing import Any

import msgspec

from benchmaker.arenas.agentic.events import FileChange, LlmCall, ToolCall
from benchmaker.record.submission import TokenUsage

UNIQUE_FROM = 16
"""Shorter ids (``call_1``) mean something within their session only."""


class Request(msgspec.Struct, gc=False):
    """One answer of a model; ``session`` is the number of the session that it counts for."""

    session: int
    is_main: bool
    at: float | None
    model: str | None
    usage: TokenUsage | None
    cost_usd: float | None
    latency_s: float | None
    requests: int | None


class Call(msgspec.Struct, gc=False):
    """One call of a tool."""

    session: int
    is_main: bool
    name: str
    digest: int


class Origin(msgspec.Struct, gc=False):
    """Where something that is only counted belongs."""

    session: int
    is_main: bool


class Change(msgspec.Struct, gc=False):
    """One change of a file."""

    session: int
    at: float | None
    path: str
    kind: str
    lines: int
    failed: bool


@dataclass(slots=True)
class Seen:
    """What was seen by the digest of its id; one for all that is imported together.

    It takes about 0.3 kB for each answer of a model and each call of a tool, nothing for texts.
    """

    requests: dict[int, Request] = field(default_factory=dict)
    calls: dict[int, Call] = field(default_factory=dict)
    errors: dict[int, Origin] = field(default_factory=dict)
    turns: dict[int, Origin] = field(default_factory=dict)
    compactions: dict[int, Origin] = field(default_factory=dict)
    interruptions: dict[int, Origin] = field(default_factory=dict)
    changes: dict[int, Change] = field(default_factory=dict)
    _anonymous: "count[int]" = field(default_factory=lambda: count(1))
    _names: dict[str, str] = field(default_factory=dict)

    def request(self, key: int, call: LlmCall, session: int) -> None:
        """Note an answer."""
        known = self.requests.get(key)
        if known is None:
            self.requests[key] = Request(
                session,
                not call.agent,
                call.at,
                self._name(call.model),
                call.usage,
                call.cost_usd,
                call.latency_s,
                call.requests,
            )
            return
        _merge(known, call)

    def call(self, key: int, call: ToolCall, session: int) -> None:
        """Note a call of a tool."""
        known = self.calls.get(key)
        if known is None:
            name = self._name(call.name) or ""
            self.calls[key] = Call(session, not call.agent, name, hash(call.digest))
            return
        known.is_main |= not call.agent

    def change(self, key: int, change: FileChange, session: int) -> None:
        """Note a change of a file."""
        known = self.changes.get(key)
        lines = (change.added or 0) + (change.removed or 0)
        if known is None:
            self.changes[key] = Change(
                session, change.at, change.path, change.change, lines, change.failed
            )
            return
        known.lines = max(known.lines, lines)
        known.failed |= change.failed

    def key(self, kind: str, given: str | None, session: int) -> int:
        """The digest of an id, odd where the id means the same everywhere.

        What has no id gets a key of its own.
        """
        if not given:
            return -2 * next(self._anonymous)
        if len(given) >= UNIQUE_FROM:
            return _digest(kind, given) | 1
        return _digest(f"{kind} {session}", given) & ~1

    def forget(self, keys: AbstractSet[int]) -> None:
        """Leave out what was counted elsewhere before."""
        for known in self.tables:
            for key in [key for key in known if key in keys]:
                del known[key]

    @property
    def tables(self) -> tuple[dict[int, Any], ...]:
        """Everything that has a session, by kind."""
        return (
            self.requests,
            self.calls,
            self.errors,
            self.turns,
            self.compactions,
            self.interruptions,
            self.changes,
        )

    def _name(self, name: str | None) -> str | None:
        """The name as the one object that is kept of it."""
        return None if name is None else self._names.setdefault(name, name)


def means_the_same_everywhere(key: int) -> bool:
    """Whether a key is of an id that is unique beyond its session."""
    return key & 1 == 1


def _digest(kind: str, given: str) -> int:
    raw = f"{kind}\0{given}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(raw, digest_size=8).digest())


def note(known: dict[int, Origin], key: int, *, session: int, is_main: bool) -> None:
    """Note something that is only counted."""
    origin = known.get(key)
    if origin is None:
        known[key] = Origin(session, is_main)
    else:
        origin.is_main |= is_main


def _merge(known: Request, call: LlmCall) -> None:
    """Let the larger row count; what it leaves open is filled in from the other."""
    if _size(call.usage) > _size(known.usage):
        known.usage = call.usage
        known.model = call.model or known.model
        known.requests = call.requests
    elif known.model is None:
        known.model = call.model
    known.is_main |= not call.agent
    known.cost_usd = _most(known.cost_usd, call.cost_usd)
    known.latency_s = _most(known.latency_s, call.latency_s)
    if call.at is not None:
        known.at = call.at if known.at is None else min(known.at, call.at)


def _size(usage: TokenUsage | None) -> tuple[int, ...]:
    """By the total, then kind by kind, so that no order of rows changes which one counts."""
    if usage is None:
        return (-1,)
    return (usage.total or 0, *(-1 if n is None else n for n in msgspec.structs.astuple(usage)))


def _most(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else max(a, b)
