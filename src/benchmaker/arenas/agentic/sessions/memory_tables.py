"""The memory of an import, by kind: a key for each record, and columns for its values.

Rows are stored as columns of numbers and converted to values on access, so that a session of
millions of answers fits into memory.
"""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar, overload

import msgspec

from benchmaker.arenas.agentic.logs.events import FileChange, LlmCall, ToolCall
from benchmaker.arenas.agentic.sessions.compact_columns import (
    CountColumn,
    IntegerColumn,
    RealColumn,
    TextColumn,
)
from benchmaker.arenas.agentic.sessions.index import Index
from benchmaker.record.submissions.submission import TokenUsage

_KINDS = TokenUsage.__struct_fields__


class Origin(msgspec.Struct, gc=False):
    """The session and agent of a record that is only counted."""

    session: int
    is_main: bool


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


class CountedAnswer(msgspec.Struct, frozen=True, gc=False):
    """The usage of an answer that other stored sessions count, and that its own ones ``kept``."""

    usage: TokenUsage = TokenUsage()
    cost_usd: float = 0.0
    requests: int = 0
    kept: TokenUsage = TokenUsage()
    kept_usd: float = 0.0

    def with_request(self, request: Request, *, is_own: bool) -> "CountedAnswer":
        """The answer with what one more stored session counts of it."""
        usage, usd = request.usage or TokenUsage(), request.cost_usd or 0.0
        if is_own:
            kept = self.kept + usage
            return msgspec.structs.replace(self, kept=kept, kept_usd=self.kept_usd + usd)
        return msgspec.structs.replace(
            self,
            usage=self.usage + usage,
            cost_usd=self.cost_usd + usd,
            requests=self.requests + (request.requests or 0),
        )


class Call(msgspec.Struct, gc=False):
    """One call of a tool."""

    session: int
    is_main: bool
    name: str
    digest: int


class Change(msgspec.Struct, gc=False):
    """One change of a file."""

    session: int
    at: float | None
    path: str
    kind: str
    lines: int
    failed: bool


T = TypeVar("T")


class KeyedTable(ABC, Generic[T]):
    """Rows by key, in order of arrival; removed rows are gone."""

    def __init__(self) -> None:
        self._index = Index()
        self._session = IntegerColumn()
        self._is_below = IntegerColumn()
        self._is_gone = IntegerColumn()

    def __contains__(self, key: int) -> bool:
        return self._find_row(key) is not None

    def __getitem__(self, key: int) -> T:
        row = self._find_row(key)
        if row is None:
            raise KeyError(key)
        return self.row(row)

    def get(self, key: int) -> T | None:
        """Return the row of a key; None if there is none."""
        row = self._find_row(key)
        return None if row is None else self.row(row)

    def items(self) -> Iterator[tuple[int, T]]:
        """Each key with its row."""
        return ((self.key(row), self.row(row)) for row in self.rows())

    @abstractmethod
    def row(self, row: int) -> T:
        """The row of that number."""

    def rows(self) -> Iterator[int]:
        """The numbers of the rows that are there."""
        return (row for row in range(len(self._index)) if not self._is_gone[row])

    def key(self, row: int) -> int:
        """The key of the row of that number."""
        return self._index.keys[row]

    def keys(self) -> Collection[int]:
        """The keys of all rows, also of removed ones."""
        return self._index.keys

    def session(self, row: int) -> int:
        """The session that the row of that number counts for."""
        return self._session[row]

    def is_main(self, row: int) -> bool:
        """True if it is the main agent's own."""
        return not self._is_below[row]

    def forget(self, keys: AbstractSet[int]) -> None:
        """Remove the rows of these keys."""
        for row, key in enumerate(self._index.keys):
            if key in keys:
                self._is_gone[row] = 1

    def _find_row(self, key: int) -> int | None:
        row = self._index.find(key)
        return None if row is None or self._is_gone[row] else row

    def _note(self, key: int, *, session: int, is_main: bool) -> tuple[int, bool]:
        """Return the row of a key, and whether it is new; the main agent's rows stay its own."""
        row, before = self._index.find(key), len(self._index)
        if row is None:
            row = self._index.add(key)
            self._session[row] = session
            self._is_below[row] = not is_main
        elif is_main:
            self._is_below[row] = 0
        return row, row == before


class Origins(KeyedTable[Origin]):
    """Records that are only counted."""

    def row(self, row: int) -> Origin:
        """Return its session and agent."""
        return Origin(self._session[row], self.is_main(row))

    def note(self, key: int, *, session: int, is_main: bool) -> None:
        """Note one; the first session that brings it has it."""
        self._note(key, session=session, is_main=is_main)


