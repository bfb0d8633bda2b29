"""The leases on runs, series, trials and imports: only the process that holds one works on it."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import Conflict, StoreError
from benchmaker.record.agent_trial import TrialKey
from benchmaker.store import Lease, Store
from benchmaker.store.runs.runs import RUN_LEASE

HOLDER = "engine"
_RENEWALS = 4
"""How often a lease is renewed within its time."""

_IMPORT_S = 300.0
"""The time of an import's lease: its longest transaction has all cases, without a renewal."""

_POLL_S = 0.1


class LeaseLock:
    """A lease that is renewed during the work."""

    def __init__(self, store: Store, lease: Lease, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._renewed = clock.monotonic()
        self.lease = lease

    def renew_in_time(self) -> None:
        """Renew the lease when a quarter of its time has passed.

        Raises:
            Conflict: another process took over, since this one did not renew in time.
        """
        now = self._clock.monotonic()
        if now - self._renewed >= self.lease.ttl_s / _RENEWALS:
            self.lease = self._store.renew_lease(self.lease)
            self._renewed = now


def lease_name(run_id: str) -> str:
    """Return the name of a run's lease, as shown in the message to a second process."""
    return f"{RUN_LEASE}{run_id}"


def series_lease_name(series_id: str) -> str:
    """Return the name of a series' lease, which lasts from its first run to its last."""
    return f"series {series_id}"


def lock_run(
    store: Store, run_id: str, *, clock: Clock, ttl_s: float
) -> AbstractContextManager[LeaseLock]:
    """Hold the run for this process.

    Raises:
        Conflict: another process holds it; the message names it.
    """
    return _lock(store, lease_name(run_id), clock=clock, ttl_s=ttl_s)


def lock_series(
    store: Store, series_id: str, *, clock: Clock, ttl_s: float
) -> AbstractContextManager[LeaseLock]:
    """Hold the series for this process, also between two of its runs.

    Raises:
        Conflict: another process holds it; the message names it.
    """
    return _lock(store, series_lease_name(series_id), clock=clock, ttl_s=ttl_s)


def lock_trial(
    store: Store, key: TrialKey, *, clock: Clock, ttl_s: float
) -> AbstractContextManager[LeaseLock]:
    """Hold an attempt of an agent trial for this process, over all its tries.

    Raises:
        Conflict: another process holds it; the message names it.
    """
    name = f"agent trial {key.series} {key.task} {key.system} {key.attempt}"
    return _lock(store, name, clock=clock, ttl_s=ttl_s)


def lock_imports(store: Store, tool: str, *, clock: Clock) -> AbstractContextManager[LeaseLock]:
    """Hold the imports of a tool's results for this process; wait while another one holds them.

    Rows are known by their content, so that one import has to see all rows of the one before.
    """
    return _lock(store, f"import {tool}", clock=clock, ttl_s=_IMPORT_S, waits=True)


@contextmanager
def _lock(
    store: Store, name: str, *, clock: Clock, ttl_s: float, waits: bool = False
) -> Iterator[LeaseLock]:
    acquire = _acquire_in_time if waits else _acquire
    lease = acquire(store, name, ttl_s)
    hold = LeaseLock(store, lease, clock=clock)
    try:
        yield hold
    finally:
        with suppress(StoreError):  # it runs out by itself
            store.release_lease(hold.lease)


def _acquire(store: Store, name: str, ttl_s: float) -> Lease:
    return store.acquire_lease(name, holder=HOLDER, ttl_s=ttl_s)


def _acquire_in_time(store: Store, name: str, ttl_s: float) -> Lease:
    """Take the lease as soon as it is free."""
    while True:
        with suppress(Conflict):
            return _acquire(store, name, ttl_s)
        time.sleep(_POLL_S)
