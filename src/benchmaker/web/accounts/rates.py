"""How many requests somebody may send: a bucket for each person, token or address."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

from benchmaker.engine.requests.token_bucket import Bucket

_MOST: Final = 20_000
"""Buckets that are kept; the longest unused are forgotten, and are full by then."""

_MINUTE_S: Final = 60.0


class Rate(NamedTuple):
    """What is left to somebody; ``wait_s`` is above 0 where this request was one too many."""

    limit: int
    remaining: int
    reset_s: int
    wait_s: float

    def headers(self) -> dict[str, str]:
        """As a client reads it; seconds are whole, rounded up."""
        told = {
            "ratelimit-limit": str(self.limit),
            "ratelimit-remaining": str(self.remaining),
            "ratelimit-reset": str(self.reset_s),
        }
        return told | ({"retry-after": str(math.ceil(self.wait_s))} if self.wait_s else {})


class Rates:
    """Each may send ``a_minute`` requests at once, and gains them back over a minute."""

    def __init__(
        self, a_minute: int, *, clock: Callable[[], float] = time.monotonic, most: int = _MOST
    ) -> None:
        self._a_minute = a_minute
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, who: str) -> Rate:
        """One request of somebody; refused ones cost nothing."""
        now = self._clock()
        with self._lock:
            bucket = self._bucket(who, now)
            wait_s = max(0.0, bucket.ready_at(now, 1.0) - now)
            if wait_s == 0.0:
                bucket.take(now, 1.0)
            level = bucket.level(now)
        reset_s = (self._a_minute - level) * _MINUTE_S / self._a_minute
        return Rate(self._a_minute, max(0, math.floor(level)), math.ceil(reset_s), wait_s)

    def _bucket(self, who: str, now: float) -> Bucket:
        found = self._buckets.get(who)
        if found is None:
            found = Bucket(self._a_minute / _MINUTE_S, float(self._a_minute), at=now)
            self._buckets[who] = found
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(who)
        return found
