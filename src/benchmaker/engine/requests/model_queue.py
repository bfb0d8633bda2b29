"""One model's tasks, in order of execution."""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import chain
from math import inf

from benchmaker.engine.requests.attempts import TrialRequests
from benchmaker.engine.requests.rate_limiter import Flight, RateLimiter
from benchmaker.engine.requests.retry import is_retryable
from benchmaker.engine.trials.plan import Task
from benchmaker.errors import RateLimited
from benchmaker.record import Usage

OVERLOADED = frozenset({503, 529})
"""HTTP statuses that call for lower concurrency."""

Begin = Callable[[Task], TrialRequests]
"""Prepares the first request of a task."""


class RetryQueue:
    """Requests to retry, each at its time.

    Of those due, the one with the most requests so far goes first: it has the fewest left.
    """

    __slots__ = ("_due", "_later", "_order")

    def __init__(self) -> None:
        self._later: list[tuple[float, int, TrialRequests]] = []
        self._due: list[tuple[int, int, TrialRequests]] = []
        self._order = 0

    def __len__(self) -> int:
        return len(self._later) + len(self._due)

    def add(self, trying: TrialRequests, until: float) -> None:
        """Keep it until then."""
        self._order += 1
        heappush(self._later, (until, self._order, trying))

    def next_at(self, now: float) -> float:
        """Return the time of the next retry; inf if nothing waits."""
        while self._later and self._later[0][0] <= now:
            _, order, trying = heappop(self._later)
            heappush(self._due, (-trying.urgency, order, trying))
        if self._due:
            return now
        return self._later[0][0] if self._later else inf

    def peek(self) -> TrialRequests | None:
        """Return the next due request, among those due at :meth:`next_at`."""
        return self._due[0][2] if self._due else None

    def pop(self) -> None:
        """Remove the first."""
        heappop(self._due)

    def __iter__(self) -> Iterator[TrialRequests]:
        yield from (trying for *_, trying in self._later)
        yield from (trying for *_, trying in self._due)

    def clear(self) -> None:
        """Forget all of them."""
        self._later.clear()
        self._due.clear()


class ModelQueue:
    """One model: its tasks, its retries, and the limiter of its endpoint.

    ``flying`` counts its requests in flight, ``answered`` those answered, ``turn`` is the time of
    its last turn, and ``ahead`` is the next task, prepared. ``is_dropped`` is true once it is no
    longer queried.
    """

    __slots__ = (
        "_begin",
        "_tasks",
        "_waiting",
        "ahead",
        "answered",
        "flying",
        "is_dropped",
        "limiter",
        "model",
        "turn",
    )  # fmt: skip

    def __init__(
        self, model: str, tasks: Iterator[Task], *, limiter: RateLimiter, begin: Begin
    ) -> None:
        self.model = model
        self.limiter = limiter
        self.flying = 0
        self.answered = 0
        self.turn = 0
        self.ahead: TrialRequests | None = None
        self._waiting = RetryQueue()
        self._tasks = tasks
        self._begin = begin
        self.is_dropped = False

    @property
    def urgency(self) -> int:
        """The number of requests already made for the next trial."""
        trying = self.look()
        return trying.urgency if trying else 0

    def wait(self, trying: TrialRequests, until: float) -> None:
        """Queue a retry for that time."""
        if not self.is_dropped:
            self._waiting.add(trying, until)

    def waiting(self) -> Iterator[TrialRequests]:
        """The prepared trials that are not in flight."""
        if self.ahead is not None:
            yield self.ahead
        yield from self._waiting

    def add_tasks(self, tasks: Iterator[Task]) -> None:
        """Begin these tasks before the others; a dropped model begins none."""
        if not self.is_dropped:
            self._tasks = chain(tasks, self._tasks)

    def ready_at(self, now: float, most_waiting: int) -> float:
        """Return the time of the next request; inf if it depends on a response."""
        if self.ahead is not None and not self._waiting:
            return now if self.ahead.is_cached else self.limiter.ready_at(now)
        at = self._due_at(now, most_waiting)
        if at > now:
            return at
        trying = self.look()
        return now if trying is None or trying.is_cached else self.limiter.ready_at(now)

    def look(self) -> TrialRequests | None:
        """Return the next trial: a due retry, else the next task.

        While the rate is unknown, new tasks probe it, since they have the most requests left.
        """
        due = self._waiting.peek()
        if self.ahead is not None and self.limiter.is_guess and not (due and due.precedence):
            return self.ahead
        return due or self.ahead

    def pop(self) -> None:
        """Remove the trial returned by :meth:`look`."""
        if self.look() is self.ahead:
            self.ahead = None
        else:
            self._waiting.pop()

    def send(self, trying: TrialRequests, now: float) -> None:
        """A request goes out."""
        trying.record_sent(self.limiter.send(now), answered=self.answered)

    def land(self, trying: TrialRequests, flight: Flight, now: float) -> None:
        """Report the end of a request to the limiter."""
        self.answered += trying.error is None
        land(trying, flight, self.limiter, now)

    def drop(self) -> None:
        """Discard everything not in flight, and later retries."""
        self.is_dropped = True
        self._tasks = iter(())
        self.ahead = None
        self._waiting.clear()

    def _due_at(self, now: float, most_waiting: int) -> float:
        """When there is something to ask."""
        waits_until = self._waiting.next_at(now) if self._waiting else inf
        if len(self._waiting) >= most_waiting or (waits_until <= now and not self.limiter.is_guess):
            return waits_until
        return now if self._has_fresh() else waits_until

    def _has_fresh(self) -> bool:
        if self.ahead is None:
            task = next(self._tasks, None)
            if task is not None:
                self.ahead = self._begin(task)
        return self.ahead is not None


def land(trying: TrialRequests, flight: Flight, limiter: RateLimiter, now: float) -> None:
    """Report the end of a request in flight to the limiter."""
    error = trying.error
    if error is None:
        limiter.record_answer(now, flight, tokens=total_tokens(trying.attempts[-1].usage))
        return
    waits = getattr(error, "retry_after_s", None)
    is_rate = isinstance(error, RateLimited)
    if is_rate or getattr(error, "status", None) in OVERLOADED:
        limiter.record_refusal(now, flight, retry_after_s=waits, is_rate=is_rate)
        return
    limiter.record_drop(flight)
    if waits is not None and is_retryable(error):
        limiter.hold(now, waits)


def total_tokens(usage: Usage | None) -> int | None:
    """All tokens of an answer; None if input or output is unknown."""
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = (usage.cache_read_tokens, usage.cache_write_5m_tokens, usage.cache_write_1h_tokens)
    return usage.input_tokens + usage.output_tokens + sum([part or 0 for part in cached])
