"""Marks of what was handed in and not evaluated yet."""

import pytest

from benchmaker.errors import Conflict
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, the_id

pytestmark = pytest.mark.postgresql("leases, SKIP LOCKED")

TTL_S = 60.0


def test_a_mark_stands_until_it_is_taken_away(store):
    store.put_submission(a_submission(1))
    place = store.pending_slots.acquire(ttl_s=TTL_S)

    store.pending_slots.mark(place)
    store.put_submission(a_submission(2))
    store.pending_slots.mark(place)

    [since] = store.pending_slots.marks().values()
    assert list(store.pending_slots.stored_since(since)) == [the_id(2)]
    store.pending_slots.unmark(place)
    assert store.pending_slots.marks() == {}


def test_each_has_a_place_of_its_own(store):
    first, second = (store.pending_slots.acquire(ttl_s=TTL_S) for _ in range(2))

    assert first.name != second.name


def test_a_place_with_a_mark_is_left_to_those_who_look_back(store):
    dead = store.pending_slots.acquire(ttl_s=TTL_S)
    store.pending_slots.mark(dead)
    assert list(store.pending_slots.acquire_abandoned(ttl_s=TTL_S)) == []
    store.release_lease(dead)

    assert store.pending_slots.acquire(ttl_s=TTL_S).name != dead.name
    assert [one.name for one in store.pending_slots.acquire_abandoned(ttl_s=TTL_S)] == [dead.name]


def test_no_mark_is_put_at_a_place_that_was_lost(store):
    place = store.pending_slots.acquire(ttl_s=TTL_S)
    store.release_lease(place)

    with pytest.raises(Conflict):
        store.pending_slots.mark(place)


def test_many_that_are_left_are_read_by_pages(path):
    with Store.open(path) as store:
        for number in range(520):
            store.put_submission(a_submission(number))

        assert len(list(store.pending_slots.stored_since(5))) == 515
