"""Delivery of notices in the outbox until every receiver has accepted them.

Each notice has a constant id, so that a receiver can drop duplicates: one with a lost answer, or
interrupted by a kill, is sent again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import msgspec

from benchmaker.errors import BenchmakerError, Conflict, StoreError
from benchmaker.store import PendingMessage, Store

LEASE = "notices"
HOLDER = "deliver"
_TTL_S = 600.0
_PAGE = 100
_LISTED = 20


class Receiver(Protocol):
    """A receiver of notices."""

    @property
    def name(self) -> str:
        """Its name, without secrets."""

    async def send(self, notice_id: str, body: bytes) -> None:
        """Hand a notice over; raises where it was not taken."""

    async def close(self) -> None:
        """Release resources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """The number of tries of a notice per delivery, and the pauses in seconds.

    Pauses double from ``first_s`` up to ``most_s``. After ``give_up`` undelivered notices in a row,
    the rest wait for the next delivery.
    """

    tries: int = 3
    first_s: float = 0.5
    most_s: float = 30.0
    give_up: int = 3

    def pause_s(self, tried: int) -> float:
        """Return the pause after a number of tries."""
        return float(min(self.most_s, self.first_s * 2 ** (tried - 1)))


class DeliveryResult(NamedTuple):
    """The result of a delivery: notices accepted, waiting, and errors.

    ``held`` is true if another process is delivering.
    """

    delivered: int = 0
    waiting: int = 0
    errors: tuple[str, ...] = ()
    held: bool = False


async def deliver(
    store: Store,
    receivers: Sequence[Receiver],
    *,
    policy: RetryPolicy | None = None,
    only: Sequence[str] = (),
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> DeliveryResult:
    """Deliver every waiting notice, oldest first.

    A notice is delivered when all receivers have accepted it. Otherwise it is retried after a
    pause, and stays in the outbox after the last try.

    Args:
        store: the store with the outbox.
        receivers: the receivers of each notice; without any, all wait.
        policy: numbers of tries, and pauses.
        only: the ids of notices; all by default.
        sleep: waits for a number of seconds.
    """
    if not receivers:
        return DeliveryResult(waiting=count_undelivered(store))
    try:
        lease = store.acquire_lease(LEASE, holder=HOLDER, ttl_s=_TTL_S)
    except Conflict:
        return DeliveryResult(waiting=count_undelivered(store), held=True)
    round_ = _Round(store, tuple(receivers), policy or RetryPolicy(), sleep)
    try:
        for one in _pages(store):
            if only and one.message.dedupe_key not in only:
                continue
            if round_.has_given_up:
                break
            await round_.deliver(one)
            lease = store.renew_lease(lease)
    finally:
        for receiver in receivers:
            await receiver.close()
        with suppress(StoreError):  # it runs out by itself
            store.release_lease(lease)
    return DeliveryResult(round_.delivered, count_undelivered(store), tuple(round_.errors))


def body_of(pending: PendingMessage) -> bytes:
    """Return the notice as sent: its id, topic, time and content."""
    message = pending.message
    head = {"id": message.dedupe_key, "type": message.topic, "timestamp": pending.created_at}
    return msgspec.json.encode({**head, "data": dict(message.body)})


def count_undelivered(store: Store) -> int:
    """Return the number of waiting notices."""
    return sum(1 for _ in _pages(store))


class _Round:
    """One go through the outbox."""

    def __init__(
        self,
        store: Store,
        receivers: tuple[Receiver, ...],
        policy: RetryPolicy,
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self._store, self._receivers = store, receivers
        self._patience, self._sleep = policy, sleep
        self._missed = 0
        self.delivered = 0
        self.errors: list[str] = []

    @property
    def has_given_up(self) -> bool:
        """True if no receiver accepts anything at present."""
        return self._missed >= self._patience.give_up

    async def deliver(self, pending: PendingMessage) -> None:
        """Try one notice until it is taken, or its tries are used up."""
        left = list(self._receivers)
        problems: list[str] = []
        for tried in range(1, self._patience.tries + 1):
            left, problems = await self._try_receivers(pending, left)
            if not left:
                self._store.mark_delivered(pending.seq)
                self.delivered += 1
                self._missed = 0
                return
            self._store.mark_failed(pending.seq, " ".join(problems))
            if tried < self._patience.tries:
                await self._sleep(self._patience.pause_s(tried))
        self._missed += 1
        if len(self.errors) < _LISTED:
            self.errors.append(f"{pending.message.dedupe_key}: {' '.join(problems)}")

    async def _try_receivers(
        self, pending: PendingMessage, receivers: Sequence[Receiver]
    ) -> tuple[list[Receiver], list[str]]:
        """Those who did not take it, and why."""
        left, problems, body = [], [], body_of(pending)
        for receiver in receivers:
            try:
                await receiver.send(pending.message.dedupe_key, body)
            except BenchmakerError as exc:
                left.append(receiver)
                problems.append(str(exc))
        return left, problems


def _pages(store: Store) -> Iterator[PendingMessage]:
    """Yield all waiting notices, read page by page."""
    last = 0
    while page := store.pending_messages(_PAGE, after=last):
        yield from page
        last = page[-1].seq
