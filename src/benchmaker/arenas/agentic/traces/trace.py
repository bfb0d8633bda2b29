"""``benchmaker.trace``: the steps of a session, from the store or straight from a log."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from benchmaker.analysis.composite.tool_metrics import ToolMetric, tool_metrics
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.skips import Skips
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.sessions.memory_tables import Request
from benchmaker.arenas.agentic.sessions.pricing import METHOD, Pricer
from benchmaker.arenas.agentic.sessions.reduce import GAP_LIMIT_S, Reduced, Reducer
from benchmaker.arenas.agentic.sessions.scan import importers, scan
from benchmaker.arenas.agentic.sessions.session_intake import Intake, SessionReading
from benchmaker.arenas.agentic.sessions.stored_events import (
    EVENTS,
    KEYS,
    REQUESTS,
    Spool,
    events_of,
    requests_of,
    unpacked_keys,
)
from benchmaker.arenas.agentic.sessions.sums import UsageSum
from benchmaker.arenas.agentic.traces.breakdown import (
    Money,
    TimeSplit,
    ToolTotals,
    spending_of,
    time_split,
)
from benchmaker.arenas.agentic.traces.breakdown import tool_totals as totals_of
from benchmaker.arenas.agentic.traces.layout import lay_out_steps
from benchmaker.arenas.agentic.traces.replay import Replay
from benchmaker.arenas.agentic.traces.steps import TraceStep, walk_steps
from benchmaker.errors import SpecError
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.submission import Submission, TokenUsage
from benchmaker.record.timestamps import optional_timestamp
from benchmaker.spec.documents.files import is_there
from benchmaker.store import Store
from benchmaker.store.home import Home

_LISTED = 10
_KINDS = TokenUsage.__struct_fields__


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of the session that differs from the sum of its steps; None if unknown."""

    name: str
    submission: float | None
    steps: float | None


@dataclass(frozen=True, slots=True)
class Trace:
    """A session step by step.

    ``submission`` has its totals. ``steps`` are those of the main agent, with those of subagents
    below the call that started them; :meth:`walk` iterates over all. ``time`` is None if the log
    has no times. ``metrics`` describe the tool's behaviour, each with its value or the reason why
    there is none. ``differences`` are totals of the log that differ from the sums of its steps.
    ``has_content`` is False if no text was stored. ``rate_card`` are the prices of ``usd``.
    """

    submission: Submission
    steps: tuple[TraceStep, ...]
    time: TimeSplit | None
    money: Money
    tools: tuple[ToolTotals, ...]
    metrics: tuple[ToolMetric, ...]
    differences: tuple[Difference, ...]
    has_content: bool
    rate_card: str

    def walk(self) -> Iterator[TraceStep]:
        """All steps in the order of their numbers."""
        return walk_steps(self.steps)

    def select(self, *, agent: str | None = None, text: str | None = None) -> Iterator[TraceStep]:
        """The steps of an agent, those in which a text occurs, or both; all without either."""
        for step in self.walk():
            if (agent is None or step.is_of(agent)) and (text is None or step.has(text)):
                yield step

    def to_dict(self, *, steps: Iterable[TraceStep] | None = None) -> dict[str, Any]:
        """Plain data for JSON; ``steps`` (default all) as a flat list, each with its depth.

        It differs from the trace, where steps hang below the calls that started them.
        """
        shown = self.walk() if steps is None else steps
        return {
            "submission": msgspec.to_builtins(self.submission),
            "time": _to_plain(self.time),
            "money": _to_plain(self.money),
            "tools": _to_plain(self.tools),
            "metrics": {it.name: it.to_dict() for it in self.metrics},
            "differences": _to_plain(self.differences),
            "has_content": self.has_content,
            "rate_card": self.rate_card,
            "steps": [_plain_step(step) for step in shown],
        }


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a trace: a session's events, and those of them that count for it."""

    submission: Submission
    events: Iterable[Event]
    requests: list[Request]
    keys: frozenset[int]

    @property
    def single_requests(self) -> list[Request]:
        """The requests one by one; none where the cost is that of the session's total."""
        return self.requests if self.submission.cost.method == METHOD else []


