"""Notices reach everybody, and wait until they do."""

import asyncio

import msgspec
import pytest

from benchmaker.engine.jobs.notices import HOLDER, LEASE, RetryPolicy, body_of, deliver
from benchmaker.errors import ProviderError
from benchmaker.store import Message, Store


class Takes:
    """Takes everything but the tries that it is told to refuse."""

    def __init__(self, name="one", *, refuses=0):
        self.name, self.refuses, self.sent, self.closed = name, refuses, [], False

    async def send(self, notice_id, body):
        self.sent.append((notice_id, msgspec.json.decode(body)))
        if self.refuses > 0:
            self.refuses -= 1
            raise ProviderError(f"{self.name} answered 503.")

    async def close(self):
        self.closed = True


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def put(store, count):
    for number in range(count):
        store.put_message(Message("news", f"n{number}", {"number": number}))


def delivered(store, *receivers, **given):
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    made = asyncio.run(deliver(store, receivers, sleep=sleep, **given))
    return made, pauses


def test_everything_that_waits_is_handed_to_everybody_in_its_order(store):
    put(store, 130)
    one, two = Takes(), Takes("two")
    made, _ = delivered(store, one, two)
    assert (made.delivered, made.waiting, made.errors) == (130, 0, ())
    assert [name for name, _ in one.sent] == [name for name, _ in two.sent]
    assert [name for name, _ in one.sent] == [f"n{n}" for n in range(130)]
    assert one.closed


def test_a_notice_says_its_id_its_kind_and_when_it_was_made(store):
    put(store, 1)
    (waiting,) = store.pending_messages()
    said = msgspec.json.decode(body_of(waiting))
    assert said == {
        "id": "n0",
        "type": "news",
        "timestamp": waiting.created_at,
        "data": {"number": 0},
    }


def test_a_refused_notice_is_tried_again_after_longer_and_longer_pauses(store):
    put(store, 1)
    one = Takes(refuses=3)
    made, pauses = delivered(store, one, policy=RetryPolicy(tries=5, first_s=1.0, most_s=3.0))
    assert pauses == [1.0, 2.0, 3.0]
    assert made.delivered == 1
    assert [name for name, _ in one.sent] == ["n0"] * 4


def test_only_those_who_refused_are_asked_again(store):
    put(store, 1)
    one, two = Takes(), Takes("two", refuses=1)
    delivered(store, one, two)
    assert (len(one.sent), len(two.sent)) == (1, 2)


def test_what_nobody_took_waits_with_its_error_for_the_next_time(store):
    put(store, 2)
    made, _ = delivered(store, Takes(refuses=99), policy=RetryPolicy(tries=2))
    assert (made.delivered, made.waiting) == (0, 2)
    assert made.errors[0] == "n0: one answered 503."
    assert [(one.attempts, one.last_error) for one in store.pending_messages()] == [
        (2, "one answered 503.")
    ] * 2
    again, _ = delivered(store, Takes())
    assert (again.delivered, again.waiting) == (2, 0)


def test_after_three_in_a_row_the_rest_wait(store):
    put(store, 9)
    one = Takes(refuses=99)
    made, _ = delivered(store, one, policy=RetryPolicy(tries=1))
    assert len(one.sent) == 3
    assert made.waiting == 9


def test_named_notices_alone_are_delivered(store):
    put(store, 3)
    one = Takes()
    delivered(store, one, only=["n1"])
    assert [name for name, _ in one.sent] == ["n1"]


def test_without_receivers_everything_waits(store):
    put(store, 2)
    made, _ = delivered(store)
    assert made == (0, 2, (), False)


def test_two_processes_never_deliver_at_once(store):
    put(store, 1)
    lease = store.acquire_lease(LEASE, holder=HOLDER, ttl_s=60.0)
    one = Takes()
    made, _ = delivered(store, one)
    assert made.held
    assert one.sent == []
    store.release_lease(lease)
    assert delivered(store, one)[0].delivered == 1
