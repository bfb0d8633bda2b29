"""Sums over the records of one session, in total and for the main agent alone."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum

from benchmaker.arenas.agentic.sessions.deduplication import (
    COUNTED_ALONE,
    SeenRecords,
    failed_in_other_session,
    means_the_same_everywhere,
)
from benchmaker.arenas.agentic.sessions.index import Index
from benchmaker.arenas.agentic.sessions.memory_tables import Call, Change, Request, Requests, Some
from benchmaker.record.submissions.submission import ModelUsage, TokenUsage

_KINDS = TokenUsage.__struct_fields__


class UsageSum:
    """Adds usages up; a kind that none of them knows stays unknown."""

    __slots__ = ("_sums",)

    def __init__(self) -> None:
        self._sums: list[int | None] = [None] * len(_KINDS)

    def add(self, usage: TokenUsage) -> None:
        """Add one."""
        for at, kind in enumerate(_KINDS):
            n = getattr(usage, kind)
            if n is not None:
                self._sums[at] = (self._sums[at] or 0) + n

    @property
    def value(self) -> TokenUsage:
        """The sum."""
        return TokenUsage(**dict(zip(_KINDS, self._sums, strict=True)))


@dataclass(slots=True)
class Times:
    """A number of occurrences, in total and by the main agent."""

    all: int = 0
    main: int = 0

    def add(self, *, is_main: bool) -> None:
        """Once more."""
        self.all += 1
        self.main += is_main


@dataclass
class Share:
    """The records that count for one session, among all seen."""

    seen: SeenRecords
    requests: Some[Request]
    calls: Some[Call]
    changes: Some[Change]
    errors: Times = field(default_factory=Times)
    counted: dict[str, Times] = field(
        default_factory=lambda: {name: Times() for name in COUNTED_ALONE}
    )
    """Number of occurrences of events that are only counted, by name of the figure."""
    keys: "array[int]" = field(default_factory=lambda: array("Q"))
    """The keys of all this that mean the same everywhere, and of calls that failed elsewhere."""

    @classmethod
    def of(cls, seen: SeenRecords) -> "Share":
        """Return an empty share."""
        return cls(seen, Some(seen.requests), Some(seen.calls), Some(seen.changes))

    def of_main(self) -> "Share":
        """Return the main agent's own part."""
        return Share(
            self.seen,
            self.requests.of_main(),
            self.calls.of_main(),
            Some(self.seen.changes),
            errors=Times(self.errors.main, self.errors.main),
            counted={name: Times(n.main, n.main) for name, n in self.counted.items()},
        )

    @cached_property
    def usage(self) -> TokenUsage:
        """The tokens of all requests."""
        return _usage(self.seen.requests, self.requests.rows)

    @property
    def has_common_ids(self) -> bool:
        """True if each request has an id that others may share."""
        table = self.seen.requests
        return all(means_the_same_everywhere(table.key(row)) for row in self.requests.rows)

    @property
    def llm_calls(self) -> int | None:
        """The number of requests; None if an event represents an unknown number."""
        numbers = self.seen.requests.numbers
        if any(numbers[row] is None for row in self.requests.rows):
            return None
        return numbers.total(self.requests.rows) or 0

    @property
    def reported_usd(self) -> float | None:
        """The sum of the costs that are reported; None where none is."""
        return _sum(self.seen.requests.costs_usd.known_values(self.requests.rows))

    @property
    def is_cost_partial(self) -> bool:
        """True if some requests have a reported cost and some have none."""
        known = sum(1 for _ in self.seen.requests.costs_usd.known_values(self.requests.rows))
        return 0 < known < len(self.requests)

    @property
    def latency_s(self) -> float | None:
        """The seconds that models took; None where none is reported."""
        return _sum(self.seen.requests.latencies_s.known_values(self.requests.rows))

    @property
    def tools_by_name(self) -> dict[str, int]:
        """The number of calls of each tool, by name."""
        names = self.seen.calls.names
        return dict(sorted(Counter(names[row] or "" for row in self.calls.rows).items()))

    @property
    def repeated_calls(self) -> int | None:
        """Calls identical to an earlier one; None if no call has a digest."""
        digests, different, known = self.seen.calls.digests, Index(), 0
        for row in self.calls.rows:
            if digest := digests[row]:
                known += 1
                different.add(digest % 2**64)
        return known - len(different) if known else None

    def by_model(self, price: Callable[[Some[Request]], float | None]) -> tuple[ModelUsage, ...]:
        """The usage of each model, by name; requests of no known model last."""
        models: dict[str | None, Some[Request]] = {}
        for row in self.requests.rows:
            name = self.seen.requests.models[row]
            of = models.get(name)
            if of is None:
                of = models[name] = Some(self.seen.requests)
            of.rows.append(row)
        return tuple(
            _model_usage(self.seen.requests, model, models[model], price)
            for model in sorted(models, key=lambda name: (name is None, name or ""))
        )


def session_shares(seen: SeenRecords, sessions: int) -> list[Share]:
    """Return the share of each session, by its number."""
    found = [Share.of(seen) for _ in range(sessions)]
    for name in ("requests", "calls", "changes"):
        table = getattr(seen, name)
        for row in table.rows():
            share = found[table.session(row)]
            getattr(share, name).rows.append(row)
            _keep_key(share, table.key(row))
    for name, origins in seen.counted.items():
        for row in origins.rows():
            share = found[origins.session(row)]
            share.counted[name].add(is_main=origins.is_main(row))
            _keep_key(share, origins.key(row))
    _errors(seen, found)
    return found


def _errors(seen: SeenRecords, found: list[Share]) -> None:
    """Failed calls count where their call does, which may be another session than the result's."""
    for row in seen.errors.rows():
        key, session = seen.errors.key(row), seen.errors.session(row)
        call = seen.calls.get(key)
        share = found[session if call is None else call.session]
        share.errors.add(is_main=seen.errors.is_main(row) if call is None else call.is_main)
        if call is None:
            _keep_key(share, key)
        elif call.session != session:
            _keep_key(share, failed_in_other_session(key))


def _keep_key(share: Share, key: int) -> None:
    if means_the_same_everywhere(key):
        share.keys.append(key)


def _sum(values: Iterable[float]) -> float | None:
    known = array("d", values)
    return fsum(known) if known else None


def _usage(table: Requests, rows: Iterable[int]) -> TokenUsage:
    return TokenUsage(*[column.total(rows) for column in table.usages])


def _model_usage(
    table: Requests,
    model: str | None,
    requests: Some[Request],
    price: Callable[[Some[Request]], float | None],
) -> ModelUsage:
    return ModelUsage(
        model=model,
        usage=_usage(table, requests.rows),
        llm_calls=table.numbers.total(requests.rows) or 0,
        cost_usd=_sum(table.costs_usd.known_values(requests.rows)),
        computed_usd=price(requests),
    )