class Requests(KeyedTable[Request]):
    """Answers of models: of several rows of one answer the largest counts."""

    def __init__(self) -> None:
        super().__init__()
        self.models = TextColumn()
        self.usages = tuple(CountColumn() for _ in _KINDS)
        self.costs_usd = RealColumn()
        self.latencies_s = RealColumn()
        self.numbers = CountColumn(usual=1)
        self._at = RealColumn()
        self._has_no_usage = IntegerColumn()

    def row(self, row: int) -> Request:
        """Return the current state of the answer."""
        return Request(
            self._session[row],
            self.is_main(row),
            self._at[row],
            self.models[row],
            self._usage(row),
            self.costs_usd[row],
            self.latencies_s[row],
            self.numbers[row],
        )

    def note(self, key: int, call: LlmCall, session: int) -> None:
        """Record a row of an answer; gaps of the larger one are filled from the other."""
        row, is_new = self._note(key, session=session, is_main=not call.agent)
        if is_new:
            self.models[row] = call.model
            self._take(row, call)
            self._at[row] = call.at
            self.costs_usd[row] = call.cost_usd
            self.latencies_s[row] = call.latency_s
            return
        self._merge(row, call)

    def _merge(self, row: int, call: LlmCall) -> None:
        if call.usage is not None and _size(call.usage) > _size(self._usage(row)):
            self.models[row] = call.model or self.models[row]
            self._take(row, call)
        elif self.models[row] is None:
            self.models[row] = call.model
        _keep(self.costs_usd, row, call.cost_usd, max)
        _keep(self.latencies_s, row, call.latency_s, max)
        _keep(self._at, row, call.at, min)

    def deduct(self, counted: Mapping[int, CountedAnswer]) -> None:
        """Keep what each answer adds to the counted one; remove those that add nothing."""
        for row, key in enumerate(self._index.keys if counted else ()):
            if key in counted:
                self._deduct(row, counted[key])

    def _deduct(self, row: int, counted: CountedAnswer) -> None:
        usage, cost = self._usage(row), self.costs_usd[row] or 0.0
        more_tokens = ((usage and usage.total) or 0) > (counted.usage.total or 0)
        is_more = more_tokens or cost > counted.cost_usd
        if not is_more and not counted.kept.total and not counted.kept_usd:
            self._is_gone[row] = 1
            return
        self.numbers[row] = max(0, (self.numbers[row] or 0) - counted.requests)
        if self.costs_usd[row] is not None:
            self.costs_usd[row] = max(counted.kept_usd, cost - counted.cost_usd)
        known = map(msgspec.structs.astuple, (counted.usage, counted.kept))
        for column, n, kept in zip(self.usages, *known, strict=True):
            if column[row] is not None:
                column[row] = max(kept or 0, (column[row] or 0) - (n or 0))

    def _take(self, row: int, call: LlmCall) -> None:
        """Let these tokens count."""
        self.numbers[row] = call.requests
        self._has_no_usage[row] = call.usage is None
        if call.usage is not None:
            counts = msgspec.structs.astuple(call.usage)
            for column, n in zip(self.usages, counts, strict=True):
                column[row] = n

    def _usage(self, row: int) -> TokenUsage | None:
        if self._has_no_usage[row]:
            return None
        return TokenUsage(*[column[row] for column in self.usages])


class Calls(KeyedTable[Call]):
    """Calls of tools."""

    def __init__(self) -> None:
        super().__init__()
        self.names = TextColumn()
        self.digests = IntegerColumn("q")

    def row(self, row: int) -> Call:
        """The call as it was made first."""
        name = self.names[row] or ""
        return Call(self._session[row], self.is_main(row), name, self.digests[row])

    def note(self, key: int, call: ToolCall, session: int) -> None:
        """Note a call."""
        row, is_new = self._note(key, session=session, is_main=not call.agent)
        if is_new:
            self.names[row] = call.name
            self.digests[row] = hash(call.digest) if call.digest else 0


class Changes(KeyedTable[Change]):
    """Changes of files."""

    def __init__(self) -> None:
        super().__init__()
        self._paths = TextColumn()
        self._kinds = TextColumn()
        self._lines = IntegerColumn()
        self._has_failed = IntegerColumn()
        self._at = RealColumn()

    def row(self, row: int) -> Change:
        """Return the change, with the largest reported numbers of lines."""
        return Change(
            self._session[row],
            self._at[row],
            self._paths[row] or "",
            self._kinds[row] or "",
            self._lines[row],
            bool(self._has_failed[row]),
        )

    def note(self, key: int, change: FileChange, session: int) -> None:
        """Record a change; it failed if one of its rows did."""
        row, is_new = self._note(key, session=session, is_main=not change.agent)
        if is_new:
            self._at[row] = change.at
            self._paths[row] = change.path
            self._kinds[row] = change.change
        self._lines[row] = max(self._lines[row], (change.added or 0) + (change.removed or 0))
        self._has_failed[row] = change.failed or self._has_failed[row]


class Some(Sequence[T]):
    """Some rows of a table, made into values each time they are gone through; 4 bytes each."""

    __slots__ = ("_table", "rows")

    def __init__(self, table: KeyedTable[T], rows: "array[int] | None" = None) -> None:
        self._table = table
        self.rows = array("I") if rows is None else rows

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> "Some[T]": ...

    def __getitem__(self, at: int | slice) -> "T | Some[T]":
        if isinstance(at, slice):
            return Some(self._table, self.rows[at])
        return self._table.row(self.rows[at])

    def __iter__(self) -> Iterator[T]:
        return map(self._table.row, self.rows)

    def __contains__(self, value: object) -> bool:
        return any(it == value for it in self)

    def filter(self, wanted: Callable[[T], bool]) -> "Some[T]":
        """Those that are wanted."""
        table = self._table
        return Some(table, array("I", (row for row in self.rows if wanted(table.row(row)))))

    def of_main(self) -> "Some[T]":
        """Those of the main agent."""
        return Some(self._table, array("I", filter(self._table.is_main, self.rows)))


def _keep(
    column: RealColumn, row: int, value: float | None, best: Callable[[float, float], float]
) -> None:
    """Keep the better one of the known and the new value."""
    if value is not None:
        known = column[row]
        column[row] = value if known is None else best(known, value)


def _size(usage: TokenUsage | None) -> tuple[int, ...]:
    """By the total, then kind by kind, so that no order of rows changes which one counts."""
    if usage is None:
        return (-1,)
    return (usage.total or 0, *(-1 if n is None else n for n in msgspec.structs.astuple(usage)))
