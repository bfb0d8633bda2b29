"""The server's own record of every request: the judge of what a run says it did."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from tests.live.server.question import Question, hashed

End = Literal["open", "answered", "cut", "gone"]

TOLERANCE_S = 0.005
"""By so much a request may be early without being called so: clocks are read at two ends."""

IN_FLIGHT = 30
"""So many requests of a key may have been on their way when it was told to wait."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request.

    ``at_s`` counts from the server's start. ``key`` is hashed. ``ordinal`` counts from 1 the
    requests of this key for this model and case. ``end`` is ``answered`` (everything was sent,
    right or wrong), ``cut`` (the server broke off on purpose), ``gone`` (the client left) or
    ``open``. ``promised_s`` is how long the client was told to wait. ``is_early_retry``: the same
    question came again before that; ``is_early``: something of the same key did, after as many
    others as can have been in flight already. The tokens are those of a complete good answer, else
    None.
    """

    number: int
    at_s: float
    method: str
    path: str
    key: str = ""
    protocol: str = ""
    model: str = ""
    fault: str = ""
    case: str = ""
    is_streamed: bool = False
    ordinal: int = 0
    status: int | None = None
    end: End = "open"
    ended_s: float | None = None
    promised_s: float | None = None
    is_early_retry: bool = False
    is_early: bool = False
    given_tokens: int | None = None
    made_tokens: int | None = None


@dataclass(slots=True)
class Promise:
    """What a client was told: until when to wait; and how much of it still may come before that."""

    until_s: float
    in_flight: int = 0

    def is_broken_at(self, now_s: float) -> bool:
        """Whether what comes now comes too early; counts it where it may have been in flight."""
        if now_s >= self.until_s - TOLERANCE_S:
            return False
        self.in_flight -= 1
        return self.in_flight < 0


class Journal:
    """All requests in the order of their arrival; may be read from any thread.

    ``clock`` gives seconds from whenever it likes.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self._started = clock()
        self._entries: list[Entry] = []
        self._asked: Counter[tuple[str, str, str]] = Counter()
        self._promises: dict[tuple[str, ...], Promise] = {}

    def now_s(self) -> float:
        """Seconds since the server's start."""
        return self._clock() - self._started

    def opened(self, method: str, path: str, key: str) -> int:
        """Note an arrival; returns its number."""
        with self._lock:
            number = len(self._entries)
            entry = Entry(number, self.now_s(), method, path, key=hashed(key))
            self._entries.append(entry)
        return number

    def asked(self, number: int, question: Question) -> int:
        """Note what the request asks; returns which request of this question it is, from 1."""
        with self._lock:
            entry = self._entries[number]
            place = (entry.key, question.model, question.case)
            self._asked[place] += 1
            self._entries[number] = replace(
                entry,
                protocol=question.protocol,
                model=question.model,
                fault=question.fault,
                case=question.case,
                is_streamed=question.is_streamed,
                ordinal=self._asked[place],
                is_early_retry=self._breaks(entry.at_s, place),
                is_early=self._breaks(entry.at_s, (entry.key,)),
            )
        return self._entries[number].ordinal

    def _breaks(self, now_s: float, whose: tuple[str, ...]) -> bool:
        promise = self._promises.get(whose)
        return promise is not None and promise.is_broken_at(now_s)

    def promised(self, number: int, seconds: float) -> None:
        """Note that the client was just told to wait."""
        with self._lock:
            entry = self._entries[number]
            until_s = self.now_s() + seconds
            self._entries[number] = replace(entry, promised_s=seconds)
            self._promises[entry.key, entry.model, entry.case] = Promise(until_s)
            before = self._promises.get((entry.key,))
            if before is None or before.until_s < until_s:
                self._promises[entry.key,] = Promise(until_s, IN_FLIGHT)

    def ended(self, number: int, end: End, *, status: int | None = None) -> None:
        """Note how it ended; the first word counts."""
        with self._lock:
            entry = self._entries[number]
            if entry.end == "open":
                self._entries[number] = replace(entry, end=end, status=status, ended_s=self.now_s())

    def billed(self, number: int, given: int, made: int) -> None:
        """Note the tokens of a good answer."""
        with self._lock:
            entry = self._entries[number]
            self._entries[number] = replace(entry, given_tokens=given, made_tokens=made)

    def entries(self, *, key: str | None = None, model: str | None = None) -> list[Entry]:
        """The requests, all or those of one key or one model."""
        with self._lock:
            found = list(self._entries)
        return [
            entry
            for entry in found
            if (key is None or entry.key == hashed(key)) and (model in (None, entry.model))
        ]

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """The requests as plain data."""
        return (asdict(entry) for entry in self.entries())

    def clear(self) -> None:
        """Forget everything, promises included; nothing may be in flight."""
        with self._lock:
            self._entries.clear()
            self._asked.clear()
            self._promises.clear()
