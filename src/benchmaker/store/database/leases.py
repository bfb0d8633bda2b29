"""Leases: exclusive locks on work, so that two processes never do the same work.

Each holder gets a fencing number higher than any before it. Writes under a lease include the
number, and are refused after another holder has taken over: see
:class:`benchmaker.store.writer.Writer`.
"""

import os
import socket
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, select, update

from benchmaker.errors import Conflict
from benchmaker.processes import is_alive, start_time
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.driver import execute
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.inserts import insert_new
from benchmaker.store.database.tables import leases

_TRIES = 10
"""Tries to take a free lease that others take and release within one transaction, meanwhile."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on ``name``, until ``heartbeat + ttl_s`` (seconds since 1970)."""

    name: str
    holder: str
    pid: int
    host: str
    fence: int
    ttl_s: float
    heartbeat: float


class LeaseStore(Room):
    """Leases: one process at a time holds each."""

    def acquire_lease(
        self,
        name: str,
        *,
        holder: str,
        ttl_s: float,
        pid: int | None = None,
        host: str | None = None,
    ) -> Lease:
        """Take the lease, if it is free, expired, or its holder is a dead process of this host.

        ``pid`` and ``host`` default to this process's own.

        Raises:
            Conflict: another process holds it; the message names pid and host.
        """
        lease = Lease(
            name=name,
            holder=holder,
            pid=os.getpid() if pid is None else pid,
            host=socket.gethostname() if host is None else host,
            fence=1,
            ttl_s=ttl_s,
            heartbeat=self.database.clock(),
        )
        with self._write() as connection:
            if insert_new(connection, leases, _row(lease)):
                return lease
            held = connection.execute(_select_lease(name)).mappings().one()
            for _ in range(_TRIES):
                if not is_free(held, now=lease.heartbeat, host=lease.host):
                    break
                taken = replace(lease, fence=held["fence"] + 1)
                if _swap(connection, taken, _row(taken), fence=held["fence"]):
                    return taken
                held = connection.execute(_select_lease(name)).mappings().one()
            raise _held_lease_error(name, held)

    @retry_reads
    def renew_lease(self, lease: Lease) -> Lease:
        """Renew the lease; return it with its new heartbeat.

        Raises:
            Conflict: another process has taken over; stop working.
        """
        renewed = replace(lease, heartbeat=self.database.clock())
        with self._write() as connection:
            refuse_lost(connection, lease)
            _swap(connection, lease, {"heartbeat": renewed.heartbeat}, fence=lease.fence)
        return renewed

    def release_lease(self, lease: Lease) -> None:
        """Release the lease."""
        with self._write() as connection:
            _swap(connection, lease, {"holder": None}, fence=lease.fence)

    def _write(self) -> AbstractContextManager[Connection]:
        """Begin a change.

        The holders of leases in a file are processes of this machine, and end with it, so that
        their leases need not outlive a power cut; those of a server do.
        """
        database = self.database
        return database.write_unsynced() if database.is_sqlite else database.write()

    @retry_reads
    def is_held(self, name: str) -> bool:
        """True if a process holds the lease; an expired one or a dead process does not count."""
        with self.database.read() as connection:
            row = connection.execute(_select_lease(name)).mappings().first()
        return row is not None and not is_free(row, now=self.database.clock())

    @retry_reads
    def lease(self, name: str) -> Lease | None:
        """Return the current holder of the lease, if any."""
        with self.database.read() as connection:
            row = connection.execute(_select_lease(name)).mappings().first()
        if row is None or row["holder"] is None:
            return None
        return Lease(
            name=name,
            holder=row["holder"],
            pid=row["pid"],
            host=row["host"],
            fence=row["fence"],
            ttl_s=row["ttl_s"],
            heartbeat=row["heartbeat"],
        )


def refuse_lost(connection: Connection, lease: Lease) -> None:
    """Raise Conflict if the lease is lost; it cannot be taken before the transaction ends."""
    wanted = "SELECT fence FROM leases WHERE name = ? AND holder IS NOT NULL"
    lock = "" if connection.dialect.name == "sqlite" else " FOR SHARE"
    row = execute(connection, wanted + lock, (escape(lease.name),)).fetchone()
    if row is None or row[0] != lease.fence:
        raise _lost_lease_error(lease)


def _row(lease: Lease) -> dict[str, Any]:
    return {
        "name": lease.name,
        "fence": lease.fence,
        "holder": lease.holder,
        "pid": lease.pid,
        "process": start_time(lease.pid) if lease.host == socket.gethostname() else "",
        "host": lease.host,
        "ttl_s": lease.ttl_s,
        "heartbeat": lease.heartbeat,
    }


def _select_lease(name: str) -> Select[Any]:
    return select(leases).where(leases.c.name == name)


def _swap(connection: Connection, lease: Lease, values: Mapping[str, Any], *, fence: int) -> bool:
    """Change the row if it still has this fencing number."""
    changed = connection.execute(
        update(leases).where(leases.c.name == lease.name, leases.c.fence == fence).values(**values)
    )
    return changed.rowcount == 1


def is_free(held: RowMapping, *, now: float, host: str | None = None) -> bool:
    """True if the lease of a row is released, expired, or held by a dead process of this host."""
    if held["holder"] is None or now - held["heartbeat"] >= held["ttl_s"]:
        return True
    here = socket.gethostname() if host is None else host
    return held["host"] == here and not is_alive(held["pid"], held["process"])


def _held_lease_error(name: str, held: RowMapping) -> Conflict:
    return Conflict(
        f"{name} is held by process {held['pid']} on {held['host']}.",
        hint="Wait for it to end, or stop it; then try again.",
    )


def _lost_lease_error(lease: Lease) -> Conflict:
    return Conflict(
        f"{lease.name} is no longer held by process {lease.pid} on {lease.host}: "
        "another process has taken over.",
        hint="Let the other process finish.",
    )
