"""Throttling of passwords: by name, and by address."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Lock
from typing import Final, NamedTuple

_MOST: Final = 20_000
"""Names and addresses that are remembered; the longest quiet are forgotten."""

_HOST_BITS: Final = 64
_FORGIVEN_S: Final = 3_600.0
"""After so long without a try, nothing is held against anybody."""


class Limit(NamedTuple):
    """``free`` failures cost nothing; each further one doubles the wait, from 1 s to ``most_s``."""

    free: int
    most_s: float

    def wait_s(self, failures: int) -> float:
        """Return the wait after a number of failures.

        >>> [Limit(5, 300.0).wait_s(n) for n in (4, 5, 6, 8, 40)]
        [0.0, 1.0, 2.0, 8.0, 300.0]
        """
        if failures < self.free:
            return 0.0
        return min(self.most_s, 2.0 ** min(failures - self.free, 30))


NAME: Final = Limit(5, 300.0)
ADDRESS: Final = Limit(20, 900.0)
"""The limit per address; many people may share one."""


class _Tries(NamedTuple):
    failures: int
    free_at: float
    last_at: float


class Throttle:
    """Counts tries before their result is known; a correct one clears its name.

    Unknown names are counted as well, so that waiting reveals nothing. Names are kept
    as digests: people type passwords into the wrong field.
    """

    def __init__(self, clock: Callable[[], float], *, most: int = _MOST) -> None:
        self._clock = clock
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, _Tries] = OrderedDict()

    def try_now(self, name: str | None, address: str) -> float:
        """Count a try; returns 0, or the seconds to wait, in which case it did not count.

        Without a name the address alone is counted.
        """
        now = self._clock()
        keys = self._keys(name, address)
        with self._lock:
            waits = [self._wait_s(key, now) for key, _ in keys]
            if max(waits) > 0.0:
                return max(waits)
            for key, limit in keys:
                self._count(key, limit, now)
        return 0.0

    def record_success(self, name: str | None, address: str) -> None:
        """The last try was right."""
        *own, (around, limit) = self._keys(name, address)
        with self._lock:
            for key, _ in own:
                self._kept.pop(key, None)
            if (tries := self._kept.get(around)) is not None:  # not counted against the others
                fewer = tries.failures - 1
                until = tries.last_at + limit.wait_s(fewer) if fewer >= limit.free else 0.0
                self._kept[around] = tries._replace(failures=fewer, free_at=until)

    def __len__(self) -> int:
        return len(self._kept)

    @staticmethod
    def _keys(name: str | None, address: str) -> list[tuple[str, Limit]]:
        around = [(f"a {network_of(address)}", ADDRESS)]
        if name is None:
            return around
        digest = hashlib.sha256(name.strip().lower().encode("utf-8", "replace")).hexdigest()
        return [(f"n {digest[:32]}", NAME), *around]

    def _wait_s(self, key: str, now: float) -> float:
        tries = self._kept.get(key)
        return 0.0 if tries is None else max(0.0, tries.free_at - now)

    def _count(self, key: str, limit: Limit, now: float) -> None:
        before = self._kept.pop(key, None)
        stale = before is None or now - before.last_at > _FORGIVEN_S
        failures = 1 if before is None or stale else before.failures + 1
        self._kept[key] = _Tries(failures, now + limit.wait_s(failures), now)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


def network_of(address: str) -> str:
    """The address, of IPv6 the network of a customer: they have all the addresses in it.

    >>> network_of("2001:db8:1:2:3:4:5:6"), network_of("192.0.2.7")
    ('2001:db8:1:2::', '192.0.2.7')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, IPv4Address):
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped or IPv6Address(int(found) >> _HOST_BITS << _HOST_BITS))