def trace(
    what: str | Path,
    *,
    session: str | None = None,
    content: bool = True,
    home: str | Path | None = None,
    store: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Trace:
    """Return the steps of a coding tool's session.

    Args:
        what: id of a stored submission, a prefix of it or ``latest``; or the path of a
            log or a folder, which is read without storing anything.
        session: the session, if a log has several: a submission's id, a session's id, a task, or a
            prefix of one.
        content: False omits texts, arguments and outputs.
        home: the data folder, with ``prices.yaml``; default ``~/.local/share/benchmaker``.
        store: the store's address, if it is not in the data folder.
        clock: returns seconds since 1970.

    Returns: The steps with their tokens and the cost of each request. Each answer and each call
        occurs once, and the steps add up to the submission's own totals; if not, the trace lists
        the figures that differ.

    Raises:
        SpecError: unknown or ambiguous submission or session.
        TranscriptError: the file's format is not recognised.
        StoreError: the store is unusable.
    """
    place = Home.of(home, store)
    is_path = isinstance(what, Path) or is_there(what)
    prices = Prices(place.home)
    if is_path:
        with closing(Spool()) as spool:
            path = Path(what)
            source = _from_log(path, prices, spool, session, clock(), content=content)
            return build_trace(source, prices)
    if not place.is_there():
        raise _nothing_found(str(what))
    with place.open_store() as opened:
        source = stored_source(opened, str(what))
        if session is not None and not _is_named(source.submission, session):
            raise SpecError(f"submission {source.submission.id} is not session {session!r}.")
        return build_trace(source, prices, content=content)


def stored_source(store: Store, text: str) -> Source:
    """A stored submission by its id, the beginning of it, or ``latest``."""
    try:
        name = store.find_submission(text)
    except SpecError as exc:
        raise SpecError(f"no file {text!r}, and {exc.message}", hint=exc.hint) from exc
    keys: set[int] = set()
    for chunk in store.trace(name, KEYS):
        keys.update(unpacked_keys(chunk))
    return Source(
        store.submission(name),
        events_of(store.trace(name, EVENTS)),
        list(requests_of(store.trace(name, REQUESTS))),
        frozenset(keys),
    )


def waiting_source(store: Store, number: int, submission: Submission) -> Source:
    """Return the submission waiting for a moderator, as that row."""

    def part(name: str) -> Iterator[bytes]:
        return store.agentic.pending_trace(number, name)

    keys = {key for chunk in part(KEYS) for key in unpacked_keys(chunk)}
    requests = list(requests_of(part(REQUESTS)))
    return Source(submission, events_of(part(EVENTS)), requests, frozenset(keys))


def build_trace(source: Source, prices: Prices, *, content: bool = True) -> Trace:
    """Return the trace of a session from its events."""
    submission = source.submission
    replay = Replay.of(source.events)
    as_of = submission.cost.as_of
    now = seconds(submission.created_at) or 0.0
    pricer = Pricer(prices, as_of=date.fromisoformat(as_of) if as_of else None, now=now)
    steps = lay_out_steps(
        replay,
        keys=source.keys,
        requests=source.single_requests,
        pricer=pricer,
        provider=submission.system.provider,
        content=content,
    )
    flat = list(walk_steps(steps))
    return Trace(
        submission=submission,
        steps=steps,
        time=time_split(replay.moments, submission),
        money=spending_of(flat),
        tools=totals_of(flat),
        metrics=tool_metrics(submission),
        differences=tuple(_differences(submission, flat)) if flat else (),
        has_content=replay.has_content and content,
        rate_card=pricer.version,
    )


def _from_log(
    path: Path, prices: Prices, spool: Spool, session: str | None, now: float, *, content: bool
) -> Source:
    skips = Skips()
    options = Options(skip=skips, drop_content=not content)
    intake = Intake(Reducer(Pricer(prices, now=now), GAP_LIMIT_S), options, skips, spool)
    for found in scan([path], options, readers=importers()).found:
        intake.read(found)
    read = list(intake.submissions(intake.ids(), now=optional_timestamp(now) or ""))
    reading, reduced = _one_of(read, session, path)
    return Source(
        reduced.submission,
        events_of(reading.recorder.chunks()),
        list(reduced.requests),
        frozenset(reduced.keys),
    )


def _one_of(
    read: list[tuple[SessionReading, Reduced]], session: str | None, path: Path
) -> tuple[SessionReading, Reduced]:
    """The session that is meant."""
    named = [it for it in read if session is None or _is_named(it[1].submission, session)]
    if len(named) == 1:
        return named[0]
    if not read:
        raise SpecError("no session in the file.", where=str(path))
    listed = named or read
    names = ", ".join(it.submission.id for _, it in islice(listed, _LISTED))
    more = f" and {len(listed) - _LISTED:,} more" if len(listed) > _LISTED else ""
    what = f"{len(listed):,} sessions" if named else f"no session {session!r}, but {len(listed):,}"
    raise SpecError(
        f"the file has {what}: {names}{more}.",
        where=str(path),
        hint="Choose one with --session ID; a prefix of the id is enough.",
    )


def _is_named(submission: Submission, text: str) -> bool:
    task = submission.task.id if submission.task else ""
    return any(name.startswith(text) for name in (submission.id, submission.session_id, task))


def _nothing_found(text: str) -> SpecError:
    return SpecError(
        f"no file {text!r}, and no stored sessions yet.",
        hint="Import logs with: benchmaker import PATH",
    )


def _differences(submission: Submission, steps: list[TraceStep]) -> Iterator[Difference]:
    """The totals that the steps don't add up to; reasoning that can't be true was taken out."""
    for name, added in _sums(steps).items():
        value: Any = submission
        for part in name.split("."):
            value = getattr(value, part)
        is_refused = name == "usage.reasoning" and value is None
        if (value or 0) != (added or 0) and not is_refused:
            yield Difference(name, value, added)


def _sums(steps: list[TraceStep]) -> dict[str, float | None]:
    """Return the sums over the steps, under the names of a submission."""
    usage = UsageSum()
    calls = [call for step in steps for call in step.calls]
    counted = [step for step in steps if step.counted]
    for step in counted:
        usage.add(step.usage or TokenUsage())
    answers = [step.requests for step in counted if step.kind.value == "answer"]
    total = usage.value
    return {
        **{f"usage.{kind}": getattr(total, kind) for kind in _KINDS},
        "total_tokens": total.total,
        "llm_calls": None if None in answers else sum(n or 0 for n in answers),
        "tool_calls": sum(call.counted and bool(call.name) for call in calls),
        "tool_errors": sum(call.counted and call.is_error for call in calls),
        "iterations": sum(step.is_prompt for step in counted),
    }


def _to_plain(value: Any) -> Any:  # noqa: ANN401  dataclasses of this arena
    return msgspec.to_builtins(value)


def _plain_step(step: TraceStep) -> dict[str, Any]:
    """Return a step as plain data; subagents' steps are separate entries, listed by number."""
    data: dict[str, Any] = msgspec.to_builtins(
        {name: getattr(step, name) for name in step.__dataclass_fields__ if name != "calls"}
    )
    data["at"] = optional_timestamp(step.at)
    data["marks"] = [mark.value for mark in step.marks]
    data["calls"] = [
        {
            **msgspec.to_builtins(
                {name: getattr(it, name) for name in it.__dataclass_fields__ if name != "steps"}
            ),
            "at": optional_timestamp(it.at),
            "steps": [below.number for below in it.steps],
        }
        for it in step.calls
    ]
    return data
